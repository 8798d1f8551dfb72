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
		staying_spell(b, d->primary, pt);
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

/* How kapply has to treat items: the lists of their keys. */
enum { TREAT_ONCE, TREAT_EXACTLY, TREAT_AS_SEEN, TREAT_VACATED, TREATS };
static const char *const treat_keys[TREATS] = {
    "once", "exactly", "asSeen", "vacated"};

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
		add_string(b, pt->item->label,
		    span_str(
			patches_is_held(d->primary, pt) ? "hold" : "take"));
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
	add_finalizer_names(b, d, POINT_FINALIZER_REMOVE, "remove");
	buf_addc(b, '}');
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

/* Whose the line is, and whose members count as well. */
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
		spell_identity(b, p->object);
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
spell_line(struct buf *b, const struct primary *p, const struct decision *d)
{
	const struct watch_entry *conf = p->entry->conf;

	add_head(b, p, d);
	add_known(b, d);
	add_deletes(b, d);
	add_treats(b, d);
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
	add_adopt(b, d);
	add_confidential(b, p->entry);
	loops_spell(b, d);
	reason_spell(b, p, d);
	add_tail(b, conf);
}

void
spell_empty(struct buf *b, const struct primary *p)
{
	add_head(b, p, NULL);
	add_tail(b, p->entry->conf);
}
