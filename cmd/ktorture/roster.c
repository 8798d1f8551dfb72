#include "roster.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "json/jvtext.h"
#include "relay.h"

enum {
	EVENTS_MAX = 8,
	LINES_MAX = 8,
	RENEWALS_MAX = 1, /* in a step */
	LEASE_READS_MAX = 3
};

void
roster_init(struct roster *p, uint64_t seed)
{
	*p = (struct roster){.arena = ARENA_INIT, .seed = seed};
}

void
roster_release(struct roster *p)
{
	arena_release(&p->arena);
	free(p->singles);
}

/* ---- which faults ---- */

static bool
is_wanted(const struct roster *p, const struct schedule *s)
{
	for (size_t i = 0; i < p->only_count; i++)
		if (strcmp(p->only[i], s->faults[0].kind->name) == 0)
			return true;
	return p->only_count == 0;
}

static void
add(struct roster *p, const struct schedule *s)
{
	if (!is_wanted(p, s))
		return;
	p->singles = mem_grow(p->singles, p->count, sizeof(*s));
	p->singles[p->count++] = *s;
}

static bool
is_of_lease(const struct mishap_point *at)
{
	return span_is(at->resource, "leases.coordination.k8s.io");
}

/* How many instances there are, and whether they elect a leader. */
enum company { COMPANY_NONE, COMPANY_ELECTS, COMPANY_REPLACED };

/* Those that say something of a play of several instances, and of one alone. */
static bool
suits_kind(const struct mishap_kind *k, enum company company, unsigned place)
{
	if (k->act == MISHAP_BESIDE)
		return company == COMPANY_NONE;
	if (company == COMPANY_NONE || (place & MISHAP_LEASES))
		return true;
	return (place & MISHAP_WRITES) &&
	    (k->act == MISHAP_KILL || k->act == MISHAP_STOP ||
		k->act == MISHAP_END);
}

/* Of the others, those that take longer than a lease, or take the lease. */
static bool
suits_arg(struct span arg, enum company company, bool lease)
{
	bool of_election =
	    span_starts(arg, "kelect") || span_starts(arg, "instance");

	if (company == COMPANY_NONE)
		return !of_election;
	if (company == COMPANY_REPLACED && of_election)
		return false;
	return lease || arg.n == 0 || of_election || span_is(arg, "kpipe") ||
	    span_find(arg, ':') != NULL;
}

static void
add_args(struct roster *p, struct schedule s, enum company company)
{
	struct span args = span_str(s.faults[0].kind->args);

	do {
		s.faults[0].arg = span_cut(&args, '|');
		if (!suits_arg(
			s.faults[0].arg, company, is_of_lease(&s.faults[0].at)))
			continue;
		s.faults[0].after = false;
		add(p, &s);
		s.faults[0].after = true;
		if (s.faults[0].kind->both)
			add(p, &s);
	} while (args.p != NULL);
}

static unsigned
place_of(const struct mishap_point *at)
{
	static const char *const writes[] = {
	    "create", "update", "patch", "delete", "deletecollection", NULL};

	if (is_of_lease(at))
		return MISHAP_LEASES | MISHAP_ANY |
		    (span_is_one_of(at->verb, writes) ? MISHAP_WRITES : 0);
	if (span_is(at->verb, "watch"))
		return MISHAP_WATCHES | MISHAP_EVENTS;
	if (span_is(at->verb, "list"))
		return MISHAP_ANY | MISHAP_LISTS;
	if (span_is_one_of(at->verb, writes))
		return MISHAP_ANY | MISHAP_WRITES;
	if (span_is(at->verb, "get"))
		return MISHAP_ANY | MISHAP_GETS;
	return MISHAP_ANY;
}

/* Which events of the watch: changes of objects of the group, at most. */
struct events {
	unsigned first, last;
};

static void
add_faults(struct roster *p, size_t scenario, const struct mishap_point *at,
    unsigned places, struct events events, enum company company)
{
	unsigned place = place_of(at) & places;

	for (const struct mishap_kind *k = mishap_kinds; k->name != NULL; k++) {
		struct schedule s = {.scenario = scenario, .count = 1};

		if (!suits_kind(k, company, place))
			continue;
		s.faults[0].kind = k;
		s.faults[0].at = *at;
		if (k->where & place & ~(unsigned)MISHAP_EVENTS)
			add_args(p, s, company);
		if (!(k->where & place & MISHAP_EVENTS))
			continue;
		for (unsigned i = events.first; i <= events.last; i++) {
			s.faults[0].at.event = i;
			add_args(p, s, company);
		}
	}
}

