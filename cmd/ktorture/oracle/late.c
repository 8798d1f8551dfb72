#include "oracle/late.h"

#include "base/mem.h"
#include "oracle/leadership.h"
#include "oracle/normal.h"

/* Two plays are not the same to the microsecond: a retry has jitter. */
enum { SLACK_US = 1000000 };

/* A lease that nobody renews is another's after 15 s, and is looked at every 2 s
 * (kelect(1)). */
enum { TAKEOVER_US = 20000000 };

/* A change, in clean records. */
struct habit {
	int64_t lag_us; /* the longest behind what it answers */
	int64_t *at_us; /* since the beginning, in the clean record */
	size_t count;
};

struct late {
	struct arena arena;
	struct map habits; /* by what_of */
	int64_t lag_us;	   /* the longest of all */
	jv rules;
};

/* The object and what becomes of it. */
static struct span
what_of(struct arena *a, const struct played_change *c)
{
	return arena_printf(a, "%.*s %d %jx %jx", SPAN_ARG(c->life->canon),
	    (int)c->type, (uintmax_t)normal_hash(c->object, NORMAL_WANTED),
	    (uintmax_t)normal_hash(c->object, NORMAL_STATUS));
}

static bool
is_answer(const struct played_change *c)
{
	return c->by == ACTOR_OPERATOR && !played_is_aside(c->life->kind);
}

static void
learn(struct late *g, const struct played *p, bool is_other)
{
	int64_t asked = p->begin_us;

	for (size_t i = 0; i < p->change_count; i++) {
		const struct played_change *c = &p->changes[i];
		struct habit *h;
		struct span what;

		if (c->by != ACTOR_OPERATOR)
			asked = c->us;
		if (!is_answer(c))
			continue;
		what = what_of(&g->arena, c);
		h = map_get(&g->habits, what);
		if (h == NULL) {
			h = arena_zalloc(&g->arena, sizeof(*h));
			map_put(&g->habits, what, h);
		}
		if (c->us - asked > h->lag_us)
			h->lag_us = c->us - asked;
		if (h->lag_us > g->lag_us)
			g->lag_us = h->lag_us;
		if (is_other)
			continue;
		h->at_us = arena_more(
		    &g->arena, h->at_us, h->count, sizeof(*h->at_us));
		h->at_us[h->count++] = c->us - p->begin_us;
	}
}

struct late *
late_new(const struct played *clean, const struct played *other, jv rules)
{
	struct late *g = mem_zalloc(sizeof(*g));

	g->rules = rules;
	learn(g, clean, false);
	learn(g, other, true);
	return g;
}

void
late_free(struct late *g)
{
	if (g == NULL)
		return;
	map_release(&g->habits);
	arena_release(&g->arena);
	free(g);
}

/* ---- a record ---- */

static bool
is_on_time(const struct habit *h, int64_t us)
{
	for (size_t i = 0; h != NULL && i < h->count; i++)
		if (us >= h->at_us[i] - SLACK_US &&
		    us <= h->at_us[i] + SLACK_US)
			return true;
	return false;
}

/* The time that the faults of a record allow. */
struct patience {
	int64_t over_us; /* all is as without them, from then on */
	int64_t each_us; /* ... or so long after each change */
	int64_t begin_us;
};

/* False: one of the faults has no bound, or there are none. */
static bool
find_patience(struct patience *q, const struct played *p)
{
	*q = (struct patience){0, 0, INT64_MAX};
	for (size_t i = 0; i < p->fault_count; i++) {
		const struct played_fault *f = &p->faults[i];

		if (f->due_us < 0)
			return false;
		if (f->us < q->begin_us)
			q->begin_us = f->us;
		if (f->is_later)
			q->each_us += f->due_us;
		else
			q->over_us = f->due_us +
			    (f->us > q->over_us ? f->us : q->over_us);
	}
	if (leadership_elects(p))
		q->over_us += TAKEOVER_US;
	return p->fault_count > 0;
}

/* Of rules {"patience": KIND, "ms": N}, KIND with or without the group. */
static int64_t
patience_with(const struct late *g, struct span kind)
{
	struct span rest = kind, short_kind = span_cut(&rest, '.');

	for (int i = 0, n = played_length(g->rules); i < n; i++) {
		jv rule = played_at(g->rules, i);
		struct span named = played_text(rule, "patience");

		if (named.n > 0 &&
		    (span_eq(named, kind) || span_eq(named, short_kind)))
			return played_number(rule, "ms", 0) * 1000;
	}
	return 0;
}

/* Microseconds beyond what is allowed. */
static int64_t
lateness(const struct late *g, const struct patience *q, const struct played *p,
    const struct played_change *c, int64_t asked)
{
	int64_t from = (asked > q->over_us ? asked : q->over_us) + q->each_us;
	struct arena scratch = ARENA_INIT;
	const struct habit *h;
	int64_t us;

	if (c->us < q->begin_us || c->us <= from + SLACK_US)
		return 0;
	h = map_get(&g->habits, what_of(&scratch, c));
	arena_release(&scratch);
	if (is_on_time(h, c->us - p->begin_us))
		return 0;
	us = c->us - from - (h != NULL ? h->lag_us : g->lag_us) -
	    patience_with(g, c->life->kind);
	return us > SLACK_US ? us : 0;
}

void
late_check(const struct late *g, const struct played *p, struct violations *f)
{
	const struct played_change *worst = NULL;
	int64_t asked = p->begin_us, most = 0, us, worst_asked = 0;
	struct patience q;

	if (!find_patience(&q, p))
		return;
	for (size_t i = 0; i < p->change_count; i++) {
		const struct played_change *c = &p->changes[i];

		if (c->by != ACTOR_OPERATOR)
			asked = c->us;
		us = is_answer(c) ? lateness(g, &q, p, c, asked) : 0;
		if (us > most) {
			most = us;
			worst = c;
			worst_asked = asked;
		}
	}
	if (worst != NULL)
		violations_add(f, "late", worst->life->label,
		    "the operator changes it at %.3f s, %.3f s too late: the "
		    "last change by another was at %.3f s, and the fault "
		    "should have no effect from %.3f s on",
		    (double)(worst->us - p->begin_us) / 1e6, (double)most / 1e6,
		    (double)(worst_asked - p->begin_us) / 1e6,
		    (double)((q.over_us > worst_asked ? q.over_us
						      : worst_asked) +
			q.each_us - p->begin_us) /
			1e6);
}
