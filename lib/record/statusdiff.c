#include "record/statusdiff.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"
#include "json/json.h"

/* How telling a field is. */
enum rank { RANK_PHASE, RANK_WORD, RANK_FIELD, RANK_REST, RANK_NONE };

/* More fields are only counted. */
enum { FIELDS_MAX = 128 };

struct difference {
	struct buf path;
	struct span from, to;  /* strings whose text is JSON, or null */
	struct span condition; /* of a path .conditions[type=NAME].MEMBER */
	struct span member;
};

/* Splits a path of a condition. False: it is of another field. */
static bool
is_of_condition(struct difference *d)
{
	struct span rest = buf_span(&d->path);

	if (!span_take(&rest, ".conditions[type="))
		return false;
	d->condition = span_cut(&rest, ']');
	d->member = rest;
	return rest.n > 0;
}

static enum rank
rank_of(struct difference *d)
{
	struct span path = buf_span(&d->path);

	if (is_of_condition(d)) {
		if (span_is(d->member, ".status"))
			return RANK_WORD;
		if (span_is(d->member, ".type") ||
		    span_ends(d->member, "Time") ||
		    span_ends(d->member, "Generation"))
			return RANK_NONE;
		return RANK_REST;
	}
	if (span_is(path, ".observedGeneration"))
		return RANK_NONE;
	if (span_is(path, ".phase"))
		return RANK_PHASE;
	if (span_ends(path, "Time") || span_ends(path, ".reason") ||
	    span_ends(path, ".message"))
		return RANK_REST;
	path = span_skip(path, path.n > 0);
	if (span_find(path, '.') == NULL && span_find(path, '[') == NULL &&
	    (span_starts(json_raw_string(d->to), "\\\"") ||
		span_starts(json_raw_string(d->from), "\\\"")))
		return RANK_WORD;
	return RANK_FIELD;
}

/* A string that is one word stands without quotes. */
static void
add_value(struct buf *b, struct span value)
{
	struct buf text = BUF_INIT;
	struct span json = json_string(value, &text), word = SPAN_NONE;

	if (json.n > 2 && *json.p == '"' && json.p[json.n - 1] == '"')
		word = span_make(json.p + 1, json.n - 2);
	for (size_t i = 0; i < word.n; i++)
		if (span_is_among(word.p[i], " \\,;\""))
			word = SPAN_NONE;
	if (json_type(value) != JSON_STRING)
		json = span_str("nothing");
	buf_addspan(b, word.n > 0 ? word : json);
	buf_release(&text);
}

static void
add_difference(struct buf *b, struct difference *d)
{
	if (is_of_condition(d)) {
		buf_addspan(b, d->condition);
		if (!span_is(d->member, ".status")) {
			buf_addc(b, ' ');
			buf_addspan(b, span_skip(d->member, 1));
		}
	} else {
		buf_addspan(b,
		    span_skip(buf_span(&d->path),
			span_starts(buf_span(&d->path), ".")));
	}
	buf_addc(b, ' ');
	if (json_type(d->from) == JSON_STRING) {
		add_value(b, d->from);
		buf_adds(b, " -> ");
	}
	add_value(b, d->to);
}

/* The list that a path .LIST[0] is of; SPAN_NONE: it is of something else. */
static struct span
list_of(struct span path)
{
	struct span name = path, rest = path;

	if (!span_starts(path, ".") || span_find(path, '[') == NULL)
		return SPAN_NONE;
	name = span_cut(&rest, '[');
	if (span_find(span_skip(name, 1), '.') != NULL ||
	    !span_is_digits(span_cut(&rest, ']')) || rest.n > 0)
		return SPAN_NONE;
	return span_skip(name, 1);
}

/* The text in the making. */
struct telling {
	struct buf *out;
	struct span before, after, list; /* list: of [PATH, OLD, NEW] */
	size_t count, max;
	size_t value; /* bytes of a value */
};

static void
add_element(struct telling *t, const char *sign, struct span value)
{
	struct span text = json_raw_string(value), shown;

	text = text.n > 0 ? text : value;
	shown = span_make(text.p, utf8_cut(text, t->value));
	buf_adds(t->out, sign);
	buf_addspan(t->out, shown);
	buf_adds(t->out, shown.n < text.n ? "…" : "");
}

