/*
 * Part of apply.h: what the answer to a request means for its item. The table at
 * the end has a function for each request: the item is done, out of date, has
 * failed, or its next request follows.
 */
#include <stdlib.h>
#include <string.h>

#include "adopt.h"
#include "applyset.h"
#include "base/buf.h"
#include "base/mem.h"
#include "because.h"
#include "body.h"
#include "json/json.h"
#include "process/clock.h"
#include "unseen.h"

enum {
	NEW_SCOPE_MS = 30000, /* a new CRD is served within this time */
	NAMESPACE_MS = 2000   /* later its Namespace does not come */
};

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

static void
set_patch(struct item *i, struct buf *patch)
{
	free(i->patch);
	i->patch = buf_take(patch);
}

static void
note_unseen(struct call *c)
{
	struct apply *a = c->key->apply;

	if (!writer_opts.dry_run)
		unseen_add(a->unseen, c->key->set, c->item, clock_ms());
}

/* Notes the state before the apply, whose answer then shows whether anything
 * changed. */
static void
note_before(struct item *i, struct span object)
{
	free(i->live_version);
	i->live_version = body_state(object, writer_opts.dry_run != 0);
}

/* ---- failures ---- */

/* Fails the item for an answer of the server, or none. */
static void
fail_by(struct call *c, enum retry_kind kind, const struct kube_error *e,
    struct span reason)
{
	struct key *k = c->key;
	struct item *i = c->item;
	const struct objref *id = engine_target(k, i);

	if (kind == RETRY_DENIED)
		denials_enter(
		    &k->apply->w.denials, &i->denied, id->group, id->kind, e);
	engine_item_failed(k, i, kind, e->retry_after_ms, reason);
}

/* A Namespace or CRD was accepted just now: what needs it may still fail. */
static bool
is_early(const struct apply *a)
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

/* Fields that are only set when an object is created: the sentences of
 * Kubernetes' validation. */
static bool
is_immutable(const struct kube_error *e)
{
	return e->code == 422 && e->message != NULL &&
	    (strstr(e->message, "immutable") != NULL ||
		strstr(e->message, "updates to statefulset spec") != NULL ||
		strstr(e->message, "cannot change roleRef") != NULL);
}

/* "; ...": what can be done about the refusal, if anything is known. */
static void
add_remedy(struct buf *b, const struct call *c, const struct kube_error *e)
{
	bool plain = c->key->set->plain;

	if (e->field_conflict)
		buf_addf(b, "; we are \"%.*s\"",
		    SPAN_ARG(engine_item_manager(c->key, c->item)));
	if (e->field_conflict && plain)
		buf_adds(b, "; --force-conflicts takes the fields over");
	if (c->item->op == OP_APPLY && is_immutable(e))
		buf_adds(b,
		    plain ? "; delete the object to have it made as it is here"
			  : "; `immutable` in the program leaves such a field "
			    "as it is, or delete the object to have it made "
			    "again");
}

void
answer_fail(struct call *c, const struct kube_answer *answer)
{
	const struct kube_error *e = &answer->error;
	struct apply *a = c->key->apply;
	enum retry_kind kind = retry_classify(c->verb, e);
	uint64_t first = c->item->failure.retry.first_ms;
	/* The Namespace may be further down in the same input. */
	bool may_follow = e->namespace_missing && c->key->set->plain &&
	    !writer_opts.dry_run &&
	    (first == 0 || clock_ms() - first < NAMESPACE_MS);
	struct buf b = BUF_INIT;

	/* The path itself is unknown: the kind is not served, or not yet. */
	if (e->code == 404 && e->reason[0] == '\0')
		discovery_refresh(a->w.discovery, nothing_to_do, a);
	if (e->code == 404 && (is_early(a) || may_follow))
		kind = RETRY_TRANSIENT;
	kube_error_public_of(&b, e, set_error_kind(c->key->set, &c->item->id),
	    c->item->op == OP_APPLY || c->item->op == OP_CREATE ? c->item->text
								: SPAN_NONE);
	add_remedy(&b, c, e);
	fail_by(c, kind, e, buf_span(&b));
	buf_release(&b);
}

