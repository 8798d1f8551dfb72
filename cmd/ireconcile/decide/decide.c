#include "decide/decide.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "decide/asks.h"
#include "decide/finalizer.h"
#include "decide/line.h"
#include "decide/loops.h"
#include "decide/outcome.h"
#include "decide/patches.h"
#include "decide/plan.h"
#include "decide/points.h"
#include "decide/refuse.h"
#include "decide/staying.h"
#include "decide/unsettled.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "program/cost.h"
#include "state/marks.h"

/* A primary with an owner reference to itself is not a member: it would be
 * pruned. */
static bool
is_member(const struct primary *p, const struct cache_object *o)
{
	return o != p->object && marks_is_member(p->entry, o, p->object);
}

const struct point *
decide_find(const struct decision *d, const struct target *target)
{
	struct span key = said_target_key(target);

	if (d->index.count > 0)
		return map_get(&d->index, key);
	for (size_t i = 0; i < d->count; i++)
		if (span_eq(said_target_key(&d->points[i].target), key))
			return &d->points[i];
	return NULL;
}

/* ---- items ---- */

static struct span
paths_digest(struct span object)
{
	struct span metadata = json_get(object, "metadata");

	return json_get(json_get(metadata, "annotations"), "kpipe.dev/paths");
}

/* A terminating object is applied only to drop a finalizer that we no longer
 * desire. An apply does not remove finalizers of others. */
static bool
drops_finalizer(const struct desired_item *i, const struct cache_object *o)
{
	struct span text = primary_item_text(i);
	struct span wanted = json_path(text, "metadata.finalizers");
	struct span held = cache_object_meta(o, "finalizers");

	if (span_eq(paths_digest(text), paths_digest(cache_object_text(o))))
		return false;
	for (struct json_elements h = json_elements(held); json_element(&h);) {
		bool found = false;

		for (struct json_elements w = json_elements(wanted);
		     json_element(&w);)
			found = found || span_eq(w.value, h.value);
		if (!found)
			return true;
	}
	return false;
}

/* One that the program sees in .related. It is deleted as it was seen: another
 * version of it is another request. */
static void
decide_foreign(struct decision *d, const struct desired_item *i)
{
	const struct primary *p = d->primary;
	const struct cache_object *o = cache_get(i->kind, primary_item_key(i));
	const struct use *u =
	    entry_deletable(p->entry, span_str(i->kind->conf->api_version),
		span_str(i->kind->conf->kind));
	struct err err = ERR_INIT;

	if (o == NULL || u == NULL || !entry_shows(p->entry, p, u, o) ||
	    is_member(p, o)) /* that is pruned */
		return;
	if (o->uid_len == 0 || o->rv_len == 0) {
		err_set(&err, ERR_PERMANENT,
		    "cannot delete %s: it has no uid or no resourceVersion, so "
		    "it is not an object of the API server",
		    i->label);
		outcome_fail(d, err.message);
		return;
	}
	points_outstanding_item(d, i, NULL);
	if (o->terminating || refuse_deletion(d, o) ||
	    unsettled_wants(d, UNSETTLED_SET, NULL))
		return;
	points_add_object(d, POINT_FOREIGN, o);
}

/* A member with what is desired: is nothing left to do? observed: see
 * desired_compare. */
static bool
compare_member(struct decision *d, struct desired_item *i,
    const struct cache_object *o, jv *observed)
{
	struct err err = ERR_INIT;

	desired_compare(d->primary, i, o, observed);
	i->agreed_before =
	    i->agreed_before || i->agrees || staying_is_tolerated(i);
	/* One of ours goes with the apply. */
	if ((i->marks & ITEM_RETAIN) && i->agrees &&
	    refuse_owned(d->primary, i, o, &err) != 0)
		outcome_fail(d, err.message);
	d->stays = d->stays || staying_is_tolerated(i);
	return !o->terminating && (i->agrees || staying_is_tolerated(i));
}

/* Adds the point of the item, unless nothing is to be done. observed: see
 * desired_compare. */
