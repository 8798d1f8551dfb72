/*
 * kstatus: writes .status of the objects on standard input, and nothing else.
 *
 * A line is parsed (line_parse) and becomes the newest one of its object
 * (take). When it is the object's turn, the line becomes a server-side apply on
 * /status (send_line); the answer ends it, or it is sent again later
 * (answered). The rest is in kube/writer.h.
 */
#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "json/json.h"
#include "kube/kubepath.h"
#include "kube/writer.h"
#include "phase.h"
#include "process/clock.h"
#include "process/log.h"
#include "record/redacted.h"

enum status_output { STATUS_RESULT, STATUS_SILENT };

static struct {
	const char *field_manager; /* NULL: kpipe-<kind>.<group> */
	int output; /* enum status_output; -1: by what stdout is */
} o = {.output = -1};

/* In the order of enum status_output. */
static const char *const outputs[] = {"result", "none", NULL};

static const struct opt table[] = {
    {0, "field-manager", "NAME", OPT_STRING, &o.field_manager, NULL,
	"own the status under this name (kpipe-<kind>.<group>)"},
    {0, "timeout", "TIME", OPT_DURATION, &writer_opts.timeout_ms, NULL,
	"how long to retry after the end of the input (60s)"},
    {'o', "output", "result|none", OPT_CHOICE, &o.output, outputs,
	"what to print (result on a terminal, else none)"},
    {0, "max-in-flight", "N", OPT_INT, &writer_opts.max_in_flight, NULL,
	"requests under way at a time (64)"},
    {0, "fail-after", "TIME", OPT_DURATION, &writer_opts.failed_after_ms, NULL,
	"report a passing failure after this time (30s)"},
    {0, "max-writes-per-second", "N", OPT_INT, &writer_opts.max_writes, NULL,
	"writes in a second, beyond a burst (500; 0: no limit)"},
    OPT_ROWS(writer_opt_table), OPT_END};

static const struct opt_tool tool = {"kstatus", "[OPTION]...",
    "Write the status of the objects on standard input.", table};

/* A line of the input; spans point into text or names. */
struct line {
	char *text;	    /* owned */
	struct arena names; /* decoded, where text has escapes */
	struct span object;
	struct objref id;
	struct span seen;  /* resourceVersion */
	bool confidential; /* no value of it is told */
};

struct kstatus {
	struct writer w;
	struct lru phases; /* see phase.h */
	uint64_t written, gone;
};

/* An object with a status to write. */
struct status_key {
	struct work work; /* the first member */
	struct kstatus *all;
	char *name;	   /* owned: the object's key */
	struct line *line; /* owned: being written */
	struct line *next; /* owned: the newest, if another came */
	bool flying;
	bool take_back; /* another object of the name got the status */
	struct retry retry;
	struct timer timer;
	char *error;	       /* owned: what was logged last */
	struct denial *denied; /* borrowed: the right it lacks, or NULL */
};

/* ---- lines ---- */

static void
line_free(struct line *l)
{
	if (l == NULL)
		return;
	arena_release(&l->names);
	free(l->text);
	free(l);
}

static int
line_check(const struct line *l, struct err *err)
{
	struct span status = json_get(l->object, "status");

	if (json_type(l->object) != JSON_OBJECT)
		return err_set(err, ERR_PERMANENT, "it is not an object");
	if (l->id.api_version.n == 0)
		return err_set(err, ERR_PERMANENT, "it has no apiVersion");
	if (l->id.kind.n == 0)
		return err_set(err, ERR_PERMANENT, "it has no kind");
	if (l->id.name.n == 0)
		return err_set(err, ERR_PERMANENT, "it has no metadata.name");
	if (!objref_name_fits(l->id.name))
		return err_set(err, ERR_PERMANENT,
		    "it has the name \"%.*s\": %s", SPAN_ARG(l->id.name),
		    OBJREF_NAME_RULE);
	if (json_type(status) != JSON_OBJECT)
		return err_set(err, ERR_PERMANENT,
		    "it has no status, or one that is not an object");
	if (redacted_in(status))
		return err_set(err, ERR_PERMANENT,
		    "the status of %.*s %.*s/%.*s has " REDACTED_DIGEST
		    ", as recordings have it: it is not written",
		    SPAN_ARG(l->id.kind), SPAN_ARG(l->id.namespace_),
		    SPAN_ARG(l->id.name));
	return 0;
}

