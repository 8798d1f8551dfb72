/*
 * unseen: objects that were created for a primary and may not be observed yet
 * by ireconcile, which decides what is cleaned up before the finalizer is
 * removed.
 *
 * Only objects without a controller reference to the primary, or with finalizers
 * of their own: the garbage collector deletes the others. Fields that were
 * patched, as well: until their mark is observed, nothing gives them back.
 *
 * An entry ends when a line says that the object was seen. After UNSEEN_MS it is
 * not waited for any more, but looked at: a watch may be later than that. It is
 * forgotten after UNSEEN_KEPT_MS (up to twice that), in which a watch that hangs
 * has ended and begun again.
 */
#ifndef UNSEEN_H
#define UNSEEN_H

#include <stdint.h>

#include "process/loop.h"
#include "set/set.h"

enum {
	UNSEEN_MS = 10000, /* ireconcile's first deadline */
	UNSEEN_KEPT_MS = 600000,
	UNSEEN_MAX = 32768 /* entries; of more, those of UNSEEN_MS are kept */
};

struct unseen;

struct unseen *unseen_new(struct loop *l);
void unseen_free(struct unseen *u);

/* The item exists, or may exist, although its line knew of none. */
void unseen_add(
    struct unseen *u, const struct set *s, const struct item *i, uint64_t now);
/* Takes a line of the primary: forgets objects that the line deletes or has the
 * uid of. */
void unseen_line(struct unseen *u, const struct set *s);
/* How long the primary's finalizers have to stay; 0: not at all, once what is
 * left was looked at. */
uint64_t unseen_wait(const struct unseen *u, const struct set *s, uint64_t now);

/* The key of an object to be looked at, borrowed; NULL: there is none. */
const char *unseen_next(const struct unseen *u, const struct set *s);
/* The object is not there, or nothing is left to do for it. */
void unseen_forget(struct unseen *u, const struct set *s, const char *key);
/* It is there, and still has to be observed. */
void unseen_keep(
    struct unseen *u, const struct set *s, const char *key, uint64_t now);

#endif
