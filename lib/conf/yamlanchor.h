/*
 * yamlanchor: the anchors of a YAML document, and what their aliases repeat.
 *
 * A few lines of aliases can stand for more than any memory: what they repeat
 * has a limit (YAMLANCHOR_MAX).
 */
#ifndef YAMLANCHOR_H
#define YAMLANCHOR_H

#include <stddef.h>

#include "conf/yaml.h"

/* Bytes of nodes and texts that anchors and aliases of a document copy. */
enum { YAMLANCHOR_MAX = 64 * 1024 * 1024 };

/* Zeroed memory is an empty one. */
struct yamlanchors {
	struct yamlanchor *items; /* owned */
	size_t count;
	size_t copied; /* bytes */
};

void yamlanchors_release(struct yamlanchors *a);
/* Keeps a copy of node under that name, from now on. */
void yamlanchors_set(
    struct yamlanchors *a, const char *name, const struct yaml *node);
/* The node of that name, borrowed; NULL: none. */
const struct yaml *yamlanchors_get(
    const struct yamlanchors *a, const char *name);
/* A copy, owned; NULL: that would be more than the limit. */
struct yaml *yamlanchors_copy(struct yamlanchors *a, const struct yaml *node);

#endif
