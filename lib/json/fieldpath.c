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

static void
walk(const char *path, bool first, struct span value, fieldpath_fn *fn,
    void *arg)
{
	struct span key = SPAN_NONE;

	if (*path == '\0' && !first) {
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
				walk(path, false, m.value, fn, arg);
		break;
	case FIELDPATH_ELEMENTS:
		if (json_type(value) != JSON_ARRAY)
			break;
		for (struct json_elements e = json_elements(value);
		     json_element(&e);)
			walk(path, false, e.value, fn, arg);
		break;
	}
}

void
fieldpath_each(
    const char *path, struct span object, fieldpath_fn *fn, void *arg)
{
	walk(path, true, object, fn, arg);
}
