#include "store/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "json/json.h"
#include "process/clock.h"
#include "store/keys.h"

/* Even the last few changes may not hold more than this: a watch from the
 * oldest of them gets all at once, and 64 MiB unsent cut a watch. */
enum { HARD_BYTES = 32 << 20 };

struct collection {
	struct span group, plural;
	struct keys keys;
	/* The changes that are remembered: changes[first .. first + count),
	 * in an array that is moved down when its end is reached. */
	struct store_change *changes;
	size_t first, count, cap;
	size_t bytes;	/* size of their objects */
	uint64_t floor; /* changes up to this version are forgotten */
	struct store_hook *hooks;
	struct collection *next;
	char *name; /* GROUP/PLURAL, owned; key in the map */
};

struct announcement {
	struct collection *c;
	struct store_change change; /* holds references */
};

struct store {
	uint64_t version;
	size_t history;
	bool history_set;
	struct map by_name;
	struct collection *collections, **last;
	struct store_hook *hooks;
	struct store_hook *upcoming; /* next in the walk of hooks */
	struct buf scratch;
	struct stored *returned; /* by store_put; kept until the next */
	const void *by;
	/* Changes that hooks made, not announced yet. */
	struct announcement *queue;
	size_t queued;
	bool announcing;
};

/* ---- objects ---- */

struct stored *
store_ref(struct stored *o)
{
	if (o != NULL)
		o->refs++;
	return o;
}

void
store_unref(struct stored *o)
{
	if (o == NULL || --o->refs > 0)
		return;
	text_unref(o->json);
	free(o);
}

static struct stored *
stored_make(struct store *s, const struct node *object, uint64_t version)
{
	struct span ns = tree_path_text(object, "metadata.namespace");
	struct span name = tree_path_text(object, "metadata.name");
	size_t at = ns.n > 0 ? ns.n + 1 : 0;
	struct stored *o = mem_zalloc(sizeof(*o) + at + name.n);
	struct span metadata;

	if (at > 0) {
		memcpy(o->key_bytes, ns.p, ns.n);
		o->key_bytes[ns.n] = '/';
	}
	if (name.n > 0)
		memcpy(o->key_bytes + at, name.p, name.n);
	o->refs = 1;
	o->version = version;
	o->key = span_make(o->key_bytes, at + name.n);
	o->namespace_ = span_make(o->key_bytes, ns.n);
	o->name = span_make(o->key_bytes + at, name.n);
	buf_reset(&s->scratch);
	tree_write(&s->scratch, object);
	o->json = text_make(buf_span(&s->scratch));
	metadata = json_get(text_span(o->json), "metadata");
	for (struct json_members m = json_members(metadata); json_member(&m);) {
		if (span_is(m.key, "uid") && m.value.n >= 2)
			o->uid = span_make(m.value.p + 1, m.value.n - 2);
		else if (span_is(m.key, "labels") && m.value.n >= 2)
			o->labels = m.value;
	}
	return o;
}

/* ---- collections ---- */

struct store *
store_new(void)
{
	struct store *s = mem_zalloc(sizeof(*s));

	/* An empty etcd is at revision 1; 0 means "any" to the API. */
	s->version = 1;
	s->history = STORE_HISTORY;
	s->last = &s->collections;
	return s;
}

static void
forget(struct collection *c, size_t n)
{
	for (size_t i = c->first; i < c->first + n; i++) {
		struct store_change *ch = &c->changes[i];

		c->floor = ch->version;
		c->bytes -= ch->now->json->n;
		store_unref(ch->now);
		store_unref(ch->before);
	}
	c->first += n;
	c->count -= n;
	if (c->count == 0)
		c->first = 0;
}

void
store_free(struct store *s)
{
	struct collection *next;

	if (s == NULL)
		return;
	for (struct collection *c = s->collections; c != NULL; c = next) {
		next = c->next;
		forget(c, c->count);
		keys_release(&c->keys);
		free(c->changes);
		free(c->name);
		free(c);
	}
	map_release(&s->by_name);
	store_unref(s->returned);
	buf_release(&s->scratch);
	free(s->queue);
	free(s);
}

struct collection *
store_collection(struct store *s, struct span group, struct span plural)
{
	size_t n = group.n + 1 + plural.n;
	char *name = mem_alloc(n + 1);
	struct collection *c;

	if (group.n > 0)
		memcpy(name, group.p, group.n);
	name[group.n] = '/';
	memcpy(name + group.n + 1, plural.p, plural.n);
	name[n] = '\0';
	c = map_get(&s->by_name, span_make(name, n));
	if (c != NULL) {
		free(name);
		return c;
	}
	c = mem_zalloc(sizeof(*c));
	c->name = name;
	c->group = span_make(name, group.n);
	c->plural = span_make(name + group.n + 1, plural.n);
	map_put(&s->by_name, span_make(name, n), c);
	*s->last = c;
	s->last = &c->next;
	return c;
}

