/*
 * nearest: the name that was perhaps meant.
 */
#ifndef NEAREST_H
#define NEAREST_H

#include "base/span.h"

struct nearest {
	struct span wanted;
	struct span name; /* the nearest so far, borrowed; empty: none */
	int arity;
	int distance;
};

void nearest_init(struct nearest *n, struct span wanted);
/* Another candidate; of two that are equally near, the first counts. */
void nearest_offer(struct nearest *n, struct span name, int arity);
/* Each of names, which ends in NULL. */
void nearest_offer_all(struct nearest *n, const char *const *names);

#endif
