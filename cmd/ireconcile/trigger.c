#include "trigger.h"

#include <stdlib.h>

#include "json/json.h"
#include "state/sched.h"
#include "value/objref.h"

static const char *const timer_names[SCHED_REASONS] = {
    [SCHED_REQUEUE] = "requeue",
    [SCHED_PERIOD] = "reconcilePeriod",
    [SCHED_DEADLINE] = "a deadline",
    [SCHED_AGAIN] = "a line to repeat",
    [SCHED_BACKOFF] = "a back-off",
    [SCHED_RATE] = "evaluationsPerMinute",
    [SCHED_HELD] = "the end of a hold",
    [SCHED_SLOT] = "the end of a slot"};

static void
add_timers(struct buf *b, unsigned timers)
{
	struct buf names = BUF_INIT;

	for (unsigned i = 0; i < SCHED_REASONS; i++)
		if ((timers & 1u << i) != 0)
			buf_addf(&names, "%s%s", names.len > 0 ? ", " : "",
			    timer_names[i]);
	buf_addc(b, '{');
	json_add_key(b, "timer");
	json_add_string(b, buf_span(&names));
	buf_addc(b, '}');
	buf_release(&names);
}

/* Adds a member with this text (JSON) unchanged; nothing if it is not a
 * text. */
static void
add_text(struct buf *b, const char *key, struct span value)
{
	if (json_type(value) != JSON_STRING)
		return;
	json_add_key(b, key);
	buf_addspan(b, value);
}

static void
add_event(struct buf *b, const struct event *e)
{
	struct span metadata = json_get(e->object, "metadata");

	buf_addc(b, '{');
	add_text(
	    b, "type", e->type.p != NULL ? e->type : span_str("\"ADDED\""));
	add_text(b, "apiVersion", json_get(e->object, "apiVersion"));
	add_text(b, "kind", json_get(e->object, "kind"));
	add_text(b, "namespace", json_get(metadata, "namespace"));
	add_text(b, "name", json_get(metadata, "name"));
	add_text(b, "resourceVersion", json_get(metadata, "resourceVersion"));
	add_text(b, "manager", e->manager);
	add_text(b, "time", e->time);
	buf_addc(b, '}');
}

void
trigger_event(struct trigger *now, const struct event *event)
{
	*now = (struct trigger){.event = event, .number = now->number + 1};
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

void
trigger_note(const struct trigger *now, struct primary *p)
{
	struct buf all = BUF_INIT;

	if ((now->event == NULL && now->timers == 0) ||
	    p->work.trigger_number == now->number)
		return;
	p->work.trigger_number = now->number;
	if (p->work.triggers++ >= FAIRQUEUE_TRIGGERS_MAX)
		return;
	if (p->work.trigger != NULL)
		buf_addf(&all, "%s,", p->work.trigger);
	if (now->timers != 0)
		add_timers(&all, now->timers);
	else
		add_event(&all, now->event);
	free(p->work.trigger);
	p->work.trigger = buf_take_exact(&all);
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
	if (p->work.triggers == 0)
		buf_adds(b, "the start");
	else
		describe_first(b, span_str(p->work.trigger));
	if (p->work.triggers > 1)
		buf_addf(b, " (and %u more)", p->work.triggers - 1);
}

void
trigger_forget(struct primary *p)
{
	free(p->work.trigger);
	p->work.trigger = NULL;
	p->work.triggers = 0;
}
