/*
 * reading: the lines of a recording (doc/recording.md), one by one.
 *
 *	r = reading_new(paths, count, &err);
 *	while ((result = reading_next(r, &line)) != READING_END) ...
 *
 * It reads files, plain or compressed, directories of segments in the order of
 * their names, and "-", standard input. The end of each may be missing, at any
 * byte: every whole line before it is given out, then READING_BAD with `cut`
 * says so, and the next segment goes on. Memory: the longest line.
 */
#ifndef READING_H
#define READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "value/objref.h"

/* The version of the format; another one is an error. */
enum { READING_VERSION = 1 };

enum reading_kind {
	READING_EVENT,
	READING_SEGMENT,
	READING_SET,
	READING_RESULT,
	READING_STATUS,
	READING_STATE,
	READING_GAP,
	READING_SHADOW, /* a line of ireconcile --against (doc/recording.md) */
	READING_OTHER	/* a record line of a later kind: pass over it */
};

struct reading_line {
	/* All spans are borrowed until the next call of reading_*. */
	/* The whole line, without its newline, and without needless escapes
	 * (json_plain): raw keys and kinds can be compared. */
	struct span text;
	const char *source; /* path of the file; "standard input" */
	size_t number;	    /* the line's in that file, 1 = first */
	enum reading_kind kind;
	struct span time; /* RFC 3339, without quotes; absent: it has no time */
	struct span body; /* object of an event, "line" of a record line;
			   * absent: it has no such member */
	struct err err;	  /* READING_BAD: "PATH:NUMBER: what is wrong" */
	bool cut;	  /* READING_BAD: the end of the source is missing,
			   * as a process that was killed leaves it */
	bool half;	  /* cut: the first part of another line is there */
};

enum reading_result {
	READING_LINE,
	READING_BAD, /* line->err; call again: the rest goes on */
	READING_END,
	READING_FAILED /* line->err: it cannot be read any further */
};

/*
 * A recording may be a directory, of segments: DIR/NNNNNNNN.jsonl.zst, eight
 * digits, a sequence that grows. Anything else there is another program's, and
 * left alone.
 */
enum { READING_NAME_SIZE = sizeof("00000000.jsonl.zst") };
enum { READING_SEQUENCE_MAX = 99999999 };
struct reading_segments {
	uint64_t *sequences; /* owned: free(); the oldest first */
	size_t count;
};
/* Lists the segments of a directory. -1: it cannot be read; err names it. */
int reading_list_segments(
    const char *dir, struct reading_segments *s, struct err *err);
/* Writes the name of a segment, without its directory. */
void reading_segment_name(uint64_t sequence, char name[READING_NAME_SIZE]);

struct reading;

/* paths are borrowed. NULL: one of them is not there, or a directory without a
 * segment. A segment that is removed while the recording is read is left
 * out. */
struct reading *reading_new(
    const char *const *paths, size_t count, struct err *err);
void reading_free(struct reading *r);

enum reading_result reading_next(struct reading *r, struct reading_line *line);

/* The end of a source was missing. */
bool reading_was_cut(const struct reading *r);

/*
 * Tells a line apart: fills kind, time and body, of a text that is valid JSON.
 * -1 with err: it is not a line of a recording, or of an unknown version
 * (ERR_GONE).
 */
int reading_sort(struct span text, struct reading_line *line, struct err *err);
/* The version of a segment. -1 with err: not READING_VERSION (ERR_GONE). */
int reading_check_version(struct span version, struct err *err);

/*
 * The object that a value of a recording is about: an object, or a reference that
 * has its names beside its kind. Namespace, name and uid are decoded, in names if
 * need be (json_name); the rest is raw, as it stands between the quotes.
 */
struct objref reading_ref(struct span value, struct arena *names);
/* A version or time, raw: the text between the quotes, or a number as it is
 * written. */
struct span reading_text(struct span value);

#endif
