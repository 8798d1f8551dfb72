#include "decide/line.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "decide/damping.h"
#include "decide/patches.h"
#include "decide/points.h"
#include "decide/reason.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "state/marks.h"

bool
line_is_asked(const struct primary *p, const struct point *pt)
{
	const struct asked *a = said_find(&p->said, &pt->target);

	if (pt->again)
		return true;
	if (a == NULL || p->said.renewed ||
	    memcmp(a->digest, pt->digest, DIGEST_SIZE) != 0)
		return false;
	if (pt->object != NULL && pt->item != NULL && !pt->done &&
	    damping_is_repair(pt->item))
		return false;
	/* The request names an object that is gone or was replaced. */
	if (a->uid != NULL &&
	    (pt->object == NULL ||
		!span_is(cache_object_uid(pt->object), a->uid)))
		return false;
	return true;
}

bool
line_is_vacated(const struct primary *p, const struct point *pt,
    const struct cache_object *o)
{
	const struct asked *a = said_find(&p->said, &pt->target);

	if (a == NULL || o == NULL)
		return a != NULL && a->vacated;
	return pt->object != NULL && !pt->done &&
	    (pt->item->marks & ITEM_PATCH) && a->state != patches_state(o);
}

static char *
event_digest(jv event_peek)
{
	unsigned char sum[DIGEST_SIZE];
	struct buf text = BUF_INIT, hex = BUF_INIT;
	struct err err = ERR_INIT;

	jvtext_add(&text, event_peek, &err);
	digest_sha256(buf_span(&text), sum);
	digest_add_hex(&hex, sum, DIGEST_SIZE / 2);
	buf_release(&text);
	return buf_take(&hex);
}

bool
line_has_event(const struct primary *p, jv event_peek)
{
	char *digest = event_digest(event_peek);
	bool found = false;

	for (size_t i = 0; i < p->said.event_count && !found; i++)
		found = strcmp(p->said.events[i], digest) == 0;
	free(digest);
	return found;
}

bool
line_is_about_write(jv event_peek)
{
	return jv_get_kind(jvtext_peek(event_peek, "object")) == JV_KIND_STRING;
}

bool
line_has_events(const struct primary *p, jv events_peek)
{
	bool all = true;

	jv_array_foreach(events_peek, i, event)
	{
		all = all &&
		    (line_is_about_write(event) || line_has_event(p, event));
		jv_free(event);
	}
	return all;
}

/* Whether an object that was to be deleted is gone, or on its way out. */
static bool
is_gone(const struct entry *e, const struct target *t)
{
	struct span label = span_str(t->label);
	struct span kind = span_cut(&label, '/');
	struct span ns = span_cut(&label, '/');
	const struct cache_object *o = NULL;
	struct buf key = BUF_INIT;

	cache_add_key(&key, ns, label);
	for (size_t i = 0; i < e->use_count && o == NULL; i++)
		if (span_is(kind, e->uses[i]->kind->name))
			o = cache_get(e->uses[i]->kind, buf_span(&key));
	buf_release(&key);
	return o == NULL || o->terminating ||
	    !span_is(cache_object_uid(o), t->uid);
}

/* Whether a request that is no longer a point was done. */
static bool
is_done(const struct asked *a, const struct decision *d)
{
	const struct desired_item *i =
	    d->set == NULL ? NULL : desired_find(d->set, a->target.label);

	switch (a->target.type) {
	case POINT_ITEM:
		/* An item of keep() that was created is kept as it is. */
		if (i != NULL && (i->marks & ITEM_KEEP))
			return a->uid == NULL &&
			    cache_get(i->kind, primary_item_key(i)) != NULL;
		return i != NULL &&
		    memcmp(i->digest, a->digest, DIGEST_SIZE) == 0;
	case POINT_STATUS:
		return d->has_status &&
		    memcmp(d->status_digest, a->digest, DIGEST_SIZE) == 0;
	case POINT_DELETE:
	case POINT_RELEASE:
		/* The object is gone or terminating. If it is desired again, it
		 * is among the items. */
		return i == NULL && !d->failed;
	case POINT_FOREIGN:
		/* A new version of the foreign object is another request. */
		return is_gone(d->primary->entry, &a->target);
	case POINT_FINALIZER_ADD:
	case POINT_FINALIZER_REMOVE:
		return true;
	}
	return true;
}

