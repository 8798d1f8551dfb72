#include "against/setdiff.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mem.h"
#include "json/jvtext.h"
#include "value/datakind.h"
#include "value/objref.h"

struct job {
	struct setdiff *found;
	enum leafdiff_values shown;
	const char *primary;
};

/* An object of a line, by its key. */
struct named {
	char *key;
	jv value;
};

struct named_list {
	struct named *items;
	size_t count;
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
    const char *key)
{
	struct setdiff *s = job->found;

	s->objects = mem_grow(s->objects, s->count, sizeof(*s->objects));
	s->objects[s->count] = (struct setdiff_object){
	    .part = part, .how = how, .object = mem_strdup(key)};
	return &s->objects[s->count++];
}

/* Adds what differs in a member of the line, which is the primary's. */
static void
add_member(const struct job *job, enum setdiff_part part, const char *member,
    jv before, jv after, enum leafdiff_values shown)
{
	struct leafdiff d = {NULL, 0, 0};

	leafdiff_add(&d, member, before, after, shown);
	if (d.count > 0)
		add(job, part, SETDIFF_DIFFERS, job->primary)->fields = d;
}

/* ---- lists of objects ---- */

static char *
key_of(jv object)
{
	jv metadata = jvtext_peek(object, "metadata");
	jv at = jv_is_valid(metadata) ? metadata : object;
	struct objref o = {.kind = jvtext_span(jvtext_peek(object, "kind")),
	    .group =
		objref_group(jvtext_span(jvtext_peek(object, "apiVersion"))),
	    .namespace_ = jvtext_span(jvtext_peek(at, "namespace")),
	    .name = jvtext_span(jvtext_peek(at, "name"))};
	struct buf key = BUF_INIT;

	objref_add_key(&key, &o);
	return buf_take(&key);
}

static int
compare_keys(const void *a, const void *b)
{
	return strcmp(
	    ((const struct named *)a)->key, ((const struct named *)b)->key);
}

static struct named_list
sort(jv array)
{
	struct named_list list = {NULL, 0};

	if (jv_get_kind(array) != JV_KIND_ARRAY)
		return list;
	jv_array_foreach(array, i, value)
	{
		list.items =
		    mem_grow(list.items, list.count, sizeof(*list.items));
		list.items[list.count++] = (struct named){key_of(value), value};
	}
	if (list.count > 0)
		qsort(
		    list.items, list.count, sizeof(*list.items), compare_keys);
	return list;
}

static void
release(struct named_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].key);
		jv_free(list->items[i].value);
	}
	free(list->items);
}

static bool
is_confidential(jv object)
{
	return datakind(
	    objref_group(jvtext_span(jvtext_peek(object, "apiVersion"))),
	    jvtext_span(jvtext_peek(object, "kind")));
}

static void
differ_object(const struct job *job, enum setdiff_part part,
    const struct named *before, const struct named *after)
{
	struct leafdiff d = {NULL, 0, 0};

	leafdiff_add(&d, NULL, before->value, after->value,
	    is_confidential(before->value) ? LEAFDIFF_PATHS : job->shown);
	if (d.count > 0)
		add(job, part, SETDIFF_DIFFERS, before->key)->fields = d;
}

static void
differ_lists(const struct job *job, enum setdiff_part part,
    const struct named_list *b, const struct named_list *a)
{
	size_t i = 0, j = 0;

	while (i < b->count || j < a->count) {
		int order = i == b->count ? 1
		    : j == a->count	  ? -1
				    : strcmp(b->items[i].key, a->items[j].key);

		if (order == 0)
			differ_object(job, part, &b->items[i], &a->items[j]);
		else if (order < 0)
			add(job, part, SETDIFF_ONLY_BEFORE, b->items[i].key);
		else
			add(job, part, SETDIFF_ONLY_AFTER, a->items[j].key);
		i += order <= 0;
		j += order >= 0;
	}
}

static void
differ_arrays(
    const struct job *job, enum setdiff_part part, jv before, jv after)
{
	struct named_list b = sort(before), a = sort(after);

	differ_lists(job, part, &b, &a);
	release(&b);
	release(&a);
}

/* ---- lines ---- */

/* {KEY: {"once": true, ...}} of the items that the lists of the line name: one
 * walk over each, since there may be thousands. */
static jv
marks_of(jv reconcile)
{
	static const char *const lists[] = {"once", "exactly", "asSeen"};
	jv marks = jv_object();

	for (size_t i = 0; i < COUNT(lists); i++) {
		jv list = jvtext_peek(reconcile, lists[i]);

		if (jv_get_kind(list) != JV_KIND_ARRAY)
			continue;
		jv_array_foreach(list, n, key)
		{
			jv of = jv_object_get(jv_copy(marks), jv_copy(key));

			if (!jv_is_valid(of)) {
				jv_free(of);
				of = jv_object();
			}
			marks = jv_object_set(marks, key,
			    jv_object_set(of, jv_string(lists[i]), jv_true()));
		}
	}
	return marks;
}

