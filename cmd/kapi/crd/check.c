#include "crd/check.h"

#include <math.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "crd/findings.h"
#include "text/format.h"
#include "text/gotext.h"
#include "text/number.h"
#include "text/pattern.h"
#include "type/decode.h"

/* ---- scalars ---- */

static const char *
type_name(enum schema_type t)
{
	static const char *const names[] = {"", "object", "array", "string",
	    "integer", "number", "boolean", "integer,string"};

	return names[t];
}

static const char *
kind_name(const struct node *n)
{
	int64_t value;

	switch (n->kind) {
	case NODE_NULL:
		return "null";
	case NODE_FALSE:
	case NODE_TRUE:
		return "boolean";
	case NODE_NUMBER:
		return number_is_int(n, &value) ? "integer" : "number";
	case NODE_STRING:
		return "string";
	case NODE_ARRAY:
		return "array";
	case NODE_OBJECT:
		return "object";
	}
	return "";
}

/* Like swag of go-openapi: a whole number in the range that a float64 holds
 * exactly. */
static bool
is_json_integer(double f)
{
	return fabs(f) <= 9007199254740991.0 && f == floor(f);
}

static bool
type_fits(const struct findings_at *at)
{
	const struct node *n = at->value;
	int64_t i;

	switch (at->rules->type) {
	case TYPE_NONE:
		return true;
	case TYPE_OBJECT:
		return n->kind == NODE_OBJECT;
	case TYPE_ARRAY:
		return n->kind == NODE_ARRAY;
	case TYPE_STRING:
		return n->kind == NODE_STRING;
	case TYPE_BOOLEAN:
		return n->kind == NODE_TRUE || n->kind == NODE_FALSE;
	case TYPE_NUMBER:
		return n->kind == NODE_NUMBER;
	case TYPE_INT_OR_STRING:
		if (n->kind == NODE_STRING)
			return true;
		/* fallthrough */
	case TYPE_INTEGER:
		return n->kind == NODE_NUMBER &&
		    (number_is_int(n, &i) || is_json_integer(tree_double(n)));
	}
	return false;
}

/* type TYPE: "string"; the value shown is the name of its type, too. */
static void
fail_type(struct findings *out, const struct findings_at *at,
    const char *wanted, struct span given)
{
	struct node *shown = tree_string(out->arena, given);

	findings_failure(out, at, FAIL_TYPE, shown, "must be of type %s: %.*s",
	    wanted, SPAN_ARG(gotext_quote(out->arena, given)));
}

static void
check_type(struct findings *out, const struct findings_at *at)
{
	const struct schema_rules *r = at->rules;
	bool text =
	    at->value->kind == NODE_STRING || at->value->kind == NODE_ARRAY;
	bool fits = type_fits(at);
	bool numeric = r->type == TYPE_NUMBER || r->type == TYPE_INTEGER;

	if (r->type == TYPE_NONE && r->format.n == 0)
		return;
	if (!text && r->format.n > 0 && (!fits || r->type == TYPE_NONE)) {
		fail_type(out, at, arena_str(out->arena, r->format),
		    span_str(at->value->kind != NODE_NUMBER ? ""
			    : strcmp(kind_name(at->value), "integer") == 0
			    ? "int64"
			    : "float64"));
	} else if (!fits && !(text && r->format.n > 0 && !numeric)) {
		fail_type(out, at, type_name(r->type),
		    span_str(kind_name(at->value)));
	} else {
		out->matched++;
	}
	out->matched++;
}

static bool
enum_has(const struct schema_rules *r, const struct node *value)
{
	if (value->kind == NODE_NULL)
		return false;
	for (size_t i = 0; i < r->enum_count; i++)
		if (tree_equal(r->enums[i], value))
			return true;
	return false;
}

static void
check_null(struct findings *out, const struct findings_at *at)
{
	const struct schema_rules *r = at->rules;

	if (r->type != TYPE_NONE && !r->nullable)
		fail_type(out, at, type_name(r->type), span_str("null"));
	else
		out->matched++;
	if (r->enum_count > 0)
		findings_failure(
		    out, at, FAIL_ENUM, at->value, "should be one of");
}

