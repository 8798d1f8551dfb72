#include "oracle/finals.h"

#include "base/mem.h"
#include "json/jvtext.h"

struct finals {
	struct arena arena;
	struct map pairs; /* "canon of the primary\ncanon of the other" to
			   * seen */
};

/* In which clean records it is so. */
struct seen {
	bool in_clean, in_other;
};

static bool
is_finalized(const struct played_life *l)
{
	return l->maker != ACTOR_OPERATOR && !l->is_lost && l->doomed != NULL &&
	    l->gone != NULL && l->doomed != l->gone &&
	    played_length(jvtext_peek(l->doomed->metadata, "finalizers")) > 0;
}

static struct span
pair_key(struct arena *a, const struct played_life *primary,
    const struct played_life *l)
{
	return arena_printf(
	    a, "%.*s\n%.*s", SPAN_ARG(primary->canon), SPAN_ARG(l->canon));
}

/* Whether it can be the primary's: as far as anything names its owner. */
static bool
may_belong(const struct played_life *l, const struct played_life *primary)
{
	if (l->owner.n > 0)
		return span_eq(l->owner, primary->uid);
	return l->owner_key.n == 0 || span_eq(l->owner_key, primary->key);
}

static void
learn(struct finals *g, const struct played *p, bool is_other)
{
	for (size_t i = 0; i < p->life_count; i++) {
		const struct played_life *primary = p->lives[i];

		if (!is_finalized(primary))
			continue;
		for (size_t k = 0; k < p->life_count; k++) {
			const struct played_life *l = p->lives[k];
			struct seen *s;
			struct span key;

			if (l == primary || l->gone == NULL ||
			    l->doomed->by != ACTOR_OPERATOR ||
			    l->doomed->line < primary->doomed->line ||
			    l->gone->line > primary->gone->line ||
			    !may_belong(l, primary))
				continue;
			key = pair_key(&g->arena, primary, l);
			s = map_get(&g->pairs, key);
			if (s == NULL) {
				s = arena_zalloc(&g->arena, sizeof(*s));
				map_put(&g->pairs, key, s);
			}
			s->in_clean |= !is_other;
			s->in_other |= is_other;
		}
	}
}

struct finals *
finals_new(const struct played *clean, const struct played *other)
{
	struct finals *g = mem_zalloc(sizeof(*g));

	learn(g, clean, false);
	learn(g, other, true);
	return g;
}

void
finals_free(struct finals *g)
{
	if (g == NULL)
		return;
	map_release(&g->pairs);
	arena_release(&g->arena);
	free(g);
}

/* Whether another client took away a finalizer, or the last one. */
static bool
was_forced(const struct played_life *l)
{
	for (const struct played_change *c = l->last; c != l->doomed;
	     c = c->before)
		if (c->by == ACTOR_CLIENT || c->by == ACTOR_CLUSTER)
			return true;
	return false;
}

void
finals_check(
    const struct finals *g, const struct played *p, struct violations *f)
{
	struct arena scratch = ARENA_INIT;

	for (size_t i = 0; i < p->life_count; i++) {
		const struct played_life *primary = p->lives[i];

		if (!is_finalized(primary) || was_forced(primary))
			continue;
		for (size_t k = 0; k < p->life_count; k++) {
			const struct played_life *l = p->lives[k];
			const struct seen *s;

			if (l == primary || !may_belong(l, primary) ||
			    !played_lives_at(l, primary->gone->line))
				continue;
			s = map_get(&g->pairs, pair_key(&scratch, primary, l));
			if (s != NULL && s->in_clean && s->in_other)
				violations_add(f, "finalizer", primary->label,
				    "it went before %.*s was deleted",
				    SPAN_ARG(l->label));
		}
	}
	arena_release(&scratch);
}
