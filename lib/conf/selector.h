/*
 * selector: a label selector of a manifest, as the text that the API takes in
 * labelSelector=.
 */
#ifndef SELECTOR_H
#define SELECTOR_H

#include <stdbool.h>

#include "base/err.h"
#include "base/span.h"
#include "conf/yaml.h"

/*
 * {matchLabels: {...}, matchExpressions: [{key, operator, values}]}, or the
 * text itself ("a=b,c in (d,e)"). Owned; "" selects everything. NULL with err
 * "PATH:LINE: ...".
 */
char *selector_text(const struct yaml *y, const char *path, struct err *err);

/*
 * Do these labels (a JSON object, or SPAN_NONE) match? The rules are those of
 * the API server. A requirement that cannot be read matches: the server judges
 * it.
 */
bool selector_matches(const char *selector, struct span labels);

/* Whether selector_matches can read every requirement, which is not empty: where
 * no server judges it. */
bool selector_is_clear(const char *selector);

/* The operators of requirements. Source: apimachinery's
 * pkg/labels/selector.go, Requirement.Matches. */
enum selector_op {
	LABEL_IN, /* = and == too */
	LABEL_NOT_IN,
	LABEL_EXISTS,
	LABEL_ABSENT,
	LABEL_ABOVE,
	LABEL_BELOW
};

/* The value of a label in a JSON object (or SPAN_NONE); absent: there is no
 * such label. Keys and values of labels have no escapes. */
struct span selector_label(struct span labels, struct span key);

/* Whether the requirement is met. is_there: the label exists; is_among: its
 * value is in the list (ABOVE, BELOW: above, below). */
bool selector_meets(enum selector_op op, bool is_there, bool is_among);

#endif
