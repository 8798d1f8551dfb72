#include "oracle/leaks.h"

#include "base/mem.h"
#include "json/jvtext.h"
#include "oracle/normal.h"
#include "value/base64.h"

enum { VALUE_MIN = 8, VALUES_MAX = 64 };

struct leaks {
	struct normal_mask meant; /* places of clean records */
};

/* A value that must be nowhere. */
struct marker {
	struct span value, of, key; /* of: its Secret */
};

struct markers {
	struct arena arena;
	struct marker items[VALUES_MAX];
	size_t count;
};

/* ---- values ---- */

static void
add_marker(
    struct markers *m, struct span value, struct span of, struct span key)
{
	if (value.n < VALUE_MIN || m->count == VALUES_MAX)
		return;
	for (size_t i = 0; i < m->count; i++)
		if (span_eq(m->items[i].value, value))
			return;
	m->items[m->count++] =
	    (struct marker){arena_span(&m->arena, value), of, key};
}

static void
add_values(struct markers *m, const struct played_change *c, const char *member)
{
	jv values = jvtext_peek(c->object, member);
	bool is_coded = *member == 'd';

	if (jv_get_kind(values) != JV_KIND_OBJECT)
		return;
	for (int i = jv_object_iter(values); jv_object_iter_valid(values, i);
	     i = jv_object_iter_next(values, i)) {
		jv key = jv_object_iter_key(values, i);
		jv value = jv_object_iter_value(values, i);
		struct span name = arena_span(&m->arena, jvtext_span(key));
		struct buf plain = BUF_INIT;

		add_marker(m, jvtext_span(value), c->life->label, name);
		if (is_coded &&
		    base64_decode(
			jvtext_span(value), BASE64_LINES, &plain, NULL) == 0)
			add_marker(m, buf_span(&plain), c->life->label, name);
		buf_wipe(&plain);
		jv_free(key);
		jv_free(value);
	}
}

static void
find_markers(struct markers *m, const struct played *p)
{
	for (size_t i = 0; i < p->change_count; i++) {
		const struct played_change *c = &p->changes[i];

		if (!span_is(c->life->kind, "Secret") || c->by == ACTOR_SERVER)
			continue;
		add_values(m, c, "data");
		add_values(m, c, "stringData");
	}
}

static const struct marker *
marker_in(const struct markers *m, struct span text)
{
	for (size_t i = 0; i < m->count; i++) {
		struct span v = m->items[i].value;

		if (text.n >= v.n && memmem(text.p, text.n, v.p, v.n) != NULL)
			return &m->items[i];
	}
	return NULL;
}

/* ---- places ---- */

typedef void leak_found(void *arg, const struct played_change *c,
    struct span path, const struct marker *what);

struct search {
	const struct markers *m;
	const struct played_change *c;
	struct buf path;
	leak_found *found;
	void *arg;
};

static void
search_value(struct search *s, jv v)
{
	size_t before = s->path.len;
	const struct marker *what;

	switch (jv_get_kind(v)) {
	case JV_KIND_STRING:
		what = marker_in(s->m, jvtext_span(v));
		if (what != NULL)
			s->found(s->arg, s->c, buf_span(&s->path), what);
		break;
	case JV_KIND_ARRAY:
		for (int i = 0, n = played_length(v); i < n; i++) {
			jvtext_add_index(&s->path, i);
			search_value(s, played_at(v, i));
			buf_truncate(&s->path, before);
		}
		break;
	case JV_KIND_OBJECT:
		for (int i = jv_object_iter(v); jv_object_iter_valid(v, i);
		     i = jv_object_iter_next(v, i)) {
			jv key = jv_object_iter_key(v, i);
			jv value = jv_object_iter_value(v, i);

			if (!span_is(jvtext_span(key), "managedFields")) {
				jvtext_add_key(&s->path, jvtext_span(key));
				search_value(s, value);
				buf_truncate(&s->path, before);
			}
			jv_free(key);
			jv_free(value);
		}
		break;
	case JV_KIND_NULL:
	case JV_KIND_TRUE:
	case JV_KIND_FALSE:
	case JV_KIND_NUMBER:
	case JV_KIND_INVALID:
		break;
	}
}

static void
search_changes(const struct played *p, const struct markers *m,
    leak_found *found, void *arg)
{
	struct search s = {m, NULL, BUF_INIT, found, arg};

	for (size_t i = 0; i < p->change_count; i++) {
		const struct played_change *c = s.c = &p->changes[i];

		if (c->by != ACTOR_OPERATOR || c->type == CHANGE_DELETED)
			continue;
		buf_reset(&s.path);
		if (span_is(c->life->kind, "Secret")) {
			buf_adds(&s.path, ".metadata");
			search_value(&s, c->metadata);
		} else
			search_value(&s, c->object);
	}
	buf_release(&s.path);
}

static void
learn_place(void *arg, const struct played_change *c, struct span path,
    const struct marker *what)
{
	struct leaks *g = arg;

	(void)what;
	normal_mask_add(&g->meant, c->life->canon, path);
}

static void
learn(struct leaks *g, const struct played *p)
{
	struct markers m = {ARENA_INIT, {{SPAN_NONE, SPAN_NONE, SPAN_NONE}}, 0};

	find_markers(&m, p);
	if (m.count > 0)
		search_changes(p, &m, learn_place, g);
	arena_release(&m.arena);
}

struct leaks *
leaks_new(const struct played *clean, const struct played *other)
{
	struct leaks *g = mem_zalloc(sizeof(*g));

	learn(g, clean);
	learn(g, other);
	return g;
}

void
leaks_free(struct leaks *g)
{
	if (g == NULL)
		return;
	normal_mask_release(&g->meant);
	free(g);
}

/* ---- a record ---- */

struct telling_leaks {
	const struct leaks *g;
	struct violations *f;
	struct map told; /* labels */
};

static void
tell_leak(void *arg, const struct played_change *c, struct span path,
    const struct marker *what)
{
	struct telling_leaks *t = arg;

	if (normal_masked(&t->g->meant, c->life->canon, c->life->kind, path) ||
	    map_put(&t->told, c->life->key, c->life) != NULL)
		return;
	violations_add(t->f, "secret", c->life->label,
	    "%.*s holds the value %.*s of %.*s", SPAN_ARG(path),
	    SPAN_ARG(what->key), SPAN_ARG(what->of));
}

static void
check_logs(
    const struct played *p, const struct markers *m, struct violations *f)
{
	for (int i = 0, n = played_length(p->record); i < n; i++) {
		jv line = played_at(p->record, i);
		struct span log = played_text(line, "log");
		const struct marker *what;

		if (log.n == 0)
			continue;
		what = marker_in(m, log);
		if (what != NULL) {
			violations_add(f, "secret", played_text(line, "stage"),
			    "a line of its log holds the value %.*s of %.*s",
			    SPAN_ARG(what->key), SPAN_ARG(what->of));
			return;
		}
	}
}

void
leaks_check(const struct leaks *g, const struct played *p, struct violations *f)
{
	struct markers m = {ARENA_INIT, {{SPAN_NONE, SPAN_NONE, SPAN_NONE}}, 0};
	struct telling_leaks t = {g, f, MAP_INIT};

	find_markers(&m, p);
	if (m.count > 0) {
		search_changes(p, &m, tell_leak, &t);
		check_logs(p, &m, f);
	}
	map_release(&t.told);
	arena_release(&m.arena);
}
