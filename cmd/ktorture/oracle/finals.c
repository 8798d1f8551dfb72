#include "oracle/finals.h"

#include "base/mem.h"
#include "json/jvtext.h"

struct finals {
	struct arena arena;
	/* "canon of the primary\ncanon of the other" to seen; and, of what names
	 * its owner, "kind of the primary\nkind of the other" */
	struct map pairs;
};

/* Where a deletion of the primary clears it away; kept: somewhere it is there
 * afterwards. */
enum { IN_CLEAN = 1, IN_OTHER = 2, IN_BOTH = 3 };
struct seen {
	unsigned cleared;
	bool kept;
};

/* ---- the moment ---- */

static bool
drops_finalizer(const struct played_change *c)
{
	return c->type == CHANGE_DELETED ||
	    played_length(jvtext_peek(c->metadata, "finalizers")) <
	    played_length(jvtext_peek(c->before->metadata, "finalizers"));
}

/* The first change by which a finalizer of an object that is being deleted is
 * dropped; NULL: there is none, or another client has dropped one. */
static const struct played_change *
moment_of(const struct played_life *l)
{
	const struct played_change *moment = NULL;

	if (l->maker == ACTOR_OPERATOR || l->is_lost || l->doomed == NULL)
		return NULL;
	for (const struct played_change *c = l->last; c != l->doomed;
	     c = c->before) {
		if (!drops_finalizer(c))
			continue;
		if (c->by == ACTOR_CLIENT || c->by == ACTOR_CLUSTER)
			return NULL;
		moment = c;
	}
	return moment;
}

/* ---- what belongs to a primary ---- */

/* As far as anything names its owner. */
static bool
may_belong(const struct played_life *l, const struct played_life *primary)
{
	if (l->owner.n > 0)
		return span_eq(l->owner, primary->uid);
	return l->owner_key.n == 0 || span_eq(l->owner_key, primary->key);
}

static bool
belongs(const struct played_life *l, const struct played_life *primary)
{
	return may_belong(l, primary) && (l->owner.n > 0 || l->owner_key.n > 0);
}

/* Made by the operator, and not taken away from it until then. */
static bool
is_ours(const struct played_life *l, const struct played_change *moment)
{
	const struct played_change *c = l->last;

	while (c->before != NULL && c->line > moment->line)
		c = c->before;
	if (l->maker != ACTOR_OPERATOR)
		return false;
	if (l->owner.n > 0)
		return played_length(
			   jvtext_peek(c->metadata, "ownerReferences")) > 0;
	return l->owner_key.n == 0 ||
	    played_text(
		jvtext_peek(c->metadata, "annotations"), "kpipe.dev/member")
		.n > 0;
}

/* ---- what clean records show ---- */

static struct span
pair(struct arena *a, struct span primary, struct span other)
{
	return arena_printf(
	    a, "%.*s\n%.*s", SPAN_ARG(primary), SPAN_ARG(other));
}

/* The operator deletes it, for that deletion. */
static bool
is_doomed_too(const struct played_life *l, const struct played_life *primary,
    const struct played_change *moment)
{
	return l->doomed != NULL && l->doomed->by == ACTOR_OPERATOR &&
	    l->doomed->line > primary->doomed->line &&
	    l->doomed->line < moment->line;
}

static bool
is_cleared(const struct played_life *l, const struct played_life *primary,
    const struct played_change *moment)
{
	return is_doomed_too(l, primary, moment) && l->gone != NULL &&
	    l->gone->line < moment->line;
}

static void
learn_pair(struct finals *g, struct span key, unsigned cleared, bool kept)
{
	struct seen *s = map_get(&g->pairs, key);

	if (s == NULL) {
		s = arena_zalloc(&g->arena, sizeof(*s));
		map_put(&g->pairs, key, s);
	}
	s->cleared |= cleared;
	s->kept |= kept;
}

static void
learn(struct finals *g, const struct played *p, unsigned where)
{
	for (size_t i = 0; i < p->life_count; i++) {
		const struct played_life *primary = p->lives[i];
		const struct played_change *moment = moment_of(primary);

		for (size_t k = 0; moment != NULL && k < p->life_count; k++) {
			const struct played_life *l = p->lives[k];
			unsigned cleared;
			bool kept;

			if (l == primary || !may_belong(l, primary))
				continue;
			cleared = is_cleared(l, primary, moment) ? where : 0;
			kept = played_lives_at(l, moment->line);
			learn_pair(g, pair(&g->arena, primary->canon, l->canon),
			    cleared, kept);
			if (belongs(l, primary))
				learn_pair(g,
				    pair(&g->arena, primary->kind, l->kind),
				    cleared, kept);
		}
	}
}

struct finals *
finals_new(const struct played *clean, const struct played *other)
{
	struct finals *g = mem_zalloc(sizeof(*g));

	learn(g, clean, IN_CLEAN);
	learn(g, other, IN_OTHER);
	return g;
}

void
finals_learn(struct finals *g, const struct played *p)
{
	learn(g, p, IN_BOTH);
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

/* ---- a record ---- */

static bool
is_always_cleared(const struct finals *g, struct span key)
{
	const struct seen *s = map_get(&g->pairs, key);

	return s != NULL && s->cleared == IN_BOTH && !s->kept;
}

/* It is to be gone before the finalizer goes. */
static bool
is_due(const struct finals *g, struct arena *a,
    const struct played_life *primary, const struct played_life *l,
    const struct played_change *moment)
{
	if (is_always_cleared(g, pair(a, primary->canon, l->canon)))
		return true;
	return belongs(l, primary) &&
	    (is_doomed_too(l, primary, moment) ||
		is_always_cleared(g, pair(a, primary->kind, l->kind)));
}

void
finals_check(
    const struct finals *g, const struct played *p, struct violations *f)
{
	struct arena scratch = ARENA_INIT;

	for (size_t i = 0; i < p->life_count; i++) {
		const struct played_life *primary = p->lives[i];
		const struct played_change *moment = moment_of(primary);

		for (size_t k = 0; moment != NULL && k < p->life_count; k++) {
			const struct played_life *l = p->lives[k];

			if (l != primary && may_belong(l, primary) &&
			    played_lives_at(l, moment->line) &&
			    is_ours(l, moment) &&
			    is_due(g, &scratch, primary, l, moment))
				violations_add(f, "finalizer", primary->label,
				    "its finalizer went before %.*s was gone",
				    SPAN_ARG(l->label));
		}
	}
	arena_release(&scratch);
}
