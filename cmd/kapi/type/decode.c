#include "type/decode.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/map.h"
#include "json/json.h"
#include "text/gotext.h"
#include "type/decode_text.h"
#include "type/encode.h"
#include "value/quantity.h"

enum { WARNINGS_MAX = 100 }; /* the limit of Go's strict decoder */

/* Where we are, from the inside out. */
struct place {
	const struct place *up;
	const struct field *field; /* NULL: an item, or a key of a map */
	struct span key;
	size_t index; /* an item's, if key is SPAN_NONE */
};

/*
 * Go goes on after a value of a wrong type and reports the first one; an
 * error of a type that decodes itself ends everything, and is what is
 * reported.
 */
struct decoder {
	struct arena *arena;
	struct warnings *unknown; /* NULL: not wanted */
	bool converts;		  /* decode_converted: ends at the first */
	struct span saved, fatal;
};

void
decode_warning_add(struct warnings *w, struct span text)
{
	w->items = arena_more(w->arena, w->items, w->n, sizeof *w->items);
	w->items[w->n++] = text;
}

void
decode_warning_add_field(struct warnings *w, const char *what, struct span path)
{
	struct buf quoted = BUF_INIT;
	struct span text;

	if (w->n >= WARNINGS_MAX)
		return;
	json_add_string(&quoted, path);
	text = arena_printf(
	    w->arena, "%s %.*s", what, SPAN_ARG(buf_span(&quoted)));
	buf_release(&quoted);
	for (size_t i = 0; i < w->n; i++)
		if (span_eq(w->items[i], text))
			return;
	decode_warning_add(w, text);
}

static struct span
last_name(struct span type)
{
	size_t i = type.n;

	while (i > 0 && type.p[i - 1] != '.')
		i--;
	return span_skip(type, i);
}

/* spec.containers[0].name, as strict errors have it. */
static void
add_strict_path(struct buf *b, const struct place *p)
{
	if (p == NULL)
		return;
	add_strict_path(b, p->up);
	if (p->field == NULL && p->key.p == NULL) {
		buf_addf(b, "[%zu]", p->index);
		return;
	}
	if (p->up != NULL)
		buf_addc(b, '.');
	buf_addspan(b, p->key);
}

static void
note_unknown(struct decoder *d, const struct place *at, struct span key)
{
	struct buf b = BUF_INIT;

	if (d->unknown == NULL)
		return;
	add_strict_path(&b, at);
	if (at != NULL)
		buf_addc(&b, '.');
	buf_addspan(&b, key);
	decode_warning_add_field(d->unknown, "unknown field", buf_span(&b));
	buf_release(&b);
}

/* spec.template.spec.containers.name: no indices, no keys of maps. */
static void
add_go_path(struct buf *b, const struct place *p)
{
	if (p == NULL)
		return;
	add_go_path(b, p->up);
	if (p->field == NULL)
		return;
	if (b->len > 0)
		buf_addc(b, '.');
	if (p->field->inside.p != NULL) {
		buf_addspan(b, p->field->inside);
		buf_addc(b, '.');
	}
	buf_addspan(b, p->field->name);
}

/* The struct that holds the innermost field: known by its owner's schema. */
struct level {
	struct place place;
	const struct schema *owner;
};

static struct span
type_message(struct decoder *d, const struct place *at, const char *what,
    struct span detail, struct span type)
{
	struct buf path = BUF_INIT;
	const struct place *p = at;
	struct span owner, text;

	while (p != NULL && p->field == NULL)
		p = p->up;
	if (p == NULL)
		return arena_printf(d->arena,
		    "json: cannot unmarshal %s%s%.*s into Go value of type "
		    "%.*s",
		    what, detail.n > 0 ? " " : "", SPAN_ARG(detail),
		    SPAN_ARG(type));
	/* Every place with a field is the start of a struct level. */
	owner = last_name(((const struct level *)p)->owner->name);
	add_go_path(&path, p);
	text = arena_printf(d->arena,
	    "json: cannot unmarshal %s%s%.*s into Go struct field %.*s.%.*s "
	    "of type %.*s",
	    what, detail.n > 0 ? " " : "", SPAN_ARG(detail), SPAN_ARG(owner),
	    SPAN_ARG(buf_span(&path)), SPAN_ARG(type));
	buf_release(&path);
	return text;
}

