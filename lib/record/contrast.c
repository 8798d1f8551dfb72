#include "record/contrast.h"

#include "base/array.h"
#include "base/utf8.h"
#include "json/json.h"
#include "record/redacted.h"

#define NOT_TOLD "\"(not shown)\""

enum {
	STEPS_MAX = 1 << 20, /* over what is in another order */
	PATH_MAX_TOLD = 1024,
	HEADING_VALUE = 48
};

void
contrast_init(struct contrast *c, struct contrast_limits limits)
{
	*c = (struct contrast){.limits = limits};
}

void
contrast_release(struct contrast *c)
{
	buf_release(&c->fields);
	buf_release(&c->heading);
	buf_release(&c->path);
}

static struct span
cut(struct span value, size_t max)
{
	return span_make(value.p, utf8_cut(value, max));
}

/* The value, cut: if what would be told of it is the same in the other one,
 * from a little before they differ. */
static void
add_cut(struct buf *b, struct span value, struct span other, size_t max)
{
	size_t same = 0, from = 0, lead = max / 3;
	struct span shown;

	while (
	    same < value.n && same < other.n && value.p[same] == other.p[same])
		same++;
	if (value.n > max && same > max - lead)
		from = utf8_cut(value, same - lead);
	shown = cut(span_skip(value, from), max);
	buf_adds(b, from > 0 ? "…" : "");
	buf_addspan(b, shown);
	buf_adds(b, from + shown.n < value.n ? "…" : "");
}

/* ---- what is told ---- */

/* Annotations of a Secret may repeat its values, but not these. */
#define OURS "kpipe.dev/"

static bool
is_told(const struct contrast *c)
{
	static const char notes[] = ".metadata.annotations",
			  ours[] = ".metadata.annotations[\"" OURS;
	struct span path = buf_span(&c->path);

	if (c->secret &&
	    (span_starts(path, ".data") || span_starts(path, ".stringData")))
		return false;
	if (c->secret && span_starts(path, notes) && !span_starts(path, ours))
		return false;
	return !span_ends(path, "[\"" REDACTED_LAST_APPLIED "\"]") &&
	    !span_is(path, notes) && !span_is(path, ".metadata");
}

/* Fields that change with each version, or when a condition is looked at. */
static bool
is_dull(struct span path)
{
	return span_ends(path, "Time") || span_ends(path, "Generation") ||
	    span_ends(path, "Timestamp") || span_ends(path, "\"]");
}

static void
add_heading_value(struct buf *b, struct span value, struct span other)
{
	if (value.p == NULL)
		buf_adds(b, "absent");
	add_cut(b, value, other, HEADING_VALUE);
}

static void
set_heading(struct contrast *c, struct span from, struct span to, bool told)
{
	struct span path = buf_span(&c->path);
	bool dull = is_dull(path) && !span_ends(path, ".deletionTimestamp");

	if (c->heading.len > 0 && (dull || !c->dull))
		return;
	buf_reset(&c->heading);
	c->dull = dull;
	if (from.p == NULL && span_is(path, ".metadata.deletionTimestamp")) {
		buf_adds(&c->heading, "is to be deleted");
		return;
	}
	buf_addspan(&c->heading, cut(path, PATH_MAX_TOLD));
	if (!told)
		return;
	buf_addc(&c->heading, ' ');
	add_heading_value(&c->heading, from, to);
	buf_adds(&c->heading, " -> ");
	add_heading_value(&c->heading, to, from);
}

/* ---- fields ---- */

static void
add_value(struct contrast *c, struct span value, struct span other, bool told)
{
	struct buf text = BUF_INIT;

	json_add_comma(&c->fields);
	if (value.p == NULL || !told) {
		buf_adds(&c->fields, value.p == NULL ? "null" : "true");
		return;
	}
	add_cut(&text, value, other, c->limits.value);
	json_add_string(&c->fields, buf_span(&text));
	buf_release(&text);
}

static void
add_field(struct contrast *c, struct span from, struct span to)
{
	struct span path = buf_span(&c->path);
	bool told = is_told(c);

	if (span_starts(path, ".status"))
		c->status = true;
	else if (span_starts(path, ".metadata"))
		c->meta = true;
	else
		c->spec = true;
	set_heading(c, from, to, told);
	if (++c->count > c->limits.fields)
		return;
	if (c->count > 1)
		buf_addc(&c->fields, ',');
	buf_addc(&c->fields, '[');
	json_add_string(&c->fields, cut(path, PATH_MAX_TOLD));
	add_value(c, from, to, told);
	add_value(c, to, from, told);
	buf_addc(&c->fields, ']');
}

/* ---- the walk ---- */

static void compare(struct contrast *c, struct span from, struct span to);

