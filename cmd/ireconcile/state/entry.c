#include "state/entry.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "conf/selector.h"
#include "json/json.h"
#include "process/clock.h"
#include "process/log.h"
#include "state/index.h"
#include "state/ratelimit.h"
#include "state/marks.h"
#include "state/primary.h"
#include "value/objref.h"
#include "value/bookmarks.h"

/* ---- kinds ---- */

/* Whether the Namespace was seen, and its labels are selected. */
static bool
selects_namespace(const struct use *u, struct span ns)
{
	const struct cache_object *o;
	struct buf key = BUF_INIT;

	cache_add_key(&key, SPAN_NONE, ns);
	o = cache_get(u->entry->namespaces, buf_span(&key));
	buf_release(&key);
	return o != NULL &&
	    selector_matches(
		u->conf->namespace_selector, cache_object_meta(o, "labels"));
}

bool
entry_use_names(const struct use *u, struct span ns)
{
	return u->conf->namespaces.count == 0 ||
	    u->conf->scope == WATCH_CLUSTER ||
	    textlist_has(&u->conf->namespaces, ns.p, ns.n);
}

bool
entry_use_looks_at(const struct use *u, struct span ns)
{
	return entry_use_names(u, ns) &&
	    (u->conf->namespace_selector == NULL || selects_namespace(u, ns));
}

void
entry_add_places(struct buf *b, const struct watch_kind *conf)
{
	const struct textlist *names = &conf->namespaces;

	for (size_t i = 0; i < names->count; i++)
		buf_addf(b, "%s%s", i > 0 ? ", " : "", names->items[i]);
	if (conf->namespace_selector != NULL)
		buf_addf(b, "%s with the labels %s",
		    names->count > 0 ? "" : "namespaces",
		    conf->namespace_selector);
}

bool
entry_use_selects(const struct use *u, struct span labels)
{
	return u->conf->selector == NULL ||
	    selector_matches(u->conf->selector, labels);
}

bool
entry_use_covers(const struct use *u, const struct cache_object *o)
{
	/* The server selects, but one kind may be read for several uses, with
	 * other selectors. */
	return entry_use_looks_at(u, cache_object_namespace(o)) &&
	    entry_use_selects(u, cache_object_meta(o, "labels"));
}

bool
entry_covers_namespace(const struct entry *e, struct span ns)
{
	return entry_use_looks_at(e->uses[0], ns);
}

static bool
is_of_kind(const struct use *u, struct span api_version, struct span kind)
{
	return span_is(kind, u->conf->kind) &&
	    span_is(objref_group(api_version), u->conf->group);
}

struct use *
entry_managed(const struct entry *e, struct span api_version, struct span kind)
{
	for (size_t i = 0; i < e->use_count; i++) {
		struct use *u = e->uses[i];

		if (u->role == USE_DEPENDENT && u->conf->manage &&
		    is_of_kind(u, api_version, kind))
			return u;
	}
	return NULL;
}

struct use *
entry_deletable(
    const struct entry *e, struct span api_version, struct span kind)
{
	for (size_t i = 0; i < e->use_count; i++) {
		struct use *u = e->uses[i];

		if (u->role == USE_RELATED && u->conf->deletes &&
		    is_of_kind(u, api_version, kind))
			return u;
	}
	return NULL;
}

struct use *
entry_patchable(
    const struct entry *e, struct span api_version, struct span kind)
{
	for (size_t i = 0; i < e->use_count; i++)
		if (e->uses[i]->conf->patches &&
		    is_of_kind(e->uses[i], api_version, kind))
			return e->uses[i];
	return NULL;
}

/* ---- what is known ---- */

/* Whether members may be found by marks, in any namespace: also those of an
 * earlier version of watches.yaml. */
static bool
may_have_marks(const struct watch_entry *conf)
{
	return conf->finalizer != NULL || conf->retired_finalizers.count > 0 ||
	    conf->retains;
}

