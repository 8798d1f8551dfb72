#include "protobuf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "digest.h"
#include "protobuf_table.h"

enum { DEPTH_MAX = 64 };
enum { TYPE_VARINT, TYPE_FIXED64, TYPE_BYTES, TYPE_FIXED32 = 5 };

struct reader {
	struct arena *arena;
	struct err *err; /* the first error stays */
	bool failed;
	int depth;
};

/* One field on the wire: a number, or bytes. */
struct item {
	unsigned number;
	unsigned type;
	uint64_t value;
	struct span bytes;
};

static void
fail(struct reader *r, const char *what)
{
	if (!r->failed)
		err_set(r->err, ERR_PERMANENT, "%s", what);
	r->failed = true;
}

static bool
varint(struct reader *r, struct span *s, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64 && s->n > 0; shift += 7) {
		unsigned char c = (unsigned char)s->p[0];

		s->p++;
		s->n--;
		*value |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80)
			return true;
	}
	fail(r, s->n == 0 ? "unexpected EOF" : "proto: integer overflow");
	return false;
}

static bool
fixed(struct reader *r, struct span *s, size_t n, uint64_t *value)
{
	if (s->n < n) {
		fail(r, "unexpected EOF");
		return false;
	}
	*value = 0;
	for (size_t i = 0; i < n; i++)
		*value |= (uint64_t)(unsigned char)s->p[i] << (8 * i);
	s->p += n;
	s->n -= n;
	return true;
}

/* False at the end, and on an error. */
static bool
next(struct reader *r, struct span *s, struct item *i)
{
	uint64_t key, length;

	if (r->failed || s->n == 0 || !varint(r, s, &key))
		return false;
	i->number = (unsigned)(key >> 3);
	i->type = key & 7;
	i->bytes = SPAN_NONE;
	switch (i->type) {
	case TYPE_VARINT:
		return varint(r, s, &i->value);
	case TYPE_FIXED64:
		return fixed(r, s, 8, &i->value);
	case TYPE_FIXED32:
		return fixed(r, s, 4, &i->value);
	case TYPE_BYTES:
		if (!varint(r, s, &length))
			return false;
		if (length > s->n) {
			fail(r, "unexpected EOF");
			return false;
		}
		i->bytes = span_make(s->p, (size_t)length);
		s->p += length;
		s->n -= (size_t)length;
		return true;
	default:
		fail(r, "proto: illegal wireType");
		return false;
	}
}

/* The last value of a field of a small message. */
static struct item
field_of(struct reader *r, struct span s, unsigned number)
{
	struct item i, found = {0};

	while (next(r, &s, &i))
		if (i.number == number)
			found = i;
	return found;
}

static struct node *
base64(struct reader *r, struct span bytes)
{
	struct buf b = BUF_INIT;
	struct span s;

	digest_add_base64(&b, bytes);
	s = arena_span(r->arena, buf_span(&b));
	buf_release(&b);
	return node_string(r->arena, s.p == NULL ? span_str("") : s);
}

static struct node *
json(struct reader *r, struct span text)
{
	struct node *n;

	if (text.n == 0)
		return node_null(r->arena);
	n = tree_parse(r->arena, text, TREE_LIMITS, NULL, NULL);
	if (n == NULL)
		fail(r, "raw JSON inside is not valid");
	return n == NULL ? node_null(r->arena) : n;
}

/* Seconds and nanoseconds; the zero time has no bytes. */
static struct node *
time_of(struct reader *r, struct span s, bool micro)
{
	char *text = arena_alloc(r->arena, CLOCK_RFC3339_MAX);
	int64_t seconds, nanos;

	if (s.n == 0)
		return node_null(r->arena);
	seconds = (int64_t)field_of(r, s, 1).value;
	nanos = (int64_t)field_of(r, s, 2).value;
	/* Years that RFC 3339 can write. */
	if (seconds < -62135596800 || seconds > 253402300799) {
		fail(r, "a time is out of range");
		return node_null(r->arena);
	}
	if (micro)
		clock_format_us(seconds * 1000000 + nanos / 1000, text);
	else
		clock_format_s(seconds, text);
	return node_str(r->arena, text);
}

