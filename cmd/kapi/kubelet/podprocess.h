/*
 * podprocess: a command in a container, as its script says it goes: what it
 * prints, whether it reads, how long it takes, and its exit code. Or one that
 * is attached to: it prints what is added to the log.
 *
 * It knows no connection: what carries its streams (channels.c, streams.c)
 * gives it an output. Streams have the numbers of channel.k8s.io.
 * Source: cri-streaming pkg/streaming/remotecommand, apiserver
 * pkg/util/proxy/streamtranslator.go, and what a kubelet of 1.36 answered.
 */
#ifndef PODPROCESS_H
#define PODPROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "kubelet/follower.h"
#include "kubelet/script.h"
#include "process/loop.h"
#include "request/request.h"

enum stream {
	STREAM_IN,
	STREAM_OUT,
	STREAM_ERR,
	STREAM_STATUS,
	STREAM_RESIZE,
	STREAM_COUNT
};

/* How the status is written. */
enum status_form {
	STATUS_TEXT, /* before v4: the message of a failure */
	STATUS_V4,
	STATUS_V5 /* v4, translated as by the API server */
};

struct podprocess_output {
	/* bytes is never empty. */
	void (*write)(void *arg, enum stream s, struct span bytes);
	/* The process has ended, and said its status. */
	void (*end)(void *arg);
	void *arg;
};

/* Zeroed, then filled by podprocess_read. */
struct podprocess {
	struct request *request; /* borrowed */
	struct span container;
	bool attach, in, out, err, tty;
	const struct span *command;
	size_t command_n;
	/* Private. */
	const struct node *pod;
	struct podprocess_output output;
	enum status_form form;
	struct script_run run;
	struct follower follower;
	struct timer timer;
	bool started, ended, in_ended, shut_after;
};

/* From the parameters of a request for exec or attach. False: none of the
 * streams is asked for. */
bool podprocess_read(struct podprocess *p, struct request *r,
    const struct node *pod, struct span container);

void podprocess_start(struct podprocess *p, enum status_form form,
    const struct podprocess_output *output);
/* Bytes of standard input. The process may have ended when this returns. */
void podprocess_input(struct podprocess *p, struct span bytes);
void podprocess_input_end(struct podprocess *p);
/* Ends the process without calling the output. */
void podprocess_stop(struct podprocess *p);

#endif
