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

/* A message and a reason of these sizes fit into an Event (kube/recorder.h). */
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
		.component = component.n > 0 ? component : engine_manager(a, s),
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

/* With the reason from because.h, in brackets; long messages give way to it. The
 * reason is the same for each try, so that repetitions of the Event are counted. */
void
announce_item(struct apply *a, const struct set *s,
    const struct announce_how *is, struct span message)
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
	announce_tell(a, s, is->type, is->reason, buf_span(&b));
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
	if (!warning && a->w.recorder != NULL && !s->plain)
		report_event(s, buf_str(&reason), span_str(buf_str(&message)));
	buf_reset(&scratch);
	tell(a, s, warning ? RECORDER_WARNING : RECORDER_NORMAL,
	    buf_str(&reason), buf_span(&message),
	    json_string(json_get(event, "component"), &scratch));
	buf_release(&reason);
	buf_release(&message);
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
announce_send(struct apply *a, const struct set *s)
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

void
announce_written(struct apply *a, const struct set *s, const struct item *i,
    const char *result)
{
	struct json_elements list = json_elements(s->events);

	while (strcmp(result, "unchanged") != 0 && json_element(&list))
		if (is_about(list.value, i) && may_be_told(s, list.value))
			tell_event(a, s, list.value, NULL);
}

bool
announce_failed(
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
