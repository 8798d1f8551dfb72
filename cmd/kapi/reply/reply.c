#include "reply/reply.h"

#include <string.h>

#include "base/utf8.h"
#include "reply/faults.h"
#include "reply/journal.h"
#include "reply/metrics.h"
#include "reply/table.h"
#include "request/origins.h"
#include "request/request.h"
#include "store/store.h"
#include "text/random.h"
#include "text/texts.h"
#include "write/convert.h"

/* All warnings of an answer; when they are more, each is cut to as many
 * characters as the second says. Source: apiserver/pkg/endpoints/filters/
 * warning.go. */
enum { WARNINGS_MAX = 4096, WARNING_CUT = 256, REPLY_WARNINGS = 16 };

static void
add_header(struct httpd_header *headers, size_t *n, const char *name,
    struct span value)
{
	headers[*n].name = span_str(name);
	headers[*n].value = value;
	(*n)++;
}

static struct span
warning_header(struct arena *a, struct span text, size_t max)
{
	char *p, *out;
	size_t n = utf8_cut(text, max);

	p = out = arena_alloc(a, 2 * n + 10);
	out = mempcpy(out, "299 - \"", 7);
	for (size_t i = 0; i < n; i++) {
		if (text.p[i] == '"' || text.p[i] == '\\')
			*out++ = '\\';
		*out++ = (unsigned char)text.p[i] < ' ' ? ' ' : text.p[i];
	}
	*out++ = '"';
	return span_make(p, (size_t)(out - p));
}

static void
add_warnings(struct request *r, struct httpd_header *headers, size_t *n)
{
	const struct warnings *w = &r->warnings;
	size_t total = 0, cut = SIZE_MAX;

	for (size_t i = 0; i < w->n; i++)
		total += w->items[i].n;
	if (total > WARNINGS_MAX)
		cut = WARNING_CUT;
	total = 0;
	for (size_t i = 0, said = 0; i < w->n && said < REPLY_WARNINGS; i++) {
		if (texts_have(w->items, i, w->items[i]))
			continue;
		total += w->items[i].n < cut ? w->items[i].n : cut;
		if (total > WARNINGS_MAX)
			return;
		said++;
		add_header(headers, n, "warning",
		    warning_header(&r->arena, w->items[i], cut));
	}
}

size_t
reply_headers(
    struct request *r, struct httpd_header *headers, const char *content_type)
{
	struct span audit = httpd_header(r->http, "audit-id");
	size_t n = 0;

	if (audit.n == 0 || audit.n > 64) {
		char *id = arena_alloc(&r->arena, RANDOM_UUID + 1);

		random_uuid(RANDOM_ANSWERS, id);
		audit = span_make(id, RANDOM_UUID);
	}
	add_header(headers, &n, "audit-id", audit);
	add_header(headers, &n, "cache-control", span_str("no-cache, private"));
	if (content_type != NULL)
		add_header(headers, &n, "content-type", span_str(content_type));
	if (r->warnings.n > 0)
		add_warnings(r, headers, &n);
	return n + origins_headers(r, headers + n);
}

/* An answer to send. Either body or text is set. */
struct answer {
	int code;
	const char *type;
	struct span body;
	struct text *text;
	struct span reason;
	long retry_after;
	bool nosniff;
	const struct httpd_header *extra;
	size_t extra_count;
};

static void
set_header(
    struct httpd_header *headers, size_t *n, const struct httpd_header *h)
{
	for (size_t i = 0; i < *n; i++)
		if (span_eq(headers[i].name, h->name)) {
			headers[i].value = h->value;
			return;
		}
	headers[(*n)++] = *h;
}

/* An answer that waits; in the arena of its request. */
struct kept {
	struct request *r;
	struct answer answer;
};

static void send(struct request *r, const struct answer *w);

static void
send_kept(void *arg)
{
	const struct kept *k = arg;

	send(k->r, &k->answer);
}

/* Keeps the answer until the plan lets it go. */
static void
wait(struct request *r, const struct answer *w)
{
	struct arena *a = &r->arena;
	struct kept *k = arena_alloc(a, sizeof *k);
	struct httpd_header *extra = arena_grow(
	    a, (void *)w->extra, w->extra_count, w->extra_count, sizeof *extra);

	for (size_t i = 0; i < w->extra_count; i++) {
		extra[i].name = arena_span(a, extra[i].name);
		extra[i].value = arena_span(a, extra[i].value);
	}
	*k = (struct kept){r, *w};
	k->answer.extra = extra;
	k->answer.reason = arena_span(a, w->reason);
	k->answer.body =
	    arena_span(a, w->text != NULL ? text_span(w->text) : w->body);
	k->answer.text = NULL;
	faults_wait(r, w->code, send_kept, k);
}

static void
send(struct request *r, const struct answer *w)
{
	struct httpd_header headers[REPLY_HEADERS_MAX];
	size_t n;

	if (faults_answer_waits(r)) {
		wait(r, w);
		return;
	}
	if (r->api->faults != NULL && faults_answer(r, w->code))
		return;
	if (r->api->journal != NULL)
		journal_write(r->api->journal, r, w->code, w->reason);
	metrics_count(r, w->code);
	n = reply_headers(r, headers, w->type);
	if (w->retry_after > 0)
		add_header(headers, &n, "retry-after",
		    arena_printf(&r->arena, "%ld", w->retry_after));
	if (w->nosniff)
		add_header(
		    headers, &n, "x-content-type-options", span_str("nosniff"));
	for (size_t i = 0; i < w->extra_count; i++)
		set_header(headers, &n, &w->extra[i]);
	if (w->text != NULL)
		httpd_reply_text(r->exchange, w->code, headers, n, w->text);
	else
		httpd_reply(r->exchange, w->code, headers, n, w->body);
	request_free(r);
}

