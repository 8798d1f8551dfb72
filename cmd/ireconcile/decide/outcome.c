#include "decide/outcome.h"

#include <stdlib.h>
#include <string.h>

#include "agree/agree.h"
#include "base/mem.h"
#include "base/quote.h"
#include "decide/damping.h"
#include "decide/finalizer.h"
#include "decide/line.h"
#include "decide/observeonly.h"
#include "decide/points.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "process/log.h"
#include "state/index.h"
#include "state/marks.h"

enum { OUTCOME = VIEW_OWNED | VIEW_NOW | VIEW_OUTCOME | VIEW_PLAN };

void
outcome_fail(struct decision *d, const char *message)
{
	struct buf visible = BUF_INIT;

	d->failed = true;
	if (d->error != NULL)
		return;
	/* The message goes into statuses and Events, and so to terminals. */
	quote_text(&visible, span_str(message));
	d->error = buf_take(&visible);
}

void
outcome_drop_points(struct decision *d)
{
	map_release(&d->index);
	for (size_t i = 0; i < d->count; i++) {
		said_target_release(&d->points[i].target);
		jv_free(d->points[i].observed);
	}
	d->count = d->open = 0;
	buf_reset(&d->outstanding);
	d->outstanding_count = 0;
}

void
outcome_release(struct decision *d)
{
	outcome_drop_points(d);
	desired_drop_values(&d->primary->desired);
	free(d->points);
	buf_release(&d->outstanding);
	jv_free(d->events);
	primary_release_desired(&d->finalize);
	buf_release(&d->status);
	buf_release(&d->on_error);
	buf_release(&d->loops_over);
	buf_release(&d->complaints);
	observeonly_release(d);
	for (enum notice n = 0; n < NOTICES; n++)
		buf_release(&d->notices[n]);
	free(d->error);
}

/* A call of one of the functions: its input with this error, and the name of
 * the primary for messages. */
struct outcome_call {
	struct program *program;
	const struct arguments *input;
	struct buf about;
	struct err err;
};

static struct outcome_call
call_begin(const struct decision *d, struct view *v, const char *error)
{
	struct outcome_call c = {.program = v->entry->program, .err = ERR_INIT};

	c.input = view_input(v, OUTCOME, buf_span(&d->outstanding), error);
	cache_object_add_label(&c.about, d->primary->object);
	buf_str(&c.about);
	return c;
}

static void
call_end(struct outcome_call *c, struct decision *d, int rc)
{
	if (rc != 0)
		outcome_fail(d, c->err.message);
	buf_release(&c->about);
}

/* The status with this error; jv_invalid() if the program gives none. */
static jv
compute_status(struct decision *d, struct view *v, const char *error)
{
	struct outcome_call c = call_begin(d, v, error);
	jv status = jv_invalid();

	call_end(&c, d,
	    program_status(c.program, c.input, c.about.data, &status, &c.err));
	if (!jv_is_valid(status))
		return status;
	return observeonly_condition(d, damping_conditions(d, status));
}

static void
to_text(struct decision *d, jv status, struct buf *out)
{
	struct err err = ERR_INIT;

	if (jvtext_add(out, status, &err) != 0) {
		err_prefix(&err, "status");
		outcome_fail(d, err.message);
	}
}

/*
 * The digest of a requested status, without the times of conditions: a program
 * that takes them from `now` gives other times at each evaluation until the
 * status is observed, and they alone are no reason for a line.
 */
static void
status_digest(struct span text, unsigned char digest[DIGEST_SIZE])
{
	static const char time[] = "\"lastTransitionTime\":\"";
	struct buf rest = BUF_INIT;
	const char *p = text.p, *end = text.p + text.n, *at;

	while ((at = memmem(p, end - p, time, sizeof(time) - 1)) != NULL) {
		at += sizeof(time) - 1;
		buf_add(&rest, p, at - p);
		p = memchr(at, '"', end - at);
	}
	buf_add(&rest, p, end - p);
	digest_sha256(buf_span(&rest), digest);
	buf_release(&rest);
}

/* jv_invalid() if there is none. */
static jv
observed_status(const struct primary *p)
{
	struct span text = json_get(cache_object_text(p->object), "status");
	struct err err = ERR_INIT;

	return text.p != NULL ? jvtext_parse(text, &err) : jv_invalid();
}

/* A number that changes with all that `status` may see; 0: `status` may see
 * more than objects, so it has to be called. */
