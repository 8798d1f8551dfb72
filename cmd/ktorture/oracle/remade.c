#include "oracle/remade.h"

#include "base/mem.h"
#include "json/jvtext.h"
#include "oracle/normal.h"

enum { ORPHANS_MAX = 30 };

/* How often objects were made. */
struct tally {
	struct span label;
	size_t made;	/* by the operator, with an owner that lived */
	size_t orphans; /* ... that was gone */
	size_t asked;	/* of these, deleted because others wanted it */
};

struct tallies {
	struct arena arena;
	struct map by_key, by_canon;
};

struct remade {
	struct tallies clean, other;
	jv rules; /* borrowed */
};

static struct tally *
tally(struct tallies *t, struct map *map, struct span key, struct span label)
{
	struct tally *of = map_get(map, key);

	if (of == NULL) {
		of = arena_zalloc(&t->arena, sizeof(*of));
		of->label = label;
		map_put(map, key, of);
	}
	return of;
}

static const struct played_life *
owner_of(const struct played *p, const struct played_life *l)
{
	return l->owner.n > 0 ? map_get(&p->by_uid, l->owner) : NULL;
}

static bool
is_orphan(const struct played *p, const struct played_life *l)
{
	const struct played_life *owner = owner_of(p, l);

	return owner != NULL && !played_lives_at(owner, l->first->line);
}

static bool
is_of_others(enum actor by)
{
	return by == ACTOR_CLIENT || by == ACTOR_CLUSTER;
}

/* Whether others wanted it to go: itself, or its owner. */
static bool
was_asked_to_go(const struct played *p, const struct played_life *l)
{
	const struct played_life *owner = owner_of(p, l);

	if (l->doomed == NULL)
		return false;
	return l->is_lost || is_of_others(l->doomed->by) ||
	    (owner != NULL && owner->doomed != NULL &&
		owner->doomed->line <= l->doomed->line);
}

static bool
counts(const struct played_life *l)
{
	return l->maker == ACTOR_OPERATOR && l->first->type == CHANGE_ADDED &&
	    !played_is_aside(l->kind);
}

static void
count(struct tallies *t, const struct played *p)
{
	for (size_t i = 0; i < p->life_count; i++) {
		const struct played_life *l = p->lives[i];
		struct tally *of[2];

		if (!counts(l))
			continue;
		of[0] = tally(t, &t->by_key, l->key, l->label);
		of[1] = tally(t, &t->by_canon, l->canon, l->label);
		for (int k = 0; k < 2; k++) {
			if (is_orphan(p, l)) {
				of[k]->orphans++;
				continue;
			}
			of[k]->made++;
			of[k]->asked += was_asked_to_go(p, l);
		}
	}
}

static void
tallies_release(struct tallies *t)
{
	map_release(&t->by_key);
	map_release(&t->by_canon);
	arena_release(&t->arena);
}

struct remade *
remade_new(const struct played *clean, const struct played *other, jv rules)
{
	struct remade *r = mem_zalloc(sizeof(*r));

	r->rules = rules;
	count(&r->clean, clean);
	count(&r->other, other);
	return r;
}

void
remade_free(struct remade *r)
{
	if (r == NULL)
		return;
	tallies_release(&r->clean);
	tallies_release(&r->other);
	free(r);
}

/* A rule {"again": KIND}, with or without the group. */
static bool
may_be_again(const struct remade *r, struct span kind)
{
	struct span rest = kind, short_kind = span_cut(&rest, '.');

	for (int i = 0, n = played_length(r->rules); i < n; i++) {
		struct span again =
		    played_text(played_at(r->rules, i), "again");

		if (again.n > 0 &&
		    (span_eq(again, kind) || span_eq(again, short_kind)))
			return true;
	}
	return false;
}

/* ---- deleted and made again ---- */

/* A change by a client that may be a reason for another object. */
static bool
may_concern(const struct played_change *c, const struct played_life *l,
    struct span primaries)
{
	return c->by == ACTOR_CLIENT &&
	    (span_eq(c->life->key, l->owner_key) ||
		span_eq(c->life->key, l->key) ||
		!span_eq(c->life->kind, primaries));
}

