/*
 * Part of apply.h: what is said about items and sets: results, status lines, the
 * log, Events, counters and metrics.
 */
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "json/json.h"
#include "kube/recorder.h"
#include "process/clock.h"
#include "process/log.h"
#include "record/redacted.h"
#include "set/setorder.h"

enum {
	ERROR_TEXT_MAX = 512, /* bytes of ${error} */
	/* A message and a reason of these sizes fit into an Event
	 * (kube/recorder.h). */
	MESSAGE_MAX = 700,
	WHY_MAX = 256
};

/* ---- results ---- */

/* For which primary, and after which events, if it is a desired set. Releases the
 * line. */
static void
end_result(struct apply *a, const struct set *s, struct buf *line)
{
	if (s != NULL && !s->plain) {
		json_add_text(line, "primary", span_str(s->key));
		if (s->causes.n > 0) {
			json_add_key(line, "events");
			buf_addspan(line, s->causes);
		}
	}
	writer_end_result(&a->w, line);
}

void
report_result(struct apply *a, const struct set *s, const struct item *i,
    const char *result, const char *message)
{
	struct span ns = i->namespace_.n ? i->namespace_ : i->id.namespace_;
	struct apply_counters *c = &a->counters;
	struct buf because = BUF_INIT, b = BUF_INIT;

	c->created += strcmp(result, "created") == 0;
	c->applied += strcmp(result, "configured") == 0;
	c->unchanged += strcmp(result, "unchanged") == 0;
	c->deleted += strcmp(result, "deleted") == 0;
	if (!writer_tells(&a->w))
		return;
	because_add(&because, s, i, result);
	writer_begin_result(&b, &i->id, ns, result);
	if (message != NULL)
		json_add_text(&b, "message", span_str(message));
	if (because.len > 0)
		json_add_text(&b, "because", buf_span(&because));
	end_result(a, s, &b);
	buf_release(&because);
}

/* A result of the primary: `part` of it is written, with this value. */
static void
report_part(
    struct apply *a, const struct set *s, const char *part, struct span value)
{
	const struct objref *p = &s->primary;
	struct buf b = BUF_INIT;

	if (!writer_tells(&a->w))
		return;
	writer_begin_result(&b, p, p->namespace_, "configured");
	json_add_key(&b, part);
	buf_addspan(&b, set_is_confidential(s, p) ? span_str("null") : value);
	end_result(a, s, &b);
}

/* ---- status lines ---- */

static void
add_status_line(struct buf *b, const struct set *s, struct span status)
{
	const struct objref *p = &s->primary;

	buf_addc(b, '{');
	json_add_text(b, "apiVersion", p->api_version);
	json_add_text(b, "kind", p->kind);
	json_add_key(b, "metadata");
	buf_addc(b, '{');
	if (p->namespace_.n != 0)
		json_add_text(b, "namespace", p->namespace_);
	json_add_text(b, "name", p->name);
	if (p->uid.n != 0)
		json_add_text(b, "uid", p->uid);
	if (s->guard_status)
		json_add_text(b, "resourceVersion",
		    s->version != NULL ? span_str(s->version)
				       : s->primary_version);
	buf_addc(b, '}');
	if (set_is_confidential(s, p)) {
		json_add_key(b, "confidential");
		buf_adds(b, "true");
	}
	json_add_key(b, "status");
	buf_addspan(b, status);
	buf_addc(b, '}');
}

/* A mark in the strings of a status, and its text. */
struct mark {
	const char *mark;
	struct span text;
};

/* The first of the marks in text, or NULL. */
static const char *
first_mark(struct span text, const struct mark *marks, const struct mark **is)
{
	const char *first = NULL;

	for (const struct mark *m = marks; m->mark != NULL; m++) {
		const char *at =
		    memmem(text.p, text.n, m->mark, strlen(m->mark));

		if (at == NULL || (first != NULL && at > first))
			continue;
		first = at;
		*is = m;
	}
	return first;
}