static struct point *
add_item(struct decision *d, struct desired_item *i, enum decide_mode mode,
    jv *observed)
{
	const struct cache_object *o = (i->marks & ITEM_PATCH)
	    ? patches_target(d, i)
	    : cache_get(i->kind, primary_item_key(i));
	bool member =
	    o != NULL && ((i->marks & ITEM_PATCH) || is_member(d->primary, o));
	struct point *pt;
	bool done = false, again;

	if (i->marks & ITEM_FOREIGN)
		decide_foreign(d, i);
	loops_meet(i, o);
	if ((i->marks & ITEM_NAMED) ||
	    (!member && (i->marks & (ITEM_EXISTING | ITEM_PATCH))))
		return NULL;
	if (member)
		done = compare_member(d, i, o, observed);
	else if (o != NULL &&
	    marks_is_claimant(d->primary->entry, o, d->primary->object))
		desired_is_claimed(d->primary, i, o);
	else
		desired_is_absent(d->primary, i);
	loops_watch(i, d);
	again = done && !i->agrees && d->primary->work.reminder;
	if (done && !again && mode == DECIDE_DIFFERENCES)
		return NULL;
	if (!done)
		points_outstanding_item(
		    d, i, member && !i->agrees ? i->path : NULL);
	if (member && !done && o->terminating && !drops_finalizer(i, o)) {
		points_wait(d, o);
		return NULL;
	}
	if (member && !done && loops_is_held(i, d->now_us))
		return NULL;
	if (!done &&
	    ((!member && unsettled_wants(d, UNSETTLED_SET, NULL)) ||
		unsettled_wants(d, UNSETTLED_ITEM, i->label)))
		return NULL;
	pt = points_add(d, POINT_ITEM, span_str(i->label));
	memcpy(pt->digest, i->digest, DIGEST_SIZE);
	pt->item = i;
	pt->object = member ? o : NULL;
	pt->done = done && !again;
	pt->again = again;
	pt->vacated = o == NULL ? line_is_vacated(d->primary, pt)
				: line_is_patchable_again(d->primary, pt);
	d->open -= pt->done;
	return pt;
}

static void
decide_item(struct decision *d, struct desired_item *i, enum decide_mode mode)
{
	jv observed = jv_invalid();
	struct point *pt = add_item(d, i, mode, &observed);

	if (pt != NULL)
		pt->observed = observed;
	else
		jv_free(observed);
}

static void
decide_delete(struct decision *d, const struct cache_object *o)
{
	struct buf id = BUF_INIT;

	points_identity(&id, o);
	points_outstanding(d, buf_span(&id));
	buf_release(&id);
	if (o->terminating)
		points_wait(d, o);
	if (o->terminating || refuse_deletion(d, o) ||
	    (!d->primary->object->terminating &&
		unsettled_wants(d, UNSETTLED_SET, NULL)))
		return;
	points_add_object(d, POINT_DELETE, o);
}

/* Deletes members that are not in the set; what is retained stays. */
static void
prune(struct decision *d, const struct desired *set)
{
	const struct primary *p = d->primary;

	for (size_t i = 0; i < p->entry->use_count; i++) {
		const struct use *u = p->entry->uses[i];
		struct cache_object **list;

		if (u->role != USE_DEPENDENT || !u->conf->manage)
			continue;
		list = entry_objects(p->entry, p, u);
		for (size_t j = 0; list[j] != NULL; j++)
			if (!list[j]->retained && !desired_has(set, list[j]) &&
			    is_member(p, list[j]))
				decide_delete(d, list[j]);
		free(list);
	}
}

static void
decide_set(struct decision *d, struct primary *p, struct view *v,
    enum decide_mode mode)
{
	const char *finalizer = p->entry->conf->finalizer;
	struct err err = ERR_INIT;

	if (!program_defines(p->entry->program, PROGRAM_DESIRED))
		return;
	desired_update(p, v);
	if (p->desired.failed) {
		outcome_fail(d, p->desired.error);
		return;
	}
	if (refuse_adoption(p, &p->desired, &err) != 0) {
		outcome_fail(d, err.message);
		return;
	}
	d->set = &p->desired;
	if (finalizer != NULL &&
	    (cache_object_has_finalizer(p->object, finalizer)
		    ? marks_need_origin(p->entry, p->object) ||
			marks_need_claim(p->entry, p->object)
		    : finalizer_is_needed(p, &p->desired)))
		points_add(d, POINT_FINALIZER_ADD, span_str(finalizer));
	for (size_t i = 0; i < p->desired.count; i++)
		decide_item(d, &p->desired.items[i], mode);
	prune(d, &p->desired);
	patches_give_back(d, &p->desired);
	finalizer_retire(d);
}

/* ---- deletion ---- */

