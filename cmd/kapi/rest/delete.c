/*
 * Part of rest/internal.h. DELETE of an object: the period of grace,
 * finalizers, the answer. Source: registry/rest/delete.go and Delete of
 * registry/generic/registry/store.go.
 */
#include "rest/internal.h"

#include <inttypes.h>
#include <string.h>

#include "crd/crd.h"
#include "process/clock.h"
#include "type/objectmeta.h"
#include "type/strategy.h"
#include "write/convert.h"

static bool
is_namespace(const struct write *w)
{
	return w->resource->strategy->deletion == DELETION_NAMESPACE;
}

/* Names the kind where other answers have the plural, as the real server
 * does. */
static struct problem *
precondition(struct write *w, const char *detail)
{
	const struct resource *s = w->resource;
	struct resource as_kind = *s;

	as_kind.plural = s->kind;
	if (is_namespace(w))
		return problem_conflict(w->arena, s, w->name, detail);
	return problem_conflict(w->arena, &as_kind, w->name, detail);
}

struct problem *
delete_preconditions(
    struct write *w, const struct node *live, const struct delete_options *o)
{
	struct span uid = tree_path_text(live, "metadata.uid");
	struct span version = tree_path_text(live, "metadata.resourceVersion");
	bool namespace_ = is_namespace(w);
	const char *format;

	if (o->uid.n > 0 && !span_eq(o->uid, uid)) {
		format = namespace_
		    ? "Precondition failed: UID in precondition: %.*s, UID in "
		      "object meta: %.*s"
		    : "the UID in the precondition (%.*s) does not match the "
		      "UID in record (%.*s). The object might have been "
		      "deleted and then recreated";
		return precondition(w,
		    arena_printf(
			w->arena, format, SPAN_ARG(o->uid), SPAN_ARG(uid))
			.p);
	}
	if (o->version.n > 0 && !span_eq(o->version, version)) {
		format = namespace_
		    ? "Precondition failed: ResourceVersion in precondition: "
		      "%.*s, ResourceVersion in object meta: %.*s"
		    : "the ResourceVersion in the precondition (%.*s) does not "
		      "match the ResourceVersion in record (%.*s). The object "
		      "might have been modified";
		return precondition(w,
		    arena_printf(w->arena, format, SPAN_ARG(o->version),
			SPAN_ARG(version))
			.p);
	}
	return NULL;
}

/* The collector's finalizers the deletion is to have. Source:
 * shouldOrphanDependents and shouldDeleteDependents of registry/store.go. */
static void
policy(const struct resource *r, const struct delete_options *o,
    const struct node *finalizers, bool *orphan, bool *foreground)
{
	*orphan = *foreground = false;
	if (r->strategy->traits & TRAIT_NO_COLLECTION)
		return;
	if (o->has_orphan) {
		*orphan = o->orphan;
	} else if (o->policy.n > 0) {
		*orphan = span_is(o->policy, "Orphan");
		*foreground = span_is(o->policy, "Foreground");
	} else if (tree_has_text(finalizers, span_str("orphan"))) {
		*orphan = true;
	} else if (tree_has_text(finalizers, span_str("foregroundDeletion"))) {
		*foreground = true;
	} else {
		*orphan = (r->strategy->traits & TRAIT_ORPHANS) != 0;
	}
}

/* True if the finalizers changed. */
static bool
set_finalizers(
    struct write *w, struct node *object, const struct delete_options *o)
{
	struct node *m = tree_get(object, "metadata"),
		    *now = tree_array(w->arena);
	const struct node *before = tree_get(m, "finalizers");
	bool orphan, foreground, same;

	policy(w->resource, o, before, &orphan, &foreground);
	same = orphan == tree_has_text(before, span_str("orphan")) &&
	    foreground == tree_has_text(before, span_str("foregroundDeletion"));
	if (same)
		return false;
	for (size_t i = 0; i < tree_count(before); i++)
		if (!tree_text_is(before->items[i], "orphan") &&
		    !tree_text_is(before->items[i], "foregroundDeletion"))
			tree_append(w->arena, now, before->items[i]);
	if (orphan)
		tree_append(w->arena, now, tree_str(w->arena, "orphan"));
	if (foreground)
		tree_append(
		    w->arena, now, tree_str(w->arena, "foregroundDeletion"));
	if (now->n > 0)
		tree_put(w->arena, m, "finalizers", now);
	else
		tree_remove(m, "finalizers");
	return true;
}

