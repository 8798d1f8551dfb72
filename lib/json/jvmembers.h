/*
 * jvmembers: the members of an object of libjq, for code that writes it.
 *
 *	struct jvmembers m;
 *	jvmembers_init(&m, object, JVMEMBERS_SORTED);
 *	for (size_t i = 0; i < m.count; i++)
 *		... m.items[i].key, m.items[i].value
 *	jvmembers_release(&m);
 */
#ifndef JVMEMBERS_H
#define JVMEMBERS_H

#include <stddef.h>
#include <jv.h>

#include "base/span.h"

enum { JVMEMBERS_FEW = 16 };

struct jvmember {
	struct span key; /* text of name */
	jv name, value;
};

struct jvmembers {
	struct jvmember *items; /* few, or allocated */
	size_t count;
	struct jvmember few[JVMEMBERS_FEW];
};

enum jvmembers_order { JVMEMBERS_KEPT, JVMEMBERS_SORTED /* in byte order */ };

void jvmembers_init(
    struct jvmembers *m, jv object_peek, enum jvmembers_order order);
void jvmembers_release(struct jvmembers *m);

#endif