/* The Go type of the elements of a list or a map. */
static struct span
element_type(struct arena *a, struct span type, const struct schema *element)
{
	const char *end;
	struct span name, package;

	if (type.n > 2 && span_starts(type, "[]"))
		return span_skip(type, 2);
	end = type.n > 4 && span_starts(type, "map[") ? span_find(type, ']')
						      : NULL;
	if (end != NULL)
		return span_make(end + 1, type.n - (size_t)(end + 1 - type.p));
	if (element->kind != SCHEMA_OBJECT)
		return element->kind == SCHEMA_INTEGER ? element->format
						       : span_str("string");
	name = last_name(element->name);
	package =
	    last_name(span_make(element->name.p, element->name.n - name.n - 1));
	return arena_printf(a, "%.*s.%.*s", SPAN_ARG(package), SPAN_ARG(name));
}

static int
fail(struct decoder *d, struct span message)
{
	d->fatal = message;
	return -1;
}

/* reflect.Kind of a value that is not a struct. */
static const char *
reflect_kind(const struct node *n)
{
	return n->kind == NODE_ARRAY ? "slice"
	    : n->kind == NODE_OBJECT ? "map"
				     : gotext_type(n);
}

/* Go cannot convert any of JSON's types to another but numbers; an integer it
 * could make a text (of that character), which the converter refuses. */
static struct span
converter_message(struct decoder *d, const struct schema *s, struct span type,
    const struct node *n)
{
	const char *is = gotext_type(n);
	struct span kind = s->kind == SCHEMA_STRING ? span_str("string")
	    : s->kind == SCHEMA_BOOLEAN		    ? span_str("bool")
	    : s->kind == SCHEMA_NUMBER		    ? span_str("float64")
						    : s->format;

	if (s->kind == SCHEMA_OBJECT)
		return arena_printf(d->arena, "cannot restore struct from: %s",
		    reflect_kind(n));
	if (s->kind == SCHEMA_MAP || s->kind == SCHEMA_LIST ||
	    span_is(s->format, "byte"))
		return arena_printf(d->arena, "cannot restore %s from %s",
		    s->kind == SCHEMA_MAP ? "map" : "slice", reflect_kind(n));
	if (n->kind == NODE_NUMBER &&
	    ((s->kind == SCHEMA_STRING && strcmp(is, "int64") == 0) ||
		s->kind == SCHEMA_INTEGER))
		return arena_printf(
		    d->arena, "cannot convert %s to %.*s", is, SPAN_ARG(type));
	return arena_printf(
	    d->arena, "unrecognized type: %.*s", SPAN_ARG(kind));
}

/* A value of a wrong type. */
static int
save(struct decoder *d, const struct schema *s, struct span type,
    const struct node *n, struct span detail, const struct place *at)
{
	if (d->converts)
		return fail(d, converter_message(d, s, type, n));
	if (d->saved.p == NULL)
		d->saved = type_message(d, at, gotext_kind(n), detail, type);
	return 0;
}

static int decode(struct decoder *d, const struct schema *s, struct span type,
    struct node *n, const struct place *at);

static int
decode_object(struct decoder *d, const struct schema *s, struct node *n,
    const struct place *at)
{
	struct level here = {.place.up = at, .owner = s};
	uint32_t kept = 0;
	int code = 0;

	for (uint32_t i = 0; i < n->n && code == 0; i++) {
		struct member m = n->members[i];
		const struct field *f = schema_field(s, m.key);

		if (f == NULL) {
			note_unknown(d, at, m.key);
			continue;
		}
		if (m.value->kind == NODE_NULL)
			continue;
		here.place.field = f;
		here.place.key = m.key;
		n->members[kept++] = m;
		code = decode(d, f->schema, f->go_type, m.value, &here.place);
	}
	if (kept != n->n)
		n->index = NULL; /* the index has the old places */
	n->n = kept;
	return code;
}

