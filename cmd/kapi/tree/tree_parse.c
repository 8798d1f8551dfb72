/* Part of tree/tree.h: from JSON to a tree. */
#include "tree/tree.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "json/json.h"

struct parser {
	struct arena *a;
	const char *start, *p, *end;
	struct tree_limits limits;
	unsigned depth;
	const char *why; /* NULL while all is well; then p is the place */
	struct span *duplicate; /* NULL: not wanted, or found already */
	/* The current place, for the path of a duplicate. */
	const struct frame *frame;
};

struct frame {
	const struct frame *up;
	struct span key; /* none: an item */
	size_t index;
};

static struct node *
bad(struct parser *r, const char *at, const char *why)
{
	r->p = at;
	r->why = why;
	return NULL;
}

static struct node *
unexpected(struct parser *r)
{
	return bad(r, r->p,
	    r->p >= r->end ? "the text is cut short" : "unexpected byte");
}

static void
space(struct parser *r)
{
	while (r->p < r->end &&
	    (*r->p == ' ' || *r->p == '\n' || *r->p == '\t' || *r->p == '\r'))
		r->p++;
}

static struct node *
word(struct parser *r, const char *text, enum node_kind kind)
{
	size_t n = strlen(text);
	struct node *node;

	if ((size_t)(r->end - r->p) < n || memcmp(r->p, text, n) != 0)
		return unexpected(r);
	r->p += n;
	node = arena_zalloc(r->a, sizeof(*node));
	node->kind = kind;
	return node;
}

/* Four hex digits at p, or -1. */
static long
hex4(const char *p, const char *end)
{
	long n = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = (char)(p[i] | 0x20);

		if (p[i] >= '0' && p[i] <= '9')
			n = n * 16 + (p[i] - '0');
		else if (c >= 'a' && c <= 'f')
			n = n * 16 + (c - 'a' + 10);
		else
			return -1;
	}
	return n;
}

static char *
escape(struct parser *r, char *q)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;
	long c, low;

	r->p++;
	if (r->p >= r->end) {
		unexpected(r);
		return NULL;
	}
	if (*r->p == 'u') {
		r->p++;
		/* r->p is behind "\u". A lone half of a surrogate pair becomes
		 * U+FFFD. */
		c = hex4(r->p, r->end);
		if (c < 0) {
			bad(r, r->p, "\\u needs four hex digits");
			return NULL;
		}
		r->p += 4;
		if (c < 0xd800 || c > 0xdfff)
			return utf8_put(q, (uint32_t)c);
		if (c < 0xdc00 && r->end - r->p >= 6 && r->p[0] == '\\' &&
		    r->p[1] == 'u') {
			low = hex4(r->p + 2, r->end);
			if (low >= 0xdc00 && low <= 0xdfff) {
				r->p += 6;
				return utf8_put(q,
				    (uint32_t)(0x10000 + ((c - 0xd800) << 10) +
					(low - 0xdc00)));
			}
		}
		return utf8_put(q, UTF8_REPLACEMENT);
	}
	at = *r->p == '\0' ? NULL : strchr(from, *r->p);
	if (at == NULL) {
		bad(r, r->p, "unknown escape");
		return NULL;
	}
	r->p++;
	*q = to[at - from];
	return q + 1;
}

/* Decodes a string with escapes; from is behind its quote. The room is three
 * bytes for each: a byte that is not UTF-8 becomes three. */
static struct span
decode(struct parser *r, const char *from)
{
	size_t room = 0;
	const char *e = r->p;
	char *text, *q;

	while (e < r->end && *e != '"') {
		room += 3;
		e += *e == '\\' ? 2 : 1;
	}
	text = arena_alloc(r->a, (size_t)(r->p - from) + room + 1);
	memcpy(text, from, (size_t)(r->p - from));
	q = text + (r->p - from);
	while (r->p < r->end && *r->p != '"') {
		size_t n;

		if (*r->p == '\\') {
			q = escape(r, q);
			if (q == NULL)
				return SPAN_NONE;
			continue;
		}
		if ((unsigned char)*r->p < 0x20) {
			bad(r, r->p, "control byte in a string");
			return SPAN_NONE;
		}
		n = utf8_length(r->p, r->end);
		if (n == 0) {
			q = utf8_put(q, UTF8_REPLACEMENT);
			r->p++;
			continue;
		}
		memcpy(q, r->p, n);
		q += n;
		r->p += n;
	}
	*q = '\0';
	return span_make(text, (size_t)(q - text));
}

