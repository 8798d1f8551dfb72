/*
 * Part of type/decode.h. Keys given twice: a tree has each only once, so the
 * text is read again. See decode.h. Source: sigs.k8s.io/json.
 */
#include "type/decode.h"

#include "base/map.h"
#include "json/json.h"

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
