/* Which functions are allowed, and the texts of our definitions. */
#include "language/guards.h"

#include <jq.h>

#include "base/array.h"
#include "language/prelude.h"
#include "tap.h"

/* The message of the expression behind the guards. */
static void
hides(const char *expression, const char *says)
{
	struct buf text = BUF_INIT;
	jq_state *jq = jq_init();
	jv result = jv_null();

	jq_set_attr(jq, jv_string("JQ_LIBRARY_PATH"), jv_array());
	guards_add(&text);
	buf_addf(&text, "try (%s) catch .\n", expression);
	if (jq_compile(jq, buf_str(&text))) {
		jq_start(jq, jv_null(), 0);
		jv_free(result);
		result = jq_next(jq);
	}
	if (says == NULL)
		ok(jv_get_kind(result) == JV_KIND_NULL, expression);
	else
		is(jv_get_kind(result) == JV_KIND_STRING
			? jv_string_value(result)
			: "another value",
		    says, expression);
	jv_free(result);
	jq_teardown(&jq);
	buf_release(&text);
}

static void
refuses(const char *name, const char *format)
{
	const char *says = guards_refusal(span_str(name));

	is(says, format, name);
	ok(!guards_is_free(span_str(name), 0) &&
		!guards_is_free(span_str(name), 1) &&
		prelude_find(span_str(name), 0) < 0 &&
		prelude_find(span_str(name), 1) < 0,
	    name);
}

static const char *const impure[] = {"now", "env", "input", "_input", "inputs",
    "stderr", "halt", "halt_error", "input_filename", "input_line_number",
    "get_search_list", "get_prog_origin", "get_jq_origin", "modulemeta"};

static void
test_names(void)
{
	for (size_t i = 0; i < COUNT(impure); i++) {
		struct span name = span_str(impure[i]);

		ok(guards_refusal(name) != NULL &&
			strstr(guards_refusal(name), "is not pure") != NULL,
		    impure[i]);
		ok(!guards_is_free(name, 0) && !guards_is_free(name, 1),
		    impure[i]);
		ok(guards_definition(name, 0) != NULL, impure[i]);
	}
	refuses(
	    "leaf_paths", "%.*s is not in the language: use paths(scalars)");
	ok(guards_refusal(span_str("nows")) == NULL, "a name that is free");
	ok(guards_is_free(span_str("map"), 1), "map/1");
	ok(!guards_is_free(span_str("map"), 2), "not map/2");
	ok(!guards_is_free(span_str("ma"), 1), "not half a name");
	ok(guards_variable(span_str("ENV")) != NULL, "a variable");
	ok(guards_format(span_str("@json")) == NULL, "a format");
	ok(guards_format(span_str("@base32d")) != NULL, "no format");
	ok(guards_definition(span_str("_plus"), 2) != NULL, "an operator");
	ok(guards_definition(span_str("_plus"), 1) == NULL, "of other arity");
	ok(guards_definition(span_str("_jq_end"), 0) != NULL, "a taken name");
	ok(guards_definition(span_str("debug"), 0) != NULL &&
		guards_definition(span_str("debug"), 1) != NULL &&
		guards_definition(span_str("debug"), 2) == NULL,
	    "debug is jq's");
}

int
main(void)
{
	struct buf text = BUF_INIT;
	int lines;

	hides("input", "input is not pure: the input is `.`");
	hides("1 | debug", "debug is not pure: use error");
	hides("$ENV", NULL);
	hides("$ENV.PATH", NULL);
	hides("$__prog_args", NULL);
	hides("$__prog_name", NULL);
	test_names();
	lines = guards_add(&text);
	for (size_t i = 0; i < text.len; i++)
		lines -= text.data[i] == '\n';
	ok(lines == 0, "the lines are counted");
	buf_release(&text);
	return tap_done();
}
