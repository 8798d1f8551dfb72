#include "crd/scalar.h"

#include <math.h>

#include "base/utf8.h"
#include "text/format.h"
#include "text/gotext.h"
#include "text/number.h"
#include "text/pattern.h"

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

/* swag's: in the range that a float64 holds exactly. */
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

	findings_failure(out, at, FAIL_TYPE, shown,
	    arena_printf(out->arena, "must be of type %s: %.*s", wanted,
		SPAN_ARG(gotext_quote(out->arena, given))));
}

void
scalar_check_type(struct findings *out, const struct findings_at *at)
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

void
scalar_check_enum(struct findings *out, const struct findings_at *at)
{
	if (at->rules->enum_count > 0 && !enum_has(at->rules, at->value))
		/* The message tells failures apart; it is not shown. */
		findings_failure(out, at, FAIL_ENUM, at->value,
		    span_str("should be one of"));
	out->matched++;
}

void
scalar_check_null(struct findings *out, const struct findings_at *at)
{
	const struct schema_rules *r = at->rules;

	if (r->type != TYPE_NONE && !r->nullable)
		fail_type(out, at, type_name(r->type), span_str("null"));
	else
		out->matched++;
	if (r->enum_count > 0)
		findings_failure(out, at, FAIL_ENUM, at->value,
		    span_str("should be one of"));
}

void
scalar_check_string(struct findings *out, const struct findings_at *at)
{
	const struct schema_rules *r = at->rules;
	struct span s = at->value->text;
	int64_t runes = 0;

	out->matched++;
	if (r->min_length >= 0 || r->max_length >= 0)
		runes = (int64_t)utf8_count(s);
	if (r->max_length >= 0 && runes > r->max_length) {
		findings_failure(out, at, FAIL_TOO_LONG, at->value,
		    arena_printf(out->arena,
			"should be at most %lld chars long",
			(long long)r->max_length))
		    ->limit = r->max_length;
	} else if (r->min_length >= 0 && runes < r->min_length) {
		findings_failure(out, at, FAIL_INVALID, at->value,
		    arena_printf(out->arena,
			"should be at least %lld chars long",
			(long long)r->min_length));
	} else if (r->pattern != NULL && !pattern_matches(r->pattern, s)) {
		findings_failure(out, at, FAIL_INVALID, at->value,
		    arena_printf(out->arena, "should match '%.*s'",
			SPAN_ARG(r->pattern_text)));
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
	const char *name; /* of the range check */
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
		/* The limit is cut to an integer then. */
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
	findings_failure(out, at, FAIL_INVALID, at->value,
	    arena_printf(out->arena, "should be %s %.*s",
		b->exclusive ? b->exclusive_ : b->inclusive,
		SPAN_ARG(exact && is_int ? number_plain(out->arena, d)
					 : number_show(out->arena, d))));
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
	/* An integer is divided by what is left of the factor as one. */
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
		    arena_printf(out->arena, "should be a multiple of %.*s",
			SPAN_ARG(exact && is_int
				? number_plain(out->arena, factor)
				: number_show(out->arena, factor))));
}

void
scalar_check_number(struct findings *out, const struct findings_at *at)
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
