/*
 * newkind: a kind that the command line describes (for `kgen new`, `kgen add`,
 * and for `kgen crd` its fields); the folder of a new operator, and one more kind
 * in a folder.
 */
#ifndef NEWKIND_H
#define NEWKIND_H

#include <stdbool.h>
#include <jv.h>

#include "base/err.h"

/* All borrowed; NULL: not given. */
struct newkind {
	const char *group, *version, *kind;
	bool cluster_scoped, own;
	const char *from; /* a file of objects: an example, or definitions */
	const char *from_cluster; /* KIND.GROUP */
	const char *script;	  /* gen/cluster.sh, which reads that */
	char *const *fields;	  /* NAME:TYPE | MARKER=VALUE */
	int field_count;
};

/*
 * Sets what is given in the object into: group, version, kind, scope, is_own,
 * fields (texts), from (the objects of the file or of the cluster), source (its
 * name). Takes into; owned. Invalid with err.
 */
jv newkind_describe(const struct newkind *k, jv into, struct err *err);

/* Makes the folder with these files; one that is there is an error. After an
 * error there is nothing. */
int newkind_create(jv files_peek, const char *path, struct err *err);

/*
 * Adds files to the folder. A file with `append` keeps what it has, and gets
 * the text at its end: documents of a stream, entries of watches.yaml; any
 * other must not be there. All or none. 1: watches.yaml is not written so that
 * something can be added at its end, which is logged; then standard output has
 * everything that would have been added.
 */
int newkind_add(jv files_peek, const char *path, struct err *err);

#endif
