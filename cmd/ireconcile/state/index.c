/* Part of state/index.h and state/entry.h: which objects belong to which
 * primary, how both are found from each other, and what a primary sees. */
#include "state/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/quote.h"
#include "json/fieldpath.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "process/log.h"
#include "program/program.h"
#include "state/ratelimit.h"
#include "state/marks.h"
#include "state/patchmark.h"
#include "state/primary.h"

/* ---- buckets ---- */

static struct span
bucket_key(const struct entry_bucket *b)
{
	return span_make(b->key, b->key_len);
}

/* Whether the key has only the name of the primary, no uid and no origin. */
static bool
is_by_name(const struct entry_bucket *b)
{
	return b->key[0] == INDEX_UNPROVEN || b->key[0] == INDEX_MAPPED ||
	    b->key[0] == INDEX_PATCHED;
}

struct span
index_primary_key(const struct entry_bucket *b)
{
	struct span key = span_make(b->key + 1, b->key_len - 1);
	size_t n = is_by_name(b) ? 0 : strnlen(key.p, key.n) + 1;

	return span_skip(key, n);
}

struct primary *
index_primary(const struct entry_bucket *b)
{
	struct primary *p = map_get(&b->entry->primaries, index_primary_key(b));
	bool marked = b->key[0] == INDEX_MARKED;
	struct span is;

	if (p == NULL || is_by_name(b) ||
	    (marked && strcmp(b->key + 1, PROOF_RETAINED) == 0))
		return p;
	if (p->object == NULL)
		return marked ? p : NULL;
	is = marked ? marks_origin(b->entry, p->object)
		    : cache_object_uid(p->object);
	return span_is(is, b->key + 1) ? p : NULL;
}

static void
bucket_dirty(struct entries *es, const struct entry_bucket *b)
{
	struct primary *p = index_primary(b);

	if (p != NULL)
		es->dirty(es->arg, p);
}

struct entry_bucket *
index_bucket(const struct entry *e, enum index_type type, struct span key)
{
	struct buf full = BUF_INIT;
	struct entry_bucket *b;

	buf_addc(&full, (char)type);
	buf_addspan(&full, key);
	b = map_get(&e->buckets, buf_span(&full));
	buf_release(&full);
	return b;
}

/* ---- an object that comes ---- */

static void
link_to(struct entries *es, struct use *u, struct cache_object *o,
    enum index_type type, struct span key)
{
	struct entry_bucket *b = index_bucket(u->entry, type, key);

	if (b == NULL) {
		b = mem_zalloc(sizeof(*b) + 1 + key.n);
		b->entry = u->entry;
		b->key[0] = (char)type;
		memcpy(b->key + 1, key.p, key.n);
		b->key_len = (uint32_t)(key.n + 1);
		map_put(&u->entry->buckets, bucket_key(b), b);
	}
	for (size_t i = b->count; i-- > 0 && b->links[i].object == o;)
		if (b->links[i].use == u)
			return;
	b->links = mem_grow(b->links, b->count, sizeof(*b->links));
	b->links[b->count++] = (struct link){o, u};
	if (type == INDEX_MARKED && index_primary(b) == NULL)
		es->suspect_orphans(es->arg);
	cache_object_add_bucket(o, b);
	bucket_dirty(es, b);
}

/* Counts what is a member only because --accept-unproven-marks is given. */
static void
count_unproven(struct entries *es, const struct use *u, struct cache_object *o)
{
	if (proof_has_key(es->proof) && !o->unproven &&
	    marks_is_ours(u->entry, o)) {
		o->unproven = true;
		es->unproven++;
	}
}

static void
link_owners(struct entries *es, struct use *u, struct cache_object *o)
{
	/* An object that is only observed may be owned without being
	 * controlled. */
	struct marks_owners i =
	    marks_owners(o, u->conf->manage ? MARKS_CONTROLLER : MARKS_OWNERS);
	struct buf key = BUF_INIT;

	while (marks_owner(&i, u->entry, o, &key)) {
		bool counts =
		    !u->conf->manage || marks_owner_counts(u->entry, o);

		link_to(es, u, o, counts ? INDEX_OWNED : INDEX_CLAIMED,
		    buf_span(&key));
		if (counts && u->conf->manage && u->entry->conf->proves &&
		    !o->proven_owner)
			count_unproven(es, u, o);
	}
	buf_release(&key);
}

