#include "state/entry.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "conf/selector.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "process/clock.h"
#include "process/log.h"
#include "state/backoff.h"
#include "state/index.h"
#include "state/marks.h"
#include "state/naming.h"
#include "state/primary.h"
#include "value/objref.h"

/* ---- start ---- */

/* Kind, or Kind.group where the role has two groups with this Kind. */
static char *
use_name(
    const struct watch_kind *k, const struct watch_kind *kinds, size_t count)
{
	struct buf name = BUF_INIT;

	for (size_t i = 0; i < count; i++)
		if (&kinds[i] != k && strcmp(kinds[i].kind, k->kind) == 0) {
			watch_kind_name(k, &name);
			return buf_take(&name);
		}
	return mem_strdup(k->kind);
}

static struct use *
add_use(struct entries *es, struct entry *e, enum use_role role,
    const struct watch_kind *conf)
{
	struct cache_kind *k = cache_add_kind(&es->store, conf);
	struct use *u = mem_zalloc(sizeof(*u));

	u->entry = e;
	u->conf = conf;
	u->kind = k;
	u->role = role;
	k->uses = mem_grow(k->uses, k->use_count, sizeof(*k->uses));
	k->uses[k->use_count++] = u;
	k->hides = k->hides || conf->redact.count > 0;
	e->uses = mem_grow(e->uses, e->use_count, sizeof(*e->uses));
	e->uses[e->use_count++] = u;
	if (strcmp(k->name, "Namespace") == 0 &&
	    (conf->manage || conf->deletes))
		es->store.has_rooms = true;
	return u;
}

/* An expression that stands in this line of watches.yaml; NULL with err. */
static struct program *
load_expression(const struct entries *es, const struct entry *e, int line,
    const char *text, const char *what, struct err *err)
{
	struct program_options options = {
	    .expression = what, .debugs = es->debugs};
	struct buf name = BUF_INIT;
	struct program *p;

	buf_addf(&name, "%s:%d", e->conf->path, line);
	p = program_load_expression(buf_str(&name), text, &options, err);
	buf_release(&name);
	return p;
}

static int
load_map(const struct entries *es, struct use *u, struct err *err)
{
	u->map = load_expression(
	    es, u->entry, u->conf->map_line, u->conf->map_arg, "map", err);
	return u->map == NULL ? -1 : 0;
}

static int
add_kinds(struct entries *es, struct entry *e, enum use_role role,
    const struct watch_kind *kinds, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		struct use *u = add_use(es, e, role, &kinds[i]);

		u->name = use_name(&kinds[i], kinds, count);
		if (kinds[i].map == WATCH_MAP_JQ && load_map(es, u, err) != 0)
			return -1;
	}
	return 0;
}

/* Which functions see the objects; desired and plan only what desiredReads
 * lists. */
static void
note_seen(struct entry *e)
{
	unsigned hidden = e->conf->reads_owned
	    ? 0
	    : 1u << PROGRAM_DESIRED | 1u << PROGRAM_PLAN;

	e->now_seen_by = program_sees(e->program, "now");
	e->error_seen_by = program_sees(e->program, "error");
	e->outstanding_seen_by = program_sees(e->program, "outstanding");
	for (size_t i = 0; i < e->use_count; i++)
		if (e->uses[i]->role == USE_DEPENDENT)
			e->uses[i]->seen_by =
			    program_sees_owned(e->program, e->uses[i]->name) &
			    ~hidden;
}

static int
load_when(const struct entries *es, struct entry *e, struct err *err)
{
	const struct watch_entry *conf = e->conf;

	if (conf->when == NULL)
		return 0;
	e->when =
	    load_expression(es, e, conf->when_line, conf->when, "when", err);
	return e->when == NULL ? -1 : 0;
}

