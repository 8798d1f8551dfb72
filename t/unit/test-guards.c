// needs cmd/ireconcile/guards.c
/* The definitions hold by themselves, whatever the check of names sees. */
#include "../../cmd/ireconcile/guards.h"

#include <jq.h>

#include "tap.h"

static jv last;

static void
keep(void *arg, jv request)
{
	(void)arg;
	jv_free(last);
	last = jv_array_get(request, 1);
}

static jv
give(jq_state *jq, void *arg)
{
	jv value = last;

	(void)jq;
	(void)arg;
	last = jv_null();
	return value;
}

/* What the expression gives behind the guards; owned. */
static jv
run(const char *expression)
{
	struct buf text = BUF_INIT;
	jq_state *jq = jq_init();
	jv result = jv_string("does not compile");

	jq_set_debug_cb(jq, keep, NULL);
	jq_set_input_cb(jq, give, NULL);
	jq_set_attr(jq, jv_string("JQ_LIBRARY_PATH"), jv_array());
	guards_add(&text);
	buf_addf(&text, "try (%s) catch .\n", expression);
	if (jq_compile(jq, buf_str(&text))) {
		jq_start(jq, jv_null(), 0);
		jv_free(result);
		result = jq_next(jq);
	}
	jq_teardown(&jq);
	buf_release(&text);
	return result;
}

static const struct {
	const char *expression, *says;
} hidden[] = {
    {"now", "now is not pure: use .now"},
    {"env", "env is not pure: use .operator"},
    {"input", "input is not pure: the input is `.`"},
    {"[inputs]", "inputs is not pure: the input is `.`"},
    {"first(inputs)", "inputs is not pure: the input is `.`"},
    {"1 | debug", "debug is not pure: use error"},
    {"1 | debug(2)", "debug is not pure: use error"},
    {"1 | stderr", "stderr is not pure: use error"},
    {"halt", "halt is not pure: use error"},
    {"\"x\" | halt_error", "halt_error is not pure: use error"},
    {"\"x\" | halt_error(1)", "halt_error is not pure: use error"},
    {"input_filename", "input_filename is not pure"},
    {"input_line_number", "input_line_number is not pure"},
    {"get_search_list", "get_search_list is not pure"},
    {"\"operator\" | modulemeta", "modulemeta is not pure"},
    {"def f: now; f", "now is not pure: use .now"},
    {"\"\\(env)\"", "env is not pure: use .operator"},
};

static const char *const variables[] = {
    "$ENV", "$ENV.PATH", "$__prog_args", "$__prog_name"};

int
main(void)
{
	struct buf text = BUF_INIT;
	int lines = 0;

	last = jv_null();
	for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++) {
		jv result = run(hidden[i].expression);

		is(jv_get_kind(result) == JV_KIND_STRING
			? jv_string_value(result)
			: "another value",
		    hidden[i].says, hidden[i].expression);
		jv_free(result);
	}
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		jv result = run(variables[i]);

		ok(jv_get_kind(result) == JV_KIND_NULL, variables[i]);
		jv_free(result);
	}
	ok(guards_word(span_str("now")) != NULL, "a name that is taken");
	ok(guards_word(span_str("nows")) == NULL, "a name that is free");
	ok(guards_variable(span_str("ENV")) != NULL, "a variable");
	lines = guards_add(&text);
	for (size_t i = 0; i < text.len; i++)
		lines -= text.data[i] == '\n';
	ok(lines == 0, "the lines are counted");
	buf_release(&text);
	jv_free(last);
	return tap_done();
}