/*
 * Whether the marks of o, which is not retained, do not count because they lack
 * the proof, or have that of a key which is lost (anybody may write such
 * marks). key gets the primary that they name.
 */
static bool
unproven_key(
    struct buf *key, const struct entry *e, const struct cache_object *o)
{
	struct buf scratch = BUF_INIT;
	struct span primary, kind, ns;
	bool good = o->marked && !o->proven && marks_are_bound(e) &&
	    !json_is(cache_object_annotation(o, PROOF_RETAIN), "true");

	if (!good)
		return false;
	primary = proof_member_primary(
	    json_string(cache_object_annotation(o, PROOF_MEMBER), &scratch));
	kind = span_cut(&primary, '/');
	ns = span_cut(&primary, '/');
	good = span_is(kind, e->uses[0]->kind->name) && primary.n > 0;
	if (good)
		cache_add_key(key, ns, primary);
	buf_release(&scratch);
	return good;
}

static void
link_marks(struct entries *es, struct use *u, struct cache_object *o)
{
	struct buf key = BUF_INIT;

	link_owners(es, u, o);
	if (marks_key(&key, u->entry, o)) {
		link_to(es, u, o, INDEX_MARKED, buf_span(&key));
		if (!o->proven)
			count_unproven(es, u, o);
	} else if (unproven_key(&key, u->entry, o)) {
		link_to(es, u, o, INDEX_UNPROVEN, buf_span(&key));
	}
	buf_release(&key);
}

static void
link_label(struct entries *es, struct use *u, struct cache_object *o)
{
	struct buf scratch = BUF_INIT, key = BUF_INIT;
	struct span name = json_string(
	    json_get(cache_object_meta(o, "labels"), u->conf->map_arg),
	    &scratch);
	struct span ns = cache_object_namespace(o);

	if (u->conf->map_namespace != NULL)
		ns = span_str(u->conf->map_namespace);
	if (u->entry->conf->primary.scope == WATCH_CLUSTER)
		ns = SPAN_NONE;
	cache_add_key(&key, ns, name);
	if (name.n > 0)
		link_to(es, u, o, INDEX_MAPPED, buf_span(&key));
	buf_release(&key);
	buf_release(&scratch);
}

static void
link_jq(struct entries *es, struct use *u, struct cache_object *o)
{
	struct err err = ERR_INIT;
	struct buf key = BUF_INIT;
	struct buf text = BUF_INIT;
	struct arguments input = {.has = 0};
	jv list;
	int rc;

	arguments_add(&text, ARGUMENTS_WHOLE, cache_object_text(o));
	input.texts[ARGUMENTS_TEXT_BASE].text = buf_span(&text);
	rc = program_map(u->map, &input, &list, &err);
	buf_release(&text);
	if (rc != 0) {
		es->failures++;
		cache_object_add_label(&key, o);
		log_error("cannot map %s: %s", buf_str(&key), err.message);
		buf_release(&key);
		return;
	}
	jv_array_foreach(list, i, to)
	{
		struct span ns = jvtext_span(jvtext_peek(to, "namespace"));

		if (u->entry->conf->primary.scope == WATCH_CLUSTER)
			ns = SPAN_NONE;
		buf_reset(&key);
		cache_add_key(&key, ns, jvtext_span(jvtext_peek(to, "name")));
		link_to(es, u, o, INDEX_MAPPED, buf_span(&key));
		jv_free(to);
	}
	buf_release(&key);
	jv_free(list);
}

static void
link_use(struct entries *es, struct use *u, struct cache_object *o)
{
	struct patchmarks i = patchmarks(o);
	struct buf key = BUF_INIT;

	/* Objects of a managed kind are always found by their marks, too. */
	if (u->conf->map == WATCH_MAP_MEMBER || u->conf->manage)
		link_marks(es, u, o);
	while (u->conf->patches && patchmarks_next(&i, u->entry, o, &key))
		link_to(es, u, o, INDEX_PATCHED, buf_span(&key));
	buf_release(&key);
	if (u->conf->map == WATCH_MAP_LABEL)
		link_label(es, u, o);
	else if (u->conf->map == WATCH_MAP_JQ)
		link_jq(es, u, o);
}

