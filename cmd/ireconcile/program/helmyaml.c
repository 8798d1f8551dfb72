/*
 * Part of program/natives.h: YAML as Helm reads and writes it, which is
 * sigs.k8s.io/yaml on go-yaml v2.
 *
 *	from_yaml  of a string: its documents, a list (conf/yamlvalue.h)
 *	go_yaml    of anything: the same text that toYaml gives, because it may
 *		   stand in the data of a ConfigMap. libyaml's emitter is the
 *		   origin of go-yaml's; which strings are quoted, and the order
 *		   of keys, are rules of encode.go and sorter.go.
 */
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "conf/yaml11.h"
#include "conf/yamlvalue.h"
#include "json/jvtext.h"
#include "program/natives.h"

enum { DEPTH_MAX = JVTEXT_DEPTH_MAX };

static jv
from_yaml(jv x)
{
	struct err err = ERR_INIT;
	struct span text = jvtext_span(x);
	jv list;

	if (text.p == NULL)
		return natives_refuse(x, "from_yaml takes a string");
	list = yamlvalue_documents("line", text, &err);
	jv_free(x);
	if (jv_is_valid(list))
		return list;
	jv_free(list);
	return jv_invalid_with_msg(jv_string_fmt("from_yaml: %s", err.message));
}

/* ---- which strings stand without quotes ---- */

static size_t
digits_from(struct span s, size_t at)
{
	size_t n = 0;

	while (at + n < s.n && span_is_digit(s.p[at + n]))
		n++;
	return n;
}

/* 12:30:45.5, which YAML 1.1 takes for a number of base 60. */
static bool
is_base60(struct span s)
{
	size_t at = s.n > 0 && span_is_among(*s.p, "+-");

	if (at == s.n || !span_is_digit(s.p[at]))
		return false;
	while (at < s.n && (span_is_digit(s.p[at]) || s.p[at] == '_'))
		at++;
	if (at == s.n || s.p[at] != ':')
		return false;
	while (at < s.n && s.p[at] == ':') {
		size_t n = digits_from(s, at + 1);

		if (n < 1 || n > 2 || (n == 2 && s.p[at + 1] > '5'))
			return false;
		at += n + 1;
	}
	if (at < s.n && s.p[at] == '.')
		for (at++;
		     at < s.n && (span_is_digit(s.p[at]) || s.p[at] == '_');)
			at++;
	return at == s.n;
}

/* 2006-1-2, or with a time behind T, t or a blank. */
static bool
is_timestamp(struct span s)
{
	size_t month, day, at;

	if (digits_from(s, 0) != 4 || s.n < 8 || s.p[4] != '-')
		return false;
	month = digits_from(s, 5);
	at = 5 + month;
	if (month < 1 || month > 2 || at >= s.n || s.p[at] != '-')
		return false;
	day = digits_from(s, at + 1);
	at += 1 + day;
	if (day < 1 || day > 2)
		return false;
	if (at == s.n)
		return month == 2 && day == 2;
	return span_is_among(s.p[at], "Tt ") && digits_from(s, at + 1) >= 1 &&
	    memchr(s.p + at, ':', s.n - at) != NULL;
}

static bool
is_resolved(struct span s)
{
	static const char *const words[] = {
	    "", "~", "null", "Null", "NULL", NULL};
	struct buf digits = BUF_INIT;
	bool truth, number;

	if (span_is_one_of(s, words) || yaml11_bool(s.p, &truth) ||
	    is_base60(s) || is_timestamp(s))
		return true;
	number = yaml11_number(s.p, &digits) != YAML11_TEXT;
	buf_release(&digits);
	return number;
}

/* ---- the order of keys: numbers in them count as numbers ---- */

static bool
is_letter(uint32_t c)
{
	return c < 0x80 ? span_is_alnum((char)c) && !span_is_digit((char)c)
			: c >= 0xaa;
}

static uint32_t
next(struct span *s)
{
	uint32_t c = 0;
	size_t n = s->n == 0 ? 0 : utf8_decode(s->p, s->p + s->n, &c);

	*s = span_skip(*s, n == 0 && s->n > 0 ? 1 : n);
	return c;
}

/* The number that begins at s, of which before was read. */
static double
number_at(struct span s, bool before, size_t *n)
{
	double value = before;

	for (*n = 0; *n < s.n && span_is_digit(s.p[*n]); ++*n)
		value = value * 10 + (s.p[*n] - '0');
	return value;
}

static int
compare_keys(const void *left, const void *right)
{
	const struct jvtext_member *l = left, *r = right;
	struct span a = l->key, b = r->key;
	bool before = false; /* a digit that is not 0 stands before */

	while (a.n > 0 && b.n > 0) {
		struct span at_a = a, at_b = b;
		uint32_t ca = next(&a), cb = next(&b);
		size_t na, nb;
		double x, y;

		if (ca == cb) {
			before =
			    ca >= '0' && ca <= '9' && (before || ca != '0');
			continue;
		}
		if (is_letter(ca) && is_letter(cb))
			return ca < cb ? -1 : 1;
		if (is_letter(ca) || is_letter(cb))
			return is_letter(cb) ? -1 : 1;
		before = before && (ca == '0' || cb == '0');
		x = number_at(at_a, before, &na);
		y = number_at(at_b, before, &nb);
		if (x < y || x > y)
			return x < y ? -1 : 1;
		if (na != nb)
			return na < nb ? -1 : 1;
		return ca < cb ? -1 : 1;
	}
	return (a.n > 0) - (b.n > 0);
}

