/*
 * Part of apply.h: the order of a key's work. engine_submit takes a set,
 * engine_run sends the next request of a key whose turn has come, and
 * engine_advance goes on when something has ended: to the newest line, to the
 * next phase, or to rest.
 */
#include "apply.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "body.h"
#include "kube/kubepath.h"
#include "process/clock.h"
#include "process/log.h"
#include "set/setorder.h"
#include "unseen.h"
#include "value/digest.h"

/* ---- the items of the current phase ---- */

static void
note_late(struct item *i, uint64_t now)
{
	retry_expire(&i->failure.retry, writer_opts.failed_after_ms, now);
	if (i->failure.retry.failed)
		engine_item_take(i, EVENT_LATE);
}

static void
retry_due(void *arg)
{
	struct key *k = arg;
	uint64_t now = clock_ms();
	struct item *i;

	for (size_t n = 0; (i = setorder_next(k->set, &n)) != NULL;) {
		if (!itemstate_is_retried(i->state))
			continue;
		note_late(i, now);
		if (i->failure.retry.due_ms <= now)
			engine_item_take(i, EVENT_DUE);
	}
	engine_advance(k);
}

/* Until the first item is due, or counts as failed. */
static void
wait_for_retry(struct key *k)
{
	uint64_t first = UINT64_MAX;
	const struct item *i;

	for (size_t n = 0; (i = setorder_next(k->set, &n)) != NULL;) {
		const struct retry *r = &i->failure.retry;
		uint64_t late = r->first_ms + writer_opts.failed_after_ms;

		if (!itemstate_is_retried(i->state))
			continue;
		if (r->due_ms < first)
			first = r->due_ms;
		if (i->state == ITEM_BACKOFF && late < first)
			first = late;
	}
	workqueue_rest(&k->apply->w.queue, &k->work);
	loop_at(k->apply->w.loop, &k->timer, first, retry_due, k);
}

/* ---- sets of a key ---- */

static void
lift_barrier(struct apply *a, struct set *s)
{
	if (s->barrier)
		a->barriers--;
	s->barrier = false;
}

/* Frees the set; items that were held back or denied no longer count. */
static void
release_set(struct apply *a, struct set *s)
{
	for (size_t n = 0; s != NULL && n < s->count; n++) {
		report_let_go(a, s, &s->items[n]);
		denials_leave(&a->w.denials, &s->items[n].denied);
	}
	set_free(s);
}

static void
drop_set(struct key *k)
{
	lift_barrier(k->apply, k->set);
	release_set(k->apply, k->set);
	k->set = NULL;
}

static void
key_free(struct key *k)
{
	struct set *s;

	map_del(&k->apply->w.keys, span_str(k->name));
	loop_cancel(k->apply->w.loop, &k->timer);
	set_free(k->set);
	while ((s = k->next) != NULL) {
		k->next = s->next;
		set_free(s);
	}
	free(k->name);
	free(k);
}

/* The next set comes to work. Its class, which maxConcurrentReconciles counts,
 * is the primary's kind. */
static void
take_next(struct key *k)
{
	struct apply *a = k->apply;
	struct set *old = k->set, *s = k->next;
	uint64_t max = s->max_concurrent > 0
	    ? (uint64_t)s->max_concurrent
	    : (uint64_t)writer_opts.max_in_flight;
	struct buf b = BUF_INIT;

	if (s->behind)
		a->lined_up--;
	k->set = s;
	k->next = s->next;
	s->next = NULL;
	loop_cancel(a->w.loop, &k->timer);
	if (old != NULL)
		set_inherit(k->set, old, RECENT_MS, clock_ms());
	release_set(a, old);
	unseen_line(a->unseen, s);
	k->writestat = s->plain ? NULL
				: writestat_of(&a->w.writestats,
				      s->primary.group, s->primary.kind, max);
	if (s->max_concurrent > 0) {
		objref_add_kind(&b, s->primary.kind, s->primary.group);
		workqueue_classify(
		    &a->w.queue, &k->work, buf_span(&b), (size_t)max);
		buf_release(&b);
	}
}

