#include "agree/agree.h"

#include <string.h>

#include "agree/apischema.h"
#include "agree/listkeys.h"
#include "base/array.h"
#include "base/utf8.h"
#include "json/jvtext.h"
#include "value/base64.h"
#include "value/digest.h"
#include "value/quantity.h"

/* Placeholders for texts in a status, by bits of enum agree_text. */
static const char *const placeholders[] = {"${error}", "${manager}"};

struct comparison {
	struct apischema schema;
	enum {
		ONE_WAY, /* observed may hold more */
		BOTH_WAYS
	} direction;
	unsigned texts;	    /* placeholders that agree with any text */
	struct buf *path;   /* gets the first path that differs; or NULL */
	struct buf *values; /* gets the values at that path; or NULL */
	const struct agree_each *each; /* gets all differences; or NULL */
	struct buf *error; /* the first text for "${error}", or NULL */
	jv string_data;	   /* stringData of a desired Secret, or invalid */
};

static bool compare(const struct comparison *c, jv desired, jv observed,
    const struct apischema_place *place);

/* was and wish: the values as text, or none. Returns whether the comparison
 * goes on, because all differences are wanted. */
static bool
differ_as(const struct comparison *c, const struct apischema_place *place,
    jv observed, struct span was, struct span wish)
{
	struct buf path = BUF_INIT;

	if (c->each == NULL) {
		if (c->path != NULL)
			apischema_add_place(c->path, place);
		if (c->values != NULL && was.p != NULL)
			buf_addf(c->values, "%.*s, then %.*s", SPAN_ARG(was),
			    SPAN_ARG(wish));
		return false;
	}
	apischema_add_place(&path, place);
	if (c->each->found != NULL)
		c->each->found(c->each->arg, buf_span(&path), was, wish);
	if (c->each->whole != NULL)
		c->each->whole(c->each->arg, buf_span(&path), observed);
	buf_release(&path);
	return true;
}

static bool
differ(const struct comparison *c, const struct apischema_place *place,
    jv observed)
{
	return differ_as(c, place, observed, SPAN_NONE, SPAN_NONE);
}

static void
add_value(struct buf *b, jv value)
{
	enum { LONGEST = 64 };
	size_t at = b->len;

	if (!jv_is_valid(value) || jvtext_add(b, value, NULL) != 0)
		buf_adds(b, "nothing");
	if (b->len - at <= LONGEST)
		return;
	b->len = at + utf8_cut(span_make(b->data + at, b->len - at), LONGEST);
	buf_adds(b, "...");
}

static bool
differ_by(const struct comparison *c, jv desired, jv observed,
    const struct apischema_place *place)
{
	struct buf was = BUF_INIT, wish = BUF_INIT;
	bool same;

	if (c->each == NULL && c->values == NULL)
		return differ(c, place, observed);
	add_value(&was, observed);
	add_value(&wish, desired);
	same = differ_as(c, place, observed, buf_span(&was), buf_span(&wish));
	buf_release(&was);
	buf_release(&wish);
	return same;
}

/* Whether value equals an absent field, anywhere. */
static bool
is_empty(
    const struct apischema *s, jv value, const struct apischema_place *place)
{
	switch (jv_get_kind(value)) {
	case JV_KIND_INVALID:
	case JV_KIND_NULL:
		return true;
	case JV_KIND_STRING:
		return jvtext_span(value).n == 0;
	case JV_KIND_ARRAY:
		return jv_array_length(jv_copy(value)) == 0;
	case JV_KIND_OBJECT:
		return (apischema_is_map(s, place) ||
			   apischema_is_dropped(s, place)) &&
		    jv_object_length(jv_copy(value)) == 0;
	default:
		return false;
	}
}

/* "cannot do: ${error}" agrees with "cannot do: anything", which is filled. */
static bool
matches(struct span pattern, const char *placeholder, struct span text,
    struct buf *filled)
{
	size_t n = strlen(placeholder);
	const char *first = memmem(pattern.p, pattern.n, placeholder, n);
	const char *last = first;
	struct span head, tail;

	if (first == NULL)
		return span_eq(pattern, text);
	for (const char *p = first; p != NULL;
	     p = memmem(p + n, (size_t)(pattern.p + pattern.n - p) - n,
		 placeholder, n))
		last = p;
	head = span_make(pattern.p, (size_t)(first - pattern.p));
	tail = span_make(last + n, (size_t)(pattern.p + pattern.n - last) - n);
	if (text.n < head.n + tail.n || memcmp(text.p, head.p, head.n) != 0 ||
	    memcmp(text.p + text.n - tail.n, tail.p, tail.n) != 0)
		return false;
	if (filled != NULL && filled->len == 0 && first == last)
		buf_add(filled, text.p + head.n, text.n - head.n - tail.n);
	return true;
}

