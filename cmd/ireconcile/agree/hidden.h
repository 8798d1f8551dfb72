/*
 * hidden: compares observed values that a recording has only as digests.
 *
 * In a recording without secrets an observed value may be a digest
 * (record/redacted.h), while the value that the program desires is a plain
 * text, or made of other digests. So the pairs are learnt: a digest is taken
 * for the desired value that it is first compared with. Later the two must stay
 * the same, or change together: a digest that changes alone is drift, and a
 * desired value that changes alone is a request. Digests of another key are
 * learnt again.
 *
 * A value that differed from the start of the recording is therefore taken as
 * equal. A desired value that is itself a digest of the same key is compared
 * with the observed digest directly.
 */
#ifndef HIDDEN_H
#define HIDDEN_H

#include <jv.h>

struct hidden_values; /* the pairs that were learnt, for one item */

/* observed (consumed) with desired values in place of their digests; owned.
 * *memory is NULL at first. */
jv hidden_lift(jv observed, jv desired_peek, struct hidden_values **memory);
/* The number of digests that were taken for the desired value when they were
 * compared first. */
size_t hidden_taken(const struct hidden_values *memory);
void hidden_free(struct hidden_values *memory);

#endif