/* The object is another's: the item fails, as a conflict. */
static void
refuse(struct call *c, enum retry_kind kind, struct span why)
{
	engine_item_failed(c->key, c->item, kind, -1, why);
	c->item->failure.reason = "Conflict";
}

/* ---- whose is the object ---- */

/* The primary is not a member, even if a user made it its own owner. */
static bool
is_member(const struct call *c, struct span object)
{
	return !adopt_is_primary(c->key->set, object) &&
	    body_is_member(&c->key->apply->proof, c->key->set, c->item, object);
}

/* A member, or what has the name of an item, which is written in any case, and
 * was ours. */
static bool
is_item_member(const struct call *c, struct span object)
{
	const struct key *k = c->key;

	return is_member(c, object) ||
	    (!adopt_is_primary(k->set, object) && c->item->op == OP_APPLY &&
		body_was_ours(k->set, object, engine_item_manager(k, c->item)));
}

/* An object that is not a member is in the way. */
static void
refuse_other(struct call *c, struct span object)
{
	struct buf why = BUF_INIT;
	enum retry_kind kind =
	    adopt_refuse(&why, c->key->apply, c->key->set, c->item, object);

	refuse(c, kind, buf_span(&why));
	buf_release(&why);
}

/* ---- looking ---- */

/* The field that loops. This must not hold up the rest: if it cannot be found
 * out who changes it, go on without. */
static void
looked_at(struct call *c, const struct kube_answer *answer)
{
	struct apply *a = c->key->apply;
	const struct set *s = c->key->set;
	struct item *i = c->item;
	bool patched = !failed(answer) && body_is_patched(s, answer->body);
	struct because_loop loop = {s, i,
	    patched ? engine_patch_manager(c->key) : engine_manager(a, s),
	    failed(answer) ? SPAN_NONE : answer->body, answer->code == 404};
	struct buf who = BUF_INIT;
	bool is_news;

	if (answer->code == 0) {
		answer_fail(c, answer);
		return;
	}
	is_news = because_who_loops(&a->because, &who, &loop, clock_ms());
	free(i->found);
	i->found = buf_take(&who);
	if (is_news)
		report_loop(a, s, i);
	engine_item_done(c->key, i, NULL);
}

/* Only for the log: whatever the answer is, the object is applied. */
static void
read_cause(struct call *c, const struct kube_answer *answer)
{
	if (!failed(answer)) {
		because_found(c->key->set, c->item, answer->body,
		    engine_item_manager(c->key, c->item));
		note_before(c->item, answer->body);
	}
	engine_item_next(c->item, STEP_WRITE);
}

/* ---- applying ---- */

/* Takes over what others own in object; false: nothing is theirs. */
static bool
take_over(struct call *c, struct span object)
{
	const struct set *s = c->key->set;
	struct buf patch = BUF_INIT;
	bool change = adopt_patch(
	    &patch, s, c->item, object, engine_manager(c->key->apply, s));

	set_patch(c->item, &patch);
	if (change)
		engine_item_next(c->item, STEP_ADOPT);
	return change;
}

/* The live object, which may have been adopted, is gone. */
static void
forget_live(struct item *i)
{
	free(i->live_uid);
	i->live_uid = NULL;
	i->adoption = ADOPTION_NONE;
}

/* The object was written, and will vanish: applied is what comes after it. */
static bool
is_going(struct call *c, struct span object)
{
	enum retry_kind kind =
	    writer_opts.dry_run ? RETRY_PERMANENT : RETRY_TRANSIENT;
	struct buf b = BUF_INIT, why = BUF_INIT;

	if (!c->key->set->plain || !body_awaits(&why, object))
		return false;
	buf_adds(&b, "it is being deleted");
	if (why.len > 0)
		buf_addf(&b, ": %s", buf_str(&why));
	engine_item_failed(c->key, c->item, kind, -1, buf_span(&b));
	buf_release(&b);
	buf_release(&why);
	return true;
}