static int
to_quantity(jv value, struct quantity *q)
{
	struct span s = jvtext_span(value);
	struct buf text = BUF_INIT;
	int rc;

	if (s.p != NULL)
		return quantity_parse(s, q) == NULL ? 0 : -1;
	if (jv_get_kind(value) != JV_KIND_NUMBER ||
	    jvtext_add(&text, value, NULL) != 0)
		return -1;
	rc = quantity_parse(buf_span(&text), q) == NULL ? 0 : -1;
	buf_release(&text);
	return rc;
}

bool
agree_quantities(jv a_peek, jv b_peek)
{
	struct quantity a, b;

	return to_quantity(a_peek, &a) == 0 && to_quantity(b_peek, &b) == 0 &&
	    !a.rounded && !b.rounded && quantity_cmp(&a, &b) == 0;
}

static bool
compare_scalar(const struct comparison *c, jv desired, jv observed,
    const struct apischema_place *place)
{
	bool same = jv_equal(jv_copy(desired), jv_copy(observed));

	if (!same && apischema_is_quantity(&c->schema, place))
		same = agree_quantities(desired, observed);
	for (size_t i = 0; i < COUNT(placeholders) && !same; i++)
		same = (c->texts & 1u << i) != 0 &&
		    jv_get_kind(desired) == JV_KIND_STRING &&
		    jv_get_kind(observed) == JV_KIND_STRING &&
		    matches(jvtext_span(desired), placeholders[i],
			jvtext_span(observed),
			1u << i == AGREE_ERROR ? c->error : NULL);
	return same || differ_by(c, desired, observed, place);
}

/* stringData of a Secret is write-only: it is read as data, in base64. */
static bool
compare_string_data(const struct comparison *c, jv desired, jv observed,
    const struct apischema_place *place)
{
	jv data = jvtext_peek(observed, "data");

	jv_object_foreach(desired, key, value)
	{
		struct span want = jvtext_span(value);
		struct apischema_place at = {
		    place, jvtext_span(key), SPAN_NONE, 0};
		jv text = jv_get_kind(data) == JV_KIND_OBJECT
		    ? jv_object_get(jv_copy(data), jv_copy(key))
		    : jv_invalid();
		struct buf got = BUF_INIT;
		bool same = jv_get_kind(text) != JV_KIND_STRING
		    ? want.n == 0
		    : base64_decode(
			  jvtext_span(text), BASE64_BLANKS, &got, NULL) == 0 &&
			span_eq(want, buf_span(&got));

		same = same || differ(c, &at, text);
		buf_release(&got);
		jv_free(text);
		jv_free(key);
		jv_free(value);
		if (!same)
			return false;
	}
	return true;
}

/* observed may have only members that are desired, or that equal absent
 * ones. */
static bool
nothing_more(const struct comparison *c, jv desired, jv observed,
    const struct apischema_place *place)
{
	jv_object_foreach(observed, key, value)
	{
		struct apischema_place at = {
		    place, jvtext_span(key), SPAN_NONE, 0};
		bool same = is_empty(&c->schema, value, &at) ||
		    jv_object_has(jv_copy(desired), jv_copy(key));

		same = same || differ(c, &at, value);
		jv_free(key);
		jv_free(value);
		if (!same)
			return false;
	}
	return true;
}

static bool
compare_member(const struct comparison *c, const struct jvtext_member *m,
    jv observed, const struct apischema_place *at)
{
	bool top = at->up->up == NULL;
	struct span key = at->key;
	jv other;
	bool same;

	if (top && jv_is_valid(c->string_data) && span_is(key, "stringData"))
		return compare_string_data(c, m->value, observed, at);
	if (!top && at->up->up->up == NULL && span_is(at->up->key, "data") &&
	    jv_is_valid(c->string_data) &&
	    jv_object_has(jv_copy(c->string_data), jv_copy(m->name)))
		return true; /* stringData wins */
	other = jv_object_get(jv_copy(observed), jv_copy(m->name));
	same = compare(c, m->value, other, at);
	jv_free(other);
	return same;
}

/* Compares in the order of the keys if the caller wants to know which member
 * differs: then the same object always has the same first difference. */
