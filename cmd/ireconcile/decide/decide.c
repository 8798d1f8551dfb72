#include "decide/decide.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/quote.h"
#include "decide/userrequest.h"
#include "decide/finalizer.h"
#include "decide/line.h"
#include "decide/observeonly.h"
#include "decide/damping.h"
#include "decide/itemorder.h"
#include "decide/outcome.h"
#include "decide/patches.h"
#include "decide/points.h"
#include "decide/refuse.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "kube/proof.h"
#include "state/marks.h"

/* ---- the tables ---- */

/* How a cell of the table spells its action. */
enum {
	never = ACTION_NEVER,
	none = ACTION_NOTHING,
	show = ACTION_SHOW,
	CREATE = ACTION_CREATE,
	APPLY = ACTION_APPLY,
	AGAIN = ACTION_AGAIN,
	WAIT = ACTION_WAIT,
	WATCH = ACTION_WATCH,
	DELETE = ACTION_DELETE,
	RELEASE = ACTION_RELEASE,
	REFUSE = ACTION_REFUSE
};

/* clang-format off */
static const unsigned char actions[WISHES][SEENS] = {
/* none    other    leaving  member   agrees tolerated retry differs leaving
   shedding retained */
[WISH_ITEM] = {
   CREATE, CREATE,  CREATE,  never,   show,  show,  AGAIN, APPLY, WAIT,
   APPLY,  never},
[WISH_EXISTING] = {
   none,   none,    none,    never,   show,  show,  AGAIN, APPLY, WAIT,
   APPLY,  never},
[WISH_PATCH] = {
   none,   never,   never,   REFUSE,  show,  show,  AGAIN, APPLY, never,
   never,  REFUSE},
[WISH_KEEP] = {
   none,   none,    none,    none,    never, never, never, never, none,
   never,  none},
[WISH_FOREIGN] = {
   none,   DELETE,  WATCH,   none,    never, never, never, never, none,
   never,  none},
[WISH_UNDESIRED] = {
   none,   none,    none,    DELETE,  never, never, never, never, WAIT,
   never,  none},
[WISH_RELEASED] = {
   none,   RELEASE, RELEASE, RELEASE, never, never, never, never, RELEASE,
   never,  RELEASE},
};

static const unsigned char held_by[ACTIONS] = {
[ACTION_CREATE]  = HELD_BY_SET | HELD_BY_ITEM,
[ACTION_APPLY]   = HELD_BY_LOOP | HELD_BY_ITEM,
[ACTION_DELETE]  = HELD_BY_CONTENTS | HELD_BY_PRUNE,
[ACTION_RELEASE] = HELD_BY_PRUNE,
};

static const unsigned char steps[STANDINGS] = {
[STANDS_QUIET]       = 0,
[STANDS_UNSEEN]      = 0,
[STANDS_GONE]        = STEP_CANCEL | STEP_FORGET,
[STANDS_HELD]        = STEP_CANCEL,
[STANDS_PAUSED]      = STEP_CANCEL,
[STANDS_BACKING_OFF] = 0,
[STANDS_LIMITED]     = 0,
[STANDS_LEAVING]     = STEP_CLEAN_UP | STEP_OUTCOME,
[STANDS_LEFT]        = 0,
[STANDS_UNREADABLE]  = STEP_FAIL,
[STANDS_UNKNOWN]     = STEP_FAIL,
[STANDS_RELEASED]    = STEP_SETTLED | STEP_CLEAN_UP,
[STANDS_REJECTED]    = STEP_SETTLED,
[STANDS_TOO_LARGE]   = STEP_FAIL | STEP_OUTCOME,
[STANDS_LIVE]        = STEP_SET | STEP_OUTCOME,
};
/* clang-format on */

enum action
decide_action(enum wish wish, enum seen seen)
{
	return actions[wish][seen];
}

unsigned
decide_held_by(enum action action)
{
	return held_by[action];
}

unsigned
decide_steps(enum primary_standing standing)
{
	return steps[standing];
}

/* ---- members ---- */

/* A primary with an owner reference to itself is not a member: it would be
 * pruned. */
static bool
is_member(const struct primary *p, const struct cache_object *o)
{
	return o != p->object && marks_is_member(p->entry, o, p->object);
}

