/*
 * Part of merge/fieldset.h: elements of paths, and FieldsV1. Source:
 * fieldpath/serialize*.go, value/value.go.
 */
#include "merge/fieldset.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "json/json.h"
#include "text/texts.h"

struct fieldset_element
fieldset_element_field(struct span name)
{
	return (struct fieldset_element){.kind = PATH_FIELD, .name = name};
}

struct fieldset_element
fieldset_element_index(int64_t index)
{
	return (struct fieldset_element){.kind = PATH_INDEX, .index = index};
}

static int
rank(const struct node *n)
{
	switch (n->kind) {
	case NODE_NUMBER:
		return 0;
	case NODE_STRING:
		return 1;
	case NODE_FALSE:
	case NODE_TRUE:
		return 2;
	case NODE_ARRAY:
		return 3;
	case NODE_OBJECT:
		return 4;
	case NODE_NULL:
		break;
	}
	return 5;
}

static int
text_cmp(const struct node *x, const struct node *y)
{
	struct buf p = BUF_INIT, q = BUF_INIT;
	int c;

	tree_write_sorted(&p, x);
	tree_write_sorted(&q, y);
	c = span_cmp(buf_span(&p), buf_span(&q));
	buf_release(&p);
	buf_release(&q);
	return c;
}

static int
value_cmp(const struct node *x, const struct node *y)
{
	int c = rank(x) - rank(y);

	if (c != 0)
		return c;
	switch (x->kind) {
	case NODE_NUMBER:
		int64_t i, j;
		double p, q;

		if (tree_get_int(x, &i) && tree_get_int(y, &j))
			return (i > j) - (i < j);
		p = tree_double(x);
		q = tree_double(y);
		return (p > q) - (p < q);
	case NODE_STRING:
		return span_cmp(x->text, y->text);
	case NODE_FALSE:
	case NODE_TRUE:
		return (int)x->kind - (int)y->kind;
	case NODE_ARRAY:
	case NODE_OBJECT:
		return text_cmp(x, y);
	case NODE_NULL:
		break;
	}
	return 0;
}

int
fieldset_element_cmp(
    const struct fieldset_element *x, const struct fieldset_element *y)
{
	if (x->kind != y->kind)
		return (int)x->kind - (int)y->kind;
	switch (x->kind) {
	case PATH_FIELD:
		return span_cmp(x->name, y->name);
	case PATH_KEY:
		for (uint32_t i = 0; i < x->key_count && i < y->key_count;
		     i++) {
			int c = span_cmp(x->keys[i].name, y->keys[i].name);

			if (c == 0)
				c = value_cmp(
				    x->keys[i].value, y->keys[i].value);
			if (c != 0)
				return c;
		}
		return (x->key_count > y->key_count) -
		    (x->key_count < y->key_count);
	case PATH_VALUE:
		return value_cmp(x->value, y->value);
	case PATH_INDEX:
		break;
	}
	return (x->index > y->index) - (x->index < y->index);
}

/* A number of FieldsV1 is a float64 by the time it is printed, by fmt's %v; one
 * of an object is that only if it is not an integer. */
static void
print_number(struct buf *b, const struct node *n, bool from_fields)
{
	double d = tree_double(n);
	char text[40];
	int exponent, digits = 1;
	int64_t integer;

	if (!from_fields && tree_get_int(n, &integer)) {
		buf_addf(b, "%" PRId64, integer);
		return;
	}
	for (; digits < 17; digits++) {
		snprintf(text, sizeof(text), "%.*e", digits - 1, d);
		if (strtod(text, NULL) == d)
			break;
	}
	snprintf(text, sizeof(text), "%.*e", digits - 1, d);
	exponent = strchr(text, 'e') == NULL
	    ? 0
	    : (int)strtol(strchr(text, 'e') + 1, NULL, 10);
	if (exponent >= -4 && exponent < 6)
		snprintf(text, sizeof(text), "%.*f",
		    digits - 1 > exponent ? digits - 1 - exponent : 0, d);
	buf_adds(b, text);
}

