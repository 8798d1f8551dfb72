/*
 * recording: a small engine for fuzzers of what reads recordings.
 *
 * Each round takes lines of the seeds, changes some of them (members removed,
 * doubled, of another type, escapes, bytes that are not UTF-8, long and deep
 * values), compresses some of the recordings and damages their bytes, and gives
 * what lib/record/reading.h makes of it to the functions. A line of a Secret
 * stands, unchanged, in those that are not damaged: RECORDING_SECRET is the value
 * that must not be told.
 */
#ifndef RECORDING_H
#define RECORDING_H

#include "base/span.h"
#include "record/reading.h"

#define RECORDING_SECRET "aHVudGVyMg"

struct recording_fuzz {
	void (*begin)(void);
	/* READING_LINE or READING_BAD */
	void (*line)(enum reading_result result, struct reading_line *line);
	void (*end)(void);
};

/* NAME SECONDS SEED FILE...: returns the exit code. */
int recording_fuzz(const struct recording_fuzz *f, int argc, char **argv);

/* Valid UTF-8, and nothing that a terminal obeys, but newlines. */
void recording_expect_visible(struct span text);

#endif
