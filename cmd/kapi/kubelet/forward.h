/*
 * forward: a connection to a port of a Pod, which answers as the annotation
 * says. The module knows nothing of the client's connection: the caller gives
 * it an output.
 */
#ifndef FORWARD_H
#define FORWARD_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/span.h"
#include "tree/tree.h"
#include "kubelet/script.h"

struct forward_output {
	void (*write)(void *arg, struct span bytes); /* not nothing */
	/* Nothing listens, or the annotation is bad: the message. */
	void (*error)(void *arg, struct span message);
	/* The connection is closed from inside. */
	void (*end)(void *arg);
	void *arg;
};

/* Zeroed memory is a connection that was not started. */
struct forward {
	struct script_port script;
	struct forward_output output;
	struct arena arena; /* for the script; freed with the connection */
	bool ended;
};

/* pod has to live as long as f. The connection may have ended when this
 * returns. */
void forward_start(struct forward *f, const struct node *pod, unsigned port,
    const struct forward_output *output);
void forward_release(struct forward *f);
void forward_input(struct forward *f, struct span bytes);
void forward_input_end(struct forward *f);

#endif
