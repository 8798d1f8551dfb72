/* Part of read/selection.h: both selectors of a request, and fields. */
#include "read/selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "crd/crd.h"
#include "json/json.h"
#include "text/gotext.h"

/* ---- text ---- */

static struct problem *
parse_term(
    struct arena *a, struct span all, struct span term, struct field_term *t)
{
	size_t i = 0, op;
	struct span *value;
	char *out;
	size_t n = 0;

	while (i < term.n && term.p[i] != '=' &&
	    !(term.p[i] == '!' && i + 1 < term.n && term.p[i + 1] == '='))
		i++;
	if (i == term.n)
		return problem_bad_request(a,
		    "invalid selector: '%.*s'; can't understand '%.*s'",
		    SPAN_ARG(all), SPAN_ARG(term));
	t->negated = term.p[i] == '!';
	op = t->negated || (i + 1 < term.n && term.p[i + 1] == '=') ? 2 : 1;
	t->label = span_make(term.p, i);
	t->value = span_make(term.p + i + op, term.n - i - op);
	/* Behind a backslash stand only \ , and =. */
	value = &t->value;
	out = arena_alloc(a, value->n + 1);
	for (size_t k = 0; k < value->n; k++) {
		char c = value->p[k];
		size_t len = 1;

		if (c == ',' || c == '=')
			return problem_bad_request(a,
			    "invalid field selector: unescaped character in "
			    "value: %d",
			    c);
		if (c == '\\') {
			k++;
			if (k == value->n ||
			    strchr("\\,=", value->p[k]) == NULL) {
				/* A whole character, not a byte. */
				while (k + len < value->n &&
				    utf8_continues(value->p[k + len]))
					len++;
				return problem_bad_request(a,
				    "invalid field selector: invalid escape "
				    "sequence: \\%.*s",
				    k == value->n ? 0 : (int)len, value->p + k);
			}
			c = value->p[k];
		}
		out[n++] = c;
	}
	*value = span_make(out, n);
	return NULL;
}

/* Up to a comma that is not behind a backslash. */
static struct span
next_term(struct span *rest)
{
	struct span term = *rest;
	size_t i = 0;

	while (i < rest->n && rest->p[i] != ',')
		i += rest->p[i] == '\\' && i + 1 < rest->n ? 2 : 1;
	term.n = i;
	*rest = i < rest->n ? span_make(rest->p + i + 1, rest->n - i - 1)
			    : SPAN_NONE;
	return term;
}

static int
by_text(const void *x, const void *y)
{
	return span_cmp(*(const struct span *)x, *(const struct span *)y);
}

/* Terms are understood, and complained of, in the order of their text. */
static struct problem *
field_selector_parse(struct arena *a, struct span text, struct selection *s)
{
	struct span *terms = NULL, rest = text;
	struct problem *p;
	size_t n = 0;

	while (rest.n > 0) {
		struct span term = next_term(&rest);

		if (term.n == 0)
			continue;
		terms = arena_more(a, terms, n, sizeof(*terms));
		terms[n++] = term;
	}
	if (n == 0)
		return NULL;
	qsort(terms, n, sizeof(*terms), by_text);
	s->fields = arena_zalloc(a, n * sizeof(*s->fields));
	s->field_count = n;
	for (size_t i = 0; i < n; i++)
		if ((p = parse_term(a, text, terms[i], &s->fields[i])) != NULL)
			return p;
	return NULL;
}

struct problem *
selection_parse(struct arena *a, struct span labels, struct span fields,
    struct selection *s)
{
	struct problem *p;

	*s = (struct selection){0};
	p = label_selector_parse(a, labels, s);
	return p != NULL ? p : field_selector_parse(a, fields, s);
}

/* ---- meaning ---- */

static bool
selectable(const struct resource *r, struct field_term *t)
{
	const struct crd_version *v = crd_version_of(r);

	for (size_t i = 0; v != NULL && i < v->selectable_count; i++) {
		struct span path = v->selectable[i];

		if (path.n > 0 && *path.p == '.')
			path = span_make(path.p + 1, path.n - 1);
		if (span_eq(path, t->label)) {
			t->source = FIELD_ANY;
			t->path = path;
			return true;
		}
	}
	return false;
}

