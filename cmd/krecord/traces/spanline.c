#include "traces/spanline.h"

#include <string.h>

#include "json/json.h"
#include "process/clock.h"
#include "record/reading.h"
#include "value/digest.h"

enum { TRACE_BYTES = 16, SPAN_BYTES = 8 };
/* SpanKind and StatusCode of the specification. */
enum { KIND_INTERNAL = 1, KIND_CLIENT = 3, CODE_ERROR = 2 };

/* Shared by all spans of a trace. */
struct trace {
	struct buf *b;
	unsigned char id[DIGEST_SIZE]; /* the trace's, and its root's */
	unsigned count;
};

static void
digest(const struct journey *j, unsigned char id[DIGEST_SIZE])
{
	struct buf text = BUF_INIT;

	buf_addf(&text, "%s\n%lld", j->primary, (long long)j->set_us);
	digest_sha256(buf_span(&text), id);
	buf_release(&text);
}

void
spanline_add_trace_id(struct buf *b, const struct journey *j)
{
	unsigned char id[DIGEST_SIZE];

	digest(j, id);
	digest_add_hex(b, id, TRACE_BYTES);
}

static void
add_id(struct buf *b, const char *key, const unsigned char *id, size_t n)
{
	json_add_key(b, key);
	buf_addc(b, '"');
	digest_add_hex(b, id, n);
	buf_addc(b, '"');
}

static void
add_time(struct buf *b, const char *key, int64_t us)
{
	json_add_key(b, key);
	buf_addf(b, "\"%lld000\"", (long long)us);
}

/* An attribute; without a value: nothing. */
static void
add_text(struct buf *b, const char *key, struct span text)
{
	if (text.n == 0)
		return;
	json_add_comma(b);
	buf_addf(b, "{\"key\":\"%s\",\"value\":{\"stringValue\":", key);
	json_add_string(b, text);
	buf_adds(b, "}}");
}

static void
add_number(struct buf *b, const char *key, size_t n)
{
	json_add_comma(b);
	buf_addf(
	    b, "{\"key\":\"%s\",\"value\":{\"intValue\":\"%zu\"}}", key, n);
}

/* Up to the attributes, which are open. The first span is the root of all. */
static void
begin_span(struct trace *t, const char *verb, struct span kind)
{
	bool root = t->count == 0;
	unsigned char id[DIGEST_SIZE];
	struct buf text = BUF_INIT;

	memcpy(id, t->id + TRACE_BYTES, SPAN_BYTES);
	if (!root) {
		buf_add(&text, (const char *)t->id, sizeof(t->id));
		buf_addf(&text, "%u", t->count);
		digest_sha256(buf_span(&text), id);
		buf_release(&text);
	}
	t->count++;
	json_add_comma(t->b);
	buf_addc(t->b, '{');
	add_id(t->b, "traceId", t->id, TRACE_BYTES);
	add_id(t->b, "spanId", id, SPAN_BYTES);
	if (!root)
		add_id(t->b, "parentSpanId", t->id + TRACE_BYTES, SPAN_BYTES);
	buf_addf(t->b, ",\"name\":\"%s%s%.*s\"", verb, kind.n > 0 ? " " : "",
	    SPAN_ARG(kind));
	buf_adds(t->b, ",\"attributes\":[");
}

static void
end_span(struct trace *t, int kind, int64_t from_us, int64_t to_us)
{
	json_add_key(t->b, "kind");
	json_add_int(t->b, kind);
	add_time(t->b, "startTimeUnixNano", from_us);
	add_time(t->b, "endTimeUnixNano", to_us);
	buf_addc(t->b, '}');
}

static void
add_failure(struct trace *t, struct span message)
{
	json_add_key(t->b, "status");
	buf_addf(t->b, "{\"code\":%d", CODE_ERROR);
	if (message.n > 0) {
		json_add_text(t->b, "message", message);
	}
	buf_addc(t->b, '}');
}

/* ---- the spans of a decision ---- */

