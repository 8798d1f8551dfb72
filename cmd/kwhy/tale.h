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
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/textlist.h"
#include "record/contrast.h"
#include "record/epoch.h"
#include "record/reading.h"
#include "value/objref.h"

/* The last events are remembered with their lines: a set names those before it by
 * object and version, and they are not far from it. A recording may be longer
 * than memory. */
enum { TALE_EVENTS = 1 << 17 };
struct tale_event {
	uint64_t digest; /* made of object and version */
	size_t source;	 /* index in sources */
	size_t line;	 /* 0: none */
};

struct tale {
	struct objref who; /* the object; group absent: any */
	bool named;	   /* places have the name of their file */
	struct buf out;	   /* sentences: the caller takes them */
	struct buf text;   /* the sentence in the making */
	struct buf object; /* the last version that was seen; empty: none */
	struct buf former; /* the last version of one that is gone */
	uint32_t seen_in;  /* the epoch of both */
	struct epoch epoch;
	bool gap;		 /* events were lost since they were seen */
	struct buf tool;	 /* the last one that a segment names */
	struct buf running;	 /* the last state of kpipe, in words */
	struct textlist started; /* processes of kpipe that were told */
	struct arena names;	 /* names in the line, decoded */
	struct contrast contrast;
	struct tale_event *events; /* owned: TALE_EVENTS, by their digests */
	char **sources;		   /* owned: the names of the files until now */
	size_t source_count;
	size_t told; /* sentences about the object */
};

/*
 * kind and name say which object, as people spell it: a kind in any case, also in
 * the plural, with its group or without ("deployments", "Deployment",
 * "deployment.apps"), and NAMESPACE/NAME, or NAME alone of an object without a
 * namespace. Both are borrowed. -1 with err; then there is nothing to release.
 */
int tale_init(
    struct tale *t, const char *kind, const char *name, struct err *err);
void tale_release(struct tale *t);

void tale_line(struct tale *t, const struct reading_line *line);

/* The place of an event; NULL: forgotten, or not in the recording. */
const struct tale_event *tale_find_event(
    const struct tale *t, const struct objref *o, struct span version);

#endif