/* Marks within the text that replaces a mark are not replaced. */
static void
add_filled(struct buf *b, struct span status, const struct mark *marks)
{
	struct buf visible = BUF_INIT, escaped = BUF_INIT;
	const struct mark *is = NULL;
	const char *at;

	while ((at = first_mark(status, marks, &is)) != NULL) {
		size_t n = (size_t)(at - status.p);

		buf_reset(&visible);
		buf_reset(&escaped);
		quote_text(&visible, is->text);
		json_add_string(&escaped, buf_span(&visible));
		buf_add(b, status.p, n);
		buf_add(b, escaped.data + 1, escaped.len - 2);
		n += strlen(is->mark);
		status = span_skip(status, n);
	}
	buf_addspan(b, status);
	buf_release(&visible);
	buf_release(&escaped);
}

/* A line with the status in which ${error} and ${manager} have become texts: the
 * error, or none, and the other manager in the first item that loops. */
static void
make_status(struct buf *status, struct buf *line, const struct set *s,
    struct span text, struct span error)
{
	struct mark marks[3] = {{NULL, SPAN_NONE}};
	size_t n = 0;

	if (error.n > 0)
		marks[n++] = (struct mark){"${error}", error};
	for (size_t i = 0; i < s->count; i++) {
		const char *found = s->items[i].found;

		if (found == NULL)
			continue;
		if (*found != '\0')
			marks[n] = (struct mark){"${manager}", span_str(found)};
		break;
	}
	add_filled(status, text, marks);
	add_status_line(line, s, buf_span(status));
}

/* A dry run changes nothing, also not through kstatus. */
static void
send_status(
    struct apply *a, const struct set *s, struct span status, struct span line)
{
	if (writer_opts.dry_run)
		report_part(a, s, "status", status);
	if (a->o->output != OUTPUT_STATUS || writer_opts.dry_run)
		return;
	a->counters.status_lines++;
	out_line(&a->w.out, line);
}

void
report_status(struct apply *a, struct set *s)
{
	struct buf status = BUF_INIT, line = BUF_INIT;

	if (s->status.n == 0 || s->status_sent)
		return;
	s->status_sent = true;
	make_status(&status, &line, s, s->status, SPAN_NONE);
	send_status(a, s, buf_span(&status), buf_span(&line));
	buf_release(&status);
	buf_release(&line);
}

/* Sends the status of an error, but not the same one again within a short
 * time. */
static void
send_on_error(struct apply *a, struct set *s, struct span error)
{
	struct buf status = BUF_INIT, line = BUF_INIT;
	uint64_t now = clock_ms();

	make_status(&status, &line, s, s->on_error, error);
	if (s->error_sent == NULL || now - s->error_sent_ms >= RECENT_MS ||
	    !span_eq(span_str(s->error_sent), buf_span(&line))) {
		send_status(a, s, buf_span(&status), buf_span(&line));
		free(s->error_sent);
		s->error_sent = mem_dup(line.data, line.len);
		s->error_sent_ms = now;
	}
	s->error_told = true;
	buf_release(&status);
	buf_release(&line);
}

/* ---- the log ---- */

static void
log_about(enum log_level level, const struct set *s, const char *text)
{
	static const char prefix[] = "kpipe-";
	struct span of = s->manager;
	char *ns = mem_dup(s->primary.namespace_.p, s->primary.namespace_.n);
	char *name = mem_dup(s->primary.name.p, s->primary.name.n);
	char *controller;
	struct log_about about = {
	    .namespace_ = s->primary.namespace_.n ? ns : NULL, .name = name};

	/* The manager is named after the controller: kpipe-<kind>.<group>. */
	if (of.n > sizeof(prefix))
		span_take(&of, prefix);
	controller = mem_dup(of.p, of.n);
	about.controller = of.n ? controller : NULL;
	log_write(level, s->plain ? NULL : &about, "%s", text);
	free(ns);
	free(name);
	free(controller);
}

bool
report_wants_cause(struct apply *a)
{
	bool shown = writer_tells(&a->w) || log_is_on(LOG_INFO);

	return shown && because_may_look(&a->because, clock_ms());
}

/* ---- Events ---- */

