/*
 * Part of agree/agree.h: agreement of two texts, without trees of values.
 *
 * The rules are those of agree.c, in the same order. Where reading and spelling
 * could differ (a key with an escape, 1 and 1.0, stringData), nothing is
 * certain here.
 */
#include "agree/agree.h"

#include <string.h>

#include "agree/apischema.h"
#include "agree/flat.h"
#include "agree/listkeys.h"
#include "value/quantity.h"

struct texts {
	struct apischema schema;
	struct flat desired, observed;
};

/* Whether value d of desired and value o of observed, or ABSENT, agree. */
static bool agrees(const struct texts *t, uint32_t d, uint32_t o,
    const struct apischema_place *place);

/* The number of a value that is not there: 0 is the whole object, which is a
 * member of nothing. */
enum { ABSENT = 0 };

/* Nothing, null, "" or []: equals an absent field anywhere. */
static bool
is_nothing(const struct flat *f, uint32_t i)
{
	switch (f->values[i].type) {
	case JSON_NULL:
		return true;
	case JSON_STRING:
		return f->values[i].n == 0;
	case JSON_ARRAY:
		return flat_is_hollow(f, i);
	default:
		return false;
	}
}

static bool
same_strings(const struct flat_value *a, const struct flat_value *b)
{
	struct buf one = BUF_INIT, other = BUF_INIT;
	bool same;

	if (!a->escaped && !b->escaped)
		return span_eq(flat_span(a), flat_span(b));
	same = span_eq(json_string(span_make(a->p - 1, a->n + 2), &one),
	    json_string(span_make(b->p - 1, b->n + 2), &other));
	buf_release(&one);
	buf_release(&other);
	return same;
}

/* Reads an amount whose text is certainly the one that agree.c reads. */
static bool
read_amount(const struct flat_value *v, struct quantity *q)
{
	int64_t n;

	if (v->type == JSON_STRING ? v->escaped
				   : v->type != JSON_NUMBER || v->n > 15 ||
		    !json_int(flat_span(v), &n))
		return false;
	return quantity_parse(flat_span(v), q) == NULL && !q->rounded;
}

static bool
scalars_agree(const struct texts *t, const struct flat_value *a,
    const struct flat_value *b, const struct apischema_place *place)
{
	struct quantity x, y;

	if (a->type == b->type &&
	    (a->type == JSON_STRING ? same_strings(a, b)
				    : span_eq(flat_span(a), flat_span(b))))
		return true;
	return apischema_is_quantity(&t->schema, place) && read_amount(a, &x) &&
	    read_amount(b, &y) && quantity_cmp(&x, &y) == 0;
}

/* value becomes the value of this key in object o, or ABSENT; of equal keys the
 * last counts. False: a key of o may be spelt with escapes. */
static bool
find_member(const struct flat *f, uint32_t o, struct span key, uint32_t *value)
{
	const struct flat_value *v = f->values;

	*value = ABSENT;
	for (uint32_t k = o + 1; k < v[o].next; k = v[k + 1].next) {
		if (v[k].escaped)
			return false;
		if (span_eq(flat_span(&v[k]), key))
			*value = k + 1;
	}
	return true;
}

static bool
objects_agree(const struct texts *t, uint32_t d, uint32_t o,
    const struct apischema_place *place)
{
	const struct flat_value *v = t->desired.values;

	if (t->observed.values[o].type != JSON_OBJECT)
		return false;
	for (uint32_t k = d + 1; k < v[d].next; k = v[k + 1].next) {
		struct apischema_place at = {
		    place, flat_span(&v[k]), SPAN_NONE, 0};
		uint32_t other;

		if (v[k].escaped ||
		    !find_member(&t->observed, o, at.key, &other) ||
		    !agrees(t, k + 1, other, &at))
			return false;
	}
	return true;
}

