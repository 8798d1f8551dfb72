/*
 * fieldpath: a dotted path to fields of an object: "[]" behind a name means
 * each element of an array, and ["a.b/c"] a key with dots:
 * spec.containers[].image, metadata.annotations["example.com/x"].
 */
#ifndef FIELDPATH_H
#define FIELDPATH_H

#include <stdbool.h>

#include "base/err.h"
#include "base/span.h"

enum fieldpath_step { FIELDPATH_BAD, FIELDPATH_KEY, FIELDPATH_ELEMENTS };

/* The step at *path, which moves behind it; key is of FIELDPATH_KEY, borrowed.
 * first: nothing comes before it. */
enum fieldpath_step fieldpath_step(
    const char **path, bool first, struct span *key);

/* -1 if the path is malformed or empty: err names it. */
int fieldpath_check(const char *path, struct err *err);

/* Calls fn with each value that a good path leads to, raw. What an object does
 * not have is left out. */
typedef void fieldpath_fn(void *arg, struct span value);
void fieldpath_each(
    const char *path, struct span object, fieldpath_fn *fn, void *arg);

/*
 * Two paths that lead to parts of one thing, such as refs[].name and
 * refs[].namespace. Beside each value of path is that of other in the same
 * elements of the lists that both go through.
 */

/* -1 if other goes through a list that path does not go through: its value
 * beside one of path would not be clear. Both are good paths. */
int fieldpath_check_beside(
    const char *path, const char *other, struct err *err);
/* beside: SPAN_NONE, or null, if the object has none there. */
typedef void fieldpath_beside_fn(
    void *arg, struct span value, struct span beside);
void fieldpath_each_beside(const char *path, const char *other,
    struct span object, fieldpath_beside_fn *fn, void *arg);

#endif
