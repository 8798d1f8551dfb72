/*
 * Quantities, against t/unit/lib/quantities.jsonl: answers of a real API server
 * (record-quantities).
 */
#include "base/array.h"
#include "trees.h"
#include "value/quantity.h"

static void
try(void *arg, struct node *line)
{
	struct span text = tree_path_text(line, "text"), limit, size;
	struct span error = tree_path_text(line, "error");
	const char *what = arena_printf(&arena, "\"%.*s\"", SPAN_ARG(text)).p;
	const char *wrong = quantity_round(&arena, text, &limit);
	struct quantity q;

	(void)arg;
	if (wrong == NULL && quantity_parse(text, &q) == NULL &&
	    quantity_sign(&q) < 0)
		wrong = "must be greater than or equal to 0";
	if (wrong != NULL || error.n > 0) {
		is(wrong, arena_str(&arena, error), what);
		return;
	}
	quantity_canonical(&arena, text, &size);
	is(arena_str(&arena, limit),
	    arena_str(&arena, tree_path_text(line, "limit")), what);
	is(arena_str(&arena, size),
	    arena_str(&arena, tree_path_text(line, "size")), what);
}

TEST(recorded)
{
	static const char *const more[][2] = {
	    {"1.", "1."}, {"+5", "+5"}, {"-1000m", "-1"}, {"1Gi", "1Gi"}};

	each_line("t/unit/lib/quantities.jsonl", try, NULL);
	for (size_t i = 0; i < COUNT(more); i++) {
		struct span size;

		quantity_canonical(&arena, span_str(more[i][0]), &size);
		is(arena_str(&arena, size), more[i][1], more[i][0]);
	}
	arena_release(&arena);
}

TEST(order)
{
	static const struct {
		const char *x, *y;
		int order;
	} cases[] = {{"1.5", "1500m", 0}, {"1Ki", "1k", 1}, {"-1", "1", -1},
	    {"-2", "-1", -1}, {"-0", "0", 0}, {"0", "1n", -1}, {"0", "-1n", 1},
	    {"100E", "200E", -1}, {"9Ei", "8Ei", 0}, {"9Ei", "100E", -1},
	    {"0.1n", "1n", 0}, {"1e3", "1k", 0}, {"1e100", "1e99", 1},
	    {"1000000000000000000000000000000000000000000", "1e42", 0},
	    {"1000000000000000000000000000000000000000001", "1e42", 1},
	    {"4000000000000000000", "4000000000000000001", -1},
	    /* The largest one, instead of the rest that fits into 128 bits. */
	    {"200000000000Ei", "1", 1}, {"-200000000000Ei", "1", -1},
	    {"999999999999999999999999999999.9Ei", "7Ei", 1},
	    {"7000000000000000000", "900000000000000000", 1}};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct quantity x, y;

		ok(quantity_parse(span_str(cases[i].x), &x) == NULL &&
			quantity_parse(span_str(cases[i].y), &y) == NULL &&
			quantity_cmp(&x, &y) == cases[i].order &&
			quantity_cmp(&y, &x) == -cases[i].order,
		    cases[i].x);
	}
}

TEST(integer)
{
	static const struct {
		const char *text;
		int64_t value;
	} cases[] = {{"1.5", 2}, {"-1.5", -2}, {"1n", 1}, {"0", 0},
	    {"2k", 2000}, {"1e30", INT64_MAX}, {"-1e30", -INT64_MAX},
	    {"9Ei", INT64_MAX}};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct quantity q;

		ok(quantity_parse(span_str(cases[i].text), &q) == NULL &&
			quantity_integer(&q) == cases[i].value,
		    cases[i].text);
	}
}