/* Whether a primary sees only objects of its own namespace. */
static bool
stays_at_home(const struct use *u)
{
	const struct watch_entry *entry = u->entry->conf;
	const struct watch_kind *conf = u->conf;

	if (entry->primary.scope == WATCH_CLUSTER || conf->deletes ||
	    conf->patches)
		return false;
	if (u->role == USE_PRIMARY)
		return true;
	if (conf->manage && may_have_marks(entry))
		return false;
	switch (conf->map) {
	case WATCH_MAP_MEMBER:
		return !may_have_marks(entry);
	case WATCH_MAP_LABEL:
	case WATCH_MAP_FIELD:
		return conf->map_namespace == NULL &&
		    conf->map_namespace_fields.count == 0;
	case WATCH_MAP_JQ:
	case WATCH_MAP_ALL:
		break;
	}
	return false;
}

/* Whether no more namespaces of the initial state will be selected, or none that
 * a primary of another one sees. */
static bool
knows_namespaces(const struct use *u)
{
	return u->conf->namespace_selector == NULL ||
	    u->entry->namespaces->complete || stays_at_home(u);
}

static bool
use_knows(const struct use *u, struct span ns)
{
	const struct textlist *all = &u->conf->namespaces;
	const struct map *listed = &u->kind->listed;
	bool known = all->count > 0 && all->count <= listed->count;

	if (u->kind->complete && knows_namespaces(u))
		return true;
	if (stays_at_home(u))
		return map_get(listed, ns) != NULL;
	for (size_t i = 0; i < all->count && known; i++)
		known = map_get(listed, span_str(all->items[i])) != NULL;
	return known;
}

bool
entry_knows(const struct entry *e, struct span ns)
{
	/* With a throttle all must be known: primaries of every namespace take
	 * slots. */
	bool known = e->complete || e->conf->throttle_limit == 0;

	for (size_t i = 0; i < e->use_count && known && !e->complete; i++)
		known = use_knows(e->uses[i], ns);
	return known;
}

struct primary **
entry_primaries(const struct entry *e)
{
	return (struct primary **)map_sorted(&e->primaries);
}

/* ---- changes ---- */

void
entries_put_primary(struct entries *es, struct entry *e, struct cache_object *o)
{
	struct primary *p = map_get(&e->primaries, cache_object_key(o));

	if (p == NULL) {
		p = primary_new(e, o);
		map_put(&e->primaries, primary_key(p), p);
	} else if (p->object == NULL) {
		primary_renew(p);
	}
	p->object = o;
	p->torn_us = 0;
	index_read_names(p);
	es->dirty(es->arg, p);
}

void
entries_drop_primary(
    struct entries *es, struct entry *e, struct cache_object *o)
{
	struct primary *p = map_get(&e->primaries, cache_object_key(o));

	if (p == NULL)
		return;
	p->object = NULL;
	index_read_names(p);
	es->suspect_orphans(es->arg);
	primary_release_desired(&p->desired);
	sched_clear_but(es->sched, &p->work.timer, SCHED_SLOT);
	if (!es->keeps_gone && !p->work.queued && p->said.asked_count == 0 &&
	    !p->work.has_slot && !p->work.waiting) {
		/* Nothing is outstanding. Forgets the primary now, because the
		 * next evaluation may be far away. */
		map_del(&e->primaries, primary_key(p));
		primary_free(p);
		return;
	}
	es->dirty(es->arg, p);
}

/* A related object came, changed (old: the version before, or NULL) or is
 * gone. */
static void
related_changed(struct entries *es, struct use *u, const struct cache_object *o,
    const struct cache_object *old)
{
	struct primary **all;

	if (!entry_use_covers(u, o) &&
	    (old == NULL || !entry_use_covers(u, old)))
		return;
	if (u->conf->map == WATCH_MAP_FIELD)
		index_dirty_named(es, u, o);
	if (u->conf->map != WATCH_MAP_ALL)
		return;
	all = entry_primaries(u->entry);
	for (size_t i = 0; i < u->entry->primaries.count; i++)
		es->dirty(es->arg, all[i]);
	free(all);
}

/* Calls es->replaced for primaries whose member was old, and that were not
 * evaluated since old came: their next evaluation sees only the new version. */
static void
tell_replaced(struct entries *es, struct cache_object *old)
{
	for (uint32_t i = 0; i < old->bucket_count; i++) {
		struct primary *p = index_primary(cache_object_buckets(old)[i]);

		if (p != NULL && p->work.dirty && p->said.asked_count > 0)
			es->replaced(p, old);
	}
}

