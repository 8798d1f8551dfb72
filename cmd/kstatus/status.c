#include "status.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "json/json.h"
#include "kube/kubepath.h"
#include "kube/retry.h"
#include "phase.h"
#include "process/clock.h"
#include "process/log.h"
#include "statusline.h"
#include "value/objref.h"

struct status_key {
	struct work work; /* first */
	struct status_writer *writer;
	char *name;		 /* owned: the key */
	struct statusline *line; /* owned: being written */
	struct statusline *next; /* owned: the newest, if another came */
	bool flying;
	bool take_back; /* it was written to another object of that name */
	struct retry retry;
	struct timer timer;
	char *error;	       /* owned: what was logged last */
	struct denial *denied; /* borrowed: the right it lacks, or NULL */
};

static struct span
namespace_of(const struct status_key *e)
{
	if (e->line->id.namespace_.n != 0)
		return e->line->id.namespace_;
	return span_str(kube_namespace(e->writer->kube));
}

/* kpipe-<kind>.<group>, in lower case, as for a desired set. */
static void
add_manager(struct buf *b, const struct status_key *e)
{
	size_t from = b->len;

	if (e->writer->o->field_manager != NULL) {
		buf_adds(b, e->writer->o->field_manager);
		return;
	}
	buf_adds(b, "kpipe-");
	objref_add_kind(b, e->line->id.kind, e->line->id.group);
	for (size_t i = from; i < b->len; i++)
		b->data[i] = (char)tolower((unsigned char)b->data[i]);
}

/* Only identity and status: a status line may hold more. */
static void
add_body(struct buf *b, const struct status_key *e, struct span ns)
{
	const struct statusline *l = e->line;
	struct buf status = BUF_INIT;

	buf_adds(b, "{\"apiVersion\":");
	json_add_string(b, l->id.api_version);
	json_add_key(b, "kind");
	json_add_string(b, l->id.kind);
	buf_adds(b, ",\"metadata\":{\"name\":");
	json_add_string(b, l->id.name);
	if (ns.n != 0) {
		json_add_key(b, "namespace");
		json_add_string(b, ns);
	}
	if (l->id.uid.n != 0 && !e->take_back) {
		json_add_key(b, "uid");
		json_add_string(b, l->id.uid);
	}
	if (l->seen.n != 0 && !e->take_back) {
		json_add_key(b, "resourceVersion");
		json_add_string(b, l->seen);
	}
	buf_addc(b, '}');
	/* A null says nothing, and the server refuses the whole status for one
	 * in a field with a type. An apply without a status gives up what the
	 * last one set. So does one with {}, but the server makes null of it
	 * then, and refuses that. */
	json_add_compact(&status, json_get(l->object, "status"));
	if (!e->take_back && !json_is_empty(buf_span(&status))) {
		json_add_key(b, "status");
		buf_addspan(b, buf_span(&status));
	}
	buf_release(&status);
	buf_addc(b, '}');
}

static void
entry_free(struct status_key *e)
{
	map_del(&e->writer->keys, span_str(e->name));
	loop_cancel(e->writer->loop, &e->timer);
	statusline_free(e->line);
	statusline_free(e->next);
	free(e->name);
	free(e->error);
	free(e);
}

/* message: NULL, or why it failed. */
static void
tell_result(const struct status_key *e, const char *result, const char *message)
{
	struct status_writer *w = e->writer;
	const struct objref *id = &e->line->id;
	struct buf line = BUF_INIT, *b = &line;

	if (w->o->output != STATUS_RESULT && !w->results.on)
		return;
	buf_adds(b, "{\"apiVersion\":");
	json_add_string(b, id->api_version);
	json_add_key(b, "kind");
	json_add_string(b, id->kind);
	buf_adds(b, ",\"metadata\":{");
	if (id->namespace_.n != 0) {
		buf_adds(b, "\"namespace\":");
		json_add_string(b, id->namespace_);
		buf_addc(b, ',');
	}
	buf_adds(b, "\"name\":");
	json_add_string(b, id->name);
	buf_addc(b, '}');
	json_add_key(b, "result");
	json_add_str(b, result);
	if (message != NULL) {
		json_add_key(b, "message");
		json_add_str(b, message);
	}
	buf_addc(b, '}');
	if (w->o->output == STATUS_RESULT)
		out_line(&w->out, buf_span(b));
	resultfd_line(&w->results, buf_span(b));
	buf_release(&line);
}

