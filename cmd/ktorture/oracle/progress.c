#include "oracle/progress.h"

#include "base/mem.h"
#include "json/jvtext.h"
#include "oracle/normal.h"

/* More values than that are not steps of anything. */
enum { VALUES_MAX = 30 };

/* A field that says how far something is, of all objects of a kind. */
struct way {
	struct span values[VALUES_MAX]; /* "" if it is absent */
	uint32_t next[VALUES_MAX];	/* bits: values that came after it */
	size_t count;
	bool is_free; /* too many values */
};

/* A time, of all objects of a kind. */
struct moment {
	size_t set;
	bool changes;
};

struct progress {
	struct arena arena;
	struct map ways, moments; /* by "Kind.group .status.field" */
	struct normal_mask back;
};

struct progress *
progress_new(jv rules)
{
	struct progress *g = mem_zalloc(sizeof(*g));

	normal_mask_rules(&g->back, rules, "back");
	return g;
}

void
progress_free(struct progress *g)
{
	if (g == NULL)
		return;
	map_release(&g->ways);
	map_release(&g->moments);
	normal_mask_release(&g->back);
	arena_release(&g->arena);
	free(g);
}

bool
progress_is_written(const struct played_change *c)
{
	if (c->by != ACTOR_OPERATOR || c->type != CHANGE_MODIFIED ||
	    c->life->maker == ACTOR_OPERATOR)
		return false;
	if (c->request != NULL)
		return played_is_of_status(c);
	return c->before != NULL &&
	    !jv_equal(jv_copy(jvtext_peek(c->object, "status")),
		jv_copy(jvtext_peek(c->before->object, "status")));
}

/* ---- fields ---- */

typedef void field_step(void *arg, const struct played_change *c,
    struct span field, struct span from, struct span to);

static const char *const phases[] = {"phase", "state", "stage", NULL};

static bool
is_of_an_end(struct span type)
{
	static const char *const types[] = {"Complete", "Completed",
	    "Succeeded", "Failed", "Finished", "Done", NULL};

	return span_is_one_of(type, types);
}

/* The status of the condition of that type; absent: there is none. */
static struct span
condition(jv status, struct span type)
{
	jv list = jvtext_peek(status, "conditions");

	for (int i = 0, n = played_length(list); i < n; i++)
		if (span_eq(played_text(played_at(list, i), "type"), type))
			return played_text(played_at(list, i), "status");
	return SPAN_NONE;
}

/* side: the types of before, or those that only after has. */
enum side { OLD_TYPES, NEW_TYPES };

static void
find_conditions(const struct played_change *c, enum side side, jv before,
    jv after, field_step *found, void *arg)
{
	jv list = jvtext_peek(side == OLD_TYPES ? before : after, "conditions");

	for (int i = 0, n = played_length(list); i < n; i++) {
		struct span type = played_text(played_at(list, i), "type");
		struct span from = condition(before, type);

		if (is_of_an_end(type) && (side == OLD_TYPES || from.p == NULL))
			found(arg, c, type, from, condition(after, type));
	}
}

/* All steps of phases that the change makes. */
static void
find_phases(const struct played_change *c, field_step *found, void *arg)
{
	jv before = jvtext_peek(c->before->object, "status");
	jv after = jvtext_peek(c->object, "status");

	for (size_t i = 0; phases[i] != NULL; i++) {
		struct span from = played_text(before, phases[i]);
		struct span to = played_text(after, phases[i]);

		if (from.n > 0 || to.n > 0)
			found(arg, c, span_str(phases[i]), from, to);
	}
	find_conditions(c, OLD_TYPES, before, after, found, arg);
	find_conditions(c, NEW_TYPES, before, after, found, arg);
}

/* Of times: where there was one, what became of it. */
static void
find_moments(const struct played_change *c, field_step *found, void *arg)
{
	jv before = jvtext_peek(c->before->object, "status");
	jv after = jvtext_peek(c->object, "status");

	if (jv_get_kind(before) != JV_KIND_OBJECT)
		return;
	for (int i = jv_object_iter(before); jv_object_iter_valid(before, i);
	     i = jv_object_iter_next(before, i)) {
		jv key = jv_object_iter_key(before, i);
		jv value = jv_object_iter_value(before, i);
		struct span field = jvtext_span(key);

		if (normal_is_time(jvtext_span(value)) &&
		    !span_starts(field, "last") && !span_starts(field, "next"))
			found(arg, c, field, jvtext_span(value),
			    played_text(after, jv_string_value(key)));
		jv_free(key);
		jv_free(value);
	}
}

static struct span
field_key(struct arena *a, const struct played_change *c, struct span field)
{
	return arena_printf(
	    a, "%.*s .status.%.*s", SPAN_ARG(c->life->kind), SPAN_ARG(field));
}

/* ---- what clean records show ---- */

static int
value_of(const struct way *w, struct span value)
{
	for (size_t i = 0; i < w->count; i++)
		if (span_eq(w->values[i], value))
			return (int)i;
	return -1;
}

