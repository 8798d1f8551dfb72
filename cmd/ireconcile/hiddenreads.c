#include "hiddenreads.h"

#include <stdlib.h>

#include "json/json.h"
#include "record/redacted.h"

/* The leaves below a value. */
enum { PLAIN = 1, HIDDEN = 2, MIXED = PLAIN | HIDDEN };

/* kubectl's annotation says nothing that the object does not say itself. */
static bool
is_copy(struct span name)
{
	return span_is(
	    name, "kubectl.kubernetes.io/last-applied-configuration");
}

static unsigned
below(struct span value)
{
	unsigned is = 0;

	switch (json_type(value)) {
	case JSON_OBJECT:
		for (struct json_members m = json_members(value);
		     json_member(&m);)
			is |= is_copy(m.key) ? MIXED : below(m.value);
		return is;
	case JSON_ARRAY:
		for (struct json_elements e = json_elements(value);
		     json_element(&e);)
			is |= below(e.value);
		return is;
	case JSON_NULL:
		return 0;
	default:
		return redacted_in(value) ? HIDDEN : PLAIN;
	}
}

typedef bool asks_fn(const struct program *p, struct span name);

static bool
any_program(const struct entry *e, asks_fn *asks, struct span name)
{
	bool found =
	    asks(e->program, name) || (e->when != NULL && asks(e->when, name));

	for (size_t i = 0; i < e->use_count && !found; i++)
		found = e->uses[i]->map != NULL && asks(e->uses[i]->map, name);
	return found;
}

/* name: of the member that value is. whole: what has it is inspected. */
static bool
is_read(const struct entry *e, struct span name, struct span value, bool whole)
{
	unsigned is = below(value);
	bool read;

	if (!(is & HIDDEN))
		return false;
	whole =
	    (whole || any_program(e, program_inspects, name)) && !is_copy(name);
	read = (whole && json_type(value) == JSON_STRING) ||
	    (is == HIDDEN && any_program(e, program_looks_into, name));
	for (struct json_members m = json_members(value);
	     !read && json_member(&m);)
		read = is_read(e, m.key, m.value, whole);
	for (struct json_elements a = json_elements(value);
	     !read && json_element(&a);)
		read = is_read(e, name, a.value, whole);
	return read;
}

/* Under this name the program gets it: primary, or its kind. */
static bool
object_is_read(
    const struct entry *e, const char *name, const struct cache_object *o)
{
	struct span text = cache_object_text(o);

	return redacted_in(text) &&
	    is_read(e, span_str(name), text,
		any_program(e, program_inspects, span_str("..")));
}

bool
hiddenreads(const struct primary *p)
{
	const struct entry *e = p->entry;
	bool read = false;

	if (e->proof == NULL || !e->proof->replays)
		return false;
	read = object_is_read(e, "primary", p->object);
	for (size_t i = 0; i < e->use_count && !read; i++) {
		const struct use *u = e->uses[i];
		struct cache_object **list;

		if (u->role == USE_PRIMARY ||
		    (u->role == USE_DEPENDENT && u->seen_by == 0))
			continue;
		list = entry_objects(e, p, u);
		for (size_t j = 0; list[j] != NULL && !read; j++)
			read = object_is_read(e, u->name, list[j]);
		free(list);
	}
	return read;
}