/* ---- events ---- */

struct go_writer {
	yaml_emitter_t emitter;
	struct buf text;
	int depth;
	bool bad;
};

static int
on_text(void *data, unsigned char *text, size_t n)
{
	struct go_writer *w = data;

	buf_add(&w->text, (const char *)text, n);
	return 1;
}

static void
emit(struct go_writer *w, yaml_event_t *event)
{
	if (!yaml_emitter_emit(&w->emitter, event))
		w->bad = true;
}

static void
emit_scalar(struct go_writer *w, struct span s, yaml_scalar_style_t style)
{
	yaml_event_t event;

	yaml_scalar_event_initialize(&event, NULL, NULL,
	    (yaml_char_t *)(uintptr_t)s.p, (int)s.n, 1, 1, style);
	emit(w, &event);
}

static void
emit_string(struct go_writer *w, struct span s)
{
	emit_scalar(w, s,
	    span_find(s, '\n') != NULL ? YAML_LITERAL_SCALAR_STYLE
		: is_resolved(s)       ? YAML_DOUBLE_QUOTED_SCALAR_STYLE
				       : YAML_PLAIN_SCALAR_STYLE);
}

static void
emit_other(struct go_writer *w, jv value_peek)
{
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;

	w->bad = w->bad || jvtext_add(&text, value_peek, &err) != 0;
	emit_scalar(w, buf_span(&text), YAML_PLAIN_SCALAR_STYLE);
	buf_release(&text);
}

static void emit_value(struct go_writer *w, jv value_peek);

static void
emit_object(struct go_writer *w, jv object_peek)
{
	struct jvtext_members m;
	yaml_event_t event;

	yaml_mapping_start_event_initialize(
	    &event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE);
	emit(w, &event);
	jvtext_members_init(&m, object_peek, JVTEXT_KEPT);
	qsort(m.items, m.count, sizeof(*m.items), compare_keys);
	for (size_t i = 0; i < m.count && !w->bad; i++) {
		emit_string(w, m.items[i].key);
		emit_value(w, m.items[i].value);
	}
	jvtext_members_release(&m);
	yaml_mapping_end_event_initialize(&event);
	emit(w, &event);
}

static void
emit_array(struct go_writer *w, jv array_peek)
{
	yaml_event_t event;

	yaml_sequence_start_event_initialize(
	    &event, NULL, NULL, 1, YAML_BLOCK_SEQUENCE_STYLE);
	emit(w, &event);
	jv_array_foreach(array_peek, i, item)
	{
		if (!w->bad)
			emit_value(w, item);
		jv_free(item);
	}
	yaml_sequence_end_event_initialize(&event);
	emit(w, &event);
}

static void
emit_value(struct go_writer *w, jv value_peek)
{
	if (++w->depth > DEPTH_MAX)
		w->bad = true;
	else if (jv_get_kind(value_peek) == JV_KIND_OBJECT)
		emit_object(w, value_peek);
	else if (jv_get_kind(value_peek) == JV_KIND_ARRAY)
		emit_array(w, value_peek);
	else if (jv_get_kind(value_peek) == JV_KIND_STRING)
		emit_string(w, jvtext_span(value_peek));
	else
		emit_other(w, value_peek);
	w->depth--;
}

static jv
go_yaml(jv x)
{
	struct go_writer w = {.text = BUF_INIT};
	yaml_event_t event;
	jv text;

	if (!yaml_emitter_initialize(&w.emitter))
		return natives_refuse(x, "go_yaml: there is no memory");
	yaml_emitter_set_output(&w.emitter, on_text, &w);
	yaml_emitter_set_unicode(&w.emitter, 1);
	yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
	emit(&w, &event);
	yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1);
	emit(&w, &event);
	emit_value(&w, x);
	if (!w.bad) {
		yaml_document_end_event_initialize(&event, 1);
		emit(&w, &event);
		yaml_stream_end_event_initialize(&event);
		emit(&w, &event);
	}
	yaml_emitter_delete(&w.emitter);
	jv_free(x);
	/* libyaml ends an open document, which a text of lines may leave. */
	if (span_ends(buf_span(&w.text), "\n...\n"))
		w.text.len -= strlen("...\n");
	if (span_ends(buf_span(&w.text), "\n"))
		w.text.len--;
	text = w.bad
	    ? jv_invalid_with_msg(jv_string("go_yaml: a value is nested too "
					    "deep, or is not a number of JSON"))
	    : jv_string_sized(
		  w.text.len == 0 ? "" : w.text.data, (int)w.text.len);
	buf_release(&w.text);
	return text;
}

const struct native helmyaml_natives[] = {
    {"from_yaml", from_yaml}, {"go_yaml", go_yaml}, {NULL, NULL}};