static void
check_string(struct findings *out, const struct findings_at *at)
{
	const struct schema_rules *r = at->rules;
	struct span s = at->value->text;
	int64_t runes = 0;

	out->matched++;
	if (r->min_length >= 0 || r->max_length >= 0)
		runes = (int64_t)utf8_count(s);
	if (r->max_length >= 0 && runes > r->max_length) {
		findings_failure(out, at, FAIL_TOO_LONG, at->value,
		    "should be at most %lld chars long",
		    (long long)r->max_length)
		    ->limit = r->max_length;
	} else if (r->min_length >= 0 && runes < r->min_length) {
		findings_failure(out, at, FAIL_INVALID, at->value,
		    "should be at least %lld chars long",
		    (long long)r->min_length);
	} else if (r->pattern != NULL && !pattern_matches(r->pattern, s)) {
		findings_failure(out, at, FAIL_INVALID, at->value,
		    "should match '%.*s'", SPAN_ARG(r->pattern_text));
	}
	if (r->format.n == 0 || r->type == TYPE_NUMBER ||
	    r->type == TYPE_INTEGER)
		return;
	out->matched++;
	if (!format_matches(r->format, s))
		fail_type(out, at, arena_str(out->arena, r->format), s);
}

/* Whether a number, as text without exponent, is in the range of the type. */
static bool
in_range(const struct schema_rules *r, bool is_int, int64_t i, double d)
{
	if (r->type == TYPE_INTEGER) {
		if (!is_int) {
			if (d != floor(d) || d < -0x1p63 || d >= 0x1p63)
				return false;
			i = (int64_t)d;
		}
		return !span_is(r->format, "int32") ||
		    (i >= INT32_MIN && i <= INT32_MAX);
	}
	return r->type != TYPE_NUMBER || !span_is(r->format, "float") ||
	    fabs(d) <= 3.4028234663852886e38;
}

static void
fail_range(struct findings *out, const struct findings_at *at, const char *what)
{
	struct failure f = {.code = FAIL_UNNAMED};
	const struct schema_rules *r = at->rules;
	struct span format = r->format;

	f.message = arena_printf(out->arena,
	    "%s value must be of type %s %s%.*s%s in %.*s", what,
	    type_name(r->type), format.n > 0 ? "with format " : "(default",
	    SPAN_ARG(format), format.n > 0 ? "" : " format)",
	    SPAN_ARG(findings_place_text(out->arena, at->place)));
	findings_add(out, &f);
}

struct bound {
	const char *name; /* names the range check */
	const char *inclusive, *exclusive_;
	double limit;
	bool exclusive;
	int sign; /* 1: a maximum */
};

static void
check_bound(struct findings *out, const struct findings_at *at, bool is_int,
    int64_t i, const struct bound *b)
{
	bool exact = in_range(at->rules, false, 0, b->limit);
	double d = is_int ? (double)i : tree_double(at->value);
	int cmp;

	if (!exact)
		fail_range(out, at, b->name);
	if (exact && is_int) {
		/* The value is an integer, so the server cuts the limit to an
		 * integer. */
		int64_t limit = b->limit >= 0x1p63 ? INT64_MAX
		    : b->limit < -0x1p63	   ? INT64_MIN
						   : (int64_t)b->limit;

		cmp = (i > limit) - (i < limit);
		d = (double)limit;
	} else {
		cmp = (d > b->limit) - (d < b->limit);
		d = b->limit;
	}
	if (cmp * b->sign < 0 || (cmp == 0 && !b->exclusive))
		return;
	findings_failure(out, at, FAIL_INVALID, at->value, "should be %s %.*s",
	    b->exclusive ? b->exclusive_ : b->inclusive,
	    SPAN_ARG(exact && is_int ? number_plain(out->arena, d)
				     : number_show(out->arena, d)));
}

static void
check_multiple(
    struct findings *out, const struct findings_at *at, bool is_int, int64_t i)
{
	double factor = at->rules->multiple_of;
	double d = tree_double(at->value);
	bool exact = in_range(at->rules, false, 0, factor);
	bool fine;

	if (!exact)
		fail_range(out, at, "MultipleOf");
	/* For an integer the server cuts the factor to an integer. */
	if (exact && is_int && fabs(factor) < 0x1p63)
		factor = trunc(factor);
	if (factor <= 0) {
		struct failure f = {.code = FAIL_INVALID, .rules = at->rules};
		struct span shown = number_show(out->arena, factor);

		f.name = findings_place_text(out->arena, at->place);
		f.value = tree_number(out->arena, shown);
		f.message = arena_printf(out->arena,
		    "factor MultipleOf declared for %.*s must be positive: "
		    "%.*s",
		    SPAN_ARG(f.name), SPAN_ARG(shown));
		findings_add(out, &f);
		return;
	}
	if (exact && is_int)
		fine = i % (int64_t)factor == 0;
	else
		fine =
		    is_json_integer(factor < 1 ? 1 / factor * d : d / factor);
	if (!fine)
		findings_failure(out, at, FAIL_INVALID, at->value,
		    "should be a multiple of %.*s",
		    SPAN_ARG(exact && is_int
			    ? number_plain(out->arena, factor)
			    : number_show(out->arena, factor)));
}