/* The object that we addressed by uid is gone, or another one took its name. */
static bool
uid_gone(const struct call *c, const struct kube_error *e)
{
	if (c->uid.n == 0)
		return false;
	if (e->code == 409)
		return !e->field_conflict;
	return writer_about_uid(e);
}

/* The apply was accepted. */
static void
applied(struct call *c, const struct kube_answer *answer)
{
	struct apply *a = c->key->apply;
	const struct set *s = c->key->set;
	struct item *i = c->item;
	struct buf patch = BUF_INIT;
	bool dry_run = writer_opts.dry_run != 0;
	enum adoption due = s->plain ? ADOPTION_NONE : ADOPTION_BEGUN;

	/*
	 * Where no managers were kept, the API server says at the first apply
	 * that "before-first-apply" wrote it: only now are there fields to take
	 * over. Those of a plain object are always looked for now: mostly there
	 * are none.
	 */
	if (i->adoption == due && !dry_run) {
		i->adoption = ADOPTION_AGAIN;
		if (take_over(c, answer->body))
			return;
	}
	if (is_going(c, answer->body))
		return;
	because_answered(&a->because, s, i, engine_item_manager(c->key, i),
	    answer->body, clock_ms());
	if (s->plain && a->label != NULL)
		applyset_applied(
		    a->applyset, body_metadata(answer->body, "uid"));
	if (i->adoption != ADOPTION_NONE && !s->plain)
		report_adopted(a, s, i);
	i->adoption = ADOPTION_NONE;
	if (!dry_run && body_remove(&patch, s, i, answer->body)) {
		set_patch(i, &patch);
		engine_item_next(i, STEP_TRIM);
	} else {
		engine_item_done(c->key, i,
		    answer->code == 201
			? "created"
			: body_result(answer->body, i->live_version, dry_run));
	}
	buf_release(&patch);
}

static void
wrote_object(struct call *c, const struct kube_answer *answer)
{
	const struct kube_error *e = &answer->error;
	struct item *i = c->item;
	struct buf text = BUF_INIT;

	/* Without an answer, or with a 5xx, it may be there as well. */
	bool is_open = answer->code == 0 || answer->code >= 500;

	if (!failed(answer) || is_open)
		note_unseen(c);
	if (c->if_absent && is_open)
		i->step = STEP_PRIMARY;
	if (!failed(answer)) {
		applied(c, answer);
	} else if (c->if_absent && e->code == 409 && !e->field_conflict) {
		engine_item_next(i, STEP_READ);
	} else if (body_list(&text, i, c->uid, e)) {
		i->list_sent = true;
		set_patch(i, &text);
		engine_item_next(i, STEP_LIST);
	} else if (e->field_conflict && i->partial != PARTIAL_NONE) {
		kube_error_public(
		    &text, e, set_error_kind(c->key->set, &i->id));
		free(i->conflict);
		i->conflict = buf_take(&text);
		engine_item_next(i, STEP_HOLDER);
	} else if (!uid_gone(c, e)) {
		answer_fail(c, answer);
	} else if (i->live_uid != NULL) {
		forget_live(i);
		answer_fail(c, answer);
	} else {
		engine_item_stale(c->key, i);
	}
	buf_release(&text);
}

/* After STEP_TRIM the item is done. If a request failed, other clients may have
 * added keys again: the item goes back to STEP_WRITE. */
static void
wrote_merge(struct call *c, const struct kube_answer *answer)
{
	bool last = c->item->step == STEP_TRIM;

	c->item->step = STEP_WRITE;
	if (failed(answer))
		answer_fail(c, answer);
	else if (last)
		engine_item_done(c->key, c->item, "configured");
	else
		engine_item_next(c->item, STEP_WRITE);
}

/* The apply of fields got a conflict, and the object was read, or could not
 * be. */
static void
read_holder(struct call *c, const struct kube_answer *answer)
{
	struct item *i = c->item;
	struct buf b = BUF_INIT;

	buf_adds(&b, i->conflict);
	if (failed(answer)) {
		buf_adds(&b, "; cannot look at it: ");
		kube_error_public(
		    &b, &answer->error, set_error_kind(c->key->set, &i->id));
	} else {
		body_holders(&b, answer->body, i->conflict);
	}
	buf_addf(
	    &b, "; we are \"%.*s\"", SPAN_ARG(engine_item_manager(c->key, i)));
	i->step = STEP_WRITE;
	refuse(c, RETRY_PERMANENT, buf_span(&b));
	buf_release(&b);
}

