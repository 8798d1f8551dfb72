/*
 * viewer: the kview that serves the page, live, of what krecord records.
 *
 * The pipe between them lives as long as kpipe: each krecord of the pipeline
 * writes to it, each kview reads it. Another kview needs the state again, so
 * krecord is told to begin again when it is ready.
 */
#ifndef VIEWER_H
#define VIEWER_H

#include "beside/resident.h"

struct viewer {
	struct resident resident;
	const struct stage *record; /* borrowed: krecord */
	int null_fd;		    /* borrowed: its stdout */
	int pipe[2];		    /* owned; -1: none */
};

/* Makes the pipe; krecord gets its writing end, pipe[1]. -1 with err. */
int viewer_open(struct viewer *v, struct err *err);
/* Once the loop runs. */
void viewer_start(struct viewer *v);
void viewer_release(struct viewer *v);

#endif