static bool
plain_lists_agree(const struct texts *t, uint32_t d, uint32_t o,
    const struct apischema_place *place)
{
	const struct flat_value *a = t->desired.values;
	const struct flat_value *b = t->observed.values;
	struct apischema_place at = {place, SPAN_NONE, SPAN_NONE, 0};
	uint32_t i = d + 1, j = o + 1;

	for (; i < a[d].next && j < b[o].next; i = a[i].next, j = b[j].next) {
		if (!agrees(t, i, j, &at))
			return false;
		at.index++;
	}
	return i == a[d].next && j == b[o].next;
}

static bool
keyed_lists_agree(const struct texts *t, uint32_t d, uint32_t o,
    const struct listkeys *keys, const struct listkeys *others,
    const struct apischema_place *place)
{
	const struct flat_value *v = t->desired.values;
	uint32_t i = d + 1;

	for (int n = 0; n < keys->count; n++, i = v[i].next) {
		struct apischema_place at = {
		    place, SPAN_NONE, listkeys_get(keys, n), n};
		int m = listkeys_find(keys, n, others);
		uint32_t j = o + 1;

		if (m < 0)
			return false;
		while (m-- > 0)
			j = t->observed.values[j].next;
		if (v[i].type == JSON_OBJECT && !agrees(t, i, j, &at))
			return false;
	}
	return true;
}

static bool
lists_agree(const struct texts *t, uint32_t d, uint32_t o,
    const struct apischema_place *place)
{
	struct apischema_list how = apischema_list(&t->schema, place);
	struct listkeys keys, others;
	bool same;

	if (t->observed.values[o].type != JSON_ARRAY)
		return false;
	if (how.type == LIST_PLAIN)
		return plain_lists_agree(t, d, o, place);
	if (listkeys_read(&keys, &how, &t->desired, d) != 0)
		return false;
	if (listkeys_read(&others, &how, &t->observed, o) != 0) {
		listkeys_release(&keys);
		return false;
	}
	same = keys.complete ? keyed_lists_agree(t, d, o, &keys, &others, place)
			     : plain_lists_agree(t, d, o, place);
	listkeys_release(&keys);
	listkeys_release(&others);
	return same;
}

static bool
agrees(const struct texts *t, uint32_t d, uint32_t o,
    const struct apischema_place *place)
{
	const struct flat_value *v = &t->desired.values[d];

	if (is_nothing(&t->desired, d))
		return v->type == JSON_NULL || o == ABSENT ||
		    is_nothing(&t->observed, o) ||
		    (v->type == JSON_ARRAY &&
			apischema_list(&t->schema, place).type != LIST_PLAIN);
	if (o == ABSENT)
		return v->type == JSON_OBJECT &&
		    flat_is_hollow(&t->desired, d) &&
		    (apischema_is_map(&t->schema, place) ||
			apischema_is_dropped(&t->schema, place));
	switch (v->type) {
	case JSON_OBJECT:
		return objects_agree(t, d, o, place);
	case JSON_ARRAY:
		return lists_agree(t, d, o, place);
	default:
		return scalars_agree(t, v, &t->observed.values[o], place);
	}
}

/* The text of a member of the whole object; empty if there is none. */
static struct span
member_text(const struct flat *f, const char *key)
{
	uint32_t i;

	if (!find_member(f, 0, span_str(key), &i) || i == ABSENT ||
	    f->values[i].type != JSON_STRING)
		return span_str("");
	return flat_span(&f->values[i]);
}

bool
agree_surely(struct span desired, struct span observed)
{
	static const struct apischema_place top = {
	    NULL, {NULL, 0}, {NULL, 0}, 0};
	const struct span written = span_str("stringData");
	uint32_t string_data = ABSENT;
	struct texts t;
	bool same, sure = true;

	flat_read(&t.desired, desired);
	flat_read(&t.observed, observed);
	t.schema = apischema_of(member_text(&t.desired, "apiVersion"),
	    member_text(&t.desired, "kind"));
	if (t.schema.builtin && span_is(t.schema.kind, "Secret"))
		sure = find_member(&t.desired, 0, written, &string_data) &&
		    string_data == ABSENT;
	same = sure && t.desired.values[0].type == JSON_OBJECT &&
	    objects_agree(&t, 0, 0, &top);
	flat_release(&t.desired);
	flat_release(&t.observed);
	return same;
}
