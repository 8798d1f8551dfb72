/*
 * played: objects of the played cluster, and steps for them. For cluster.c and
 * workload.c alone.
 */
#ifndef ACTING_H
#define ACTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <jv.h>

#include "base/span.h"

enum { ACTING_SOON_MS = 1000 }; /* until what begins has begun */

/* An object as it was last seen. */
struct acting {
	jv object;
	jv sent;    /* the status that was asked for last; invalid: none */
	jv asked;   /* {NAME: true}: Pods that are to be made, not yet seen */
	jv ended;   /* a Job: {UID: whether it succeeded}, of Pods */
	bool begun; /* what is done once for it has been done */
	bool killed;
};

struct actors {
	struct acting **items; /* owned, in the order of their first change */
	size_t count;
	int64_t now_us;
	jv steps; /* those of the present change */
};

/* Members of an object, borrowed; SPAN_NONE if it is not a text. */
struct span acting_text(jv object_peek, const char *key);
struct span acting_meta(jv object_peek, const char *key);
bool acting_is_kind(jv object_peek, const char *kind);
/* A number of the object, or what it is without one. */
int acting_number(jv object_peek, const char *key, int otherwise);
bool acting_is_going(jv object_peek);
/* Whether the condition of that type is True. */
bool acting_is(jv object_peek, const char *type);
struct span acting_phase(jv pod_peek);
/* The uid of its controller; SPAN_NONE. */
struct span acting_controller(jv object_peek);

/* now + ms as RFC 3339, in whole seconds; owned. */
jv acting_time(const struct actors *c, int64_t ms);

/* Appends a step. Takes patch, object. */
void acting_create(struct actors *c, jv object);
void acting_delete(struct actors *c, jv object_peek);
/* Without a grace period. */
void acting_delete_now(struct actors *c, jv object_peek, int64_t after_ms);
void acting_patch_status(
    struct actors *c, jv object_peek, jv status, int64_t after_ms);
void acting_patch(struct actors *c, jv object_peek, jv patch, int64_t after_ms);

/* The item of an object, or NULL. */
struct acting *acting_find(
    struct actors *c, const char *kind, struct span ns, struct span name);

#endif