/* ---- where ---- */

static struct span
text(jv object, const char *key)
{
	struct span t = jvtext_span(jvtext_peek(object, key));

	return t.p != NULL ? t : span_str("");
}

static double
number(jv object, const char *key)
{
	jv n = jvtext_peek(object, key);

	return jv_is_valid(n) ? jv_number_value(n) : 0;
}

/* How many requests of an election there were; its writes in the last step. */
struct renewals {
	double step;
	unsigned writes, reads;
};

/* All, or those behind the first step: the first scenario has the others. */
static struct events
events_after(jv record, int line, struct span group, bool all)
{
	int count = jv_array_length(jv_copy(record)), steps = all ? 2 : 0;
	struct events e = {1, 1};

	for (int i = line; i < count && e.last < e.first + EVENTS_MAX - 1;
	     i++) {
		jv l = jv_array_get(jv_copy(record), i);
		struct span version =
		    text(jvtext_peek(l, "object"), "apiVersion");
		struct span rest = version, head = span_cut(&rest, '/');

		if (jv_is_valid(jvtext_peek(l, "change")) &&
		    span_eq(rest.p != NULL ? head : span_str(""), group))
			e.last++;
		steps += jv_is_valid(jvtext_peek(l, "do"));
		if (steps < 2)
			e.first = e.last + 1;
		jv_free(l);
	}
	return e;
}

/* Which one of its kind; it is added to those seen. */
static unsigned
count_point(struct mishap_point **seen, size_t *count, struct mishap_point *at)
{
	for (size_t i = 0; i < *count; i++)
		if (mishap_point_same(&(*seen)[i], at))
			return ++(*seen)[i].nth;
	*seen = mem_grow(*seen, *count, sizeof(**seen));
	(*seen)[(*count)++] = *at;
	return 1;
}

static enum company
company_in(jv record)
{
	bool elects = false, replaced = false;

	jv_array_foreach(record, i, line)
	{
		elects = elects ||
		    span_is(text(jvtext_peek(line, "request"), "by"), "kelect");
		replaced = replaced ||
		    span_is(text(jvtext_peek(line, "do"), "do"), "replace");
		jv_free(line);
	}
	return elects  ? COMPANY_ELECTS
	    : replaced ? COMPANY_REPLACED
		       : COMPANY_NONE;
}

/* Requests of an election come for ever, one like the other: whether this is one
 * of the first. */
static bool
is_early(struct renewals *r, const struct mishap_point *at, double step)
{
	if (span_is(at->verb, "get"))
		return r->reads++ < LEASE_READS_MAX;
	if (span_is(at->verb, "create"))
		return true;
	if (step != r->step)
		r->writes = 0;
	r->step = step;
	return r->writes++ < RENEWALS_MAX;
}

void
roster_add(struct roster *p, size_t scenario, jv record)
{
	struct mishap_point *seen = NULL;
	size_t seen_count = 0;
	enum company company = company_in(record);
	struct renewals renewals = {0};

	jv_array_foreach(record, i, line)
	{
		jv request = jvtext_peek(line, "request");
		double step = number(request, "step");
		bool all = scenario == 0 || step > 0;
		bool over = jv_is_valid(jvtext_peek(line, "silence"));
		struct mishap_point at;

		if (jv_is_valid(request) &&
		    mishap_point_of(&p->arena, request, &at)) {
			at.nth = count_point(&seen, &seen_count, &at);
			if (is_of_lease(&at)
				? is_early(&renewals, &at, step)
				: !span_is(at.stage, "kelect") || scenario == 0)
				add_faults(p, scenario, &at,
				    all || is_of_lease(&at) ? ~0U
							    : MISHAP_EVENTS,
				    events_after(
					record, i, text(request, "group"), all),
				    company);
		}
		jv_free(line);
		if (over)
			break;
	}
	free(seen);
}

static void
add_line_faults(
    struct roster *p, size_t scenario, const char *stage, unsigned n)
{
	for (const struct mishap_kind *k = mishap_kinds; k->name != NULL; k++) {
		struct schedule s = {.scenario = scenario, .count = 1};

		if (k->where != MISHAP_LINES)
			continue;
		s.faults[0].kind = k;
		s.faults[0].at = (struct mishap_point){.stage = span_str(stage),
		    .verb = span_str("line"),
		    .nth = 1,
		    .event = n};
		add_args(p, s, COMPANY_NONE);
	}
}

