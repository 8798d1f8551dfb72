#include "scene/specs.h"

#include <stdlib.h>

#include "operator.h"
#include "scene/scenario.h"
#include "tap.h"
#include "values.h"

static struct opfolder folder;
static struct specs specs;

static void
set_up(void)
{
	struct err err = ERR_INIT;

	operator_make();
	folder = operator_load();
	if (specs_load(&specs, &folder, &err) != 0) {
		printf("Bail out! %s\n", err.message);
		exit(1);
	}
}

static void
tear_down(void)
{
	specs_release(&specs);
	opfolder_release(&folder);
	operator_remove();
}

/* The edit of that text, in a list; empty if there is none. */
static jv
single(const char *text)
{
	for (size_t i = 0; i < specs.singles; i++) {
		jv edits = specs_get(&specs, 1, i);
		jv edit = jv_array_get(jv_copy(edits), 0);
		bool found =
		    span_is(jvtext_span(jvtext_peek(edit, "text")), text);

		jv_free(edit);
		if (found)
			return edits;
		jv_free(edits);
	}
	return jv_array();
}

static bool
has(const char *text)
{
	return jv_array_length(single(text)) == 1;
}

TEST_F(edits)
{
	ok(has("del(.spec.size)"), "absent");
	ok(has(".spec.size = null"), "null");
	ok(has(".spec.size = 0") && has(".spec.size = -1"), "least, and less");
	ok(has(".spec.size = 9"), "most");
	ok(!has(".spec.size = 3"), "not what it is already");
	ok(has(".spec.size = \"x\""), "another type");
	ok(has(".spec.mode = \"slow\"") && !has(".spec.mode = \"fast\""),
	    "of an enum");
	ok(has(".spec.color = \"xxxxx\"") && has(".spec.color = \"xxxxxx\""),
	    "as long as it may be, and longer");
	ok(has(".spec.color = \"\"") && has(".spec.color = \" \"") &&
		has(".spec.color = \"\\n\""),
	    "empty, a blank, a newline");
	ok(has(".spec.at = \"x\" * 10000"), "long where there is no limit");
	ok(has(".spec.at = \"2026-02-30T00:00:00Z\""), "no such day");
	ok(has(".spec.open = true") && has(".spec.open = false"),
	    "a field that the example has not");
	ok(!has("del(.spec.open)"), "... is absent already");
	ok(has("del(.spec)") && has(".spec = {}"), "all of it");
	ok(has(".spec.ktorture = {\"unknown\":[null]}"), "an unknown field");
	ok(!has("del(.metadata)"), "nothing of the metadata");
}

static struct err err;

/* ---- scenarios ---- */

static jv
way(jv edits)
{
	jv s;

	err = (struct err)ERR_INIT;
	s = specs_way(&specs, edits, &err);
	jv_free(edits);
	return s;
}

TEST_F(steps)
{
	jv s = way(single("del(.spec.size)")), object;

	is(shown(at(s, ".steps.1.object.kind")), "'Web'",
	    "the example is made");
	is(shown(at(s, ".steps.2.patch")),
	    "[{'op':'add','path':'/spec','value':{'at':'2030-01-01T00:00:00Z',"
	    "'color':'red','mode':'fast'}}]",
	    "... edited");
	is(shown(at(s, ".steps.3.do")), "'settle'", "... looked at");
	is(shown(at(s, ".steps.4.patch.0.value.size")), "3",
	    "... and put back");
	is(shown(at(s, ".steps.5.do")), "'settle'", "... and looked at");
	is(shown(at(s, ".steps.6")), "invalid", "no more");
	jv_free(s);
	s = way(single("del(.spec)"));
	is(shown(at(s, ".steps.2.patch")), "[{'op':'remove','path':'/spec'}]",
	    "a member that goes");
	jv_free(s);
	object = jv_object_set(jv_copy(specs.object), jv_string("spec"),
	    JV_OBJECT(jv_string("size"), jv_number(7)));
	object = jv_object_set(object, jv_string("status"), jv_object());
	s = specs_fresh(&specs, object);
	is(shown(at(s, ".steps.0.object.kind")), "'Secret'",
	    "for a fresh operator: what is made before");
	is(shown(at(s, ".steps.1.object.spec")), "{'size':7}",
	    "... and the object with its spec");
	is(shown(at(s, ".steps.1.object.status")), "invalid",
	    "... without a status");
	is(shown(at(s, ".steps.2.do")), "'settle'", "... looked at");
	is(shown(at(s, ".steps.3")), "invalid", "... and nothing else");
	jv_free(s);
	jv_free(object);
}