/* Nothing of this phase can be sent now, and not all of it is done: waits, or
 * drops the set. */
static void
settle(struct key *k, const struct setorder_tally *t)
{
	const struct item *first = &k->set->items[0];
	bool superseded;

	report_failures(k->apply, k->set);
	if (k->set->barrier && itemstate_has_failed(first->state))
		lift_barrier(k->apply, k->set);
	superseded =
	    k->set->plain && k->next != NULL && first->state == ITEM_FAILED;
	if (t->retry > 0 && !superseded) {
		wait_for_retry(k);
		return;
	}
	if (t->refused > 0 || superseded)
		k->apply->w.failed = true;
	drop_set(k);
	engine_advance(k);
}

void
engine_advance(struct key *k)
{
	struct workqueue *queue = &k->apply->w.queue;
	struct setorder_tally t;

	for (;;) {
		/* Requests in flight end first; then only the newest line
		 * counts. */
		if (k->next != NULL && k->flying == 0 &&
		    (k->set == NULL || !k->set->plain))
			take_next(k);
		if (k->set == NULL) {
			workqueue_rest(queue, &k->work);
			key_free(k);
			return;
		}
		if (k->next != NULL && !k->set->plain)
			return;
		t = setorder_count(k->set);
		if (t.waiting > 0) {
			workqueue_push(queue, &k->work);
			return;
		}
		if (k->flying > 0 || t.flying > 0)
			return;
		if (t.retry + t.refused + t.stale + t.blocked > 0) {
			if (setorder_move(k->set, &t))
				continue;
			settle(k, &t);
			return;
		}
		if (k->set->phase == PHASE_STATUS)
			report_status(k->apply, k->set);
		if (++k->set->phase == PHASE_END)
			drop_set(k);
	}
}

void
engine_submit(struct apply *a, struct set *s)
{
	struct set **last;
	struct buf name = BUF_INIT;
	struct key *k;

	/* A plain object may bear the name of a primary. */
	buf_addf(&name, "%s %s", s->plain ? "object" : "primary", s->key);
	k = map_get(&a->w.keys, buf_span(&name));
	if (k == NULL) {
		k = mem_zalloc(sizeof(*k));
		k->apply = a;
		k->name = buf_take(&name);
		map_put(&a->w.keys, span_str(k->name), k);
	}
	buf_release(&name);
	a->w.lines++;
	if (s->plain && s->items[0].phase == PHASE_SCOPES) {
		s->barrier = true;
		a->barriers++;
	}
	/* The object as it was before tells configured from unchanged, and
	 * whether it is another set's. */
	if (s->plain && s->items[0].op == OP_APPLY &&
	    (a->o->output == OUTPUT_RESULT || a->label != NULL))
		s->items[0].step = STEP_READ;
	/* The answer to a dry run has the old resourceVersion: only what was
	 * there before tells configured from unchanged. */
	for (size_t n = 0; !s->plain && writer_opts.dry_run && n < s->count;
	     n++) {
		struct item *i = &s->items[n];

		if (i->op == OP_APPLY && i->known == KNOWN_UID &&
		    i->step == STEP_WRITE)
			i->step = STEP_CAUSE;
	}
	if (s->plain) {
		/* Two objects of one name are applied one after the other. */
		s->behind = k->set != NULL;
		a->lined_up += s->behind;
		for (last = &k->next; *last != NULL;)
			last = &(*last)->next;
		*last = s;
	} else {
		/* Announce now: a newer line may replace this one. */
		report_events(a, s);
		set_free(k->next);
		k->next = s;
	}
	engine_advance(k);
}

/* ---- field managers ---- */

struct span
engine_manager(const struct apply *a, const struct set *s)
{
	if (a->o->field_manager != NULL)
		return span_str(a->o->field_manager);
	return s->manager.n != 0 ? s->manager : span_str("kpipe");
}

