/*
 * quantity: Kubernetes' amounts of resources ("500m", "0.5", "2Gi", "1e3"),
 * read, compared and written as the API server does it.
 * Source: apimachinery/pkg/api/resource/{quantity,amount,suffix}.go, and
 * t/unit/lib/quantities.jsonl, which is what a server answered.
 *
 * As there, amounts are rounded up to a billionth (n), and an amount with a
 * binary suffix is at most 2^63 - 1.
 */
#ifndef QUANTITY_H
#define QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"

__extension__ typedef unsigned __int128 quantity_digits;

/* value * 10^scale; the value does not end in a zero, but for 0 * 10^0. */
struct quantity {
	quantity_digits value;
	int64_t scale;
	bool negative; /* never of 0 */
	bool rounded;  /* up: there were more digits than fit, at least 19 */
};

/* NULL, or the error in text, in the server's words. */
const char *quantity_parse(struct span text, struct quantity *q);

/* Like strcmp: less than, equal to or greater than 0. */
int quantity_cmp(const struct quantity *a, const struct quantity *b);
static inline int
quantity_sign(const struct quantity *q)
{
	return q->value == 0 ? 0 : q->negative ? -1 : 1;
}

/* Rounded away from 0; a value that does not fit becomes the largest one. */
int64_t quantity_integer(const struct quantity *q);

/*
 * text canonical: "1000m" is "1", "0.5" is "500m", "1024Mi" is "1Gi". Some
 * texts are kept although they are not ("1.500"), as the server keeps them,
 * and those that are rounded. The result is text itself, or in the
 * arena. NULL, or the error, in the server's words.
 */
const char *quantity_canonical(
    struct arena *a, struct span text, struct span *result);

/* quantity_canonical, rounded up to thousandths like the quantities in a
 * ResourceList. */
const char *quantity_round(
    struct arena *a, struct span text, struct span *result);

#endif
