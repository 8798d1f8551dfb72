/*
 * label: the labels of an object, and what a requirement of a selector says
 * of one. Source: apimachinery/pkg/labels/selector.go, Requirement.Matches.
 */
#ifndef LABEL_H
#define LABEL_H

#include <stdbool.h>

#include "base/span.h"

enum label_op {
	LABEL_IN, /* = and == too */
	LABEL_NOT_IN,
	LABEL_EXISTS,
	LABEL_ABSENT,
	LABEL_ABOVE,
	LABEL_BELOW
};

/* The value of a label in a JSON object (or SPAN_NONE); absent: there is no
 * such label. Keys and values of labels have no escapes. */
struct span label_get(struct span labels, struct span key);

/* Whether the requirement is met. is_there: the label exists; is_among: its
 * value is in the list (ABOVE, BELOW: above, below). */
bool label_meets(enum label_op op, bool is_there, bool is_among);

#endif
