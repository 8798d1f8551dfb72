/*
 * setparent: what the parent of an apply set remembers in its annotations: the
 * kinds of its members, and their namespaces (keps.k8s.io/3659).
 */
#ifndef SETPARENT_H
#define SETPARENT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"
#include "plain/textset.h"

#define SETPARENT_PREFIX "applyset.kubernetes.io/"
#define SETPARENT_KINDS SETPARENT_PREFIX "contains-group-kinds"
#define SETPARENT_NAMESPACES SETPARENT_PREFIX "additional-namespaces"

/* The text of an annotation of the object. */
struct span setparent_note(struct span object, const char *key);
/* Whether the object is the parent of a set. */
bool setparent_is(struct span object);
/*
 * Whether the object cannot be the parent of the set with this id: it is that of
 * another one, or of other tooling, or lacks an annotation, so that nobody knows
 * where members are. Appends why, as the end of "apply set NAME".
 */
bool setparent_refuse(struct buf *why, struct span object, const char *id);
/* Appends one as a member: all of the list but one. */
void setparent_add(struct buf *b, const char *key, const struct textset *list,
    struct span except);
/* Adds what it remembers. */
void setparent_read(
    struct span object, struct textset *kinds, struct textset *namespaces);
/* Whether both objects remember the same. */
bool setparent_same(struct span one, struct span other);

#endif
