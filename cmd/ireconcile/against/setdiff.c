#include "against/setdiff.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mem.h"
#include "json/jvmembers.h"
#include "json/jvtext.h"
#include "value/datakind.h"
#include "value/objref.h"

struct job {
	struct setdiff *found;
	enum leafdiff_values shown;
	struct span primary;
};

const char *
setdiff_part_name(enum setdiff_part part)
{
	static const char *const names[] = {"primary", "failure", "item",
	    "delete", "release", "status", "reconcile"};

	return names[part];
}

const char *
setdiff_how_name(enum setdiff_how how)
{
	static const char *const names[] = {
	    "differs", "only-before", "only-after", "not-compared"};

	return names[how];
}

static struct setdiff_object *
add(const struct job *job, enum setdiff_part part, enum setdiff_how how,
    struct span key)
{
	struct setdiff *s = job->found;

	s->objects = mem_grow(s->objects, s->count, sizeof(*s->objects));
	s->objects[s->count] = (struct setdiff_object){
	    .part = part, .how = how, .object = mem_dup(key.p, key.n)};
	return &s->objects[s->count++];
}

/* Adds what differs in the values of an object, if anything does. member: as
 * leafdiff_add has it. */
static void
add_fields(const struct job *job, enum setdiff_part part, struct span key,
    const char *member, jv before, jv after, enum leafdiff_values shown)
{
	struct leafdiff d = {NULL, 0, 0};

	leafdiff_add(&d, member, before, after, shown);
	if (d.count > 0)
		add(job, part, SETDIFF_DIFFERS, key)->fields = d;
}

/* ---- lists of objects ---- */

/* The objects of an array, by their keys; owned. */
static jv
by_key(jv array)
{
	jv found = jv_object();

	if (jv_get_kind(array) != JV_KIND_ARRAY)
		return found;
	jv_array_foreach(array, i, object)
	{
		jv metadata = jvtext_peek(object, "metadata");
		jv at = jv_is_valid(metadata) ? metadata : object;
		struct objref o = {
		    .kind = jvtext_span(jvtext_peek(object, "kind")),
		    .group = objref_group(
			jvtext_span(jvtext_peek(object, "apiVersion"))),
		    .namespace_ = jvtext_span(jvtext_peek(at, "namespace")),
		    .name = jvtext_span(jvtext_peek(at, "name"))};
		struct buf key = BUF_INIT;

		objref_add_key(&key, &o);
		found = jv_object_set(found, jv_string(buf_str(&key)), object);
		buf_release(&key);
	}
	return found;
}

/* Objects by key, both consumed. The values of Secrets and ConfigMaps are never
 * shown. */
static void
differ_objects(
    const struct job *job, enum setdiff_part part, jv before, jv after)
{
	struct jvmembers b, a;
	size_t i = 0, j = 0;

	jvmembers_init(&b, before, JVMEMBERS_SORTED);
	jvmembers_init(&a, after, JVMEMBERS_SORTED);
	while (i < b.count || j < a.count) {
		int order = i == b.count ? 1
		    : j == a.count	 ? -1
				   : span_cmp(b.items[i].key, a.items[j].key);

		if (order < 0) {
			add(job, part, SETDIFF_ONLY_BEFORE, b.items[i].key);
		} else if (order > 0) {
			add(job, part, SETDIFF_ONLY_AFTER, a.items[j].key);
		} else {
			jv object = b.items[i].value;
			bool hide = datakind(
			    objref_group(
				jvtext_span(jvtext_peek(object, "apiVersion"))),
			    jvtext_span(jvtext_peek(object, "kind")));

			add_fields(job, part, b.items[i].key, NULL, object,
			    a.items[j].value,
			    hide ? LEAFDIFF_PATHS : job->shown);
		}
		i += order <= 0;
		j += order >= 0;
	}
	jvmembers_release(&b);
	jvmembers_release(&a);
	jv_free(before);
	jv_free(after);
}

/* The items of a line by key, each with a member that says how it is written:
 * {"once": true, "patch": ..., ...}. Lists and items may be thousands, so each
 * is walked over once. */
