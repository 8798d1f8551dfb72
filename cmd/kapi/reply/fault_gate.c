/* Part of reply/faults.h: holding, cutting or ending the events of a watch. */
#include "reply/faults.h"

#include <stdlib.h>

#include "base/mem.h"
#include "httpd/httpd.h"
#include "reply/fault.h"
#include "reply/reply.h"
#include "request/request.h"

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

/* Ends the watch instead of sending the event, or behind its first bytes. */
static int
end(struct fault_gate *g, const struct text *event)
{
	size_t n = g->f.bytes < event->n ? g->f.bytes : event->n;
	struct text *part;

	if (g->f.kind == FAULT_END) {
		httpd_end(g->exchange);
	} else if (g->f.kind == FAULT_CUT) {
		part = text_make(span_make(event->p, n));
		if (httpd_send(g->exchange, part) == 0)
			httpd_cut(g->exchange);
		text_unref(part);
	} else if (httpd_send(g->exchange, g->error) == 0)
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
	if (g->seen == g->f.event && g->f.kind != FAULT_HOLD &&
	    g->f.kind != FAULT_DUPLICATE)
		return end(g, event);
	return httpd_send(g->exchange, event);
}