static struct problem *
unknown(struct arena *a, const struct resource *r, struct span label)
{
	const struct strategy *s = r->strategy;

	if (s->fields_named != NULL)
		return problem_bad_request(a,
		    "field label %.*s not supported for %s",
		    SPAN_ARG(gotext_quote(a, label)), s->fields_named);
	if (s->fields != strategy_any_fields)
		return problem_bad_request(
		    a, "field label not supported: %.*s", SPAN_ARG(label));
	return problem_bad_request(a,
	    "%.*s is not a known field selector: only \"metadata.name\", "
	    "\"metadata.namespace\"",
	    SPAN_ARG(gotext_quote(a, label)));
}

static struct problem *
resolve(struct arena *a, const struct resource *r, struct field_term *t)
{
	const struct selectable *s = r->strategy->fields;

	while (s->label != NULL && !span_is(t->label, s->label))
		s++;
	if (s->label != NULL &&
	    !(s->source == FIELD_NAMESPACE && r->crd != NULL &&
		!r->namespaced)) {
		t->source = s->source;
		t->path = span_str(s->path);
		return NULL;
	}
	if (selectable(r, t))
		return NULL;
	return unknown(a, r, t->label);
}

struct problem *
selection_resolve(
    struct arena *a, const struct resource *r, struct selection *s)
{
	struct problem *p;

	for (size_t i = 0; i < s->field_count; i++) {
		struct field_term *t = &s->fields[i];

		if ((p = resolve(a, r, t)) != NULL)
			return p;
		if (!t->negated && t->source == FIELD_NAME && s->name.p == NULL)
			s->name = t->value;
		if (!t->negated && t->source == FIELD_NAMESPACE &&
		    s->namespace_.p == NULL)
			s->namespace_ = t->value;
	}
	return NULL;
}

/* ---- matching ---- */

static struct span
raw_value(const struct field_term *t, const struct stored *o)
{
	struct span json = text_span(o->json), v = SPAN_NONE;
	char path[256];

	if (t->path.n < sizeof(path)) {
		memcpy(path, t->path.p, t->path.n);
		path[t->path.n] = '\0';
		v = json_path(json, path);
	}
	return json_type(v) == JSON_NULL ? SPAN_NONE : v;
}

static struct span
event_source(struct span json, struct buf *b)
{
	struct span s = json_string(json_path(json, "source.component"), b);

	return s.n > 0 ? s
		       : json_string(json_get(json, "reportingComponent"), b);
}

static struct span
pod_ip(struct span json, struct buf *b)
{
	struct json_elements e =
	    json_elements(json_path(json, "status.podIPs"));

	return json_element(&e) ? json_string(json_get(e.value, "ip"), b)
				: SPAN_NONE;
}

static bool
field_matches(const struct field_term *t, const struct stored *o)
{
	struct buf b = BUF_INIT;
	struct span v = SPAN_NONE;
	bool same;

	switch (t->source) {
	case FIELD_NAME:
		v = o->name;
		break;
	case FIELD_NAMESPACE:
		v = o->namespace_;
		break;
	case FIELD_POD_IP:
		v = pod_ip(text_span(o->json), &b);
		break;
	case FIELD_EVENT_SOURCE:
		v = event_source(text_span(o->json), &b);
		break;
	case FIELD_NONE:
		break;
	default:
		v = raw_value(t, o);
		if (json_type(v) == JSON_STRING)
			v = json_string(v, &b);
		if (v.p == NULL)
			v = span_str(t->source == FIELD_BOOL ? "false"
				: t->source == FIELD_INT     ? "0"
							     : "");
	}
	same = span_eq(v, t->value);
	buf_release(&b);
	return same != t->negated;
}

bool
selection_matches(const struct selection *s, const struct stored *o)
{
	for (size_t i = 0; i < s->field_count; i++)
		if (!field_matches(&s->fields[i], o))
			return false;
	return label_selector_matches(s, o->labels);
}
