/*
 * hidden: replays of recordings without secrets: what was observed is a digest
 * there (record/redacted.h), and what the program makes is not, or is made of
 * other digests. Which values a digest stands for is learnt: it is taken for
 * the desired value that it is met with first. Later both have to be those
 * again, or both others: a digest that changes alone is drift, and a value that
 * changes alone is a request. Digests of another key are learnt again.
 *
 * So a value that differed from the start of the recording is not seen to. A
 * desired value that is a digest of the same key is compared with it as it
 * stands.
 */
#ifndef HIDDEN_H
#define HIDDEN_H

#include <jv.h>

struct hidden_values; /* the pairs that were learnt, for one item */

/* observed (consumed) with desired values in the place of their digests, owned.
 * *memory is NULL at first. */
jv hidden_lift(jv observed, jv desired_peek, struct hidden_values **memory);
/* How many were taken for a desired value when they were met first. */
size_t hidden_taken(const struct hidden_values *memory);
void hidden_free(struct hidden_values *memory);

#endif
