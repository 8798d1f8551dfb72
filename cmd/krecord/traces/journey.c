#include "traces/journey.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "process/clock.h"
#include "record/reading.h"

/* ---- those under way, in the order of their last answers ---- */

static void
append(struct journeys *all, struct journey *j)
{
	j->after = NULL;
	j->before = all->youngest;
	if (j->before != NULL)
		j->before->after = j;
	else
		all->oldest = j;
	all->youngest = j;
}

static void
take_out(struct journeys *all, struct journey *j)
{
	if (j->before != NULL)
		j->before->after = j->after;
	else
		all->oldest = j->after;
	if (j->after != NULL)
		j->after->before = j->before;
	else
		all->youngest = j->before;
}

static void
finish(struct journeys *all, struct journey *j)
{
	take_out(all, j);
	map_del(&all->by_primary, span_str(j->primary));
	all->fn(all->arg, j);
	free(j->primary);
	free(j->namespace_);
	free(j->manager);
	free(j->events);
	free(j->steps);
	buf_release(&j->texts);
	free(j);
}

/* ---- what a set asks for ---- */

static size_t
count_elements(struct span array)
{
	size_t n = 0;

	for (struct json_elements e = json_elements(array); json_element(&e);)
		n++;
	return n;
}

/* Events of a recording may be later than the set: clocks are set. */
static void
take_because(struct journey *j, struct span because)
{
	struct span events = json_get(because, "events");
	struct json_elements e = json_elements(events);
	int64_t us, more;

	while (json_element(&e))
		if (clock_parse_us(
			json_raw_string(json_get(e.value, "time")), &us) == 0 &&
		    us < j->first_us)
			j->first_us = us;
	if (json_int(json_get(because, "moreEvents"), &more) && more > 0)
		j->more_events = (size_t)more;
	if (json_type(events) == JSON_ARRAY && events.n <= JOURNEY_TEXTS_MAX)
		j->events = mem_dup(events.p, events.n);
}

static void
take_set(struct journeys *all, struct span set, int64_t us)
{
	struct span r = json_get(set, "reconcile");
	struct objref o = reading_ref(json_get(r, "primary"), &all->names);
	struct span manager = json_name(json_get(r, "manager"), &all->names);
	struct buf key = BUF_INIT;
	struct journey *j;

	objref_add_key(&key, &o);
	j = map_get(&all->by_primary, buf_span(&key));
	if (j != NULL)
		finish(all, j);
	j = mem_zalloc(sizeof(*j));
	j->primary = buf_take(&key);
	j->namespace_ = mem_dup(o.namespace_.p, o.namespace_.n);
	j->kind_n = o.kind.n;
	j->manager =
	    manager.n > 0 ? mem_dup(manager.p, manager.n) : mem_strdup("kpipe");
	j->first_us = j->set_us = j->last_us = us;
	j->asked = count_elements(json_get(set, "items")) +
	    count_elements(json_get(r, "delete")) +
	    (json_type(json_get(r, "status")) == JSON_OBJECT);
	take_because(j, json_get(r, "because"));
	map_put(&all->by_primary, span_str(j->primary), j);
	append(all, j);
	if (all->by_primary.count > JOURNEYS_MAX)
		finish(all, all->oldest);
}

/* ---- answers ---- */

static size_t
keep(struct journey *j, struct span text)
{
	size_t at = j->texts.len;

	buf_addspan(&j->texts, text);
	buf_addc(&j->texts, '\0');
	return at;
}

static void
add_step(struct journey *j, struct span result, const struct objref *o,
    struct arena *names, bool of_status, int64_t us)
{
	struct span outcome = json_raw_string(json_get(result, "result"));
	struct journey_step *s;
	struct buf key = BUF_INIT;

	if (j->step_count == JOURNEY_STEPS_MAX ||
	    j->texts.len + result.n > JOURNEY_TEXTS_MAX)
		return;
	j->steps = mem_array(j->steps, j->step_count + 1, sizeof(*s));
	s = &j->steps[j->step_count++];
	objref_add_key(&key, o);
	*s = (struct journey_step){.from_us = j->set_us,
	    .to_us = us,
	    .kind = keep(j, o->kind),
	    .object = keep(j, buf_span(&key)),
	    .result = keep(j, outcome),
	    .message = keep(j, json_name(json_get(result, "message"), names)),
	    .because = keep(j, json_name(json_get(result, "because"), names)),
	    .of_status = of_status,
	    .failed = span_is(outcome, "failed")};
	if (of_status && j->status_us > 0)
		s->from_us = j->status_us;
	if (s->from_us > us)
		s->from_us = us;
	buf_release(&key);
}

static void
take_result(
    struct journeys *all, struct span result, bool of_status, int64_t us)
{
	struct objref o = reading_ref(result, &all->names);
	struct span primary =
	    json_name(json_get(result, "primary"), &all->names);
	struct buf key = BUF_INIT;
	struct journey *j;

	objref_add_key(&key, &o);
	j = map_get(&all->by_primary, of_status ? buf_span(&key) : primary);
	buf_release(&key);
	if (j == NULL)
		return;
	add_step(j, result, &o, &all->names, of_status, us);
	/* Finalizers are answered besides what was counted. */
	j->answered +=
	    json_type(json_get(result, "finalizers")) == JSON_INVALID;
	j->failed = j->failed ||
	    span_is(json_raw_string(json_get(result, "result")), "failed");
	if (us > j->last_us)
		j->last_us = us;
	take_out(all, j);
	append(all, j);
	/* After a failure there is a status that was not counted. */
	if (j->answered >= j->asked && (!j->failed || of_status))
		finish(all, j);
}

static void
take_status(struct journeys *all, struct span status, int64_t us)
{
	struct objref o = reading_ref(status, &all->names);
	struct buf key = BUF_INIT;
	struct journey *j;

	objref_add_key(&key, &o);
	j = map_get(&all->by_primary, buf_span(&key));
	buf_release(&key);
	if (j != NULL)
		j->status_us = us;
}

void
journeys_pass(struct journeys *all, int64_t us)
{
	while (all->oldest != NULL &&
	    us - all->oldest->last_us > INT64_C(1000) * JOURNEY_MS)
		finish(all, all->oldest);
}

void
journeys_line(struct journeys *all, const struct reading_line *line)
{
	int64_t us;

	if (clock_parse_us(line->time, &us) != 0)
		return;
	journeys_pass(all, us);
	arena_reset(&all->names);
	if (line->kind == READING_SET)
		take_set(all, line->body, us);
	else if (line->kind == READING_STATUS)
		take_status(all, line->body, us);
	else if (line->kind == READING_RESULT)
		take_result(all, line->body,
		    json_is(json_get(line->text, "tool"), "kstatus"), us);
}

void
journeys_end(struct journeys *all)
{
	while (all->oldest != NULL)
		finish(all, all->oldest);
	map_release(&all->by_primary);
	arena_release(&all->names);
}