static int
entry_init(struct entries *es, struct entry *e, const struct watch_entry *conf,
    const char *const *library_dirs, struct err *err)
{
	struct program_options options = {
	    .library_dirs = library_dirs, .debugs = es->debugs};

	e->conf = conf;
	e->operator_ = jvtext_parse(span_str(conf->operator_json), err);
	if (!jv_is_valid(e->operator_))
		return -1;
	if (conf->reads_owned)
		options.desired_reads |= PROGRAM_READS_OWNED;
	if (conf->reads_now)
		options.desired_reads |= PROGRAM_READS_NOW;
	e->program = program_load(conf->program, &options, err);
	if (e->program == NULL || load_when(es, e, err) != 0)
		return -1;
	add_use(es, e, USE_PRIMARY, &conf->primary);
	if (add_kinds(es, e, USE_DEPENDENT, conf->dependents,
		conf->dependent_count, err) != 0)
		return -1;
	note_seen(e);
	return add_kinds(
	    es, e, USE_RELATED, conf->related, conf->related_count, err);
}

int
entries_init(struct entries *es, const struct watches *w,
    const char *const *library_dirs, struct err *err)
{
	instances_init(&es->instances, w);
	es->items = mem_zalloc(w->count * sizeof(*es->items));
	for (size_t i = 0; i < w->count; i++) {
		struct entry *e = mem_zalloc(sizeof(*e));

		e->operator_ = jv_invalid();
		e->proof = es->proof;
		e->store = &es->store;
		e->instances = &es->instances;
		e->instance = instances_of(&es->instances, &w->entries[i]);
		e->instance_number =
		    instances_number(&es->instances, span_str(e->instance));
		es->items[es->count++] = e;
		if (entry_init(es, e, &w->entries[i], library_dirs, err) != 0)
			return -1;
	}
	return entries_check(es, err);
}

static void
entry_free(struct entry *e)
{
	struct primary *p;

	for (size_t i = 0; (p = map_next(&e->primaries, &i)) != NULL;)
		primary_free(p);
	map_release(&e->primaries);
	backoff_release(&e->backoffs);
	said_release_claims(e);
	index_release(e);
	for (size_t i = 0; i < e->use_count; i++) {
		program_free(e->uses[i]->map);
		naming_release(e->uses[i]);
		free(e->uses[i]->name);
		free(e->uses[i]);
	}
	free(e->uses);
	free(e->waiting);
	program_free(e->when);
	program_free(e->program);
	jv_free(e->operator_);
	free(e);
}

void
entries_release(struct entries *es)
{
	for (size_t i = 0; i < es->count; i++)
		entry_free(es->items[i]);
	free(es->items);
	instances_release(&es->instances);
	cache_release(&es->store);
}

/* ---- changes ---- */

static bool
in_list(const struct textlist *list, struct span s)
{
	for (size_t i = 0; i < list->count; i++)
		if (span_is(s, list->items[i]))
			return true;
	return false;
}

bool
entry_use_looks_at(const struct use *u, struct span ns)
{
	return u->conf->namespaces.count == 0 ||
	    u->conf->scope == WATCH_CLUSTER ||
	    in_list(&u->conf->namespaces, ns);
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
	/* The server selects, but kwatch may read a kind for several uses. */
	return entry_use_looks_at(u, cache_object_namespace(o)) &&
	    entry_use_selects(u, cache_object_meta(o, "labels"));
}

bool
entry_covers_namespace(const struct entry *e, struct span ns)
{
	return entry_use_looks_at(e->uses[0], ns);
}

static void
dirty_all(struct entries *es, struct entry *e)
{
	struct primary **all = entry_primaries(e);

	for (size_t i = 0; i < e->primaries.count; i++)
		es->dirty(es->arg, all[i]);
	free(all);
}

static void
put_primary(struct entries *es, struct entry *e, struct cache_object *o)
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
	naming_update(p);
	es->dirty(es->arg, p);
}

static void
drop_primary(struct entries *es, struct entry *e, struct cache_object *o)
{
	struct primary *p = map_get(&e->primaries, cache_object_key(o));

	if (p == NULL)
		return;
	p->object = NULL;
	naming_update(p);
	es->stray(es->arg);
	primary_release_desired(&p->desired);
	sched_clear_but(es->sched, &p->work.wake, WAKE_SLOT);
	if (!es->keeps_gone && !p->work.queued && p->said.asked_count == 0 &&
	    !p->work.has_slot && !p->work.waiting) {
		/* Nothing is outstanding, and it may not be evaluated for a
		 * long time. */
		map_del(&e->primaries, primary_key(p));
		primary_free(p);
		return;
	}
	es->dirty(es->arg, p);
}

