/*
 * managed: who owns which field: metadata.managedFields, and server-side apply
 * on it. The rules are those of structured-merge-diff and
 * apimachinery/pkg/util/managedfields: see doc/kapi.md.
 *
 * Where it belongs in a write (as in the API server): decode, prune, defaults;
 * THEN managed_update or managed_apply; then builtin_prepare, metadata (uid,
 * generation), validation; then managed_settle decides whether anything is
 * written at all. What is set after managed_update (a uid, a cluster IP) has no
 * owner. After managed_apply the object must be decoded and defaulted again: it
 * holds what the client sent as it is.
 */
#ifndef MANAGED_H
#define MANAGED_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/span.h"
#include "tree/tree.h"
#include "type/problem.h"
#include "type/schema.h"
#include "type/strategy.h"

struct managed_write {
	struct arena *arena;
	const struct schema *schema; /* schema of the whole object */
	/* The parameter fieldManager, or the User-Agent's name (see
	 * managed_agent); none: a write of the server itself, which gets no
	 * entry; "" is "unknown". */
	struct span manager;
	struct span subresource; /* "" on the main path */
	struct span api_version; /* version of the request */
	struct span kind;	 /* kind of the request's resource; none: any */
	struct span now;	 /* RFC 3339, whole seconds, Z */
	bool force;		 /* apply only */
	/* The fields that this kind's paths reset; the main path resets any
	 * only if /status exists. */
	const struct reset *resets;
	bool has_status;
	/* The schema of the object in an entry's apiVersion, which is asked for
	 * where that is not the request's. NULL: there is no such version:
	 * entries of built-in kinds are dropped, of custom resources refused.
	 * No function: all versions are as the request's. */
	const struct schema *(*schema_of)(void *arg, struct span api_version);
	void *schema_arg;
};

/*
 * After POST, PUT and the patches that are not an apply: sets
 * object.metadata.managedFields from what the client sent there (so object
 * must still have it as sent: [] resets), else live's (live NULL: created),
 * and what the write changed. An entry's time moves only if its set did. Where
 * an entry's version cannot hold the objects, all entries are lost.
 */
void managed_update(const struct managed_write *w, const struct node *live,
    struct node *object);

/*
 * Server-side apply: live (NULL: created) merged with what the manager sent,
 * as it was sent (parsed, nothing else). *result is a new tree that shares no
 * node with either, with managedFields. A problem: 409 with
 * FieldManagerConflict causes, 400, or 500 for what does not fit the schema, or
 * that of an entry's version, as the API server answers.
 */
struct problem *managed_apply(const struct managed_write *w,
    const struct node *live, const struct node *applied, struct node **result);
/* The problem of an apply whose result does not fit the built-in type; why is
 * the converter's problem. Source: Apply in structuredmerge.go of
 * apimachinery. */
struct problem *managed_unconverted(
    struct arena *a, const struct node *applied, const struct problem *why);

/*
 * At the end of every update: true if object says what live says, but for
 * times of managedFields and the resourceVersion: nothing is to be written.
 * object then has live's times again.
 */
bool managed_settle(const struct node *live, struct node *object);

/* The manager's name that a User-Agent stands for: what is before the first
 * "/", printable, at most 128 bytes. */
struct span managed_agent(struct arena *a, struct span user_agent);

/*
 * The scale subresource: managedFields of a Scale (an array, or NULL for none)
 * from those of the scaled object, and back after the Scale was written.
 * replicas: dotted path in the parent, "spec.replicas".
 */
struct node *managed_to_scale(
    struct arena *a, const struct node *parent_fields, const char *replicas);
struct node *managed_from_scale(struct arena *a,
    const struct node *parent_fields, const struct node *scale_fields,
    struct span api_version, const char *replicas);

#endif