static uint64_t
status_input(const struct decision *d, const struct view *v)
{
	const unsigned status = 1u << PROGRAM_STATUS;
	const struct entry *e = v->entry;
	bool more = d->error != NULL || damping_any_loop(d) ||
	    damping_any_unsettled(d) || d->observed_only.len > 0 ||
	    (d->outstanding_count > 0 && (e->outstanding_seen_by & status)) ||
	    (e->now_seen_by & status) || program_prints_debugs(e->program);

	return more ? 0 : view_fingerprint(v, status);
}

/*
 * Whether the status still agrees with the observed one, without computing it:
 * it agreed when it was computed last, and nothing that `status` sees has
 * changed. That is enough as long as there is no line to write.
 */
static bool
is_same_status(const struct decision *d, const struct view *v)
{
	return d->primary->status_input != 0 && d->open == 0 && !d->failed &&
	    said_status(&d->primary->said) == NULL &&
	    d->primary->status_input == status_input(d, v);
}

/*
 * The message of a failed apply, which the program's status gets as `.error`.
 * `status` is called before an apply, with a placeholder, and kapply fills in
 * the message. Then the message is read from the observed status, and the
 * program is called with it: a status that depends on the message is written
 * next.
 */
static const char placeholder[] = "${error}";

static void
forget_message(char **told)
{
	free(*told);
	*told = NULL;
}

/*
 * Whether the observed status is this onError with another message than *told
 * (owned, or NULL); if so, *told becomes that message. texts: the bits of
 * agree_template.
 */
static bool
learn_message(char **told, jv on_error_peek, jv observed_peek, unsigned texts)
{
	struct buf message = BUF_INIT;
	bool news = agree_template(on_error_peek, observed_peek,
			texts | AGREE_ERROR, &message) &&
	    /* A message is a sentence: a word could be anywhere in a status. */
	    memchr(buf_str(&message), ' ', message.len) != NULL &&
	    (*told == NULL || strcmp(*told, buf_str(&message)) != 0);

	if (news) {
		forget_message(told);
		*told = buf_take(&message);
	}
	buf_release(&message);
	return news;
}

static jv
blank_text(jv text, const char *message)
{
	struct span rest = jvtext_span(text);
	size_t n = strlen(message);
	struct buf out = BUF_INIT;
	const char *at;

	while ((at = memmem(rest.p, rest.n, message, n)) != NULL) {
		buf_add(&out, rest.p, (size_t)(at - rest.p));
		buf_adds(&out, placeholder);
		rest.n -= (size_t)(at - rest.p) + n;
		rest.p = at + n;
	}
	buf_addspan(&out, rest);
	jv_free(text);
	text = jv_string_sized(buf_str(&out), (int)out.len);
	buf_release(&out);
	return text;
}

/* value (consumed) with the placeholder in each place of message; returned
 * owned. */
static jv
blank_message(jv value, const char *message)
{
	switch (jv_get_kind(value)) {
	case JV_KIND_STRING:
		return blank_text(value, message);
	case JV_KIND_ARRAY:
		jv_array_foreach(value, i, element) value =
		    jv_array_set(value, i, blank_message(element, message));
		return value;
	case JV_KIND_OBJECT:
		jv_object_foreach(value, key, member) value =
		    jv_object_set(value, key, blank_message(member, message));
		return value;
	default:
		return value;
	}
}

/*
 * The status for an apply that fails, with the placeholder for the message. If
 * the message of an earlier failure is known, `status` is called with it;
 * *seen: the status depends on the message.
 */
static jv
error_status(struct decision *d, struct view *v, jv status_peek,
    jv observed_peek, unsigned manager, bool *seen)
{
	char **told = &d->primary->said.told_error;
	bool same = d->error == NULL &&
	    !(v->entry->error_seen_by & 1u << PROGRAM_STATUS);
	jv blank =
	    same ? jv_copy(status_peek) : compute_status(d, v, placeholder);
	jv status = jv_invalid();
	bool again = true;

	if (!jv_is_valid(blank))
		return blank;
	learn_message(told, blank, observed_peek, manager);
	/* The observed status may have a newer message than the one that the
	 * program saw: then it is called again. */
	for (int i = 0; i < 2 && again && *told != NULL; i++) {
		jv_free(status);
		status = blank_message(compute_status(d, v, *told), *told);
		again = jv_is_valid(status) &&
		    learn_message(told, status, observed_peek, manager);
	}
	if (!jv_is_valid(status)) {
		jv_free(status);
		return blank;
	}
	*seen = !jv_equal(blank, jv_copy(status));
	return status;
}

/* Sets the digest of the status: of the status itself, and of onError. */
static void
set_digest(struct decision *d, bool seen)
{
	unsigned char both[2][DIGEST_SIZE];

	status_digest(buf_span(&d->status), d->status_digest);
	if (!seen)
		return;
	memcpy(both[0], d->status_digest, DIGEST_SIZE);
	status_digest(buf_span(&d->on_error), both[1]);
	digest_sha256(
	    span_make((const char *)both, sizeof(both)), d->status_digest);
}

