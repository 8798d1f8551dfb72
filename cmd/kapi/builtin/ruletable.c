#include "builtin/ruletable.h"

#include "builtin/builtin.h"
#include "builtin/ruleline.h"

static void run_rules(const struct rule_run *run, const struct rule *rules,
    size_t n, const struct rule_place *p);

static void
run_line(const struct rule_run *run, const struct rule *r,
    const struct rule_place *p, const struct rule_place *base)
{
	const struct at top = {NULL, r->top, SPAN_NONE, 0};
	const struct rule_place *named = p;
	struct rule_place shown = *p;

	if ((r->when == WHEN_GIVEN && p->n == NULL) ||
	    (r->when == WHEN_FILLED && tree_empty(p->n)))
		return;
	if (r->has_shown)
		shown.n = rulecondition_value(&r->shown, base);
	if (r->top != NULL)
		shown.at = &top;
	for (unsigned i = 0; i < r->named_up; i++)
		named = named->outer;
	if (r->named_up > 0)
		shown.at = named->at;
	if (r->op != NULL)
		r->op->run(run, r, &shown, base);
	run_rules(run, r->inner, r->inner_count, p);
}

/* Runs the line at all places that its path leads to; p is at step i. */
static void
walk(const struct rule_run *run, const struct rule *r, size_t i,
    const struct rule_place *p, const struct rule_place *base)
{
	const struct rule_step *s = &r->path.steps[i];
	struct at at = {p->at, NULL, SPAN_NONE, 0};
	struct rule_place here = {p, &at, NULL, NULL, 0};

	if (i == r->path.n) {
		run_line(run, r, p, base);
		return;
	}
	switch (s->kind) {
	case STEP_KEY:
	case STEP_NAMED:
		if (s->kind == STEP_KEY)
			at.field = s->key;
		else
			at.key = span_str(s->key);
		if (p->was != NULL)
			here.was = rule_given(p->was, s->key);
		here.n = rule_given(p->n, s->key);
		if (s->make && here.n == NULL && tree_is(p->n, NODE_OBJECT))
			here.n = tree_make(run->arena, p->n, s->key);
		walk(run, r, i + 1, &here, base);
		break;
	case STEP_CONDITION: /* in conditions of rules alone */
		break;
	case STEP_FIRST:
		here.was = builtin_item(p->was, 0);
		here.n = builtin_item(p->n, 0);
		walk(run, r, i + 1, &here, base);
		break;
	case STEP_ITEMS:
		while ((here.n = builtin_item(p->n, here.index)) != NULL) {
			at.index = here.index;
			here.was = builtin_item(p->was, here.index);
			walk(run, r, i + 1, &here, base);
			here.index++;
		}
		break;
	case STEP_MEMBERS:
		for (size_t k = 0; k < tree_count(p->n); k++) {
			at.key = p->n->members[k].key;
			here.n = p->n->members[k].value;
			walk(run, r, i + 1, &here, base);
		}
		break;
	}
}

static void
run_rules(const struct rule_run *run, const struct rule *rules, size_t n,
    const struct rule_place *p)
{
	bool done = false;

	for (size_t i = 0; i < n; i++) {
		const struct rule *r = &rules[i];
		if (r->kind == RULE_LINE) {
			walk(run, r, 0, rulecondition_start(&r->path, p), p);
			continue;
		}
		if (r->kind == RULE_IF)
			done = false;
		if (done ||
		    (r->kind != RULE_ELSE && !rulecondition_holds(run, r, p)))
			continue;
		done = true;
		run_rules(run, r->inner, r->inner_count, p);
	}
}

void
ruletable_run(const struct rule_run *run, const struct rule_section *s,
    const char *arg, const struct rule_place *p)
{
	struct rule_run inner = *run;

	if (arg != NULL)
		inner.arg = arg;
	if (s != NULL)
		run_rules(&inner, s->rules, s->n, p);
}

/* For every write, so not printed. */
static struct span
section_name(
    struct arena *a, struct span group, struct span plural, const char *suffix)
{
	struct span g = group.n > 0 ? group : span_str("core");
	size_t n = strlen(suffix);
	char *name = arena_alloc(a, g.n + plural.n + n + 2), *end = name;

	end = mempcpy(end, g.p, g.n);
	*end++ = '/';
	end = mempcpy(end, plural.p, plural.n);
	memcpy(end, suffix, n + 1);
	return span_make(name, g.n + 1 + plural.n + n);
}

void
ruletable_part(struct causes *c, const struct change_of *x, const struct at *at,
    const struct node *n, const char *section, const char *arg)
{
	/* The cast is safe: checks do not write. */
	struct rule_place top = {NULL, at, (struct node *)n, NULL, 0};
	struct rule_state state = {NULL, NULL};
	struct rule_run run = {c->arena, &state, c, x, arg};

	if (x != NULL && at == NULL)
		top.was = (struct node *)x->live;
	ruletable_run(&run, ruleline_section(span_str(section)), NULL, &top);
	rule_index_release(state.indexes);
}

void
ruletable_check(struct causes *c, const struct change_of *x, const char *suffix,
    const struct node *object)
{
	struct span name = section_name(
	    c->arena, x->resource->group, x->resource->plural, suffix);

	ruletable_part(
	    c, x, NULL, object, name.p, arena_str(c->arena, x->subresource));
}

/* Rules that change the object: of defaults, x NULL, or of a write. */
static void
run_changes(struct arena *a, const struct change_of *x, struct span name,
    struct node *object)
{
	struct rule_place top = {NULL, NULL, object, NULL, 0};
	struct rule_state state = {NULL, NULL};
	struct rule_run run = {a, &state, NULL, x, ""};

	if (x != NULL) {
		top.was = (struct node *)x->live;
		run.arg = arena_str(a, x->subresource);
	}
	ruletable_run(&run, ruleline_section(name), NULL, &top);
	rule_index_release(state.indexes);
}

void
ruletable_default(struct arena *a, struct span group, struct span plural,
    const char *suffix, struct node *object)
{
	run_changes(a, NULL, section_name(a, group, plural, suffix), object);
}

void
ruletable_prepare(
    const struct change_of *x, const char *suffix, struct node *object)
{
	run_changes(x->arena, x,
	    section_name(
		x->arena, x->resource->group, x->resource->plural, suffix),
	    object);
}