/* An object or identity that finalize wants deleted. */
static int
finalize_delete(struct decision *d, jv target, struct err *err)
{
	struct span kind = jvtext_span(jvtext_peek(target, "kind"));
	struct span version = jvtext_span(jvtext_peek(target, "apiVersion"));
	jv metadata = jvtext_peek(target, "metadata");
	struct span ns = jvtext_span(jvtext_peek(metadata, "namespace"));
	struct span name = jvtext_span(jvtext_peek(metadata, "name"));
	const struct primary *p = d->primary;
	const struct use *u = entry_managed(p->entry, version, kind);
	const struct cache_object *o;
	struct buf key = BUF_INIT;

	if (u == NULL) {
		refuse_kind(p->entry, 0, version, kind, err);
		return err_prefix(err, "cannot delete %.*s %.*s",
		    SPAN_ARG(kind), SPAN_ARG(name));
	}
	if (u->conf->scope == WATCH_CLUSTER)
		ns = SPAN_NONE;
	else if (ns.n == 0)
		ns = cache_object_namespace(p->object);
	cache_add_key(&key, ns, name);
	o = cache_get(u->kind, buf_span(&key));
	buf_release(&key);
	if (o == NULL)
		return 0;
	if (!is_member(p, o))
		return err_set(err, ERR_PERMANENT,
		    "cannot delete %.*s %.*s: it is not a member of %s",
		    SPAN_ARG(kind), SPAN_ARG(name), p->name);
	if (!o->retained)
		decide_delete(d, o);
	return 0;
}

static int
run_finalize(struct decision *d, struct primary *p, struct view *v,
    enum decide_mode mode, bool *done, struct err *err)
{
	struct program_finalize result = {.delete_ = jv_invalid()};
	struct buf about = BUF_INIT;
	const struct arguments *input =
	    view_input(v, VIEW_OWNED | VIEW_NOW | VIEW_OUTCOME | VIEW_PLAN,
		SPAN_NONE, d->error);
	int rc;

	cache_object_add_label(&about, p->object);
	rc = program_finalize(
	    p->entry->program, input, buf_str(&about), &result, err);
	buf_release(&about);
	if (rc != 0)
		return -1;
	*done = result.done;
	rc = desired_from_items(p, &result.items, &d->finalize, err);
	for (size_t i = 0; rc == 0 && i < d->finalize.count; i++)
		decide_item(d, &d->finalize.items[i], mode);
	jv_array_foreach(result.delete_, i, target)
	{
		if (rc == 0)
			rc = finalize_delete(d, target, err);
		jv_free(target);
	}
	program_finalize_release(&result);
	return rc;
}

/* The primary does not exist any more: nothing removes a finalizer. What the
 * last line creates may not have been observed yet, as in kapply. */
static void
end_torn(struct decision *d)
{
	const int64_t longest = 10 * INT64_C(1000000);
	int64_t until = d->primary->torn_us + longest;

	if (d->count > 0 || d->outstanding_count > 0)
		return;
	d->over = d->now_us >= until;
	if (!d->over)
		d->held_until_us = until;
}

static void
decide_deletion(struct decision *d, struct primary *p, struct view *v,
    enum decide_mode mode)
{
	const char *finalizer = p->entry->conf->finalizer;
	struct err err = ERR_INIT;
	bool done = false;

	/* By identity all can be deleted, but a program reads more. */
	if (program_defines(p->entry->program, PROGRAM_FINALIZE) &&
	    refuse_too_large(p, &err) != 0) {
		outcome_fail(d, err.message);
		return;
	}
	if (p->object->terminating ||
	    program_defines(p->entry->program, PROGRAM_FINALIZE))
		plan_alone(d, p, v);
	patches_give_back(d, NULL);
	if (program_defines(p->entry->program, PROGRAM_FINALIZE)) {
		d->set = &d->finalize;
		if (run_finalize(d, p, v, mode, &done, &err) != 0) {
			outcome_drop_points(d);
			outcome_fail(d, err.message);
			return;
		}
	} else {
		prune(d, NULL);
		done = d->outstanding_count == 0;
	}
	/* A failure may leave something: a Namespace with a lodger. */
	done = done && !d->failed && !patches_any(p);
	if (done && p->torn_us != 0) {
		end_torn(d);
	} else if (done) {
		if (finalizer != NULL &&
		    cache_object_has_finalizer(p->object, finalizer))
			points_add(
			    d, POINT_FINALIZER_REMOVE, span_str(finalizer));
		finalizer_retire(d);
	}
}

/* One of ours, or one that was. */
static bool
waits_for_us(const struct primary *p)
{
	const struct watch_entry *conf = p->entry->conf;
	const struct textlist *retired = &conf->retired_finalizers;
	bool waits = conf->finalizer != NULL &&
	    cache_object_has_finalizer(p->object, conf->finalizer);

	for (size_t i = 0; i < retired->count && !waits; i++)
		waits =
		    cache_object_has_finalizer(p->object, retired->items[i]);
	return waits;
}

/* Whether the primary is the operator's business, by `when` of its entry. */
static int
is_ours(struct primary *p, bool *ours, struct err *err)
{
	struct arguments input = {.has = 0};
	struct buf text = BUF_INIT, about = BUF_INIT;
	int rc = 0;

	*ours = true;
	if (p->entry->when == NULL)
		return 0;
	if (p->when_of != p->object->serial) {
		cache_object_add_label(&about, p->object);
		arguments_add(
		    &text, ARGUMENTS_WHOLE, cache_object_text(p->object));
		input.texts[ARGUMENTS_TEXT_BASE].text = buf_span(&text);
		rc = program_test(
		    p->entry->when, &input, buf_str(&about), &p->when, err);
		p->when_of = rc == 0 ? p->object->serial : 0;
		buf_release(&about);
		buf_release(&text);
	}
	*ours = p->when;
	return rc;
}

