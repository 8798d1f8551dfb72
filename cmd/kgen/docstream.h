/*
 * docstream: a file of YAML documents (crd.yaml), each a tree whose lines are
 * those of the file. Documents that are empty are left out.
 */
#ifndef DOCSTREAM_H
#define DOCSTREAM_H

#include <stddef.h>
#include <jv.h>

#include "base/err.h"
#include "conf/yaml.h"

enum { DOCSTREAM_FILE_MAX_MIB = 8 };

struct docstream {
	struct yaml **items; /* owned */
	size_t count;
};

/* -1 with err "FILE:LINE: what"; then d is empty. */
int docstream_load(struct docstream *d, const char *path, struct err *err);
/* A tree, or all documents in a list, as libjq has them; owned. Invalid with
 * err. */
jv docstream_value(const struct yaml *y, struct err *err);
jv docstream_values(const struct docstream *d, struct err *err);
/* docstream_values of a file. */
jv docstream_read(const char *path, struct err *err);
void docstream_release(struct docstream *d);

#endif