/* The line at work is done, or has failed for good. */
static void
entry_finish(struct status_key *e)
{
	statusline_free(e->line);
	e->line = e->next;
	e->next = NULL;
	e->take_back = false;
	retry_reset(&e->retry);
	free(e->error);
	e->error = NULL;
	if (e->line != NULL) {
		workqueue_push(&e->writer->queue, &e->work);
		return;
	}
	workqueue_rest(&e->writer->queue, &e->work);
	entry_free(e);
}

static void
retry_due(void *arg)
{
	struct status_key *e = arg;

	workqueue_push(&e->writer->queue, &e->work);
}

/* An Event about the object. Without a uid it would be about no object that is
 * there, and `kubectl describe` would not show it. */
static void
announce(struct status_key *e, struct span reason)
{
	const struct objref *id = &e->line->id;
	struct buf message = BUF_INIT, manager = BUF_INIT;

	if (id->uid.n > 0) {
		add_manager(&manager, e);
		buf_adds(&message, "cannot write the status: ");
		buf_addspan(&message, reason);
		recorder_add(e->writer->recorder,
		    &(struct recorder_event){
			.about = {id->api_version, id->kind, id->namespace_,
			    id->name, id->uid, e->line->seen},
			.component = buf_span(&manager),
			.type = RECORDER_WARNING,
			.reason = span_str("FailedStatus"),
			.message = buf_span(&message)});
	}
	buf_release(&message);
	buf_release(&manager);
}

static void
log_failure(struct status_key *e, struct span reason)
{
	struct buf b = BUF_INIT, message = BUF_INIT;

	buf_adds(&b, "cannot write the status of ");
	objref_add_label(&b, &e->line->id);
	buf_adds(&b, ": ");
	buf_addspan(&b, reason);
	if (e->error == NULL || !span_is(buf_span(&b), e->error)) {
		free(e->error);
		e->error = mem_dup(b.data, b.len);
		log_error("%s", e->error);
		buf_addspan(&message, reason);
		tell_result(e, "failed", buf_str(&message));
	}
	buf_release(&b);
	buf_release(&message);
}

/* Only a status that failed has to wait: a new one was not refused yet. */
static bool
pace_is_over(
    const struct status_key *e, const struct statusline *newer, bool permanent)
{
	return permanent && !span_eq(e->line->object, newer->object);
}

static void
entry_failed(struct status_key *e, enum retry_kind kind, int64_t retry_after_ms,
    struct span reason)
{
	struct status_writer *w = e->writer;
	uint64_t now = clock_ms();

	w->counters.failures++;
	denials_failed(&w->denials, &e->denied, kind);
	effort_of(&w->efforts, e->line->id.group, e->line->id.kind, 0)
	    ->errors++;
	if (e->next != NULL &&
	    pace_is_over(e, e->next, retry_is_permanent(kind))) {
		entry_finish(e);
		return;
	}
	if (e->next != NULL) { /* the newest line counts, with the old delay */
		statusline_free(e->line);
		e->line = e->next;
		e->next = NULL;
		e->take_back = false;
	}
	retry_plan(&e->retry, kind, retry_after_ms, now);
	retry_expire(&e->retry, w->o->failed_after_ms, now);
	if (e->retry.failed) {
		log_failure(e, reason);
		announce(e, reason);
	}
	workqueue_rest(&w->queue, &e->work);
	loop_at(w->loop, &e->timer, e->retry.due_ms, retry_due, e);
}

static void
entry_failed_by(struct status_key *e, enum kube_verb verb,
    const struct kube_error *error, struct span kind)
{
	enum retry_kind retry = retry_classify(verb, error);
	struct buf reason = BUF_INIT;

	kube_error_public(
	    &reason, error, e->line->confidential ? KUBE_ERROR_PRIVATE : kind);
	if (retry == RETRY_DENIED)
		denials_enter(&e->writer->denials, &e->denied,
		    e->line->id.group, e->line->id.kind, error);
	entry_failed(e, retry, error->retry_after_ms, buf_span(&reason));
	buf_release(&reason);
}