/* Appends " -ELEMENT" for each that the other list has not. */
static void
add_elements(
    struct telling *t, const char *sign, struct span list, struct span other)
{
	size_t count = 0;

	for (struct json_elements e = json_elements(list); json_element(&e);) {
		struct json_elements o = json_elements(other);
		bool found = false;

		while (!found && json_element(&o))
			found = span_eq(o.value, e.value);
		if (!found && count++ < t->max)
			add_element(t, sign, e.value);
	}
	if (count > t->max)
		buf_addf(t->out, "%s(%zu more)", sign, count - t->max);
}

/* Reads the next [PATH, OLD, NEW]. */
static bool
next_difference(struct json_elements *list, struct difference *d)
{
	struct json_elements field;

	if (!json_element(list))
		return false;
	field = json_elements(list->value);
	buf_reset(&d->path);
	if (json_element(&field))
		json_add_decoded(&d->path, field.value);
	if (span_starts(buf_span(&d->path), ".status"))
		buf_consume(&d->path, strlen(".status"));
	if (json_element(&field))
		d->from = field.value;
	if (json_element(&field))
		d->to = field.value;
	return true;
}

/* A list without names is told once, by what came and what went. */
static void
add_list(struct telling *t, struct span name)
{
	struct span before = json_get_raw(t->before, name);
	struct span after = json_get_raw(t->after, name);
	size_t at;

	buf_addspan(t->out, name);
	at = t->out->len;
	add_elements(t, " -", before, after);
	add_elements(t, " +", after, before);
	if (t->out->len == at)
		buf_adds(t->out, " in another order");
}

/* Appends those of one rank. */
static void
add_rank(struct telling *t, enum rank rank)
{
	struct json_elements e = json_elements(t->list);
	struct difference d = {.path = BUF_INIT};
	struct buf last = BUF_INIT;

	while (next_difference(&e, &d)) {
		struct span list = list_of(buf_span(&d.path));

		if (rank_of(&d) != rank ||
		    (list.n > 0 && span_eq(list, buf_span(&last))))
			continue;
		buf_reset(&last);
		buf_addspan(&last, list);
		if (t->count++ >= t->max)
			continue;
		buf_adds(t->out, t->count > 1 ? ", " : "");
		if (list.n > 0)
			add_list(t, list);
		else
			add_difference(t->out, &d);
	}
	buf_release(&last);
	buf_release(&d.path);
}

/* An object with that status. An empty one is absent, so that each field of the
 * other one is told; the object is not empty then. */
static void
add_whole(struct buf *b, struct span status)
{
	buf_adds(b, "{\"of\":0");
	if (status.p != NULL &&
	    (json_type(status) != JSON_OBJECT || !json_is_empty(status)))
		buf_addf(b, ",\"status\":%.*s", SPAN_ARG(status));
	buf_addc(b, '}');
}

size_t
statusdiff_add(struct buf *b, struct contrast *c, struct span before,
    struct span after, size_t max)
{
	struct telling t = {.out = b,
	    .before = before,
	    .after = after,
	    .max = max,
	    .value = c->limits.value};
	size_t usual = c->limits.fields;
	struct buf list = BUF_INIT, from = BUF_INIT, to = BUF_INIT;

	add_whole(&from, before);
	add_whole(&to, after);
	c->limits.fields = FIELDS_MAX;
	contrast_find(c, buf_span(&from), buf_span(&to), false);
	c->limits.fields = usual;
	buf_addf(&list, "[%s]", buf_str(&c->fields));
	t.list = buf_span(&list);
	for (enum rank r = RANK_PHASE; r < RANK_NONE; r++)
		add_rank(&t, r);
	if (c->count > FIELDS_MAX)
		t.count += c->count - FIELDS_MAX;
	if (t.count > max)
		buf_addf(b, " and %zu more", t.count - max);
	buf_release(&list);
	buf_release(&from);
	buf_release(&to);
	return t.count;
}
