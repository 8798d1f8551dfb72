/*
 * yaml_write: writes JSON as YAML, for clients that accept only YAML.
 */
#ifndef YAML_WRITE_H
#define YAML_WRITE_H

#include "base/buf.h"
#include "base/span.h"

/* json is valid. Block style, members in their order, strings quoted where
 * they could be read as anything else. Appends to b. */
void yaml_write(struct buf *b, struct span json);

#endif
