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

#endif
