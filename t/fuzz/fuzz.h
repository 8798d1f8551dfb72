/*
 * fuzz: what fuzzers share that change recorded inputs: numbers that look
 * random, a time, a check that shows the input, ways to change one.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

/* Printed by fuzz_expect. Borrowed. */
extern struct span fuzz_input;
/* NULL, or adds to the message what a fuzzer knows besides. */
extern void (*fuzz_more)(struct buf *message);

/* The arguments from argv[at] on are [SECONDS [SEED]]. */
void fuzz_begin(int argc, char **argv, int at);
/* Counts rounds, until the time is over. */
bool fuzz_goes_on(void);
/* Prints how many rounds there were, of what. */
void fuzz_end(const char *what);

/* 0 if n is 0 */
unsigned fuzz_below(unsigned n);
/* If the condition is false, ends the process and shows the input. */
void fuzz_expect(bool holds, const char *what);
/* Takes each line of the file; exits with 100 if it cannot be read. */
void fuzz_lines(const char *file, void (*take)(struct span line));

/* A copy of exactly this size: ASan sees the first byte beyond. Owned. */
char *fuzz_exact(struct span text);
/* Changes a few bytes: to others, to nothing, to one of words. */
void fuzz_change(struct buf *b, const char *const *words);
/* Changes or removes one byte, most often. */
void fuzz_flip(struct buf *b, size_t at);
/* The whole main of a fuzzer: changed seeds. Lists end with NULL. */
int fuzz_texts(int argc, char **argv, const char *const *seeds,
    const char *const *words, void (*try)(struct span text));

#endif
