#include "json/fieldpath.h"

#include <string.h>

#include "json/json.h"

enum fieldpath_step
fieldpath_step(const char **path, bool first, struct span *key)
{
	const char *s = *path;
	size_t n;

	if (s[0] == '[' && s[1] == ']') {
		*path = s + 2;
		return first ? FIELDPATH_BAD : FIELDPATH_ELEMENTS;
	}
	if (s[0] == '[' && s[1] == '"') {
		n = strcspn(s + 2, "\"");
		if (n == 0 || s[n + 2] != '"' || s[n + 3] != ']')
			return FIELDPATH_BAD;
		*path = s + n + 4;
		*key = span_make(s + 2, n);
		return FIELDPATH_KEY;
	}
	if (!first && *s++ != '.')
		return FIELDPATH_BAD;
	n = strcspn(s, ".[]\"");
	*path = s + n;
	*key = span_make(s, n);
	return n == 0 ? FIELDPATH_BAD : FIELDPATH_KEY;
}

int
fieldpath_check(const char *path, struct err *err)
{
	const char *s = path;
	struct span key;

	for (bool first = true; *s != '\0' || first; first = false)
		if (fieldpath_step(&s, first, &key) == FIELDPATH_BAD)
			return err_set(err, ERR_PERMANENT,
			    "bad field path \"%s\"%s", path,
			    *path == '.' ? ": it begins with no dot" : "");
	return 0;
}

/* From path to end. first: path is the beginning of the whole path. */
static void
walk(const char *path, const char *end, bool first, struct span value,
    fieldpath_fn *fn, void *arg)
{
	struct span key = SPAN_NONE;

	if (path == end) {
		fn(arg, value);
		return;
	}
	switch (fieldpath_step(&path, first, &key)) {
	case FIELDPATH_BAD:
		break;
	case FIELDPATH_KEY:
		if (json_type(value) != JSON_OBJECT)
			break;
		for (struct json_members m = json_members(value);
		     json_member(&m);)
			if (span_eq(m.key, key))
				walk(path, end, false, m.value, fn, arg);
		break;
	case FIELDPATH_ELEMENTS:
		if (json_type(value) != JSON_ARRAY)
			break;
		for (struct json_elements e = json_elements(value);
		     json_element(&e);)
			walk(path, end, false, e.value, fn, arg);
		break;
	}
}

void
fieldpath_each(
    const char *path, struct span object, fieldpath_fn *fn, void *arg)
{
	walk(path, strchr(path, '\0'), true, object, fn, arg);
}

/* ---- two paths beside each other ---- */

/* The rests of both behind the last list that they share. */
static void
skip_shared(const char **path, const char **other)
{
	const char *a = *path, *b = *other;
	struct span x = SPAN_NONE, y = SPAN_NONE;

	for (bool first = true; *a != '\0' && *b != '\0'; first = false) {
		enum fieldpath_step step = fieldpath_step(&a, first, &x);

		if (step != fieldpath_step(&b, first, &y) ||
		    (step == FIELDPATH_KEY && !span_eq(x, y)))
			return;
		if (step == FIELDPATH_ELEMENTS) {
			*path = a;
			*other = b;
		}
	}
}

int
fieldpath_check_beside(const char *path, const char *other, struct err *err)
{
	const char *a = path, *b = other;
	struct span key;

	skip_shared(&a, &b);
	for (bool first = b == other; *b != '\0'; first = false)
		if (fieldpath_step(&b, first, &key) == FIELDPATH_ELEMENTS)
			return err_set(err, ERR_PERMANENT,
			    "%s goes through a list that %s does not go "
			    "through",
			    other, path);
	return 0;
}

struct pairing {
	const char *path, *other; /* whole */
	const char *path_rest, *other_rest;
	struct span beside;
	fieldpath_beside_fn *fn;
	void *arg;
};

static void
take_beside(void *arg, struct span value)
{
	struct pairing *p = arg;

	p->beside = value;
}

static void
tell_pair(void *arg, struct span value)
{
	struct pairing *p = arg;

	p->fn(p->arg, value, p->beside);
}

/* One element of the last list that both paths go through; or the object, if
 * they share none. */
static void
pair_in(void *arg, struct span element)
{
	struct pairing *p = arg;

	p->beside = SPAN_NONE;
	walk(p->other_rest, strchr(p->other_rest, '\0'),
	    p->other_rest == p->other, element, take_beside, p);
	walk(p->path_rest, strchr(p->path_rest, '\0'), p->path_rest == p->path,
	    element, tell_pair, p);
}

void
fieldpath_each_beside(const char *path, const char *other, struct span object,
    fieldpath_beside_fn *fn, void *arg)
{
	struct pairing p = {path, other, path, other, SPAN_NONE, fn, arg};

	skip_shared(&p.path_rest, &p.other_rest);
	walk(path, p.path_rest, true, object, pair_in, &p);
}