/* A related object came, changed (old: from what, or NULL) or is gone. */
static void
related_changed(struct entries *es, struct use *u, const struct cache_object *o,
    const struct cache_object *old)
{
	if (!entry_use_covers(u, o) &&
	    (old == NULL || !entry_use_covers(u, old)))
		return;
	if (u->conf->map == WATCH_MAP_ALL)
		dirty_all(es, u->entry);
	else if (u->conf->map == WATCH_MAP_FIELD)
		naming_dirty(es, u, o);
}

/* The old versions of members of dirty primaries will not be needed any
 * more. */
static void
glimpse(struct entries *es, struct cache_object *old)
{
	for (uint32_t i = 0; i < old->bucket_count; i++) {
		struct primary *p = index_primary(cache_object_buckets(old)[i]);

		if (p != NULL && p->work.dirty && p->said.asked_count > 0)
			es->glimpse(p, old);
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
		glimpse(es, old);
		index_unlink(es, old);
	}
	index_link(es, o);
	for (size_t i = 0; i < k->use_count; i++) {
		struct use *u = k->uses[i];

		if (u->role != USE_PRIMARY) {
			related_changed(es, u, o, old);
		} else if (entry_use_covers(u, o)) {
			put_primary(es, u->entry, o);
		} else {
			primary_say_outside(u, o);
			drop_primary(es, u->entry, o);
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
	for (size_t i = 0; i < k->use_count; i++) {
		struct use *u = k->uses[i];

		if (u->role == USE_PRIMARY)
			drop_primary(es, u->entry, o);
		else
			related_changed(es, u, o, NULL);
		said_vacate(es, u, o);
	}
	cache_object_free(o);
}

/* The entry whose finalizer it has. If primaries are selected, it may just not
 * be selected any more. */
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

/* ---- what is not selected any more ---- */

/* A finalizer of the entry, perhaps a retired one, that o has and that no line
 * removes. */
static const char *
finalizer_left(const struct primary *p, const struct cache_object *o)
{
	const struct watch_entry *conf = p->entry->conf;
	const struct textlist *retired = &conf->retired_finalizers;
	const char *name = conf->finalizer;
	struct target removal;
	bool left;

	for (size_t i = 0; i < retired->count &&
	     (name == NULL || !cache_object_has_finalizer(o, name));
	     i++)
		name = retired->items[i];
	removal = said_target(
	    POINT_FINALIZER_REMOVE, span_str(name), SPAN_NONE, SPAN_NONE);
	left = name != NULL && cache_object_has_finalizer(o, name) &&
	    said_find(&p->said, &removal) == NULL;
	said_target_release(&removal);
	return left ? name : NULL;
}

void
entries_tell_unselected(
    const struct cache_object *o, const struct cache_object *gone)
{
	bool sure = gone->uid_len > 0 && !o->terminating && !gone->terminating;

	for (size_t i = 0; i < o->kind->use_count; i++) {
		const struct use *u = o->kind->uses[i];
		const struct primary *p =
		    map_get(&u->entry->primaries, cache_object_key(o));
		struct log_about who;
		const char *name;

		if (u->role != USE_PRIMARY || u->conf->selector == NULL ||
		    p == NULL || p->object != o ||
		    marks_claim(u->entry, o, NULL) == MARKS_OTHERS)
			continue;
		/* It may have been set just before; what kwatch makes up has
		 * none. */
		name = finalizer_left(p, gone);
		if (name == NULL)
			name = finalizer_left(p, o);
		if (name == NULL)
			continue;
		who = primary_about(p);
		log_write(LOG_WARNING, &who,
		    "%sselector \"%s\" does not select it any more, and it "
		    "has the finalizer %s: what was made for it stays, and a "
		    "deletion waits for that; label it so that it is selected, "
		    "or remove the finalizer when all is cleaned up",
		    sure ? "" : "gone, or ", u->conf->selector, name);
	}
}
