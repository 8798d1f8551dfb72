/*
 * apischema: the parts of the built-in API that agreement needs: which lists
 * have keys, which maps may hold more, which fields are quantities.
 *
 * Source: x-kubernetes-list-type, x-kubernetes-list-map-keys and the fields
 * of type Quantity in the OpenAPI of Kubernetes 1.36; the table is shown in
 * doc/agreement.md.
 */
#ifndef APISCHEMA_H
#define APISCHEMA_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

/* A step of the way from the object down to a value. */
struct apischema_place {
	const struct apischema_place
	    *up;	   /* NULL: this is the object (or a status) */
	struct span key;   /* key.p NULL: an element of a list */
	struct span label; /* the key of an element of a keyed list */
	int index;	   /* the index of an element without a key */
};

/* Appends like ".spec.containers[name=main].args[0]". */
void apischema_add_place(struct buf *b, const struct apischema_place *p);
/* The last step alone; nothing for the object itself. */
void apischema_add_step(struct buf *b, const struct apischema_place *p);

/* The object whose fields are compared. */
struct apischema {
	struct span kind;
	bool builtin; /* the group is one of Kubernetes' own */
};

struct apischema apischema_of(struct span api_version, struct span kind);

enum { APISCHEMA_KEYS_MAX = 2 };

/* The keys of a list's elements. */
struct apischema_list {
	enum { LIST_PLAIN, LIST_SET, LIST_KEYED } type;
	const char *keys[APISCHEMA_KEYS_MAX]; /* NULL: fewer */
};

struct apischema_list apischema_list(
    const struct apischema *s, const struct apischema_place *list);

/* Value of an absent key member, NULL: none. (protocol: TCP) */
const char *apischema_key_default(const char *key);

/* Labels, annotations, data: an empty one equals an absent one. */
bool apischema_is_map(
    const struct apischema *s, const struct apischema_place *place);

/* Other maps that the server drops if they are empty: they equal absent ones,
 * too, but have a path of their own (agree_path_digest). */
bool apischema_is_dropped(
    const struct apischema *s, const struct apischema_place *place);

bool apischema_is_quantity(
    const struct apischema *s, const struct apischema_place *p);

#endif