/* ---- another object has the name of an item ---- */

static void
gone_meanwhile(struct call *c)
{
	struct item *i = c->item;

	forget_live(i);
	/* The object in the way went while we waited: that is not a failure. */
	if (i->failure.reason != NULL) {
		i->failure.reason = NULL;
		retry_reset(&i->failure.retry);
		engine_item_next(i, STEP_WRITE);
		return;
	}
	i->step = STEP_WRITE;
	engine_item_failed(
	    c->key, i, RETRY_SOON, -1, span_str("it came and went meanwhile"));
}

/* The object is not a member: it is adopted, if that is allowed. */
static void
read_foreign(struct call *c, struct span object)
{
	const struct set *s = c->key->set;
	struct item *i = c->item;
	const char *why;

	if (!adopt_may(s, i, object) ||
	    adopt_when(c->key->apply, s, i, object, &why) == ADOPT_NEVER) {
		refuse_other(c, object);
		return;
	}
	i->adoption = ADOPTION_BEGUN;
	note_unseen(c);
	set_text(&i->live_uid, body_metadata(object, "uid"));
	if (!take_over(c, object))
		engine_item_next(i, STEP_WRITE);
}

/*
 * A plain object for an apply set. True: another set has it, or an operator made
 * it, and the item fails; else they would change it in turn, and the first that
 * does not want it any more deletes it. (What has the label of this set was
 * applied by it, or is a copy.)
 */
static bool
is_of_another_set(struct call *c, struct span object)
{
	const struct apply *a = c->key->apply;
	struct buf b = BUF_INIT, owner = BUF_INIT;
	struct span in;
	bool refused;

	if (a->label == NULL)
		return false;
	in = json_get(json_path(object, "metadata.labels"), a->label);
	body_owner(&owner, object);
	if (in.n > 0 && !json_is(in, a->label_value))
		buf_addf(&b,
		    "it is in another apply set: leave it out of this one, or "
		    "remove its label %s=%.*s first",
		    a->label, SPAN_ARG(json_raw_string(in)));
	else if (in.n == 0 && body_is_made(object))
		buf_addf(&b,
		    "an operator made it%s%s: leave it out of the apply set",
		    owner.len > 0 ? " for " : "", buf_str(&owner));
	refused = b.len > 0;
	if (refused)
		refuse(c, RETRY_PERMANENT, buf_span(&b));
	buf_release(&b);
	buf_release(&owner);
	return refused;
}

/* A plain object, before it is applied. */
static void
read_before(struct call *c, const struct kube_answer *answer)
{
	bool needed = c->key->apply->label != NULL && answer->code != 404;

	if (failed(answer) && (needed || answer->error.kind == ERR_TRANSIENT)) {
		answer_fail(c, answer);
		return;
	}
	if (!failed(answer))
		note_before(c->item, answer->body);
	if (failed(answer) || !is_of_another_set(c, answer->body))
		engine_item_next(c->item, STEP_WRITE);
}

static void
read_object(struct call *c, const struct kube_answer *answer)
{
	struct item *i = c->item;

	if (c->key->set->plain) {
		read_before(c, answer);
	} else if (answer->code == 404) {
		gone_meanwhile(c);
	} else if (failed(answer)) {
		answer_fail(c, answer);
	} else if (!is_item_member(c, answer->body)) {
		read_foreign(c, answer->body);
	} else if (body_metadata(answer->body, "deletionTimestamp").n != 0) {
		engine_item_stale(c->key, i);
	} else if (i->once && is_member(c, answer->body)) {
		engine_item_done(c->key, i, "unchanged");
	} else {
		note_unseen(c);
		set_text(&i->live_uid, body_metadata(answer->body, "uid"));
		note_before(i, answer->body);
		engine_item_next(i, STEP_WRITE);
	}
}

