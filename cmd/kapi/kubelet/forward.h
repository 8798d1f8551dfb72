/*
 * forward: a connection to a port of a Pod, as the annotation says it answers.
 * It knows no connection of a client: that gives it an output.
 */
#ifndef FORWARD_H
#define FORWARD_H

#include <stdbool.h>

#include "base/span.h"
#include "kubelet/script.h"
#include "request/request.h"

struct forward_output {
	void (*write)(void *arg, struct span bytes); /* not nothing */
	/* Nothing listens, or the annotation is bad: the message. */
	void (*error)(void *arg, struct span message);
	/* The connection is closed from inside. */
	void (*end)(void *arg);
	void *arg;
};

struct forward {
	struct script_port script;
	struct forward_output output;
	bool ended;
};

/* r and pod have to live as long. It may have ended then. */
void forward_start(struct forward *f, struct request *r, const struct node *pod,
    unsigned port, const struct forward_output *output);
void forward_input(struct forward *f, struct span bytes);
void forward_input_end(struct forward *f);

#endif
