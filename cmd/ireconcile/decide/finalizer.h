/*
 * finalizer: whether a primary has anything to clean up when it is deleted, and
 * the points that add and remove finalizers.
 *
 * The finalizer is set with the first item, not before: a primary for which
 * nothing is desired can be deleted without us. If the program defines
 * `finalize`, every item and member needs cleaning up; otherwise only those
 * that the garbage collector does not delete (without a controller reference,
 * or with finalizers of their own), and fields that are held (patches.h).
 */
#ifndef FINALIZER_H
#define FINALIZER_H

#include <stdbool.h>

#include "decide/decide.h"
#include "state/primary.h"

/* set: what is desired. */
bool finalizer_is_needed(const struct primary *p, const struct desired *set);

/* Adds points that remove retired finalizers: from every primary, and from one
 * that is being deleted when the deletion is done. */
void finalizer_retire(struct decision *d);

/* Whether the finalizer is removed because all is cleaned up: nothing is done
 * for the primary any more. Call it when all points are known. */
bool finalizer_leaves(const struct decision *d);
/* The finalizer is removed: if -n leaves out namespaces of watches.yaml where
 * members may be, a notice names them. */
void finalizer_tell_unseen(struct decision *d);

#endif
