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
	const char *between;	  /* its entries; NULL: a line of "%%" */
	const char *keep;	  /* new inputs are appended; NULL: not kept */
	const char *const *words; /* to make inputs of; NULL-terminated */
	double seconds;
	unsigned long seed;
	size_t max; /* bytes of an input */
};

typedef void guided_fn(struct span input);

/* An entry more, before the corpus; copied. */
void guided_add(struct span text);

/* Tries every entry unchanged, then changed ones. Prints statistics. On a
 * crash or an abort, the input goes to stderr. -1: no corpus. */
int guided_run(const struct guided *g, guided_fn *fn);

/* If the condition is false, ends the process and prints the input. */
void guided_expect(int holds, const char *what);

#endif