static bool
about_uid(const struct kube_error *e)
{
	struct json_elements causes = json_elements(span_str(e->causes));

	while (json_element(&causes))
		if (json_is(json_get(causes.value, "field"), "metadata.uid"))
			return true;
	return false;
}

/*
 * The object is gone, another one has its name, or it is another version than
 * that of the line: the status is no longer wanted.
 */
static bool
is_gone(const struct status_key *e, const struct kube_error *err)
{
	if (err->code == 404)
		return err->details_kind != NULL;
	if (err->code == 409)
		return (e->line->id.uid.n != 0 || e->line->seen.n != 0) &&
		    !err->field_conflict;
	return err->code == 422 && e->line->id.uid.n != 0 &&
	    err->causes != NULL && about_uid(err);
}

/*
 * The server ignores the uid in the body for the status of a custom resource:
 * it takes all metadata from its own object (apiextensions' strategy for
 * status; other kinds refuse, 422). So the answer is checked, and a status that
 * went to another object of that name is taken back.
 */
static bool
went_elsewhere(const struct status_key *e, struct span answer)
{
	struct span uid = json_raw_string(json_path(answer, "metadata.uid"));

	return e->line->id.uid.n != 0 && uid.n != 0 &&
	    !span_eq(uid, e->line->id.uid);
}

static void
written(struct status_key *e, struct span answer)
{
	struct status_writer *w = e->writer;

	denials_leave(&w->denials, &e->denied);
	if (e->take_back || !went_elsewhere(e, answer)) {
		w->counters.written += !e->take_back;
		/* Where results are printed it is not logged as well. */
		if (!e->take_back && w->o->output != STATUS_RESULT)
			phase_note(&w->phases, &e->line->id,
			    json_get(e->line->object, "status"), clock_ms());
		tell_result(e, e->take_back ? "dropped" : "written", NULL);
		entry_finish(e);
		return;
	}
	w->counters.gone++;
	if (e->next != NULL) { /* it overwrites this one */
		tell_result(e, "dropped", NULL);
		entry_finish(e);
		return;
	}
	e->take_back = true;
	workqueue_push(&w->queue, &e->work);
}

/* A line with a uid was right when it was written; one without names an object
 * that should be there. */
static void
not_written(struct status_key *e, const struct kube_error *error)
{
	struct status_writer *w = e->writer;

	w->counters.gone++;
	denials_leave(&w->denials, &e->denied);
	if (error->code == 404 && e->line->id.uid.n == 0) {
		w->failed = true;
		log_failure(e, span_str("there is no such object"));
	} else {
		log_debug("%s is gone or has changed, its status is dropped",
		    e->name);
		tell_result(e, "dropped", NULL);
	}
	entry_finish(e);
}

static void
say_reachable(const struct status_writer *w, const struct kube_answer *answer)
{
	if (answer->code != 0)
		log_info("%s answers again", kube_server(w->kube));
	else
		log_warning("cannot reach %s: %s; trying again",
		    kube_server(w->kube), answer->error.message);
}

static void
answered(void *arg, const struct kube_answer *answer)
{
	struct status_key *e = arg;
	struct status_writer *w = e->writer;

	e->flying = false;
	if (workqueue_ended(&w->queue, answer->code))
		say_reachable(w, answer);
	if (answer->error.kind == ERR_NONE) {
		written(e, answer->body);
	} else if (is_gone(e, &answer->error)) {
		not_written(e, &answer->error);
	} else {
		entry_failed_by(
		    e, KUBE_APPLY, &answer->error, e->line->id.kind);
	}
}

static bool
has_status(const struct api_resource *r)
{
	for (size_t i = 0; r->subresources[i] != NULL; i++)
		if (span_is(span_str(r->subresources[i]), "status"))
			return true;
	return false;
}

static const struct api_resource *
find(const struct status_key *e)
{
	return discovery_find(e->writer->discovery, e->line->id.group,
	    e->line->id.version, e->line->id.kind);
}