void
index_link(struct entries *es, struct cache_object *o)
{
	struct cost cost = cost_begin(
	    es->sched->clock == SCHED_INPUT ? COST_NO_TIME : COST_PROGRAMS);

	marks_examine(es->proof, &es->instances, o);
	es->instances.others += instances_counts(&es->instances, o->instance);
	for (size_t i = 0; i < o->kind->use_count; i++) {
		struct use *u = o->kind->uses[i];

		if (u->role != USE_PRIMARY && entry_use_covers(u, o))
			link_use(es, u, o);
	}
	cost_end(&cost);
	ratelimit_charge(es, o, cost.cpu_us, cost.limited + cost.crashed > 0);
}

/* ---- an object that goes ---- */

static void
bucket_free(struct entry_bucket *b)
{
	free(b->links);
	free(b);
}

void
index_unlink(struct entries *es, struct cache_object *o)
{
	struct entry_bucket **buckets =
	    o->bucket_count > 1 ? o->buckets.many : &o->buckets.one;

	es->unproven -= o->unproven;
	es->instances.others -= instances_counts(&es->instances, o->instance);
	o->unproven = false;
	for (uint32_t i = 0; i < o->bucket_count; i++) {
		struct entry_bucket *b = buckets[i];

		if (b == NULL)
			continue;
		/* All links of the object in the bucket are removed at once. */
		for (uint32_t j = i + 1; j < o->bucket_count; j++)
			if (buckets[j] == b)
				buckets[j] = NULL;
		for (size_t j = b->count; j-- > 0;)
			if (b->links[j].object == o)
				b->links[j] = b->links[--b->count];
		bucket_dirty(es, b);
		if (b->count == 0) {
			map_del(&b->entry->buckets, bucket_key(b));
			bucket_free(b);
		}
	}
	cache_object_drop_buckets(o);
}

void
index_release(struct entry *e)
{
	struct entry_bucket *b;

	for (size_t i = 0; (b = map_next(&e->buckets, &i)) != NULL;)
		bucket_free(b);
	map_release(&e->buckets);
}

/* ---- objects that a primary names ---- */

/* The name of an object, and the primaries that have it. */
struct naming {
	struct use *use;
	struct primary **primaries;
	size_t count;
	size_t key_len;
	char key[]; /* "NAMESPACE\0NAME" */
};

/* The names in the fields of a primary, while they are read. */
struct names {
	const struct primary *primary;
	struct use *use;
	struct naming **list;
	size_t count;
};

static struct span
named_key(const struct naming *n)
{
	return span_make(n->key, n->key_len);
}

/* A fieldpath_beside_fn. beside: the namespace; none, or "": that of the
 * primary. A value that is not a name names nothing, nor does one beside a
 * namespace that is not a name. */
static void
collect_in(void *arg, struct span value, struct span beside)
{
	struct names *c = arg;
	const struct watch_kind *conf = c->use->conf;
	struct buf scratch = BUF_INIT, key = BUF_INIT, room = BUF_INIT;
	struct span name = json_string(value, &scratch);
	struct span ns = json_string(beside, &room);
	struct naming *n;

	if (conf->scope == WATCH_CLUSTER)
		ns = SPAN_NONE;
	else if (conf->map_namespace != NULL)
		ns = span_str(conf->map_namespace);
	else if (beside.n > 0 && ns.p == NULL && !span_is(beside, "null"))
		name = SPAN_NONE;
	else if (ns.n == 0)
		ns = cache_object_namespace(c->primary->object);
	cache_add_key(&key, ns, name);
	n = map_get(&c->use->named, buf_span(&key));
	if (n == NULL && name.n > 0) {
		n = mem_zalloc(sizeof(*n) + key.len);
		n->use = c->use;
		n->key_len = key.len;
		memcpy(n->key, key.data, key.len);
		map_put(&c->use->named, named_key(n), n);
	}
	if (n != NULL) {
		c->list = mem_grow(c->list, c->count, sizeof(struct naming *));
		c->list[c->count++] = n;
	}
	buf_release(&key);
	buf_release(&room);
	buf_release(&scratch);
}

/* A fieldpath_fn. */
static void
collect(void *arg, struct span value)
{
	collect_in(arg, value, SPAN_NONE);
}