/* Go decodes a null in a list or a map as the zero value. */
static void
zero_item(struct arena *a, const struct schema *s, struct node *n)
{
	struct node *zero = s->kind == SCHEMA_OBJECT ? tree_object(a)
	    : s->kind == SCHEMA_INTEGER || s->kind == SCHEMA_INT_OR_STRING
	    ? tree_int(a, 0)
	    : s->kind == SCHEMA_BOOLEAN	 ? tree_bool(a, false)
	    : s->kind == SCHEMA_QUANTITY ? tree_str(a, "0")
	    : s->kind == SCHEMA_STRING && !schema_is_time(s) ? tree_str(a, "")
							     : NULL;

	if (zero != NULL)
		*n = *zero;
}

static int
decode_items(struct decoder *d, const struct schema *s, struct span type,
    struct node *n, const struct place *at)
{
	const struct schema *element = s->element->schema;
	struct place here = {.up = at};
	int code = 0;

	type = element_type(d->arena, type, element);
	for (uint32_t i = 0; i < n->n && code == 0; i++) {
		struct node *item =
		    n->kind == NODE_ARRAY ? n->items[i] : n->members[i].value;

		here.index = i;
		if (n->kind == NODE_OBJECT)
			here.key = n->members[i].key;
		if (item->kind == NODE_NULL)
			zero_item(d->arena, element, item);
		else
			code = decode(d, element, type, item, &here);
	}
	return code;
}

/* Digits of an integer in range; what Go's ParseInt takes. */
static bool
is_integer(struct span digits, bool is64)
{
	int64_t limit = is64 ? INT64_MAX : INT32_MAX, value = 0;
	bool negative = digits.n > 0 && digits.p[0] == '-';

	for (size_t i = negative; i < digits.n; i++) {
		int c = digits.p[i] - '0';

		if (c < 0 || c > 9)
			return false;
		if (value < -((limit - c) / 10) ||
		    (!negative && value == -limit / 10 && c > limit % 10))
			return false;
		value = value * 10 - c;
		if (value < -limit - (negative ? 1 : 0))
			return false;
	}
	return true;
}

/* The converter takes 3.0, and cuts what does not fit. */
static bool
convert_integer(struct decoder *d, const struct schema *s, struct node *n)
{
	int64_t value;

	if (!d->converts || !tree_get_int(n, &value))
		return false;
	if (span_is(s->format, "int32"))
		value = (int32_t)value;
	*n = *tree_int(d->arena, value);
	return true;
}

static int
decode_integer(struct decoder *d, const struct schema *s, struct span type,
    struct node *n, const struct place *at)
{
	if (n->kind != NODE_NUMBER)
		return save(d, s, type, n, SPAN_NONE, at);
	if (!is_integer(n->text, span_is(s->format, "int64")) &&
	    !convert_integer(d, s, n))
		return save(d, s, type, n, n->text, at);
	if (span_is(n->text, "-0"))
		n->text = span_str("0");
	return 0;
}

static int
decode_int_or_string(struct decoder *d, struct node *n, const struct place *at)
{
	struct span detail = SPAN_NONE;

	if (n->kind == NODE_STRING)
		return 0;
	if (n->kind == NODE_NUMBER) {
		if (is_integer(n->text, false))
			return 0;
		detail = n->text;
	}
	if (d->converts)
		at = NULL;
	return fail(
	    d, type_message(d, at, gotext_kind(n), detail, span_str("int32")));
}

static int
decode_quantity(struct decoder *d, struct node *n)
{
	struct span text = span_str("{}"); /* for text that is not a quantity */
	const char *wrong;

	if (n->kind == NODE_STRING || n->kind == NODE_NUMBER)
		text = span_trim(n->text, SPAN_SPACE);
	wrong = quantity_canonical(d->arena, text, &text);
	if (wrong != NULL)
		return fail(d, span_str(wrong));
	*n = *tree_string(d->arena, text);
	return 0;
}

static int
decode_time(struct decoder *d, const struct schema *s, struct node *n,
    const struct place *at)
{
	struct span error;

	if (d->converts)
		at = NULL;
	if (n->kind != NODE_STRING)
		return fail(d,
		    type_message(
			d, at, gotext_kind(n), SPAN_NONE, span_str("string")));
	return decode_time_canonical(d->arena, n->text, schema_is_micro_time(s),
		   &n->text, &error) < 0
	    ? fail(d, error)
	    : 0;
}

