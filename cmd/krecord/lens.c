#include "lens.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "json/json.h"
#include "record/recordref.h"
#include "value/objref.h"

struct lens {
	struct objref object; /* points into text */
	bool any_group;
	char *text;
	struct map keys; /* owned strings: objects that are shown */
	struct buf key;
	struct arena names; /* of a line, decoded */
	bool found;
};

struct lens *
lens_new(const char *object, struct err *err)
{
	struct lens *l = mem_zalloc(sizeof(*l));
	struct span rest, kind;

	l->text = mem_strdup(object);
	rest = span_str(l->text);
	kind = span_cut(&rest, '/');
	objref_split_kind(kind, &l->object.kind, &l->object.group);
	l->any_group = l->object.group.n == 0;
	if (rest.p != NULL && span_find(rest, '/') != NULL)
		l->object.namespace_ = span_cut(&rest, '/');
	l->object.name = rest;
	if (kind.n > 0 && rest.n > 0 && span_find(rest, '/') == NULL)
		return l;
	err_set(err, ERR_PERMANENT,
	    "option --object: %s is not KIND/NAMESPACE/NAME or KIND/NAME",
	    object);
	lens_free(l);
	return NULL;
}

void
lens_free(struct lens *l)
{
	char *key;
	size_t i = 0;

	if (l == NULL)
		return;
	while ((key = map_next(&l->keys, &i)) != NULL)
		free(key);
	map_release(&l->keys);
	buf_release(&l->key);
	arena_release(&l->names);
	free(l->text);
	free(l);
}

static bool
is_object(const struct lens *l, const struct objref *o)
{
	return o->kind.n == l->object.kind.n &&
	    strncasecmp(o->kind.p, l->object.kind.p, o->kind.n) == 0 &&
	    (l->any_group || span_eq(o->group, l->object.group)) &&
	    span_eq(o->namespace_, l->object.namespace_) &&
	    span_eq(o->name, l->object.name);
}

static void
add_key(struct lens *l, struct span key)
{
	char *copy;

	if (map_get(&l->keys, key) != NULL)
		return;
	copy = mem_dup(key.p, key.n);
	map_put(&l->keys, span_make(copy, key.n), copy);
}

static void
add_ref(struct lens *l, const struct objref *o)
{
	buf_reset(&l->key);
	objref_add_key(&l->key, o);
	add_key(l, buf_span(&l->key));
}

static bool
has_ref(struct lens *l, const struct objref *o)
{
	buf_reset(&l->key);
	objref_add_key(&l->key, o);
	return map_get(&l->keys, buf_span(&l->key)) != NULL;
}

/* The object is its primary, or one of its items or deletes. */
static bool
set_has(struct lens *l, struct span set)
{
	struct span reconcile = json_get(set, "reconcile");
	struct objref o =
	    recordref_of(json_get(reconcile, "primary"), &l->names);
	struct json_elements e = json_elements(json_get(set, "items"));

	if (is_object(l, &o))
		return true;
	while (json_element(&e)) {
		o = recordref_of(e.value, &l->names);
		if (is_object(l, &o))
			return true;
	}
	e = json_elements(json_get(reconcile, "delete"));
	while (json_element(&e)) {
		o = recordref_of(e.value, &l->names);
		if (is_object(l, &o))
			return true;
	}
	return false;
}

static void
look_at_set(struct lens *l, struct span set)
{
	struct span reconcile = json_get(set, "reconcile");
	struct objref o;

	if (!set_has(l, set))
		return;
	l->found = true;
	o = recordref_of(json_get(reconcile, "primary"), &l->names);
	add_ref(l, &o);
	for (struct json_elements e = json_elements(json_get(set, "items"));
	     json_element(&e);) {
		o = recordref_of(e.value, &l->names);
		add_ref(l, &o);
	}
	for (struct json_elements e =
		 json_elements(json_get(reconcile, "delete"));
	     json_element(&e);) {
		o = recordref_of(e.value, &l->names);
		add_ref(l, &o);
	}
	for (struct json_members m = json_members(json_get(reconcile, "known"));
	     json_member(&m);)
		add_key(l,
		    json_name(span_make(m.key.p - 1, m.key.n + 2), &l->names));
}

static bool
is_owned(struct lens *l, struct span object, struct objref *o)
{
	struct span metadata = json_get(object, "metadata");
	struct json_elements e =
	    json_elements(json_get(metadata, "ownerReferences"));

	while (json_element(&e)) {
		struct objref owner = recordref_of(e.value, &l->names);

		owner.namespace_ = l->object.namespace_.n > 0
		    ? o->namespace_
		    : l->object.namespace_;
		if (is_object(l, &owner))
			return true;
	}
	return false;
}

static void
look_at_event(struct lens *l, struct span object)
{
	struct objref o = recordref_of(object, &l->names);

	if (is_object(l, &o))
		l->found = true;
	else if (!is_owned(l, object, &o))
		return;
	add_ref(l, &o);
}

void
lens_look(struct lens *l, const struct reading_line *line)
{
	arena_reset(&l->names);
	if (line->kind == READING_EVENT)
		look_at_event(l, line->body);
	else if (line->kind == READING_SET)
		look_at_set(l, line->body);
}

bool
lens_found(const struct lens *l)
{
	return l->found;
}

/* A line of ireconcile --against: its primary, or the object that differs. */
static bool
difference_shows(struct lens *l, struct span line)
{
	struct span primary = json_name(json_get(line, "primary"), &l->names);
	struct span object = json_name(json_get(line, "object"), &l->names);

	return (primary.p != NULL && map_get(&l->keys, primary) != NULL) ||
	    (object.p != NULL && map_get(&l->keys, object) != NULL);
}

bool
lens_shows(struct lens *l, const struct reading_line *line)
{
	struct objref o;
	struct span primary;

	arena_reset(&l->names);
	switch (line->kind) {
	case READING_EVENT:
		o = recordref_of(line->body, &l->names);
		return o.name.p == NULL || has_ref(l, &o);
	case READING_SET:
		return set_has(l, line->body);
	case READING_RESULT:
	case READING_STATUS:
		o = recordref_of(line->body, &l->names);
		primary = json_name(json_get(line->body, "primary"), &l->names);
		return has_ref(l, &o) ||
		    (primary.p != NULL && map_get(&l->keys, primary) != NULL);
	case READING_SHADOW:
		return difference_shows(l, line->body);
	default:
		return true;
	}
}
