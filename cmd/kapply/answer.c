/* Part of send.h: the next step of an item after the answer to its request. */
#include <stdlib.h>
#include <string.h>

#include "adopt.h"
#include "base/buf.h"
#include "base/mem.h"
#include "because.h"
#include "body.h"
#include "foreign.h"
#include "json/json.h"
#include "merge.h"
#include "opponent.h"
#include "process/clock.h"
#include "process/log.h"
#include "send.h"
#include "set/confidential.h"
#include "set/errand.h"
#include "spare.h"
#include "unseen.h"

enum {
	NEW_SCOPE_MS = 30000,
	NAMESPACE_MS = 2000 /* so much later its Namespace may come */
};

static bool
recent_scope(const struct apply *a)
{
	return a->new_scope_ms != 0 &&
	    clock_ms() - a->new_scope_ms < NEW_SCOPE_MS;
}

static void
nothing_to_do(void *arg, const struct kube_error *e)
{
	(void)arg;
	(void)e;
}

/* Its Namespace may be further down in the same input. */
static bool
may_follow(const struct call *c, const struct kube_error *e)
{
	uint64_t first = c->item->failure.retry.first_ms;

	return e->namespace_missing && c->key->set->plain &&
	    !c->key->apply->o->dry_run &&
	    (first == 0 || clock_ms() - first < NAMESPACE_MS);
}

static void
fail_answer(struct call *c, const struct kube_answer *answer)
{
	const struct kube_error *e = &answer->error;
	struct apply *a = c->key->apply;
	enum retry_kind kind = retry_classify(c->verb, e);
	struct buf b = BUF_INIT;

	/* The path itself is unknown: the kind is not served, or not yet. */
	if (e->code == 404 && e->reason[0] == '\0')
		discovery_refresh(a->discovery, nothing_to_do, a);
	if (e->code == 404 && (recent_scope(a) || may_follow(c, e)))
		kind = RETRY_TRANSIENT;
	kube_error_public_of(&b, e,
	    confidential_kind(c->key->set, &c->item->id),
	    c->item->op == OP_APPLY ? c->item->text : SPAN_NONE);
	send_add_remedy(&b, c, e);
	send_fail_by(c, kind, e, buf_span(&b));
	buf_release(&b);
}

static bool
failed(const struct kube_answer *answer)
{
	return answer->error.kind != ERR_NONE;
}

static void
set_text(char **field, struct span text)
{
	free(*field);
	*field = mem_dup(text.p, text.n);
}

/* The next request of the item may go out. */
static void
go_on(struct item *i, enum item_step step)
{
	if (engine_item_take(i, EVENT_NEXT) == ACTION_QUEUE)
		i->step = step;
}

/* The object that we addressed by uid is gone, or another one took its name. */
static bool
uid_gone(const struct call *c, const struct kube_error *e)
{
	struct json_elements causes;

	if (c->uid.n == 0)
		return false;
	if (e->code == 409)
		return !e->field_conflict;
	if (e->code != 422 || e->causes == NULL)
		return false;
	causes = json_elements(span_str(e->causes));
	while (json_element(&causes))
		if (json_is(json_get(causes.value, "field"), "metadata.uid"))
			return true;
	return false;
}

/* After STEP_TRIM nothing is left; if that fails, others may have added keys
 * again. */
static void
wrote_merge(struct call *c, const struct kube_answer *answer)
{
	bool last = c->item->step == STEP_TRIM;

	c->item->step = STEP_WRITE;
	if (failed(answer))
		fail_answer(c, answer);
	else if (last)
		engine_item_done(c->key, c->item, "configured");
	else
		go_on(c->item, STEP_WRITE);
}

static void
note_unseen(struct call *c)
{
	struct apply *a = c->key->apply;

	if (!a->o->dry_run)
		unseen_add(a->unseen, c->key->set, c->item, clock_ms());
}

/* To take over what others own in object, unless nothing is theirs. */
static bool
take_over(struct call *c, struct span object)
{
	struct item *i = c->item;
	struct buf patch = BUF_INIT;
	bool change =
	    adopt_patch(&patch, c->key->set, i, object, send_manager(c->key));

	free(i->patch);
	i->patch = buf_take(&patch);
	if (change)
		go_on(i, STEP_ADOPT);
	return change;
}

/*
 * Of what no managers were kept, the API server says at the first apply that
 * "before-first-apply" wrote it: only now are there fields to take over. Those
 * of a plain object are always looked for now: mostly there are none.
 */
static bool
take_over_again(struct call *c, struct span object)
{
	struct item *i = c->item;
	enum adoption due = c->key->set->plain ? ADOPTION_NONE : ADOPTION_BEGUN;

	if (i->adoption != due || c->key->apply->o->dry_run)
		return false;
	i->adoption = ADOPTION_AGAIN;
	return take_over(c, object);
}