/* component: who says it; empty: the field manager. */
static void
tell(struct apply *a, const struct set *s, enum recorder_type type,
    const char *reason, struct span message, struct span component)
{
	/* Plain objects have no primary for an Event; a dry run changes
	 * nothing. */
	if (a->w.recorder == NULL || s->plain)
		return;
	recorder_add(a->w.recorder,
	    &(struct recorder_event){
		.about = {s->primary.api_version, s->primary.kind,
		    s->primary.namespace_, s->primary.name, s->primary.uid,
		    s->primary_version},
		.component = component.n > 0 ? component : engine_manager(a, s),
		.type = type,
		.reason = span_str(reason),
		.message = message});
}

/* An Event about an item, which would have that result. */
struct item_event_text {
	const struct item *item;
	const char *result;
	enum recorder_type type;
	const char *reason;
};

/* With the reason from because.h, in brackets; long messages give way to it. The
 * reason is the same for each try, so that repetitions of the Event are counted. */
static void
tell_item(struct apply *a, const struct set *s,
    const struct item_event_text *is, struct span message)
{
	struct buf b = BUF_INIT, why = BUF_INIT;
	size_t n;

	buf_addspan(&b, message);
	because_add(&why, s, is->item, is->result);
	if (why.len > 0) {
		n = utf8_cut(buf_span(&why), WHY_MAX);
		buf_truncate(&b, utf8_cut(buf_span(&b), MESSAGE_MAX));
		buf_addf(&b, " (%.*s%s)", (int)n, why.data,
		    n < why.len ? "..." : "");
	}
	tell(a, s, is->type, is->reason, buf_span(&b), SPAN_NONE);
	buf_release(&b);
	buf_release(&why);
}

/* An Event of the line; why: what could not be written, which its `failure` has
 * words for, or NULL. */
static void
tell_event(
    struct apply *a, const struct set *s, struct span event, const char *why)
{
	struct buf reason = BUF_INIT, message = BUF_INIT, scratch = BUF_INIT;
	struct buf line = BUF_INIT;
	struct span words = why != NULL ? json_get(event, "failure") : event;
	bool warning =
	    why != NULL || json_is(json_get(event, "type"), "Warning");

	buf_addspan(&reason, json_string(json_get(words, "reason"), &scratch));
	if (why == NULL && reason.len == 0)
		buf_adds(&reason, "Reconcile");
	buf_reset(&scratch);
	buf_addspan(
	    &message, json_string(json_get(words, "message"), &scratch));
	buf_adds(&message, why != NULL ? why : "");
	/* The cause of a Warning was logged by ireconcile, or the status has
	 * it. */
	if (!warning && a->w.recorder != NULL && !s->plain) {
		buf_addf(&line, "%s: %s", buf_str(&reason), buf_str(&message));
		log_about(LOG_INFO, s, buf_str(&line));
	}
	buf_reset(&scratch);
	tell(a, s, warning ? RECORDER_WARNING : RECORDER_NORMAL,
	    buf_str(&reason), buf_span(&message),
	    json_string(json_get(event, "component"), &scratch));
	buf_release(&reason);
	buf_release(&message);
	buf_release(&line);
	buf_release(&scratch);
}

static bool
may_be_told(const struct set *s, struct span event)
{
	if (json_type(event) != JSON_OBJECT)
		return false;
	if (!redacted_in(event))
		return true;
	log_warning("an Event about %.*s %.*s/%.*s has " REDACTED_DIGEST
		    ": it is not recorded",
	    SPAN_ARG(s->primary.kind), SPAN_ARG(s->primary.namespace_),
	    SPAN_ARG(s->primary.name));
	return false;
}

void
report_events(struct apply *a, const struct set *s)
{
	struct json_elements list = json_elements(s->events);

	while (json_element(&list))
		if (json_type(json_get(list.value, "object")) != JSON_STRING &&
		    may_be_told(s, list.value))
			tell_event(a, s, list.value, NULL);
}

static bool
is_about(struct span event, const struct item *i)
{
	return json_is(json_get(event, "object"), i->key);
}

/* Events for an item that cannot be written, and why. False: none has words for
 * that. */
static bool
tell_failed(
    struct apply *a, const struct set *s, const struct item *i, const char *why)
{
	struct json_elements list = json_elements(s->events);
	bool told = false;

