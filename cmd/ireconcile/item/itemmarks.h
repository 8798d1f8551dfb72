/*
 * itemmarks: what functions of the library say about an item, by an object
 * around it: once(OBJECT) is {"kpipe.dev/once": OBJECT}. doc/program.md,
 * "Items", has what each means.
 */
#ifndef ITEMMARKS_H
#define ITEMMARKS_H

#include <stdbool.h>
#include <jv.h>

#include "base/err.h"

enum item_mark {
	ITEM_ONCE = 1 << 0,	 /* once: created at most once */
	ITEM_IF_EXISTS = 1 << 1, /* if_exists: never created */
	ITEM_KEEP = 1 << 2,	 /* keep: neither created nor changed */
	ITEM_EXACTLY = 1 << 3,	 /* exactly: no other keys in data */
	ITEM_RETAIN = 1 << 4,	 /* retain: stays when the primary goes */
	ITEM_FOREIGN = 1 << 5,	 /* delete_foreign: deleted, not a member */
	ITEM_PATCH = 1 << 6,	 /* patch_only: fields of another object */
	ITEM_AS_SEEN = 1 << 7,	 /* as_seen: only this version of the object */
	ITEM_INDEPENDENT = 1 << 8, /* independent: of items that fail */
	ITEM_AFTER = 1 << 9,	   /* after: not before other items */
};
enum {
	/* Marks of items that are never created. */
	ITEM_EXISTING = ITEM_IF_EXISTS | ITEM_AS_SEEN,
	/* Marks of items that are not members; only `desired` returns them. */
	ITEM_OTHERS = ITEM_FOREIGN | ITEM_PATCH,
	/* Marks beside which no other mark is allowed. */
	ITEM_ALONE = ITEM_KEEP | ITEM_OTHERS,
	/* Marks that say something about the order alone. */
	ITEM_ORDER = ITEM_INDEPENDENT | ITEM_AFTER,
	/* Marks of items of which only the identity counts. */
	ITEM_NAMED = ITEM_KEEP | ITEM_FOREIGN,
};

/*
 * Takes the object out of all marks around it: *object is replaced by the
 * inner one; *immutable and *after, which are invalid before, get the paths of
 * immutable() and the others of after(). Returns ITEM_... .
 */
unsigned itemmarks_take(jv *object, jv *immutable, jv *after);

/*
 * Checks the marks of an object: whether they may stand together, and none is
 * in `refused`. n is the place of the object in the array that `what`
 * ("reconcile.jq:3: desired") returned. 0, or -1 with err.
 */
int itemmarks_check(const char *what, int n, unsigned marks, unsigned refused,
    jv object_peek, jv immutable_peek, struct err *err);

#endif
