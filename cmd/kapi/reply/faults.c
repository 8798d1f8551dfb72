#include "reply/faults.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "process/file.h"
#include "reply/fault.h"
#include "reply/journal.h"
#include "reply/reply.h"
#include "request/request.h"
#include "request/users.h"
#include "store/store.h"

enum { FILE_MIB = 16 };

struct fault_entry {
	struct fault_entry *next;
	struct arena arena;
	struct fault f;
	struct span line;
	uint64_t seen, taken;
};

struct faults {
	struct api *api;
	struct fault_entry *entries, **end;
};

/* A request that waits. */
struct waiting {
	struct request *r;
	const struct fault *f;
	void (*go_on)(struct request *r);
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
	if (fault_parse(&a, e->line, &e->f, err) != 0) {
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

static struct fault *
copy_of(const struct fault *f, struct arena *a)
{
	struct fault *copy = arena_alloc(a, sizeof(*copy));

	*copy = *f;
	if (f->reason.p != NULL)
		copy->reason = arena_span(a, f->reason);
	if (f->message.p != NULL)
		copy->message = arena_span(a, f->message);
	return copy;
}

/* The fault for r, in its arena, or NULL. Every line counts what it matches,
 * also what another one takes. */
static const struct fault *
take(struct faults *f, struct request *r)
{
	const struct fault *taken = NULL;

	for (struct fault_entry **link = &f->entries; *link != NULL;) {
		struct fault_entry *e = *link;

		if (matches(&e->f, r) && ++e->seen >= e->f.nth &&
		    taken == NULL) {
			taken = copy_of(&e->f, &r->arena);
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
	case FAULT_DELAY:
	case FAULT_HOLD:
	case FAULT_DUPLICATE:
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

bool
faults_before(struct request *r, void (*go_on)(struct request *r))
{
	struct faults *plan = r->api->faults;
	const struct fault *f;
	struct waiting *w;

	if (plan == NULL || plan->entries == NULL)
		return false;
	f = take(plan, r);
	if (f == NULL)
		return false;
	r->fault = fault_name(&r->arena, f);
	/* The fault "hold" delays the event, not the request. */
	if (f->delay_ms == 0 || f->kind == FAULT_HOLD)
		return act(r, f);
	w = arena_alloc(&r->arena, sizeof(*w));
	*w = (struct waiting){r, f, go_on};
	reply_later(r, f->delay_ms, waited, w);
	return true;
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
	else
		break_off(r, f, code);
	return true;
}

static void
add_plan(const struct faults *f, struct buf *b)
{
	for (const struct fault_entry *e = f->entries; e != NULL; e = e->next) {
		buf_adds(b, "{\"line\":");
		buf_addspan(b, e->line);
		buf_addf(b, ",\"matched\":%llu,\"taken\":%llu}\n",
		    (unsigned long long)e->seen, (unsigned long long)e->taken);
	}
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

	if (!span_is(r->http->path, "/kapi/faults"))
		return false;
	if (span_is(method, "GET") || span_is(method, "HEAD")) {
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

/* ---- holding or ending the events of a watch ---- */

struct fault_gate {
	struct loop *loop;
	struct exchange *exchange;
	struct fault f;
	struct text *error; /* the ERROR event of a code */
	uint64_t seen;
	bool open; /* held events were let go */
	struct text **held;
	size_t held_count;
	struct timer timer;
	loop_fn *on_end;
	void *arg;
};

struct fault_gate *
faults_gate(struct request *r, loop_fn *on_end, void *arg)
{
	struct fault_gate *g;

	if (r->gate_fault == NULL)
		return NULL;
	g = mem_zalloc(sizeof(*g));
	g->loop = r->api->loop;
	g->exchange = r->exchange;
	g->f = *r->gate_fault;
	g->on_end = on_end;
	g->arg = arg;
	if (g->f.kind == FAULT_CODE)
		g->error = reply_error_event(r, fault_problem(r, &g->f));
	return g;
}

void
fault_gate_free(struct fault_gate *g)
{
	if (g == NULL)
		return;
	loop_cancel(g->loop, &g->timer);
	for (size_t i = 0; i < g->held_count; i++)
		text_unref(g->held[i]);
	free(g->held);
	text_unref(g->error);
	free(g);
}

static void
let_go(void *arg)
{
	struct fault_gate *g = arg;
	int rc = 0;

	g->open = true;
	for (size_t i = 0; i < g->held_count; i++) {
		if (rc == 0)
			rc = httpd_send(g->exchange, g->held[i]);
		text_unref(g->held[i]);
	}
	g->held_count = 0;
	if (rc != 0)
		g->on_end(g->arg);
}

/* Holds back an event and all behind it: a watch keeps their order. */
static int
hold(struct fault_gate *g, struct text *event)
{
	g->held = mem_grow(g->held, g->held_count, sizeof(*g->held));
	g->held[g->held_count++] = text_ref(event);
	if (g->held_count == 1 && g->f.delay_ms > 0)
		loop_after(g->loop, &g->timer, g->f.delay_ms, let_go, g);
	return 0;
}

/* Ends the watch instead of sending the event. */
static int
end(struct fault_gate *g)
{
	if (g->f.kind == FAULT_CUT)
		httpd_cut(g->exchange);
	else if (httpd_send(g->exchange, g->error) == 0)
		httpd_end(g->exchange);
	return -1;
}

int
fault_gate_send(struct fault_gate *g, struct text *event)
{
	g->seen++;
	if (g->f.kind == FAULT_HOLD && g->seen >= g->f.event && !g->open)
		return hold(g, event);
	if (g->seen == g->f.event && g->f.kind == FAULT_DUPLICATE &&
	    httpd_send(g->exchange, event) != 0)
		return -1;
	if (g->seen == g->f.event &&
	    (g->f.kind == FAULT_CUT || g->f.kind == FAULT_CODE))
		return end(g);
	return httpd_send(g->exchange, event);
}
