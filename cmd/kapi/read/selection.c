#include "read/selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "crd/crd.h"
#include "json/json.h"
#include "text/gotext.h"
#include "text/number.h"
#include "text/texts.h"
#include "type/names.h"
#include "type/objectmeta.h"

enum token {
	T_ERROR,
	T_END,
	T_CLOSE,
	T_COMMA,
	T_NOT,
	T_EQUALS,
	T_DOUBLE_EQUALS,
	T_ABOVE,
	T_BELOW,
	T_WORD,
	T_IN,
	T_NOT_EQUALS,
	T_NOT_IN,
	T_OPEN
};

struct lexed {
	enum token token;
	struct span text; /* T_ERROR: the message */
};

struct parser {
	struct arena *arena;
	struct span rest;
	struct lexed *items; /* the last one is T_END */
	size_t n, at;
	struct problem *problem;
};

static const struct {
	const char *text;
	enum token token;
} symbols[] = {
    {")", T_CLOSE},
    {",", T_COMMA},
    {"!", T_NOT},
    {"==", T_DOUBLE_EQUALS},
    {"=", T_EQUALS},
    {">", T_ABOVE},
    {"in", T_IN},
    {"<", T_BELOW},
    {"!=", T_NOT_EQUALS},
    {"notin", T_NOT_IN},
    {"(", T_OPEN},
};

