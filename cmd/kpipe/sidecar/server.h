/*
 * server: the kpipe-http that serves probes and metrics, beside the pipeline.
 */
#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>

#include "sidecar/pipestate.h"
#include "sidecar/sidecar.h"

struct server {
	struct sidecar sidecar; /* the caller sets loop, oom, on_refusal,
				   * on_end, arg and stage */
	struct pipestate pipestate;
	int null_fd;  /* borrowed: stdout of kpipe-http */
	int fd;	      /* stdin of kpipe-http; -1: none */
	bool waiting; /* for room in the pipe to stdin */
};

/* Call it once the loop runs. */
void server_start(struct server *s);
/* Writes due lines if there is room; called before each wait. */
void server_tell(struct server *s);
void server_release(struct server *s);

#endif