static void
print_value(struct buf *b, const struct node *n, bool from_fields)
{
	switch (n->kind) {
	case NODE_STRING:
		/* Like fmt's %q. */
		static const char from[] = "\a\b\f\n\r\t\v\"\\",
				  to[] = "abfnrtv\"\\";

		buf_addc(b, '"');
		for (size_t i = 0; i < n->text.n; i++) {
			unsigned char c = (unsigned char)n->text.p[i];
			const char *escape = c == '\0' ? NULL : strchr(from, c);

			if (escape != NULL)
				buf_addf(b, "\\%c", to[escape - from]);
			else if (c < 0x20 || c == 0x7f)
				buf_addf(b, "\\x%02x", c);
			else
				buf_addc(b, (char)c);
		}
		buf_addc(b, '"');
		break;
	case NODE_NUMBER:
		print_number(b, n, from_fields);
		break;
	default:
		tree_write(b, n);
	}
}

void
fieldset_element_print(struct buf *b, const struct fieldset_element *e)
{
	bool from_fields = e->text.p != NULL;

	switch (e->kind) {
	case PATH_FIELD:
		buf_addc(b, '.');
		buf_addspan(b, e->name);
		return;
	case PATH_KEY:
		for (uint32_t i = 0; i < e->key_count; i++) {
			buf_addc(b, i == 0 ? '[' : ',');
			buf_addspan(b, e->keys[i].name);
			buf_addc(b, '=');
			print_value(b, e->keys[i].value, from_fields);
		}
		buf_addc(b, ']');
		return;
	case PATH_VALUE:
		buf_adds(b, "[=");
		print_value(b, e->value, from_fields);
		buf_addc(b, ']');
		return;
	case PATH_INDEX:
		buf_addf(b, "[%" PRId64 "]", e->index);
	}
}

static void
add_value(struct buf *b, const struct node *value)
{
	struct buf plain = BUF_INIT;
	struct span text;

	if (value->kind == NODE_STRING && value->plain &&
	    span_find(value->text, '<') == NULL &&
	    span_find(value->text, '>') == NULL &&
	    span_find(value->text, '&') == NULL) {
		buf_addc(b, '"');
		buf_addspan(b, value->text);
		buf_addc(b, '"');
		return;
	}
	tree_write_sorted(&plain, value);
	/* Escapes the characters that only encoding/json escapes. */
	text = buf_span(&plain);
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == '<' || c == '>' || c == '&')
			buf_addf(b, "\\u%04x", c);
		else
			buf_addc(b, c);
	}
	buf_release(&plain);
}

/* The element as a key of FieldsV1. */
static struct span
element_text(struct arena *a, struct fieldset_element *e)
{
	struct buf b = BUF_INIT;

	if (e->text.p != NULL)
		return e->text;
	switch (e->kind) {
	case PATH_FIELD: {
		char *p = arena_alloc(a, e->name.n + 2);

		memcpy(p, "f:", 2);
		if (e->name.n > 0)
			memcpy(p + 2, e->name.p, e->name.n);
		e->text = span_make(p, e->name.n + 2);
		return e->text;
	}
	case PATH_KEY:
		buf_adds(&b, "k:{");
		for (uint32_t i = 0; i < e->key_count; i++) {
			json_add_comma(&b);
			json_add_string(&b, e->keys[i].name);
			buf_addc(&b, ':');
			add_value(&b, e->keys[i].value);
		}
		buf_addc(&b, '}');
		break;
	case PATH_VALUE:
		buf_adds(&b, "v:");
		add_value(&b, e->value);
		break;
	case PATH_INDEX:
		buf_addf(&b, "i:%" PRId64, e->index);
	}
	e->text = tree_keep(a, &b);
	return e->text;
}

