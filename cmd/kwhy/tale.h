/*
 * tale: tells what the lines of a recording say about one object, a sentence
 * for each: seen, decided, written, answered.
 *
 *	2026-11-27T15:04:05.123456Z  25  It was seen to change ...
 *
 * time, place (line, or segment and line), sentence. All texts of the recording
 * are made visible, and values of Secrets are not told.
 */
#ifndef TALE_H
#define TALE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/textlist.h"
#include "places.h"
#include "record/contrast.h"
#include "record/epoch.h"
#include "record/reading.h"
#include "who.h"

struct tale {
	struct who who;
	bool named;	   /* places have the name of their file */
	struct buf out;	   /* sentences: the caller takes them */
	struct buf text;   /* the sentence in the making */
	struct buf object; /* the last version that was seen; empty: none */
	struct buf former; /* the last version of one that is gone */
	uint32_t seen_in;  /* the epoch of these */
	struct epoch epoch;
	bool gap;		 /* events were lost since then */
	struct buf tool;	 /* of the segments: the last one */
	struct buf running;	 /* the last state of kpipe, in words */
	struct textlist started; /* processes of kpipe that were told */
	struct arena names;	 /* of the line, decoded */
	struct contrast contrast;
	struct places places;
	char **sources; /* owned: the names of the files until now */
	size_t source_count;
	size_t told; /* sentences about the object */
};

void tale_init(struct tale *t, const struct who *who);
void tale_release(struct tale *t);

void tale_line(struct tale *t, const struct reading_line *line);

#endif
