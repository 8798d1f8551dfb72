#include "hiddenreads.h"

#include <stdlib.h>

#include "json/json.h"
#include "record/redacted.h"

/* The kinds of leaves below a value. READ: the program looks into a hidden
 * one. */
enum { PLAIN = 1, HIDDEN = 2, MIXED = PLAIN | HIDDEN, READ = 4 };

/* Whether this is kubectl's annotation, which only repeats the object. */
static bool
is_copy(struct span name)
{
	return span_is(name, REDACTED_LAST_APPLIED);
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

/* The leaves below value, which is the member `name` of its object. whole: the
 * program inspects that object as a whole. */
static unsigned
look(const struct entry *e, struct span name, struct span value, bool whole)
{
	enum json_type type = json_type(value);
	unsigned is = 0;

	whole =
	    (whole || any_program(e, program_inspects, name)) && !is_copy(name);
	if (type == JSON_OBJECT) {
		for (struct json_members m = json_members(value);
		     json_member(&m);) {
			unsigned below = look(e, m.key, m.value, whole);

			is |= is_copy(m.key) ? MIXED | below : below;
		}
	} else if (type == JSON_ARRAY) {
		for (struct json_elements a = json_elements(value);
		     json_element(&a);)
			is |= look(e, name, a.value, whole);
	} else if (type != JSON_NULL) {
		is = redacted_in(value) ? HIDDEN : PLAIN;
	}
	if (!(is & HIDDEN))
		return is;
	if (whole && type == JSON_STRING)
		is |= READ;
	if (!(is & PLAIN) && any_program(e, program_looks_into, name))
		is |= READ;
	return is;
}

/* Whether the program looks into hidden values of o. name: the name under which
 * it gets o: primary, or its kind. */
static bool
object_is_read(
    const struct entry *e, const char *name, const struct cache_object *o)
{
	struct span text = cache_object_text(o);
	bool whole;

	if (!redacted_in(text))
		return false;
	whole = any_program(e, program_inspects, span_str(".."));
	return (look(e, span_str(name), text, whole) & READ) != 0;
}

bool
hiddenreads(const struct primary *p)
{
	const struct entry *e = p->entry;
	bool read;

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
