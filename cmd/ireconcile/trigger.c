#include "trigger.h"

#include <stdlib.h>

#include "json/json.h"
#include "state/sched.h"
#include "value/objref.h"

static const char *const timer_names[WAKE_REASONS] = {
    [WAKE_REQUEUE] = "requeue",
    [WAKE_PERIOD] = "reconcilePeriod",
    [WAKE_DEADLINE] = "a deadline",
    [WAKE_AGAIN] = "a line to repeat",
    [WAKE_BACKOFF] = "a back-off",
    [WAKE_HELD] = "the end of a hold",
    [WAKE_SLOT] = "the end of a slot"};

static void
add_timers(struct buf *b, unsigned timers)
{
	struct buf names = BUF_INIT;

	for (unsigned i = 0; i < WAKE_REASONS; i++)
		if ((timers & 1u << i) != 0)
			buf_addf(&names, "%s%s", names.len > 0 ? ", " : "",
			    timer_names[i]);
	buf_addc(b, '{');
	json_add_key(b, "timer");
	json_add_string(b, buf_span(&names));
	buf_addc(b, '}');
	buf_release(&names);
}

/* A member with a text of `from`, as it stands there; or nothing. */
static void
copy_text(struct buf *b, struct span from, const char *key)
{
	struct span value = json_get(from, key);

	if (json_type(value) != JSON_STRING)
		return;
	json_add_key(b, key);
	buf_addspan(b, value);
}

static void
add_event(struct buf *b, struct span text)
{
	struct span frame = text, object = json_get(text, "object"), metadata;

	if (object.p == NULL) {
		object = text;
		frame = SPAN_NONE;
	}
	metadata = json_get(object, "metadata");
	buf_addc(b, '{');
	if (frame.p != NULL)
		copy_text(b, frame, "type");
	else
		buf_adds(b, "\"type\":\"ADDED\"");
	copy_text(b, object, "apiVersion");
	copy_text(b, object, "kind");
	copy_text(b, metadata, "namespace");
	copy_text(b, metadata, "name");
	copy_text(b, metadata, "resourceVersion");
	if (frame.p != NULL) {
		copy_text(b, frame, "manager");
		copy_text(b, frame, "time");
	}
	buf_addc(b, '}');
}

void
trigger_document(struct trigger *now, struct span document)
{
	*now =
	    (struct trigger){.document = document, .number = now->number + 1};
}

void
trigger_timers(struct trigger *now, unsigned timers)
{
	*now = (struct trigger){.timers = timers, .number = now->number + 1};
}

void
trigger_over(struct trigger *now)
{
	*now = (struct trigger){.number = now->number};
}

static void
add_trigger(struct buf *b, const struct trigger *now)
{
	if (now->timers != 0)
		add_timers(b, now->timers);
	else
		add_event(b, now->document);
}

void
trigger_note(const struct trigger *now, struct primary *p)
{
	struct buf all = BUF_INIT;

	if ((now->document.p == NULL && now->timers == 0) ||
	    p->trigger_number == now->number)
		return;
	p->trigger_number = now->number;
	if (p->triggers++ >= PRIMARY_TRIGGERS_MAX)
		return;
	if (p->trigger != NULL)
		buf_addf(&all, "%s,", p->trigger);
	add_trigger(&all, now);
	free(p->trigger);
	p->trigger = buf_take_exact(&all);
}

static void
describe_first(struct buf *b, struct span event)
{
	struct span timer = json_raw_string(json_get(event, "timer"));
	struct span type = json_raw_string(json_get(event, "type"));
	struct arena names = ARENA_INIT;
	struct objref id = {.kind = json_raw_string(json_get(event, "kind")),
	    .namespace_ = json_name(json_get(event, "namespace"), &names),
	    .name = json_name(json_get(event, "name"), &names)};

	if (timer.p != NULL) {
		buf_addf(b, "timer: %.*s", SPAN_ARG(timer));
		return;
	}
	objref_split(json_raw_string(json_get(event, "apiVersion")), &id.group,
	    &id.version);
	buf_addf(b, "%.*s ", SPAN_ARG(type));
	if (span_is(type, "BOOKMARK"))
		objref_add_kind(b, id.kind, id.group);
	else
		objref_add_key(b, &id);
	arena_release(&names);
}

void
trigger_describe(struct buf *b, const struct primary *p)
{
	if (p->triggers == 0)
		buf_adds(b, "the start");
	else
		describe_first(b, span_str(p->trigger));
	if (p->triggers > 1)
		buf_addf(b, " (and %u more)", p->triggers - 1);
}

void
trigger_forget(struct primary *p)
{
	free(p->trigger);
	p->trigger = NULL;
	p->triggers = 0;
}