void
entries_put(struct entries *es, struct cache_object *o)
{
	struct cache_kind *k = o->kind;
	struct cache_object *old = cache_get(k, cache_object_key(o));

	if (old != NULL &&
	    span_eq(cache_object_text(old), cache_object_text(o))) {
		old->epoch = o->epoch;
		cache_object_free(o);
		return;
	}
	if (old != NULL &&
	    !span_eq(cache_object_uid(old), cache_object_uid(o))) {
		entries_drop(es, old);
		old = NULL;
	}
	map_put(&k->objects, cache_object_key(o), o);
	cache_enter(&es->store, o, old);
	if (old != NULL) {
		tell_replaced(es, old);
		index_unlink(es, old);
	}
	index_link(es, o);
	if (k == es->namespaces)
		entries_reselect(es, o, old);
	for (size_t i = 0; i < k->use_count; i++) {
		struct use *u = k->uses[i];

		if (u->role != USE_PRIMARY) {
			related_changed(es, u, o, old);
		} else if (entry_use_covers(u, o)) {
			entries_put_primary(es, u->entry, o);
		} else {
			primary_say_outside(u, o);
			entries_drop_primary(es, u->entry, o);
		}
	}
	cache_object_free(old);
}

void
entries_drop(struct entries *es, struct cache_object *o)
{
	struct cache_kind *k = o->kind;

	map_del(&k->objects, cache_object_key(o));
	cache_leave(&es->store, o);
	index_unlink(es, o);
	if (k == es->namespaces)
		entries_reselect(es, NULL, o);
	for (size_t i = 0; i < k->use_count; i++) {
		struct use *u = k->uses[i];

		if (u->role == USE_PRIMARY)
			entries_drop_primary(es, u->entry, o);
		else
			related_changed(es, u, o, NULL);
		said_vacate(es, u, o);
	}
	cache_object_free(o);
}

/* ---- primaries that are deleted before their finalizer is set ---- */

/* The entry whose finalizer the deleted object has. Entries with a selector do
 * not count: the object may exist and not be selected any more. */
static struct entry *
torn_of(const struct cache_object *gone)
{
	for (size_t i = 0; i < gone->kind->use_count; i++) {
		const struct use *u = gone->kind->uses[i];
		const char *finalizer = u->entry->conf->finalizer;

		if (u->role == USE_PRIMARY && u->conf->selector == NULL &&
		    finalizer != NULL && entry_use_covers(u, gone) &&
		    cache_object_has_finalizer(gone, finalizer) &&
		    marks_claim(u->entry, gone, NULL) != MARKS_OTHERS)
			return u->entry;
	}
	return NULL;
}

static struct cache_object *
terminating(struct entries *es, const struct cache_object *o, int64_t now_us)
{
	struct span text = cache_object_text(o);
	size_t at = o->metadata.at + 1;
	char time[CLOCK_RFC3339_MAX];
	struct buf b = BUF_INIT;
	struct cache_object *copy;

	clock_format_s(now_us / 1000000, time);
	buf_add(&b, text.p, at);
	buf_addf(&b, "\"deletionTimestamp\":\"%s\",", time);
	buf_addspan(&b, span_skip(text, at));
	copy = cache_object_new(&es->store, o->kind, buf_span(&b));
	buf_release(&b);
	return copy;
}

bool
entries_tear(struct entries *es, const struct cache_object *gone)
{
	struct entry *e = torn_of(gone);
	const struct cache_object *o =
	    cache_get(gone->kind, cache_object_key(gone));
	int64_t now_us = sched_now_us(es->sched);
	struct primary *p;
	struct log_about who;

	if (gone->terminating || gone->uid_len == 0 || e == NULL ||
	    (o != NULL &&
		!span_eq(cache_object_uid(o), cache_object_uid(gone))))
		return false;
	p = map_get(&e->primaries, cache_object_key(gone));
	if (p != NULL && p->torn_us != 0)
		return true;
	entries_put(es, terminating(es, gone, now_us));
	p = map_get(&e->primaries, cache_object_key(gone));
	p->torn_us = now_us > 0 ? now_us : 1;
	who = primary_about(p);
	log_write(LOG_WARNING, &who,
	    "deleted while its finalizer was being set, which kept nothing: "
	    "what it had is cleaned up");
	return true;
}

