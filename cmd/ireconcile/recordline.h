/*
 * recordline: lines of a recording that are not events (doc/recording.md).
 * They change nothing; but a gap says that events may be missing there,
 * and a segment which version of the format it is of.
 */
#ifndef RECORDLINE_H
#define RECORDLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "state/events.h"

/* Whether it is one; a gap in the events is counted. err: it is a segment of
 * another version (ERR_GONE). */
bool recordline_is(const struct event *line, uint64_t *gaps, struct err *err);
/* Logs what is wrong with a line of the input. True: the input is of another
 * version, so that the tool has to end with EXIT_PERMANENT. */
bool recordline_say_bad(size_t line, const struct err *err);
/* Logs the gaps, if there are any. */
void recordline_say_gaps(uint64_t gaps);

#endif