static struct node *
int_or_string(struct reader *r, struct span s)
{
	struct item type = field_of(r, s, 1), text;

	if (type.value == 0)
		return node_int(r->arena, (int32_t)field_of(r, s, 2).value);
	text = field_of(r, s, 3);
	return node_string(
	    r->arena, text.bytes.p == NULL ? span_str("") : text.bytes);
}

static struct node *message(
    struct reader *r, const struct wire_message *m, struct span s);
static void message_into(struct reader *r, const struct wire_message *m,
    struct span s, struct node *object);

static struct node *
named(struct reader *r, const char *name, struct span s)
{
	return message(r, wire_message(span_str(name)), s);
}

static struct node *
text_list(struct reader *r, struct span s, unsigned number)
{
	struct node *list = node_array(r->arena);
	struct item i;

	while (next(r, &s, &i))
		if (i.number == number)
			node_append(
			    r->arena, list, node_string(r->arena, i.bytes));
	return list;
}

/* Schemas of CRDs: either a schema or something simpler. */
static struct node *
schema_or(struct reader *r, struct span s, struct span type)
{
	static const char schema[] = "apiextensions.v1.JSONSchemaProps";
	bool or_bool =
	    type.n > 4 && memcmp(type.p + type.n - 4, "Bool", 4) == 0;
	struct item i = field_of(r, s, or_bool ? 2 : 1);
	struct node *list;
	struct span rest = s;

	if (i.bytes.p != NULL)
		return named(r, schema, i.bytes);
	if (or_bool)
		return node_bool(r->arena, field_of(r, s, 1).value != 0);
	if (memmem(type.p, type.n, "String", 6) != NULL)
		return text_list(r, s, 2);
	list = node_array(r->arena);
	while (next(r, &rest, &i))
		if (i.number == 2)
			node_append(r->arena, list, named(r, schema, i.bytes));
	return list;
}

static bool
ends(struct span s, const char *with)
{
	size_t n = strlen(with);

	return s.n >= n && memcmp(s.p + s.n - n, with, n) == 0;
}

/* Types whose JSON is not that of their fields. */
static struct node *
special(struct reader *r, struct span type, struct span s)
{
	if (ends(type, ".Time"))
		return time_of(r, s, false);
	if (ends(type, ".MicroTime"))
		return time_of(r, s, true);
	if (ends(type, ".Quantity"))
		return node_string(r->arena, field_of(r, s, 1).bytes);
	if (ends(type, ".IntOrString"))
		return int_or_string(r, s);
	if (ends(type, ".RawExtension") || ends(type, ".FieldsV1") ||
	    ends(type, ".JSON"))
		return json(r, field_of(r, s, 1).bytes);
	if (ends(type, ".ExtraValue") || ends(type, ".Verbs"))
		return text_list(r, s, 1);
	if (memmem(type.p, type.n, ".JSONSchemaPropsOr", 18) != NULL)
		return schema_or(r, s, type);
	fail(r, "a type that is not known");
	return node_null(r->arena);
}

static struct node *
double_of(struct reader *r, uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof d);
	return node_number(r->arena, arena_printf(r->arena, "%.17g", d));
}

static struct node *
value(struct reader *r, const struct wire_field *f, const struct item *i)
{
	const struct wire_message *m;

	switch (f->kind) {
	case WIRE_STRING:
		return node_string(
		    r->arena, i->bytes.p == NULL ? span_str("") : i->bytes);
	case WIRE_BYTES:
		return base64(r, i->bytes);
	case WIRE_INT:
		return node_int(r->arena, (int64_t)i->value);
	case WIRE_BOOL:
		return node_bool(r->arena, i->value != 0);
	case WIRE_DOUBLE:
		return double_of(r, i->value);
	case WIRE_MESSAGE:
		break;
	}
	m = wire_message(f->message);
	if (m != NULL)
		return message(r, m, i->bytes);
	return special(r, f->message, i->bytes);
}

/* An entry of a map is a message of key and value. */
static void
add_entry(struct reader *r, const struct wire_field *f, struct node *map,
    struct span s)
{
	struct span key = span_str("");
	struct item i, found = {.bytes = {"", 0}};

	while (next(r, &s, &i)) {
		if (i.number == 1)
			key = i.bytes;
		else if (i.number == 2)
			found = i;
	}
	if (!r->failed)
		node_set(r->arena, map, key, value(r, f, &found));
}