bool
entries_is_torn(const struct cache_object *o)
{
	bool torn = false;

	for (size_t i = 0; i < o->kind->use_count && !torn; i++) {
		const struct use *u = o->kind->uses[i];
		const struct primary *p =
		    map_get(&u->entry->primaries, cache_object_key(o));

		torn = u->role == USE_PRIMARY && p != NULL && p->object == o &&
		    p->torn_us != 0;
	}
	return torn;
}

/* ---- events ---- */

enum { NAMED_MAX = 40 }; /* bytes of a hostile word in a message */

static void
begin(struct cache_kind *k)
{
	k->announced = true;
	k->complete = k->absent = false;
	cache_kind_unlisted(k);
	k->epoch++;
	for (size_t i = 0; i < k->use_count; i++)
		k->uses[i]->entry->complete = false;
}

static void
widen(const struct cache_kind *k)
{
	for (size_t i = 0; i < k->use_count; i++)
		k->uses[i]->entry->widened = true;
}

/* A list is complete: objects that did not come since its begin are gone. Torn
 * primaries stay, whose deletion is known already. */
static void
end(struct entries *es, struct cache_kind *k)
{
	struct cache_object **all =
	    (struct cache_object **)map_sorted(&k->objects);
	size_t count = k->objects.count;

	for (size_t i = 0; i < count; i++)
		if (all[i]->epoch != k->epoch && !entries_is_torn(all[i]))
			entries_drop(es, all[i]);
	free(all);
	ratelimit_sweep(k);
	k->announced = true;
	k->complete = true;
	cache_kind_unlisted(k);
	widen(k);
}

static void
bookmark(struct entries *es, struct cache_kind *k, struct span object)
{
	struct span notes =
	    json_get(json_get(object, "metadata"), "annotations");
	struct span in = json_raw_string(json_get(notes, BOOKMARKS_LISTED));

	if (json_is(json_get(notes, BOOKMARKS_BEGIN), "true"))
		begin(k);
	if (json_is(json_get(notes, BOOKMARKS_ABSENT), "true"))
		k->absent = true;
	if (json_is(json_get(notes, BOOKMARKS_END), "true")) {
		end(es, k);
	} else if (in.n > 0 && !k->complete) {
		/* Some namespaces of a kind are complete, while others cannot
		 * be listed. */
		while (in.n > 0)
			cache_kind_listed(k, span_cut(&in, ','));
		widen(k);
	}
}

static int
nameless(const struct cache_kind *k, struct err *err)
{
	return err_set(err, ERR_PERMANENT,
	    "a %s without a name, or with a NUL in it", k->name);
}

static int
changed(struct entries *es, struct cache_kind *k, const struct event *event,
    struct err *err)
{
	struct cache_object *o = cache_object_new(&es->store, k, event->object);

	if (o == NULL)
		return nameless(k, err);
	if (event->too_large)
		cache_object_too_large(o);
	if (!ratelimit_takes(es, o))
		entries_put(es, o);
	return 0;
}

static int
deleted(
    struct entries *es, struct cache_kind *k, struct span text, struct err *err)
{
	struct cache_object *gone = cache_object_new(&es->store, k, text), *o;

	if (gone == NULL)
		return nameless(k, err);
	o = cache_get(k, cache_object_key(gone));
	/* If the uids differ, another object of that name has replaced the
	 * deleted one already. */
	ratelimit_forget(gone);
	if (!entries_tear(es, gone) && o != NULL &&
	    (gone->uid_len == 0 ||
		span_eq(cache_object_uid(gone), cache_object_uid(o)))) {
		entries_tell_unselected(o, gone);
		entries_drop(es, o);
	}
	cache_object_free(gone);
	return 0;
}

static int
bad(struct err *err, const char *what, struct span word)
{
	if (word.n > NAMED_MAX)
		word.n = NAMED_MAX;
	return err_set(err, ERR_PERMANENT, "%s \"%.*s\"", what, SPAN_ARG(word));
}