struct span
store_collection_group(const struct collection *c)
{
	return c->group;
}

struct span
store_collection_plural(const struct collection *c)
{
	return c->plural;
}

struct collection *
store_next_collection(const struct store *s, const struct collection *c)
{
	return c == NULL ? s->collections : c->next;
}

uint64_t
store_version(const struct store *s)
{
	return s->version;
}

uint64_t
store_next_version(const struct store *s)
{
	return s->version + 1;
}

void
store_set_version(struct store *s, uint64_t version)
{
	s->version = version;
}

struct stored *
store_get(const struct collection *c, struct span namespace_, struct span name)
{
	return keys_find(&c->keys, namespace_, name);
}

size_t
store_count(const struct collection *c)
{
	return c->keys.count;
}

struct stored *
store_next(
    const struct collection *c, struct span namespace_, struct span after_key)
{
	/* c is const but for the place that keys_next remembers. */
	return keys_next(
	    &((struct collection *)(uintptr_t)c)->keys, namespace_, after_key);
}

/* ---- writes ---- */

static bool
may_forget(const struct store *s, const struct collection *c, uint64_t now)
{
	if (s->history_set || c->count < STORE_HISTORY)
		return c->count >= s->history || c->bytes > HARD_BYTES;
	return c->count >= STORE_HISTORY_MAX ||
	    c->bytes > STORE_HISTORY_BYTES ||
	    c->changes[c->first].time + STORE_HISTORY_MS < now;
}

/* Makes room for one more change at the end of the array. */
static void
remember_room(struct store *s, struct collection *c, uint64_t now)
{
	while (c->count > 0 && may_forget(s, c, now))
		forget(c, 1);
	if (c->first + c->count < c->cap)
		return;
	/* The changes are moved only if more were forgotten than are kept. */
	if (c->first > c->count) {
		memmove(c->changes, c->changes + c->first,
		    c->count * sizeof(*c->changes));
		c->first = 0;
		return;
	}
	c->cap = c->cap == 0 ? 8 : 2 * c->cap;
	c->changes = mem_array(c->changes, c->cap, sizeof(*c->changes));
}

static void
remember(
    struct store *s, struct collection *c, const struct store_change *change)
{
	if (s->history == 0) {
		c->floor = change->version;
		return;
	}
	remember_room(s, c, change->time);
	c->changes[c->first + c->count] = *change;
	c->changes[c->first + c->count++].by = NULL; /* it ends */
	c->bytes += change->now->json->n;
	store_ref(change->now);
	store_ref(change->before);
}

static void
call_hooks(struct store *s, struct store_hook *hook, struct collection *c,
    const struct store_change *change)
{
	for (; hook != NULL; hook = s->upcoming) {
		s->upcoming = hook->next;
		hook->fn(hook->arg, c, change);
	}
}

/* Takes the references that change holds. */
static void
announce(
    struct store *s, struct collection *c, const struct store_change *change)
{
	s->queue = mem_grow(s->queue, s->queued, sizeof(*s->queue));
	s->queue[s->queued++] = (struct announcement){c, *change};
	if (s->announcing)
		return;
	s->announcing = true;
	for (size_t i = 0; i < s->queued; i++) {
		struct announcement a = s->queue[i];

		call_hooks(s, a.c->hooks, a.c, &a.change);
		call_hooks(s, s->hooks, a.c, &a.change);
		store_unref(a.change.now);
		store_unref(a.change.before);
	}
	s->queued = 0;
	s->announcing = false;
}

void
store_by(struct store *s, const void *request)
{
	s->by = request;
}

struct stored *
store_put(struct store *s, struct collection *c, const struct node *object)
{
	struct stored *o = stored_make(s, object, ++s->version);
	struct store_change change = {
	    .version = o->version, .now = o, .time = clock_ms(), .by = s->by};

	change.before = keys_put(&c->keys, store_ref(o));
	change.type = change.before == NULL ? CHANGE_ADDED : CHANGE_MODIFIED;
	remember(s, c, &change);
	if (!s->announcing) {
		store_unref(s->returned);
		s->returned = store_ref(o);
	}
	announce(s, c, &change);
	return o;
}

