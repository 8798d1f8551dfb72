/*
 * quantity: Kubernetes' amounts ("500m", "0.5", "2Gi", "1e3"), compared
 * exactly and without rounding.
 *
 * Grammar: k8s.io/apimachinery/pkg/api/resource, type Quantity:
 *	sign? digits with an optional point, then one of
 *	n u m "" k M G T P E | Ki Mi Gi Ti Pi Ei | (e|E) sign? digits
 */
#ifndef QUANTITY_H
#define QUANTITY_H

#include <stdbool.h>

#include "base/span.h"

/* mantissa * 2^twos * 5^fives, the mantissa divisible by neither; 0 is
 * 0 * 2^0 * 5^0. Equal amounts have equal members. */
struct quantity {
	bool negative;
	unsigned __int128 mantissa;
	int twos, fives;
};

/* -1 if text is not a quantity, or has more digits than fit (38). */
int quantity_parse(struct span text, struct quantity *q);
bool quantity_eq(const struct quantity *a, const struct quantity *b);

#endif