static void
looked_up(void *arg, const struct kube_error *err)
{
	struct status_key *e = arg;
	struct status_writer *w = e->writer;
	const struct api_resource *r = find(e);
	struct buf reason = BUF_INIT;

	e->flying = false;
	workqueue_ended(&w->queue, err == NULL ? 200 : err->code);
	if (r != NULL && has_status(r)) {
		workqueue_push(&w->queue, &e->work);
		return;
	}
	if (r == NULL && err != NULL) {
		entry_failed_by(e, KUBE_GET, err, SPAN_NONE);
		return;
	}
	if (r != NULL)
		buf_addf(&reason, "%.*s has no status subresource",
		    SPAN_ARG(e->line->id.kind));
	else
		buf_addf(&reason,
		    "no matches for kind \"%.*s\" in version \"%.*s\"",
		    SPAN_ARG(e->line->id.kind),
		    SPAN_ARG(e->line->id.api_version));
	entry_failed(e, RETRY_PERMANENT, -1, buf_span(&reason));
	buf_release(&reason);
}

static void
send_line(struct status_key *e, const struct api_resource *r)
{
	struct status_writer *w = e->writer;
	struct buf path = BUF_INIT, body = BUF_INIT, manager = BUF_INIT;
	struct span ns = r->namespaced ? namespace_of(e) : SPAN_NONE;

	add_manager(&manager, e);
	discovery_path(&path, r, ns, e->line->id.name, "status");
	kube_query_add(&path, "fieldManager", buf_span(&manager));
	kube_query_add(&path, "force", span_str("true"));
	add_body(&body, e, ns);
	w->counters.requests++;
	workqueue_wrote(&w->queue, span_str(e->name));
	kube_start(w->kube,
	    &(struct kube_request){.verb = KUBE_APPLY,
		.path = buf_str(&path),
		.body = buf_span(&body)},
	    answered, e);
	buf_release(&path);
	buf_release(&body);
	buf_release(&manager);
}

void
status_run(void *arg, struct work *work)
{
	struct status_key *e = (struct status_key *)work;
	struct status_writer *w = arg;
	const struct api_resource *r;

	if (e->flying)
		return;
	if (e->next != NULL) {
		statusline_free(e->line);
		e->line = e->next;
		e->next = NULL;
		e->take_back = false;
	}
	r = find(e);
	e->flying = true;
	workqueue_started(&w->queue);
	if (r == NULL || !has_status(r))
		discovery_refresh(w->discovery, looked_up, e);
	else
		send_line(e, r);
}

int
status_take(struct status_writer *w, struct span text, struct err *err)
{
	struct statusline *l = statusline_parse(text, err);
	struct buf key = BUF_INIT;
	struct status_key *e;

	if (l == NULL)
		return -1;
	w->counters.lines++;
	objref_add_key(&key, &l->id);
	e = map_get(&w->keys, buf_span(&key));
	if (e != NULL) {
		statusline_free(e->next);
		e->next = l;
		if (loop_timer_armed(&e->timer) &&
		    pace_is_over(e, l, e->retry.permanent)) {
			loop_cancel(w->loop, &e->timer);
			entry_finish(e);
		}
		buf_release(&key);
		return 0;
	}
	e = mem_zalloc(sizeof(*e));
	e->writer = w;
	e->name = buf_take(&key);
	e->line = l;
	map_put(&w->keys, span_str(e->name), e);
	workqueue_push(&w->queue, &e->work);
	return 0;
}

bool
status_settled(const struct status_writer *w)
{
	struct status_key *e;

	if (w->queue.runnable > 0)
		return false;
	for (size_t i = 0; (e = map_next(&w->keys, &i)) != NULL;)
		if (!e->retry.permanent)
			return false;
	return true;
}

void
status_give_up(struct status_writer *w)
{
	struct status_key **all = (struct status_key **)map_sorted(&w->keys);
	size_t count = w->keys.count;

	for (size_t i = 0; i < count; i++)
		if (all[i]->error == NULL)
			log_failure(all[i],
			    span_str("not done within the time of --timeout"));
	w->failed = w->failed || count > 0;
	free(all);
}

void
status_free(struct status_writer *w)
{
	struct status_key **all = (struct status_key **)map_sorted(&w->keys);
	size_t count = w->keys.count;

	for (size_t i = 0; i < count; i++)
		entry_free(all[i]);
	free(all);
	map_release(&w->keys);
	recorder_free(w->recorder);
	workqueue_release(&w->queue);
	efforts_release(&w->efforts);
	denials_release(&w->denials);
	lru_release(&w->phases);
	out_release(&w->out);
	resultfd_release(&w->results);
}