/* Whether a request needs no cancellation: it was done, or the request that
 * follows it is held back. */
static bool
needs_no_cancel(
    const struct primary *p, const struct asked *a, const struct decision *d)
{
	return is_done(a, d) || damping_holds_target(p, &a->target, d->now_us);
}

/* Whether kapply has finished the last line: the status of the line was
 * written. */
static bool
is_accepted(const struct primary *p, const struct decision *d)
{
	const struct asked *status = said_status(&p->said);

	return status != NULL && decide_find(d, &status->target) == NULL &&
	    !d->on_error_holds && is_done(status, d);
}

/* Whether a point is valid only for the version of the primary that its line
 * names. */
static bool
is_of_version(const struct primary *p, const struct point *pt)
{
	if (pt->target.type == POINT_STATUS)
		return p->entry->conf->guard_status && !pt->done;
	return pt->target.type == POINT_ITEM && (pt->item->marks & ITEM_ONCE) &&
	    pt->object == NULL;
}

/*
 * Whether the primary has changed since the last line, and that line has an
 * item that is created at most once, or a guarded status. kapply drops these
 * then, because they are valid only for the version that the line names. An
 * item that was created and is not observed yet is not requested again.
 */
static bool
is_stale(const struct primary *p, const struct decision *d)
{
	struct span named, version = cache_object_version(p->object);

	if (p->said.line_primary == NULL || is_accepted(p, d))
		return false;
	named = json_raw_string(
	    json_get(span_str(p->said.line_primary), "resourceVersion"));
	if (span_eq(named, version))
		return false;
	for (size_t i = 0; i < d->count; i++) {
		const struct point *pt = &d->points[i];
		const struct asked *a = said_find(&p->said, &pt->target);

		if (is_of_version(p, pt) && a != NULL && !a->accepted)
			return true;
	}
	return false;
}

enum line_due
line_due(const struct primary *p, const struct decision *d)
{
	enum line_due due = LINE_NOTHING;
	bool open = false, vacated = false;

	for (size_t i = 0; i < d->count; i++) {
		const struct point *pt = &d->points[i];

		open = open || !pt->done;
		vacated = vacated || pt->vacated;
		if (line_is_asked(p, pt))
			continue;
		if (pt->target.type != POINT_STATUS)
			return LINE_NEW;
		due = LINE_NEW_QUIET;
	}
	if (due == LINE_NOTHING && !line_has_events(p, d->events))
		due = LINE_NEW_QUIET;
	for (size_t i = 0; due == LINE_NOTHING && i < p->said.asked_count; i++)
		if (decide_find(d, &p->said.asked[i].target) == NULL &&
		    !needs_no_cancel(p, &p->said.asked[i], d))
			due = LINE_CANCEL;
	if (due == LINE_NOTHING && open && p->work.reminder)
		due = LINE_REMINDER;
	if (due == LINE_NOTHING && (vacated || is_stale(p, d)))
		due = LINE_AGAIN;
	return due;
}

static void
remember(struct asked *a, const struct point *pt)
{
	const struct target *t = &pt->target;

	*a = (struct asked){.target = said_target(t->type, span_str(t->label),
				span_str(t->uid), span_str(t->version))};
	memcpy(a->digest, pt->digest, DIGEST_SIZE);
	if (pt->object != NULL && pt->target.type == POINT_ITEM) {
		a->uid = mem_dup(cache_object_uid(pt->object).p,
		    cache_object_uid(pt->object).n);
		if (pt->item->marks & ITEM_PATCH)
			a->state = patches_state(pt->object);
		pt->item->memory.agreed_before = pt->done || pt->again;
		if (pt->item->memory.damping != NULL)
			pt->item->memory.damping->permadiff.grown = false;
	}
}