struct cache_object **
decide_managed(const struct primary *p)
{
	struct cache_object **all = mem_zalloc(sizeof(*all));
	size_t count = 0;

	for (size_t i = 0; i < p->entry->use_count; i++) {
		const struct use *u = p->entry->uses[i];
		struct cache_object **list;
		size_t n = 0;

		if (u->role != USE_DEPENDENT || !u->conf->manage)
			continue;
		list = entry_objects(p->entry, p, u);
		while (list[n] != NULL)
			n++;
		all = mem_realloc(all, (count + n + 1) * sizeof(*all));
		memcpy(&all[count], list, (n + 1) * sizeof(*all));
		count += n;
		free(list);
	}
	return all;
}

/* ---- what is observed ---- */

static enum seen
seen_as(const struct primary *p, const struct cache_object *o)
{
	if (o == NULL)
		return SEEN_NONE;
	if (!is_member(p, o))
		return o->terminating ? SEEN_OTHER_LEAVING : SEEN_OTHER;
	if (o->retained)
		return SEEN_RETAINED;
	return o->terminating ? SEEN_LEAVING : SEEN_MEMBER;
}

/* A terminating object is applied only to drop a finalizer that we no longer
 * desire. An apply does not remove finalizers of others. */
static bool
drops_finalizer(const struct desired_item *i, const struct cache_object *o)
{
	struct span text = primary_item_text(i);
	struct span metadata = json_get(text, "metadata");
	struct span wanted = json_get(metadata, "finalizers");
	struct span held = cache_object_meta(o, "finalizers");

	if (span_eq(json_get(json_get(metadata, "annotations"), PROOF_PATHS),
		cache_object_annotation(o, PROOF_PATHS)))
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

/* observed: see desired_compare. */
static enum seen
compare(struct decision *d, struct desired_item *i,
    const struct cache_object *o, jv *observed)
{
	struct err err = ERR_INIT;
	bool tolerated;

	desired_compare(d->primary, i, o, observed);
	tolerated = permadiff_is_tolerated(i);
	i->memory.agreed_before =
	    i->memory.agreed_before || i->memory.agrees || tolerated;
	d->stays = d->stays || tolerated;
	/* An owner reference of ours goes with the apply. */
	if ((i->marks & ITEM_RETAIN) && i->memory.agrees &&
	    refuse_owned(d->primary, i, o, &err) != 0)
		outcome_fail(d, err.message);
	if (o->terminating)
		return drops_finalizer(i, o) ? SEEN_SHEDDING : SEEN_LEAVING;
	if (i->memory.agrees)
		return SEEN_AGREES;
	if (tolerated)
		return d->primary->work.reminder ? SEEN_RETRY : SEEN_TOLERATED;
	return SEEN_DIFFERS;
}

/* ---- what is done about it ---- */

static bool
is_held_back(struct decision *d, enum action action,
    const struct desired_item *i, const struct cache_object *o)
{
	unsigned by = decide_held_by(action);

	if ((by & HELD_BY_CONTENTS) && refuse_deletion(d, o))
		return true;
	if ((by & HELD_BY_LOOP) && damping_holds_repair(i, d->now_us))
		return true;
	if ((by & HELD_BY_PRUNE) && !d->primary->object->terminating &&
	    damping_holds(d, UNSETTLED_SET, NULL))
		return true;
	if ((by & HELD_BY_SET) && damping_holds(d, UNSETTLED_SET, NULL))
		return true;
	return (by & HELD_BY_ITEM) &&
	    damping_holds(d, UNSETTLED_ITEM, i->label);
}

void
decide_object(struct decision *d, enum wish wish, const struct cache_object *o)
{
	enum action action = decide_action(wish, seen_as(d->primary, o));
	struct buf id = BUF_INIT;

	if (action == ACTION_NOTHING)
		return;
	points_identity(&id, o);
	points_outstanding(d, buf_span(&id));
	buf_release(&id);
	if (action == ACTION_WAIT)
		points_wait(d, o);
	else if (!is_held_back(d, action, NULL, o))
		points_add_object(d,
		    action == ACTION_RELEASE ? POINT_RELEASE : POINT_DELETE, o);
}

/* Deletes members that are not in the set; retained members stay. */
static void
prune(struct decision *d, const struct desired *set)
{
	struct cache_object **list = decide_managed(d->primary);

	for (size_t i = 0; list[i] != NULL; i++)
		if (!desired_has(set, list[i]))
			decide_object(d, WISH_UNDESIRED, list[i]);
	free(list);
}

static enum wish
wish_of(const struct desired_item *i)
{
	return (i->marks & ITEM_FOREIGN) ? WISH_FOREIGN
	    : (i->marks & ITEM_PATCH)	 ? WISH_PATCH
	    : (i->marks & ITEM_KEEP)	 ? WISH_KEEP
	    : (i->marks & ITEM_EXISTING) ? WISH_EXISTING
					 : WISH_ITEM;
}

/* The object that the item is about; NULL: the primary sees none. */
static const struct cache_object *
object_of(struct decision *d, const struct desired_item *i, enum wish wish)
{
	const struct primary *p = d->primary;
	const struct cache_object *o = cache_get(i->kind, primary_item_key(i));
	const struct watch_kind *conf = i->kind->conf;
	const struct use *u;
	struct err err = ERR_INIT;

	if (o == NULL || (wish != WISH_FOREIGN && wish != WISH_PATCH))
		return o;
	u = (wish == WISH_PATCH ? entry_patchable : entry_deletable)(
	    p->entry, span_str(conf->api_version), span_str(conf->kind));
	if (u == NULL || !entry_shows(p->entry, p, u, o))
		return NULL;
	if (wish == WISH_PATCH)
		return o->terminating || o->uid_len == 0 ? NULL : o;
	if (is_member(p, o) || (o->uid_len > 0 && o->rv_len > 0))
		return o;
	err_set(&err, ERR_PERMANENT,
	    "cannot delete %s: it has no uid or no resourceVersion, so "
	    "it is not an object of the API server",
	    i->label);
	outcome_fail(d, err.message);
	return NULL;
}

/* The point that has the item in the line; o: the object of that name, or NULL;
 * observed is taken. */
static void
add_item(struct decision *d, struct desired_item *i, enum action action,
    const struct cache_object *o, jv observed)
{
	struct point *pt = points_add(d, POINT_ITEM, span_str(i->label));

	memcpy(pt->digest, i->digest, DIGEST_SIZE);
	pt->item = i;
	pt->object = action == ACTION_CREATE ? NULL : o;
	pt->observed = observed;
	pt->done = action == ACTION_SHOW;
	pt->again = action == ACTION_AGAIN;
	pt->vacated = line_is_vacated(d->primary, pt, o);
	d->open -= pt->done;
}

static void
decide_item(struct decision *d, struct desired_item *i)
{
	enum wish wish = wish_of(i);
	const struct cache_object *o = object_of(d, i, wish), *member = NULL;
	enum seen seen = seen_as(d->primary, o);
	jv observed = jv_invalid();
	struct err err = ERR_INIT;
	enum action action;

	i->awaited = false;
	if (wish == WISH_PATCH) {
		member = seen == SEEN_OTHER ? o : NULL;
		damping_meet(i, member);
	} else if ((wish == WISH_ITEM || wish == WISH_EXISTING) &&
	    seen >= SEEN_MEMBER) {
		member = o;
	}
	if (member != NULL)
		seen = compare(d, i, o, &observed);
	action = decide_action(wish, seen);
	if (action == ACTION_CREATE && o != NULL &&
	    marks_is_claimant(d->primary->entry, o, d->primary->object))
		desired_is_claimed(d->primary, i, o);
	else if (action == ACTION_CREATE)
		desired_is_absent(d->primary, i);
	if (member != NULL || action == ACTION_CREATE)
		damping_watch(i, d);

	switch (action) {
	case ACTION_CREATE:
	case ACTION_APPLY:
	case ACTION_WAIT:
	case ACTION_WATCH:
	case ACTION_DELETE:
		points_outstanding_item(
		    d, i, member != NULL ? i->memory.path : NULL);
		if (action == ACTION_WAIT)
			points_wait(d, o);
		if (action == ACTION_WAIT || action == ACTION_WATCH ||
		    is_held_back(d, action, i, o) ||
		    (i->after != NULL && itemorder_waits(d->set, i))) {
			i->awaited = true;
			break;
		}
		if (action == ACTION_DELETE) {
			points_add_object(d, POINT_FOREIGN, o);
			break;
		}
		add_item(d, i, action, o, observed);
		return;
	case ACTION_SHOW:
		if (d->mode == DECIDE_DIFFERENCES)
			break;
		/* fall through */
	case ACTION_AGAIN:
		add_item(d, i, action, o, observed);
		return;
	case ACTION_REFUSE:
		err_set(&err, ERR_PERMANENT,
		    "%s is part of %s: desire it whole, without patch_only",
		    i->label, d->primary->name);
		outcome_fail(d, err.message);
		break;
	default:
		break;
	}
	jv_free(observed);
}

static void
decide_set(struct decision *d, struct view *v)
{
	struct primary *p = d->primary;
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
		decide_item(d, itemorder_nth(&p->desired, i));
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
	decide_object(d, WISH_UNDESIRED, o);
	return 0;
}

/*
 * Computes the plan of a primary for which `desired` is not called. An error of
 * `plan` is logged as the decision's error, but does not end the decision: a
 * bad spec must not prevent the cleanup of the primary.
 */
static void
plan_alone(struct decision *d, struct view *v)
{
	struct buf visible = BUF_INIT;
	struct err err = ERR_INIT;

	if (desired_plan(d->primary, v, &err) == 0)
		return;
	quote_text(&visible, span_str(err.message));
	buf_addf(&d->complaints, "%s%s", d->complaints.len > 0 ? "\n" : "",
	    buf_str(&visible));
	if (d->error == NULL)
		d->error = buf_take(&visible);
	buf_release(&visible);
}

static int
run_finalize(struct decision *d, struct view *v, bool *done, struct err *err)
{
	struct primary *p = d->primary;
	struct program_finalize result = {.delete_ = jv_invalid()};
	struct buf about = BUF_INIT;
	int rc;

	cache_object_add_label(&about, p->object);
	rc = program_finalize(p->entry->program,
	    view_input(v, VIEW_OWNED | VIEW_NOW | VIEW_OUTCOME | VIEW_PLAN,
		SPAN_NONE, d->error),
	    buf_str(&about), &result, err);
	buf_release(&about);
	if (rc != 0)
		return -1;
	*done = result.done;
	rc = desired_from_items(p, &result.items, &d->finalize, err);
	for (size_t i = 0; rc == 0 && i < d->finalize.count; i++)
		decide_item(d, itemorder_nth(&d->finalize, i));
	jv_array_foreach(result.delete_, i, target)
	{
		if (rc == 0)
			rc = finalize_delete(d, target, err);
		jv_free(target);
	}
	program_finalize_release(&result);
	return rc;
}

static void
clean_up(struct decision *d, struct view *v)
{
	/* Objects that the last line of a torn primary creates may not have
	 * been observed yet, as in kapply. */
	const int64_t longest = 10 * INT64_C(1000000);
	struct primary *p = d->primary;
	const char *finalizer = p->entry->conf->finalizer;
	bool finalizes = program_defines(p->entry->program, PROGRAM_FINALIZE);
	struct err err = ERR_INIT;
	bool done = false;

	/* Objects that are too large can be deleted, as their identity is
	 * known; but a program reads more of them. */
	if (finalizes && refuse_too_large(p, &err) != 0) {
		outcome_fail(d, err.message);
		return;
	}
	if (p->object->terminating || finalizes)
		plan_alone(d, v);
	patches_give_back(d, NULL);
	if (finalizes) {
		d->set = &d->finalize;
		if (run_finalize(d, v, &done, &err) != 0) {
			outcome_drop_points(d);
			outcome_fail(d, err.message);
			return;
		}
	} else {
		prune(d, NULL);
		done = d->outstanding_count == 0;
	}
	/* After a failure something may be left: a Namespace that is not
	 * empty. */
	done = done && !d->failed && !patches_any(p);
	if (!done)
		return;
	if (p->torn_us == 0) {
		if (finalizer != NULL &&
		    cache_object_has_finalizer(p->object, finalizer))
			points_add(
			    d, POINT_FINALIZER_REMOVE, span_str(finalizer));
		finalizer_retire(d);
	} else if (d->count == 0 && d->outstanding_count == 0) {
		/* The primary does not exist any more: nothing removes a
		 * finalizer. */
		d->over = d->now_us >= p->torn_us + longest;
		if (!d->over)
			d->held_until_us = p->torn_us + longest;
	}
}

/* ---- how the primary stands ---- */

/* Whether the primary has a finalizer of the entry, or a retired one. */
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
ask_when(struct primary *p, bool *ours, struct err *err)
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

/* How the primary stands by its object and by `when`. */
static enum primary_standing
standing_by_object(struct primary *p, struct err *err)
{
	bool ours;

	if (p->object->terminating)
		return waits_for_us(p) ? STANDS_LEAVING : STANDS_LEFT;
	if (p->entry->when != NULL && p->object->too_large) {
		refuse_too_large(p, err);
		return STANDS_UNREADABLE;
	}
	if (ask_when(p, &ours, err) != 0)
		return STANDS_UNKNOWN;
	if (!ours)
		return waits_for_us(p) || decide_begun(p) ? STANDS_RELEASED
							  : STANDS_REJECTED;
	return refuse_too_large(p, err) != 0 ? STANDS_TOO_LARGE : STANDS_LIVE;
}

/* ---- decisions ---- */

static void
begin_decision(struct decision *d, struct view *v, struct primary *p,
    int64_t now_us, enum decide_mode mode)
{
	struct log_about who = primary_about(p);

	program_begin(&who);
	*d = (struct decision){
	    .primary = p, .mode = mode, .now_us = now_us, .events = jv_array()};
	view_init(v, p, now_us);
}

void
decide_failure(struct primary *p, int64_t now_us, enum decide_mode mode,
    const char *message, struct decision *d)
{
	struct view v;

	begin_decision(d, &v, p, now_us, mode);
	damping_begin(d);
	observeonly_withhold(d);
	outcome_fail(d, message);
	outcome_decide(d, &v);
	damping_end(d);
	userrequest_check(d);
	points_tell(d);
	view_release(&v);
}

void
decide(struct primary *p, int64_t now_us, enum decide_mode mode,
    struct decision *d)
{
	struct cost cost = cost_begin(COST_NO_TIME);
	struct err err = ERR_INIT;
	struct view v;
	unsigned todo;

	begin_decision(d, &v, p, now_us, mode);
	damping_begin(d);
	todo = decide_steps(standing_by_object(p, &err));
	d->settled = todo & STEP_SETTLED;
	if (todo & STEP_FAIL)
		outcome_fail(d, err.message);
	if (todo & STEP_SET)
		decide_set(d, &v);
	if (todo & STEP_CLEAN_UP)
		clean_up(d, &v);
	observeonly_withhold(d);
	if (todo & STEP_OUTCOME)
		outcome_decide(d, &v);
	damping_end(d);
	points_index(d);
	view_release(&v);
	userrequest_check(d);
	points_tell(d);
	cost_end(&cost);
	d->limited = cost.limited > 0;
	d->crashed = cost.crashed > 0;
}

int
decide_input(
    struct primary *p, int64_t now_us, struct buf *out, struct err *err)
{
	struct decision d;
	struct view v;
	int rc;

	begin_decision(&d, &v, p, now_us, DECIDE_DIFFERENCES);
	damping_begin(&d);
	v.whole = true;
	if (p->object->terminating)
		plan_alone(&d, &v);
	else
		decide_set(&d, &v);
	rc = arguments_print(outcome_input(&d, &v), out, err);
	damping_end(&d);
	view_release(&v);
	outcome_release(&d);
	return rc;
}

bool
decide_settled(struct primary *p, int64_t now_us)
{
	struct decision d;
	struct view v;
	bool settled;

	begin_decision(&d, &v, p, now_us, DECIDE_DIFFERENCES);
	if (program_defines(p->entry->program, PROGRAM_SETTLED))
		plan_alone(&d, &v);
	outcome_settled(&d, &v);
	settled = d.settled;
	view_release(&v);
	outcome_release(&d);
	return settled;
}

bool
decide_begun(const struct primary *p)
{
	const char *finalizer = p->entry->conf->finalizer;
	struct cache_object **list = decide_managed(p);
	bool begun = patches_any(p) ||
	    (finalizer != NULL &&
		cache_object_has_finalizer(p->object, finalizer));

	for (size_t i = 0; list[i] != NULL && !begun; i++)
		begun = !list[i]->retained && is_member(p, list[i]);
	free(list);
	return begun;
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
