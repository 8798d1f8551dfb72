/*
 * Part of apply.h: Events about primaries: those of the program, and kapply's
 * own errors.
 */
#include <string.h>

#include "apply.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "json/json.h"
#include "kube/recorder.h"
#include "process/log.h"
#include "record/redacted.h"
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
	if (a->w.recorder == NULL || s->plain)
		return;
	recorder_add(a->w.recorder,
	    &(struct recorder_event){
		.about = {s->primary.api_version, s->primary.kind,
		    s->primary.namespace_, s->primary.name, s->primary.uid,
		    s->primary_version},
		.component = component.n > 0 ? component : send_manager(a, s),
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

/* A text of value, or SPAN_NONE. */
static struct span
text_of(struct span value, const char *member, struct buf *b)
{
	return json_string(json_get(value, member), b);
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
	if (!warning && a->w.recorder != NULL && !s->plain)
		report_event(s, buf_str(&reason), text);
	tell(a, s, warning ? RECORDER_WARNING : RECORDER_NORMAL,
	    buf_str(&reason), text,
	    json_string(json_get(event, "component"), &component));
	buf_release(&component);
	buf_release(&reason);
	buf_release(&message);
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
announce_send(struct apply *a, const struct set *s)
{
	struct json_elements list = json_elements(s->events);

	while (json_element(&list))
		if (json_type(json_get(list.value, "object")) != JSON_STRING &&
		    may_be_told(s, list.value))
			tell_one(a, s, list.value);
}

static bool
is_about(struct span event, const struct item *i)
{
	struct buf name = BUF_INIT, key = BUF_INIT;
	struct span object = text_of(event, "object", &name);
	bool found = false;

	if (object.p != NULL) {
		objref_add_key(&key, &i->id);
		found = span_eq(object, buf_span(&key));
	}
	buf_release(&name);
	buf_release(&key);
	return found;
}

void
announce_written(struct apply *a, const struct set *s, const struct item *i,
    const char *result)
{
	struct json_elements list = json_elements(s->events);

	while (strcmp(result, "unchanged") != 0 && json_element(&list))
		if (is_about(list.value, i) && may_be_told(s, list.value))
			tell_one(a, s, list.value);
}

static void
tell_failure(
    struct apply *a, const struct set *s, struct span event, const char *why)
{
	struct buf reason = BUF_INIT, message = BUF_INIT, scratch = BUF_INIT;
	struct span failure = json_get(event, "failure");

	buf_addspan(&reason, text_of(failure, "reason", &scratch));
	buf_reset(&scratch);
	buf_addspan(&message, text_of(failure, "message", &scratch));
	buf_adds(&message, why);
	buf_reset(&scratch);
	tell(a, s, RECORDER_WARNING, buf_str(&reason), buf_span(&message),
	    text_of(event, "component", &scratch));
	buf_release(&reason);
	buf_release(&message);
	buf_release(&scratch);
}

bool
announce_failed(
    struct apply *a, const struct set *s, const struct item *i, const char *why)
{
	struct json_elements list = json_elements(s->events);
	bool told = false;

	while (json_element(&list)) {
		if (json_type(json_get(list.value, "failure")) != JSON_OBJECT ||
		    !is_about(list.value, i) || !may_be_told(s, list.value))
			continue;
		tell_failure(a, s, list.value, why);
		told = true;
	}
	return told;
}
