#include "oracle/foreign.h"

#include "base/mem.h"
#include "json/jvtext.h"
#include "oracle/normal.h"

/* Beside the paths that it changes. */
#define DELETES ".deleted"
#define TAKES ".taken"

struct foreign {
	const struct played *clean;
	struct normal_mask touched; /* in the clean records */
};

typedef void touch_found(void *arg, const struct played_change *c,
    struct span what, jv before, jv after);

/* ---- touches of a record ---- */

struct touching {
	const struct played *primaries; /* whose kinds of primaries count */
	const struct played_change *c;
	touch_found *found;
	void *arg;
};

static bool
is_operators(const struct touching *t, struct span path)
{
	return played_is_primary(t->primaries, t->c->life->kind) &&
	    (span_starts(path, ".status") ||
		span_starts(path, ".metadata.finalizers") ||
		span_is(path, ".metadata.annotations") ||
		span_starts(path, ".metadata.annotations[\"kpipe.dev/"));
}

/* Nearly all of what the operator writes to others' objects. */
static bool
is_status_of_primary(const struct touching *t)
{
	return played_is_of_status(t->c) &&
	    played_is_primary(t->primaries, t->c->life->kind);
}

static void
touch_path(void *arg, struct span path, jv before, jv after)
{
	struct touching *t = arg;

	if (!is_operators(t, path))
		t->found(t->arg, t->c, path, before, after);
}

static bool
is_taken(const struct played *p, const struct played_change *c)
{
	struct span before = played_controller(c->before->metadata);
	struct span after = played_controller(c->metadata);
	const struct played_life *owner =
	    before.n > 0 ? map_get(&p->by_uid, before) : NULL;

	return owner != NULL && after.n > 0 && !span_eq(before, after) &&
	    played_lives_at(owner, c->line) && owner->doomed == NULL;
}

static void
find_touches(const struct played *p, struct touching *t)
{
	for (size_t i = 0; i < p->change_count; i++) {
		const struct played_change *c = t->c = &p->changes[i];
		const struct played_life *l = c->life;

		if (c->by != ACTOR_OPERATOR || c->type == CHANGE_ADDED ||
		    played_is_aside(l->kind))
			continue;
		if (c->before != NULL && is_taken(p, c))
			t->found(t->arg, c, span_str(TAKES), jv_invalid(),
			    jv_invalid());
		if (l->maker == ACTOR_OPERATOR)
			continue;
		if (l->doomed == c)
			t->found(t->arg, c, span_str(DELETES), jv_invalid(),
			    jv_invalid());
		else if (c->type == CHANGE_MODIFIED && c->before != NULL &&
		    !is_status_of_primary(t))
			normal_compare(
			    c->before->object, c->object, touch_path, t);
	}
}

static void
learn_touch(void *arg, const struct played_change *c, struct span what,
    jv before, jv after)
{
	struct foreign *g = arg;

	(void)before;
	(void)after;
	normal_mask_add(&g->touched, c->life->canon, what);
}

struct foreign *
foreign_new(const struct played *clean, const struct played *other)
{
	struct foreign *g = mem_zalloc(sizeof(*g));
	struct touching t = {clean, NULL, learn_touch, g};

	g->clean = clean;
	find_touches(clean, &t);
	find_touches(other, &t);
	return g;
}

void
foreign_free(struct foreign *g)
{
	if (g == NULL)
		return;
	normal_mask_release(&g->touched);
	free(g);
}

struct telling {
	const struct foreign *g;
	struct violations *f;
};

static void
tell_touch(void *arg, const struct played_change *c, struct span what,
    jv before, jv after)
{
	struct telling *t = arg;
	const struct played_life *l = c->life;

	if (normal_masked(&t->g->touched, l->canon, l->kind, what))
		return;
	if (span_is(what, DELETES))
		violations_add(t->f, "foreign", l->label,
		    "the operator deleted it, and has not made it");
	else if (span_is(what, TAKES))
		violations_add(t->f, "foreign", l->label,
		    "the operator gave it to another owner, while the one that "
		    "had it lived");
	else
		violations_add(t->f, "foreign", l->label,
		    "the operator changed %.*s from %s to %s, and has not made "
		    "the object",
		    SPAN_ARG(what), normal_show(before), normal_show(after));
}

void
foreign_check(
    const struct foreign *g, const struct played *p, struct violations *f)
{
	struct telling to = {g, f};
	struct touching t = {g->clean, NULL, tell_touch, &to};

	find_touches(p, &t);
}
