/*
 * fields: metadata.managedFields as text: who owns a field, and how what one
 * manager owned becomes another one's. The format is FieldsV1 of
 * sigs.k8s.io/structured-merge-diff (fieldpath/serialize.go): members f:NAME,
 * k:{keys of an element}, v:VALUE, i:INDEX, and "." for the place itself.
 */
#ifndef FIELDS_H
#define FIELDS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

enum fields_found { FIELDS_OWNED, FIELDS_UNOWNED, FIELDS_ABSENT };

/*
 * Appends the managers but `ours` that own the field of object, by commas. The
 * path is spelled as ireconcile does: .spec.containers[name=main].args[0].
 * FIELDS_UNOWNED: the field exists and no other manager owns it; FIELDS_ABSENT:
 * it does not exist.
 */
enum fields_found fields_owners(
    struct buf *names, struct span object, struct span path, struct span ours);

/* The same of the one that set a leaf: FIELDS_UNOWNED as well if `ours` has it,
 * too, or if it is a map or a list whose parts have owners of their own. */
enum fields_found fields_setter(
    struct buf *names, struct span object, struct span path, struct span ours);

/* The field is in both objects, with the same text. */
bool fields_same(struct span one, struct span other, struct span path);
/* The text of one is, as base64, that of other. */
bool fields_same_text(struct span one, struct span path, struct span other,
    struct span base64_path);

/* The union of two sets of fields, appended. */
void fields_union(struct buf *b, struct span one, struct span other);

#endif
