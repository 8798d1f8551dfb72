#include "minimise.h"

#include "json/jvtext.h"
#include "process/clock.h"
#include "specplay.h"

struct trying {
	struct campaign *r;
	struct world *w;
	struct schedule *s;
	jv scenario, found; /* owned: the smallest so far */
	uint64_t end_ms;
};

static bool
has_invariant(jv found, struct span name)
{
	bool has = false;

	jv_array_foreach(found, i, v)
	{
		has = has ||
		    span_eq(jvtext_span(jvtext_peek(v, "invariant")), name);
		jv_free(v);
	}
	return has;
}

/* Whether it fails as before: it breaks one of the same invariants. */
static bool
is_same(jv before, jv now)
{
	bool same = false;

	jv_array_foreach(before, i, v)
	{
		same = same ||
		    has_invariant(
			now, jvtext_span(jvtext_peek(v, "invariant")));
		jv_free(v);
	}
	return same;
}

static bool
is_over(const struct trying *t)
{
	return clock_ms() >= t->end_ms;
}

/* Keeps a scenario that fails as well; takes it. */
static bool
keep_if_fails(struct trying *t, jv scenario)
{
	struct err err = ERR_INIT;
	jv found = is_over(t) ? jv_invalid()
			      : campaign_try(t->r, t->w, scenario, t->s, &err);

	if (!jv_is_valid(found) || !is_same(t->found, found)) {
		jv_free(found);
		jv_free(scenario);
		return false;
	}
	jv_free(t->scenario);
	jv_free(t->found);
	t->scenario = scenario;
	t->found = found;
	return true;
}

/* ---- what is left out ---- */

static void
fewer_faults(struct trying *t)
{
	struct schedule both = *t->s;

	for (size_t i = 0; i < both.count && t->s->count > 1; i++) {
		t->s->count = 1;
		t->s->faults[0] = both.faults[i];
		if (!keep_if_fails(t, jv_copy(t->scenario)))
			*t->s = both;
	}
}

static jv
without_step(jv scenario, int n)
{
	jv steps = jv_copy(jvtext_peek(scenario, "steps")), rest = jv_array();

	jv_array_foreach(steps, i, step)
	{
		if (i == n)
			jv_free(step);
		else
			rest = jv_array_append(rest, step);
	}
	jv_free(steps);
	return jv_object_set(jv_copy(scenario), jv_string("steps"), rest);
}

static int
step_count(const struct trying *t)
{
	return jv_array_length(jv_copy(jvtext_peek(t->scenario, "steps")));
}

/* From the end on: what comes first makes what comes later. */
static void
fewer_steps(struct trying *t)
{
	int n = step_count(t);

	if (n > MINIMISE_STEPS_MAX)
		return;
	while (n-- > 0)
		if (step_count(t) > 1)
			keep_if_fails(t, without_step(t->scenario, n));
}

static jv
with_object(jv scenario, int n, jv object)
{
	jv steps = jv_copy(jvtext_peek(scenario, "steps"));
	jv step = jv_object_set(
	    jv_array_get(jv_copy(steps), n), jv_string("object"), object);

	return jv_object_set(jv_copy(scenario), jv_string("steps"),
	    jv_array_set(steps, n, step));
}

static void
smaller_object(struct trying *t, int n)
{
	jv steps = jvtext_peek(t->scenario, "steps");
	jv step = jv_array_get(jv_copy(steps), n);
	jv spec = jv_copy(jvtext_peek(jvtext_peek(step, "object"), "spec"));

	jv_free(step);
	if (jv_get_kind(spec) != JV_KIND_OBJECT) {
		jv_free(spec);
		return;
	}
	jv_object_foreach(spec, key, value)
	{
		jv now =
		    jv_array_get(jv_copy(jvtext_peek(t->scenario, "steps")), n);
		jv object = jv_copy(jvtext_peek(now, "object"));
		jv rest = jv_object_delete(
		    jv_copy(jvtext_peek(object, "spec")), jv_copy(key));

		jv_free(now);
		jv_free(value);
		object = jv_object_set(object, jv_string("spec"), rest);
		keep_if_fails(t, with_object(t->scenario, n, object));
		jv_free(key);
	}
	jv_free(spec);
}

jv
minimise(struct campaign *r, struct world *w, struct schedule *s, jv *found)
{
	struct trying t = {.r = r,
	    .w = w,
	    .s = s,
	    .scenario = jv_copy(r->acts[s->scenario].scenario),
	    .found = *found,
	    .end_ms = clock_ms() + MINIMISE_SECONDS * 1000};

	fewer_faults(&t);
	fewer_steps(&t);
	for (int i = 0; i < step_count(&t); i++)
		smaller_object(&t, i);
	*found = t.found;
	return t.scenario;
}

jv
minimise_edits(struct campaign *r, struct world *w, jv edits, jv *found)
{
	int n = jv_array_length(jv_copy(edits));

	for (int i = n - 1; n > 1 && i >= 0; i--) {
		struct err err = ERR_INIT;
		jv one = jv_array_slice(jv_copy(edits), i, i + 1);
		jv now = specplay_play(r, w, one, NULL, NULL, &err);

		if (jv_is_valid(now) && is_same(*found, now)) {
			jv_free(*found);
			*found = now;
			return one;
		}
		jv_free(now);
		jv_free(one);
	}
	return jv_copy(edits);
}