/* {"type":"MODIFIED",...}, or {"timer":"a deadline"} */
static void
add_event(struct trace *t, const struct journey *j, struct span event)
{
	struct arena names = ARENA_INIT;
	struct objref o = reading_ref(event, &names);
	struct span timer = json_name(json_get(event, "timer"), &names);
	struct buf label = BUF_INIT;
	int64_t us;

	if (clock_parse_us(json_raw_string(json_get(event, "time")), &us) != 0)
		us = j->set_us;
	if (timer.p == NULL) {
		buf_addspan(&label, json_raw_string(json_get(event, "type")));
		buf_addc(&label, ' ');
		objref_add_label(&label, &o);
		timer = buf_span(&label);
	}
	json_add_comma(t->b);
	buf_addc(t->b, '{');
	add_time(t->b, "timeUnixNano", us);
	json_add_text(t->b, "name", timer);
	json_add_key(t->b, "attributes");
	buf_addc(t->b, '[');
	add_text(t->b, "kpipe.manager",
	    json_name(json_get(event, "manager"), &names));
	add_text(t->b, "kpipe.resource_version",
	    json_raw_string(json_get(event, "resourceVersion")));
	buf_adds(t->b, "]}");
	buf_release(&label);
	arena_release(&names);
}

static void
add_root(struct trace *t, const struct journey *j)
{
	struct json_elements e = json_elements(span_str(j->events));

	begin_span(t, "reconcile", span_make(j->primary, j->kind_n));
	add_text(t->b, "kpipe.primary", span_str(j->primary));
	add_text(t->b, "k8s.namespace.name", span_str(j->namespace_));
	add_number(t->b, "kpipe.asked", j->asked);
	add_number(t->b, "kpipe.answered", j->answered);
	buf_adds(t->b, "],\"events\":[");
	while (json_element(&e))
		add_event(t, j, e.value);
	buf_addc(t->b, ']');
	if (j->more_events > 0) {
		json_add_key(t->b, "droppedEventsCount");
		json_add_int(t->b, (int64_t)j->more_events);
	}
	if (j->failed)
		add_failure(t, SPAN_NONE);
	end_span(t, KIND_INTERNAL, j->first_us, j->last_us);
}

static void
add_step(struct trace *t, const struct journey *j, const struct journey_step *s)
{
	const char *texts = j->texts.data;
	bool deleted = strcmp(texts + s->result, "deleted") == 0;
	const char *verb = s->of_status ? "status"
	    : deleted			? "delete"
					: "apply";

	begin_span(t, verb, span_str(texts + s->kind));
	add_text(t->b, "kpipe.object", span_str(texts + s->object));
	add_text(t->b, "kpipe.result", span_str(texts + s->result));
	add_text(t->b, "kpipe.because", span_str(texts + s->because));
	buf_addc(t->b, ']');
	if (s->failed)
		add_failure(t, span_str(texts + s->message));
	end_span(t, KIND_CLIENT, s->from_us, s->to_us);
}

void
spanline_add(struct buf *b, const struct journey *j)
{
	struct trace t = {.b = b};

	digest(j, t.id);
	buf_adds(b, b->len == 0 ? "{\"resourceSpans\":[" : ",");
	buf_adds(b, "{\"resource\":{\"attributes\":[");
	add_text(b, "service.name", span_str(j->manager));
	buf_adds(b,
	    "]},\"scopeSpans\":[{\"scope\":{\"name\":\"kpipe\","
	    "\"version\":\"" KPIPE_VERSION "\"},\"spans\":[");
	add_root(&t, j);
	begin_span(&t, "decide", SPAN_NONE);
	buf_addc(b, ']');
	end_span(&t, KIND_INTERNAL, j->first_us, j->set_us);
	for (size_t i = 0; i < j->step_count; i++)
		add_step(&t, j, &j->steps[i]);
	buf_adds(b, "]}]}");
}

void
spanline_end(struct buf *b)
{
	buf_adds(b, "]}");
}
