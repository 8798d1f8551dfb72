#include "record/opstate.h"

#include <stdbool.h>

#include "json/json.h"
#include "process/clock.h"

enum {
	STAGES_MAX = 256, /* stages whose starts are told */
	SECOND_US = 1000 * 1000,
	LATE_US = 10 * SECOND_US /* a process that is first seen later than
				  * this has not just been started */
};

void
opstate_release(struct opstate *s)
{
	buf_release(&s->segment);
	buf_release(&s->told);
	buf_release(&s->state);
	buf_release(&s->text);
	textlist_release(&s->started);
}

static void
tell(struct opstate *s, enum opstate_sort sort)
{
	s->fn(s->arg, sort, buf_span(&s->text));
	buf_reset(&s->text);
}

static void
take(struct buf *to, struct span text)
{
	buf_reset(to);
	buf_addspan(to, text);
}

/* ---- versions ---- */

/* "KEY by OLD -> NEW" behind *lead, which is a comma then; nothing if both are
 * the same. */
static void
add_version(struct buf *b, const char **lead, struct span key,
    struct span before, struct span after)
{
	if (span_eq(before, after))
		return;
	buf_addf(b, "%s%.*s%s", *lead, SPAN_ARG(key), key.n > 0 ? " by " : "");
	*lead = ", ";
	if (before.p != NULL) {
		json_add_decoded(b, before);
		buf_adds(b, " -> ");
	}
	if (after.p != NULL)
		json_add_decoded(b, after);
	else
		buf_adds(b, "nothing");
}

/* The differences between tool and programs of two segments. False: none. */
static bool
add_versions(
    struct buf *b, const char *lead, struct span before, struct span after)
{
	struct span old = json_get(before, "programs");
	struct span new = json_get(after, "programs");
	size_t start = b->len;

	add_version(b, &lead, SPAN_NONE, json_get(before, "tool"),
	    json_get(after, "tool"));
	for (struct json_members m = json_members(new); json_member(&m);)
		add_version(b, &lead, m.key, json_get_raw(old, m.key), m.value);
	for (struct json_members m = json_members(old); json_member(&m);)
		if (json_get_raw(new, m.key).p == NULL)
			add_version(b, &lead, m.key, m.value, SPAN_NONE);
	return b->len > start;
}

/* The segment's versions, unless they were told. */
static void
tell_versions(struct opstate *s)
{
	if (add_versions(&s->text, "from here on: ", buf_span(&s->told),
		buf_span(&s->segment)))
		tell(s, OPSTATE_VERSION);
	take(&s->told, buf_span(&s->segment));
}

/* ---- states ---- */

/* "12 s", "5 min", "3 h" */
static void
add_age(struct buf *b, int64_t us)
{
	long long s = us / SECOND_US;

	if (us < SECOND_US)
		buf_adds(b, "less than 1 s");
	else if (s < 120)
		buf_addf(b, "%lld s", s);
	else if (s < 120 * 60)
		buf_addf(b, "%lld min", s / 60);
	else
		buf_addf(b, "%lld h", s / 3600);
}

static void
tell_start(struct opstate *s, struct span started, int64_t seen_us)
{
	int64_t us = 0;

	clock_parse_us(started, &us);
	buf_adds(&s->text, "the operator ");
	if (s->started.count > 0) {
		buf_adds(&s->text, "started again, ");
		if (s->stopped_us == 0) {
			buf_adds(&s->text, "without having stopped before");
		} else {
			add_age(&s->text, us - s->stopped_us);
			buf_adds(&s->text, " after it stopped");
		}
	} else if (seen_us > us + LATE_US) {
		buf_addf(&s->text, "runs since %.*s", SPAN_ARG(started));
	} else {
		buf_adds(&s->text, "started");
	}
	if (!add_versions(
		&s->text, ": ", buf_span(&s->told), buf_span(&s->segment)) &&
	    s->started.count > 0 && s->told.len > 0)
		buf_adds(&s->text, "; the same version");
	take(&s->told, buf_span(&s->segment));
	textlist_add(&s->started, started.p, started.n);
	buf_reset(&s->state);
	tell(s, OPSTATE_START);
}

static void
tell_stop(
    struct opstate *s, struct span before, struct span now, int64_t seen_us)
{
	struct span phase = json_get(now, "phase");
	bool ends = json_is(phase, "draining");

	if (span_eq(phase, json_get(before, "phase")))
		return;
	s->stopped_us = 0;
	if (!ends && !json_is(phase, "stopping"))
		return;
	s->stopped_us = seen_us;
	buf_adds(&s->text,
	    ends ? "the operator stops" : "the operator stops its stages");
	tell(s, ends ? OPSTATE_STOP : OPSTATE_STAGE);
}

static void
tell_leader(struct opstate *s, struct span before, struct span now)
{
	struct span old = json_get(before, "leader");
	struct span leader = json_get(now, "leader");

	if (leader.p == NULL || span_eq(leader, old))
		return;
	buf_adds(&s->text, "the operator ");
	if (json_type(leader) == JSON_TRUE)
		buf_adds(&s->text, "became the leader");
	else
		buf_adds(&s->text,
		    old.p == NULL ? "is not the leader, and waits"
				  : "is not the leader any more");
	tell(s, OPSTATE_LEADER);
}

static void
tell_stages(struct opstate *s, struct span before, struct span now)
{
	struct json_members m = json_members(now);

	for (size_t i = 0; i < STAGES_MAX && json_member(&m); i++) {
		int64_t old = 0, starts = 0;

		json_int(json_get(json_get_raw(before, m.key), "starts"), &old);
		if (!json_int(json_get(m.value, "starts"), &starts) ||
		    starts <= old || starts < 2)
			continue;
		buf_addf(&s->text, "%.*s was started again (start %lld)",
		    SPAN_ARG(m.key), (long long)starts);
		tell(s, OPSTATE_STAGE);
	}
}

static void
tell_reason(struct opstate *s, struct span before, struct span now)
{
	struct span reason = json_get(now, "reason");

	if (span_eq(reason, json_get(before, "reason")))
		return;
	if (reason.p == NULL) {
		buf_adds(&s->text, "the operator is ready again");
	} else {
		buf_adds(&s->text, "the operator is not ready: ");
		json_add_decoded(&s->text, reason);
	}
	tell(s, OPSTATE_REASON);
}

static void
take_state(struct opstate *s, const struct reading_line *line)
{
	struct span now = line->body, before;
	struct span started = json_raw_string(json_get(now, "started"));
	int64_t seen_us = 0;

	if (json_get(now, "phase").p == NULL)
		return; /* a report of a stage */
	clock_parse_us(line->time, &seen_us);
	if (started.n > 0 && !textlist_has(&s->started, started.p, started.n))
		tell_start(s, started, seen_us);
	else
		tell_versions(s);
	before = buf_span(&s->state);
	tell_leader(s, before, now);
	tell_stages(s, json_get(before, "stages"), json_get(now, "stages"));
	tell_reason(s, before, now);
	tell_stop(s, before, now, seen_us);
	take(&s->state, now);
}

void
opstate_line(struct opstate *s, const struct reading_line *line)
{
	switch (line->kind) {
	case READING_SEGMENT:
		take(&s->segment, line->text);
		break;
	case READING_STATE:
		take_state(s, line);
		break;
	case READING_SET:
	case READING_RESULT:
		/* The state of the process that made it would have been told. */
		tell_versions(s);
		break;
	default:
		break;
	}
}