static void
remember_events(struct primary *p, const struct decision *d)
{
	for (size_t i = 0; i < p->said.event_count; i++)
		free(p->said.events[i]);
	p->said.event_count = 0;
	jv_array_foreach(d->events, i, event)
	{
		p->said.events = mem_grow(p->said.events, p->said.event_count,
		    sizeof(*p->said.events));
		p->said.events[p->said.event_count++] = event_digest(event);
		jv_free(event);
	}
}

/* Whether the object is there, and not terminating. */
static bool
is_unseen_delete(const struct primary *p, const char *uid)
{
	struct cache_object **list = decide_managed(p);
	bool found = false;

	for (size_t i = 0; list[i] != NULL && !found; i++)
		found = !list[i]->terminating &&
		    span_is(cache_object_uid(list[i]), uid);
	free(list);
	return found;
}

bool
line_is_awaited(const struct primary *p, int64_t now_us)
{
	const int64_t longest = 10 * INT64_C(1000000);

	for (size_t i = 0; i < p->said.asked_count; i++) {
		const struct asked *a = &p->said.asked[i];
		const struct desired_item *item;

		if (now_us - a->since_us >= longest)
			continue;
		if (a->target.type == POINT_DELETE &&
		    is_unseen_delete(p, a->target.uid))
			return true;
		if (a->target.type != POINT_ITEM || a->uid != NULL)
			continue;
		item = desired_find(&p->desired, a->target.label);
		if (item != NULL &&
		    cache_get(item->kind, primary_item_key(item)) == NULL)
			return true;
	}
	return false;
}

void
line_printed(struct primary *p, const struct decision *d)
{
	struct buf identity = BUF_INIT;
	struct asked *list = mem_zalloc(d->count * sizeof(*list));

	line_add_identity(&identity, p->object);
	free(p->said.line_primary);
	p->said.line_primary = buf_take_exact(&identity);
	for (size_t i = 0; i < d->count; i++) {
		const struct asked *before = p->said.renewed
		    ? NULL
		    : said_find(&p->said, &d->points[i].target);

		remember(&list[i], &d->points[i]);
		list[i].since_us = before ? before->since_us : d->now_us;
	}
	p->said.renewed = false;
	said_set(p, list, d->count);
	remember_events(p, d);
}

struct shrinking {
	const struct primary *primary;
	const struct decision *decision;
	bool accepted;
};

/* Requests that still have to be cancelled are kept. */
static bool
is_over(void *arg, struct asked *a)
{
	const struct shrinking *s = arg;
	bool open = decide_find(s->decision, &a->target) != NULL;

	a->accepted = a->accepted || (s->accepted && open);
	return !open && needs_no_cancel(s->primary, a, s->decision);
}

void
line_shrink(struct primary *p, const struct decision *d)
{
	struct shrinking s = {p, d, is_accepted(p, d)};

	said_shrink(p, is_over, &s);
}

/* ---- the line as text ---- */

/* ---- identities ---- */

static void
add_string(struct buf *b, const char *key, struct span s)
{
	if (s.p == NULL)
		return;
	json_add_key(b, key);
	json_add_string(b, s);
}

static void
add_raw(struct buf *b, const char *key, struct span value)
{
	if (value.p == NULL)
		return;
	json_add_key(b, key);
	buf_addspan(b, value);
}

static void
add_identity(struct buf *b, const struct cache_object *o)
{
	struct span text = cache_object_text(o);

	add_raw(b, "apiVersion", json_get(text, "apiVersion"));
	add_string(b, "kind", span_str(o->kind->conf->kind));
	if (o->ns_len > 0)
		add_string(b, "namespace", cache_object_namespace(o));
	add_string(b, "name", cache_object_name(o));
	if (o->uid_len > 0)
		add_string(b, "uid", cache_object_uid(o));
}

void
line_add_identity(struct buf *b, const struct cache_object *o)
{
	buf_addc(b, '{');
	add_identity(b, o);
	if (o->rv_len > 0)
		add_string(b, "resourceVersion", cache_object_version(o));
	add_raw(b, "generation", cache_object_meta(o, "generation"));
	buf_addc(b, '}');
}

