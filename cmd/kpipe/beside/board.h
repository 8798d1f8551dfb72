/*
 * board: the newest state of the pipeline, for kpipe-http; see doc/protocol.md,
 * State lines.
 *
 * It remembers what it has not written to the pipe yet. If something changes
 * again before there was room, only the newest value is written: the reader
 * misses steps, but never the last one, and kpipe never waits for it.
 */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/span.h"

enum {
	BOARD_SHADOW = 14, /* behind the places of a pipeline's stages */
	BOARD_TRACES,
	BOARD_STAGES_MAX,
	BOARD_LINE_MAX = 4096,	 /* with newline: a pipe takes a line whole */
	BOARD_SAMPLES_MAX = 4096 /* samples of a stage; more are left out */
};

/* A line that is to be written when `due`. */
struct board_line {
	struct buf text; /* with its newline */
	bool due;
};

struct sample;
struct board_stage {
	const char *tool; /* borrowed */
	struct board_line counters, unready;
	struct map samples;	     /* by name and labels */
	struct sample *first, **end; /* in the order in which they came: a
				      * histogram's buckets must keep it */
	bool due;		     /* at least one sample is due */
};

/* Zeroed memory is an empty one. */
struct board {
	struct board_line state;
	struct board_stage stages[BOARD_STAGES_MAX];
};

void board_release(struct board *b);

/* The state of the pipeline: a line without its newline. */
void board_state(struct board *b, struct span line);
/* A report of stage number i, the tool of that name (borrowed). False: the line
 * is not a report, and is left out. */
bool board_report(
    struct board *b, size_t i, const char *tool, struct span line);
/* The stage starts again: its earlier reports are void. */
void board_forget(struct board *b, size_t i);

/* Writes everything again, for a new reader. */
void board_again(struct board *b);

enum board_result {
	BOARD_WRITTEN, /* all that was due */
	BOARD_FULL,    /* the pipe is full: call again when it has room */
	BOARD_FAILED   /* errno says why */
};
/* Writes to a non-blocking pipe. The state comes first. */
enum board_result board_write(struct board *b, int fd);

#endif
