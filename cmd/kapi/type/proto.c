#include "type/proto.h"

#include <math.h>
#include <string.h>

#include "process/clock.h"
#include "text/number.h"
#include "type/decode_text.h"
#include "type/schema.h"
#include "value/objref.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };
/* Seconds since 1970: the years that RFC 3339 can write. */
#define YEAR_1 (-62135596800)
#define YEAR_10000 253402300800

enum { DEPTH_MAX = 200 };

/* A field of a message. */
struct wire {
	unsigned long number;
	int type;
	uint64_t value;	   /* VARINT, FIXED64, FIXED32 */
	struct span bytes; /* BYTES */
};

struct decoder {
	struct arena *a;
	const char *why; /* NULL while all is well */
	unsigned depth;
};

static bool
bad(struct decoder *d, const char *why)
{
	if (d->why == NULL)
		d->why = why;
	return false;
}

static bool
varint(struct decoder *d, struct span *in, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64 && in->n > 0; shift += 7) {
		unsigned char c = (unsigned char)*in->p;

		in->p++;
		in->n--;
		*value |= (uint64_t)(c & 127) << shift;
		if (c < 128)
			return true;
	}
	return bad(d, "a number is cut short or too long");
}

static bool
fixed(struct decoder *d, struct span *in, size_t n, uint64_t *value)
{
	if (in->n < n)
		return bad(d, "a number is cut short");
	*value = 0;
	for (size_t i = n; i > 0; i--)
		*value = *value << 8 | (unsigned char)in->p[i - 1];
	in->p += n;
	in->n -= n;
	return true;
}

/* false: the end, or bad. */
static bool
next(struct decoder *d, struct span *in, struct wire *w)
{
	uint64_t key, n;

	if (in->n == 0 || d->why != NULL || !varint(d, in, &key))
		return false;
	*w = (struct wire){
	    .number = (unsigned long)(key >> 3), .type = (int)(key & 7)};
	switch (w->type) {
	case VARINT:
		return varint(d, in, &w->value);
	case FIXED64:
		return fixed(d, in, 8, &w->value);
	case FIXED32:
		return fixed(d, in, 4, &w->value);
	case BYTES:
		if (!varint(d, in, &n))
			return false;
		if (n > in->n)
			return bad(d, "a message is cut short");
		w->bytes = span_make(in->p, (size_t)n);
		in->p += n;
		in->n -= (size_t)n;
		return true;
	default:
		return bad(d, "a field of unknown type");
	}
}

static struct node *value_of(
    struct decoder *d, const struct schema *s, const struct wire *w);

/* The first field of that number, or one of value 0 and no bytes. */
static struct wire
only(struct decoder *d, struct span message, unsigned long number)
{
	struct wire w;

	while (next(d, &message, &w))
		if (w.number == number)
			return w;
	return (struct wire){.number = 0};
}

static struct node *
text(struct decoder *d, struct span bytes)
{
	return tree_string(d->a, bytes.p == NULL ? span_str("") : bytes);
}

/* {1: seconds, 2: nanoseconds}; an empty message is not a time. */
static struct node *
time_of(struct decoder *d, struct span message, bool micro)
{
	int64_t seconds = (int64_t)only(d, message, 1).value;
	int64_t nanos = (int64_t)only(d, message, 2).value;
	char out[CLOCK_RFC3339_MAX];

	if (message.n == 0)
		return tree_null(d->a);
	if (seconds < YEAR_1 || seconds >= YEAR_10000 || nanos < 0 ||
	    nanos > 999999999) {
		bad(d, "a time out of range");
		return tree_null(d->a);
	}
	if (micro)
		clock_format_us(seconds * 1000000 + nanos / 1000, out);
	else
		clock_format_s(seconds, out);
	return tree_string(d->a, arena_span(d->a, span_str(out)));
}

/* {1: type (0: number), 2: number, 3: text} */
static struct node *
int_or_string(struct decoder *d, struct span message)
{
	if (only(d, message, 1).value == 0)
		return tree_int(d->a, (int32_t)only(d, message, 2).value);
	return text(d, only(d, message, 3).bytes);
}

