/*
 * emit: the commands of krecord that read a recording and print something about
 * it on standard output: cat, cut, redact, stat, spans.
 *
 * Bad lines and missing ends are logged. cat, cut and redact print a gap line
 * where lines are missing. An end that is missing without a part of a line, as
 * while the recording is written, is a gap only if more follows.
 */
#ifndef EMIT_H
#define EMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "conf/watches.h"

enum { EMIT_BATCH = 256 };

/* A recording: its files, directories, or standard input. */
struct emit_source {
	const char *const *paths;
	size_t count;
	/* How many bad lines and cut ends the last pass met; those that an
	 * earlier one logged are not logged again. */
	size_t bad, cuts, logged;
	bool lacks; /* something that was asked for is not there */
};

struct emit_part {
	const char *from, *to; /* RFC 3339; NULL: all */
	const char *object;    /* NULL: all */
};

/* All of them: -1 with err. */
int emit_cat(struct emit_source *s, struct err *err);
/* The part. Before its first line stands the state at that time, so that it
 * replays alone. */
int emit_cut(
    struct emit_source *s, const struct emit_part *part, struct err *err);
/* All lines, without secrets. w may be NULL. */
int emit_redact(
    struct emit_source *s, const struct watches *w, struct err *err);
/* Numbers about the recording as a whole. */
int emit_stat(struct emit_source *s, struct err *err);
/* The decisions as traces (traces/spanline.h), so many on a line. */
int emit_spans(struct emit_source *s, size_t batch, struct err *err);

#endif