/* ---- the line ---- */

/* Begins one more element of a list or object, which begins with the first. */
static void
add_element(struct buf *b, const char *key, char open, bool *some)
{
	if (!*some) {
		json_add_key(b, key);
		buf_addc(b, open);
	}
	*some = true;
	json_add_comma(b);
}

static void
end_elements(struct buf *b, char close, bool some)
{
	if (some)
		buf_addc(b, close);
}

/* The next point of this type, *n is the place to look from; NULL: none. */
static const struct point *
next_point(const struct decision *d, enum point_type type, size_t *n)
{
	while (*n < d->count)
		if (d->points[(*n)++].target.type == type)
			return &d->points[*n - 1];
	return NULL;
}

static const struct point *
next_item(const struct decision *d, size_t *n)
{
	return next_point(d, POINT_ITEM, n);
}

static void
add_items(struct buf *b, const struct decision *d)
{
	const struct point *pt;

	json_add_key(b, "items");
	buf_addc(b, '[');
	for (size_t n = 0; (pt = next_item(d, &n)) != NULL;) {
		json_add_comma(b);
		permadiff_add(b, d->primary, pt);
	}
	buf_addc(b, ']');
}

static void
add_known(struct buf *b, const struct decision *d)
{
	const struct point *pt;
	bool some = false;

	for (size_t n = 0; (pt = next_item(d, &n)) != NULL;) {
		add_element(b, "known", '{', &some);
		json_add_str(b, pt->item->label);
		buf_addc(b, ':');
		if (pt->object != NULL)
			json_add_string(b, cache_object_uid(pt->object));
		else
			buf_adds(b, "null");
	}
	end_elements(b, '}', some);
}

/* Whether the dependent of the object has `prune: always`. */
static bool
is_pruned_always(const struct entry *e, const struct cache_object *o)
{
	for (size_t i = 0; i < e->use_count; i++)
		if (e->uses[i]->kind == o->kind &&
		    e->uses[i]->role == USE_DEPENDENT)
			return e->uses[i]->conf->prune_always;
	return false;
}

static void
add_deletes(struct buf *b, const struct decision *d)
{
	bool some = false;

	for (size_t i = 0; i < d->count; i++) {
		const struct cache_object *o = d->points[i].object;
		enum point_type type = d->points[i].target.type;

		if (type != POINT_DELETE && type != POINT_FOREIGN)
			continue;
		add_element(b, "delete", '[', &some);
		buf_addc(b, '{');
		add_identity(b, o);
		if (type == POINT_FOREIGN) {
			add_string(
			    b, "resourceVersion", cache_object_version(o));
			add_raw(b, "foreign", span_str("true"));
		} else if (is_pruned_always(d->primary->entry, o)) {
			add_raw(b, "always", span_str("true"));
		}
		buf_addc(b, '}');
	}
	end_elements(b, ']', some);
}

/* Lists of keys of items in a line, by how kapply has to treat the items. */
enum {
	TREAT_ONCE,
	TREAT_EXACTLY,
	TREAT_AS_SEEN,
	TREAT_INDEPENDENT,
	TREAT_VACATED,
	TREATS
};
static const char *const treat_keys[TREATS] = {
    "once", "exactly", "asSeen", "independent", "vacated"};

static bool
is_treated(const struct point *pt, unsigned how)
{
	switch (how) {
	case TREAT_ONCE:
		return (pt->item->marks & ITEM_ONCE) && pt->object == NULL;
	case TREAT_EXACTLY:
		return pt->item->marks & ITEM_EXACTLY;
	case TREAT_AS_SEEN:
		return pt->item->marks & ITEM_AS_SEEN;
	case TREAT_INDEPENDENT:
		return pt->item->marks & ITEM_INDEPENDENT;
	default:
		return pt->vacated;
	}
}