static void
wrote_adoption(struct call *c, const struct kube_answer *answer)
{
	c->item->step = STEP_READ; /* the owner may have changed */
	if (answer->code == 404 && answer->error.reason[0] != '\0')
		gone_meanwhile(c);
	else if (failed(answer))
		answer_fail(c, answer);
	else
		engine_item_next(c->item, STEP_WRITE);
}

/* ---- deleting ---- */

/*
 * An object that is to be deleted and is not a member by any proof
 * (delete_foreign of the jq library): so little is certain that only the version
 * that the program saw is deleted, and nothing that a kpipe operator has made,
 * nor what is never adopted.
 */
static void
read_doomed_foreign(struct call *c, struct span object)
{
	const struct apply *a = c->key->apply;
	struct item *i = c->item;
	struct buf b = BUF_INIT, owner = BUF_INIT;
	const char *why;

	if (!span_eq(body_metadata(object, "resourceVersion"), i->version)) {
		engine_item_stale(c->key, i);
		return;
	}
	if (adopt_when(a, c->key->set, i, object, &why) == ADOPT_NEVER) {
		buf_addf(&b, "%s, and never deleted", why);
	} else if (body_is_made(object) ||
	    body_is_member(&a->proof, c->key->set, i, object)) {
		body_owner(&owner, object);
		buf_addf(&b, "it is part of %s",
		    owner.len > 0 ? buf_str(&owner) : "another operator's set");
	}
	if (b.len > 0) {
		refuse(c, RETRY_PERMANENT, buf_span(&b));
	} else {
		set_text(&i->live_uid, body_metadata(object, "uid"));
		engine_item_next(i, STEP_WRITE);
	}
	buf_release(&b);
	buf_release(&owner);
}

static void
read_doomed(struct call *c, const struct kube_answer *answer)
{
	struct item *i = c->item;
	struct span uid = body_metadata(answer->body, "uid");

	if (answer->code == 404 && answer->error.reason[0] != '\0')
		engine_item_gone(c->key, i);
	else if (failed(answer))
		answer_fail(c, answer);
	else if ((i->id.uid.n != 0 && !span_eq(uid, i->id.uid)) ||
	    body_metadata(answer->body, "deletionTimestamp").n != 0)
		engine_item_gone(c->key, i);
	else if (i->foreign)
		read_doomed_foreign(c, answer->body);
	else if (!is_member(c, answer->body))
		refuse_other(c, answer->body);
	else if (body_is_retained(
		     &c->key->apply->proof, c->key->set, i, answer->body))
		engine_item_failed(c->key, i, RETRY_PERMANENT, -1,
		    span_str("it is retained, and never deleted"));
	else {
		set_text(&i->live_uid, uid);
		engine_item_next(i, STEP_WRITE);
	}
}

static void
deleted(struct call *c, const struct kube_answer *answer)
{
	c->item->step = STEP_READ; /* again: the owner may have changed */
	/* 409: another object has the name by now, or it was changed. */
	if (!failed(answer))
		engine_item_done(c->key, c->item, "deleted");
	else if (c->item->foreign && answer->code == 409)
		engine_item_stale(c->key, c->item);
	else if (answer->code == 404 || answer->code == 409)
		engine_item_gone(c->key, c->item);
	else {
		c->item->delete_sent = true;
		answer_fail(c, answer);
	}
}

/* ---- discovery ---- */

/* A CRD of ours takes a moment until it is served. */
static void
no_such_kind(struct call *c, const struct objref *id)
{
	struct apply *a = c->key->apply;
	bool stale = discovery_stale(a->w.discovery, id->group, id->version);
	struct buf b = BUF_INIT;

	if (stale)
		buf_adds(&b, "the server does not know its kinds at present: ");
	writer_add_no_kind(&b, id);
	engine_item_failed(c->key, c->item,
	    stale || is_early(a) ? RETRY_TRANSIENT : RETRY_PERMANENT, -1,
	    buf_span(&b));
	buf_release(&b);
}

