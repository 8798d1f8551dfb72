#include "record/sketch.h"

#include <string.h>

#include "json/json.h"

/* Values of path: the number of containers around a member of ... */
enum { IN_EVENT = 1, IN_OBJECT, IN_METADATA };

void
sketch_release(struct sketch *s)
{
	buf_release(&s->type);
	buf_release(&s->object);
	*s = (struct sketch){.length = 0};
}

void
sketch_begin(struct sketch *s, enum sketch_of of)
{
	sketch_release(s);
	s->top = of == SKETCH_OBJECT ? IN_EVENT : 0;
	s->depth = s->path = s->top;
	s->enters = true;
}

static void
put(struct sketch *s, char c)
{
	if (s->to == NULL)
		return;
	if (s->to->len < SKETCH_MAX) {
		buf_addc(s->to, c);
		return;
	}
	/* Without its status the object is still known. */
	s->failed = s->path != IN_OBJECT;
	s->to->len = s->member;
	s->to = NULL;
}

static void
put_key(struct sketch *s)
{
	s->to = &s->object;
	s->member = s->object.len;
	json_add_raw_key(&s->object, span_make(s->key, s->key_n));
}

static bool
is_key(const struct sketch *s, const char *name)
{
	return span_is(span_make(s->key, s->key_n), name);
}

/* A key is over: what becomes of its value? */
static void
on_key(struct sketch *s)
{
	s->to = NULL;
	s->enters = false;
	switch (s->path) {
	case IN_EVENT:
		s->enters = is_key(s, "object");
		if (!is_key(s, "type"))
			break;
		buf_reset(&s->type);
		s->to = &s->type;
		s->member = 0;
		break;
	case IN_OBJECT:
		s->enters = is_key(s, "metadata") && !s->has_metadata;
		if (s->enters || is_key(s, "apiVersion") || is_key(s, "kind") ||
		    is_key(s, "status"))
			put_key(s);
		break;
	case IN_METADATA:
		/* A key that is longer than the buffer is not ours. */
		if (!is_key(s, "managedFields") && s->key_n < SKETCH_KEY_MAX)
			put_key(s);
		break;
	}
}

static void
in_string(struct sketch *s, char c)
{
	bool ends = c == '"' && !s->escaped;

	s->escaped = c == '\\' && !s->escaped;
	s->in_string = !ends;
	if (!s->in_key) {
		put(s, c);
	} else if (!ends) {
		if (s->key_n < SKETCH_KEY_MAX)
			s->key[s->key_n++] = c;
	} else {
		s->in_key = false;
		on_key(s);
	}
}

static void
on_quote(struct sketch *s)
{
	s->in_string = true;
	s->in_key = s->key_next && s->depth == s->path;
	s->key_next = false;
	s->key_n = 0;
	if (!s->in_key)
		put(s, '"');
}

static void
on_open(struct sketch *s, char c)
{
	bool enters = s->enters && c == '{' && s->depth == s->path;

	s->enters = s->whole = false;
	s->depth++;
	if (!enters) {
		put(s, c);
		return;
	}
	s->key_next = true;
	s->path++;
	if (s->path == IN_METADATA)
		s->has_metadata = true;
	if (s->path >= IN_OBJECT)
		buf_addc(&s->object, '{');
}

static void
on_close(struct sketch *s, char c)
{
	if (s->depth == s->top) {
		s->failed = true;
		return;
	}
	if (s->depth > s->path) {
		s->depth--;
		put(s, c);
		return;
	}
	if (s->path >= IN_OBJECT)
		buf_addc(&s->object, '}');
	s->to = NULL;
	s->depth--;
	s->path--;
	s->whole = s->depth == s->top;
}

static void
on_byte(struct sketch *s, char c)
{
	if (s->in_string) {
		in_string(s, c);
		return;
	}
	switch (c) {
	case ' ':
	case '\t':
	case '\r':
	case '\n':
		break;
	case '"':
		on_quote(s);
		break;
	case '{':
	case '[':
		on_open(s, c);
		break;
	case '}':
	case ']':
		on_close(s, c);
		break;
	case ',':
		s->key_next = s->depth == s->path;
		if (s->key_next)
			s->to = NULL;
		put(s, c);
		break;
	case ':':
		if (s->depth > s->path)
			put(s, c);
		break;
	default:
		put(s, c);
	}
}

void
sketch_add(struct sketch *s, struct span piece)
{
	s->length += piece.n;
	for (size_t i = 0; i < piece.n && !s->failed; i++)
		on_byte(s, piece.p[i]);
}

/* A name is what nothing can be known without. */
static bool
has_identity(struct span line)
{
	struct json_frame f;

	return json_check(line, NULL) == 0 && json_frame(line, &f) == 0 &&
	    f.name.n > 0;
}

int
sketch_end(struct sketch *s, struct buf *line)
{
	size_t before = line->len;

	if (s->failed || !s->whole || s->in_string)
		return -1;
	buf_adds(line, "{\"type\":");
	buf_addspan(
	    line, s->top == 0 ? buf_span(&s->type) : span_str("\"ADDED\""));
	buf_adds(line, ",\"object\":");
	buf_addspan(line, buf_span(&s->object));
	buf_addc(line, '}');
	if (has_identity(span_skip(buf_span(line), before)))
		return 0;
	line->len = before;
	return -1;
}
