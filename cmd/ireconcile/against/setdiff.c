#include "against/setdiff.h"

#include <stdlib.h>
#include <string.h>

#include "agree/agree.h"
#include "agree/apischema.h"
#include "agree/listkeys.h"
#include "base/array.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "json/jvtext.h"
#include "kube/proof.h"
#include "value/datakind.h"
#include "value/objref.h"

/* ---- two values ---- */

struct fields_job {
	struct setdiff_fields *found;
	struct apischema schema;
	enum setdiff_values shown;
};

static void differ_values(const struct fields_job *job, jv before, jv after,
    const struct apischema_place *place);

/* A value as JSON; NULL: it is absent. *has_text becomes true if there is a
 * text in it. */
static char *
spell_value(jv value, bool *has_text)
{
	struct buf b = BUF_INIT;
	struct err err = ERR_INIT;

	if (!jv_is_valid(value))
		return NULL;
	if (jvtext_add(&b, value, &err) != 0) {
		buf_adds(&b, "(a value that cannot be printed)");
		*has_text = true;
	}
	*has_text = *has_text || span_find(buf_span(&b), '"') != NULL;
	if (b.len > SETDIFF_LONGEST) {
		buf_truncate(&b, utf8_cut(buf_span(&b), SETDIFF_LONGEST));
		buf_adds(&b, "...");
	}
	return buf_take_exact(&b);
}

static void
add_field(const struct fields_job *job, jv before, jv after,
    const struct apischema_place *place)
{
	struct setdiff_fields *d = job->found;
	bool has_text = false;
	struct buf path = BUF_INIT;
	struct setdiff_field f;

	if (d->count == SETDIFF_MOST) {
		d->more++;
		return;
	}
	apischema_add_place(&path, place);
	f = (struct setdiff_field){buf_take_exact(&path),
	    spell_value(before, &has_text), spell_value(after, &has_text)};
	if (job->shown == SETDIFF_PATHS ||
	    (job->shown == SETDIFF_NO_TEXTS && has_text)) {
		free(f.before);
		free(f.after);
		f.before = f.after = NULL;
	}
	d->fields = mem_grow(d->fields, d->count, sizeof(*d->fields));
	d->fields[d->count++] = f;
}

/* Whether a field changes only with other fields, or says nothing to people. */
static bool
is_derived(const struct apischema_place *place)
{
	const struct apischema_place *up = place->up;

	if (span_is(place->key, "lastTransitionTime"))
		return true;
	return up != NULL && up->up != NULL && up->up->up != NULL &&
	    up->up->up->up == NULL && span_is(up->up->key, "metadata") &&
	    span_is(up->key, "annotations") &&
	    (span_is(place->key, PROOF_PATHS) ||
		span_is(place->key, PROOF_MARK) ||
		span_starts(place->key, PROOF_PATCH));
}

static void
differ_members(const struct fields_job *job, jv before, jv after,
    const struct apischema_place *place)
{
	struct jvtext_members b, a;
	size_t i = 0, j = 0;

	jvtext_members_init(&b, before, JVTEXT_SORTED);
	jvtext_members_init(&a, after, JVTEXT_SORTED);
	while (i < b.count || j < a.count) {
		int order = i == b.count ? 1
		    : j == a.count	 ? -1
				   : span_cmp(b.items[i].key, a.items[j].key);
		struct apischema_place at = {place,
		    order <= 0 ? b.items[i].key : a.items[j].key, SPAN_NONE, 0};

		if (!is_derived(&at))
			differ_values(job,
			    order <= 0 ? b.items[i].value : jv_invalid(),
			    order >= 0 ? a.items[j].value : jv_invalid(), &at);
		i += order <= 0;
		j += order >= 0;
	}
	jvtext_members_release(&b);
	jvtext_members_release(&a);
}

/* Compares the elements i of before and j of after; -1: there is none. */
static void
differ_elements(const struct fields_job *job, jv before, int i, jv after, int j,
    const struct apischema_place *at)
{
	jv b = i < 0 ? jv_invalid() : jv_array_get(jv_copy(before), i);
	jv a = j < 0 ? jv_invalid() : jv_array_get(jv_copy(after), j);

	differ_values(job, b, a, at);
	jv_free(b);
	jv_free(a);
}

/* Elements of keyed lists are compared by key, if all have one; others by
 * index. */
static void
differ_lists(const struct fields_job *job, jv before, jv after,
    const struct apischema_place *place)
{
	struct apischema_list how = apischema_list(&job->schema, place);
	struct listkeys b = {.complete = false}, a = {.complete = false};
	int b_count = jv_array_length(jv_copy(before));
	int a_count = jv_array_length(jv_copy(after));
	bool keyed;

	if (how.type != LIST_PLAIN) {
		listkeys_init(&b, &how, before);
		listkeys_init(&a, &how, after);
	}
	keyed = b.complete && a.complete;
	for (int i = 0; i < b_count; i++) {
		struct apischema_place at = {place, SPAN_NONE,
		    keyed ? listkeys_get(&b, i) : SPAN_NONE, i};
		int j = i < a_count ? i : -1;

		differ_elements(job, before, i, after,
		    keyed ? listkeys_find(&b, i, &a) : j, &at);
	}
	for (int j = 0; j < a_count; j++) {
		struct apischema_place at = {place, SPAN_NONE,
		    keyed ? listkeys_get(&a, j) : SPAN_NONE, j};

		if (keyed ? listkeys_find(&a, j, &b) < 0 : j >= b_count)
			differ_elements(job, before, -1, after, j, &at);
	}
	listkeys_release(&b);
	listkeys_release(&a);
}