static int
decode_bytes(struct decoder *d, struct node *n)
{
	struct span canonical;
	size_t where;

	if (decode_base64_canonical(d->arena, n->text, &canonical, &where) == 0)
		*n = *tree_string(d->arena, canonical);
	else if (d->converts)
		return fail(d,
		    arena_printf(d->arena,
			"error decoding from json: illegal base64 data at "
			"input byte %zu",
			where));
	else if (d->saved.p == NULL)
		d->saved = arena_printf(
		    d->arena, "illegal base64 data at input byte %zu", where);
	return 0;
}

static int
decode_string(struct decoder *d, const struct schema *s, struct span type,
    struct node *n, const struct place *at)
{
	if (span_is(s->format, "date-time"))
		return decode_time(d, s, n, at);
	if (n->kind != NODE_STRING)
		return save(d, s, type, n, SPAN_NONE, at);
	return span_is(s->format, "byte") ? decode_bytes(d, n) : 0;
}

/* Types of CRDs that are a schema, or something else: Go reads them with its
 * own decoder, which says nothing of unknown fields. */
static int
decode_any(struct decoder *d, const struct schema *s, struct node *n)
{
	struct decoder inner = {.arena = d->arena};
	const struct schema *schema = schema_inside(s);
	int code = 0;

	if (schema == NULL)
		return 0;
	if (n->kind == NODE_OBJECT)
		code = decode(&inner, schema, SPAN_NONE, n, NULL);
	for (uint32_t i = 0; n->kind == NODE_ARRAY && i < n->n && code == 0;
	     i++)
		if (n->items[i]->kind == NODE_OBJECT)
			code = decode(
			    &inner, schema, SPAN_NONE, n->items[i], NULL);
	if (code == 0 && inner.saved.p == NULL)
		return 0;
	return fail(d, code < 0 ? inner.fatal : inner.saved);
}

static int
decode(struct decoder *d, const struct schema *s, struct span type,
    struct node *n, const struct place *at)
{
	enum node_kind wanted = NODE_OBJECT;

	switch (s->kind) {
	case SCHEMA_ANY:
		return decode_any(d, s, n);
	case SCHEMA_QUANTITY:
		return decode_quantity(d, n);
	case SCHEMA_INT_OR_STRING:
		return decode_int_or_string(d, n, at);
	case SCHEMA_STRING:
		return decode_string(d, s, type, n, at);
	case SCHEMA_INTEGER:
		return decode_integer(d, s, type, n, at);
	case SCHEMA_NUMBER:
		return n->kind == NODE_NUMBER
		    ? 0
		    : save(d, s, type, n, SPAN_NONE, at);
	case SCHEMA_BOOLEAN:
		return n->kind == NODE_TRUE || n->kind == NODE_FALSE
		    ? 0
		    : save(d, s, type, n, SPAN_NONE, at);
	case SCHEMA_LIST:
		wanted = NODE_ARRAY;
		break;
	case SCHEMA_MAP:
	case SCHEMA_OBJECT:
		break;
	}
	if (n->kind != wanted)
		return save(d, s, type, n, SPAN_NONE, at);
	return s->kind == SCHEMA_OBJECT ? decode_object(d, s, n, at)
					: decode_items(d, s, type, n, at);
}

static struct problem *
finish(struct decoder *d, const struct schema *s, struct node *object)
{
	struct span wrong;

	if (decode(d, s, last_name(s->name), object, NULL) < 0)
		wrong = d->fatal;
	else
		wrong = d->saved;
	if (wrong.p != NULL)
		return problem_bad_request(d->arena, "%.*s", SPAN_ARG(wrong));
	encode_builtin(d->arena, s, object);
	return NULL;
}

struct problem *
decode_builtin(struct arena *a, const struct schema *s, struct node *object,
    struct warnings *unknown)
{
	struct decoder d = {.arena = a, .unknown = unknown};

	return finish(&d, s, object);
}

static int
compare_spans(const void *x, const void *y)
{
	const struct span *a = x, *b = y;

	return span_cmp(*a, *b);
}