struct span
engine_patch_manager(const struct key *k)
{
	struct set *s = k->set;
	struct span base = engine_manager(k->apply, s);
	unsigned char sum[DIGEST_SIZE];
	struct buf b = BUF_INIT;
	enum { MANAGER_MAX = 128 };

	if (s->patch_manager == NULL) {
		if (base.n > MANAGER_MAX - 1 - 2 * MANAGER_SUFFIX)
			base.n = MANAGER_MAX - 1 - 2 * MANAGER_SUFFIX;
		digest_sha256(span_str(s->key), sum);
		buf_addspan(&b, base);
		buf_addc(&b, '-');
		digest_add_hex(&b, sum, MANAGER_SUFFIX);
		s->patch_manager = buf_take(&b);
	}
	return span_str(s->patch_manager);
}

struct span
engine_item_manager(const struct key *k, const struct item *i)
{
	return i->partial == PARTIAL_NONE ? engine_manager(k->apply, k->set)
					  : engine_patch_manager(k);
}

/* ---- what a request is about ---- */

/* The object of the item's next request. */
const struct objref *
engine_target(const struct key *k, const struct item *i)
{
	switch (i->step) {
	case STEP_PRIMARY:
		return &k->set->primary;
	case STEP_UNSEEN:
		return &i->unseen.id;
	default:
		return &i->id;
	}
}

/* The key of what loops tells no version. */
const struct api_resource *
engine_resource(const struct apply *a, const struct objref *id)
{
	const struct discovery *d = a->w.discovery;

	return id->version.n != 0
	    ? discovery_find(d, id->group, id->version, id->kind)
	    : discovery_find_kind(d, id->group, id->kind);
}

static struct span
target_namespace(const struct key *k, const struct objref *id)
{
	if (id->namespace_.n != 0)
		return id->namespace_;
	return k->set->plain ? span_str(kube_namespace(k->apply->w.kube))
			     : k->set->primary.namespace_;
}

/* ---- items that are not sent ---- */

/* kubectl's rule, and its words: a plain object of another namespace than -n. */
static bool
other_namespace(struct key *k, struct item *i, const struct api_resource *r)
{
	const char *asked = kube_opts.namespace_;
	struct span ns = i->id.namespace_;
	struct buf b = BUF_INIT;

	if (!k->set->plain || asked == NULL || ns.n == 0 || !r->namespaced ||
	    span_is(ns, asked))
		return false;
	buf_addf(&b,
	    "the namespace from the provided object \"%.*s\" does not "
	    "match the namespace \"%s\"",
	    SPAN_ARG(ns), asked);
	engine_item_failed(k, i, RETRY_PERMANENT, -1, buf_span(&b));
	buf_release(&b);
	return true;
}

/*
 * ireconcile looks for an object where it expects it: an object of another
 * scope would be created and never be observed.
 */
static bool
other_scope(struct key *k, struct item *i, const struct api_resource *r)
{
	struct buf b = BUF_INIT;

	if (k->set->plain || i->op != OP_APPLY || i->step == STEP_PRIMARY ||
	    r->namespaced == (i->id.namespace_.n > 0))
		return false;
	buf_addf(&b,
	    "the server has this kind %s: it needs \"scope: %s\" in "
	    "watches.yaml",
	    r->namespaced ? "in namespaces" : "for the whole cluster",
	    r->namespaced ? "Namespaced" : "Cluster");
	engine_item_failed(k, i, RETRY_PERMANENT, -1, buf_span(&b));
	buf_release(&b);
	return true;
}

/* The next object that may not be observed yet is looked at. */
static void
look_at_unseen(struct key *k, struct item *i)
{
	const char *next = unseen_next(k->apply->unseen, k->set);

	free(i->unseen.key);
	i->unseen = (struct item_unseen){NULL};
	if (next != NULL) {
		i->step = STEP_UNSEEN;
		i->unseen.key = mem_strdup(next);
		objref_parse_key(&i->unseen.id, span_str(i->unseen.key));
	} else if (i->step == STEP_UNSEEN) {
		i->step = STEP_READ;
	}
}