static void
add_treats(struct buf *b, const struct decision *d)
{
	const struct point *pt;

	for (unsigned how = 0; how < TREATS; how++) {
		bool some = false;

		for (size_t n = 0; (pt = next_item(d, &n)) != NULL;) {
			if (!is_treated(pt, how))
				continue;
			add_element(b, treat_keys[how], '[', &some);
			json_add_str(b, pt->item->label);
		}
		end_elements(b, ']', some);
	}
}

/* The others that each item is after; those that are not in the line are as
 * desired. */
static void
add_after(struct buf *b, const struct decision *d)
{
	const struct point *pt;
	bool some = false;

	for (size_t n = 0; (pt = next_item(d, &n)) != NULL;) {
		if (pt->item->after == NULL)
			continue;
		add_element(b, "after", '{', &some);
		json_add_str(b, pt->item->label);
		buf_addc(b, ':');
		buf_adds(b, pt->item->after);
	}
	end_elements(b, '}', some);
}

/* How each item that holds fields of what is not a member may be written, and
 * the objects whose fields are given back. */
static void
add_patches(struct buf *b, const struct decision *d)
{
	const struct point *pt;
	bool some = false;

	for (size_t n = 0; (pt = next_item(d, &n)) != NULL;) {
		if (!(pt->item->marks & ITEM_PATCH))
			continue;
		add_element(b, "patch", '{', &some);
		json_add_str(b, pt->item->label);
		buf_addc(b, ':');
		json_add_str(
		    b, patches_is_held(d->primary, pt) ? "hold" : "take");
	}
	end_elements(b, '}', some);
	some = false;
	for (size_t n = 0; (pt = next_point(d, POINT_RELEASE, &n)) != NULL;) {
		add_element(b, "release", '[', &some);
		points_identity(b, pt->object);
	}
	end_elements(b, ']', some);
}

static bool
add_finalizer_names(struct buf *b, const struct decision *d,
    enum point_type type, const char *key)
{
	const struct point *pt;
	bool some = false;

	for (size_t n = 0; (pt = next_point(d, type, &n)) != NULL;) {
		add_element(b, key, '[', &some);
		json_add_str(b, pt->target.label);
	}
	end_elements(b, ']', some);
	return some;
}

/* Members that the program leaves, by uid: kapply does not wait until they are
 * observed, nor for retained ones. */
static void
add_seen(struct buf *b, const struct decision *d)
{
	const struct primary *p = d->primary;
	struct cache_object **list = decide_managed(p);
	bool some = false;

	for (size_t i = 0; list[i] != NULL; i++) {
		if (list[i] == p->object || list[i]->retained ||
		    !marks_is_member(p->entry, list[i], p->object))
			continue;
		add_element(b, "seen", '[', &some);
		json_add_string(b, cache_object_uid(list[i]));
	}
	end_elements(b, ']', some);
	free(list);
}

static void
add_finalizers(struct buf *b, const struct decision *d)
{
	const struct primary *p = d->primary;
	size_t n = 0, m = 0;

	if (next_point(d, POINT_FINALIZER_ADD, &n) == NULL &&
	    next_point(d, POINT_FINALIZER_REMOVE, &m) == NULL)
		return;
	json_add_key(b, "finalizers");
	buf_addc(b, '{');
	if (add_finalizer_names(b, d, POINT_FINALIZER_ADD, "add") &&
	    marks_need_origin(p->entry, p->object))
		add_string(b, "origin", cache_object_uid(p->object));
	if (add_finalizer_names(b, d, POINT_FINALIZER_REMOVE, "remove"))
		add_seen(b, d);
	buf_addc(b, '}');
}

/* Whether the line makes again what was there and is gone, or what was not seen
 * to come, and may have come and gone. Before `once` kapply looks anyway. */
static bool
makes_again(const struct decision *d)
{
	const struct point *pt;

	if (d->primary->object->terminating)
		return false;
	for (size_t n = 0; (pt = next_item(d, &n)) != NULL;)
		if (pt->object == NULL && !(pt->item->marks & ITEM_ONCE) &&
		    (pt->item->memory.was_there || d->primary->work.reminder))
			return true;
	return false;
}

