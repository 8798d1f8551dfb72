/*
 * pretty: JSON in other forms: indented for people, as Go's MarshalIndent does
 * with two blanks; as YAML, for clients that accept nothing else.
 */
#ifndef PRETTY_H
#define PRETTY_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"
#include "request/request.h"

/* Appends to b; json is compact or not, and valid. There is no line end behind
 * the last line. */
void pretty_json(struct buf *b, struct span json);
/* Appends YAML to b: block style, members in their order, strings quoted where
 * they could be read as anything else. json is valid. */
void pretty_yaml(struct buf *b, struct span json);
/* ?pretty=, else whether the User-Agent is curl, Wget or a browser. */
bool pretty_is_wanted(const struct request *r);

#endif