static bool
compare_object(const struct comparison *c, jv desired, jv observed,
    const struct apischema_place *place)
{
	struct jvtext_members m;
	bool same = true;

	if (jv_get_kind(observed) != JV_KIND_OBJECT)
		return differ(c, place, observed);
	jvtext_members_init(&m, desired,
	    c->path != NULL || c->each != NULL ? JVTEXT_SORTED : JVTEXT_KEPT);
	for (size_t i = 0; same && i < m.count; i++) {
		struct apischema_place at = {
		    place, m.items[i].key, SPAN_NONE, 0};

		same = compare_member(c, &m.items[i], observed, &at);
	}
	jvtext_members_release(&m);
	return same &&
	    (c->direction == ONE_WAY ||
		nothing_more(c, desired, observed, place));
}

/*
 * Notes a list of another length. In a custom resource, whose schema is not
 * known, other clients may add elements to the list: there `whole` gets the
 * desired elements that the list lacks.
 */
static bool
differ_in_length(const struct comparison *c, jv desired, jv observed,
    const struct apischema_place *place)
{
	struct comparison quiet = {.schema = c->schema,
	    .direction = c->direction,
	    .string_data = c->string_data};
	jv lacking;
	bool same;

	if (c->schema.builtin || c->each == NULL)
		return differ(c, place, observed);
	lacking = jv_array();
	jv_array_foreach(desired, i, wanted)
	{
		struct apischema_place at = {place, SPAN_NONE, SPAN_NONE, i};
		bool found = false;

		jv_array_foreach(observed, j, element)
		{
			found = found || compare(&quiet, wanted, element, &at);
			jv_free(element);
		}
		if (found)
			jv_free(wanted);
		else
			lacking = jv_array_append(lacking, wanted);
	}
	same = differ(c, place, lacking);
	jv_free(lacking);
	return same;
}

/* Elements of a keyed list are compared by key, if all desired ones have one;
 * others by index. */
static bool
compare_array(const struct comparison *c, jv desired, jv observed,
    const struct apischema_place *place)
{
	struct apischema_list how = apischema_list(&c->schema, place);
	struct listkeys keys = {.complete = false};
	struct listkeys others = {.complete = false};
	int n = jv_array_length(jv_copy(desired));
	bool keyed, other_length, same = true;

	if (jv_get_kind(observed) != JV_KIND_ARRAY)
		return differ(c, place, observed);
	if (how.type != LIST_PLAIN) {
		listkeys_init(&keys, &how, desired);
		listkeys_init(&others, &how, observed);
	}
	keyed = keys.complete;
	other_length = jv_array_length(jv_copy(observed)) != n;
	if (other_length && !keyed) {
		same = differ_in_length(c, desired, observed, place);
		n = 0;
	} else if (other_length && c->direction == BOTH_WAYS) {
		same = differ(c, place, observed);
		n = 0;
	}
	for (int i = 0; i < n && same; i++) {
		struct apischema_place at = {place, SPAN_NONE,
		    keyed ? listkeys_get(&keys, i) : SPAN_NONE, i};
		int j = keyed ? listkeys_find(&keys, i, &others) : i;
		jv a, b;

		if (j < 0) {
			same = differ(c, &at, jv_invalid());
			continue;
		}
		a = jv_array_get(jv_copy(desired), i);
		b = jv_array_get(jv_copy(observed), j);
		/* An element without a key counts even if it is empty; of a
		 * set, the key is all there is. */
		same = (keyed && jv_get_kind(a) != JV_KIND_OBJECT) ||
		    compare(c, a, b, &at);
		jv_free(a);
		jv_free(b);
	}
	listkeys_release(&keys);
	listkeys_release(&others);
	return same;
}

/* Whether observed agrees with a desired empty value. */
static bool
compare_empty(const struct comparison *c, jv desired, jv observed,
    const struct apischema_place *place)
{
	if (is_empty(&c->schema, observed, place))
		return true;
	if (c->direction == BOTH_WAYS)
		return differ_by(c, desired, observed, place);
	/* null desires nothing; a map or keyed list may hold more. */
	if (jv_get_kind(desired) == JV_KIND_NULL ||
	    jv_get_kind(desired) == JV_KIND_OBJECT ||
	    (jv_get_kind(desired) == JV_KIND_ARRAY &&
		apischema_list(&c->schema, place).type != LIST_PLAIN))
		return true;
	return differ(c, place, observed);
}

static bool
compare(const struct comparison *c, jv desired, jv observed,
    const struct apischema_place *place)
{
	if (is_empty(&c->schema, desired, place))
		return compare_empty(c, desired, observed, place);
	if (!jv_is_valid(observed))
		return differ_by(c, desired, observed, place);
	switch (jv_get_kind(desired)) {
	case JV_KIND_OBJECT:
		return compare_object(c, desired, observed, place);
	case JV_KIND_ARRAY:
		return compare_array(c, desired, observed, place);
	default:
		return compare_scalar(c, desired, observed, place);
	}
}