/* The item (consumed) with a member that says how it is written. */
static jv
with_marks(jv item, jv reconcile, jv marks)
{
	char *key = key_of(item);
	jv mine = jvtext_peek(marks, key);
	jv patch = jvtext_peek(jvtext_peek(reconcile, "patch"), key);

	mine = jv_is_valid(mine) ? jv_copy(mine) : jv_object();
	if (jv_is_valid(patch))
		mine = jv_object_set(mine, jv_string("patch"), jv_copy(patch));
	free(key);
	return jv_object_set(item, jv_string("reconcile"), mine);
}

static jv
items_of(jv line, jv reconcile)
{
	jv items = jv_array(), marks = marks_of(reconcile);

	jv_array_foreach(jvtext_peek(line, "items"), i, item)
	{
		items =
		    jv_array_append(items, with_marks(item, reconcile, marks));
	}
	jv_free(marks);
	return items;
}

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

static void
differ_sets(const struct job *job, jv before, jv after)
{
	jv b = jvtext_peek(before, "reconcile");
	jv a = jvtext_peek(after, "reconcile");
	jv b_items = items_of(before, b), a_items = items_of(after, a);

	differ_arrays(job, SETDIFF_ITEM, b_items, a_items);
	differ_arrays(job, SETDIFF_DELETE, jvtext_peek(b, "delete"),
	    jvtext_peek(a, "delete"));
	differ_arrays(job, SETDIFF_RELEASE, jvtext_peek(b, "release"),
	    jvtext_peek(a, "release"));
	jv_free(b_items);
	jv_free(a_items);
}

static void
differ_rest(const struct job *job, jv before, jv after)
{
	jv b = rest_of(jvtext_peek(before, "reconcile"));
	jv a = rest_of(jvtext_peek(after, "reconcile"));
	struct leafdiff d = {NULL, 0, 0};

	leafdiff_add(&d, NULL, b, a, job->shown);
	if (d.count > 0)
		add(job, SETDIFF_RECONCILE, SETDIFF_DIFFERS, job->primary)
		    ->fields = d;
	jv_free(b);
	jv_free(a);
}

static jv
text_or_nothing(const char *text)
{
	return text != NULL ? jv_string(text) : jv_invalid();
}

/* A message is made for users: it goes into statuses and Events. */
static void
differ_errors(const struct job *job, const char *before, const char *after)
{
	jv b = text_or_nothing(before), a = text_or_nothing(after);

	if (before != NULL && after != NULL && strcmp(before, after) == 0)
		add(job, SETDIFF_FAILURE, SETDIFF_UNKNOWN, job->primary)
		    ->message = mem_strdup(before);
	add_member(job, SETDIFF_FAILURE, "error", b, a, LEAFDIFF_VALUES);
	jv_free(b);
	jv_free(a);
}

static void
differ_lines(const struct job *job, const struct setdiff_side *before,
    const struct setdiff_side *after)
{
	struct err err = ERR_INIT;
	jv b = jvtext_parse(before->line, &err);
	jv a = jvtext_parse(after->line, &err);
	bool failed = before->error != NULL || after->error != NULL;

	differ_errors(job, before->error, after->error);
	if (!failed && jv_is_valid(b) && jv_is_valid(a))
		differ_sets(job, b, a);
	if (jv_is_valid(b) && jv_is_valid(a)) {
		add_member(job, SETDIFF_STATUS, "status",
		    jvtext_peek(jvtext_peek(b, "reconcile"), "status"),
		    jvtext_peek(jvtext_peek(a, "reconcile"), "status"),
		    job->shown);
		if (!failed)
			differ_rest(job, b, a);
	}
	jv_free(b);
	jv_free(a);
}

void
setdiff_make(struct setdiff *s, const char *primary,
    const struct setdiff_side *before, const struct setdiff_side *after,
    bool hide_texts)
{
	struct job job = {
	    s, hide_texts ? LEAFDIFF_NO_TEXTS : LEAFDIFF_VALUES, primary};

	*s = (struct setdiff){NULL, 0};
	if (before->there && after->there)
		differ_lines(&job, before, after);
	else if (before->there)
		add(&job, SETDIFF_PRIMARY, SETDIFF_ONLY_BEFORE, primary);
	else if (after->there)
		add(&job, SETDIFF_PRIMARY, SETDIFF_ONLY_AFTER, primary);
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
