/*
 * actor: objects of the played cluster, and steps for them. For cluster.c and
 * workload.c alone.
 */
#ifndef ACTOR_H
#define ACTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <jv.h>

#include "base/span.h"

enum { ACTOR_SOON_MS = 1000 }; /* until what begins has begun */

/* An object as it was last seen. */
struct actor {
	jv object;
	jv sent;    /* the status that was asked for last; invalid: none */
	jv asked;   /* {NAME: true}: Pods that are to be made, not yet seen */
	jv ended;   /* a Job: {UID: whether it succeeded}, of Pods */
	bool begun; /* what is done once for it has been done */
	bool killed;
};

struct backdrop {
	struct actor **items; /* owned, in the order of their first change */
	size_t count;
	int64_t now_us;
	jv steps; /* those of the present change */
};

/* Members of an object, borrowed; SPAN_NONE if it is not a text. */
struct span actor_text(jv object_peek, const char *key);
struct span actor_meta(jv object_peek, const char *key);
bool actor_is_kind(jv object_peek, const char *kind);
/* A number of the object, or what it is without one. */
int actor_number(jv object_peek, const char *key, int otherwise);
bool actor_is_going(jv object_peek);
/* Whether the condition of that type is True. */
bool actor_is(jv object_peek, const char *type);
struct span actor_phase(jv pod_peek);
/* The uid of its controller; SPAN_NONE. */
struct span actor_controller(jv object_peek);

/* now + ms as RFC 3339, in whole seconds; owned. */
jv actor_time(const struct backdrop *c, int64_t ms);

/* Appends a step. Takes patch, object. */
void actor_create(struct backdrop *c, jv object);
void actor_delete(struct backdrop *c, jv object_peek);
/* Without a grace period. */
void actor_delete_now(struct backdrop *c, jv object_peek, int64_t after_ms);
void actor_patch_status(
    struct backdrop *c, jv object_peek, jv status, int64_t after_ms);
void actor_patch(
    struct backdrop *c, jv object_peek, jv patch, int64_t after_ms);

/* The item of an object, or NULL. */
struct actor *actor_find(
    struct backdrop *c, const char *kind, struct span ns, struct span name);

#endif