static jv
items_of(jv line)
{
	static const char *const lists[] = {"once", "exactly", "asSeen"};
	jv reconcile = jvtext_peek(line, "reconcile");
	jv patches = jvtext_peek(reconcile, "patch");
	jv marks = jv_object(), items = by_key(jvtext_peek(line, "items"));
	jv found = jv_object();

	for (size_t i = 0; i < COUNT(lists); i++) {
		jv list = jvtext_peek(reconcile, lists[i]);

		if (jv_get_kind(list) != JV_KIND_ARRAY)
			continue;
		jv_array_foreach(list, n, key)
		{
			marks = jv_setpath(marks,
			    JV_ARRAY(key, jv_string(lists[i])), jv_true());
		}
	}
	jv_object_foreach(items, key, item)
	{
		jv mine = jvtext_peek(marks, jv_string_value(key));
		jv patch = jvtext_peek(patches, jv_string_value(key));

		mine = jv_is_valid(mine) ? jv_copy(mine) : jv_object();
		if (jv_is_valid(patch))
			mine = jv_object_set(
			    mine, jv_string("patch"), jv_copy(patch));
		found = jv_object_set(found, key,
		    jv_object_set(item, jv_string("reconcile"), mine));
	}
	jv_free(marks);
	jv_free(items);
	return found;
}

/* ---- lines ---- */

/* Without what is compared elsewhere, or follows from what was observed. */
static jv
rest_of(jv reconcile)
{
	static const char *const others[] = {"primary", "known", "delete",
	    "release", "once", "exactly", "asSeen", "vacated", "patch",
	    "status", "onError", "loops", "because", "deleting", "origin"};
	jv rest = jv_copy(reconcile);

	for (size_t i = 0; i < COUNT(others); i++)
		rest = jv_object_delete(rest, jv_string(others[i]));
	return rest;
}

/* A message is made for users: it goes into statuses and Events. */
static void
differ_errors(const struct job *job, const char *before, const char *after)
{
	jv b = before != NULL ? jv_string(before) : jv_invalid();
	jv a = after != NULL ? jv_string(after) : jv_invalid();

	if (before != NULL && after != NULL && strcmp(before, after) == 0)
		add(job, SETDIFF_FAILURE, SETDIFF_UNKNOWN, job->primary)
		    ->message = mem_strdup(before);
	add_fields(
	    job, SETDIFF_FAILURE, job->primary, "error", b, a, LEAFDIFF_VALUES);
	jv_free(b);
	jv_free(a);
}

/* By part, in the order of enum setdiff_part. After a failure only the status
 * counts. */
static void
differ_lines(const struct job *job, jv before, jv after, bool failed)
{
	jv b = jvtext_peek(before, "reconcile");
	jv a = jvtext_peek(after, "reconcile"), b_rest, a_rest;

	if (!failed) {
		differ_objects(
		    job, SETDIFF_ITEM, items_of(before), items_of(after));
		differ_objects(job, SETDIFF_DELETE,
		    by_key(jvtext_peek(b, "delete")),
		    by_key(jvtext_peek(a, "delete")));
		differ_objects(job, SETDIFF_RELEASE,
		    by_key(jvtext_peek(b, "release")),
		    by_key(jvtext_peek(a, "release")));
	}
	add_fields(job, SETDIFF_STATUS, job->primary, "status",
	    jvtext_peek(b, "status"), jvtext_peek(a, "status"), job->shown);
	if (failed)
		return;
	b_rest = rest_of(b);
	a_rest = rest_of(a);
	add_fields(job, SETDIFF_RECONCILE, job->primary, NULL, b_rest, a_rest,
	    job->shown);
	jv_free(b_rest);
	jv_free(a_rest);
}

void
setdiff_make(struct setdiff *s, const char *primary,
    const struct setdiff_side *before, const struct setdiff_side *after,
    bool hide_texts)
{
	struct job job = {s, hide_texts ? LEAFDIFF_NO_TEXTS : LEAFDIFF_VALUES,
	    span_str(primary)};
	struct err err = ERR_INIT;
	jv b, a;

	*s = (struct setdiff){NULL, 0};
	if (!before->there || !after->there) {
		if (before->there || after->there)
			add(&job, SETDIFF_PRIMARY,
			    before->there ? SETDIFF_ONLY_BEFORE
					  : SETDIFF_ONLY_AFTER,
			    job.primary);
		return;
	}
	differ_errors(&job, before->error, after->error);
	b = jvtext_parse(before->line, &err);
	a = jvtext_parse(after->line, &err);
	if (jv_is_valid(b) && jv_is_valid(a))
		differ_lines(
		    &job, b, a, before->error != NULL || after->error != NULL);
	jv_free(b);
	jv_free(a);
}

size_t
setdiff_differing(const struct setdiff *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++)
		count += s->objects[i].how != SETDIFF_UNKNOWN;
	return count;
}

void
setdiff_release(struct setdiff *s)
{
	for (size_t i = 0; i < s->count; i++) {
		free(s->objects[i].object);
		free(s->objects[i].message);
		leafdiff_release(&s->objects[i].fields);
	}
	free(s->objects);
	*s = (struct setdiff){NULL, 0};
}
