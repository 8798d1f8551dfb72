/*
 * yamldocs: the YAML documents of a file as JSON lines, as kubectl would read
 * them.
 *
 * kubectl reads YAML 1.1 (sigs.k8s.io/yaml, on go-yaml v2), and yaml.h 1.2:
 * where a plain scalar means different things, a number becomes what it is there
 * (0644 is 420, 1_000 is 1000, see yaml11.h), and a word such as yes or on, which
 * is a boolean there, is refused.
 */
#ifndef YAMLDOCS_H
#define YAMLDOCS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/*
 * Appends a line for each document. Empty lines are between them, so that each
 * has the number of the line where its document begins. Empty documents are
 * left out. -1 with err "NAME:LINE: what".
 */
int yamldocs_lines(
    const char *name, struct span text, struct buf *lines, struct err *err);

#endif
