#include "decide/spell.h"

#include "decide/line.h"
#include "decide/loops.h"
#include "decide/patches.h"
#include "decide/points.h"
#include "decide/reason.h"
#include "decide/staying.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "state/marks.h"

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
spell_identity(struct buf *b, const struct cache_object *o)
{
	buf_addc(b, '{');
	add_identity(b, o);
	if (o->rv_len > 0)
		add_string(b, "resourceVersion", cache_object_version(o));
	add_raw(b, "generation", cache_object_meta(o, "generation"));
	buf_addc(b, '}');
}

/* ---- the line ---- */

static void
add_primary(struct buf *b, const struct primary *p)
{
	json_add_key(b, "primary");
	if (p->object != NULL)
		spell_identity(b, p->object);
	else
		buf_adds(b, p->said.line_primary);
}

static void
add_items(struct buf *b, const struct decision *d)
{
	json_add_key(b, "items");
	buf_addc(b, '[');
	for (size_t i = 0; d != NULL && i < d->count; i++) {
		const struct point *pt = &d->points[i];

		if (pt->target.type != POINT_ITEM)
			continue;
		json_add_comma(b);
		staying_spell(b, d->primary, pt);
	}
	buf_addc(b, ']');
}

static bool
has_type(const struct decision *d, enum point_type type)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->points[i].target.type == type)
			return true;
	return false;
}

static void
add_known(struct buf *b, const struct decision *d)
{
	if (!has_type(d, POINT_ITEM))
		return;
	json_add_key(b, "known");
	buf_addc(b, '{');
	for (size_t i = 0; i < d->count; i++) {
		const struct point *pt = &d->points[i];

		if (pt->target.type != POINT_ITEM)
			continue;
		json_add_comma(b);
		json_add_str(b, pt->item->label);
		buf_addc(b, ':');
		if (pt->object != NULL)
			json_add_string(b, cache_object_uid(pt->object));
		else
			buf_adds(b, "null");
	}
	buf_addc(b, '}');
}

/* `prune: always` of the dependent that the object is one of. */
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
add_delete(struct buf *b, const struct primary *p, const struct point *pt)
{
	json_add_comma(b);
	buf_addc(b, '{');
	add_identity(b, pt->object);
	if (pt->target.type == POINT_FOREIGN) {
		add_string(
		    b, "resourceVersion", cache_object_version(pt->object));
		add_raw(b, "foreign", span_str("true"));
	} else if (is_pruned_always(p->entry, pt->object)) {
		add_raw(b, "always", span_str("true"));
	}
	buf_addc(b, '}');
}

static void
add_deletes(struct buf *b, const struct primary *p, const struct decision *d)
{
	if (!has_type(d, POINT_DELETE) && !has_type(d, POINT_FOREIGN))
		return;
	json_add_key(b, "delete");
	buf_addc(b, '[');
	for (size_t i = 0; i < d->count; i++) {
		if (d->points[i].target.type == POINT_DELETE ||
		    d->points[i].target.type == POINT_FOREIGN)
			add_delete(b, p, &d->points[i]);
	}
	buf_addc(b, ']');
}

static bool
is_once(const struct point *pt)
{
	return (pt->item->marks & ITEM_ONCE) && pt->object == NULL;
}

static bool
is_exact(const struct point *pt)
{
	return pt->item->marks & ITEM_EXACTLY;
}

static bool
is_as_seen(const struct point *pt)
{
	return pt->item->marks & ITEM_AS_SEEN;
}

static bool
is_vacated(const struct point *pt)
{
	return pt->vacated;
}

/* The keys of the items that the line has and that are so, if there are any. */
static void
add_keys(struct buf *b, const struct decision *d, const char *key,
    bool (*is)(const struct point *))
{
	bool first = true;

	for (size_t i = 0; i < d->count; i++) {
		const struct point *pt = &d->points[i];

		if (pt->target.type != POINT_ITEM || !is(pt))
			continue;
		if (first) {
			json_add_key(b, key);
			buf_addc(b, '[');
		}
		first = false;
		json_add_comma(b);
		json_add_str(b, pt->item->label);
	}
	if (!first)
		buf_addc(b, ']');
}

/* How each item that holds fields of what is not a member may be written. */
static void
add_patches(struct buf *b, const struct primary *p, const struct decision *d)
{
	bool first = true;

	for (size_t i = 0; i < d->count; i++) {
		const struct point *pt = &d->points[i];

		if (pt->target.type != POINT_ITEM ||
		    !(pt->item->marks & ITEM_PATCH))
			continue;
		if (first) {
			json_add_key(b, "patch");
			buf_addc(b, '{');
		}
		first = false;
		add_string(b, pt->item->label,
		    span_str(patches_is_held(p, pt) ? "hold" : "take"));
	}
	if (!first)
		buf_addc(b, '}');
}

static void
add_releases(struct buf *b, const struct decision *d)
{
	if (!has_type(d, POINT_RELEASE))
		return;
	json_add_key(b, "release");
	buf_addc(b, '[');
	for (size_t i = 0; i < d->count; i++) {
		if (d->points[i].target.type != POINT_RELEASE)
			continue;
		json_add_comma(b);
		points_identity(b, d->points[i].object);
	}
	buf_addc(b, ']');
}