static const char json_type_name[] = "application/json";

void
reply_typed(
    struct request *r, int code, const char *content_type, struct span body)
{
	send(r,
	    &(struct answer){.code = code, .type = content_type, .body = body});
}

void
reply_with(struct request *r, int code, const char *content_type,
    const struct httpd_header *extra, size_t count, struct text *text)
{
	send(r,
	    &(struct answer){.code = code,
		.type = content_type,
		.text = text,
		.extra = extra,
		.extra_count = count});
}

static void
send_json(struct request *r, struct answer *w)
{
	struct buf b = BUF_INIT;

	w->type = json_type_name;
	if (r->as == AS_YAML) {
		pretty_yaml(&b, w->body);
		w->type = "application/yaml";
		w->body = buf_span(&b);
	} else if (w->code == 406 || pretty_is_wanted(r)) {
		pretty_json(&b, w->body);
		w->body = buf_span(&b);
	}
	send(r, w);
	buf_release(&b);
}

void
reply_json(struct request *r, int code, struct span json)
{
	struct answer w = {.code = code, .body = json};

	send_json(r, &w);
}

void
reply_text(struct request *r, int code, struct text *t)
{
	struct answer w = {.code = code, .type = json_type_name, .text = t};

	if (r->as == AS_YAML || pretty_is_wanted(r))
		reply_json(r, code, text_span(t));
	else
		send(r, &w);
}

/* An object in the form that was asked for. */
static void
reply_form(struct request *r, int code, struct span json)
{
	struct problem *p = table_answer(r, &json);

	if (p != NULL)
		reply_problem(r, p);
	else
		reply_json(r, code, json);
}

void
reply_object(struct request *r, int code, struct node *object)
{
	struct buf b = BUF_INIT;
	struct span json;

	tree_write(&b, object);
	json = buf_span(&b);
	if ((r->as == AS_TABLE || r->as == AS_PARTIAL) &&
	    !tree_text_is(tree_get(object, "kind"), "Status"))
		reply_form(r, code, json);
	else
		reply_json(r, code, json);
	buf_release(&b);
}

void
reply_stored(struct request *r, int code, const struct stored *o)
{
	struct text *t;

	if (!convert_is_stored(r->resource)) {
		reply_object(r, code, convert_read(&r->arena, r->resource, o));
	} else if (r->as == AS_TABLE || r->as == AS_PARTIAL) {
		reply_form(r, code, text_span(o->json));
	} else {
		/* The request may be gone before its answer is sent. */
		t = text_ref(o->json);
		reply_text(r, code, t);
		text_unref(t);
	}
}

void
reply_problem(struct request *r, const struct problem *p)
{
	struct buf b = BUF_INIT;
	struct answer w = {.code = p->code,
	    .reason = p->reason,
	    .retry_after = p->retry_after};

	tree_write(&b, problem_status(&r->arena, p));
	w.body = buf_span(&b);
	send_json(r, &w);
	buf_release(&b);
}

struct text *
reply_error_event(struct request *r, const struct problem *p)
{
	struct buf b = BUF_INIT;
	struct text *t;

	buf_adds(&b, "{\"type\":\"ERROR\",\"object\":");
	tree_write(&b, problem_status(&r->arena, p));
	buf_adds(&b, "}\n");
	t = text_make(buf_span(&b));
	buf_release(&b);
	return t;
}

void
reply_plain(struct request *r, int code, const char *text)
{
	send(r,
	    &(struct answer){.code = code,
		.type = "text/plain; charset=utf-8",
		.body = span_str(text),
		.nosniff = true});
}

static void
aside(struct request *r, int code, const char *type, struct span body)
{
	struct httpd_header h = {span_str("content-type"), span_str(type)};

	httpd_reply(r->exchange, code, &h, 1, body);
	request_free(r);
}

void
reply_aside(struct request *r, struct span lines)
{
	aside(r, 200, "application/jsonl", lines);
}

void
reply_aside_error(
    struct request *r, int code, const char *reason, const char *message)
{
	struct problem *p =
	    problem_make(&r->arena, code, reason, "%s", message);
	struct buf b = BUF_INIT;

	tree_write(&b, problem_status(&r->arena, p));
	aside(r, code, json_type_name, buf_span(&b));
	buf_release(&b);
}

/* ---- later ---- */

/* In the arena of r. */
struct wait {
	struct request *r;
	struct timer timer;
	loop_fn *then;
	void *arg;
};

static void
over(void *arg)
{
	struct wait *w = arg;

	httpd_on_close(w->r->exchange, NULL, NULL);
	w->then(w->arg);
}

static void
gave_up(void *arg)
{
	struct wait *w = arg;

	loop_cancel(w->r->api->loop, &w->timer);
	journal_write(w->r->api->journal, w->r, 0, SPAN_NONE);
	request_free(w->r);
}

void
reply_later(struct request *r, uint64_t ms, loop_fn *then, void *arg)
{
	struct wait *w = arena_zalloc(&r->arena, sizeof *w);

	w->r = r;
	w->then = then;
	w->arg = arg;
	httpd_on_close(r->exchange, gave_up, w);
	loop_after(r->api->loop, &w->timer, ms, over, w);
}