/* text was checked by json_check; it is copied. NULL with what the line lacks. */
static struct line *
line_parse(struct span text, struct err *err)
{
	struct line *l = mem_zalloc(sizeof(*l));
	struct span copy, metadata;

	l->text = mem_dup(text.p, text.n);
	copy = span_make(l->text, text.n);
	l->object = json_value(&copy);
	metadata = json_get(l->object, "metadata");
	l->id.api_version = json_raw_string(json_get(l->object, "apiVersion"));
	l->id.kind = json_raw_string(json_get(l->object, "kind"));
	l->id.namespace_ =
	    json_name(json_get(metadata, "namespace"), &l->names);
	l->id.name = json_name(json_get(metadata, "name"), &l->names);
	l->id.uid = json_name(json_get(metadata, "uid"), &l->names);
	objref_split(l->id.api_version, &l->id.group, &l->id.version);
	l->seen = json_raw_string(json_get(metadata, "resourceVersion"));
	l->confidential =
	    json_type(json_get(l->object, "confidential")) == JSON_TRUE;
	if (line_check(l, err) == 0)
		return l;
	line_free(l);
	return NULL;
}

/* ---- objects ---- */

static void
entry_free(struct status_key *e)
{
	map_del(&e->all->w.keys, span_str(e->name));
	loop_cancel(e->all->w.loop, &e->timer);
	line_free(e->line);
	line_free(e->next);
	free(e->name);
	free(e->error);
	free(e);
}

/* Only the newest line counts. */
static void
entry_take_next(struct status_key *e)
{
	line_free(e->line);
	e->line = e->next;
	e->next = NULL;
	e->take_back = false;
}

/* The line at work is done, or has failed for good. */
static void
entry_finish(struct status_key *e)
{
	entry_take_next(e);
	retry_reset(&e->retry);
	free(e->error);
	e->error = NULL;
	if (e->line != NULL) {
		workqueue_push(&e->all->w.queue, &e->work);
		return;
	}
	workqueue_rest(&e->all->w.queue, &e->work);
	entry_free(e);
}

/* Only a status that failed has to wait: a new one was not refused yet. */
static bool
backoff_is_over(const struct status_key *e, bool permanent)
{
	return permanent && !span_eq(e->line->object, e->next->object);
}

/* kpipe-<kind>.<group>, in lower case, as for a desired set. */
static void
add_manager(struct buf *b, const struct status_key *e)
{
	if (o.field_manager != NULL) {
		buf_adds(b, o.field_manager);
		return;
	}
	buf_adds(b, "kpipe-");
	objref_add_kind(b, e->line->id.kind, e->line->id.group);
	for (size_t i = 0; i < b->len; i++)
		b->data[i] = (char)tolower((unsigned char)b->data[i]);
}

/* ---- results ---- */

/* message: why it failed, or none. */
static void
tell_result(const struct status_key *e, const char *result, struct span message)
{
	struct writer *w = &e->all->w;
	struct buf line = BUF_INIT;

	if (!writer_tells(w))
		return;
	writer_begin_result(
	    &line, &e->line->id, e->line->id.namespace_, result);
	if (message.n > 0) {
		json_add_text(&line, "message", message);
	}
	writer_end_result(w, &line);
}

/* Logs it, once. */
static void
log_failure(struct status_key *e, struct span reason)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, "cannot write the status of ");
	objref_add_label(&b, &e->line->id);
	buf_adds(&b, ": ");
	buf_addspan(&b, reason);
	if (e->error == NULL || !span_is(buf_span(&b), e->error)) {
		free(e->error);
		e->error = mem_dup(b.data, b.len);
		log_error("%s", e->error);
		tell_result(e, "failed", reason);
	}
	buf_release(&b);
}

/* An Event about the object. Without a uid it would be about no object that is
 * there, and `kubectl describe` would not show it. */
static void
announce(struct status_key *e, struct span reason)
{
	const struct objref *id = &e->line->id;
	struct buf message = BUF_INIT, manager = BUF_INIT;

	if (id->uid.n == 0)
		return;
	add_manager(&manager, e);
	buf_adds(&message, "cannot write the status: ");
	buf_addspan(&message, reason);
	recorder_add(e->all->w.recorder,
	    &(struct recorder_event){
		.about = {id->api_version, id->kind, id->namespace_, id->name,
		    id->uid, e->line->seen},
		.component = buf_span(&manager),
		.type = RECORDER_WARNING,
		.reason = span_str("FailedStatus"),
		.message = buf_span(&message)});
	buf_release(&message);
	buf_release(&manager);
}

/* ---- answers ---- */

static void
retry_due(void *arg)
{
	struct status_key *e = arg;

	workqueue_push(&e->all->w.queue, &e->work);
}

static void
entry_failed(struct status_key *e, enum retry_kind kind, int64_t retry_after_ms,
    struct span reason)
{
	struct writer *w = &e->all->w;
	uint64_t now = clock_ms();