/* Not ours: as if it were being deleted, if it ever was ours; no status. */
static void
decide_release(struct decision *d, struct primary *p, struct view *v,
    enum decide_mode mode)
{
	d->settled = true;
	if (waits_for_us(p) || decide_begun(p))
		decide_deletion(d, p, v, mode);
}

/* Of a primary that is not being deleted. */
static void
decide_live(struct decision *d, struct primary *p, struct view *v,
    enum decide_mode mode)
{
	struct err err = ERR_INIT;
	bool ours;

	/* One that is too large may not be ours: no status. */
	if (p->entry->when != NULL && p->object->too_large) {
		refuse_too_large(p, &err);
		outcome_fail(d, err.message);
	} else if (is_ours(p, &ours, &err) != 0) {
		outcome_fail(d, err.message);
	} else if (!ours) {
		decide_release(d, p, v, mode);
	} else {
		if (refuse_too_large(p, &err) != 0)
			outcome_fail(d, err.message);
		else
			decide_set(d, p, v, mode);
		outcome(d, p, v, mode);
	}
}

static struct decision
decision_new(const struct primary *p, int64_t now_us)
{
	return (struct decision){
	    .primary = p, .now_us = now_us, .events = jv_array()};
}

static void
begin(const struct primary *p)
{
	struct log_about who = primary_about(p);

	program_begin(&who);
}

void
decide_failure(struct primary *p, int64_t now_us, enum decide_mode mode,
    const char *message, struct decision *d)
{
	struct view v;

	begin(p);
	*d = decision_new(p, now_us);
	unsettled_begin(p, d);
	outcome_fail(d, message);
	view_init(&v, p, now_us);
	outcome(d, p, &v, mode);
	unsettled_end(d);
	asks_check(d);
	view_release(&v);
}

void
decide(struct primary *p, int64_t now_us, enum decide_mode mode,
    struct decision *d)
{
	struct cost cost = cost_begin(COST_NO_TIME);
	struct view v;

	begin(p);
	*d = decision_new(p, now_us);
	unsettled_begin(p, d);
	view_init(&v, p, now_us);
	if (!p->object->terminating) {
		decide_live(d, p, &v, mode);
	} else if (waits_for_us(p)) {
		decide_deletion(d, p, &v, mode);
		outcome(d, p, &v, mode);
	}
	unsettled_end(d);
	points_index(d);
	view_release(&v);
	asks_check(d);
	points_tell_waits(d);
	points_tell_keeps(d);
	cost_end(&cost);
	d->limited = cost.limited > 0;
	d->crashed = cost.crashed > 0;
}

int
decide_input(
    struct primary *p, int64_t now_us, struct buf *out, struct err *err)
{
	struct decision d = decision_new(p, now_us);
	struct view v;
	int rc;

	begin(p);
	unsettled_begin(p, &d);
	view_init(&v, p, now_us);
	v.whole = true;
	if (p->object->terminating)
		plan_alone(&d, p, &v);
	else
		decide_set(&d, p, &v, DECIDE_DIFFERENCES);
	rc = arguments_print(outcome_input(&d, &v), out, err);
	unsettled_end(&d);
	view_release(&v);
	outcome_release(&d);
	return rc;
}

bool
decide_begun(const struct primary *p)
{
	const char *finalizer = p->entry->conf->finalizer;
	bool begun = patches_any(p) ||
	    (finalizer != NULL &&
		cache_object_has_finalizer(p->object, finalizer));

	for (size_t i = 0; i < p->entry->use_count && !begun; i++) {
		const struct use *u = p->entry->uses[i];
		struct cache_object **list;

		if (u->role != USE_DEPENDENT || !u->conf->manage)
			continue;
		list = entry_objects(p->entry, p, u);
		for (size_t j = 0; list[j] != NULL && !begun; j++)
			begun = !list[j]->retained && is_member(p, list[j]);
		free(list);
	}
	return begun;
}

bool
decide_settled(struct primary *p, int64_t now_us)
{
	struct decision d = decision_new(p, now_us);
	struct view v;
	bool settled;

	begin(p);
	view_init(&v, p, now_us);
	if (program_defines(p->entry->program, PROGRAM_SETTLED))
		plan_alone(&d, p, &v);
	outcome_settled(&d, &v);
	settled = d.settled;
	view_release(&v);
	outcome_release(&d);
	return settled;
}
