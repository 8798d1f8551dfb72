/*
 * server: the kpipe-http that serves probes and metrics. It lives as long as
 * kpipe, and is restarted alone: the pipeline is not affected.
 */
#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>

#include "board.h"
#include "oom.h"
#include "process/loop.h"
#include "restart.h"
#include "child/stage.h"

enum { SERVER_END_MS = 2000 };

struct server {
	struct loop *loop; /* borrowed */
	struct stage stage;
	int null_fd; /* borrowed: its stdout */
	struct board board;
	int fd;		 /* its stdin; -1: none */
	bool waiting;	 /* for room in it */
	struct oom *oom; /* borrowed */
	struct restart backoff;
	struct timer timer;
	uint64_t started_ms;
	bool was_ready; /* since kpipe started */
	bool ending;
	loop_fn *on_refusal; /* it ended with 100 and was never ready, or is
				killed for memory again and again */
	loop_fn *on_end;     /* after server_end: it is gone */
	void *arg;	     /* of both */
};

/* Once the loop runs. */
void server_start(struct server *s);
/* Writes due lines if there is room; called before each wait. */
void server_tell(struct server *s);
/* It ended. */
void server_take(struct server *s, int status);
/* SIGTERM, and SIGKILL if that does not help; then on_end. */
void server_end(struct server *s);
void server_release(struct server *s);

#endif