struct problem *
decode_converted(struct arena *a, const struct schema *s, struct node *object,
    struct warnings *unknown)
{
	struct decoder d = {.arena = a, .unknown = unknown, .converts = true};
	size_t before = unknown == NULL ? 0 : unknown->n;
	struct problem *p = finish(&d, s, object);

	/* The converter walks maps of Go, and sorts what it found. */
	if (unknown != NULL && unknown->n > before)
		qsort(unknown->items + before, unknown->n - before,
		    sizeof *unknown->items, compare_spans);
	return p;
}

/* ---- keys given twice ---- */

/* A tree has each key only once, so the text is read again. Source:
 * sigs.k8s.io/json. */

/* Types of Go nest less deep; what nests deeper is read without a word. */
enum { DEPTH_MAX = 64 };

struct strict {
	struct warnings *found;
	bool typed;
	struct buf path;    /* spec.containers[0] */
	struct buf scratch; /* keys with escapes */
};

static void read_value(
    struct strict *r, const struct schema *s, struct span value, int depth);

/* A raw key, between its quotes. */
static struct span
key_text(struct strict *r, struct span raw)
{
	struct span key;

	buf_reset(&r->scratch);
	key = json_string(span_make(raw.p - 1, raw.n + 2), &r->scratch);
	return key.p == raw.p ? key : arena_span(r->found->arena, key);
}

static void
push_key(struct strict *r, struct span key)
{
	if (r->path.len > 0)
		buf_addc(&r->path, '.');
	buf_addspan(&r->path, key);
}

static void
note(struct strict *r, const char *what, struct span key)
{
	size_t before = r->path.len;

	push_key(r, key);
	decode_warning_add_field(r->found, what, buf_span(&r->path));
	buf_truncate(&r->path, before);
}

/* The type of a member; *known: it has one, or needs none. */
static const struct schema *
member_type(const struct schema *s, struct span key, bool *known)
{
	const struct field *f;

	*known = true;
	if (s == NULL)
		return NULL;
	if (s->kind == SCHEMA_MAP)
		return s->element->schema;
	f = schema_field(s, key);
	*known = f != NULL;
	return f == NULL ? NULL : f->schema;
}

static void
read_object(
    struct strict *r, const struct schema *s, struct span value, int depth)
{
	struct map seen = MAP_INIT;
	size_t before = r->path.len;

	for (struct json_members m = json_members(value); json_member(&m);) {
		struct span key = key_text(r, m.key);
		const struct schema *type;
		bool known;

		type = member_type(s, key, &known);
		if (!known) {
			note(r, "unknown field", key);
			continue;
		}
		if (map_get(&seen, key) != NULL)
			note(r, "duplicate field", key);
		else
			map_put(&seen, key, &seen);
		push_key(r, key);
		read_value(r, type, m.value, depth + 1);
		buf_truncate(&r->path, before);
	}
	map_release(&seen);
}

static void
read_array(
    struct strict *r, const struct schema *s, struct span value, int depth)
{
	size_t before = r->path.len, i = 0;

	for (struct json_elements e = json_elements(value); json_element(&e);
	     i++) {
		buf_addf(&r->path, "[%zu]", i);
		read_value(r, s == NULL ? NULL : s->element->schema, e.value,
		    depth + 1);
		buf_truncate(&r->path, before);
	}
}

static void
read_value(
    struct strict *r, const struct schema *s, struct span value, int depth)
{
	enum json_type type = json_type(value);

	if (depth > DEPTH_MAX || (r->typed && s == NULL))
		return;
	if (type == JSON_OBJECT &&
	    (s == NULL || s->kind == SCHEMA_OBJECT || s->kind == SCHEMA_MAP))
		read_object(r, s, value, depth);
	else if (type == JSON_ARRAY && (s == NULL || s->kind == SCHEMA_LIST))
		read_array(r, s, value, depth);
}

void
decode_strict(struct arena *a, const struct schema *s, struct span json,
    struct warnings *found)
{
	struct strict r = {found, s != NULL, BUF_INIT, BUF_INIT};
	struct span value = json_value(&json);

	found->arena = a;
	read_value(&r, s, value, 0);
	buf_release(&r.path);
	buf_release(&r.scratch);
}
