#include "state/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mem.h"
#include "json/json.h"
#include "state/backoff.h"
#include "value/objref.h"

struct cache_kind *
cache_add_kind(struct cache *s, const struct watch_kind *conf)
{
	struct buf name = BUF_INIT;
	struct cache_kind *k;

	watch_kind_name(conf, &name);
	k = map_get(&s->by_name, buf_span(&name));
	if (k != NULL) {
		buf_release(&name);
		return k;
	}
	k = mem_zalloc(sizeof(*k));
	k->name = buf_take(&name);
	k->conf = conf;
	map_put(&s->by_name, span_str(k->name), k);
	s->kinds = mem_grow(s->kinds, s->kind_count, sizeof(*s->kinds));
	s->kinds[s->kind_count++] = k;
	return k;
}

struct cache_kind *
cache_kind(const struct cache *s, struct span api_version, struct span kind)
{
	struct buf name = BUF_INIT;
	struct cache_kind *k;

	objref_add_kind(&name, kind, objref_group(api_version));
	k = map_get(&s->by_name, buf_span(&name));
	buf_release(&name);
	return k;
}

void
cache_kind_listed(struct cache_kind *k, struct span ns)
{
	char *name;

	if (map_get(&k->listed, ns) != NULL)
		return;
	name = mem_dup(ns.p, ns.n);
	map_put(&k->listed, span_make(name, ns.n), name);
}

void
cache_kind_unlisted(struct cache_kind *k)
{
	char *name;

	for (size_t i = 0; (name = map_next(&k->listed, &i)) != NULL;)
		free(name);
	map_release(&k->listed);
}

struct span
cache_object_meta(const struct cache_object *o, const char *key)
{
	return json_get(cache_object_part(o, o->metadata), key);
}

struct span
cache_object_annotation(const struct cache_object *o, const char *key)
{
	return json_get(cache_object_part(o, o->annotations), key);
}

bool
cache_object_has_finalizer(const struct cache_object *o, const char *name)
{
	struct span list = cache_object_meta(o, "finalizers");

	for (struct json_elements e = json_elements(list); json_element(&e);)
		if (json_is(e.value, name))
			return true;
	return false;
}

int64_t
cache_object_generation(const struct cache_object *o)
{
	int64_t n;

	if (json_int(cache_object_meta(o, "generation"), &n))
		return n;
	return (int64_t)o->serial;
}

/* ---- rooms ---- */

static void
room_free(struct cache_room *room)
{
	free(room->list);
	free(room);
}

void
cache_enter(
    struct cache *s, struct cache_object *o, const struct cache_object *old)
{
	struct span ns = cache_object_namespace(o);
	struct cache_room *room;

	if (!s->has_rooms || ns.n == 0)
		return;
	room = map_get(&s->rooms, ns);
	if (room == NULL) {
		room = mem_zalloc(sizeof(*room) + ns.n);
		memcpy(room->name, ns.p, ns.n);
		room->name_len = (uint32_t)ns.n;
		map_put(&s->rooms, span_make(room->name, room->name_len), room);
	}
	if (old != NULL) {
		o->room_at = old->room_at;
	} else {
		room->list =
		    mem_grow(room->list, room->count, sizeof(*room->list));
		o->room_at = room->count++;
	}
	room->list[o->room_at] = o;
}

void
cache_leave(struct cache *s, const struct cache_object *o)
{
	struct span ns = cache_object_namespace(o);
	struct cache_room *room;

	if (!s->has_rooms || ns.n == 0)
		return;
	room = map_get(&s->rooms, ns);
	room->list[o->room_at] = room->list[--room->count];
	room->list[o->room_at]->room_at = o->room_at;
	if (room->count > 0)
		return;
	map_del(&s->rooms, ns);
	room_free(room);
}

const struct cache_room *
cache_room(const struct cache *s, struct span ns)
{
	return map_get(&s->rooms, ns);
}