static void
outcome_status(struct decision *d, struct view *v)
{
	struct primary *p = d->primary;
	char **told = &p->said.told_error;
	jv observed, status, on_error = jv_invalid();
	bool seen = false;
	unsigned manager;
	bool agrees;

	if (!v->entry->conf->manage_status || d->primary->torn_us != 0 ||
	    !program_defines(v->entry->program, PROGRAM_STATUS))
		return;
	if (d->mode == DECIDE_DIFFERENCES && is_same_status(d, v)) {
		forget_message(told);
		return;
	}
	p->status_input = 0;
	status = compute_status(d, v, d->error);
	if (!jv_is_valid(status)) {
		jv_free(status);
		return;
	}
	to_text(d, status, &d->status);
	observed = observed_status(d->primary);
	manager = damping_any_loop(d) ? AGREE_MANAGER : 0;
	if (d->open > 0) {
		on_error = error_status(d, v, status, observed, manager, &seen);
		if (jv_is_valid(on_error))
			to_text(d, on_error, &d->on_error);
	} else {
		forget_message(told);
	}
	agrees = agree_template(status, observed, manager, NULL);
	if (agrees && !d->failed)
		p->status_input = status_input(d, v);
	d->on_error_holds = jv_is_valid(on_error) &&
	    agree_template(on_error, observed, manager | AGREE_ERROR, NULL);
	if (d->status.len > 0)
		set_digest(d, seen);
	d->has_status = d->status.len > 0;
	if ((agrees || d->on_error_holds) && d->mode == DECIDE_DIFFERENCES) {
		buf_reset(&d->status);
	} else if (d->has_status && !agrees && !d->on_error_holds &&
	    damping_holds(d, UNSETTLED_STATUS, NULL)) {
		buf_reset(&d->status);
	} else if (d->has_status) {
		struct point *pt = points_add(d, POINT_STATUS, SPAN_NONE);

		pt->done = agrees || d->on_error_holds;
		memcpy(pt->digest, d->status_digest, DIGEST_SIZE);
	}
	jv_free(observed);
	jv_free(status);
	jv_free(on_error);
}

static void
outcome_events(struct decision *d, struct view *v)
{
	struct outcome_call c;
	jv events;
	int rc;

	if (!program_defines(v->entry->program, PROGRAM_EVENTS))
		return;
	c = call_begin(d, v, d->error);
	rc = program_events(c.program, c.input, c.about.data, &events, &c.err);
	call_end(&c, d, rc);
	if (rc != 0)
		return;
	d->has_news = !line_has_events(d->primary, events);
	if (d->has_news && damping_holds(d, UNSETTLED_EVENTS, NULL)) {
		d->has_news = false;
		jv_free(events);
		events = jv_array();
	}
	jv_free(d->events);
	d->events = events;
}

static void
outcome_requeue(struct decision *d, struct view *v)
{
	struct outcome_call c;

	if (!program_defines(v->entry->program, PROGRAM_REQUEUE))
		return;
	c = call_begin(d, v, d->error);
	call_end(&c, d,
	    program_requeue(
		c.program, c.input, c.about.data, &d->requeue, &c.err));
}

void
outcome_settled(struct decision *d, struct view *v)
{
	struct outcome_call c = call_begin(d, v, d->error);

	call_end(&c, d,
	    program_settled(
		c.program, c.input, c.about.data, &d->settled, &c.err));
}

static void
tell_loops(const struct decision *d, struct view *v)
{
	jv loops = damping_loops(d);

	buf_reset(&v->loops);
	jvtext_add_ordered(&v->loops, loops, JVTEXT_KEPT, NULL);
	jv_free(loops);
}

const struct arguments *
outcome_input(struct decision *d, struct view *v)
{
	tell_loops(d, v);
	return view_input(v, OUTCOME, buf_span(&d->outstanding), d->error);
}

/*
 * Objects that say they belong to the primary (by their owner, if that is
 * cluster-scoped, or by their marks) and lack the proof: any user may write
 * one, in any namespace. If one has the name of an item, kapply decides. For
 * the others the log says once that they are left alone: an older version of
 * the operator may have made them, or the operator itself, with a key that is
 * lost. The log says so once more when the primary goes without them;
 * Kubernetes deletes those that it owns.
 */
struct claimants {
	struct buf first; /* label of the first claimant */
	size_t count;
};

static void
take_claimant(struct claimants *c, const struct cache_object *o)
{
	struct buf label = BUF_INIT;

	cache_object_add_label(&label, o);
	if (c->count++ == 0 ||
	    span_cmp(buf_span(&label), buf_span(&c->first)) < 0) {
		buf_release(&c->first);
		c->first = label;
	} else {
		buf_release(&label);
	}
}