static jv
written(const char *text)
{
	return JV_ARRAY(JV_OBJECT(jv_string("text"), jv_string(text)));
}

TEST_F(texts)
{
	size_t same = 0;
	jv s;

	for (size_t i = 0; i < specs.singles; i++) {
		jv edits = specs_get(&specs, 1, i);
		jv edit = jv_array_get(jv_copy(edits), 0);
		jv a = way(edits);
		jv b = way(written(jv_string_value(jvtext_peek(edit, "text"))));

		if (jv_equal(a, b))
			same++;
		else
			printf("# %s\n",
			    jv_string_value(jvtext_peek(edit, "text")));
		jv_free(edit);
	}
	ok(same == specs.singles, "the text of an edit does the same");
	s = way(written(".spec.size = 2 * 2"));
	is(shown(at(s, ".steps.2.patch.0.value.size")), "4",
	    "one that a person wrote");
	jv_free(s);
	s = way(written(".spec.size"));
	is(shown(s), "invalid", "one that gives no object");
	is(err.message, ".spec.size: it does not give an object",
	    "... says so");
	s = way(written(".spec.size ="));
	is(shown(s), "invalid", "one that is not jq");
	ok(err.kind == ERR_PERMANENT, "... is refused");
}

/* ---- pairs ---- */

/* The texts of the i-th. */
static jv
texts_of(uint64_t seed, size_t i)
{
	jv edits = specs_get(&specs, seed, i), texts = jv_array();

	jv_array_foreach(edits, k, edit)
	{
		texts =
		    jv_array_append(texts, jv_copy(jvtext_peek(edit, "text")));
		jv_free(edit);
	}
	jv_free(edits);
	return texts;
}

/* How many different ones there are among all. */
static int
different(uint64_t seed)
{
	jv seen = jv_object();
	int n;

	for (size_t i = 0; i < specs_count(&specs); i++)
		seen = jv_object_set(
		    seen, jv_dump_string(texts_of(seed, i), 0), jv_true());
	n = jv_object_length(seen);
	return n;
}

/* Whether there is a pair of the same. */
static bool
twice(uint64_t seed)
{
	bool found = false;

	for (size_t i = specs.singles; i < specs_count(&specs); i++) {
		jv texts = texts_of(seed, i);

		found = found ||
		    jv_equal(jv_array_get(jv_copy(texts), 0),
			jv_array_get(jv_copy(texts), 1));
		jv_free(texts);
	}
	return found;
}

TEST_F(pairs)
{
	size_t n = specs.singles;
	jv s = way(specs_get(&specs, 1, n));

	ok(n > 20 && specs_count(&specs) == n * n, "each pair in time");
	ok(different(1) == (int)(n * n), "... is there once");
	ok(!twice(1), "... none with itself");
	ok(different(99) == (int)(n * n), "... with any seed");
	ok(jv_equal(texts_of(1, n), texts_of(1, n)),
	    "the same seed, the same order");
	ok(!jv_equal(texts_of(1, n), texts_of(2, n)),
	    "... another one, another order");
	ok(!jv_equal(texts_of(1, 0), texts_of(2, 0)), "... of singles, too");
	is(shown(at(s, ".steps.5.do")), "'patch'",
	    "two patches, a look, and back");
	is(shown(at(s, ".steps.6.do")), "'settle'", "... and a look");
	is(shown(at(s, ".steps.7")), "invalid", "... and no more");
	jv_free(s);
}