/* r->p is at the opening quote, and ends behind the closing one. */
static struct span
string(struct parser *r, bool *plain)
{
	const char *from = ++r->p;
	struct span text;

	*plain = true;
	while (r->p < r->end && (unsigned char)*r->p >= 0x20 &&
	    (unsigned char)*r->p < 0x80 && *r->p != '"' && *r->p != '\\')
		r->p++;
	if (r->p < r->end && *r->p == '"') {
		text = span_make(from, (size_t)(r->p - from));
	} else {
		*plain = false;
		text = decode(r, from);
		if (text.p == NULL)
			return text;
		if (r->p >= r->end) {
			unexpected(r);
			return SPAN_NONE;
		}
	}
	r->p++;
	return text;
}

static void
write_path(struct buf *b, const struct frame *f)
{
	if (f == NULL)
		return;
	write_path(b, f->up);
	if (f->key.p == NULL)
		buf_addf(b, "[%zu]", f->index);
	else
		buf_addf(b, "%s%.*s", b->len > 0 ? "." : "", SPAN_ARG(f->key));
}

static void
note_duplicate(struct parser *r, struct span key)
{
	const struct frame f = {.up = r->frame, .key = key};
	struct buf path = BUF_INIT;

	if (r->duplicate == NULL)
		return;
	write_path(&path, &f);
	*r->duplicate = tree_keep(r->a, &path);
	r->duplicate = NULL;
}

static struct node *value(struct parser *r);

static struct node *
nested(struct parser *r, struct frame *f)
{
	struct node *n;

	f->up = r->frame;
	r->frame = f;
	n = value(r);
	r->frame = f->up;
	return n;
}

static bool
member(struct parser *r, struct node *object)
{
	struct frame f = {.key = SPAN_NONE};
	struct node *n;
	uint32_t before = object->n;
	bool plain;

	if (r->p >= r->end || *r->p != '"') {
		unexpected(r);
		return false;
	}
	f.key = string(r, &plain);
	if (f.key.p == NULL)
		return false;
	space(r);
	if (r->p >= r->end || *r->p != ':') {
		unexpected(r);
		return false;
	}
	r->p++;
	n = nested(r, &f);
	if (n == NULL)
		return false;
	tree_set(r->a, object, f.key, n);
	if (object->n > before)
		return true;
	note_duplicate(r, f.key);
	if (!r->limits.duplicates)
		bad(r, r->p, "a key is given twice");
	return r->limits.duplicates;
}

static bool
item(struct parser *r, struct node *array)
{
	struct frame f = {.index = array->n};
	struct node *n = nested(r, &f);

	if (n == NULL)
		return false;
	tree_append(r->a, array, n);
	return true;
}

static struct node *
container(struct parser *r, enum node_kind kind)
{
	char close = kind == NODE_OBJECT ? '}' : ']';
	struct node *n =
	    kind == NODE_OBJECT ? tree_object(r->a) : tree_array(r->a);

	if (++r->depth > r->limits.depth)
		return bad(r, r->p, "nested too deep");
	r->p++;
	space(r);
	if (r->p < r->end && *r->p == close)
		goto out;
	for (;;) {
		space(r);
		if (kind == NODE_OBJECT ? !member(r, n) : !item(r, n))
			return NULL;
		space(r);
		if (r->p < r->end && *r->p == close)
			goto out;
		if (r->p >= r->end || *r->p != ',')
			return unexpected(r);
		r->p++;
	}
out:
	r->p++;
	r->depth--;
	return n;
}

static struct node *
value(struct parser *r)
{
	struct node *n;
	bool plain;

	space(r);
	if (r->p >= r->end)
		return unexpected(r);
	switch (*r->p) {
	case '{':
		return container(r, NODE_OBJECT);
	case '[':
		return container(r, NODE_ARRAY);
	case '"':
		n = tree_string(r->a, string(r, &plain));
		n->plain = plain;
		return r->why == NULL ? n : NULL;
	case 't':
		return word(r, "true", NODE_TRUE);
	case 'f':
		return word(r, "false", NODE_FALSE);
	case 'n':
		return word(r, "null", NODE_NULL);
	default:
		if (*r->p == '-' || span_is_digit(*r->p)) {
			const char *from = r->p;

			if (!json_take_number(&r->p, r->end))
				return unexpected(r);
			return tree_number(
			    r->a, span_make(from, (size_t)(r->p - from)));
		}
		return unexpected(r);
	}
}

struct node *
tree_parse(struct arena *a, struct span text, struct tree_limits limits,
    struct span *duplicate, struct err *err)
{
	struct parser r = {.a = a,
	    .start = text.p,
	    .p = text.p,
	    .end = text.p + text.n,
	    .limits = limits,
	    .duplicate = duplicate};
	struct node *n;

	if (duplicate != NULL)
		*duplicate = SPAN_NONE;
	n = value(&r);
	if (n != NULL)
		space(&r);
	if (n != NULL && r.p < r.end)
		n = unexpected(&r);
	if (n == NULL)
		err_set(err, ERR_PERMANENT, "at byte %zu: %s",
		    (size_t)(r.p - r.start) + 1, r.why);
	return n;
}