void
cache_release(struct cache *s)
{
	struct cache_room *room;

	for (size_t i = 0; i < s->kind_count; i++) {
		struct cache_kind *k = s->kinds[i];
		struct cache_object *o;

		for (size_t j = 0; (o = map_next(&k->objects, &j)) != NULL;)
			cache_object_free(o);
		cache_kind_unlisted(s->kinds[i]);
		map_release(&k->objects);
		for (size_t j = 0;
		     (o = map_next(&k->rate_limited, &j)) != NULL;)
			cache_object_free(o);
		map_release(&k->rate_limited);
		shelf_release(&k->shelf);
		backoff_release(&k->backoffs);
		free(k->uses);
		free(k->name);
		free(k);
	}
	free(s->kinds);
	map_release(&s->by_name);
	for (size_t i = 0; (room = map_next(&s->rooms, &i)) != NULL;)
		room_free(room);
	map_release(&s->rooms);
}

void
cache_rest(struct cache *s, size_t above)
{
	size_t bytes = 0;

	for (size_t i = 0; i < s->kind_count; i++)
		bytes += s->kinds[i]->shelf.bytes;
	for (size_t i = 0; i < s->kind_count && bytes > above; i++)
		shelf_rest(&s->kinds[i]->shelf);
}

/* Copies JSON without white space between its tokens; returns the length. */
static size_t
compact(char *to, struct span from)
{
	char *start = to;
	const char *p = from.p, *end = from.p + from.n;

	while (p < end) {
		const char *q = p;

		if (*p == '"') {
			for (q++; q < end && *q != '"'; q++)
				if (*q == '\\')
					q++;
			q = q < end ? q + 1 : end;
			memcpy(to, p, q - p);
			to += q - p;
			p = q;
		} else if (*p == ' ' || *p == '\t' || *p == '\n' ||
		    *p == '\r') {
			p++;
		} else {
			*to++ = *p++;
		}
	}
	return to - start;
}

static struct cache_part
part(const struct cache_object *o, struct span value)
{
	if (value.p == NULL)
		return (struct cache_part){0, 0};
	return (struct cache_part){
	    (uint32_t)(value.p - cache_object_text(o).p), (uint32_t)value.n};
}

/* The place of a string, without its quotes. Kubernetes' uids and versions need
 * no escapes: a string with one does not count. */
static void
locate(const struct cache_object *o, struct span value, uint32_t *at,
    uint32_t *len)
{
	*at = *len = 0;
	if (value.n > 2 && json_type(value) == JSON_STRING &&
	    span_find(value, '\\') == NULL) {
		*at = value.p + 1 - cache_object_text(o).p;
		*len = value.n - 2;
	}
}

/* Walks over the metadata once: if a member occurs twice, the first counts. */
static void
locate_parts(struct cache_object *o)
{
	struct span metadata = json_get(cache_object_text(o), "metadata");
	struct span uid = SPAN_NONE, version = SPAN_NONE, deleted = SPAN_NONE;
	struct span annotations = SPAN_NONE;
	const struct {
		const char *key;
		struct span *to;
	} wanted[] = {{"uid", &uid}, {"resourceVersion", &version},
	    {"deletionTimestamp", &deleted}, {"annotations", &annotations}};

	for (struct json_members m = json_members(metadata); json_member(&m);)
		for (size_t i = 0; i < COUNT(wanted); i++)
			if (wanted[i].to->p == NULL &&
			    span_is(m.key, wanted[i].key))
				*wanted[i].to = m.value;
	o->metadata = part(o, metadata);
	o->annotations = part(o, annotations);
	locate(o, uid, &o->uid_at, &o->uid_len);
	locate(o, version, &o->rv_at, &o->rv_len);
	o->terminating = json_type(deleted) == JSON_STRING;
}

