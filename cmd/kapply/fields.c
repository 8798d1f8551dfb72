#include "fields.h"

#include <string.h>

#include "json/json.h"
#include "value/base64.h"

/* A step of a path: a member, or an element of a list: its index, "key=value,
 * key=value", or the value of one of a set. */
struct step {
	bool element;
	struct span text;
};

static bool
take_step(struct span *path, struct step *s)
{
	const char *p = path->p, *end = path->p + path->n, *stop;

	if (path->n < 2 || (*p != '.' && *p != '['))
		return false;
	s->element = *p == '[' && p[1] != '"';
	if (*p == '.') {
		for (stop = ++p; stop < end && *stop != '.' && *stop != '[';)
			stop++;
		s->text = span_make(p, (size_t)(stop - p));
	} else if (s->element) {
		p++;
		stop = memchr(p, ']', (size_t)(end - p));
		if (stop == NULL)
			return false;
		s->text = span_make(p, (size_t)(stop++ - p));
	} else {
		struct span rest = span_make(p + 1, path->n - 1);
		struct span key = json_value(&rest);

		if (key.n < 2 || rest.n == 0)
			return false;
		s->text = span_make(key.p + 1, key.n - 2);
		stop = rest.p + 1;
	}
	*path = span_make(stop, (size_t)(end - stop));
	return true;
}

/* A scalar as it stands in a step. */
static struct span
scalar(struct span value, struct buf *scratch)
{
	buf_reset(scratch);
	if (json_type(value) == JSON_STRING)
		return json_string(value, scratch);
	return json_type(value) == JSON_OBJECT || json_type(value) == JSON_ARRAY
	    ? SPAN_NONE
	    : value;
}

/* Does the step say key=value? */
static bool
says(const struct step *s, struct span key, struct span value)
{
	struct buf want = BUF_INIT, scratch = BUF_INIT;
	const char *at = s->text.p, *end = at + s->text.n;
	bool yes = false;

	buf_addspan(&want, key);
	buf_addc(&want, '=');
	buf_addspan(&want, scalar(value, &scratch));
	while (!yes && at < end) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *stop = comma != NULL ? comma : end;

		yes = span_eq(
		    span_make(at, (size_t)(stop - at)), buf_span(&want));
		at = stop + 1;
	}
	buf_release(&want);
	buf_release(&scratch);
	return yes;
}

static bool
is_number(struct span text, size_t *n)
{
	*n = 0;
	for (size_t i = 0; i < text.n; i++) {
		if (!span_is_digit(text.p[i]) || i > 8)
			return false;
		*n = *n * 10 + (size_t)(text.p[i] - '0');
	}
	return text.n > 0;
}

/* Whether the element has all keys of the step, with their values. */
static bool
has_keys(const struct step *s, struct span element)
{
	size_t said = 1, found = 0;

	for (size_t i = 0; i < s->text.n; i++)
		said += s->text.p[i] == ',';
	for (struct json_members m = json_members(element); json_member(&m);)
		found += says(s, m.key, m.value);
	/* A protocol that is left out is TCP. */
	if (json_get(element, "protocol").n == 0 &&
	    says(s, span_str("protocol"), span_str("\"TCP\"")))
		found++;
	return found == said;
}

static struct span
live_element(struct span list, const struct step *s)
{
	struct json_elements e = json_elements(list);
	struct span found = SPAN_NONE;
	struct buf scratch = BUF_INIT;
	size_t index, n = 0;
	bool by_index = is_number(s->text, &index);

	while (found.n == 0 && json_element(&e)) {
		if (by_index ? n++ == index : has_keys(s, e.value))
			found = e.value;
		else if (!by_index &&
		    span_eq(scalar(e.value, &scratch), s->text))
			found = e.value;
	}
	buf_release(&scratch);
	return found;
}

/* Does the name of an element in FieldsV1 mean the step's? The element itself
 * helps where the step is an index and the name has keys. */
static bool
names_element(struct span name, const struct step *s, struct span element)
{
	struct buf scratch = BUF_INIT;
	struct span rest;
	bool yes = false;

	if (name.n < 2 || name.p[1] != ':')
		return false;
	rest = span_skip(name, 2);
	if (name.p[0] == 'i') {
		yes = span_eq(rest, s->text);
	} else if (name.p[0] == 'v') {
		yes = span_eq(scalar(rest, &scratch), s->text);
	} else if (name.p[0] == 'k') {
		yes = true;
		for (struct json_members m = json_members(rest);
		     json_member(&m);)
			yes = yes &&
			    (says(s, m.key, m.value) ||
				span_eq(json_get_raw(element, m.key), m.value));
	}
	buf_release(&scratch);
	return yes;
}

static struct span
field_child(struct span fields, const struct step *s, struct span element)
{
	struct buf name = BUF_INIT;
	struct span found = SPAN_NONE;

	for (struct json_members m = json_members(fields);
	     found.n == 0 && json_member(&m);) {
		struct span quoted = span_make(m.key.p - 1, m.key.n + 2);
		struct span key;

		if (!s->element) {
			if (m.key.n > 2 && span_starts(m.key, "f:") &&
			    span_eq(span_skip(m.key, 2), s->text))
				found = m.value;
			continue;
		}
		buf_reset(&name);
		key = json_string(quoted, &name);
		if (names_element(key, s, element))
			found = m.value;
	}
	buf_release(&name);
	return found;
}

