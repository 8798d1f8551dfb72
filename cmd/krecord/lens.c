#include "lens.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/map.h"
#include "base/mem.h"
#include "json/json.h"
#include "record/reading.h"
#include "value/objref.h"

struct lens {
	struct objref object; /* points into text */
	bool any_group;
	char *text;
	struct map keys; /* owned strings: objects that are shown */
	struct buf key;
	struct arena names; /* names in a line, decoded */
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

static bool
has_key(const struct lens *l, struct span key)
{
	return key.p != NULL && map_get(&l->keys, key) != NULL;
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

static struct span
key_of(struct lens *l, const struct objref *o)
{
	buf_reset(&l->key);
	objref_add_key(&l->key, o);
	return buf_span(&l->key);
}

/* Whether the objects of a set are only compared, or added to the keys, too. */
enum visit { COMPARE, ADD };

static bool
visit(struct lens *l, struct span value, enum visit how)
{
	struct objref o = reading_ref(value, &l->names);

	if (how == ADD)
		add_key(l, key_of(l, &o));
	return is_object(l, &o);
}

/* Whether the object is the set's primary, or one of its items or deletes. */
static bool
visit_set(struct lens *l, struct span set, enum visit how)
{
	struct span reconcile = json_get(set, "reconcile");
	struct json_elements lists[] = {json_elements(json_get(set, "items")),
	    json_elements(json_get(reconcile, "delete"))};
	bool found = visit(l, json_get(reconcile, "primary"), how);

	for (size_t i = 0; i < COUNT(lists); i++)
		while (json_element(&lists[i]))
			found |= visit(l, lists[i].value, how);
	return found;
}

static bool
is_owned(struct lens *l, struct span object, struct objref *o)
{
	struct json_elements e =
	    json_elements(json_path(object, "metadata.ownerReferences"));

	while (json_element(&e)) {
		struct objref owner = reading_ref(e.value, &l->names);

		owner.namespace_ = l->object.namespace_.n > 0
		    ? o->namespace_
		    : l->object.namespace_;
		if (is_object(l, &owner))
			return true;
	}
	return false;
}

void
lens_look(struct lens *l, const struct reading_line *line)
{
	struct json_members known;
	struct objref o;

	arena_reset(&l->names);
	if (line->kind == READING_EVENT) {
		o = reading_ref(line->body, &l->names);
		if (is_object(l, &o))
			l->found = true;
		else if (!is_owned(l, line->body, &o))
			return;
		add_key(l, key_of(l, &o));
	} else if (line->kind == READING_SET &&
	    visit_set(l, line->body, COMPARE)) {
		l->found = true;
		visit_set(l, line->body, ADD);
		known = json_members(json_path(line->body, "reconcile.known"));
		while (json_member(&known))
			add_key(l,
			    json_name(
				span_make(known.key.p - 1, known.key.n + 2),
				&l->names));
	}
}

bool
lens_found(const struct lens *l)
{
	return l->found;
}

bool
lens_shows(struct lens *l, const struct reading_line *line)
{
	struct span body = line->body, primary, object;
	struct objref o;

	arena_reset(&l->names);
	switch (line->kind) {
	case READING_EVENT:
		o = reading_ref(body, &l->names);
		return o.name.p == NULL || has_key(l, key_of(l, &o));
	case READING_SET:
		return visit_set(l, body, COMPARE);
	case READING_RESULT:
	case READING_STATUS:
		o = reading_ref(body, &l->names);
		primary = json_name(json_get(body, "primary"), &l->names);
		return has_key(l, key_of(l, &o)) || has_key(l, primary);
	case READING_SHADOW: /* a primary, or an object that differs */
		primary = json_name(json_get(body, "primary"), &l->names);
		object = json_name(json_get(body, "object"), &l->names);
		return has_key(l, primary) || has_key(l, object);
	default:
		return true;
	}
}