	w->failures++;
	denials_failed(&w->denials, &e->denied, kind);
	writestat_of(&w->writestats, e->line->id.group, e->line->id.kind, 0)
	    ->errors++;
	if (e->next != NULL && backoff_is_over(e, retry_is_permanent(kind))) {
		entry_finish(e);
		return;
	}
	if (e->next != NULL) /* the newer line keeps the delay */
		entry_take_next(e);
	retry_plan(&e->retry, kind, retry_after_ms, now);
	retry_expire(&e->retry, writer_opts.failed_after_ms, now);
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
		denials_enter(&e->all->w.denials, &e->denied, e->line->id.group,
		    e->line->id.kind, error);
	entry_failed(e, retry, error->retry_after_ms, buf_span(&reason));
	buf_release(&reason);
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
	return e->line->id.uid.n != 0 && writer_about_uid(err);
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
	struct kstatus *all = e->all;

	denials_leave(&all->w.denials, &e->denied);
	if (!e->take_back && went_elsewhere(e, answer)) {
		all->gone++;
		if (e->next == NULL) {
			e->take_back = true;
			workqueue_push(&all->w.queue, &e->work);
			return;
		}
		/* The newer line overwrites this one. */
		tell_result(e, "dropped", SPAN_NONE);
		entry_finish(e);
		return;
	}
	if (!e->take_back) {
		all->written++;
		/* The phase is not logged where results are printed. */
		if (!all->w.prints)
			phase_note(&all->phases, &e->line->id,
			    json_get(e->line->object, "status"), clock_ms());
	}
	tell_result(e, e->take_back ? "dropped" : "written", SPAN_NONE);
	entry_finish(e);
}

/* A line with a uid was right when it was written; one without names an object
 * that should be there. */
static void
not_written(struct status_key *e, const struct kube_error *error)
{
	struct kstatus *all = e->all;

	all->gone++;
	denials_leave(&all->w.denials, &e->denied);
	if (error->code == 404 && e->line->id.uid.n == 0) {
		all->w.failed = true;
		log_failure(e, span_str("there is no such object"));
	} else {
		log_debug("%s is gone or has changed, its status is dropped",
		    e->name);
		tell_result(e, "dropped", SPAN_NONE);
	}
	entry_finish(e);
}

static void
answered(void *arg, const struct kube_answer *answer)
{
	struct status_key *e = arg;

	e->flying = false;
	writer_answered(&e->all->w, answer);
	if (answer->error.kind == ERR_NONE)
		written(e, answer->body);
	else if (is_gone(e, &answer->error))
		not_written(e, &answer->error);
	else
		entry_failed_by(
		    e, KUBE_APPLY, &answer->error, e->line->id.kind);
}

/* ---- requests ---- */

static const struct api_resource *
resource_of(const struct status_key *e)
{
	return discovery_find(e->all->w.discovery, e->line->id.group,
	    e->line->id.version, e->line->id.kind);
}

