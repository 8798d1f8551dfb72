/*
 * listener: a process that reads what krecord records, as it comes: the kview
 * that serves the page, or the krecord that sends traces.
 *
 * The pipe between them lives as long as kpipe: each krecord of the pipeline
 * writes to it, each listener reads it. Another kview needs the state again, so
 * krecord is told to begin again when it is ready.
 */
#ifndef LISTENER_H
#define LISTENER_H

#include "sidecar/pipestate.h"
#include "sidecar/sidecar.h"

struct listener {
	struct sidecar sidecar;
	const struct stage *record; /* borrowed: krecord */
	bool needs_state;	    /* reads all that came before its start */
	/* borrowed: gets its reports, for number */
	struct pipestate *pipestate;
	size_t number;
	int null_fd; /* borrowed: its stdout */
	int pipe[2]; /* owned; -1: none */
};

/* Makes the pipe; krecord gets its writing end, pipe[1]. -1 with err. */
int listener_open(struct listener *l, struct err *err);
/* Call it once the loop runs. */
void listener_start(struct listener *l);
void listener_release(struct listener *l);

#endif
