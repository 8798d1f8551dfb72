#include "census.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "json/json.h"
#include "value/objref.h"
#include "value/bookmarks.h"

struct census_kind {
	char *name; /* Kind.group */
	char *api_version, *kind;
	bool announced, complete, absent;
	struct buf listed; /* while incomplete: namespaces listed so far,
			    * "a,b" */
	size_t begun;	   /* number of the line that announced it last */
	size_t count;	   /* objects; for census_count */
};

struct census_object {
	struct census_kind *kind;
	size_t last;	   /* number of the line */
	struct text *line; /* the line itself, of CENSUS_LINES */
	char key[];
};

struct census {
	enum census_keeps keeps;
	struct map kinds, objects;
	struct census_kind **order; /* kinds, the first ones first */
	size_t order_count;
	unsigned char *lines; /* a bit for each number up to most */
	size_t most;
	struct buf key;
};

struct census *
census_new(enum census_keeps keeps)
{
	struct census *c = mem_zalloc(sizeof(*c));

	c->keeps = keeps;
	return c;
}

static void
object_free(struct census_object *o)
{
	if (o != NULL)
		text_unref(o->line);
	free(o);
}

void
census_free(struct census *c)
{
	struct census_object *o;
	size_t at = 0;

	if (c == NULL)
		return;
	while ((o = map_next(&c->objects, &at)) != NULL)
		object_free(o);
	for (size_t i = 0; i < c->order_count; i++) {
		free(c->order[i]->name);
		buf_release(&c->order[i]->listed);
		free(c->order[i]->api_version);
		free(c->order[i]->kind);
		free(c->order[i]);
	}
	free(c->order);
	map_release(&c->kinds);
	map_release(&c->objects);
	free(c->lines);
	buf_release(&c->key);
	free(c);
}

static struct census_kind *
find_kind(struct census *c, const struct json_frame *f)
{
	struct census_kind *k;

	buf_reset(&c->key);
	objref_add_kind(&c->key, f->kind, objref_group(f->api_version));
	k = map_get(&c->kinds, buf_span(&c->key));
	if (k != NULL)
		return k;
	k = mem_zalloc(sizeof(*k));
	k->name = mem_dup(c->key.data, c->key.len);
	k->api_version = mem_dup(f->api_version.p, f->api_version.n);
	k->kind = mem_dup(f->kind.p, f->kind.n);
	map_put(&c->kinds, span_str(k->name), k);
	c->order = mem_grow(c->order, c->order_count, sizeof(*c->order));
	c->order[c->order_count++] = k;
	return k;
}

/* An object of the kind that was not mentioned since it was announced. */
static bool
is_gone(const void *value, const void *arg)
{
	const struct census_object *o = value;

	return o->kind == arg && o->last < o->kind->begun;
}

static void
forget_gone(struct census *c, const struct census_kind *k)
{
	struct census_object *o;
	size_t at = 0;

	while ((o = map_next(&c->objects, &at)) != NULL)
		if (is_gone(o, k)) {
			text_unref(o->line);
			o->line = NULL;
		}
	map_sweep(&c->objects, is_gone, k);
}

static void
bookmark(struct census *c, const struct json_frame *f, size_t number)
{
	struct census_kind *k = find_kind(c, f);
	struct span names =
	    json_raw_string(json_get(f->annotations, BOOKMARKS_LISTED));

	if (json_get(f->annotations, BOOKMARKS_BEGIN).p != NULL) {
		k->announced = true;
		k->complete = k->absent = false;
		k->begun = number;
		buf_reset(&k->listed);
	} else if (json_get(f->annotations, BOOKMARKS_ABSENT).p != NULL) {
		k->absent = true;
	} else if (names.n > 0) {
		buf_addf(&k->listed, "%s%.*s", k->listed.len > 0 ? "," : "",
		    SPAN_ARG(names));
	} else if (json_get(f->annotations, BOOKMARKS_END).p != NULL) {
		k->announced = k->complete = true;
		forget_gone(c, k);
	}
}

static void
take_object(struct census *c, const struct json_frame *f, struct span text,
    size_t number)
{
	struct census_kind *k = find_kind(c, f);
	struct census_object *o;
	struct objref ref = {.kind = f->kind,
	    .group = objref_group(f->api_version),
	    .namespace_ = f->namespace_,
	    .name = f->name};

	buf_reset(&c->key);
	objref_add_key(&c->key, &ref);
	if (span_is(f->type, "DELETED")) {
		object_free(map_del(&c->objects, buf_span(&c->key)));
		return;
	}
	o = map_get(&c->objects, buf_span(&c->key));
	if (o == NULL) {
		o = mem_zalloc(sizeof(*o) + c->key.len + 1);
		memcpy(o->key, c->key.data, c->key.len);
		map_put(&c->objects, span_make(o->key, c->key.len), o);
	}
	o->kind = k;
	o->last = number;
	if (c->keeps == CENSUS_LINES) {
		text_unref(o->line);
		o->line = text_make(text);
	}
}