/* RawExtension, FieldsV1 and JSON: {1: JSON text}. */
static struct node *
any(struct decoder *d, struct span message)
{
	struct span json = only(d, message, 1).bytes;
	struct node *n;

	if (json.n == 0)
		return tree_null(d->a);
	n = tree_parse(d->a, json, TREE_LIMITS, NULL, NULL);
	if (n == NULL)
		bad(d, "text that is not JSON");
	return n == NULL ? tree_null(d->a) : n;
}

/* {1: schema, 2: several}: schemas, or texts. */
static struct node *
one_or_several(
    struct decoder *d, const struct schema *s, struct span message, bool texts)
{
	struct wire schema = only(d, message, 1), w;
	struct node *list = tree_array(d->a);

	while (next(d, &message, &w))
		if (w.number == 2)
			tree_append(d->a, list,
			    texts ? text(d, w.bytes) : value_of(d, s, &w));
	if (list->n > 0)
		return list;
	return schema.number == 0 ? tree_null(d->a) : value_of(d, s, &schema);
}

/* {1: allowed, 2: schema} */
static struct node *
schema_or_bool(struct decoder *d, const struct schema *s, struct span message)
{
	struct wire schema = only(d, message, 2);

	return schema.number == 0
	    ? tree_bool(d->a, only(d, message, 1).value != 0)
	    : value_of(d, s, &schema);
}

/* A value of several possible kinds in JSON: any, or a JSONSchemaPropsOr... */
static struct node *
any_kind(struct decoder *d, const struct schema *s, struct span message)
{
	const struct schema *inside = schema_inside(s);
	struct node *n;

	if (inside == NULL)
		return any(d, message);
	if (++d->depth > DEPTH_MAX)
		bad(d, "nested too deep");
	if (span_ends(s->name, "OrBool"))
		n = schema_or_bool(d, inside, message);
	else
		n = one_or_several(
		    d, inside, message, span_ends(s->name, "OrStringArray"));
	d->depth--;
	return n;
}

/* An entry of a map: {1: key, 2: value}. */
static void
add_entry(struct decoder *d, const struct schema *s, struct node *map,
    struct span message)
{
	struct wire value = only(d, message, 2);
	struct span key = only(d, message, 1).bytes;

	value.type = value.number == 0 ? BYTES : value.type;
	tree_set(d->a, map, key.p == NULL ? span_str("") : key,
	    value_of(d, s->element->schema, &value));
}

static void
add_field(struct decoder *d, struct node *object, const struct field *f,
    const struct wire *w)
{
	struct node *n = tree_get_span(object, f->name);

	if (f->schema->kind != SCHEMA_LIST && f->schema->kind != SCHEMA_MAP) {
		tree_set(d->a, object, f->name, value_of(d, f->schema, w));
		return;
	}
	if (n == NULL) {
		n = f->schema->kind == SCHEMA_LIST ? tree_array(d->a)
						   : tree_object(d->a);
		tree_set(d->a, object, f->name, n);
	}
	if (f->schema->kind == SCHEMA_LIST)
		tree_append(
		    d->a, n, value_of(d, f->schema->element->schema, w));
	else
		add_entry(d, f->schema, n, w->bytes);
}

static void fields(struct decoder *d, const struct schema *s,
    struct node *object, struct span message, unsigned long above);

static void
add(struct decoder *d, const struct schema *s, struct node *object,
    const struct wire *w, unsigned long above)
{
	unsigned long number = above + w->number;

	if (w->number == 0 || w->number > 999)
		return;
	for (size_t i = 0; i < s->field_count; i++)
		if (s->fields[i].number == number) {
			add_field(d, object, &s->fields[i], w);
			return;
		}
	/* A message that stands for an embedded struct. */
	for (size_t i = 0; w->type == BYTES && i < s->field_count; i++)
		if (s->fields[i].number / 1000 == number ||
		    s->fields[i].number / 1000000 == number) {
			fields(d, s, object, w->bytes, number * 1000);
			return;
		}
}