/* Whether a client gave a reason to replace `before` by l. */
static bool
has_reason(const struct played *p, const struct played_life *before,
    const struct played_life *l)
{
	struct span rest = l->owner_key, primaries = span_cut(&rest, ' ');
	bool differs = normal_hash(before->last->object, NORMAL_WANTED) !=
	    normal_hash(l->first->object, NORMAL_WANTED);

	for (size_t i = 0; i < p->change_count; i++) {
		const struct played_change *c = &p->changes[i];

		if (c->line > l->first->line)
			break;
		if (!may_concern(c, l, primaries))
			continue;
		if (c->line > before->first->line)
			return true;
		/* One before that may have been seen late. */
		if (differs && c->type == CHANGE_MODIFIED)
			return true;
	}
	return false;
}

static const char *
by_whom(enum actor by)
{
	return by == ACTOR_OPERATOR ? "the operator" : "the garbage collector";
}

/* Whether it is told. */
static bool
check_again(
    const struct played *p, const struct played_life *l, struct violations *f)
{
	const struct played_life *before = l->earlier;

	if (before == NULL || !counts(before) || before->doomed == NULL ||
	    was_asked_to_go(p, before) || is_orphan(p, before) ||
	    is_orphan(p, l) ||
	    (before->owner.n > 0 && !span_eq(before->owner, l->owner)) ||
	    has_reason(p, before, l))
		return false;
	violations_add(f, "twice", l->label,
	    "%s deleted it and the operator made it again, although no other "
	    "client asked for that: it was deleted at %.3f s, made at %.3f s",
	    by_whom(before->doomed->by),
	    (double)(before->doomed->us - p->begin_us) / 1e6,
	    (double)(l->first->us - p->begin_us) / 1e6);
	return true;
}

/* ---- more often than in a clean record ---- */

static size_t
most(const struct tally *a, const struct tally *b)
{
	size_t n = a != NULL ? a->made : 0, m = b != NULL ? b->made : 0;

	return n > m ? n : m;
}

static size_t
most_asked(const struct tally *a, const struct tally *b)
{
	size_t n = a != NULL ? a->asked : 0, m = b != NULL ? b->asked : 0;

	return n > m ? n : m;
}

static void
check_often(const struct remade *r, struct tallies *now,
    const struct played_life *l, struct violations *f)
{
	bool made_up = !span_eq(l->key, l->canon);
	const struct tally *is = map_get(&now->by_key, l->key);
	const struct tally *a = map_get(&r->clean.by_key, l->key);
	const struct tally *b = map_get(&r->other.by_key, l->key);
	size_t may = most(a, b), asked = most_asked(a, b);

	/* A name of this record alone. */
	if (may == 0)
		may = made_up;
	if (is->asked > asked)
		may += is->asked - asked;
	if (may > 0 && is->made > may)
		violations_add(f, "twice", l->label,
		    "the operator made it %zu times, should be %zu", is->made,
		    may);
	if (is->orphans > ORPHANS_MAX)
		violations_add(f, "twice", l->label,
		    "the operator made it %zu times for an owner that was gone",
		    is->orphans);
}

/* Objects whose name is made up. Of those with a time in their name there may
 * be one more: the time may be another one. */
static void
check_made_up(const struct remade *r, struct tallies *now,
    const struct played_life *l, struct violations *f)
{
	const struct tally *is = map_get(&now->by_canon, l->canon);
	const struct tally *a = map_get(&r->clean.by_canon, l->canon);
	const struct tally *b = map_get(&r->other.by_canon, l->canon);
	size_t may = most(a, b), asked = most_asked(a, b);

	if (may == 0 || span_eq(l->key, l->canon))
		return;
	may += !span_ends(l->canon, "*");
	if (is->asked > asked)
		may += is->asked - asked;
	if (is->made > may)
		violations_add(f, "twice", l->label,
		    "the operator made %zu such objects, should be %zu",
		    is->made, may);
}

void
remade_check(
    const struct remade *r, const struct played *p, struct violations *f)
{
	struct tallies now = {0};
	struct map told = MAP_INIT;

	count(&now, p);
	for (size_t i = 0; i < p->life_count; i++) {
		struct played_life *l = p->lives[i];

		if (!counts(l) || may_be_again(r, l->kind))
			continue;
		if (map_get(&told, l->key) == NULL && check_again(p, l, f))
			map_put(&told, l->key, l);
		/* Once for all lives of a key, of a canon: at the last one. */
		if (map_get(&p->by_key, l->key) == l &&
		    map_get(&told, l->key) == NULL)
			check_often(r, &now, l, f);
		if (map_get(&now.by_canon, l->canon) != NULL) {
			check_made_up(r, &now, l, f);
			map_del(&now.by_canon, l->canon);
		}
	}
	map_release(&told);
	tallies_release(&now);
}
