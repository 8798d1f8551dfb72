/*
 * story: what the lines of a recording tell, as rows.
 *
 *	story_init(&s, fn, arg, limits);
 *	story_line(&s, &line) for each line ...
 *
 * A row of a line without a time has none. The state at the start of a segment
 * repeats what is known, and makes no rows unless it differs from that.
 */
#ifndef STORY_H
#define STORY_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/textlist.h"
#include "record/contrast.h"
#include "record/epoch.h"
#include "record/reading.h"
#include "viewrow.h"
#include "track.h"

struct story {
	viewrow_fn *fn;
	void *arg;
	struct tracks tracks;
	struct contrast contrast, statuses;
	size_t lines;	    /* read until now, bad ones as well */
	struct viewrow row; /* the row in the making */
	struct arena names; /* names in the line, decoded */
	struct buf text, details;
	struct buf state;    /* the last state line, and result of each stage */
	struct buf programs; /* programs of the last segment, by kind */
	struct buf tool;     /* the release, in words, with the programs */
	struct buf former;   /* the release before it, likewise */
	struct textlist started; /* processes of kpipe that were told */
	struct textlist open;	 /* kinds that began, and are not complete */
	struct epoch epoch;
	uint32_t gaps; /* how often events were lost */
};

void story_init(struct story *s, viewrow_fn *fn, void *arg);
void story_release(struct story *s);

void story_line(struct story *s, const struct reading_line *line);
/* A line that cannot be read, or the missing end of a source; line->err says
 * why. */
void story_bad(struct story *s, const struct reading_line *line);

/* For chapter.c: a row of that sort, with the text and details that s has
 * collected (details without its closing brace); empties both. */
void story_tell(struct story *s, struct track *t, enum viewrow_sort sort);
/* Adds to the text, in words, what this status would change in that of the
 * object; statuses.partial is the caller's. Returns how many fields. */
size_t story_add_status(
    struct story *s, const struct track *t, struct span status);
/* Rows of record lines; part of story.h. */
void story_record(struct story *s, const struct reading_line *line);

#endif