static int
by_address(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t) * (struct naming *const *)a;
	uintptr_t y = (uintptr_t) * (struct naming *const *)b;

	return (x > y) - (x < y);
}

/* Sorted, each once. */
static void
collect_all(struct names *c)
{
	const struct entry *e = c->primary->entry;
	size_t kept = 0;

	for (size_t i = 0; c->primary->object != NULL && i < e->use_count;
	     i++) {
		const struct watch_kind *conf = e->uses[i]->conf;
		const struct textlist *rooms = &conf->map_namespace_fields;
		struct span text = cache_object_text(c->primary->object);

		c->use = e->uses[i];
		for (size_t j = 0; j < conf->map_fields.count; j++)
			if (rooms->count > 0)
				fieldpath_each_beside(conf->map_fields.items[j],
				    rooms->items[j], text, collect_in, c);
			else
				fieldpath_each(conf->map_fields.items[j], text,
				    collect, c);
	}
	if (c->count > 1)
		qsort(c->list, c->count, sizeof(struct naming *), by_address);
	for (size_t i = 0; i < c->count; i++)
		if (kept == 0 || c->list[kept - 1] != c->list[i])
			c->list[kept++] = c->list[i];
	c->count = kept;
}

static bool
has_name(struct naming *const *list, size_t count, const struct naming *n)
{
	return count > 0 &&
	    bsearch(&n, list, count, sizeof(struct naming *), by_address) !=
	    NULL;
}

static void
named_free(struct naming *n)
{
	free(n->primaries);
	free(n);
}

static void
drop_name(struct naming *n, const struct primary *p)
{
	size_t i = 0;

	while (n->primaries[i] != p)
		i++;
	n->primaries[i] = n->primaries[--n->count];
	if (n->count == 0) {
		map_del(&n->use->named, named_key(n));
		named_free(n);
	}
}

void
index_read_names(struct primary *p)
{
	struct names c = {.primary = p};
	struct naming **old = p->names;
	size_t old_count = p->name_count;

	collect_all(&c);
	for (size_t i = 0; i < c.count; i++) {
		struct naming *n = c.list[i];

		if (has_name(old, old_count, n))
			continue;
		n->primaries =
		    mem_grow(n->primaries, n->count, sizeof(struct primary *));
		n->primaries[n->count++] = p;
	}
	for (size_t i = 0; i < old_count; i++)
		if (!has_name(c.list, c.count, old[i]))
			drop_name(old[i], p);
	free(old);
	p->names = c.list;
	p->name_count = c.count;
}

void
index_dirty_named(
    struct entries *es, const struct use *u, const struct cache_object *o)
{
	const struct naming *n = map_get(&u->named, cache_object_key(o));

	for (size_t i = 0; n != NULL && i < n->count; i++)
		es->dirty(es->arg, n->primaries[i]);
}

size_t
index_unwatched(const struct primary *p, const struct use *u, struct buf *first)
{
	const struct naming *least = NULL;
	size_t count = 0, ns;

	for (size_t i = 0; i < p->name_count; i++) {
		const struct naming *n = p->names[i];

		if (n->use != u || entry_use_looks_at(u, span_str(n->key)))
			continue;
		count++;
		if (least == NULL ||
		    span_cmp(named_key(n), named_key(least)) < 0)
			least = n;
	}
	if (least == NULL)
		return 0;
	ns = strlen(least->key);
	quote_text(first, span_make(least->key, ns));
	buf_addc(first, '/');
	quote_text(first, span_skip(named_key(least), ns + 1));
	return count;
}

/* for (size_t i = 0; (o = next_named(p, u, &i)) != NULL;): the objects that
 * exist, in no order. */
static struct cache_object *
next_named(const struct primary *p, const struct use *u, size_t *i)
{
	struct cache_object *o = NULL;

	while (o == NULL && *i < p->name_count) {
		const struct naming *n = p->names[(*i)++];

		if (n->use == u)
			o = cache_get(u->kind, named_key(n));
	}
	return o;
}

void
index_release_named(struct use *u)
{
	struct naming *n;

	for (size_t i = 0; (n = map_next(&u->named, &i)) != NULL;)
		named_free(n);
	map_release(&u->named);
}

/* ---- what a primary sees ---- */

/* Owned, with room for the NULL at its end. */
struct objects {
	struct cache_object **list;
	size_t count;
};