static void
bump_generation(struct arena *a, struct node *m)
{
	int64_t g = 0;

	if (tree_get_int(tree_get(m, "generation"), &g) && g > 0)
		tree_put(a, m, "generation", tree_int(a, g + 1));
}

static void
set_deletion(struct arena *a, struct node *m, int64_t at, int64_t grace)
{
	char *text = arena_alloc(a, CLOCK_RFC3339_MAX);

	clock_format_s(at, text);
	tree_put(a, m, "deletionTimestamp", tree_str(a, text));
	tree_put(a, m, "deletionGracePeriodSeconds", tree_int(a, grace));
}

/* markAsDeleting: finalizers hold an object that has no grace period. */
static void
mark_deleting(struct write *w, struct node *object)
{
	struct node *m = tree_get(object, "metadata");
	int64_t now = clock_real_us() / 1000000, at;
	struct span before = tree_text(tree_get(m, "deletionTimestamp"));

	if (before.n == 0)
		bump_generation(w->arena, m);
	if (before.n > 0 && clock_parse_us(before, &at) == 0 &&
	    at / 1000000 <= now)
		now = at / 1000000;
	set_deletion(w->arena, m, now, 0);
}

/* The state of a graceful deletion. Only Pods are deleted gracefully. */
enum grace { GRACE_NONE, GRACE_PENDING, GRACE_SET };

static int64_t
pod_grace(const struct node *pod, const struct delete_options *o)
{
	struct span phase = tree_path_text(pod, "status.phase");
	int64_t period = 0;

	if (o->has_grace)
		period = o->grace_seconds;
	else
		tree_get_int(
		    tree_path(pod, "spec.terminationGracePeriodSeconds"),
		    &period);
	if (tree_path_text(pod, "spec.nodeName").n == 0 ||
	    span_is(phase, "Failed") || span_is(phase, "Succeeded"))
		period = 0;
	return period < 0 ? 1 : period;
}

static enum grace
shorten(struct write *w, struct node *m, const struct delete_options *o)
{
	int64_t current = 0, period, at = 0, now = clock_real_us() / 1000000;

	tree_get_int(tree_get(m, "deletionGracePeriodSeconds"), &current);
	if (current == 0)
		return GRACE_NONE;
	period = o->grace_seconds < 0 ? 1 : o->grace_seconds;
	if (!o->has_grace || period >= current)
		return GRACE_PENDING;
	clock_parse_us(tree_text(tree_get(m, "deletionTimestamp")), &at);
	at = at / 1000000 - current + period;
	if (at < now) {
		at = now;
		period = period == 0 ? 0 : 1;
	}
	set_deletion(w->arena, m, at, period);
	return GRACE_SET;
}

static enum grace
begin_grace(
    struct write *w, struct node *object, const struct delete_options *o)
{
	struct node *m = tree_get(object, "metadata");
	int64_t period;

	if (w->resource->strategy->deletion != DELETION_GRACEFUL)
		return GRACE_NONE;
	if (tree_get(m, "deletionTimestamp") != NULL)
		return shorten(w, m, o);
	period = pod_grace(object, o);
	set_deletion(w->arena, m, clock_real_us() / 1000000 + period, period);
	bump_generation(w->arena, m);
	return GRACE_SET;
}

/* "status": "Success" with what was deleted. */
static struct node *
success(struct write *w, const struct node *object)
{
	struct arena *a = w->arena;
	struct node *s = tree_object(a), *d = tree_object(a);

	tree_put(a, s, "kind", tree_str(a, "Status"));
	tree_put(a, s, "apiVersion", tree_str(a, "v1"));
	tree_put(a, s, "metadata", tree_object(a));
	tree_put(a, s, "status", tree_str(a, "Success"));
	tree_put(a, d, "name", tree_string(a, w->name));
	if (w->resource->group.n > 0)
		tree_put(a, d, "group", tree_string(a, w->resource->group));
	tree_put(a, d, "kind", tree_string(a, w->resource->plural));
	tree_put(a, d, "uid",
	    tree_string(a, tree_path_text(object, "metadata.uid")));
	tree_put(a, s, "details", d);
	return s;
}