	while (json_element(&list)) {
		struct span event = list.value;

		if (json_type(json_get(event, "failure")) != JSON_OBJECT ||
		    !is_about(event, i) || !may_be_told(s, event))
			continue;
		tell_event(a, s, event, why);
		told = true;
	}
	return told;
}

/* ---- what is done, or has failed ---- */

/* Where results are printed they are not logged as well. */
void
report_written(struct apply *a, const struct set *s, const struct item *i,
    const char *result)
{
	struct json_elements list = json_elements(s->events);
	struct buf b = BUF_INIT, why = BUF_INIT;

	report_result(a, s, i, result, NULL);
	while (strcmp(result, "unchanged") != 0 && json_element(&list))
		if (is_about(list.value, i) && may_be_told(s, list.value))
			tell_event(a, s, list.value, NULL);
	/* The name of what is created is known nowhere else. */
	if ((s->plain && i->op != OP_CREATE) || a->o->output == OUTPUT_RESULT ||
	    strcmp(result, "unchanged") == 0 || !log_is_on(LOG_INFO))
		return;
	buf_addf(&b, "%s ", result);
	objref_add_label(&b, &i->id);
	if (i->foreign)
		buf_adds(&b, ", which was not a member");
	if (i->partial == PARTIAL_RELEASE)
		buf_adds(&b, ", fields were given back");
	if (writer_opts.dry_run)
		buf_adds(&b, " (dry run)");
	because_add(&why, s, i, result);
	if (why.len > 0)
		buf_addf(&b, ": %s", buf_str(&why));
	log_about(LOG_INFO, s, buf_str(&b));
	buf_release(&b);
	buf_release(&why);
}

void
report_finalizers(struct apply *a, const struct set *s, const struct item *i)
{
	bool adding = i->op == OP_ADD_FINALIZERS;
	const char *what = i->marks_only ? "wrote the marks of"
	    : adding			 ? "added"
					 : "removed";
	struct json_elements list = json_elements(i->text);
	struct buf b = BUF_INIT, name = BUF_INIT;

	buf_addc(&b, '{');
	json_add_key(&b, i->marks_only ? "mark" : adding ? "add" : "remove");
	buf_addspan(&b, i->text);
	buf_addc(&b, '}');
	report_part(a, s, "finalizers", buf_span(&b));
	while (a->o->output != OUTPUT_RESULT && json_element(&list)) {
		buf_reset(&b);
		buf_reset(&name);
		buf_addf(&b, "%s finalizer %.*s%s", what,
		    SPAN_ARG(json_string(list.value, &name)),
		    writer_opts.dry_run ? " (dry run)" : "");
		log_about(LOG_INFO, s, buf_str(&b));
	}
	buf_release(&b);
	buf_release(&name);
}

void
report_loop(struct apply *a, const struct set *s, const struct item *i)
{
	struct buf b = BUF_INIT, path = BUF_INIT;

	objref_add_label(&b, &i->id);
	buf_addf(&b, ": %.*s is changed back again and again, last by %s",
	    SPAN_ARG(json_string(i->text, &path)), i->found);
	because_add_values(&b, s, i);
	log_about(LOG_WARNING, s, buf_str(&b));
	tell(a, s, RECORDER_WARNING, "RepairLoop", buf_span(&b), SPAN_NONE);
	buf_release(&b);
	buf_release(&path);
}

void
report_held(
    struct apply *a, struct set *s, struct item *i, enum prunelimit_scope scope)
{
	struct buf b = BUF_INIT;