static const struct apischema_place top = {NULL, {NULL, 0}, {NULL, 0}, 0};

static bool
compare_whole(jv desired_peek, jv observed_peek, struct comparison c)
{
	c.schema =
	    apischema_of(jvtext_span(jvtext_peek(desired_peek, "apiVersion")),
		jvtext_span(jvtext_peek(desired_peek, "kind")));
	c.string_data = jv_invalid();
	if (c.schema.builtin && span_is(c.schema.kind, "Secret"))
		c.string_data = jvtext_peek(desired_peek, "stringData");
	if (jv_get_kind(c.string_data) != JV_KIND_OBJECT)
		c.string_data = jv_invalid();
	return compare(&c, desired_peek, observed_peek, &top);
}

bool
agree_object(jv desired_peek, jv observed_peek, struct buf *path)
{
	return agree_values(desired_peek, observed_peek, path, NULL);
}

bool
agree_values(
    jv desired_peek, jv observed_peek, struct buf *path, struct buf *values)
{
	return compare_whole(desired_peek, observed_peek,
	    (struct comparison){.path = path, .values = values});
}

void
agree_differences(
    jv desired_peek, jv observed_peek, const struct agree_each *each)
{
	compare_whole(
	    desired_peek, observed_peek, (struct comparison){.each = each});
}

/* A status that is absent or null is the same as {}. */
static jv
status_of(jv status_peek)
{
	return jv_get_kind(status_peek) == JV_KIND_OBJECT ? jv_copy(status_peek)
							  : jv_object();
}

static bool
compare_status(jv desired_peek, jv observed_peek, struct comparison c)
{
	struct apischema_place status = {
	    &top, span_str("status"), SPAN_NONE, 0};
	jv desired = status_of(desired_peek);
	jv observed = status_of(observed_peek);
	bool same;

	c.direction = BOTH_WAYS;
	c.string_data = jv_invalid();
	same = compare(&c, desired, observed, &status);

	jv_free(desired);
	jv_free(observed);
	return same;
}

bool
agree_status_values(
    jv desired_peek, jv observed_peek, struct buf *path, struct buf *values)
{
	return compare_status(desired_peek, observed_peek,
	    (struct comparison){.path = path, .values = values});
}

bool
agree_template(
    jv template_peek, jv observed_peek, unsigned texts, struct buf *error)
{
	struct buf filled = BUF_INIT;
	bool same = compare_status(template_peek, observed_peek,
	    (struct comparison){.texts = texts, .error = &filled});

	if (same && error != NULL)
		buf_addspan(error, buf_span(&filled));
	buf_release(&filled);
	return same;
}

/* ---- keys of a ConfigMap or a Secret ---- */

static bool
has_value(jv map_peek, struct span key)
{
	jv found = jv_invalid();
	bool has;

	if (jv_get_kind(map_peek) == JV_KIND_OBJECT)
		found = jv_object_get(
		    jv_copy(map_peek), jv_string_sized(key.p, (int)key.n));
	has = jv_is_valid(found) && jv_get_kind(found) != JV_KIND_NULL;
	jv_free(found);
	return has;
}

/* The first key of observed[map] that desired does not have. */
static bool
has_more(jv desired, jv observed, const char *map, struct buf *path)
{
	struct apischema_place in = {&top, span_str(map), SPAN_NONE, 0};
	jv ours = jvtext_peek(desired, map);
	jv written = jvtext_peek(desired, "stringData");
	struct jvtext_members members;
	bool more = false;

	if (jv_get_kind(jvtext_peek(observed, map)) != JV_KIND_OBJECT)
		return false;
	jvtext_members_init(
	    &members, jvtext_peek(observed, map), JVTEXT_SORTED);
	for (size_t i = 0; i < members.count && !more; i++) {
		struct span key = members.items[i].key;
		struct apischema_place at = {&in, key, SPAN_NONE, 0};

		more = !has_value(ours, key) && !has_value(written, key);
		if (more && path != NULL)
			apischema_add_place(path, &at);
	}
	jvtext_members_release(&members);
	return more;
}

bool
agree_exactly(jv desired_peek, jv observed_peek, struct buf *path)
{
	static const char *const maps[] = {"binaryData", "data"};

	for (size_t i = 0; i < COUNT(maps); i++)
		if (has_more(desired_peek, observed_peek, maps[i], path))
			return false;
	return true;
}
