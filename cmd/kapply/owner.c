/*
 * Part of apply.h: what the answer to a request about the primary means: is it
 * there, is it as the line says, may its finalizers come and go.
 */
#include "apply.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "body.h"
#include "json/json.h"
#include "process/clock.h"
#include "process/log.h"
#include "unseen.h"

static bool
failed(const struct kube_answer *answer)
{
	return answer->error.kind != ERR_NONE;
}

static void
set_version(char **version, struct span object)
{
	struct span text = body_metadata(object, "resourceVersion");

	free(*version);
	*version = mem_dup(text.p, text.n);
}

/* ---- is it there? ---- */

/* Without the right to look, the object is made, whatever the primary is. */
static void
cannot_look(struct apply *a, const struct kube_error *e)
{
	struct buf why = BUF_INIT;

	kube_error_public(&why, e, SPAN_NONE);
	if (!a->blind)
		log_warning("what went is made again even if its primary is "
			    "gone, because that cannot be seen: %s",
		    buf_str(&why));
	a->blind = true;
	buf_release(&why);
}

/* Whether the primary of the line is there and stays; else the item is out of
 * date, or has failed. */
static bool
is_there(struct call *c, const struct kube_answer *answer)
{
	const struct set *s = c->key->set;

	if (kube_error_of_denial(&answer->error) && !c->item->once) {
		cannot_look(c->key->apply, &answer->error);
		return true;
	}
	if (failed(answer) && answer->code != 404) {
		answer_fail(c, answer);
		return false;
	}
	if (!failed(answer) &&
	    span_eq(body_metadata(answer->body, "uid"), s->primary.uid) &&
	    (s->deleting ||
		body_metadata(answer->body, "deletionTimestamp").n == 0))
		return true;
	engine_item_stale(c->key, c->item);
	return false;
}

/*
 * The line makes again what has gone, perhaps because the primary has gone before
 * it, or is about to: then the garbage collector deletes what is made now, too,
 * and the next line would make it again.
 */
void
owner_looked(struct call *c, const struct kube_answer *answer)
{
	if (is_there(c, answer))
		engine_item_done(c->key, c->item, NULL);
}

/*
 * For an item that is created at most once; and for one whose creation got no
 * answer: the server may have come back with an older state, in which there is
 * no such primary.
 */
void
owner_compared(struct call *c, const struct kube_answer *answer)
{
	const struct set *s = c->key->set;
	struct span version =
	    s->version != NULL ? span_str(s->version) : s->primary_version;

	if (!is_there(c, answer))
		return;
	if (c->item->once &&
	    !span_eq(body_metadata(answer->body, "resourceVersion"), version))
		engine_item_stale(c->key, c->item);
	else
		engine_item_next(c->item, STEP_WRITE);
}

/* ---- finalizers ---- */

/* Whether the object, which was made, stays for ever if the primary goes before
 * ireconcile has observed it. */
static bool
would_stay(const struct call *c, struct span object)
{
	const struct item *i = c->item;
	const struct set *s = c->key->set;
	const struct proof *proof = &c->key->apply->proof;
	struct item made = {.key = i->unseen.key, .id = i->unseen.id};
	struct json_elements finalizers =
	    json_elements(json_path(object, "metadata.finalizers"));
	struct json_elements seen = json_elements(i->seen);
	struct span uid = body_metadata(object, "uid");

	while (json_element(&seen))
		if (span_eq(json_raw_string(seen.value), uid))
			return false;
	if (body_is_patched(s, object))
		return true;
	if (!body_is_member(proof, s, &made, object) ||
	    body_is_retained(proof, s, &made, object))
		return false;
	return !body_refers(s, body_controller(object)) ||
	    json_element(&finalizers);
}

void
owner_unseen(struct call *c, const struct kube_answer *answer)
{
	struct unseen *u = c->key->apply->unseen;
	const struct set *s = c->key->set;
	struct item *i = c->item;
	struct buf why = BUF_INIT;

	if (failed(answer) && answer->code != 404) {
		answer_fail(c, answer);
	} else if (failed(answer) || !would_stay(c, answer->body)) {
		unseen_forget(u, s, i->unseen.key);
		engine_item_next(i, STEP_READ);
	} else {
		unseen_keep(u, s, i->unseen.key, clock_ms());
		objref_add_label(&why, &i->unseen.id);
		buf_adds(&why, " was created and was not observed yet");
		engine_item_failed(
		    c->key, i, RETRY_TRANSIENT, -1, buf_span(&why));
	}
	buf_release(&why);
}

void
owner_finalizers(struct call *c, const struct kube_answer *answer)
{
	struct item *i = c->item;
	struct buf patch = BUF_INIT;
	enum finalizer_need need = FINALIZER_STALE;

	if (failed(answer) && answer->code != 404) {
		answer_fail(c, answer);
		return;
	}
	if (!failed(answer))
		need = body_finalizers(&patch, c->key->set, i, answer->body);
	if (need == FINALIZER_PATCH || need == FINALIZER_MARK) {
		i->marks_only = need == FINALIZER_MARK;
		free(i->patch);
		i->patch = buf_take(&patch);
		set_version(&i->live_version, answer->body);
		engine_item_next(i, STEP_WRITE);
	} else if (need == FINALIZER_STALE && i->op == OP_ADD_FINALIZERS) {
		engine_item_stale(c->key, i);
	} else {
		engine_item_done(c->key, i, NULL);
	}
	buf_release(&patch);
}

void
owner_patched(struct call *c, const struct kube_answer *answer)
{
	struct item *i = c->item;
	struct set *s = c->key->set;

	i->step = STEP_READ;
	if (!failed(answer)) {
		/* The status is of what the line saw, and of our patch. */
		if (i->live_version != NULL &&
		    span_eq(span_str(i->live_version), s->primary_version))
			set_version(&s->version, answer->body);
		report_finalizers(c->key->apply, s, i);
		engine_item_done(c->key, i, NULL);
	} else if (answer->code == 404 && i->op == OP_REMOVE_FINALIZERS) {
		engine_item_done(c->key, i, NULL);
	} else {
		answer_fail(c, answer);
	}
}