static enum token
symbol(struct span text)
{
	for (size_t i = 0; i < COUNT(symbols); i++)
		if (span_is(text, symbols[i].text))
			return symbols[i].token;
	return T_ERROR;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool
is_special(char c)
{
	return c != '\0' && strchr("=!(),><", c) != NULL;
}

/* A zero byte behind a token goes with it, as Go's lexer has it; elsewhere it
 * is the end. */
static void
skip(struct parser *p, size_t n)
{
	if (n < p->rest.n && p->rest.p[n] == '\0')
		n++;
	p->rest = span_skip(p->rest, n);
}

static struct lexed
lex(struct parser *p)
{
	struct span word;
	size_t n = 0;

	while (p->rest.n > 0 && is_blank(*p->rest.p))
		p->rest = span_skip(p->rest, 1);
	if (p->rest.n == 0 || *p->rest.p == '\0')
		return (struct lexed){T_END, span_str("")};
	if (is_special(*p->rest.p)) {
		/* The longest run of special characters that is a symbol; a
		 * run that never is one ends the selector. */
		struct lexed best = {T_ERROR, SPAN_NONE};
		size_t count = 0;

		while (count < p->rest.n && is_special(p->rest.p[count])) {
			struct span text = span_make(p->rest.p, count + 1);
			enum token t = symbol(text);

			if (t != T_ERROR)
				best = (struct lexed){t, text};
			else if (best.token != T_ERROR)
				break;
			count++;
		}
		if (best.token == T_ERROR)
			best.text = arena_printf(p->arena,
			    "error expected: keyword found '%.*s'", (int)count,
			    p->rest.p);
		skip(p, count);
		return best;
	}
	while (n < p->rest.n && p->rest.p[n] != '\0' &&
	    !is_special(p->rest.p[n]) && !is_blank(p->rest.p[n]))
		n++;
	word = span_make(p->rest.p, n);
	skip(p, n);
	return (struct lexed){
	    symbol(word) == T_ERROR ? T_WORD : symbol(word), word};
}

/* "in" and "notin" are words wherever no operator is expected. */
static struct lexed
look(const struct parser *p)
{
	struct lexed l = p->items[p->at < p->n ? p->at : p->n - 1];

	if (l.token == T_IN || l.token == T_NOT_IN)
		l.token = T_WORD;
	return l;
}

static struct lexed
take(struct parser *p)
{
	struct lexed l = look(p);

	p->at++;
	return l;
}

static bool
found(struct parser *p, struct span text, const char *expected)
{
	p->problem = problem_bad_request(p->arena,
	    "unable to parse requirement: found '%.*s'%s", SPAN_ARG(text),
	    expected);
	return false;
}

static void
add_value(struct parser *p, struct label_term *t, struct span value)
{
	t->values =
	    arena_more(p->arena, t->values, t->count, sizeof(*t->values));
	t->values[t->count++] = value;
}

static bool
parse_list(struct parser *p, struct label_term *t)
{
	for (;;) {
		struct lexed l = take(p), next = look(p);

		if (l.token == T_WORD) {
			add_value(p, t, l.text);
			if (next.token == T_CLOSE)
				return true;
			if (next.token != T_COMMA)
				return found(
				    p, next.text, ", expected: ',' or ')'");
		} else if (l.token == T_COMMA) {
			/* "(," and ",," and ",)" hold an empty value. */
			if (t->count == 0 || next.token == T_CLOSE ||
			    next.token == T_COMMA)
				add_value(p, t, span_str(""));
			if (next.token == T_CLOSE)
				return true;
		} else
			return found(
			    p, l.text, ", expected: ',', or identifier");
	}
}

static bool
parse_values(struct parser *p, struct label_term *t)
{
	struct lexed l = take(p);
	size_t kept = 0;

	if (l.token != T_OPEN)
		return found(p, l.text, " expected: '('");
	l = look(p);
	if (l.token == T_CLOSE)
		add_value(p, t, span_str(""));
	else if (l.token != T_WORD && l.token != T_COMMA)
		return found(p, l.text, ", expected: ',', ')' or identifier");
	else if (!parse_list(p, t))
		return false;
	/* A set: each value once, and errors count in this order. */
	texts_sort(t->values, t->count);
	for (size_t i = 0; i < t->count; i++)
		if (kept == 0 || !span_eq(t->values[kept - 1], t->values[i]))
			t->values[kept++] = t->values[i];
	t->count = kept;
	take(p);
	return true;
}

static bool
parse_exact(struct parser *p, struct label_term *t)
{
	struct lexed l = look(p);

	if (l.token == T_END || l.token == T_COMMA) {
		add_value(p, t, span_str(""));
		return true;
	}
	take(p);
	if (l.token != T_WORD)
		return found(p, l.text, ", expected: identifier");
	add_value(p, t, l.text);
	return true;
}

static bool
parse_operator(struct parser *p, struct label_term *t)
{
	struct lexed l = p->items[p->at < p->n ? p->at : p->n - 1];

	p->at++;
	switch (l.token) {
	case T_IN:
	case T_EQUALS:
	case T_DOUBLE_EQUALS:
		t->op = LABEL_IN;
		break;
	case T_NOT_IN:
	case T_NOT_EQUALS:
		t->op = LABEL_NOT_IN;
		break;
	case T_ABOVE:
		t->op = LABEL_ABOVE;
		break;
	case T_BELOW:
		t->op = LABEL_BELOW;
		break;
	default:
		return found(
		    p, l.text, ", expected: in, notin, =, ==, !=, gt, lt");
	}
	return l.token == T_IN || l.token == T_NOT_IN ? parse_values(p, t)
						      : parse_exact(p, t);
}

static bool
check_values(struct parser *p, struct label_term *t)
{
	struct causes c = {p->arena, NULL, 0};
	struct buf said = BUF_INIT;

	if ((t->op == LABEL_ABOVE || t->op == LABEL_BELOW) &&
	    number_parse_int(t->values[0], &t->number) != NULL)
		cause_invalid_text(&c, span_str("values[0]"), t->values[0],
		    "for 'Gt', 'Lt' operators, the value must be an integer");
	for (size_t i = 0; i < t->count; i++) {
		const char *wrong = name_check_label_value(t->values[i]);

		if (wrong != NULL)
			cause_invalid_text(&c,
			    arena_printf(p->arena, "values[%zu][%.*s]", i,
				SPAN_ARG(t->key)),
			    t->values[i], wrong);
	}
	if (c.n == 0)
		return true;
	problem_add_causes(p->arena, &said, &c);
	p->problem = problem_bad_request(
	    p->arena, "unable to parse requirement: %s", buf_str(&said));
	buf_release(&said);
	return false;
}

/* All that is wrong with it, in one error. */
static bool
check_key(struct parser *p, struct span key)
{
	struct causes c = {p->arena, NULL, 0};
	struct buf said = BUF_INIT;

	name_qualified(&c, SPAN_NONE, SPAN_NONE, key);
	if (c.n == 0)
		return true;
	for (size_t i = 0; i < c.n; i++) {
		buf_adds(&said, i > 0 ? "; " : "");
		buf_addspan(&said, c.items[i].detail);
	}
	p->problem = problem_bad_request(p->arena,
	    "unable to parse requirement: <nil>: Invalid value: %.*s: %s",
	    SPAN_ARG(gotext_quote(p->arena, key)), buf_str(&said));
	buf_release(&said);
	return false;
}

static bool
parse_term(struct parser *p, struct label_term *t)
{
	struct lexed l = take(p), next;
	bool absent = l.token == T_NOT;

	*t = (struct label_term){.op = absent ? LABEL_ABSENT : LABEL_EXISTS};
	if (absent)
		l = take(p);
	if (l.token != T_WORD)
		return found(p, l.text, ", expected: identifier");
	t->key = l.text;
	if (!check_key(p, t->key))
		return false;
	next = look(p);
	if (absent || next.token == T_END || next.token == T_COMMA)
		return true;
	return parse_operator(p, t) && check_values(p, t);
}

static bool
parse_terms(struct parser *p, struct selection *s)
{
	struct lexed l;

	for (;;) {
		l = look(p);
		if (l.token == T_END)
			return true;
		if (l.token != T_WORD && l.token != T_NOT) {
			p->problem = problem_bad_request(p->arena,
			    "found '%.*s', expected: !, identifier, or 'end of "
			    "string'",
			    SPAN_ARG(l.text));
			return false;
		}
		s->labels = arena_more(
		    p->arena, s->labels, s->label_count, sizeof(*s->labels));
		if (!parse_term(p, &s->labels[s->label_count]))
			return false;
		s->label_count++;
		l = take(p);
		if (l.token == T_END)
			return true;
		if (l.token != T_COMMA) {
			p->problem = problem_bad_request(p->arena,
			    "found '%.*s', expected: ',' or 'end of string'",
			    SPAN_ARG(l.text));
			return false;
		}
		l = look(p);
		if (l.token != T_WORD && l.token != T_NOT) {
			p->problem = problem_bad_request(p->arena,
			    "found '%.*s', expected: identifier after ','",
			    SPAN_ARG(l.text));
			return false;
		}
	}
}

struct problem *
selection_labels_parse(struct arena *a, struct span text, struct selection *s)
{
	struct parser p = {.arena = a, .rest = text};

	s->labels = NULL;
	s->label_count = 0;
	do {
		p.items = arena_more(p.arena, p.items, p.n, sizeof(*p.items));
		p.items[p.n] = lex(&p);
	} while (p.items[p.n++].token != T_END);
	parse_terms(&p, s);
	return p.problem;
}

/* ---- matching ---- */

static bool
is_among(const struct label_term *t, struct span value)
{
	int64_t n;

	if (t->op == LABEL_ABOVE || t->op == LABEL_BELOW)
		return number_parse_int(value, &n) == NULL &&
		    (t->op == LABEL_ABOVE ? n > t->number : n < t->number);
	for (size_t i = 0; i < t->count; i++)
		if (span_eq(t->values[i], value))
			return true;
	return false;
}

static bool
term_matches(const struct label_term *t, struct span labels)
{
	struct span value = selector_label(labels, t->key);
	bool is_there = value.p != NULL;

	return selector_meets(t->op, is_there, is_there && is_among(t, value));
}

bool
selection_labels_match(const struct selection *s, struct span labels)
{
	for (size_t i = 0; i < s->label_count; i++)
		if (!term_matches(&s->labels[i], labels))
			return false;
	return true;
}

/* ---- field selectors: their text ---- */

static struct problem *
parse_field(
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
	texts_sort(terms, n);
	s->fields = arena_zalloc(a, n * sizeof(*s->fields));
	s->field_count = n;
	for (size_t i = 0; i < n; i++)
		if ((p = parse_field(a, text, terms[i], &s->fields[i])) != NULL)
			return p;
	return NULL;
}

struct problem *
selection_parse(struct arena *a, struct span labels, struct span fields,
    struct selection *s)
{
	struct problem *p;

	*s = (struct selection){0};
	p = selection_labels_parse(a, labels, s);
	return p != NULL ? p : field_selector_parse(a, fields, s);
}

/* ---- field selectors: what they mean ---- */

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
	if (s->fields != NULL)
		return problem_bad_request(
		    a, "field label not supported: %.*s", SPAN_ARG(label));
	return problem_bad_request(a,
	    "%.*s is not a known field selector: only \"metadata.name\", "
	    "\"metadata.namespace\"",
	    SPAN_ARG(gotext_quote(a, label)));
}

static const struct selectable any_fields[] = {
    SELECTABLE_NAME, SELECTABLE_NAMESPACE, SELECTABLE_END};

static struct problem *
resolve(struct arena *a, const struct resource *r, struct field_term *t)
{
	const struct selectable *s = r->strategy->fields;

	if (s == NULL)
		s = any_fields;
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
	return selection_labels_match(s, o->labels);
}
