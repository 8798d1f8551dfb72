#include "libjq/jqfiles.h"

#include <stdlib.h>

#include "scratch.h"
#include "tap.h"

static struct textlist dirs;

/* The result of one.jq and an expression, or the error behind the path of the
 * folder. */
static const char *
result(const char *expression)
{
	static const char *const names[] = {"one", NULL};
	static char out[ERR_MESSAGE_MAX];
	struct err err = ERR_INIT;
	jq_state *jq = jqfiles_compile(&dirs, names, expression, &err);
	jv text;

	if (jq == NULL) {
		const char *at = strstr(err.message, scratch);

		snprintf(out, sizeof(out), "%s",
		    at == NULL ? err.message : at + strlen(scratch) + 1);
		return out;
	}
	jq_start(jq, jv_null(), 0);
	text = jv_dump_string(jq_next(jq), 0);
	jq_teardown(&jq);
	snprintf(out, sizeof(out), "%s", jv_string_value(text));
	jv_free(text);
	return out;
}

TEST(all)
{
	char *found;

	scratch_make();
	textlist_init(&dirs);
	textlist_add(&dirs, "/nowhere", strlen("/nowhere"));
	textlist_add(&dirs, scratch, strlen(scratch));
	put_file("one.jq",
	    "# One.\ninclude \"two\";\ninclude \"three\";\n"
	    "def one: two + three;\n");
	put_file("two.jq", "include \"three\";\ndef two: three * 2;\n");
	put_file("three.jq", "def three: 3;\n");
	is(result("one"), "9", "files that include others");
	ok(span_starts(span_str(result("one |")), "expression:1: syntax error"),
	    "an expression that is wrong");
	put_file("three.jq", "def three: 3;\ndef four: 4 +;\n");
	ok(span_starts(span_str(result("one")), "three.jq:2: syntax error"),
	    "an error names file and line");
	put_file("one.jq", "include \"two\";\n\ndef one: nothing;\n");
	put_file("three.jq", "def three: 3;\n");
	is(result("one"), "one.jq:3: nothing/0 is not defined",
	    "... behind what is included");
	put_file("two.jq", "\ninclude \"four\";\n");
	is(result("one"), "two.jq:2: cannot find four.jq",
	    "a file that is missing");
	put_file("two.jq", "include \"../two\";\n");
	ok(strstr(result("one"), "two.jq:1: ") != NULL,
	    "one of another folder");
	found = jqfiles_find(&dirs, "one", ".jq");
	ok(found != NULL && span_starts(span_str(found), scratch),
	    "a file is found in the second folder");
	free(found);
	ok(jqfiles_find(&dirs, "four", ".jq") == NULL, "... or is not there");
	textlist_release(&dirs);
	scratch_remove();
}
