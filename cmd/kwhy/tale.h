/*
 * tale: tells what the lines of a recording say about one object, a sentence
 * for each: seen, decided, written, answered.
 *
 *	15:10:00.123  It was seen to change (by helm): .spec.replicas 3 -> 7
 *
 * In the long form with date, place (line, or segment and line), versions, and
 * more values:
 *
 *	2026-11-27T15:10:00.123456Z  25  It was seen to change (version 9, ...
 *
 * All texts of the recording are made visible, and values of Secrets are not told.
 */
#ifndef TALE_H
#define TALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sought.h"
#include "base/arena.h"
#include "base/buf.h"
#include "period.h"
#include "record/contrast.h"
#include "record/epoch.h"
#include "record/opstate.h"
#include "record/reading.h"

/* The last events are remembered with their lines: a set names those before it by
 * object and version, and they are not far from it. A recording may be longer
 * than memory. */
enum { TALE_EVENTS = 1 << 17 };
struct tale_event {
	uint64_t digest; /* made of object and version */
	size_t source;	 /* index in sources */
	size_t line;	 /* 0: none */
};

struct tale_opts {
	bool whole;   /* the long form */
	bool changes; /* only what was seen */
	bool spec;    /* no metadata, no statuses */
};

struct tale {
	struct tale_opts o;
	struct sought *sought; /* borrowed */
	struct period *period; /* borrowed: takes the sentences */
	bool named;	       /* places have the name of their file */
	struct buf text;       /* the sentence in the making */
	struct buf sentence;   /* with time and place */
	struct buf object;     /* the last version that was seen; empty: none */
	struct buf former;     /* the last version of one that is gone */
	struct buf status;     /* the last one that was decided; empty: none */
	uint32_t seen_in;      /* the epoch of both versions */
	struct epoch epoch;
	bool gap; /* events were lost since they were seen */
	struct opstate state;
	const struct reading_line *line; /* that is told; borrowed */
	struct arena names;		 /* names in the line, decoded */
	struct contrast contrast;
	struct tale_event *events; /* owned: TALE_EVENTS, by their digests */
	char **sources;		   /* owned: the names of the files until now */
	size_t source_count;
	size_t told; /* sentences about the object */
	bool met;    /* it was seen, told or not */
};

void tale_init(struct tale *t, struct tale_opts o, struct sought *sought,
    struct period *period);
void tale_release(struct tale *t);

void tale_line(struct tale *t, const struct reading_line *line);

/* The place of an event; NULL: forgotten, or not in the recording. */
const struct tale_event *tale_find_event(
    const struct tale *t, const struct objref *o, struct span version);

#endif