/* The text as it is kept: compact, without managedFields. */
static void
keep_text(struct cache_object *o, struct span text, struct span managed)
{
	char *copy = mem_alloc(text.n), *end = copy;

	if (managed.p != NULL) {
		end += compact(end, span_make(text.p, managed.p - text.p));
		text = span_skip(text, managed.p + managed.n - text.p);
	}
	end += compact(end, text);
	shelf_put(&o->kind->shelf, &o->text, copy, (size_t)(end - copy));
	locate_parts(o);
}

/* The object of a frame, whose names are decoded. */
static struct cache_object *
object_of_frame(
    struct cache *s, struct cache_kind *k, const struct json_frame *f)
{
	struct span ns =
	    k->conf->scope == WATCH_CLUSTER ? SPAN_NONE : f->namespace_;
	struct buf key = BUF_INIT;
	struct cache_object *o;

	cache_add_key(&key, ns, f->name);
	o = mem_zalloc(sizeof(*o) + key.len);
	o->kind = k;
	o->serial = ++s->serial;
	o->epoch = k->epoch;
	o->ns_len = ns.n;
	o->key_len = key.len;
	memcpy(o->data, key.data, key.len);
	buf_release(&key);
	keep_text(o, f->object, f->managed_fields);
	return o;
}

struct cache_object *
cache_object_new(struct cache *s, struct cache_kind *k, struct span text)
{
	struct arena names = ARENA_INIT;
	struct buf plain = BUF_INIT;
	struct cache_object *o = NULL;
	struct json_frame f;

	/* Text without needless escapes can be compared raw. An escaped "<"
	 * takes six bytes. */
	if (json_plain(text, &plain))
		text = buf_span(&plain);
	if (json_object_frame(text, &f) == 0) {
		json_frame_names(&f, &names);
		if (f.name.n > 0 && span_find(f.name, '\0') == NULL)
			o = object_of_frame(s, k, &f);
	}
	arena_release(&names);
	buf_release(&plain);
	return o;
}

void
cache_object_add_bucket(struct cache_object *o, struct entry_bucket *b)
{
	struct entry_bucket *one = o->buckets.one;

	if (o->bucket_count == 0) {
		o->buckets.one = b;
		o->bucket_count = 1;
		return;
	}
	if (o->bucket_count == 1) {
		o->buckets.many = mem_array(NULL, 2, sizeof(one));
		o->buckets.many[0] = one;
	} else {
		o->buckets.many = mem_array(
		    o->buckets.many, o->bucket_count + 1, sizeof(one));
	}
	o->buckets.many[o->bucket_count++] = b;
}

void
cache_object_drop_buckets(struct cache_object *o)
{
	if (o->bucket_count > 1)
		free(o->buckets.many);
	o->buckets.one = NULL;
	o->bucket_count = 0;
}

void
cache_object_free(struct cache_object *o)
{
	if (o == NULL)
		return;
	o->kind->too_large -= o->too_large;
	shelf_drop(&o->kind->shelf, &o->text);
	cache_object_drop_buckets(o);
	free(o);
}

void
cache_object_too_large(struct cache_object *o)
{
	o->kind->too_large += !o->too_large;
	o->too_large = true;
}

struct cache_object *
cache_get(const struct cache_kind *k, struct span key)
{
	return map_get(&k->objects, key);
}

void
cache_add_key(struct buf *b, struct span ns, struct span name)
{
	buf_addspan(b, ns);
	buf_addc(b, '\0');
	buf_addspan(b, name);
}

void
cache_object_label(
    struct buf *b, const struct cache_kind *k, struct span ns, struct span name)
{
	objref_add_key(b,
	    &(struct objref){.kind = span_str(k->conf->kind),
		.group = span_str(k->conf->group),
		.namespace_ = ns,
		.name = name});
}

void
cache_object_add_label(struct buf *b, const struct cache_object *o)
{
	cache_object_label(
	    b, o->kind, cache_object_namespace(o), cache_object_name(o));
}