static int
add_value(struct progress *g, struct way *w, struct span value)
{
	int at = value_of(w, value);

	if (at >= 0)
		return at;
	if (w->count == VALUES_MAX) {
		w->is_free = true;
		return -1;
	}
	w->values[w->count] = arena_span(&g->arena, value);
	return (int)w->count++;
}

static void
learn_phase(void *arg, const struct played_change *c, struct span field,
    struct span from, struct span to)
{
	struct progress *g = arg;
	struct span key = field_key(&g->arena, c, field);
	struct way *w = map_get(&g->ways, key);
	int a, b;

	if (w == NULL) {
		w = arena_zalloc(&g->arena, sizeof(*w));
		map_put(&g->ways, key, w);
	}
	a = add_value(g, w, from);
	b = add_value(g, w, to);
	if (a >= 0 && b >= 0)
		w->next[a] |= UINT32_C(1) << b;
}

static void
learn_moment(void *arg, const struct played_change *c, struct span field,
    struct span from, struct span to)
{
	struct progress *g = arg;
	struct span key = field_key(&g->arena, c, field);
	struct moment *m = map_get(&g->moments, key);

	if (m == NULL) {
		m = arena_zalloc(&g->arena, sizeof(*m));
		map_put(&g->moments, key, m);
	}
	m->set++;
	m->changes |= !span_eq(from, to);
}

/* Whether one leads to the other. */
static bool
leads(const struct way *w, int from, int to)
{
	uint32_t seen = 0, now = w->next[from];

	while ((now & ~seen) != 0) {
		seen |= now;
		for (size_t i = 0; i < w->count; i++)
			if ((seen >> i & 1) != 0)
				now |= w->next[i];
	}
	return (seen >> to & 1) != 0;
}

void
progress_learn(struct progress *g, const struct played *p)
{
	for (size_t i = 0; i < p->change_count; i++) {
		const struct played_change *c = &p->changes[i];

		if (c->before == NULL || !progress_is_written(c))
			continue;
		find_phases(c, learn_phase, g);
		find_moments(c, learn_moment, g);
	}
}

/* ---- a record ---- */

struct going {
	const struct progress *g;
	struct violations *f;
	struct arena scratch;
};

static bool
may_go_back(struct going *at, const struct played_change *c, struct span field)
{
	return normal_masked(&at->g->back, c->life->canon, c->life->kind,
	    arena_printf(&at->scratch, ".status.%.*s", SPAN_ARG(field)));
}

static void
check_phase(void *arg, const struct played_change *c, struct span field,
    struct span from, struct span to)
{
	struct going *at = arg;
	const struct way *w =
	    map_get(&at->g->ways, field_key(&at->scratch, c, field));
	int a, b;

	if (w == NULL || w->is_free || span_eq(from, to) ||
	    may_go_back(at, c, field))
		return;
	a = value_of(w, from);
	b = value_of(w, to);
	if (a >= 0 && b >= 0 && leads(w, b, a) && !leads(w, a, b))
		violations_add(at->f, "claim", c->life->label,
		    ".status: %.*s goes back from %.*s to %.*s, which never "
		    "follows it in a clean run",
		    SPAN_ARG(field), SPAN_ARG(from), (int)(to.n > 0 ? to.n : 6),
		    to.n > 0 ? to.p : "absent");
}

static void
check_moment(void *arg, const struct played_change *c, struct span field,
    struct span from, struct span to)
{
	struct going *at = arg;
	const struct moment *m =
	    map_get(&at->g->moments, field_key(&at->scratch, c, field));

	if (m != NULL && m->set > 0 && !m->changes && !span_eq(from, to) &&
	    !may_go_back(at, c, field))
		violations_add(at->f, "claim", c->life->label,
		    ".status.%.*s was %.*s and becomes %.*s: in a clean run it "
		    "is set once",
		    SPAN_ARG(field), SPAN_ARG(from), (int)(to.n > 0 ? to.n : 6),
		    to.n > 0 ? to.p : "absent");
}

static void
check_generation(const struct played_change *c, struct violations *f)
{
	int64_t before = played_number(
	    jvtext_peek(c->before->object, "status"), "observedGeneration", -1);
	int64_t after = played_number(
	    jvtext_peek(c->object, "status"), "observedGeneration", before);
	int64_t generation = played_number(c->metadata, "generation", -1);

	if (after < before)
		violations_add(f, "claim", c->life->label,
		    ".status.observedGeneration goes back from %lld to %lld",
		    (long long)before, (long long)after);
	else if (generation >= 0 && after > generation && after != before)
		violations_add(f, "claim", c->life->label,
		    ".status.observedGeneration is %lld, and the object's "
		    "generation %lld",
		    (long long)after, (long long)generation);
}

void
progress_check(
    const struct progress *g, const struct played *p, struct violations *f)
{
	struct going at = {g, f, ARENA_INIT};

	for (size_t i = 0; i < p->change_count; i++) {
		const struct played_change *c = &p->changes[i];

		if (c->before == NULL || !progress_is_written(c) ||
		    !played_is_meant(c) || !played_is_meant(c->before))
			continue;
		check_generation(c, f);
		find_phases(c, check_phase, &at);
		find_moments(c, check_moment, &at);
	}
	arena_release(&at.scratch);
}