void
census_take(struct census *c, struct span text, size_t number)
{
	struct json_frame f;
	struct arena names = ARENA_INIT;

	if (number > c->most)
		c->most = number;
	if (json_frame(text, &f) != 0 || f.kind.p == NULL)
		return;
	if (span_is(f.type, "BOOKMARK")) {
		bookmark(c, &f, number);
		return;
	}
	if (f.name.p == NULL || span_is(f.type, "ERROR"))
		return;
	json_frame_names(&f, &names);
	take_object(c, &f, text, number);
	arena_release(&names);
}

struct census_state
census_state(const struct census *c)
{
	struct census_state s = {NULL, 0, 0};
	const struct census_object *o;
	size_t at = 0;

	s.lines = mem_alloc((c->objects.count + 1) * sizeof(struct text *));
	while ((o = map_next(&c->objects, &at)) != NULL)
		if (!o->kind->announced || o->last >= o->kind->begun)
			s.lines[s.count++] = text_ref(o->line);
	return s;
}

bool
census_state_next(struct census_state *s, struct span *line)
{
	if (s->at > 0)
		text_unref(s->lines[s->at - 1]);
	if (s->at > 0)
		s->lines[s->at - 1] = NULL;
	if (s->at >= s->count)
		return false;
	*line = text_span(s->lines[s->at++]);
	return true;
}

void
census_state_release(struct census_state *s)
{
	for (size_t i = 0; i < s->count; i++)
		text_unref(s->lines[i]);
	free(s->lines);
	*s = (struct census_state){NULL, 0, 0};
}

void
census_close(struct census *c)
{
	struct census_object *o;
	size_t at = 0;

	for (size_t i = 0; i < c->order_count; i++)
		if (c->order[i]->announced)
			forget_gone(c, c->order[i]);
	c->lines = mem_zalloc(c->most / 8 + 1);
	while ((o = map_next(&c->objects, &at)) != NULL) {
		c->lines[o->last / 8] |= (unsigned char)(1u << o->last % 8);
		o->kind->count++;
	}
}

bool
census_has(const struct census *c, size_t number)
{
	return number <= c->most &&
	    (c->lines[number / 8] >> number % 8 & 1) != 0;
}

static void
add_bookmark(const struct census_kind *k, const char *annotation,
    const char *value, struct span time, struct buf *out)
{
	buf_adds(out, "{\"type\":\"BOOKMARK\",\"time\":");
	json_add_string(out, time);
	buf_adds(out, ",\"object\":{\"apiVersion\":");
	json_add_str(out, k->api_version);
	buf_adds(out, ",\"kind\":");
	json_add_str(out, k->kind);
	buf_addf(out, ",\"metadata\":{\"annotations\":{\"%s\":", annotation);
	json_add_str(out, value);
	buf_adds(out, "}}}}\n");
}

void
census_begins(const struct census *c, struct span time, struct buf *out)
{
	for (size_t i = 0; i < c->order_count; i++)
		if (c->order[i]->announced)
			add_bookmark(
			    c->order[i], BOOKMARKS_BEGIN, "true", time, out);
}

void
census_ends(const struct census *c, struct span time, struct buf *out)
{
	for (size_t i = 0; i < c->order_count; i++) {
		struct census_kind *k = c->order[i];

		if (k->absent)
			add_bookmark(k, BOOKMARKS_ABSENT, "true", time, out);
		if (k->complete)
			add_bookmark(k, BOOKMARKS_END, "true", time, out);
		else if (k->listed.len > 0)
			add_bookmark(k, BOOKMARKS_LISTED, buf_str(&k->listed),
			    time, out);
	}
}

void
census_added(struct span text, struct buf *out)
{
	struct span type = json_get(text, "type");
	size_t before = (size_t)(type.p - text.p);
	struct span object = json_get(text, "object");
	struct span rest = span_skip(text, before + type.n);

	/* The state does not say which change its manager made. */
	if (json_get(text, "manager").p != NULL && object.p > type.p)
		rest.n = (size_t)(object.p + object.n - rest.p);
	buf_add(out, text.p, before);
	buf_adds(out, "\"ADDED\"");
	buf_addspan(out, rest);
	buf_adds(out, rest.p + rest.n < text.p + text.n ? "}\n" : "\n");
}

void
census_count(const struct census *c, struct buf *out)
{
	void **sorted = map_sorted(&c->kinds);

	for (size_t i = 0; i < c->kinds.count; i++) {
		const struct census_kind *k = sorted[i];

		if (k->count > 0)
			buf_addf(out, "%s%s %zu", out->len > 0 ? ", " : "",
			    k->name, k->count);
	}
	free(sorted);
}