/* Discovery has answered: the kind is there now, or it is not. */
void
answer_looked_up(void *arg, const struct kube_error *e)
{
	struct call *c = arg;
	struct key *k = c->key;
	struct item *i = c->item;
	const struct objref *id = engine_target(k, i);
	struct buf b = BUF_INIT;

	if (engine_resource(k->apply, id) != NULL) {
		engine_item_take(i, EVENT_NEXT);
	} else if (e != NULL) {
		kube_error_public(&b, e, SPAN_NONE);
		fail_by(c, retry_classify(KUBE_GET, e), e, buf_span(&b));
		buf_release(&b);
	} else if (i->op == OP_LOOK) {
		i->found = mem_strdup("somebody");
		engine_item_done(k, i, NULL);
	} else if (i->op == OP_OWNER &&
	    !discovery_stale(k->apply->w.discovery, id->group, id->version)) {
		engine_item_stale(k, i);
	} else if (i->step == STEP_UNSEEN &&
	    !discovery_stale(k->apply->w.discovery, id->group, id->version)) {
		unseen_forget(k->apply->unseen, k->set, i->unseen.key);
		engine_item_next(i, STEP_READ);
	} else {
		no_such_kind(c, id);
	}
	k->flying--;
	workqueue_ended(&k->apply->w.queue, e == NULL ? 200 : e->code);
	free(c);
	engine_advance(k);
}

/* ---- all of them ---- */

typedef void itemrequest_fn(struct call *c, const struct kube_answer *answer);

/* The requests of an item, by what is to be done and how far it is. */
static const struct itemrequest {
	enum kube_verb verb;
	itemrequest_fn *take; /* NULL: the op has no such step */
} itemrequests[ITEM_OPS][ITEM_STEPS] = {
    [OP_LOOK] = {[STEP_READ] = {KUBE_GET, looked_at}},
    [OP_OWNER] = {[STEP_READ] = {KUBE_GET, owner_looked}},
    [OP_ADD_FINALIZERS] = {[STEP_READ] = {KUBE_GET, owner_finalizers},
	[STEP_WRITE] = {KUBE_JSON_PATCH, owner_patched}},
    [OP_APPLY] = {[STEP_PRIMARY] = {KUBE_GET, owner_compared},
	[STEP_READ] = {KUBE_GET, read_object},
	[STEP_CAUSE] = {KUBE_GET, read_cause},
	[STEP_WRITE] = {KUBE_APPLY, wrote_object},
	[STEP_ADOPT] = {KUBE_JSON_PATCH, wrote_adoption},
	[STEP_LIST] = {KUBE_MERGE_PATCH, wrote_merge},
	[STEP_TRIM] = {KUBE_MERGE_PATCH, wrote_merge},
	[STEP_HOLDER] = {KUBE_GET, read_holder}},
    [OP_DELETE] = {[STEP_READ] = {KUBE_GET, read_doomed},
	[STEP_WRITE] = {KUBE_DELETE, deleted}},
    [OP_REMOVE_FINALIZERS] = {[STEP_UNSEEN] = {KUBE_GET, owner_unseen},
	[STEP_READ] = {KUBE_GET, owner_finalizers},
	[STEP_WRITE] = {KUBE_JSON_PATCH, owner_patched}},
    [OP_CREATE] = {[STEP_WRITE] = {KUBE_CREATE, create_sent},
	[STEP_READ] = {KUBE_GET, create_looked}},
};

bool
answer_verb(enum item_op op, enum item_step step, enum kube_verb *verb)
{
	*verb = itemrequests[op][step].verb;
	return itemrequests[op][step].take != NULL;
}

void
answer_take(void *arg, const struct kube_answer *answer)
{
	struct call *c = arg;
	struct key *k = c->key;
	itemrequest_fn *take = itemrequests[c->item->op][c->item->step].take;

	writer_answered(&k->apply->w, answer);
	k->flying--;
	if (take != NULL)
		take(c, answer);
	else /* only to end a bug: the item would wait for ever */
		engine_item_failed(k, c->item, RETRY_PERMANENT, -1,
		    span_str("bug: there is no such step"));
	free(c);
	engine_advance(k);
}