/* Discovery was asked for the kind. */
static void
looked_up(void *arg, const struct kube_error *err)
{
	struct status_key *e = arg;
	struct workqueue *queue = &e->all->w.queue;
	const struct api_resource *r = resource_of(e);
	struct buf reason = BUF_INIT;

	e->flying = false;
	workqueue_ended(queue, err == NULL ? 200 : err->code);
	if (r != NULL && writer_has_status(r)) {
		workqueue_push(queue, &e->work);
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
		writer_add_no_kind(&reason, &e->line->id);
	entry_failed(e, RETRY_PERMANENT, -1, buf_span(&reason));
	buf_release(&reason);
}

/* Only identity and status: a line may hold more. */
static void
add_body(struct buf *b, const struct status_key *e, struct span ns)
{
	const struct line *l = e->line;
	struct buf status = BUF_INIT;

	buf_adds(b, "{\"apiVersion\":");
	json_add_string(b, l->id.api_version);
	json_add_text(b, "kind", l->id.kind);
	buf_adds(b, ",\"metadata\":{\"name\":");
	json_add_string(b, l->id.name);
	if (ns.n != 0) {
		json_add_text(b, "namespace", ns);
	}
	if (l->id.uid.n != 0 && !e->take_back) {
		json_add_text(b, "uid", l->id.uid);
	}
	if (l->seen.n != 0 && !e->take_back) {
		json_add_text(b, "resourceVersion", l->seen);
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
send_line(struct status_key *e, const struct api_resource *r)
{
	struct writer *w = &e->all->w;
	struct buf path = BUF_INIT, body = BUF_INIT, manager = BUF_INIT;
	struct span ns = SPAN_NONE;

	if (r->namespaced)
		ns = e->line->id.namespace_.n != 0
		    ? e->line->id.namespace_
		    : span_str(kube_namespace(w->kube));
	add_manager(&manager, e);
	discovery_path(&path, r, ns, e->line->id.name, "status");
	kube_query_add(&path, "fieldManager", buf_span(&manager));
	kube_query_add(&path, "force", span_str("true"));
	add_body(&body, e, ns);
	w->requests++;
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

/* The object's turn has come: a work_fn. */
static void
run_entry(void *arg, struct work *work)
{
	struct status_key *e = (struct status_key *)work;
	struct kstatus *all = arg;
	const struct api_resource *r;

	if (e->flying)
		return;
	if (e->next != NULL)
		entry_take_next(e);
	r = resource_of(e);
	e->flying = true;
	workqueue_started(&all->w.queue);
	if (r == NULL || !writer_has_status(r))
		discovery_refresh(all->w.discovery, looked_up, e);
	else
		send_line(e, r);
}

/* ---- the run ---- */

static int
take(void *arg, const struct stream_doc *doc, struct err *err)
{
	struct kstatus *all = arg;
	struct line *l = line_parse(doc->text, err);
	struct buf key = BUF_INIT;
	struct status_key *e;

	if (l == NULL)
		return -1;
	all->w.lines++;
	objref_add_key(&key, &l->id);
	e = map_get(&all->w.keys, buf_span(&key));
	if (e == NULL) {
		e = mem_zalloc(sizeof(*e));
		e->all = all;
		e->name = buf_take(&key);
		e->line = l;
		map_put(&all->w.keys, span_str(e->name), e);
		workqueue_push(&all->w.queue, &e->work);
		return 0;
	}
	buf_release(&key);
	line_free(e->next);
	e->next = l;
	if (loop_timer_armed(&e->timer) &&
	    backoff_is_over(e, e->retry.permanent)) {
		loop_cancel(all->w.loop, &e->timer);
		entry_finish(e);
	}
	return 0;
}

/* Only statuses that have failed for good are left. */
static bool
settled(void *arg)
{
	const struct kstatus *all = arg;
	struct status_key *e;

	if (all->w.queue.runnable > 0)
		return false;
	for (size_t i = 0; (e = map_next(&all->w.keys, &i)) != NULL;)
		if (!e->retry.permanent)
			return false;
	return recorder_idle(all->w.recorder);
}

/* The time is over: the rest has failed. */
static void
end(void *arg, bool is_settled)
{
	struct kstatus *all = arg;
	struct status_key **rest =
	    (struct status_key **)map_sorted(&all->w.keys);
	size_t count = all->w.keys.count;

	(void)is_settled;
	for (size_t i = 0; i < count; i++)
		if (rest[i]->error == NULL)
			log_failure(rest[i],
			    span_str("not done within the time of --timeout"));
	all->w.failed = all->w.failed || count > 0;
	free(rest);
}

static void
count(void *arg, struct buf *b)
{
	const struct kstatus *all = arg;

	reportfd_count(b, "written", all->written);
	reportfd_count(b, "failures", all->w.failures);
	reportfd_count(b, "gone", all->gone);
	reportfd_count(b, "keys", all->w.keys.count);
}

static void
samples(void *arg, struct metric_lines *m)
{
	const struct kstatus *all = arg;

	writestats_errors(&all->w.writestats, m);
	metric_add(
	    m, METRIC_STATUS, METRIC_LABELS("written"), (double)all->written);
	metric_add(m, METRIC_STATUS, METRIC_LABELS("gone"), (double)all->gone);
	metric_add(
	    m, METRIC_STATUS, METRIC_LABELS("failed"), (double)all->w.failures);
}

static const struct writer_tool writer_tool = {
    .name = "kstatus",
    .lines = "statuses",
    .run = run_entry,
    .count = count,
    .samples = samples,
    .take = take,
    .settled = settled,
    .end = end,
};

static int
run(int operands, char **operand, struct err *err)
{
	struct kstatus all = {0};
	struct status_key **rest;
	size_t count;
	int code = -1;

	if (operands > 0)
		return err_set(err, ERR_PERMANENT,
		    "unexpected operand \"%s\": lines come on standard input",
		    operand[0]);
	if (writer_check_options(err) != 0)
		return -1;
	if (o.output < 0)
		o.output =
		    isatty(STDOUT_FILENO) ? STATUS_RESULT : STATUS_SILENT;
	phase_init(&all.phases);
	if (writer_open(&all.w, &writer_tool, &all, err) == 0) {
		all.w.prints = o.output == STATUS_RESULT;
		code = writer_run(&all.w, err);
	}
	rest = (struct status_key **)map_sorted(&all.w.keys);
	count = all.w.keys.count;
	for (size_t i = 0; i < count; i++)
		entry_free(rest[i]);
	free(rest);
	lru_release(&all.phases);
	writer_release(&all.w);
	return code;
}

int
main(int argc, char **argv)
{
	return opt_main(&tool, argc, argv, run);
}