static void
differ_values(const struct fields_job *job, jv before, jv after,
    const struct apischema_place *place)
{
	jv_kind b = jv_get_kind(before), a = jv_get_kind(after);

	if ((b == JV_KIND_INVALID && a == JV_KIND_INVALID) ||
	    (b != JV_KIND_INVALID && a != JV_KIND_INVALID &&
		jv_equal(jv_copy(before), jv_copy(after))))
		return;
	if (b == JV_KIND_OBJECT && a == JV_KIND_OBJECT)
		differ_members(job, before, after, place);
	else if (b == JV_KIND_ARRAY && a == JV_KIND_ARRAY)
		differ_lists(job, before, after, place);
	else if (!apischema_is_quantity(&job->schema, place) ||
	    !agree_quantities(before, after))
		add_field(job, before, after, place);
}

void
setdiff_add_fields(struct setdiff_fields *d, const char *member, jv before_peek,
    jv after_peek, enum setdiff_values shown)
{
	const struct apischema_place top = {NULL, SPAN_NONE, SPAN_NONE, 0};
	struct apischema_place at = {&top, span_str(member), SPAN_NONE, 0};
	struct fields_job job = {.found = d, .shown = shown};
	struct span version, kind;

	if (member != NULL) {
		differ_values(&job, before_peek, after_peek, &at);
		return;
	}
	version = jvtext_span(jvtext_peek(before_peek, "apiVersion"));
	kind = jvtext_span(jvtext_peek(before_peek, "kind"));
	if (version.p != NULL && kind.p != NULL)
		job.schema = apischema_of(version, kind);
	differ_values(&job, before_peek, after_peek, &top);
}

void
setdiff_release_fields(struct setdiff_fields *d)
{
	for (size_t i = 0; i < d->count; i++) {
		free(d->fields[i].path);
		free(d->fields[i].before);
		free(d->fields[i].after);
	}
	free(d->fields);
	*d = (struct setdiff_fields){NULL, 0, 0};
}

/* ---- two lines ---- */

struct job {
	struct setdiff *found;
	enum setdiff_values shown;
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
 * setdiff_add_fields has it. */
static void
add_fields(const struct job *job, enum setdiff_part part, struct span key,
    const char *member, jv before, jv after, enum setdiff_values shown)
{
	struct setdiff_fields d = {NULL, 0, 0};

	setdiff_add_fields(&d, member, before, after, shown);
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
	struct jvtext_members b, a;
	size_t i = 0, j = 0;

	jvtext_members_init(&b, before, JVTEXT_SORTED);
	jvtext_members_init(&a, after, JVTEXT_SORTED);
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
			    hide ? SETDIFF_PATHS : job->shown);
		}
		i += order <= 0;
		j += order >= 0;
	}
	jvtext_members_release(&b);
	jvtext_members_release(&a);
	jv_free(before);
	jv_free(after);
}

/* The items of a line by key, each with a member that says how it is written:
 * {"once": true, "patch": ..., ...}. Lists and items may be thousands, so each
 * is walked over once. */
static jv
items_of(jv line)
{
	static const char *const lists[] = {
	    "once", "exactly", "asSeen", "independent"};
	static const char *const maps[] = {"patch", "after"};
	jv reconcile = jvtext_peek(line, "reconcile");
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

		mine = jv_is_valid(mine) ? jv_copy(mine) : jv_object();
		for (size_t i = 0; i < COUNT(maps); i++) {
			jv how = jvtext_peek(jvtext_peek(reconcile, maps[i]),
			    jv_string_value(key));

			if (jv_is_valid(how))
				mine = jv_object_set(
				    mine, jv_string(maps[i]), jv_copy(how));
		}
		found = jv_object_set(found, key,
		    jv_object_set(item, jv_string("reconcile"), mine));
	}
	jv_free(marks);
	jv_free(items);
	return found;
}

/* ---- lines ---- */

/* Members of reconcile without those that other parts compare, or that follow
 * from the observed objects. */
static jv
rest_of(jv reconcile)
{
	static const char *const others[] = {"primary", "known", "delete",
	    "release", "once", "exactly", "asSeen", "vacated", "patch", "after",
	    "independent", "status", "onError", "loops", "because", "deleting",
	    "again", "origin"};
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
	    job, SETDIFF_FAILURE, job->primary, "error", b, a, SETDIFF_VALUES);
	jv_free(b);
	jv_free(a);
}

/* Compares part by part, in the order of enum setdiff_part. After a failure
 * only the status counts. */
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
	struct job job = {s, hide_texts ? SETDIFF_NO_TEXTS : SETDIFF_VALUES,
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
		setdiff_release_fields(&s->objects[i].fields);
	}
	free(s->objects);
	*s = (struct setdiff){NULL, 0};
}
