#include "crd/check.h"

#include "base/buf.h"
#include "crd/findings.h"
#include "crd/scalar.h"
#include "type/decode.h"

static void check_value(struct findings *out, const struct findings_at *at);

/* A failure of the whole, whose message names the path. */
static void
failure_whole(struct findings *out, const char *format, struct span name,
    const char *more)
{
	struct failure f = {.code = FAIL_UNNAMED};
	struct buf b = BUF_INIT;

	/* format is one of a few literals with a name and more in it */
	buf_addf(&b, "%.*s", SPAN_ARG(name));
	f.message = arena_printf(out->arena, format, buf_str(&b), more);
	buf_release(&b);
	findings_add(out, &f);
}

static bool
has_duplicates(const struct node *array)
{
	for (size_t i = 1; i < array->n; i++)
		for (size_t k = 0; k < i; k++)
			if (tree_equal(array->items[i], array->items[k]))
				return true;
	return false;
}

static bool
same_keys(
    const struct schema_rules *r, const struct node *x, const struct node *y)
{
	if (!tree_is(x, NODE_OBJECT) || !tree_is(y, NODE_OBJECT))
		return false;
	for (size_t i = 0; i < r->key_count; i++)
		if (!tree_equal(tree_get_span(x, r->keys[i]),
			tree_get_span(y, r->keys[i])))
			return false;
	return true;
}

/* Only the items of list maps have a past. */
static const struct node *
old_item(const struct findings_at *at, size_t i)
{
	const struct node *item = at->value->items[i], *old = at->old;

	if (!tree_is(old, NODE_ARRAY) || at->rules->list_type != LIST_MAP)
		return NULL;
	if (i < old->n && same_keys(at->rules, item, old->items[i]))
		return old->items[i];
	for (size_t k = 0; k < old->n; k++)
		if (same_keys(at->rules, item, old->items[k]))
			return old->items[k];
	return NULL;
}

static void
check_member(
    struct findings *out, const struct findings_at *at, const struct member *m)
{
	struct findings_place here = {at->place, PLACE_PROPERTY, m->key, 0};
	const struct schema_rules *r = structural_property(at->rules, m->key);
	const struct node *old = tree_get_span(at->old, m->key);

	/* Both objects are in one version by now: nothing to compare. */
	if (at->place == NULL &&
	    (span_is(m->key, "apiVersion") || span_is(m->key, "kind")))
		old = NULL;
	if (r == NULL) {
		r = at->rules->additional;
		here.kind = PLACE_KEY;
	}
	if (r != NULL)
		check_value(
		    out, &(struct findings_at){r, &here, m->value, old});
	else if (at->rules->additional_forbidden)
		findings_failure(out,
		    &(struct findings_at){at->rules, &here, NULL, NULL},
		    FAIL_INVALID, NULL, span_str("is a forbidden property"));
}

static void
check_object(struct findings *out, const struct findings_at *at)
{
	const struct schema_rules *r = at->rules;
	uint64_t n;

	out->matched++;
	n = at->value->n;
	if (r->min_properties >= 0 && n < (uint64_t)r->min_properties)
		findings_failure(out, at, FAIL_INVALID,
		    tree_int(out->arena, (int64_t)n),
		    arena_printf(out->arena,
			"should have at least %lld properties",
			(long long)r->min_properties));
	if (r->max_properties >= 0 && n > (uint64_t)r->max_properties) {
		struct failure *f =
		    findings_failure(out, at, FAIL_TOO_MANY, NULL,
			arena_printf(out->arena,
			    "should have at most %lld properties",
			    (long long)r->max_properties));

		f->actual = (int64_t)n;
		f->limit = r->max_properties;
	}
	if (r->property_count > 0 || r->additional != NULL ||
	    r->additional_forbidden)
		for (size_t i = 0; i < at->value->n; i++)
			check_member(out, at, &at->value->members[i]);
	for (size_t k = 0; k < r->required_count; k++) {
		struct findings_place here = {
		    at->place, PLACE_KEY, r->required[k], 0};
		struct findings_at missing = {r, &here, NULL, NULL};

		if (tree_get_span(at->value, r->required[k]) == NULL)
			findings_failure(out, &missing, FAIL_REQUIRED, NULL,
			    span_str("is required"));
	}
}

static struct findings
check_one(struct findings *out, const struct findings_at *at,
    const struct schema_rules *rules)
{
	struct findings r = {.arena = out->arena};
	struct findings_at here = *at;

	here.rules = rules;
	check_value(&r, &here);
	return r;
}

static void
check_any(struct findings *out, const struct findings_at *at)
{
	const struct schema_rules *r = at->rules;
	struct findings best = {0};

	for (size_t i = 0; i < r->any_of_count; i++) {
		struct findings one = check_one(out, at, r->any_of[i]);

		if (one.n == 0) {
			findings_merge(out, &one);
			return;
		}
		if (i == 0 || one.matched > best.matched)
			best = one;
	}
	failure_whole(out, "\"%s\" must validate at least one schema (anyOf)%s",
	    findings_place_text(out->arena, at->place), "");
	findings_merge(out, &best);
}

