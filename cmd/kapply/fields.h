/*
 * fields: metadata.managedFields as text: who owns a field, and how what one
 * manager owned becomes another one's. The format is FieldsV1 of
 * sigs.k8s.io/structured-merge-diff (fieldpath/serialize.go): members f:NAME,
 * k:{keys of an element}, v:VALUE, i:INDEX, and "." for the place itself.
 *
 * A text of stringData of a Secret is looked for in data, too, where the server
 * keeps it.
 */
#ifndef FIELDS_H
#define FIELDS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

enum fields_found {
	FIELDS_OWNED,
	FIELDS_SHARED,	/* several own it, or `ours` has it, too, or it is a map
			 * or a list whose parts have owners of their own */
	FIELDS_UNOWNED, /* the field exists, and no other manager owns it */
	FIELDS_ABSENT	/* no such field */
};

/*
 * The manager but `ours` that set a leaf, a field that is not as we want it:
 * before our apply takes it back. By this rule the log, results, Events and loops
 * name a manager: the only owner (FIELDS_OWNED: its name is appended). The path
 * is spelled as ireconcile does: .spec.containers[name=main].args[0].
 */
enum fields_found fields_setter(
    struct buf *name, struct span object, struct span path, struct span ours);

/* The object has the field, with the text of wish. */
bool fields_are_right(struct span wish, struct span object, struct span path);

/* The union of two sets of fields, appended. */
void fields_union(struct buf *b, struct span one, struct span other);

#endif