/*
 * The line that removes the finalizer was decided before the newest objects
 * were observed: they would be left behind. A newer line comes when they are
 * observed. If none has come in time, each is looked at.
 */
static bool
too_early(struct key *k, struct item *i)
{
	uint64_t wait;

	if (i->op != OP_REMOVE_FINALIZERS)
		return false;
	wait = unseen_wait(k->apply->unseen, k->set, clock_ms());
	if (wait == 0) {
		look_at_unseen(k, i);
		return false;
	}
	engine_item_failed(k, i, RETRY_TRANSIENT, (int64_t)wait,
	    span_str("what was created just now was not observed yet"));
	return true;
}

/*
 * The prune limit: no request is sent for a deletion that is held back; it
 * waits like one that has failed for good, mostly until a line no longer
 * requests it.
 */
static bool
held_back(struct key *k, struct item *i)
{
	struct apply *a = k->apply;
	const char *primary = k->set->key;
	struct buf b = BUF_INIT;
	enum prunelimit_scope scope;

	if (i->op != OP_DELETE || (k->set->deleting && !i->foreign) ||
	    writer_opts.dry_run)
		return false;
	scope = i->step == STEP_READ
	    ? prunelimit_is_on(&a->prunelimit, primary, clock_ms())
	    : prunelimit_pass(&a->prunelimit, primary, clock_ms());
	if (scope == PRUNELIMIT_OFF)
		return false;
	i->step = STEP_READ;
	buf_addf(&b, "held back: more than %ld deletions %s (--prune-limit)",
	    a->o->prune_limit,
	    scope == PRUNELIMIT_ALL
		? "for primaries that stay within a minute"
		: "within a minute, most of them for this primary");
	engine_item_failed(k, i, RETRY_PERMANENT, -1, buf_span(&b));
	report_held(a, k->set, i, scope);
	buf_release(&b);
	return true;
}

/* ---- requests ---- */

static void
add_path(struct buf *b, const struct call *c, const struct objref *id)
{
	const struct apply *a = c->key->apply;
	const struct set *s = c->key->set;
	const struct item *i = c->item;

	discovery_path(b, c->resource, target_namespace(c->key, id),
	    c->verb == KUBE_CREATE ? SPAN_NONE : id->name, NULL);
	if (c->verb == KUBE_GET || c->verb == KUBE_DELETE)
		return;
	/* An apply refuses unknown fields by itself. */
	if (c->verb == KUBE_CREATE)
		kube_query_add(b, "fieldValidation", span_str("Strict"));
	kube_query_add(b, "fieldManager", engine_item_manager(c->key, i));
	if (c->verb == KUBE_APPLY &&
	    (a->o->force_conflicts ||
		(!s->plain && i->partial != PARTIAL_TAKE)))
		kube_query_add(b, "force", span_str("true"));
	if (writer_opts.dry_run)
		kube_query_add(b, "dryRun", span_str("All"));
}

static void
add_apply(struct buf *b, struct call *c)
{
	const struct apply *a = c->key->apply;
	const struct item *i = c->item;
	struct body_edit edit = {.strip = true};
	struct buf text = BUF_INIT;

	if (c->key->set->plain) {
		if (a->label != NULL) {
			edit.label = span_str(a->label);
			edit.label_value = span_str(a->label_value);
		}
		edit.strip_status = writer_has_status(c->resource);
		if (c->verb == KUBE_CREATE)
			edit.name = i->id.name;
		body_apply(b, i->text, &edit);
		return;
	}
	edit.uid = i->live_uid != NULL ? span_str(i->live_uid) : i->known_uid;
	c->uid = edit.uid;
	/*
	 * No object has resourceVersion 1: an apply with it creates what is
	 * absent, and conflicts (409) with what is there.
	 */
	c->if_absent = edit.uid.n == 0;
	edit.resource_version = c->if_absent ? span_str("1") : i->version;
	body_spell(&text, i);
	body_apply(b, buf_span(&text), &edit);
	buf_release(&text);
}