static void
check_number(struct findings *out, const struct findings_at *at)
{
	const struct schema_rules *r = at->rules;
	int64_t i = 0;
	bool is_int = number_is_int(at->value, &i);

	out->matched += 2;
	if (!in_range(
		r, is_int, i, is_int ? (double)i : tree_double(at->value)))
		fail_range(out, at, "Checked");
	if (r->has_multiple_of)
		check_multiple(out, at, is_int, i);
	if (r->has_minimum)
		check_bound(out, at, is_int, i,
		    &(struct bound){"Minimum boundary",
			"greater than or equal to", "greater than", r->minimum,
			r->exclusive_minimum, -1});
	if (r->has_maximum)
		check_bound(out, at, is_int, i,
		    &(struct bound){"Maximum boundary", "less than or equal to",
			"less than", r->maximum, r->exclusive_maximum, 1});
}

/* ---- maps, lists, alternatives ---- */

static void check_value(struct findings *out, const struct findings_at *at);

/* Adds a failure of the whole value, whose message names the path. */
static void
failure_whole(struct findings *out, const struct findings_at *at,
    const char *must, const char *more)
{
	struct failure f = {.code = FAIL_UNNAMED};

	f.message = arena_printf(out->arena, "\"%.*s\" must %s%s",
	    SPAN_ARG(findings_place_text(out->arena, at->place)), must, more);
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

/* The old item for ratcheting: only items of list maps have one. */
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

	/* Both objects are in the same version here: apiVersion and kind are
	 * not compared. */
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
		    FAIL_INVALID, NULL, "is a forbidden property");
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
		    "should have at least %lld properties",
		    (long long)r->min_properties);
	if (r->max_properties >= 0 && n > (uint64_t)r->max_properties) {
		struct failure *f = findings_failure(out, at, FAIL_TOO_MANY,
		    NULL, "should have at most %lld properties",
		    (long long)r->max_properties);

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
			findings_failure(
			    out, &missing, FAIL_REQUIRED, NULL, "is required");
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
	failure_whole(out, at, "validate at least one schema (anyOf)", "");
	findings_merge(out, &best);
}

static void
check_exactly_one(struct findings *out, const struct findings_at *at)
{
	const struct schema_rules *r = at->rules;
	struct findings best = {0}, first = {0};
	size_t valid = 0;
	bool failed = false;
	const char *more = "Found none valid";

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
	if (valid > 0)
		more = arena_printf(
		    out->arena, "Found %zu valid alternatives", valid)
			   .p;
	failure_whole(
	    out, at, "validate one and only one schema (oneOf). ", more);
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
			failure_whole(out, at,
			    "validate all the schemas (allOf)",
			    valid == 0 ? ". None validated" : "");
	}
	if (r->not_ != NULL && check_one(out, at, r->not_).n == 0)
		failure_whole(out, at, "not validate the schema (not)", "");
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
		check_null(out, at);
	} else {
		check_type(out, at);
		check_logic(out, at);
		if (at->value->kind == NODE_STRING)
			check_string(out, at);
		else if (at->value->kind == NODE_NUMBER)
			check_number(out, at);
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
				    "should have at least %lld items",
				    (long long)r->min_items);
			if (r->max_items >= 0 &&
			    at->value->n > (uint64_t)r->max_items) {
				struct failure *f =
				    findings_failure(out, at, FAIL_TOO_MANY,
					size, "should have at most %lld items",
					(long long)r->max_items);

				f->actual = at->value->n;
				f->limit = r->max_items;
			}
			if (r->unique_items && has_duplicates(at->value))
				findings_failure(out, at, FAIL_INVALID, NULL,
				    "shouldn't contain duplicates");
		}
		if (at->rules->enum_count > 0 &&
		    !enum_has(at->rules, at->value))
			/* The message only tells this failure from others; it
			 * is not shown. */
			findings_failure(
			    out, at, FAIL_ENUM, at->value, "should be one of");
		out->matched++;
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
		/* Checks again with the old value: what was wrong before and is
		 * unchanged is not an error. */
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