/* The live object, which may have been adopted, is gone. */
static void
forget_live(struct item *i)
{
	free(i->live_uid);
	i->live_uid = NULL;
	i->adoption = ADOPTION_NONE;
}

/* It was written, and will vanish: applied is what comes after it. */
static bool
is_going(struct call *c, struct span object)
{
	enum retry_kind kind =
	    c->key->apply->o->dry_run ? RETRY_PERMANENT : RETRY_TRANSIENT;
	struct buf b = BUF_INIT, why = BUF_INIT;

	if (!c->key->set->plain || !body_awaits(&why, object))
		return false;
	buf_adds(&b, "it is being deleted");
	if (why.len > 0)
		buf_addf(&b, ": %s", buf_str(&why));
	send_fail_with(c->key, c->item, kind, -1, buf_span(&b));
	buf_release(&b);
	buf_release(&why);
	return true;
}

static void
wrote_object(struct call *c, const struct kube_answer *answer)
{
	struct item *i = c->item;
	struct apply *a = c->key->apply;

	/* Without an answer, or with a 5xx, it may be there as well. */
	if (!failed(answer) || answer->code == 0 || answer->code >= 500)
		note_unseen(c);
	if (!failed(answer) && take_over_again(c, answer->body))
		return;
	if (!failed(answer) && is_going(c, answer->body))
		return;
	if (!failed(answer)) {
		opponent_answered(&a->repairs, c->key->set, i,
		    send_item_manager(c->key, i), answer->body, clock_ms());
		if (a->on_applied != NULL && c->key->set->plain)
			a->on_applied(a->on_applied_arg, i,
			    body_metadata(answer->body, "uid"));
		if (i->adoption != ADOPTION_NONE && !c->key->set->plain)
			report_adopted(a, c->key->set, i);
		i->adoption = ADOPTION_NONE;
		if (!a->o->dry_run && merge_trim(c->key->set, i, answer->body))
			go_on(i, STEP_TRIM);
		else
			engine_item_done(c->key, i,
			    answer->code == 201
				? "created"
				: body_result(answer->body, i->live_version,
				      a->o->dry_run != 0));
	} else if (c->if_absent && answer->error.code == 409 &&
	    !answer->error.field_conflict) {
		go_on(i, STEP_READ);
	} else if (merge_list(i, c->uid, &answer->error)) {
		go_on(i, STEP_LIST);
	} else if (answer->error.field_conflict && i->partial != PARTIAL_NONE) {
		foreign_conflict(c, &answer->error);
	} else if (!uid_gone(c, &answer->error)) {
		fail_answer(c, answer);
	} else if (i->live_uid != NULL) {
		forget_live(i);
		fail_answer(c, answer);
	} else {
		engine_item_stale(c->key, i);
	}
}

/* The primary is not a member, even if a user made it its own owner. */
static bool
is_member(const struct call *c, struct span object)
{
	return !spare_is_primary(c->key->set, object) &&
	    body_is_member(&c->key->apply->proof, c->key->set, c->item, object);
}

/* The same of what has the name of an item, which is written in any case. */
static bool
is_item_member(const struct call *c, struct span object)
{
	const struct key *k = c->key;

	return is_member(c, object) ||
	    (!spare_is_primary(k->set, object) && c->item->op == OP_APPLY &&
		body_was_ours(k->set, object, send_item_manager(k, c->item)));
}

static bool
is_adoptable(const struct call *c, struct span object)
{
	const char *why;

	return adopt_may(c->key->set, c->item, object) &&
	    foreign_spared(c, object, &why) != SPARE_ALWAYS;
}

static void
adopt(struct call *c, struct span object)
{
	struct item *i = c->item;

	i->adoption = ADOPTION_BEGUN;
	note_unseen(c);
	set_text(&i->live_uid, body_metadata(object, "uid"));
	if (!take_over(c, object))
		go_on(i, STEP_WRITE);
}

static void
gone_meanwhile(struct call *c)
{
	struct item *i = c->item;

	forget_live(i);
	/* The object in the way went while we waited: that is not a failure. */
	if (i->failure.reason != NULL) {
		i->failure.reason = NULL;
		retry_reset(&i->failure.retry);
		go_on(i, STEP_WRITE);
		return;
	}
	i->step = STEP_WRITE;
	send_fail_with(
	    c->key, i, RETRY_SOON, -1, span_str("it came and went meanwhile"));
}