	i->failure.recorded = true; /* an Event is for all of the primary */
	if (!s->held_told)
		tell_item(a, s,
		    &(struct item_event_text){
			i, "deleted", RECORDER_WARNING, "PruneBrake"},
		    span_str(i->failure.error));
	s->held_told = true;
	if (i->held != PRUNELIMIT_OFF)
		return;
	i->held = scope;
	if (!prunelimit_hold(&a->prunelimit, s->key, scope))
		return;
	if (scope == PRUNELIMIT_ALL) {
		log_error(
		    "more than %ld deletions within a minute for primaries "
		    "that "
		    "stay: no more of them until the sets no longer request "
		    "them; fix the program or its input, or, if they are "
		    "intended, start again with a higher --prune-limit",
		    a->o->prune_limit);
		reportfd_unready(&a->w.report, "prune",
		    "too many deletions within a minute: the rest is held "
		    "back");
		return;
	}
	/* The primary that deletes too much is named; others are not
	 * affected. */
	buf_addf(&b,
	    "more than %ld deletions within a minute, most of them for this "
	    "primary: no more of its deletions until its set no longer "
	    "requests them; fix the program or its input, or, if they are "
	    "intended, start again with a higher --prune-limit",
	    a->o->prune_limit);
	log_about(LOG_ERROR, s, buf_str(&b));
	buf_release(&b);
}

void
report_let_go(struct apply *a, const struct set *s, struct item *i)
{
	enum prunelimit_scope scope = i->held;

	i->held = PRUNELIMIT_OFF;
	if (scope == PRUNELIMIT_OFF ||
	    !prunelimit_let_go(&a->prunelimit, s->key, scope))
		return;
	if (scope == PRUNELIMIT_PRIMARY) {
		log_about(LOG_INFO, s, "no deletion is held back any more");
		return;
	}
	log_info("no deletion is held back any more");
	reportfd_unready(&a->w.report, "prune", NULL);
}

void
report_adopted(struct apply *a, const struct set *s, const struct item *i)
{
	struct buf b = BUF_INIT;

	objref_add_label(&b, &i->id);
	buf_addf(&b, ": %s, by its label %.*s=%.*s",
	    writer_opts.dry_run ? "would be adopted" : "adopted",
	    SPAN_ARG(s->adopt), SPAN_ARG(s->primary.name));
	log_about(LOG_INFO, s, buf_str(&b));
	tell_item(a, s,
	    &(struct item_event_text){
		i, "configured", RECORDER_NORMAL, "Adopted"},
	    buf_span(&b));
	buf_release(&b);
}

/* In the result line the object is named already. */
static const char *
reason_of(const struct item *i)
{
	struct buf name = BUF_INIT;
	const char *at;

	objref_add_label(&name, &i->id);
	buf_adds(&name, ": ");
	at = strstr(i->failure.error, buf_str(&name));
	at = at == NULL ? i->failure.error : at + name.len;
	buf_release(&name);
	return at;
}

/* For each try: Events live an hour, and a repetition only counts up. */
static void
record_failure(struct apply *a, const struct set *s, struct item *i)
{
	static const char *const reasons[] = {"FailedLook", "FailedLook",
	    "FailedFinalizer", "FailedApply", "FailedDelete", "FailedFinalizer",
	    "FailedCreate"};
	struct item_failure *f = &i->failure;

	if (f->recorded)
		return;
	f->recorded = true;
	if (f->reason == NULL && tell_failed(a, s, i, reason_of(i)))
		return;
	tell_item(a, s,
	    &(struct item_event_text){i, "failed", RECORDER_WARNING,
		f->reason != NULL ? f->reason : reasons[i->op]},
	    span_str(f->error));
}

/* Items that wait for one that has failed are said to, once, and the first of
 * them is appended for people: "; A waits for B (and 2 more)". True: news. */
static bool
report_waiting(struct apply *a, struct set *s, struct buf *b)
{
	const struct item **causes = setorder_causes(s);
	size_t count = 0;
	bool news = false;

	for (size_t n = 0; causes != NULL && n < s->count; n++) {
		struct item *i = &s->items[n];
		struct buf text = BUF_INIT;

		if (causes[n] == NULL)
			continue;
		if (count++ == 0) {
			buf_adds(b, "; ");
			objref_add_label(b, &i->id);
			buf_adds(b, " waits for ");
			objref_add_label(b, &causes[n]->id);
		}
		buf_adds(&text, "cannot apply ");
		objref_add_label(&text, &i->id);
		buf_adds(&text, ": it waits for ");
		objref_add_label(&text, &causes[n]->id);
		buf_adds(&text, ", which failed");
		if (i->failure.error == NULL ||
		    strcmp(i->failure.error, buf_str(&text)) != 0) {
			free(i->failure.error);
			i->failure.error = buf_take(&text);
			i->failure.reported = false;
		}
		buf_release(&text);
		if (i->failure.reported)
			continue;
		i->failure.reported = news = true;
		log_about(LOG_ERROR, s, i->failure.error);
		report_result(a, s, i, "failed", reason_of(i));
	}
	if (count > 1)
		buf_addf(b, " (and %zu more)", count - 1);
	free(causes);
	return news;
}

