/*
 * Quantities, against t/unit/lib/quantities.jsonl: answers of a real API server
 * (record-quantities).
 */
#include "base/array.h"
#include "json/json.h"
#include "process/file.h"
#include "tap.h"
#include "value/quantity.h"

static struct arena arena;

static const char *
member(struct span line, const char *name)
{
	return arena_str(&arena, json_name(json_get(line, name), &arena));
}

static void
check_line(struct span line)
{
	const char *text = member(line, "text"), *error = member(line, "error");
	struct span limit, size;
	const char *wrong = quantity_round(&arena, span_str(text), &limit);
	struct quantity q;

	if (wrong == NULL && quantity_parse(span_str(text), &q) == NULL &&
	    quantity_sign(&q) < 0)
		wrong = "must be greater than or equal to 0";
	if (wrong != NULL || *error != '\0') {
		is(wrong, error, text);
		return;
	}
	quantity_canonical(&arena, span_str(text), &size);
	is(arena_str(&arena, limit), member(line, "limit"), text);
	is(arena_str(&arena, size), member(line, "size"), text);
}

TEST(recorded)
{
	static const char *const more[][2] = {
	    {"1.", "1."}, {"+5", "+5"}, {"-1000m", "-1"}, {"1Gi", "1Gi"}};
	struct buf lines = BUF_INIT;
	struct err err = ERR_INIT;
	struct span rest;

	if (file_read("t/unit/lib/quantities.jsonl", 1, &lines, &err) != 0)
		ok(false, err.message);
	for (rest = buf_span(&lines); rest.n > 0;)
		check_line(span_cut(&rest, '\n'));
	for (size_t i = 0; i < COUNT(more); i++) {
		struct span size;

		quantity_canonical(&arena, span_str(more[i][0]), &size);
		is(arena_str(&arena, size), more[i][1], more[i][0]);
	}
	arena_release(&arena);
	buf_release(&lines);
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