static void
fields(struct decoder *d, const struct schema *s, struct node *object,
    struct span message, unsigned long above)
{
	struct wire w;

	if (++d->depth > DEPTH_MAX)
		bad(d, "nested too deep");
	while (next(d, &message, &w))
		add(d, s, object, &w, above);
	d->depth--;
}

static struct node *
text_kind(struct decoder *d, const struct schema *s, struct span bytes)
{
	if (schema_is_time(s) || schema_is_micro_time(s))
		return time_of(d, bytes, schema_is_micro_time(s));
	if (span_is(s->format, "byte"))
		return tree_string(d->a, decode_base64_text(d->a, bytes));
	return text(d, bytes);
}

static struct node *
double_of(struct decoder *d, uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof value);
	if (!isfinite(value))
		bad(d, "a number that JSON has not");
	return tree_number(d->a, number_json(d->a, value));
}

static struct node *
value_of(struct decoder *d, const struct schema *s, const struct wire *w)
{
	struct node *n;

	switch (s->kind) {
	case SCHEMA_STRING:
		return text_kind(d, s, w->bytes);
	case SCHEMA_INTEGER:
		return tree_int(d->a, (int64_t)w->value);
	case SCHEMA_BOOLEAN:
		return tree_bool(d->a, w->value != 0);
	case SCHEMA_NUMBER:
		return double_of(d, w->value);
	case SCHEMA_INT_OR_STRING:
		return int_or_string(d, w->bytes);
	case SCHEMA_QUANTITY:
		return text(d, only(d, w->bytes, 1).bytes);
	case SCHEMA_ANY:
		return any_kind(d, s, w->bytes);
	case SCHEMA_OBJECT:
		n = tree_object(d->a);
		fields(d, s, n, w->bytes, 0);
		return n;
	case SCHEMA_LIST: /* a list of lists, a map of lists: {1: items} */
	case SCHEMA_MAP:
		break;
	}
	n = tree_array(d->a);
	for (struct span rest = w->bytes; rest.n > 0;) {
		struct wire item;

		if (!next(d, &rest, &item))
			break;
		tree_append(d->a, n, value_of(d, s->element->schema, &item));
	}
	return n;
}

/* Several types share their kind with every group: DeleteOptions. */
static const struct schema *
type_of(struct span api_version, struct span kind)
{
	struct span group, version;

	if (span_is(kind, "DeleteOptions"))
		return schema_builtin(span_str(
		    "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"));
	objref_split(api_version, &group, &version);
	return schema_builtin_kind(group, version, kind);
}

struct node *
proto_decode(struct arena *a, struct span body, struct err *err)
{
	struct decoder d = {.a = a};
	struct span unknown, type, api_version, kind, raw;
	const struct schema *s;
	struct node *object;

	if (body.n < 4 || memcmp(body.p, "k8s", 4) != 0) {
		err_set(err, ERR_PERMANENT,
		    "provided data does not appear to be a protobuf message, "
		    "expected prefix [107 56 115 0]");
		return NULL;
	}
	unknown = span_skip(body, 4);
	type = only(&d, unknown, 1).bytes;
	api_version = only(&d, type, 1).bytes;
	kind = only(&d, type, 2).bytes;
	raw = only(&d, unknown, 2).bytes;
	s = d.why == NULL ? type_of(api_version, kind) : NULL;
	if (s == NULL) {
		err_set(err, ERR_PERMANENT,
		    d.why != NULL
			? d.why
			: "no kind \"%.*s\" is registered for version "
			  "\"%.*s\"",
		    SPAN_ARG(kind), SPAN_ARG(api_version));
		return NULL;
	}
	object = tree_object(a);
	tree_put(a, object, "apiVersion", tree_string(a, api_version));
	tree_put(a, object, "kind", tree_string(a, kind));
	fields(&d, s, object, raw, 0);
	if (d.why != NULL) {
		err_set(err, ERR_PERMANENT, "%s", d.why);
		return NULL;
	}
	return object;
}