void
roster_add_lines(struct roster *p, size_t scenario, jv record)
{
	double first[RELAY_STAGES] = {0}, last[RELAY_STAGES] = {0};
	bool begun = false;

	jv_array_foreach(record, i, line)
	{
		jv lines = jvtext_peek(line, "lines");

		for (size_t k = 0; jv_is_valid(lines) && k < RELAY_STAGES; k++)
			(begun ? last : first)[k] =
			    number(lines, relay_stages[k]);
		begun = begun || jv_is_valid(lines);
		jv_free(line);
	}
	for (size_t k = 0; k < RELAY_STAGES; k++) {
		unsigned n = scenario == 0 ? 0 : (unsigned)first[k];

		for (int left = LINES_MAX; n < (unsigned)last[k] && left > 0;
		     left--)
			add_line_faults(p, scenario, relay_stages[k], ++n);
	}
}

/* ---- the order ---- */

/* By the name of the schedule alone: requests that go side by side may come in
 * another order the next time. */
static uint64_t
chance_of(const struct roster *p, const struct schedule *s)
{
	struct buf b = BUF_INIT;
	uint64_t x = hash_mix(p->seed + s->scenario + 1);

	mishap_print(&s->faults[0], &b);
	for (size_t i = 0; i < b.len; i++)
		x = hash_mix(x + (unsigned char)b.data[i]);
	buf_release(&b);
	return x;
}

struct ranked {
	uint64_t turn, chance;
	struct schedule s;
};

static int
by_kind(const struct ranked *x, const struct ranked *y)
{
	const struct mishap_kind *k = x->s.faults[0].kind;
	const struct mishap_kind *l = y->s.faults[0].kind;

	return (k > l) - (k < l);
}

/* The same fault, at the same kind of request: of whatever object, scenario and
 * count. */
static int
by_sort(const struct ranked *x, const struct ranked *y)
{
	const struct mishap *f = &x->s.faults[0], *g = &y->s.faults[0];
	int c = by_kind(x, y);

	if (c == 0)
		c = span_cmp(f->arg, g->arg);
	if (c == 0)
		c = f->after - g->after;
	if (c == 0)
		c = span_cmp(f->at.stage, g->at.stage);
	if (c == 0)
		c = span_cmp(f->at.verb, g->at.verb);
	if (c == 0)
		c = span_cmp(f->at.resource, g->at.resource);
	return c;
}

static int
by_chance(const struct ranked *x, const struct ranked *y)
{
	return (x->chance > y->chance) - (x->chance < y->chance);
}

static int
by_sort_and_chance(const void *a, const void *b)
{
	int c = by_sort(a, b);

	return c != 0 ? c : by_chance(a, b);
}

static int
by_kind_and_turn(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int c = by_kind(x, y);

	if (c == 0)
		c = (x->turn > y->turn) - (x->turn < y->turn);
	return c != 0 ? c : by_chance(x, y);
}

static int
by_turn(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	return by_chance(x, y);
}

/* Each has the turn that its place among those has which are the same. */
static void
take_turns(struct ranked *r, size_t count,
    int (*order)(const void *, const void *),
    int (*same)(const struct ranked *, const struct ranked *))
{
	qsort(r, count, sizeof(*r), order);
	for (size_t i = 0; i < count; i++)
		r[i].turn = i > 0 && same(&r[i - 1], &r[i]) == 0
		    ? r[i - 1].turn + 1
		    : 0;
}

void
roster_order(struct roster *p)
{
	struct ranked *r = mem_zalloc((p->count + 1) * sizeof(*r));

	for (size_t i = 0; i < p->count; i++)
		r[i] = (struct ranked){
		    0, chance_of(p, &p->singles[i]), p->singles[i]};
	take_turns(r, p->count, by_sort_and_chance, by_sort);
	take_turns(r, p->count, by_kind_and_turn, by_kind);
	qsort(r, p->count, sizeof(*r), by_turn);
	for (size_t i = 0; i < p->count; i++)
		p->singles[i] = r[i].s;
	free(r);
}

struct schedule
roster_get(const struct roster *p, size_t n)
{
	uint64_t chance = hash_mix(p->seed + hash_mix(n + 1));
	struct schedule s;
	size_t first;

	if (n < p->count)
		return p->singles[n];
	first = chance % p->count;
	s = p->singles[first];
	/* Another fault of the scenario, from anywhere on: or none, if it is the
	 * only one. */
	chance = hash_mix(chance + 1) % p->count;
	for (size_t i = 0; i < p->count && s.count == 1; i++) {
		size_t other = (chance + i) % p->count;

		if (other != first && p->singles[other].scenario == s.scenario)
			s.faults[s.count++] = p->singles[other].faults[0];
	}
	return s;
}