/* Takes c. */
static void
start(struct call *c, const struct objref *id)
{
	struct apply *a = c->key->apply;
	const struct item *i = c->item;
	struct buf path = BUF_INIT, body = BUF_INIT;

	add_path(&path, c, id);
	if (c->verb == KUBE_APPLY || c->verb == KUBE_CREATE)
		add_apply(&body, c);
	else if (c->verb == KUBE_DELETE)
		body_delete(&body, span_str(i->live_uid), i->version,
		    writer_opts.dry_run != 0);
	else if (c->verb == KUBE_JSON_PATCH || c->verb == KUBE_MERGE_PATCH)
		buf_adds(&body, i->patch);
	a->w.requests++;
	if (c->verb != KUBE_GET && !c->key->set->plain)
		workqueue_wrote(&a->w.queue, span_str(c->key->set->key));
	kube_start(a->w.kube,
	    &(struct kube_request){.verb = c->verb,
		.path = buf_str(&path),
		.body = buf_span(&body)},
	    answer_take, c);
	buf_release(&path);
	buf_release(&body);
}

static void
send_item(struct key *k, struct item *i)
{
	struct apply *a = k->apply;
	const struct objref *id;
	const struct api_resource *r;
	enum item_event event;
	struct call *c;

	if (i->step == STEP_CAUSE && !writer_opts.dry_run &&
	    !report_wants_cause(a))
		i->step = STEP_WRITE;
	if (too_early(k, i) || held_back(k, i)) {
		engine_advance(k);
		return;
	}
	id = engine_target(k, i);
	r = engine_resource(a, id);
	if (r != NULL && r->namespaced && id == &i->id)
		i->namespace_ = target_namespace(k, id);
	else if (r != NULL && k->set->plain)
		i->id.namespace_ = SPAN_NONE; /* the server drops it */
	if (r != NULL && (other_namespace(k, i, r) || other_scope(k, i, r))) {
		engine_advance(k);
		return;
	}
	c = mem_zalloc(sizeof(*c));
	*c = (struct call){.key = k, .item = i, .resource = r};
	answer_verb(i->op, i->step, &c->verb);
	if (k->flying++ == 0)
		k->busy_ms = clock_ms();
	workqueue_started(&a->w.queue);
	event = r == NULL ? EVENT_UNKNOWN : EVENT_TURN;
	if (engine_item_take(i, event) == ACTION_ASK)
		discovery_refresh(a->w.discovery, answer_looked_up, c);
	else
		start(c, id);
}

void
engine_run(void *apply, struct work *w)
{
	struct apply *a = apply;
	struct key *k = (struct key *)w;
	struct item *i, *first = NULL;
	bool more = false;

	if (k->set == NULL || (k->next != NULL && !k->set->plain)) {
		engine_advance(k);
		return;
	}
	for (size_t n = 0; !more && (i = setorder_next(k->set, &n)) != NULL;) {
		if (i->state != ITEM_WAITING || setorder_is_blocked(k->set, i))
			continue;
		more = first != NULL;
		if (!more)
			first = i;
	}
	if (first != NULL)
		send_item(k, first);
	else if (k->flying == 0)
		engine_advance(k);
	if (more)
		workqueue_push(&a->w.queue, &k->work);
}

/* ---- what became of an item ---- */

enum item_action
engine_item_take(struct item *i, enum item_event event)
{
	enum item_action action = itemstate_action(i->state, event);

	if (action == ACTION_NEVER)
		log_error("bug: %s: \"%s\" while %s", i->key,
		    itemstate_event_name(event),
		    itemstate_state_name(i->state));
	i->state = itemstate_next(i->state, action);
	return action;
}

void
engine_item_next(struct item *i, enum item_step step)
{
	if (engine_item_take(i, EVENT_NEXT) == ACTION_QUEUE)
		i->step = step;
}

