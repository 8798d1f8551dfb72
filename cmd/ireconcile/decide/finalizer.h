/*
 * finalizer: whether a primary has anything to clean up when it is deleted, and
 * the points that add and remove finalizers.
 *
 * Its finalizer is set with the first item, not before: a primary for which
 * nothing is desired can be deleted without us. What needs cleaning up is any
 * item or member, if the program defines `finalize`; otherwise those that no
 * garbage collector deletes: without a controller reference, or with finalizers
 * of their own; and fields that are held (patches.h).
 */
#ifndef FINALIZER_H
#define FINALIZER_H

#include <stdbool.h>

#include "decide/decide.h"
#include "state/primary.h"

/* set: what is desired. */
bool finalizer_is_needed(const struct primary *p, const struct desired *set);

/* Points that remove retired ones: from every primary, and from one that is
 * being deleted when that is done. */
void finalizer_retire(struct decision *d);

/* Whether it goes because all is cleaned up: nothing is done for the primary any
 * more. When all points are known. */
bool finalizer_leaves(const struct decision *d);
/* If it does, and -n leaves out namespaces of watches.yaml where members may be:
 * a complaint that names them. After the program's Events. */
void finalizer_tell_unseen(struct decision *d);

#endif
