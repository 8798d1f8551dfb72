#include "reply/faults.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "process/clock.h"
#include "process/file.h"
#include "reply/fault.h"
#include "reply/journal.h"
#include "reply/reply.h"
#include "request/request.h"
#include "request/users.h"
#include "store/store.h"
#include "type/resource.h"

enum { FILE_MIB = 16 };

struct fault_entry {
	struct fault_entry *next;
	struct arena arena;
	struct fault f;
	struct span line;
	uint64_t seen, taken;
	uint64_t until; /* clock_ms; once taken, with for_ms */
};

/* A request that waits; in its arena. */
struct waiting {
	struct request *r;
	const struct fault *f;
	void (*go_on)(struct request *r);
	/* For POST /kapi/continue. */
	int code;      /* of the answer that is ready; 0: none is */
	loop_fn *then; /* sends it */
	void *arg;
	struct waiting *next, **link;
};

struct faults {
	struct api *api;
	struct fault_entry *entries, **end;
	struct waiting *paused;
};

struct faults *
faults_new(struct api *api)
{
	struct faults *f = mem_zalloc(sizeof(*f));

	f->api = api;
	f->end = &f->entries;
	return f;
}

static void
entry_free(struct fault_entry *e)
{
	struct arena a = e->arena; /* e is in it */

	arena_release(&a);
}

static void
forget(struct fault_entry *e)
{
	while (e != NULL) {
		struct fault_entry *next = e->next;

		entry_free(e);
		e = next;
	}
}

void
faults_free(struct faults *f)
{
	if (f == NULL)
		return;
	forget(f->entries);
	free(f);
}

static struct fault_entry *
entry_new(struct span line, struct err *err)
{
	struct arena a = ARENA_INIT;
	struct fault_entry *e = arena_zalloc(&a, sizeof(*e));

	e->line = arena_span(&a, line);
	if (fault_parse(&a, FAULT_PARSE_LINE, e->line, &e->f, err) != 0) {
		arena_release(&a);
		return NULL;
	}
	e->arena = a;
	return e;
}

static bool
is_blank(struct span line)
{
	for (size_t i = 0; i < line.n; i++)
		if (strchr(" \t\r", line.p[i]) == NULL)
			return false;
	return true;
}

/* Adds all of these lines or none. what: the file, or "plan", for errors. */
static int
take_plan(
    struct faults *f, const char *what, struct span lines, struct err *err)
{
	struct fault_entry *first = NULL, **end = &first;
	size_t number = 0;

	while (lines.n > 0) {
		struct span line = span_cut(&lines, '\n');
		struct fault_entry *e;

		number++;
		if (is_blank(line))
			continue;
		e = entry_new(line, err);
		if (e == NULL) {
			forget(first);
			return err_prefix(err, "%s:%zu", what, number);
		}
		*end = e;
		end = &e->next;
	}
	if (first == NULL)
		return 0;
	*f->end = first;
	f->end = end;
	return 0;
}

int
faults_load(struct faults *f, const char *file, struct err *err)
{
	struct buf b = BUF_INIT;
	int rc = file_read(file, FILE_MIB, &b, err);

	if (rc == 0)
		rc = take_plan(f, file, buf_span(&b), err);
	buf_release(&b);
	return rc;
}

static bool
fits(struct span pattern, struct span text)
{
	return pattern.p == NULL || fault_glob(pattern, text);
}

static bool
matches(const struct fault *f, const struct request *r)
{
	if (f->kind == FAULT_MUTATE && r->verb != REQUEST_CREATE &&
	    r->verb != REQUEST_UPDATE && r->verb != REQUEST_PATCH)
		return false;
	return fits(f->verb, span_str(request_verb_name(r->verb))) &&
	    fits(f->group, r->group) && fits(f->resource, r->plural) &&
	    fits(f->subresource, r->subresource) &&
	    fits(f->namespace_, r->namespace_) && fits(f->name, r->name) &&
	    fits(f->path, r->http->path) && fits(f->query, r->http->query) &&
	    fits(f->user, r->user) && fits(f->user_agent, r->user_agent) &&
	    fits(f->field_manager, r->field_manager);
}

static void
entry_remove(struct faults *f, struct fault_entry **link)
{
	struct fault_entry *e = *link;

	*link = e->next;
	if (f->end == &e->next)
		f->end = link;
	entry_free(e);
}

static bool
is_over(const struct fault_entry *e)
{
	return e->f.for_ms > 0 && e->taken > 0 && clock_ms() >= e->until;
}

static void
drop_old(struct faults *f)
{
	for (struct fault_entry **link = &f->entries; *link != NULL;)
		if (is_over(*link))
			entry_remove(f, link);
		else
			link = &(*link)->next;
}

