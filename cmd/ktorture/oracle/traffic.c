#include "oracle/traffic.h"

#include "json/jvtext.h"

enum { WINDOW_US = 3 * 1000 * 1000 };

static bool
is_write(const struct played_request *r)
{
	static const char *const writes[] = {
	    "create", "update", "patch", "delete", "deletecollection", NULL};

	return span_is_one_of(r->verb, writes);
}

/* Elections and Events go on beside the work. */
static bool
is_beside(const struct played_request *r)
{
	return span_is(r->resource, "leases") || span_is(r->resource, "events");
}

static void
count_requests(struct traffic *t, const struct played *p, int64_t late)
{
	size_t oldest = 0, in_window = 0;

	for (size_t i = 0; i < p->request_count; i++) {
		const struct played_request *r = &p->requests[i];

		if (r->by != ACTOR_OPERATOR)
			continue;
		t->requests++;
		t->writes += is_write(r) && !is_beside(r) && r->code != 0;
		t->late_requests += r->us >= late &&
		    !span_is(r->verb, "watch") && !is_beside(r);
		in_window++;
		for (; p->requests[oldest].us < r->us - WINDOW_US; oldest++)
			in_window -= p->requests[oldest].by == ACTOR_OPERATOR;
		if (in_window > t->peak) {
			t->peak = in_window;
			t->peak_us = r->us;
		}
	}
}

static void
count_changes(struct traffic *t, const struct played *p, int64_t late)
{
	int64_t asked = p->begin_us;

	for (size_t i = 0; i < p->change_count; i++) {
		const struct played_change *c = &p->changes[i];

		if (c->by == ACTOR_CLIENT || c->by == ACTOR_CLUSTER)
			asked = c->us;
		if (c->by != ACTOR_OPERATOR || played_is_aside(c->life->kind))
			continue;
		t->changes++;
		if (c->us - asked > t->slowest_us)
			t->slowest_us = c->us - asked;
		if (c->us >= late) {
			t->late_changes++;
			t->late = c;
		}
	}
}

/* When the last fault was over, as far as that is known: one may come late, at a
 * watch that begins again. */
static int64_t
faults_end(const struct played *p)
{
	int64_t end = 0;

	for (int i = 0, n = played_length(p->record); i < n; i++) {
		jv line = played_at(p->record, i);
		int64_t us;

		if (!jv_is_valid(jvtext_peek(line, "fault")))
			continue;
		us = played_number(line, "time", 0) +
		    played_number(line, "dueMs", 0) * 1000;
		if (us > end)
			end = us;
	}
	return end;
}

void
traffic_count(struct traffic *t, const struct played *p)
{
	int64_t from = p->last_step_us != 0 ? p->last_step_us : p->begin_us;
	int64_t late = from + (p->end_us - from) / 2;
	int64_t over = faults_end(p);

	*t = (struct traffic){0};
	if (late < over)
		late = over;
	if (late <= from)
		late = INT64_MAX; /* no end, or no silence before it */
	count_requests(t, p, late);
	count_changes(t, p, late);
}

static size_t
more(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void
check_silence(const struct traffic *is, size_t changes, size_t requests,
    struct violations *f)
{
	/* In a clean record, too, it may write all the time. */
	size_t may = changes == 0 ? 0 : changes + changes / 2 + 2;

	if (is->late_changes > may)
		violations_add(f, "silence", is->late->life->label,
		    "the operator still changes it when it should be silent: "
		    "%zu changes, should be %zu",
		    is->late_changes, changes);
	may = 2 * requests + 10;
	if (is->late_requests > may)
		violations_add(f, "silence", SPAN_NONE,
		    "%zu requests when the operator should be silent, should "
		    "be %zu",
		    is->late_requests, requests);
}

/* Without a fault, too: ireconcile has noticed that what it says feeds itself. */
static void
check_loops(const struct played *p, struct violations *f)
{
	for (int i = 0, n = played_length(p->record); i < n; i++) {
		struct span log = played_text(played_at(p->record, i), "log");

		if (span_starts(log, "warning: ") &&
		    span_has(log, " changes again and again ")) {
			violations_add(f, "requests", SPAN_NONE,
			    "the operator writes in a loop: %.*s",
			    SPAN_ARG(log));
			return;
		}
	}
}

void
traffic_check(const struct traffic *clean, const struct traffic *other,
    const struct played *p, struct violations *f)
{
	struct traffic is;
	size_t writes = more(clean->writes, other->writes);
	size_t requests = more(clean->requests, other->requests);
	size_t changes = more(clean->changes, other->changes);
	size_t peak = more(clean->peak, other->peak);

	traffic_count(&is, p);
	if (is.writes > 2 * writes + 50)
		violations_add(f, "requests", SPAN_NONE,
		    "%zu requests that write, should be about %zu", is.writes,
		    writes);
	if (is.changes > 2 * changes + 20)
		violations_add(f, "requests", SPAN_NONE,
		    "%zu changes of objects, should be about %zu", is.changes,
		    changes);
	if (is.requests > 3 * requests + 150)
		violations_add(f, "requests", SPAN_NONE,
		    "%zu requests, should be about %zu", is.requests, requests);
	if (is.peak > 4 * peak + 40)
		violations_add(f, "requests", SPAN_NONE,
		    "a hot loop: %zu requests in three seconds, at %.3f s; in "
		    "a clean run %zu",
		    is.peak, (double)(is.peak_us - p->begin_us) / 1e6, peak);
	check_loops(p, f);
	check_silence(&is, more(clean->late_changes, other->late_changes),
	    more(clean->late_requests, other->late_requests), f);
	if (jv_get_kind(jvtext_peek(p->end, "silent")) == JV_KIND_FALSE)
		violations_add(f, "silence", SPAN_NONE,
		    "the operator is not silent at the end");
}