static void
answer_deleted(struct write *w, struct node *object)
{
	if (w->changed)
		tree_put(w->arena, tree_get(object, "metadata"),
		    "resourceVersion",
		    tree_string(w->arena,
			arena_printf(w->arena, "%" PRIu64,
			    store_version(w->api->store))));
	w->result = w->resource->strategy->traits & TRAIT_RETURNS_DELETED
	    ? object
	    : success(w, object);
}

/* Namespaces end in a phase; their contents go first. */
static bool
end_namespace(struct write *w, struct stored *stored, struct node *object,
    const struct delete_options *o)
{
	struct node *m = tree_get(object, "metadata");

	if (!is_namespace(w))
		return false;
	if (tree_get(m, "deletionTimestamp") != NULL) {
		w->result = object;
		w->stored = stored;
		return tree_count(tree_path(object, "spec.finalizers")) > 0;
	}
	tree_put(w->arena, m, "deletionTimestamp",
	    tree_string(w->arena, objectmeta_time_now(w->arena)));
	tree_put(w->arena, tree_make(w->arena, object, "status"), "phase",
	    tree_str(w->arena, "Terminating"));
	set_finalizers(w, object, o);
	write_put(w, object, convert_tree(w->arena, stored));
	return true;
}

/* Definitions wait until their objects are gone. */
static bool
end_definition(struct write *w, struct stored *stored, struct node *object)
{
	if (w->resource->strategy->deletion != DELETION_DEFINITION ||
	    tree_path(object, "metadata.deletionTimestamp") != NULL)
		return false;
	crd_definition_delete(w->arena, object, objectmeta_time_now(w->arena));
	write_put(w, object, convert_tree(w->arena, stored));
	return true;
}

static struct problem *
check_immortal(struct write *w)
{
	static const char *const immortal[] = {
	    "default", "kube-system", "kube-public"};

	if (w->internal)
		return NULL;
	if (span_is(w->resource->plural, "priorityclasses") &&
	    (span_is(w->name, "system-node-critical") ||
		span_is(w->name, "system-cluster-critical")))
		return problem_forbidden(w->arena, w->resource, w->name,
		    "this is a system priority class and cannot be deleted");
	if (!is_namespace(w))
		return NULL;
	for (size_t i = 0; i < 3; i++)
		if (span_is(w->name, immortal[i]))
			return problem_forbidden(w->arena, w->resource, w->name,
			    "this namespace may not be deleted");
	return NULL;
}

struct problem *
delete_object(struct write *w, const struct delete_options *o)
{
	struct stored *stored = store_get(w->resource->collection,
	    w->resource->namespaced ? w->namespace_ : SPAN_NONE, w->name);
	struct node *object;
	struct problem *p;
	enum grace grace;
	int64_t left = 0;
	const char *warning;

	w->dry_run = o->dry_run;
	warning = w->resource->strategy->orphan_warning;
	if (warning != NULL && !w->internal && !o->has_orphan &&
	    o->policy.n == 0)
		decode_warning_add(w->warnings, span_str(warning));
	if (stored == NULL)
		return problem_not_found(w->arena, w->resource, w->name);
	object = convert_read(w->arena, w->resource, stored);
	p = delete_preconditions(w, object, o);
	if (p == NULL)
		p = check_immortal(w);
	if (p != NULL)
		return p;
	if (end_namespace(w, stored, object, o) ||
	    end_definition(w, stored, object))
		return NULL;
	grace = begin_grace(w, object, o);
	if (grace == GRACE_PENDING) {
		answer_deleted(w, object);
		return NULL;
	}
	set_finalizers(w, object, o);
	if (tree_count(tree_path(object, "metadata.finalizers")) > 0) {
		if (grace == GRACE_NONE)
			mark_deleting(w, object);
		w->result = object;
		if (tree_equal(
			object, convert_read(w->arena, w->resource, stored)))
			w->stored = stored;
		else
			write_put(w, object, object);
		return NULL;
	}
	tree_get_int(
	    tree_path(object, "metadata.deletionGracePeriodSeconds"), &left);
	if (grace == GRACE_SET && left > 0) {
		write_put(w, object, object);
		return NULL;
	}
	/* A Pod shows its grace of 0 in a last MODIFIED event. */
	if (grace == GRACE_SET && !w->dry_run) {
		write_put(w, object, object);
		stored = w->stored;
		w->stored = NULL;
	}
	write_delete(w, stored);
	answer_deleted(w, object);
	return NULL;
}