static void
wrote_adoption(struct call *c, const struct kube_answer *answer)
{
	c->item->step = STEP_READ; /* it may be another one's by now */
	if (answer->code == 404 && answer->error.reason[0] != '\0')
		gone_meanwhile(c);
	else if (failed(answer))
		fail_answer(c, answer);
	else
		go_on(c->item, STEP_WRITE);
}

/* So that the apply's answer shows whether anything changed. */
static void
note_before(struct call *c, struct span object)
{
	struct item *i = c->item;

	free(i->live_version);
	i->live_version = body_state(object, c->key->apply->o->dry_run != 0);
}

static void
read_foreign(struct call *c, struct span object)
{
	if (is_adoptable(c, object))
		adopt(c, object);
	else
		foreign_refuse(c, object);
}

/* Another object has the name of an item that we wanted to create. */
static void
read_rival(struct call *c, const struct kube_answer *answer)
{
	struct item *i = c->item;

	if (answer->code == 404) {
		gone_meanwhile(c);
	} else if (failed(answer)) {
		fail_answer(c, answer);
	} else if (!is_item_member(c, answer->body)) {
		read_foreign(c, answer->body);
	} else if (body_metadata(answer->body, "deletionTimestamp").n != 0) {
		engine_item_stale(c->key, i);
	} else if (i->once && is_member(c, answer->body)) {
		engine_item_done(c->key, i, "unchanged");
	} else {
		note_unseen(c);
		set_text(&i->live_uid, body_metadata(answer->body, "uid"));
		note_before(c, answer->body);
		go_on(i, STEP_WRITE);
	}
}

/* Plain objects */
static void
read_before(struct call *c, const struct kube_answer *answer)
{
	bool needed = c->key->apply->label != NULL && answer->code != 404;

	if (failed(answer) && (needed || answer->error.kind == ERR_TRANSIENT)) {
		fail_answer(c, answer);
		return;
	}
	if (!failed(answer))
		note_before(c, answer->body);
	if (failed(answer) || !foreign_to_set(c, answer->body))
		go_on(c->item, STEP_WRITE);
}

/* For an item that is created at most once. */
static void
read_primary(struct call *c, const struct kube_answer *answer)
{
	const struct set *s = c->key->set;
	struct span version =
	    s->version != NULL ? span_str(s->version) : s->primary_version;

	if (failed(answer) && answer->code != 404)
		fail_answer(c, answer);
	else if (!failed(answer) &&
	    span_eq(body_metadata(answer->body, "uid"), s->primary.uid) &&
	    span_eq(body_metadata(answer->body, "resourceVersion"), version))
		go_on(c->item, STEP_WRITE);
	else
		engine_item_stale(c->key, c->item);
}

static void
read_doomed(struct call *c, const struct kube_answer *answer)
{
	struct item *i = c->item;
	struct span uid = body_metadata(answer->body, "uid");

	if (answer->code == 404 && answer->error.reason[0] != '\0')
		engine_item_gone(c->key, i);
	else if (failed(answer))
		fail_answer(c, answer);
	else if ((i->id.uid.n != 0 && !span_eq(uid, i->id.uid)) ||
	    body_metadata(answer->body, "deletionTimestamp").n != 0)
		engine_item_gone(c->key, i);
	else if (i->foreign)
		foreign_read(c, answer->body);
	else if (!is_member(c, answer->body))
		foreign_refuse(c, answer->body);
	else if (body_is_retained(
		     &c->key->apply->proof, c->key->set, i, answer->body))
		send_fail_with(c->key, i, RETRY_PERMANENT, -1,
		    span_str("it is retained, and never deleted"));
	else {
		set_text(&i->live_uid, uid);
		go_on(i, STEP_WRITE);
	}
}

static void
deleted(struct call *c, const struct kube_answer *answer)
{
	c->item->step = STEP_READ; /* again: it may have got another owner */
	/* 409: another object has the name by now, or it was changed. */
	if (!failed(answer))
		engine_item_done(c->key, c->item, "deleted");
	else if (c->item->foreign && answer->code == 409)
		engine_item_stale(c->key, c->item);
	else if (answer->code == 404 || answer->code == 409)
		engine_item_gone(c->key, c->item);
	else {
		c->item->delete_sent = true;
		fail_answer(c, answer);
	}
}

static void
read_finalizers(struct call *c, const struct kube_answer *answer)
{
	struct item *i = c->item;
	bool adding = i->op == OP_ADD_FINALIZERS;
	struct buf patch = BUF_INIT;
	enum finalizer_need need = FINALIZER_STALE;

	if (failed(answer) && answer->code != 404) {
		fail_answer(c, answer);
		return;
	}
	if (!failed(answer))
		need = body_finalizers(&patch, c->key->set, i, answer->body);
	if (need == FINALIZER_PATCH || need == FINALIZER_MARK) {
		i->marks_only = need == FINALIZER_MARK;
		free(i->patch);
		i->patch = buf_take(&patch);
		set_text(&i->live_version,
		    body_metadata(answer->body, "resourceVersion"));
		go_on(i, STEP_WRITE);
	} else if (need == FINALIZER_STALE && adding) {
		engine_item_stale(c->key, i);
	} else {
		engine_item_done(c->key, i, NULL);
	}
	buf_release(&patch);
}

