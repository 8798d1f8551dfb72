/*
 * guided: a small engine for fuzzers. Inputs come from a corpus, one file with
 * entries between lines of "%%"; each round takes one, changes it, and tries
 * it. Where the code is built with -fsanitize-coverage=trace-pc, an input that
 * reaches new code joins the corpus.
 */
#ifndef GUIDED_H
#define GUIDED_H

#include "base/span.h"

struct guided {
	const char *corpus;	  /* read */
	const char *keep;	  /* what is new is appended; NULL: nowhere */
	const char *const *words; /* that inputs are made of; NULL-terminated */
	double seconds;
	unsigned long seed;
	size_t max; /* bytes of an input */
};

typedef void guided_fn(struct span input);

/* First every entry as it is, then changed ones. Prints what it did. On a
 * crash or an abort, the input goes to stderr. -1: no corpus. */
int guided_run(const struct guided *g, guided_fn *fn);

/* Ends the process with the input if it does not hold. */
void guided_expect(int holds, const char *what);

#endif
