/*
 * listkeys: the keys of a list's elements, as text: "name=main",
 * "containerPort=80,protocol=TCP"; of a set the element itself.
 */
#ifndef LISTKEYS_H
#define LISTKEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <jv.h>

#include "agree/apischema.h"
#include "agree/flat.h"
#include "base/buf.h"
#include "base/span.h"

struct listkeys {
	struct buf text; /* owned: all keys, one behind the other */
	size_t *ends;	 /* owned */
	int count;
	bool complete; /* every element has a key */
};

void listkeys_init(
    struct listkeys *k, const struct apischema_list *how, jv array_peek);
/* listkeys_init for value i, an array. -1, and nothing to release, if the text
 * of a key is not certainly its value. */
int listkeys_read(struct listkeys *k, const struct apischema_list *how,
    const struct flat *f, uint32_t i);
void listkeys_release(struct listkeys *k);
/* Empty for an element that lacks its key. */
struct span listkeys_get(const struct listkeys *k, int i);
/* The index in b of the element to compare with the i-th of a; -1: none. If
 * several elements have the same key, the first ones are compared. */
int listkeys_find(const struct listkeys *a, int i, const struct listkeys *b);

#endif