static void
wrote_finalizers(struct call *c, const struct kube_answer *answer)
{
	struct item *i = c->item;
	struct set *s = c->key->set;

	i->step = STEP_READ;
	if (!failed(answer)) {
		/* The status is of what the line saw, and of our patch. */
		if (i->live_version != NULL &&
		    span_eq(span_str(i->live_version), s->primary_version))
			set_text(&s->version,
			    body_metadata(answer->body, "resourceVersion"));
		report_finalizers(c->key->apply, s, i);
		engine_item_done(c->key, i, NULL);
	} else if (answer->code == 404 && i->op == OP_REMOVE_FINALIZERS) {
		engine_item_done(c->key, i, NULL);
	} else {
		fail_answer(c, answer);
	}
}

/* This must not hold up the rest: if it cannot be found out, go on without. */
static void
looked_at(struct call *c, const struct kube_answer *answer)
{
	struct item *i = c->item;
	struct buf who = BUF_INIT;
	struct opponent *before = opponent_before(
	    &c->key->apply->opponents, c->key->set, i, clock_ms());
	bool known = true;

	if (answer->code == 0) {
		fail_answer(c, answer);
		return;
	}
	if (!failed(answer))
		known = opponent_find(&who,
		    &(struct opponent_look){c->key->set, i,
			body_is_patched(c->key->set, answer->body)
			    ? send_patch_manager(c->key)
			    : send_manager(c->key),
			answer->body,
			opponent_last_repair(&c->key->apply->repairs,
			    c->key->set, i, clock_ms())},
		    before);
	else
		buf_adds(&who,
		    answer->code == 404 ? "somebody who removes it"
					: "somebody");
	free(i->found);
	i->found = buf_take(&who);
	if (known && opponent_is_news(before, i->found, clock_ms()))
		report_loop(c->key->apply, c->key->set, i);
	engine_item_done(c->key, i, NULL);
}

/* Only for the log: whatever the answer is, the object is applied. */
static void
read_cause(struct call *c, const struct kube_answer *answer)
{
	if (!failed(answer)) {
		because_found(c->key->set, c->item, answer->body,
		    send_item_manager(c->key, c->item));
		note_before(c, answer->body);
	}
	go_on(c->item, STEP_WRITE);
}

static void
read_object(struct call *c, const struct kube_answer *answer)
{
	if (c->key->set->plain)
		read_before(c, answer);
	else
		read_rival(c, answer);
}

/* Does nothing but to end a bug: the item would wait for ever. */
static void
no_such_step(struct call *c, const struct kube_answer *answer)
{
	(void)answer;
	engine_item_failed(c->key, c->item, RETRY_PERMANENT, -1,
	    span_str("bug: there is no such step"));
}

/* Who takes the answer. */
static void (*const takers[ERRANDS])(
    struct call *c, const struct kube_answer *answer) = {
    [ERRAND_NEVER] = no_such_step,
    [ERRAND_LOOK] = looked_at,
    [ERRAND_PRIMARY] = read_primary,
    [ERRAND_READ] = read_object,
    [ERRAND_CAUSE] = read_cause,
    [ERRAND_APPLY] = wrote_object,
    [ERRAND_ADOPT] = wrote_adoption,
    [ERRAND_LIST] = wrote_merge,
    [ERRAND_TRIM] = wrote_merge,
    [ERRAND_HOLDER] = foreign_holder,
    [ERRAND_DOOMED] = read_doomed,
    [ERRAND_DELETE] = deleted,
    [ERRAND_FINALIZERS] = read_finalizers,
    [ERRAND_PATCH] = wrote_finalizers,
};

static void
say_reachable(const struct apply *a, const struct kube_answer *answer)
{
	if (answer->code != 0)
		log_info("%s answers again", kube_server(a->kube));
	else
		log_warning("cannot reach %s: %s; trying again",
		    kube_server(a->kube), answer->error.message);
}

void
answer_take(void *arg, const struct kube_answer *answer)
{
	struct call *c = arg;
	struct key *k = c->key;

	if (workqueue_ended(&k->apply->queue, answer->code))
		say_reachable(k->apply, answer);
	k->flying--;
	takers[errand_of(c->item->op, c->item->step)](c, answer);
	free(c);
	engine_advance(k);
}
