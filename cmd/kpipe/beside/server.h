/*
 * server: the kpipe-http that serves probes and metrics, beside the pipeline.
 */
#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>

#include "beside/board.h"
#include "beside/resident.h"

struct server {
	struct resident resident; /* its loop, oom, on_refusal, on_end, arg and
				     stage are the caller's to set */
	struct board board;
	int null_fd;  /* borrowed: its stdout */
	int fd;	      /* stdin of kpipe-http; -1: none */
	bool waiting; /* for room in it */
};

/* Once the loop runs. */
void server_start(struct server *s);
/* Writes due lines if there is room; called before each wait. */
void server_tell(struct server *s);
void server_release(struct server *s);

#endif
