/*
 * recordline: lines of a recording that are not events (doc/recording.md).
 * Such lines change nothing. But a gap means that events may be missing there,
 * and a segment names the version of its format.
 */
#ifndef RECORDLINE_H
#define RECORDLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "state/entry.h"

/* Whether the line is one of these; counts a gap in the events. err is set
 * (ERR_GONE) if the line is a segment of another version. */
bool recordline_is(const struct event *line, uint64_t *gaps, struct err *err);
/* Logs what is wrong with a line of the input. True: the input is of another
 * version, so that the tool has to end with EXIT_PERMANENT. */
bool recordline_say_bad(size_t line, const struct err *err);
/* Logs the gaps, if there are any. */
void recordline_say_gaps(uint64_t gaps);

#endif