static void
check_exactly_one(struct findings *out, const struct findings_at *at)
{
	const struct schema_rules *r = at->rules;
	struct findings best = {0}, first = {0};
	size_t valid = 0;
	bool failed = false;
	struct span more;

	for (size_t i = 0; i < r->one_of_count; i++) {
		struct findings one = check_one(out, at, r->one_of[i]);

		if (one.n == 0) {
			if (valid++ == 0)
				first = one;
		} else if (!failed || one.matched > best.matched) {
			best = one;
			failed = true;
		}
	}
	if (valid == 1) {
		findings_merge(out, &first);
		return;
	}
	more = valid == 0
	    ? span_str("Found none valid")
	    : arena_printf(out->arena, "Found %zu valid alternatives", valid);
	failure_whole(out,
	    "\"%s\" must validate one and only one schema (oneOf). %s",
	    findings_place_text(out->arena, at->place),
	    arena_str(out->arena, more));
	if (valid == 0)
		findings_merge(out, &best);
}

static void
check_logic(struct findings *out, const struct findings_at *at)
{
	const struct schema_rules *r = at->rules;

	if (r->any_of_count > 0)
		check_any(out, at);
	if (r->one_of_count > 0)
		check_exactly_one(out, at);
	if (r->all_of_count > 0) {
		size_t valid = 0;

		for (size_t i = 0; i < r->all_of_count; i++) {
			struct findings one = check_one(out, at, r->all_of[i]);

			valid += one.n == 0;
			findings_merge(out, &one);
		}
		if (valid != r->all_of_count)
			failure_whole(out,
			    "\"%s\" must validate all the schemas (allOf)%s",
			    findings_place_text(out->arena, at->place),
			    valid == 0 ? ". None validated" : "");
	}
	if (r->not_ != NULL && check_one(out, at, r->not_).n == 0)
		failure_whole(out,
		    "\"%s\" must not validate the schema (not)%s",
		    findings_place_text(out->arena, at->place), "");
	out->matched += 2;
}

/*
 * matched counts as the API server does it: once for the value, for each kind
 * of check that applies, and for what each of them counts itself.
 */
static void
check_value(struct findings *out, const struct findings_at *at)
{
	size_t before = out->n;

	if (at->value->kind == NODE_NULL) {
		scalar_check_null(out, at);
	} else {
		scalar_check_type(out, at);
		check_logic(out, at);
		if (at->value->kind == NODE_STRING)
			scalar_check_string(out, at);
		else if (at->value->kind == NODE_NUMBER)
			scalar_check_number(out, at);
		else if (at->value->kind == NODE_ARRAY) {
			const struct schema_rules *r = at->rules;
			struct node *size = tree_int(out->arena, at->value->n);

			out->matched += 2;
			for (size_t i = 0; r->items != NULL && i < at->value->n;
			     i++) {
				struct findings_place here = {
				    at->place, PLACE_INDEX, SPAN_NONE, i};

				check_value(out,
				    &(struct findings_at){r->items, &here,
					at->value->items[i], old_item(at, i)});
			}
			if (r->min_items >= 0 &&
			    at->value->n < (uint64_t)r->min_items)
				findings_failure(out, at, FAIL_INVALID, size,
				    arena_printf(out->arena,
					"should have at least %lld items",
					(long long)r->min_items));
			if (r->max_items >= 0 &&
			    at->value->n > (uint64_t)r->max_items) {
				struct failure *f = findings_failure(out, at,
				    FAIL_TOO_MANY, size,
				    arena_printf(out->arena,
					"should have at most %lld items",
					(long long)r->max_items));

				f->actual = at->value->n;
				f->limit = r->max_items;
			}
			if (r->unique_items && has_duplicates(at->value))
				findings_failure(out, at, FAIL_INVALID, NULL,
				    span_str("shouldn't contain duplicates"));
		}
		scalar_check_enum(out, at);
		if (at->value->kind == NODE_OBJECT)
			check_object(out, at);
		out->matched++;
	}
	if (out->n > before && at->old != NULL &&
	    tree_equal(at->value, at->old))
		out->n = before;
}

void
crd_check(struct causes *c, const struct schema_rules *r, struct span base,
    const struct node *value, const struct node *old)
{
	struct findings out = {.arena = c->arena};
	struct findings_at at = {r, NULL, value, NULL};

	check_value(&out, &at);
	if (out.n > 0 && old != NULL) {
		/* Only now is it worth to look at what was there before. */
		out = (struct findings){.arena = c->arena};
		at.old = old;
		check_value(&out, &at);
	}
	findings_causes(&out, base, c);
}

void
check_valid(struct causes *c, const struct schema *s, const struct node *object,
    const struct node *old)
{
	if (s->rules != NULL)
		crd_check(c, s->rules, SPAN_NONE, object, old);
}