/* 1: of a kind that is not known. */
static int
parse_element(struct arena *a, struct span text, struct fieldset_element *e,
    struct err *err)
{
	struct span rest;
	struct node *n;
	struct fieldset_key *keys;
	char digits[24], *end;

	if (text.n < 2)
		return err_set(
		    err, ERR_PERMANENT, "key must be 2 characters long:");
	if (text.p[1] != ':')
		return err_set(
		    err, ERR_PERMANENT, "missing colon: %.*s", SPAN_ARG(text));
	rest = span_skip(text, 2);
	*e = (struct fieldset_element){.kind = PATH_FIELD, .text = text};
	switch (text.p[0]) {
	case 'f':
		e->name = rest;
		return 0;
	case 'v':
		e->kind = PATH_VALUE;
		e->value = tree_parse(a, rest, TREE_LIMITS, NULL, err);
		return e->value == NULL ? -1 : 0;
	case 'k':
		n = tree_parse(a, rest, TREE_LIMITS, NULL, err);
		if (n == NULL)
			return -1;
		if (n->kind != NODE_OBJECT)
			return err_set(
			    err, ERR_PERMANENT, "keys are not an object");
		keys = arena_alloc(a, n->n * sizeof(*keys));
		for (uint32_t i = 0; i < n->n; i++)
			keys[i] = (struct fieldset_key){
			    n->members[i].key, n->members[i].value};
		qsort(keys, n->n, sizeof(*keys), texts_cmp);
		e->kind = PATH_KEY;
		e->key_count = n->n;
		e->keys = keys;
		return 0;
	case 'i':
		if (rest.n == 0 || rest.n >= sizeof(digits))
			return err_set(err, ERR_PERMANENT, "no index");
		memcpy(digits, rest.p, rest.n);
		digits[rest.n] = '\0';
		e->kind = PATH_INDEX;
		e->index = strtoll(digits, &end, 10);
		if (*end != '\0')
			return err_set(err, ERR_PERMANENT, "no index");
		return 0;
	default:
		return 1;
	}
}

static int
parse(struct arena *a, const struct node *fields, struct fieldset **set,
    bool *member, struct err *err)
{
	struct fieldset *s = NULL;

	*member = false;
	if (fields->kind != NODE_OBJECT && fields->kind != NODE_NULL)
		return err_set(err, ERR_PERMANENT, "fields are not an object");
	for (size_t i = 0; i < tree_count(fields); i++) {
		const struct member *m = &fields->members[i];
		struct fieldset_element e;
		struct fieldset *children;
		bool is_member;
		int rc;

		if (span_is(m->key, ".")) {
			*member = true;
			continue;
		}
		rc = parse_element(a, m->key, &e, err);
		if (rc < 0)
			return -1;
		if (rc > 0)
			continue;
		if (parse(a, m->value, &children, &is_member, err) != 0)
			return -1;
		if (s == NULL)
			s = fieldset_new(a);
		fieldset_add(a, s, &e, is_member, children);
	}
	*set = fieldset_done(a, s);
	if (*set == NULL)
		*member = true;
	return 0;
}

int
fieldset_parse(struct arena *a, const struct node *fields,
    struct fieldset **set, struct err *err)
{
	bool member;

	*set = NULL;
	if (fields == NULL)
		return 0;
	return parse(a, fields, set, &member, err);
}

struct node *
fieldset_node(struct arena *a, struct fieldset *s)
{
	struct node *n = tree_object(a);

	if (s == NULL)
		return n;
	n->max = s->n;
	n->members = arena_alloc(a, (s->n + 1) * sizeof(*n->members));
	for (uint32_t i = 0; i < s->n; i++) {
		struct fieldset_item *p = &s->items[i];
		struct node *below = fieldset_node(a, p->children);

		if (p->member && p->children != NULL)
			tree_put_first(a, below, ".", tree_object(a));
		n->members[i] =
		    (struct member){element_text(a, &p->path), below};
	}
	n->n = s->n;
	return n;
}