/* A key with a dot or a slash is written ["a.b/c"]. Appends to path; returns
 * its length before. */
static size_t
enter(struct contrast *c, struct span key)
{
	size_t at = c->path.len;
	bool plain = key.n > 0;

	for (size_t i = 0; i < key.n; i++)
		plain = plain &&
		    (span_is_alnum(key.p[i]) || key.p[i] == '_' ||
			key.p[i] == '-');
	if (plain)
		buf_addc(&c->path, '.');
	else
		buf_adds(&c->path, "[\"");
	buf_addspan(&c->path, key);
	if (!plain)
		buf_adds(&c->path, "\"]");
	return at;
}

/* A hostile object would be searched for hours: what is not found by then
 * differs. */
static bool
may_step(struct contrast *c)
{
	return c->steps < STEPS_MAX && ++c->steps > 0;
}

/* The member of that key, which is at *next if both objects have one order. */
static struct span
member_of(struct contrast *c, struct span object, struct json_members *next,
    struct span key)
{
	struct json_members at = *next;

	if (json_member(&at) && span_eq(at.key, key)) {
		*next = at;
		return at.value;
	}
	at = json_members(object);
	while (may_step(c) && json_member(&at))
		if (span_eq(at.key, key)) {
			*next = at;
			return at.value;
		}
	return SPAN_NONE;
}

static void
compare_member(
    struct contrast *c, struct span key, struct span from, struct span to)
{
	size_t at;

	if (span_is(buf_span(&c->path), ".metadata") &&
	    (span_is(key, "resourceVersion") || span_is(key, "generation") ||
		span_is(key, "managedFields")))
		return;
	at = enter(c, key);
	compare(c, from, to);
	buf_truncate(&c->path, at);
}

/* Either may be absent. */
static void
compare_objects(struct contrast *c, struct span from, struct span to)
{
	struct json_members next = json_members(from);

	for (struct json_members m = json_members(to); json_member(&m);)
		compare_member(
		    c, m.key, member_of(c, from, &next, m.key), m.value);
	if (c->partial)
		return;
	next = json_members(to);
	for (struct json_members m = json_members(from); json_member(&m);)
		if (member_of(c, to, &next, m.key).p == NULL)
			compare_member(c, m.key, m.value, SPAN_NONE);
}

/* The member that tells the elements apart; NULL: their place does. */
static const char *
identity(struct span list)
{
	static const char keys[][5] = {"name", "type", "key", "uid"};

	for (size_t i = 0; i < COUNT(keys); i++) {
		bool all = true;
		struct json_elements e = json_elements(list);

		while (all && json_element(&e))
			all = json_type(json_get(e.value, keys[i])) ==
			    JSON_STRING;
		if (all)
			return keys[i];
	}
	return NULL;
}

/* The element whose key has the value, which is at *next if both lists have one
 * order. */
static struct span
element_of(struct contrast *c, struct span list, struct json_elements *next,
    const char *key, struct span value)
{
	struct json_elements at = *next;

	if (json_element(&at) && span_eq(json_get(at.value, key), value)) {
		*next = at;
		return at.value;
	}
	at = json_elements(list);
	while (may_step(c) && json_element(&at))
		if (span_eq(json_get(at.value, key), value)) {
			*next = at;
			return at.value;
		}
	return SPAN_NONE;
}

static void
compare_element(struct contrast *c, const char *key, struct span value,
    struct span from, struct span to)
{
	size_t at = c->path.len;

	buf_addf(&c->path, "[%s=", key);
	buf_addspan(&c->path, json_raw_string(value));
	buf_addc(&c->path, ']');
	compare(c, from, to);
	buf_truncate(&c->path, at);
}

static void
compare_by_key(
    struct contrast *c, const char *key, struct span from, struct span to)
{
	struct json_elements next = json_elements(from);

	for (struct json_elements e = json_elements(to); json_element(&e);) {
		struct span value = json_get(e.value, key);

		compare_element(c, key, value,
		    element_of(c, from, &next, key, value), e.value);
	}
	if (c->partial)
		return;
	next = json_elements(to);
	for (struct json_elements e = json_elements(from); json_element(&e);) {
		struct span value = json_get(e.value, key);

		if (element_of(c, to, &next, key, value).p == NULL)
			compare_element(c, key, value, e.value, SPAN_NONE);
	}
}

static void
compare_by_place(struct contrast *c, struct span from, struct span to)
{
	struct json_elements a = json_elements(from), b = json_elements(to);
	bool more_a = json_element(&a), more_b = json_element(&b);

	for (size_t i = 0; more_a || more_b; i++) {
		size_t at = c->path.len;

		buf_addf(&c->path, "[%zu]", i);
		compare(c, more_a ? a.value : SPAN_NONE,
		    more_b ? b.value : SPAN_NONE);
		buf_truncate(&c->path, at);
		more_a = more_a && json_element(&a);
		more_b = more_b && json_element(&b);
	}
}