struct event
entry_parse_event(struct span text)
{
	enum { KIND, TYPE, OBJECT, TOO_LARGE, MANAGER, TIME, MEMBERS };
	static const char *const keys[] = {
	    "kind", "type", "object", "tooLarge", "manager", "time"};
	struct event e = {.text = span_trim(text, SPAN_BLANKS), .time_us = -1};
	struct json_members first = json_members(e.text);
	struct span found[MEMBERS], time;

	e.object = e.text;
	if (json_type(e.text) != JSON_OBJECT)
		return e;
	e.is_record = json_member(&first) && span_is(first.key, "record");
	json_pick(e.text, keys, MEMBERS, found);
	if (found[KIND].p != NULL)
		return e;
	time = json_raw_string(found[TIME]);
	if (time.p == NULL || clock_parse_us(time, &e.time_us) != 0)
		e.time_us = -1;
	if (found[TYPE].p == NULL)
		return e;
	e.type = found[TYPE];
	e.object = found[OBJECT];
	e.manager = found[MANAGER];
	e.time = found[TIME];
	e.too_large = json_type(found[TOO_LARGE]) == JSON_NUMBER;
	return e;
}

int
entries_apply(struct entries *es, const struct event *event, struct err *err)
{
	struct span type = json_raw_string(event->type), version, kind;
	struct cache_kind *k;

	if (json_type(event->text) != JSON_OBJECT)
		return err_set(err, ERR_PERMANENT, "not an object");
	if (event->type.p != NULL && type.p == NULL)
		return err_set(
		    err, ERR_PERMANENT, "an event whose type is not text");
	if (json_type(event->object) != JSON_OBJECT)
		return err_set(err, ERR_PERMANENT, "an event without object");
	version = json_raw_string(json_get(event->object, "apiVersion"));
	kind = json_raw_string(json_get(event->object, "kind"));
	if (span_is(type, "ERROR"))
		return bad(err, "an error event:",
		    json_raw_string(json_get(event->object, "reason")));
	if (kind.n == 0 || version.n == 0)
		return err_set(err, ERR_PERMANENT, "an object without %s",
		    kind.n == 0 ? "kind" : "apiVersion");
	if (type.p != NULL && !span_is(type, "ADDED") &&
	    !span_is(type, "MODIFIED") && !span_is(type, "DELETED") &&
	    !span_is(type, "BOOKMARK"))
		return bad(err, "unknown event type", type);
	k = cache_kind(&es->store, version, kind);
	if (k == NULL)
		return 0; /* the kind is not used */
	if (span_is(type, "BOOKMARK"))
		bookmark(es, k, event->object);
	else if (span_is(type, "DELETED"))
		return deleted(es, k, event->object, err);
	else
		return changed(es, k, event, err);
	return 0;
}

struct entry *
entries_completed(struct entries *es)
{
	for (size_t i = 0; i < es->count; i++) {
		struct entry *e = es->items[i];
		bool complete =
		    e->namespaces == NULL || e->namespaces->complete;

		for (size_t j = 0; j < e->use_count; j++)
			complete = complete && e->uses[j]->kind->complete;
		if (complete && !e->complete) {
			e->complete = true;
			return e;
		}
	}
	return NULL;
}

void
entries_assume(
    struct entries *es, const struct cache *others, struct buf *names)
{
	for (size_t i = 0; i < es->store.kind_count; i++) {
		struct cache_kind *k = es->store.kinds[i];

		if (k->announced || k->objects.count > 0 ||
		    map_get(&others->by_name, span_str(k->name)) != NULL)
			continue;
		k->announced = k->complete = true;
		buf_addf(names, "%s%s", names->len ? ", " : "", k->name);
	}
}

size_t
entries_end(struct entries *es, struct buf *names)
{
	size_t cut = 0;

	for (size_t i = 0; i < es->store.kind_count; i++) {
		struct cache_kind *k = es->store.kinds[i];

		if (!k->announced && !es->store.live)
			k->announced = k->complete = true;
		else if (!k->complete)
			buf_addf(names, "%s%s", cut++ ? ", " : "", k->name);
	}
	return cut;
}