/* The fault for r, in its arena, or NULL. Every line counts what it matches,
 * also what another one takes. */
static struct fault *
take(struct faults *f, struct request *r)
{
	struct fault *taken = NULL;

	drop_old(f);
	for (struct fault_entry **link = &f->entries; *link != NULL;) {
		struct fault_entry *e = *link;

		if (matches(&e->f, r) && ++e->seen >= e->f.nth &&
		    taken == NULL) {
			taken = fault_copy(&r->arena, &e->f);
			if (e->taken == 0)
				e->until = clock_ms() + e->f.for_ms;
			if (++e->taken == e->f.count) {
				entry_remove(f, link);
				continue;
			}
		}
		link = &e->next;
	}
	return taken;
}

/* The connection goes, with no answer. */
static void
break_off(struct request *r, const struct fault *f, int code)
{
	struct exchange *x = r->exchange;

	journal_write(r->api->journal, r, code, SPAN_NONE);
	if (f->kind == FAULT_FREEZE)
		httpd_freeze(x);
	else
		httpd_cut(x);
	request_free(r);
}

/* Makes the fault f. true: r was answered or cut, and is freed. */
static bool
act(struct request *r, const struct fault *f)
{
	if (f->after) {
		r->answer_fault = f;
		return false;
	}
	if (f->event > 0) {
		r->gate_fault = f;
		return false;
	}
	switch (f->kind) {
	case FAULT_CODE:
		reply_problem(r, fault_problem(r, f));
		return true;
	case FAULT_CUT:
	case FAULT_FREEZE:
		break_off(r, f, 0);
		return true;
	case FAULT_GOAWAY:
		httpd_goaway(r->exchange);
		return false;
	case FAULT_STALE:
		r->stale = f->versions;
		return false;
	case FAULT_COMPACT:
		store_compact(r->api->store);
		return false;
	case FAULT_MUTATE:
		r->mutation = f->patch;
		return false;
	case FAULT_DELAY:
	case FAULT_HOLD:
	case FAULT_DUPLICATE:
	case FAULT_END:
		return false;
	}
	return false;
}

static void
waited(void *arg)
{
	struct waiting w = *(struct waiting *)arg; /* in the arena of r */

	if (!act(w.r, w.f))
		w.go_on(w.r);
}

/* The fault f, after its delay. true: r was answered or waits. */
static bool
start(struct request *r, const struct fault *f, void (*go_on)(struct request *))
{
	struct waiting *w;

	/* The fault "hold" delays the event, not the request. */
	if (f->delay_ms == 0 || f->kind == FAULT_HOLD)
		return act(r, f);
	w = arena_zalloc(&r->arena, sizeof(*w));
	*w = (struct waiting){.r = r, .f = f, .go_on = go_on};
	reply_later(r, f->delay_ms, waited, w);
	return true;
}

/* ---- requests that wait until they are told to go on ---- */

static void
unlink_waiting(struct waiting *w)
{
	*w->link = w->next;
	if (w->next != NULL)
		w->next->link = w->link;
}

static void
gave_up(void *arg)
{
	struct waiting *w = arg;

	unlink_waiting(w);
	journal_write(w->r->api->journal, w->r, w->code, SPAN_NONE);
	request_free(w->r);
}

static void
wait_for_word(struct waiting *w)
{
	struct faults *f = w->r->api->faults;

	w->next = f->paused;
	w->link = &f->paused;
	if (w->next != NULL)
		w->next->link = &w->next;
	f->paused = w;
	httpd_on_close(w->r->exchange, gave_up, w);
	journal_pause(w->r->api->journal, w->r, w->code);
}

/* Goes on with f, or, if it says nothing, with what the plan said. */
static void
resume(struct waiting *w, struct fault *f)
{
	struct request *r = w->r;

	unlink_waiting(w);
	httpd_on_close(r->exchange, NULL, NULL);
	f->after |= w->then != NULL;
	if (f->kind != FAULT_DELAY || f->delay_ms > 0) {
		w->f = fault_copy(&r->arena, f);
		r->fault = fault_name(&r->arena, w->f);
	}
	if (w->then == NULL) {
		if (!start(r, w->f, w->go_on))
			w->go_on(r);
		return;
	}
	/* The definition of the kind may have gone meanwhile. */
	r->resource = !r->on_resource
	    ? NULL
	    : resource_find(r->api->registry, r->group, r->version, r->plural);
	r->answer_fault = w->f;
	w->then(w->arg);
}