static bool
has_elements(struct span list)
{
	struct json_elements e = json_elements(list);

	return json_element(&e);
}

static void
compare_lists(struct contrast *c, struct span from, struct span to)
{
	bool one = !has_elements(from) || !has_elements(to);
	const char *key = identity(has_elements(to) ? to : from);

	if (key != NULL && (one || key == identity(from)))
		compare_by_key(c, key, from, to);
	else
		compare_by_place(c, from, to);
}

static bool
is_object_or_absent(struct span value)
{
	return value.p == NULL || json_type(value) == JSON_OBJECT;
}

/* The digests of older recordings. */
static bool
is_digest(struct span value)
{
	struct span text = json_raw_string(value);

	for (size_t i = 0; i < text.n; i++)
		if (!span_is_digit(text.p[i]) &&
		    !(text.p[i] >= 'a' && text.p[i] <= 'f'))
			return false;
	return text.n == 32;
}

/* Values, or digests, of which at least one is under another key. */
static bool
cannot_tell(const struct contrast *c, struct span from, struct span to)
{
	struct buf one = BUF_INIT, other = BUF_INIT;
	struct span a, b;
	bool unlike;

	if (json_type(from) != JSON_STRING || json_type(to) != JSON_STRING)
		return false;
	a = redacted_of(json_raw_string(from), &one);
	b = redacted_of(json_raw_string(to), &other);
	unlike = a.n > 0 || b.n > 0
	    ? !redacted_compare(a, b)
	    : c->unlike && is_digest(from) && is_digest(to);
	buf_release(&one);
	buf_release(&other);
	return unlike;
}

/* A list of conditions that comes or goes as a whole is told as they are. */
static bool
is_conditions(const struct contrast *c, struct span any)
{
	return span_is(buf_span(&c->path), ".status.conditions") &&
	    json_type(any) == JSON_ARRAY;
}

static void
compare(struct contrast *c, struct span from, struct span to)
{
	struct span any = to.p != NULL ? to : from;

	if (from.n == to.n && span_eq(from, to))
		return;
	if (cannot_tell(c, from, to))
		return;
	if (is_object_or_absent(from) && is_object_or_absent(to) &&
	    !json_is_empty(any))
		compare_objects(c, from, to);
	else if (json_type(from) == JSON_ARRAY && json_type(to) == JSON_ARRAY)
		compare_lists(c, from, to);
	else if (is_conditions(c, any))
		compare_lists(c, from.p != NULL ? from : span_str("[]"),
		    to.p != NULL ? to : span_str("[]"));
	else
		add_field(c, from, to);
}

void
contrast_find(struct contrast *c, struct span from, struct span to, bool secret)
{
	buf_reset(&c->fields);
	buf_reset(&c->heading);
	buf_reset(&c->path);
	c->count = c->steps = 0;
	c->spec = c->status = c->meta = c->dull = false;
	c->secret = secret;
	compare(c, from, to);
}

/* ---- the whole ---- */

/* A member of an object that is shown, and the parts that have members of their
 * own. */
enum part { OBJECT, METADATA, ANNOTATIONS, VALUES, TOLD, HIDDEN, LEFT_OUT };

static enum part
part_of(enum part in, struct span key, bool secret)
{
	switch (in) {
	case OBJECT:
		if (secret &&
		    (span_is(key, "data") || span_is(key, "stringData")))
			return VALUES;
		return span_is(key, "metadata") ? METADATA : TOLD;
	case METADATA:
		if (span_is(key, "managedFields"))
			return LEFT_OUT;
		return span_is(key, "annotations") ? ANNOTATIONS : TOLD;
	case ANNOTATIONS:
		return span_is(key, REDACTED_LAST_APPLIED) ||
			(secret && !span_starts(key, OURS))
		    ? HIDDEN
		    : TOLD;
	default:
		return HIDDEN;
	}
}

static void
add_part(struct buf *b, struct span object, enum part in, bool secret)
{
	buf_addc(b, '{');
	for (struct json_members m = json_members(object); json_member(&m);) {
		enum part part = part_of(in, m.key, secret);

		if (part == LEFT_OUT)
			continue;
		json_add_raw_key(b, m.key);
		if (part == HIDDEN)
			buf_adds(b, NOT_TOLD);
		else if (part == TOLD)
			buf_addspan(b, m.value);
		else
			add_part(b, m.value, part, secret);
	}
	buf_addc(b, '}');
}

void
contrast_add_object(struct buf *b, struct span object, bool secret)
{
	add_part(b, object, OBJECT, secret);
}