void
engine_item_done(struct key *k, struct item *i, const char *result)
{
	struct apply *a = k->apply;

	if (engine_item_take(i, EVENT_ACCEPTED) != ACTION_ACCEPT)
		return;
	i->accepted_ms = clock_ms();
	retry_reset(&i->failure.retry);
	denials_leave(&a->w.denials, &i->denied);
	free(i->failure.error);
	i->failure.error = NULL;
	if (i->phase == PHASE_SCOPES)
		a->new_scope_ms = i->accepted_ms;
	if (i->op != OP_APPLY && i->op != OP_DELETE && i->op != OP_CREATE)
		return;
	report_written(a, k->set, i, result);
}

void
engine_item_gone(struct key *k, struct item *i)
{
	engine_item_done(k, i, i->delete_sent ? "deleted" : "unchanged");
}

void
engine_item_stale(struct key *k, struct item *i)
{
	if (engine_item_take(i, EVENT_OUTDATED) != ACTION_DROP)
		return;
	denials_leave(&k->apply->w.denials, &i->denied);
	k->apply->counters.stale++;
	log_debug("%s: the line is out of date, a newer one will come", i->key);
}

void
engine_item_failed(struct key *k, struct item *i, enum retry_kind kind,
    int64_t retry_after_ms, struct span reason)
{
	static const char *const verbs[] = {"look at", "look at",
	    "add finalizers to", "apply", "delete", "remove finalizers from",
	    "create"};
	struct item_failure *f = &i->failure;
	uint64_t now = clock_ms();
	struct buf b = BUF_INIT;

	/* However long it takes: the primary is read afresh then. */
	if (i->once)
		i->step = STEP_PRIMARY;
	f->reason = NULL;
	if (engine_item_take(i,
		retry_is_permanent(kind) ? EVENT_PERMANENT : EVENT_PASSING) ==
	    ACTION_NEVER)
		return;
	retry_plan(&f->retry, kind, retry_after_ms, now);
	note_late(i, now);
	f->recorded = false;
	denials_failed(&k->apply->w.denials, &i->denied, kind);
	k->apply->w.failures++;
	if (k->writestat != NULL)
		k->writestat->errors++;
	buf_addf(&b, "cannot %s ",
	    i->partial == PARTIAL_RELEASE ? "give back fields of"
					  : verbs[i->op]);
	objref_add_label(&b, &i->id);
	buf_adds(&b, ": ");
	buf_addspan(&b, reason);
	if (f->error == NULL || strcmp(f->error, buf_str(&b)) != 0) {
		free(f->error);
		f->error = buf_take(&b);
		f->reported = false;
		log_debug("%s: %s", i->key, f->error);
	}
	buf_release(&b);
}

/* ---- the end ---- */

bool
engine_settled(const struct apply *a)
{
	const struct item *i;
	struct key *k;

	if (a->w.queue.runnable > 0)
		return false;
	for (size_t at = 0; (k = map_next(&a->w.keys, &at)) != NULL;)
		for (size_t n = 0; (i = setorder_next(k->set, &n)) != NULL;)
			if (i->state == ITEM_BACKOFF ||
			    i->state == ITEM_OVERDUE)
				return false;
	return true;
}

void
engine_give_up(struct apply *a)
{
	struct key **keys = (struct key **)map_sorted(&a->w.keys);
	size_t count = a->w.keys.count;
	struct item *i;

	for (size_t at = 0; at < count; at++) {
		struct set *s = keys[at]->set;

		for (size_t n = 0; (i = setorder_next(s, &n)) != NULL;) {
			/* The item that it waits for is told. */
			if (setorder_is_blocked(s, i))
				continue;
			if (engine_item_take(i, EVENT_OVER) == ACTION_END &&
			    i->failure.error == NULL)
				engine_item_failed(keys[at], i, RETRY_TRANSIENT,
				    -1,
				    span_str("not done within the time of "
					     "--timeout"));
			engine_item_take(i, EVENT_LATE);
		}
		report_failures(a, s);
	}
	free(keys);
}

void
engine_free(struct apply *a)
{
	struct key **keys = (struct key **)map_sorted(&a->w.keys);
	size_t count = a->w.keys.count;

	for (size_t n = 0; n < count; n++)
		key_free(keys[n]);
	free(keys);
}