bool
faults_before(struct request *r, void (*go_on)(struct request *r))
{
	struct faults *plan = r->api->faults;
	struct fault *f;
	struct waiting *w;

	if (plan == NULL || plan->entries == NULL)
		return false;
	f = take(plan, r);
	if (f == NULL)
		return false;
	r->fault = fault_name(&r->arena, f);
	/* A watch has no work that could be done first. */
	if (!f->pause || (f->after && r->verb != REQUEST_WATCH))
		return start(r, f, go_on);
	f->pause = false;
	w = arena_zalloc(&r->arena, sizeof(*w));
	*w = (struct waiting){.r = r, .f = f, .go_on = go_on};
	wait_for_word(w);
	return true;
}

bool
faults_answer_waits(const struct request *r)
{
	return r->answer_fault != NULL && r->answer_fault->pause;
}

void
faults_wait(struct request *r, int code, loop_fn *then, void *arg)
{
	struct fault *f = fault_copy(&r->arena, r->answer_fault);
	struct waiting *w = arena_zalloc(&r->arena, sizeof(*w));

	f->pause = false;
	*w = (struct waiting){
	    .r = r, .f = f, .code = code, .then = then, .arg = arg};
	wait_for_word(w);
}

bool
faults_answer(struct request *r, int code)
{
	const struct fault *f = r->answer_fault;

	if (f == NULL)
		return false;
	r->answer_fault = NULL;
	if (f->kind == FAULT_CODE)
		reply_problem(r, fault_problem(r, f));
	else if (f->kind == FAULT_FREEZE ||
	    (f->kind == FAULT_CUT && f->bytes == 0))
		break_off(r, f, code);
	else {
		if (f->kind == FAULT_CUT)
			httpd_cut_after(r->exchange, f->bytes);
		return false;
	}
	return true;
}

static int
check_done(const struct fault *f, struct err *err)
{
	if (f->kind == FAULT_CODE || f->kind == FAULT_CUT ||
	    f->kind == FAULT_FREEZE ||
	    (f->kind == FAULT_DELAY && f->delay_ms == 0))
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "request %" PRIu64 ": its work is done: want code, cut or freeze",
	    f->paused);
}

static void
serve_continue(struct request *r)
{
	struct waiting *w = r->api->faults->paused;
	struct err err = ERR_INIT;
	struct fault f;

	if (!span_is(r->http->method, "POST")) {
		reply_aside_error(
		    r, 405, "MethodNotAllowed", "want POST on /kapi/continue");
		return;
	}
	if (fault_parse(&r->arena, FAULT_PARSE_CONTINUE, r->http->body, &f,
		&err) != 0) {
		reply_aside_error(r, 422, "Invalid", err.message);
		return;
	}
	while (w != NULL && w->r->number != f.paused)
		w = w->next;
	if (w == NULL)
		reply_aside_error(r, 404, "NotFound", "no such request waits");
	else if (w->then != NULL && check_done(&f, &err) != 0)
		reply_aside_error(r, 422, "Invalid", err.message);
	else {
		resume(w, &f);
		reply_aside(r, SPAN_NONE);
	}
}

/* ---- /kapi/faults ---- */

static void
add_plan(const struct faults *f, struct buf *b)
{
	for (const struct fault_entry *e = f->entries; e != NULL; e = e->next) {
		buf_adds(b, "{\"line\":");
		buf_addspan(b, e->line);
		buf_addf(b, ",\"matched\":%llu,\"taken\":%llu}\n",
		    (unsigned long long)e->seen, (unsigned long long)e->taken);
	}
	for (const struct waiting *w = f->paused; w != NULL; w = w->next)
		buf_addf(b, "{\"paused\":%" PRIu64 "}\n", w->r->number);
}

void
faults_forget(struct faults *f)
{
	forget(f->entries);
	f->entries = NULL;
	f->end = &f->entries;
}

bool
faults_serve(struct request *r)
{
	struct faults *f = r->api->faults;
	struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	struct span method = r->http->method;

	if (span_is(r->http->path, "/kapi/continue")) {
		serve_continue(r);
		return true;
	}
	if (!span_is(r->http->path, "/kapi/faults"))
		return false;
	if (span_is(method, "GET") || span_is(method, "HEAD")) {
		drop_old(f);
		add_plan(f, &b);
	} else if (span_is(method, "DELETE")) {
		faults_forget(f);
	} else if (!span_is(method, "POST")) {
		reply_aside_error(r, 405, "MethodNotAllowed",
		    "want GET, POST or DELETE on /kapi/faults");
		return true;
	} else if (take_plan(f, "plan", r->http->body, &err) != 0) {
		reply_aside_error(r, 422, "Invalid", err.message);
		return true;
	}
	reply_aside(r, buf_span(&b));
	buf_release(&b);
	return true;
}