static void
add_object(struct objects *all, struct cache_object *o)
{
	all->list[all->count++] = o;
	all->list = mem_grow(all->list, all->count, sizeof(*all->list));
}

static struct objects
objects_new(void)
{
	return (struct objects){
	    mem_zalloc(2 * sizeof(struct cache_object *)), 0};
}

/* Members of another instance are only seen as related objects. */
static bool
is_seen(
    const struct entry *e, const struct use *u, const struct cache_object *o)
{
	return u->role != USE_DEPENDENT || marks_is_ours(e, o);
}

static void
add_bucket(struct objects *all, const struct entry *e, const struct use *u,
    enum index_type type, struct span key)
{
	const struct entry_bucket *b = index_bucket(e, type, key);

	for (size_t i = 0; b != NULL && i < b->count; i++)
		if (b->links[i].use == u && is_seen(e, u, b->links[i].object))
			add_object(all, b->links[i].object);
}

static void
add_members(struct objects *all, const struct entry *e, const struct use *u,
    const struct cache_object *primary)
{
	struct buf key = BUF_INIT;

	marks_primary_key(&key, e, primary, MARKS_USUAL);
	add_bucket(all, e, u, INDEX_MARKED, buf_span(&key));
	buf_reset(&key);
	marks_primary_key(&key, e, primary, MARKS_RETAINED);
	add_bucket(all, e, u, INDEX_MARKED, buf_span(&key));
	buf_reset(&key);
	if (marks_owning_key(&key, primary))
		add_bucket(all, e, u, INDEX_OWNED, buf_span(&key));
	buf_release(&key);
}

static void
add_all(struct objects *all, const struct use *u)
{
	struct cache_object *o;

	for (size_t i = 0; (o = map_next(&u->kind->objects, &i)) != NULL;)
		if (entry_use_covers(u, o))
			add_object(all, o);
}

static int
by_key(const void *a, const void *b)
{
	const struct cache_object *const *x = a, *const *y = b;

	return span_cmp(cache_object_key(*x), cache_object_key(*y));
}

struct cache_object **
entry_objects(
    const struct entry *e, const struct primary *p, const struct use *u)
{
	struct objects all = objects_new();
	struct cache_object *o;
	size_t kept = 0;

	if (u->conf->map == WATCH_MAP_ALL) {
		add_all(&all, u);
	} else if (u->conf->map == WATCH_MAP_FIELD) {
		for (size_t i = 0; (o = next_named(p, u, &i)) != NULL;)
			if (entry_use_covers(u, o))
				add_object(&all, o);
	} else {
		add_bucket(&all, e, u, INDEX_MAPPED, primary_key(p));
		if (p->object != NULL)
			add_members(&all, e, u, p->object);
	}
	if (all.count > 1)
		qsort(all.list, all.count, sizeof(*all.list), by_key);
	for (size_t i = 0; i < all.count; i++)
		if (kept == 0 || all.list[kept - 1] != all.list[i])
			all.list[kept++] = all.list[i];
	all.list[kept] = NULL;
	return all.list;
}

const struct cache_object *
entry_too_large(const struct entry *e, const struct primary *p)
{
	const struct cache_object *found = NULL;

	if (p->object->too_large)
		return p->object;
	for (size_t i = 1; i < e->use_count && found == NULL; i++) {
		const struct use *u = e->uses[i];
		struct objects all;

		if (u->kind->too_large == 0)
			continue;
		if (u->conf->map == WATCH_MAP_JQ) {
			all = objects_new();
			add_all(&all, u);
			all.list[all.count] = NULL;
		} else {
			all.list = entry_objects(e, p, u);
		}
		for (size_t j = 0; all.list[j] != NULL && found == NULL; j++)
			if (all.list[j]->too_large)
				found = all.list[j];
		free(all.list);
	}
	return found;
}

bool
entry_shows(const struct entry *e, const struct primary *p, const struct use *u,
    const struct cache_object *o)
{
	struct cache_object **list;
	bool found = false;

	if (u->conf->map == WATCH_MAP_ALL)
		return entry_use_covers(u, o);
	list = entry_objects(e, p, u);
	for (size_t i = 0; list[i] != NULL && !found; i++)
		found = list[i] == o;
	free(list);
	return found;
}
