/*
 * viewrow: one entry of the picture: what happened, when, to which track. And how
 * rows, tracks and objects are written: as a line for a terminal, and as the
 * lines of JSON of which a page is made, in a file (pagefile.h) and live
 * (serving.h):
 *
 *	{"track":0,"kind":"","namespace":"","name":""}  before its first row;
 *		live also "there":true, "decides":true
 *	{"track":3,"parent":0}                          when that is known
 *	[US or null, LINE, "SORT", TRACK, "TEXT", {DETAILS}]
 *	{"track":3,"object":{...}}                      the last version until now
 *	{"track":3,"standing":{"phase":"","ready":""}}  live: track_add_standing
 *	{"forget":3}                                    live: its rows are gone,
 *		the next track may have its number
 *
 * story makes rows, in the order of the lines. All that a row points to is
 * borrowed, until the call returns.
 */
#ifndef VIEWROW_H
#define VIEWROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "track.h"

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
	ROW_PHASE,     /* the pipeline is running, stopping, ... */
	ROW_GAP,       /* lines were lost here */
	ROW_BAD,       /* a line that cannot be read */
	ROW_SHADOW     /* --shadow: another release would decide otherwise */
};

struct viewrow {
	enum viewrow_sort sort;
	bool has_time;
	int64_t us;  /* since 1970, if has_time */
	size_t line; /* number among all lines read, 1 = first */
	struct track *track;
	struct span text;    /* a short line */
	struct span details; /* a JSON object; absent: there is no more */
};

typedef void viewrow_fn(void *arg, const struct viewrow *row);

/* Appends a line for a terminal, newline included: time, sort, object, what
 * happened. What a terminal would obey is replaced by "?". */
enum viewrow_colors { VIEWROW_PLAIN, VIEWROW_COLORS };
void viewrow_add_term(
    struct buf *b, const struct viewrow *row, enum viewrow_colors colors);

/* Each appends a line of JSON, without a newline; the caller ends it. */
enum viewrow_page { VIEWROW_FILE, VIEWROW_LIVE };
void viewrow_add_track(
    struct buf *b, const struct track *t, enum viewrow_page page);
void viewrow_add_parent(struct buf *b, const struct track *t);
void viewrow_add_object(struct buf *b, const struct track *t);
void viewrow_add_json(struct buf *b, const struct viewrow *row);

/* Adds the lines of the track and of those above it that were not told yet, each
 * to line; put takes it, and leaves line empty. */
void viewrow_tell_track(struct track *t, enum viewrow_page page,
    struct buf *line, void (*put)(void *arg), void *arg);

/* Appends line as it may stand in a page: each "<" is written as \u003c, which
 * JSON knows and HTML does not. No text of a recording can end the script or
 * begin a comment. */
void viewrow_add_escaped(struct buf *b, struct span line);

#endif