static struct span
child(struct span value, const struct step *s)
{
	return s->element ? live_element(value, s)
			  : json_get_raw(value, s->text);
}

/* The fields at the path, of a manager's; empty, if that or a map or list on the
 * way is owned as a whole. SPAN_NONE: it owns nothing there. */
static struct span
owned(struct span fields, struct span object, struct span path)
{
	struct step s;

	while (take_step(&path, &s)) {
		object = child(object, &s);
		fields = field_child(fields, &s, object);
		if (json_is_empty(fields))
			break;
	}
	return fields;
}

/* The field itself; SPAN_NONE: it is not there. */
static struct span
walk(struct span object, struct span path)
{
	struct step s;

	while (object.n > 0 && take_step(&path, &s))
		object = child(object, &s);
	return object;
}

/* The server keeps a text of stringData of a Secret in data. SPAN_NONE: it is
 * another field. */
static struct span
kept_path(struct buf *b, struct span object, struct span path)
{
	static const char text[] = ".stringData";
	size_t n = sizeof(text) - 1;

	if (!json_is(json_get(object, "kind"), "Secret") ||
	    !json_is(json_get(object, "apiVersion"), "v1") || path.n <= n ||
	    !span_starts(path, text) || (path.p[n] != '.' && path.p[n] != '['))
		return SPAN_NONE;
	buf_adds(b, ".data");
	buf_addspan(b, span_skip(path, n));
	return buf_span(b);
}

/* Whether the text is the one that base64 encodes. */
static bool
is_same_text(struct span text, struct span base64)
{
	struct buf one = BUF_INIT, other = BUF_INIT, coded = BUF_INIT;
	bool same = false;

	if (json_type(text) == JSON_STRING &&
	    json_type(base64) == JSON_STRING) {
		base64_add(&coded, json_string(text, &one));
		same = span_eq(buf_span(&coded), json_string(base64, &other));
	}
	buf_release(&one);
	buf_release(&other);
	buf_release(&coded);
	return same;
}

bool
fields_are_right(struct span wish, struct span object, struct span path)
{
	struct buf scratch = BUF_INIT;
	struct span wanted = walk(wish, path), live = walk(object, path);
	struct span kept = kept_path(&scratch, object, path);
	bool right = (wanted.n > 0 && span_eq(wanted, live)) ||
	    (kept.n > 0 && is_same_text(wanted, walk(object, kept)));

	buf_release(&scratch);
	return right;
}

/* The managers that own a field. */
struct owners {
	struct buf one;	   /* the name of the first, but ours */
	bool ours, others; /* own it, too */
	bool split;	   /* a manager owns a part, and not the whole */
};

static void
find_owners(
    struct owners *o, struct span object, struct span path, struct span ours)
{
	struct json_elements e =
	    json_elements(json_path(object, "metadata.managedFields"));
	struct buf scratch = BUF_INIT;

	while (json_element(&e)) {
		struct span name, part;

		part = owned(json_get(e.value, "fieldsV1"), object, path);
		o->split = o->split || !json_is_empty(part);
		buf_reset(&scratch);
		name = json_string(json_get(e.value, "manager"), &scratch);
		if (name.n == 0 || part.n == 0)
			continue;
		if (span_eq(name, ours))
			o->ours = true;
		else if (o->one.len == 0)
			buf_addspan(&o->one, name);
		else if (!span_eq(name, buf_span(&o->one)))
			o->others = true;
	}
	buf_release(&scratch);
}

static enum fields_found
find_setter(
    struct buf *name, struct span object, struct span path, struct span ours)
{
	struct owners o = {.one = BUF_INIT};
	enum fields_found found;

	find_owners(&o, object, path, ours);
	if (o.one.len == 0)
		found =
		    walk(object, path).n > 0 ? FIELDS_UNOWNED : FIELDS_ABSENT;
	else if (o.ours || o.others || o.split)
		found = FIELDS_SHARED;
	else
		found = FIELDS_OWNED;
	if (found == FIELDS_OWNED)
		buf_addspan(name, buf_span(&o.one));
	buf_release(&o.one);
	return found;
}

/* An apply of stringData owns that, and every other write owns data. */
enum fields_found
fields_setter(
    struct buf *name, struct span object, struct span path, struct span ours)
{
	struct buf scratch = BUF_INIT;
	struct span kept = kept_path(&scratch, object, path);
	enum fields_found found = FIELDS_ABSENT, given = FIELDS_ABSENT;

	if (kept.n > 0)
		found = find_setter(name, object, kept, ours);
	if (found != FIELDS_OWNED)
		given = find_setter(name, object, path, ours);
	buf_release(&scratch);
	return kept.n == 0 || given == FIELDS_OWNED ? given : found;
}

static void
add_union(struct buf *b, struct span one, struct span other, unsigned depth)
{
	buf_addc(b, '{');
	for (struct json_members m = json_members(one); json_member(&m);) {
		struct span too = json_get_raw(other, m.key);

		json_add_raw_key(b, m.key);
		if (too.n == 0 || depth == JSON_DEPTH_MAX)
			buf_addspan(b, m.value);
		else
			add_union(b, m.value, too, depth + 1);
	}
	for (struct json_members m = json_members(other); json_member(&m);) {
		if (json_get_raw(one, m.key).n > 0)
			continue;
		json_add_raw_key(b, m.key);
		buf_addspan(b, m.value);
	}
	buf_addc(b, '}');
}

void
fields_union(struct buf *b, struct span one, struct span other)
{
	add_union(b, one, other, 0);
}
