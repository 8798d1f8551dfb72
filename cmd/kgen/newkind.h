/*
 * newkind: a kind that the command line describes: of `kgen new` and `kgen
 * add`, and for `kgen crd` its fields.
 */
#ifndef NEWKIND_H
#define NEWKIND_H

#include <stdbool.h>
#include <jv.h>

#include "base/err.h"

/* All borrowed; NULL: not given. */
struct newkind {
	const char *group, *version, *kind;
	bool cluster_scoped;
	const char *from;    /* a file with example objects */
	char *const *fields; /* NAME:TYPE | MARKER=VALUE */
	int field_count;
};

/*
 * Sets what is given in the object into: group, version, kind, scope, fields
 * (texts), from (the objects of the file). Takes into; owned. Invalid with err.
 */
jv newkind_describe(const struct newkind *k, jv into, struct err *err);

#endif