static void
take(struct reader *r, const struct wire_field *f, struct node *object,
    const struct item *i)
{
	struct node *held;

	switch (f->shape) {
	case SHAPE_ONE:
		node_set(r->arena, object, f->name, value(r, f, i));
		break;
	case SHAPE_INLINE:
		message_into(r, wire_message(f->message), i->bytes, object);
		break;
	case SHAPE_LIST:
		held = node_get_span(object, f->name);
		if (held == NULL) {
			held = node_array(r->arena);
			node_set(r->arena, object, f->name, held);
		}
		node_append(r->arena, held, value(r, f, i));
		break;
	case SHAPE_MAP:
		held = node_get_span(object, f->name);
		if (held == NULL) {
			held = node_object(r->arena);
			node_set(r->arena, object, f->name, held);
		}
		add_entry(r, f, held, i->bytes);
		break;
	}
}

static void
message_into(struct reader *r, const struct wire_message *m, struct span s,
    struct node *object)
{
	struct item i;

	if (m == NULL || ++r->depth > DEPTH_MAX) {
		fail(r, "nested too deep");
		return;
	}
	while (next(r, &s, &i)) {
		const struct wire_field *f = wire_field(m, i.number);
		bool sized = i.type == TYPE_BYTES;

		if (f == NULL)
			continue;
		if (sized !=
		    (f->kind == WIRE_STRING || f->kind == WIRE_BYTES ||
			f->kind == WIRE_MESSAGE || f->shape == SHAPE_MAP))
			fail(r, "proto: wrong wireType");
		else
			take(r, f, object, &i);
	}
	r->depth--;
}

static struct node *
message(struct reader *r, const struct wire_message *m, struct span s)
{
	struct node *object = node_object(r->arena);

	message_into(r, m, s, object);
	return object;
}

/* apps/v1, Deployment: apps.v1.Deployment. */
static const struct wire_message *
message_of(struct arena *a, struct span api_version, struct span kind)
{
	const char *slash = api_version.n == 0
	    ? NULL
	    : memchr(api_version.p, '/', api_version.n);
	struct span group = span_str("core"), version = api_version;
	const char *dot;

	if (span_is(kind, "DeleteOptions"))
		return wire_message(span_str("meta.v1.DeleteOptions"));
	if (slash != NULL) {
		group =
		    span_make(api_version.p, (size_t)(slash - api_version.p));
		version = span_make(slash + 1, api_version.n - group.n - 1);
		dot = memchr(group.p, '.', group.n);
		if (dot != NULL)
			group.n = (size_t)(dot - group.p);
	}
	return wire_message(arena_printf(a, "%.*s.%.*s.%.*s", SPAN_ARG(group),
	    SPAN_ARG(version), SPAN_ARG(kind)));
}

struct node *
protobuf_parse(struct arena *a, struct span body, struct err *err)
{
	static const char magic[4] = {'k', '8', 's', 0};
	struct reader r = {.arena = a, .err = err};
	const struct wire_message *m;
	struct span type, api_version, kind, raw;
	struct node *object;

	if (body.n < sizeof magic || memcmp(body.p, magic, 4) != 0) {
		err_set(err, ERR_PERMANENT,
		    body.n == 0 ? "empty data"
				: "provided data does not appear to be a "
				  "protobuf message, expected prefix "
				  "[107 56 115 0]");
		return NULL;
	}
	body = span_make(body.p + 4, body.n - 4);
	type = field_of(&r, body, 1).bytes;
	raw = field_of(&r, body, 2).bytes;
	api_version = field_of(&r, type, 1).bytes;
	kind = field_of(&r, type, 2).bytes;
	if (r.failed)
		return NULL;
	m = message_of(a, api_version, kind);
	if (m == NULL) {
		err_set(err, ERR_PERMANENT,
		    "no kind \"%.*s\" is registered for version \"%.*s\" in "
		    "scheme \"pkg/runtime/scheme.go:111\"",
		    SPAN_ARG(kind), SPAN_ARG(api_version));
		return NULL;
	}
	object = node_object(a);
	node_put(a, object, "kind", node_string(a, kind));
	node_put(a, object, "apiVersion", node_string(a, api_version));
	message_into(&r, m, raw, object);
	return r.failed ? NULL : object;
}