static void
add_events(struct buf *b, const struct decision *d)
{
	const struct primary *p = d->primary;
	struct err err = ERR_INIT;
	bool some = false;

	jv_array_foreach(d->events, i, event)
	{
		if (line_is_about_write(event) || !line_has_event(p, event)) {
			add_element(b, "events", '[', &some);
			jvtext_add(b, event, &err);
		}
		jv_free(event);
	}
	end_elements(b, ']', some);
}

static void
add_adopt(struct buf *b, const struct decision *d)
{
	const char *label = d->primary->entry->conf->adopt;
	const struct point *pt;

	for (size_t n = 0; label != NULL && (pt = next_item(d, &n)) != NULL;) {
		if (pt->object != NULL)
			continue;
		add_string(b, "adopt", span_str(label));
		return;
	}
}

/* Adds the instance that writes the line, and those whose members count as
 * well. */
static void
add_instance(struct buf *b, const struct entry *e)
{
	const struct instances *all = e->instances;
	bool some = false;

	if (e->instance != NULL)
		add_string(b, "instance", span_str(e->instance));
	for (size_t i = 0; i < all->former_count; i++) {
		add_element(b, "takesOver", '[', &some);
		json_add_str(b, all->known.items[i]);
	}
	end_elements(b, ']', some);
}

/* Kinds with fields that `redact:` names. */
static void
add_confidential(struct buf *b, const struct entry *e)
{
	bool some = false;

	for (size_t i = 0; i < e->use_count; i++) {
		if (!e->uses[i]->kind->hides)
			continue;
		add_element(b, "confidential", '[', &some);
		json_add_str(b, e->uses[i]->kind->name);
	}
	end_elements(b, ']', some);
}

/* A line begins with its items and the primary, and ends with the entry. */
static void
add_head(struct buf *b, const struct primary *p, const struct decision *d)
{
	static const struct decision empty = {.count = 0};

	buf_adds(b, "{\"apiVersion\":\"v1\",\"kind\":\"List\"");
	add_items(b, d != NULL ? d : &empty);
	json_add_key(b, "reconcile");
	buf_addc(b, '{');
	json_add_key(b, "primary");
	if (p->object != NULL)
		line_add_identity(b, p->object);
	else
		buf_adds(b, p->said.line_primary);
}

static void
add_tail(struct buf *b, const struct watch_entry *conf)
{
	enum { USUAL = 10 };

	add_string(b, "manager", span_str(conf->manager));
	if (conf->max_concurrent != USUAL) {
		json_add_key(b, "maxConcurrentReconciles");
		json_add_int(b, conf->max_concurrent);
	}
	buf_adds(b, "}}");
}

void
line_add(struct buf *b, const struct primary *p, const struct decision *d)
{
	const struct watch_entry *conf = p->entry->conf;

	add_head(b, p, d);
	add_known(b, d);
	add_deletes(b, d);
	add_treats(b, d);
	add_after(b, d);
	add_patches(b, d);
	add_finalizers(b, d);
	if (marks_has_origin(p->entry, p->object))
		add_string(b, "origin", marks_origin(p->entry, p->object));
	add_instance(b, p->entry);
	if (d->status.len > 0)
		add_raw(b, "status", buf_span(&d->status));
	if (d->on_error.len > 0)
		add_raw(b, "onError", buf_span(&d->on_error));
	add_events(b, d);
	if (p->object->terminating)
		add_raw(b, "deleting", span_str("true"));
	if (conf->guard_status)
		add_raw(b, "guardStatus", span_str("true"));
	if (makes_again(d))
		add_raw(b, "again", span_str("true"));
	add_adopt(b, d);
	add_confidential(b, p->entry);
	damping_add_loops(b, d);
	reason_add(b, p, d);
	add_tail(b, conf);
}

void
line_add_empty(struct buf *b, const struct primary *p)
{
	add_head(b, p, NULL);
	add_tail(b, p->entry->conf);
}