/* The names in the points of this type; in a point the name comes last. */
static void
add_finalizer_names(struct buf *b, const struct decision *d,
    enum point_type type, const char *key)
{
	if (!has_type(d, type))
		return;
	json_add_key(b, key);
	buf_addc(b, '[');
	for (size_t i = 0; i < d->count; i++) {
		if (d->points[i].target.type != type)
			continue;
		json_add_comma(b);
		json_add_str(b, d->points[i].target.label);
	}
	buf_addc(b, ']');
}

static void
add_finalizers(struct buf *b, const struct primary *p, const struct decision *d)
{
	bool add = has_type(d, POINT_FINALIZER_ADD);

	if (!add && !has_type(d, POINT_FINALIZER_REMOVE))
		return;
	json_add_key(b, "finalizers");
	buf_addc(b, '{');
	add_finalizer_names(b, d, POINT_FINALIZER_ADD, "add");
	if (add && marks_need_origin(p->entry, p->object))
		add_string(b, "origin", cache_object_uid(p->object));
	add_finalizer_names(b, d, POINT_FINALIZER_REMOVE, "remove");
	buf_addc(b, '}');
}

static void
add_events(struct buf *b, const struct primary *p, const struct decision *d)
{
	struct err err = ERR_INIT;
	bool first = true;

	jv_array_foreach(d->events, i, event)
	{
		if (line_is_about_write(event) || !line_has_event(p, event)) {
			if (first) {
				json_add_key(b, "events");
				buf_addc(b, '[');
			}
			first = false;
			json_add_comma(b);
			jvtext_add(b, event, &err);
		}
		jv_free(event);
	}
	if (!first)
		buf_addc(b, ']');
}

static void
add_adopt(struct buf *b, const struct decision *d, const char *label)
{
	for (size_t i = 0; label != NULL && i < d->count; i++) {
		const struct point *pt = &d->points[i];

		if (pt->target.type != POINT_ITEM || pt->object != NULL)
			continue;
		add_string(b, "adopt", span_str(label));
		return;
	}
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

/* Whose the line is, and whose members count as well. */
static void
add_instance(struct buf *b, const struct entry *e)
{
	const struct instances *all = e->instances;

	if (e->instance != NULL)
		add_string(b, "instance", span_str(e->instance));
	if (all->former_count == 0)
		return;
	json_add_key(b, "takesOver");
	buf_addc(b, '[');
	for (size_t i = 0; i < all->former_count; i++) {
		json_add_comma(b);
		json_add_str(b, all->known.items[i]);
	}
	buf_addc(b, ']');
}

/* Kinds with fields that `redact:` names. */
static void
add_confidential(struct buf *b, const struct entry *e)
{
	bool some = false;

	for (size_t i = 0; i < e->use_count; i++) {
		if (!e->uses[i]->kind->hides)
			continue;
		if (!some) {
			json_add_key(b, "confidential");
			buf_addc(b, '[');
		}
		some = true;
		json_add_comma(b);
		json_add_str(b, e->uses[i]->kind->name);
	}
	if (some)
		buf_addc(b, ']');
}

void
spell_line(struct buf *b, const struct primary *p, const struct decision *d)
{
	const struct watch_entry *conf = p->entry->conf;

	buf_adds(b, "{\"apiVersion\":\"v1\",\"kind\":\"List\"");
	add_items(b, d);
	json_add_key(b, "reconcile");
	buf_addc(b, '{');
	add_primary(b, p);
	add_known(b, d);
	add_deletes(b, p, d);
	add_keys(b, d, "once", is_once);
	add_keys(b, d, "exactly", is_exact);
	add_keys(b, d, "asSeen", is_as_seen);
	add_keys(b, d, "vacated", is_vacated);
	add_patches(b, p, d);
	add_releases(b, d);
	add_finalizers(b, p, d);
	if (marks_has_origin(p->entry, p->object))
		add_string(b, "origin", marks_origin(p->entry, p->object));
	add_instance(b, p->entry);
	if (d->status.len > 0)
		add_raw(b, "status", buf_span(&d->status));
	if (d->on_error.len > 0)
		add_raw(b, "onError", buf_span(&d->on_error));
	add_events(b, p, d);
	if (p->object->terminating)
		add_raw(b, "deleting", span_str("true"));
	if (conf->guard_status)
		add_raw(b, "guardStatus", span_str("true"));
	add_adopt(b, d, conf->adopt);
	add_confidential(b, p->entry);
	loops_spell(b, d);
	reason_spell(b, p, d);
	add_tail(b, conf);
}

void
spell_empty(struct buf *b, const struct primary *p)
{
	buf_adds(b, "{\"apiVersion\":\"v1\",\"kind\":\"List\"");
	add_items(b, NULL);
	json_add_key(b, "reconcile");
	buf_addc(b, '{');
	add_primary(b, p);
	add_tail(b, p->entry->conf);
}
