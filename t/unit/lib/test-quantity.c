/*
 * Quantities, against t/unit/lib/quantities.jsonl: answers of a real API server
 * (record-quantities).
 */
#include "base/array.h"
#include "json/tree.h"
#include "process/file.h"
#include "tap.h"
#include "value/quantity.h"

static void
try(struct arena *a, const struct node *line)
{
	struct span text = tree_path_text(line, "text"), limit, size;
	struct span error = tree_path_text(line, "error");
	const char *what = arena_printf(a, "\"%.*s\"", SPAN_ARG(text)).p;
	const char *wrong = quantity_round(a, text, &limit);
	struct quantity q;

	if (wrong == NULL && quantity_parse(text, &q) == NULL &&
	    quantity_sign(&q) < 0)
		wrong = "must be greater than or equal to 0";
	if (wrong != NULL || error.n > 0) {
		is(wrong, arena_str(a, error), what);
		return;
	}
	quantity_canonical(a, text, &size);
	is(arena_str(a, limit), arena_str(a, tree_path_text(line, "limit")),
	    what);
	is(arena_str(a, size), arena_str(a, tree_path_text(line, "size")),
	    what);
}

TEST(recorded)
{
	struct arena a = ARENA_INIT;
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	struct span rest;

	if (file_read("t/unit/lib/quantities.jsonl", 16, &text, &err) != 0)
		printf("Bail out! %s\n", err.message);
	for (rest = buf_span(&text); rest.n > 0; arena_reset(&a))
		try(&a,
		    tree_parse(
			&a, span_cut(&rest, '\n'), TREE_LIMITS, NULL, &err));
	arena_release(&a);
	buf_release(&text);
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
	    {"4000000000000000000", "4000000000000000001", -1}};

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
