/*
 * viewrow: one entry of the picture: what happened, when, to which track.
 *
 * story makes rows, in the order of the lines; pagefile and timeline write
 * them. All that a row points to is borrowed, until the call returns.
 */
#ifndef VIEWROW_H
#define VIEWROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct track;

enum viewrow_sort {
	ROW_PRESENT,   /* was there when its kind was listed */
	ROW_APPEARED,  /* was created */
	ROW_SPEC,      /* changed, at least outside of status and metadata */
	ROW_STATUS,    /* changed, at least in status, but not in spec */
	ROW_META,      /* changed in metadata only */
	ROW_GONE,      /* was deleted */
	ROW_DECISION,  /* a desired set, or a status on its way to kstatus */
	ROW_WRITE,     /* the API server accepted a write */
	ROW_UNCHANGED, /* a write changed nothing, or was dropped */
	ROW_FAILURE,   /* a write was refused; an error of a watch */
	ROW_LEADER,    /* leadership came or went */
	ROW_RESTART,   /* a stage was started again */
	ROW_PHASE,     /* of the pipeline: running, stopping, ... */
	ROW_GAP,       /* lines were lost here */
	ROW_BAD,       /* a line that cannot be read */
	ROW_SHADOW     /* another release would decide otherwise */
};

struct viewrow {
	enum viewrow_sort sort;
	bool has_time;
	int64_t us;  /* since 1970, if has_time */
	size_t line; /* its number among all lines read, 1 = first */
	struct track *track;
	struct span text;    /* one short line */
	struct span details; /* a JSON object; absent: there is no more */
};

typedef void viewrow_fn(void *arg, const struct viewrow *row);

/* One lower-case word: "spec", "failure". */
const char *viewrow_sort_name(enum viewrow_sort sort);

#endif