void
report_failures(struct apply *a, struct set *s)
{
	const char *first = NULL; /* the error of the first */
	struct buf error = BUF_INIT, waiting = BUF_INIT;
	bool news = false;
	size_t count = 0;

	for (size_t n = 0; n < s->count; n++) {
		struct item *i = &s->items[n];

		if (i->phase != s->phase || !itemstate_has_failed(i->state))
			continue;
		if (first == NULL)
			first = i->failure.error;
		count++;
		record_failure(a, s, i);
		news = news || !i->failure.reported;
		if (i->failure.reported)
			continue;
		i->failure.reported = true;
		log_about(LOG_ERROR, s, i->failure.error);
		report_result(a, s, i, "failed", reason_of(i));
	}
	news = report_waiting(a, s, &waiting) || news;
	if (first != NULL && s->on_error.n != 0 && (news || !s->error_told)) {
		buf_addspan(&error,
		    span_make(
			first, utf8_cut(span_str(first), ERROR_TEXT_MAX)));
		if (strlen(first) > ERROR_TEXT_MAX)
			buf_adds(&error, "...");
		if (count > 1)
			buf_addf(&error, " (and %zu more)", count - 1);
		buf_addspan(&error, buf_span(&waiting));
		send_on_error(a, s, buf_span(&error));
	}
	buf_release(&error);
	buf_release(&waiting);
}

/* ---- counters and metrics ---- */

void
report_counters(void *arg, struct buf *b)
{
	const struct apply *a = arg;
	const struct apply_counters *c = &a->counters;
	const struct recorder *r = a->w.recorder;

	reportfd_count(b, "created", c->created);
	reportfd_count(b, "applied", c->applied);
	reportfd_count(b, "unchanged", c->unchanged);
	reportfd_count(b, "deleted", c->deleted);
	reportfd_count(b, "failures", a->w.failures);
	reportfd_count(b, "stale", c->stale);
	reportfd_count(b, "status_lines", c->status_lines);
	reportfd_count(b, "events", r != NULL ? recorder_count(r) : 0);
	reportfd_count(b, "keys", a->w.keys.count);
	reportfd_count(b, "in_flight", a->w.queue.in_flight);
}

/* Primaries with requests in flight right now. */
static void
add_work(struct apply *a, struct metric_lines *m)
{
	uint64_t now = clock_ms();
	const struct key *k;
	bool busy = false;

	writestats_begin(&a->w.writestats);
	for (size_t i = 0; (k = map_next(&a->w.keys, &i)) != NULL;) {
		if (k->writestat == NULL || k->flying == 0)
			continue;
		writestat_busy(k->writestat, now - k->busy_ms);
		busy = true;
	}
	if (busy)
		reportfd_again(&a->w.report);
	writestats_metrics(&a->w.writestats, m);
}

void
report_samples(void *arg, struct metric_lines *m)
{
	struct apply *a = arg;
	const struct apply_counters *c = &a->counters;
	const struct {
		const char *name;
		uint64_t count;
	} results[] = {
	    {"created", c->created},
	    {"configured", c->applied},
	    {"unchanged", c->unchanged},
	    {"deleted", c->deleted},
	    {"failed", a->w.failures},
	};

	add_work(a, m);
	for (size_t i = 0; i < COUNT(results); i++)
		metric_add(m, METRIC_APPLIED, METRIC_LABELS(results[i].name),
		    (double)results[i].count);
	metric_add(m, METRIC_STALE, NULL, (double)c->stale);
	metric_add(m, METRIC_PRUNES_HELD, NULL, (double)a->prunelimit.held);
}