void
store_delete(struct store *s, struct collection *c, const struct node *object)
{
	struct stored *o = stored_make(s, object, s->version + 1);
	struct store_change change = {
	    CHANGE_DELETED, o->version, o, NULL, clock_ms(), s->by};

	change.before = keys_remove(&c->keys, o->key);
	if (change.before == NULL) {
		store_unref(o);
		return;
	}
	s->version = o->version;
	remember(s, c, &change);
	announce(s, c, &change);
}

void
store_amend(struct store *s, struct collection *c, const struct node *object)
{
	struct stored *o = stored_make(s, object, 0);
	struct stored *before = keys_find(&c->keys, o->namespace_, o->name);

	if (before == NULL) {
		store_unref(o);
		return;
	}
	o->version = before->version;
	store_unref(keys_put(&c->keys, o));
}

/* ---- history ---- */

void
store_compact(struct store *s)
{
	for (struct collection *c = s->collections; c != NULL; c = c->next) {
		forget(c, c->count);
		c->floor = s->version;
	}
}

void
store_set_history(struct store *s, size_t changes)
{
	s->history = changes;
	s->history_set = true;
	for (struct collection *c = s->collections; c != NULL; c = c->next)
		if (c->count > changes)
			forget(c, c->count - changes);
}

uint64_t
store_floor(const struct collection *c)
{
	return c->floor;
}

int
store_since(const struct collection *c, uint64_t since,
    const struct store_change **first, size_t *count)
{
	size_t low = 0, high = c->count;

	if (since < c->floor)
		return -1;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->changes[c->first + mid].version <= since)
			low = mid + 1;
		else
			high = mid;
	}
	*first = c->changes + c->first + low;
	*count = c->count - low;
	return 0;
}

static int
by_key(const void *x, const void *y)
{
	const struct store_change *a = *(const struct store_change *const *)x;
	const struct store_change *b = *(const struct store_change *const *)y;
	int c = span_cmp(a->now->key, b->now->key);

	return c != 0 ? c
		      : (a->version > b->version) - (a->version < b->version);
}

/* For each key that changed, its first change, in order of keys; owned. */
static const struct store_change **
first_changes(const struct store_change *changes, size_t *count)
{
	const struct store_change **all = mem_array(NULL, *count, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < *count; i++)
		all[i] = &changes[i];
	if (*count > 1)
		qsort(all, *count, sizeof(*all), by_key);
	for (size_t i = 0; i < *count; i++)
		if (n == 0 || !span_eq(all[n - 1]->now->key, all[i]->now->key))
			all[n++] = all[i];
	*count = n;
	return all;
}

struct stored **
store_at(const struct collection *c, uint64_t version, struct span namespace_,
    size_t *count)
{
	const struct store_change *changes, **undo;
	struct stored **all, *o;
	size_t n = 0, k = 0, undo_count;

	if (store_since(c, version, &changes, &undo_count) != 0)
		return NULL;
	undo = first_changes(changes, &undo_count);
	all = mem_array(NULL, c->keys.count + undo_count, sizeof(*all));
	o = store_next(c, namespace_, SPAN_NONE);
	while (o != NULL || k < undo_count) {
		int order = k == undo_count ? -1
		    : o == NULL		    ? 1
				: span_cmp(o->key, undo[k]->now->key);
		struct stored *was = o;

		if (order >= 0) {
			was = undo[k++]->before;
			if (was != NULL && namespace_.n > 0 &&
			    !span_eq(was->namespace_, namespace_))
				was = NULL;
		}
		if (order <= 0)
			o = store_next(c, namespace_, o->key);
		if (was != NULL)
			all[n++] = store_ref(was);
	}
	free(undo);
	*count = n;
	return all;
}

void
store_release_all(struct stored **all, size_t count)
{
	if (all == NULL)
		return;
	for (size_t i = 0; i < count; i++)
		store_unref(all[i]);
	free(all);
}

/* ---- hooks ---- */

void
store_add_hook(struct store *s, struct collection *c, struct store_hook *hook)
{
	struct store_hook **at = c == NULL ? &s->hooks : &c->hooks;

	while (*at != NULL)
		at = &(*at)->next;
	hook->next = NULL;
	*at = hook;
}

void
store_remove_hook(
    struct store *s, struct collection *c, struct store_hook *hook)
{
	struct store_hook **at = c == NULL ? &s->hooks : &c->hooks;

	while (*at != NULL && *at != hook)
		at = &(*at)->next;
	if (*at == NULL)
		return;
	*at = hook->next;
	if (s->upcoming == hook)
		s->upcoming = hook->next;
}
