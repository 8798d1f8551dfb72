/*
 * pipestate: the newest state of the pipeline, for kpipe-http; see
 * doc/protocol.md, State lines.
 *
 * It remembers what it has not written to the pipe yet. If something changes
 * again before there was room, only the newest value is written: the reader
 * misses steps, but never the last one, and kpipe never waits for it.
 */
#ifndef PIPESTATE_H
#define PIPESTATE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/span.h"

enum {
	PIPESTATE_SHADOW = 14, /* behind the places of a pipeline's stages */
	PIPESTATE_TRACES,
	PIPESTATE_STAGES_MAX,
	/* with newline: a pipe takes a line whole */
	PIPESTATE_LINE_MAX = 4096,
	PIPESTATE_SAMPLES_MAX = 4096 /* samples of a stage; more are left out */
};

/* A line that is to be written when `due`. */
struct pipestate_line {
	struct buf text; /* with its newline */
	bool due;
};

struct sample;
struct pipestate_stage {
	const char *tool; /* borrowed */
	struct pipestate_line counters, unready;
	struct map samples;	     /* by name and labels */
	struct sample *first, **end; /* in the order in which they came: a
				      * histogram's buckets must keep it */
	bool due;		     /* at least one sample is due */
};

/* Zeroed memory is an empty one. */
struct pipestate {
	struct pipestate_line state;
	struct pipestate_stage stages[PIPESTATE_STAGES_MAX];
};

void pipestate_release(struct pipestate *p);

/* The state of the pipeline: a line without its newline. */
void pipestate_set(struct pipestate *p, struct span line);
/* A report of stage number i, the tool of that name (borrowed). False: the line
 * is not a report, and is left out. */
bool pipestate_report(
    struct pipestate *p, size_t i, const char *tool, struct span line);
/* The stage starts again: its earlier reports are void. */
void pipestate_forget(struct pipestate *p, size_t i);

/* Writes everything again, for a new reader. */
void pipestate_again(struct pipestate *p);

enum pipestate_result {
	PIPESTATE_WRITTEN, /* all that was due */
	PIPESTATE_FULL,	   /* the pipe is full: call again when it has room */
	PIPESTATE_FAILED   /* errno says why */
};
/* Writes to a non-blocking pipe. The state comes first. */
enum pipestate_result pipestate_write(struct pipestate *p, int fd);

#endif
