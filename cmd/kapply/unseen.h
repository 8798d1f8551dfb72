/*
 * unseen: objects that were created for a primary and may not be observed yet
 * by ireconcile, which decides what is cleaned up before the finalizer is
 * removed.
 *
 * Only objects without a controller reference to the primary: the garbage
 * collector deletes the others. Fields that were patched, as well: until their
 * mark is observed, nothing gives them back. An entry ends when a line says that the object
 * was seen, or after UNSEEN_MS.
 */
#ifndef UNSEEN_H
#define UNSEEN_H

#include <stdint.h>

#include "process/loop.h"
#include "set/set.h"

enum { UNSEEN_MS = 10000 }; /* ireconcile's first deadline */

struct unseen;

struct unseen *unseen_new(struct loop *l);
void unseen_free(struct unseen *u);

/* The item exists, or may exist, although its line knew of none. */
void unseen_add(
    struct unseen *u, const struct set *s, const struct item *i, uint64_t now);
/* Takes a line of the primary: forgets objects that the line deletes or has the
 * uid of. */
void unseen_line(struct unseen *u, const struct set *s);
/* How long the primary's finalizers have to stay; 0: not at all. */
uint64_t unseen_wait(const struct unseen *u, const struct set *s, uint64_t now);

#endif