static void
find_claimants(struct claimants *c, const struct primary *p,
    const struct desired *set, enum index_type type, struct span key)
{
	const struct entry_bucket *b = index_bucket(p->entry, type, key);

	for (size_t i = 0; b != NULL && i < b->count; i++) {
		const struct cache_object *o = b->links[i].object;

		if (b->links[i].use->conf->manage && !o->terminating &&
		    marks_is_ours(p->entry, o) && !desired_has(set, o))
			take_claimant(c, o);
	}
}

static void
say_claimants(struct primary *p, struct claimants *c, bool leaving)
{
	struct log_about who = primary_about(p);
	struct buf *b = &c->first;

	if (c->count > 1)
		buf_addf(b, " and %zu more", c->count - 1);
	buf_addf(b,
	    ": %s, and without the proof that this operator made it; if an "
	    "older version did, or the key was lost, %s",
	    leaving ? "not deleted with its primary"
		    : "left alone: not desired",
	    leaving ? "delete it by hand"
		    : "start once with --accept-unproven-marks");
	log_write(LOG_WARNING, &who, "%s", buf_str(b));
	free(p->said.claimants);
	p->said.claimants = buf_take(b);
	p->said.claimants_left = leaving;
}

static void
tell_claimants(struct decision *d, bool leaving)
{
	struct primary *p = d->primary;
	struct claimants c = {.first = BUF_INIT};
	struct buf key = BUF_INIT;

	if (d->set != NULL || leaving)
		find_claimants(&c, p, d->set, INDEX_UNPROVEN, primary_key(p));
	if (d->set != NULL && !p->object->terminating &&
	    marks_owning_key(&key, p->object))
		find_claimants(&c, p, d->set, INDEX_CLAIMED, buf_span(&key));
	if (c.count > 0 &&
	    (p->said.claimants == NULL || (leaving && !p->said.claimants_left)))
		say_claimants(p, &c, leaving);
	if (c.count > 0)
		points_note(d, NOTICE_UNPROVEN, p->said.claimants);
	buf_release(&key);
	buf_release(&c.first);
}

/* A name that leads where its kind is not watched looks like that of an object
 * which does not exist. */
static void
tell_unwatched(struct decision *d)
{
	const struct entry *e = d->primary->entry;

	for (size_t i = 1; i < e->use_count; i++) {
		const struct watch_kind *conf = e->uses[i]->conf;
		struct buf b = BUF_INIT;
		size_t count;

		if (conf->map != WATCH_MAP_FIELD ||
		    (conf->namespaces.count == 0 &&
			conf->namespace_selector == NULL))
			continue;
		buf_addf(&b, "names %s ", conf->kind);
		count = index_unwatched(d->primary, e->uses[i], &b);
		if (count > 1)
			buf_addf(&b, " (and %zu more)", count - 1);
		buf_addf(&b, ", but %s:%d watches the kind only in ",
		    e->conf->path, conf->line);
		entry_add_places(&b, conf);
		buf_adds(&b, ": as if it did not exist");
		if (count > 0)
			points_note(d, NOTICE_UNWATCHED, buf_str(&b));
		buf_release(&b);
	}
}

/* The function `status` fails as well, or gives nothing: then users see the
 * failure in an Event. */
static void
tell_failure(struct decision *d, const struct view *v)
{
	if (d->failed && !d->has_status && v->entry->conf->manage_status &&
	    d->primary->torn_us == 0 &&
	    program_defines(v->entry->program, PROGRAM_STATUS))
		points_note(d, NOTICE_FAILED, d->error);
}

void
outcome_decide(struct decision *d, struct view *v)
{
	bool failed = d->failed, leaves = finalizer_leaves(d);

	tell_loops(d, v);
	outcome_status(d, v);
	outcome_events(d, v);
	damping_note(d);
	tell_claimants(d, leaves);
	tell_unwatched(d);
	if (leaves)
		finalizer_tell_unseen(d);
	outcome_requeue(d, v);
	if (v->entry->conf->throttle_limit > 0)
		outcome_settled(d, v);
	if (!d->failed || failed) {
		tell_failure(d, v);
		return;
	}
	/* A function failed: then nothing is applied or pruned, and the
	 * status has the error, if the program gives one. */
	outcome_drop_points(d);
	d->set = NULL;
	d->held_until_us = 0;
	d->has_status = d->on_error_holds = false;
	buf_reset(&d->status);
	buf_reset(&d->on_error);
	outcome_status(d, v);
	tell_failure(d, v);
}
