/*
 * Part of apply.h: Events about primaries: those of the program, and kapply's
 * own errors.
 */
#include "apply.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "json/json.h"
#include "kube/recorder.h"
#include "send.h"

/* Both together fit into an Event (kube/recorder.h). */
enum { MESSAGE_MAX = 700, WHY_MAX = 256 };

/* component: who says it; empty: the field manager. */
static void
tell(struct apply *a, const struct set *s, enum recorder_type type,
    const char *reason, struct span message, struct span component)
{
	/* Plain objects have no primary for an Event; a dry run changes
	 * nothing. */
	if (a->recorder == NULL || s->plain)
		return;
	recorder_add(a->recorder,
	    &(struct recorder_event){
		.about = {s->primary.api_version, s->primary.kind,
		    s->primary.namespace_, s->primary.name, s->primary.uid,
		    s->primary_version},
		.component =
		    component.n > 0 ? component : send_set_manager(a, s),
		.type = type,
		.reason = span_str(reason),
		.message = message});
}

void
announce_tell(struct apply *a, const struct set *s, enum recorder_type type,
    const char *reason, struct span message)
{
	tell(a, s, type, reason, message, span_str(""));
}

/* The reason from because.h, in brackets; long messages give way to it. It is
 * the same for each try, so that repetitions of the Event are counted. */
static void
add_reason(struct buf *b, const struct set *s, const struct item *i,
    const char *result)
{
	struct buf why = BUF_INIT;
	size_t n;

	because_add(&why, s, i, result);
	if (why.len > 0) {
		n = utf8_cut(buf_span(&why), WHY_MAX);
		buf_truncate(b, utf8_cut(buf_span(b), MESSAGE_MAX));
		buf_addf(
		    b, " (%.*s%s)", (int)n, why.data, n < why.len ? "..." : "");
	}
	buf_release(&why);
}

void
announce_item(struct apply *a, const struct set *s,
    const struct announce_how *is, struct span message)
{
	struct buf b = BUF_INIT;

	buf_addspan(&b, message);
	add_reason(&b, s, is->item, is->result);
	announce_tell(a, s, is->type, is->reason, buf_span(&b));
	buf_release(&b);
}

static void
tell_one(struct apply *a, const struct set *s, struct span event)
{
	struct buf reason = BUF_INIT, message = BUF_INIT, component = BUF_INIT;
	bool warning = json_is(json_get(event, "type"), "Warning");
	struct span text;

	buf_addspan(&reason, json_string(json_get(event, "reason"), &message));
	if (reason.len == 0)
		buf_adds(&reason, "Reconcile");
	buf_reset(&message);
	text = json_string(json_get(event, "message"), &message);
	if (text.n == 0)
		text = span_str("");
	if (!warning && a->recorder != NULL && !s->plain)
		report_event(s, buf_str(&reason), text);
	tell(a, s, warning ? RECORDER_WARNING : RECORDER_NORMAL,
	    buf_str(&reason), text,
	    json_string(json_get(event, "component"), &component));
	buf_release(&component);
	buf_release(&reason);
	buf_release(&message);
}

void
announce_send(struct apply *a, const struct set *s)
{
	struct json_elements list = json_elements(s->events);

	while (json_element(&list))
		if (json_type(list.value) == JSON_OBJECT)
			tell_one(a, s, list.value);
}
