#include "scene/specs.h"

#include <stdlib.h>

#include "operator.h"
#include "tap.h"
#include "values.h"

static struct specs specs;

static void
set_up(void)
{
	struct err err = ERR_INIT;
	struct opfolder f;

	operator_make();
	f = operator_load();
	if (specs_load(&specs, &f, &err) != 0) {
		printf("Bail out! %s\n", err.message);
		exit(1);
	}
	opfolder_release(&f);
}

static void
tear_down(void)
{
	specs_release(&specs);
	operator_remove();
}

/* The single one whose mutation has that name; invalid if there is none. */
static jv
single(const char *name)
{
	for (size_t i = 0; i < specs.singles; i++) {
		jv s = specs_get(&specs, 1, i);
		struct span text = jvtext_span(jvtext_peek(s, "name"));

		if (text.n > 10 && span_is(span_skip(text, 10), name))
			return s;
		jv_free(s);
	}
	return jv_invalid();
}

static bool
has(const char *name)
{
	jv s = single(name);
	bool found = jv_is_valid(s);

	jv_free(s);
	return found;
}

TEST_F(mutations)
{
	ok(has(".spec.size absent"), "absent");
	ok(has(".spec.size=null"), "null");
	ok(has(".spec.size=0") && has(".spec.size=-1"), "least, and less");
	ok(has(".spec.size=9"), "most");
	ok(!has(".spec.size=3"), "not what it is already");
	ok(has(".spec.size=\"x\""), "another type");
	ok(has(".spec.mode=\"slow\"") && !has(".spec.mode=\"fast\""),
	    "of an enum");
	ok(has(".spec.color=\"xxxxx\"") && has(".spec.color=\"xxxxxx\""),
	    "as long as it may be, and longer");
	ok(has(".spec.open=true") && has(".spec.open=false"),
	    "a field that the example has not");
	ok(!has(".spec.open absent"), "... is absent already");
	ok(has(".spec absent") && has(".spec={}"), "all of it");
	ok(!has(".metadata absent"), "nothing of the metadata");
}

TEST_F(steps)
{
	jv s = single(".spec.size absent");

	is(shown(at(s, ".steps.1.object.kind")), "'Web'",
	    "the example is made");
	is(shown(at(s, ".steps.2.patch")),
	    "[{'op':'add','path':'/spec','value':{'at':'2030-01-01T00:00:00Z',"
	    "'color':'red','mode':'fast'}}]",
	    "... mutated");
	is(shown(at(s, ".steps.3.patch.0.value.size")), "3",
	    "... and put back");
	is(shown(at(s, ".steps.4")), "invalid", "no more");
	jv_free(s);
	s = single(".spec absent");
	is(shown(at(s, ".steps.2.patch")), "[{'op':'remove','path':'/spec'}]",
	    "a member that goes");
	jv_free(s);
	s = specs_fresh(&specs, 1, 0);
	is(shown(at(s, ".steps.0.object.kind")), "'Secret'",
	    "for a fresh operator: what is made before");
	is(shown(at(s, ".steps.1.object.spec.at")), "invalid",
	    "... and the mutated one at once");
	is(shown(at(s, ".steps.2")), "invalid", "... and nothing else");
	jv_free(s);
}

/* How many different names there are among all. */
static int
different(uint64_t seed)
{
	jv names = jv_object();
	int n;

	for (size_t i = 0; i < specs_count(&specs); i++) {
		jv s = specs_get(&specs, seed, i);
		struct span name = jvtext_span(jvtext_peek(s, "name"));
		const char *blank = span_find(name, ' ');

		names = jv_object_set(names,
		    jv_string_sized(blank, (int)(name.p + name.n - blank)),
		    jv_true());
		jv_free(s);
	}
	n = jv_object_length(names);
	return n;
}

/* Whether there is a pair of the same. */
static bool
twice(uint64_t seed)
{
	bool found = false;

	for (size_t i = specs.singles; i < specs_count(&specs); i++) {
		jv one = specs_get(&specs, seed, i);
		struct span name = jvtext_span(jvtext_peek(one, "name"));
		size_t n;

		name = span_skip(name, strlen("spec-0000 "));
		n = name.n / 2;
		found = found ||
		    (name.n > 2 && name.n % 2 == 0 &&
			span_eq(
			    span_make(name.p, n - 1), span_skip(name, n + 1)));
		jv_free(one);
	}
	return found;
}

TEST_F(pairs)
{
	size_t n = specs.singles;
	jv a = specs_get(&specs, 1, n), b = specs_get(&specs, 1, n);
	jv c = specs_get(&specs, 2, n);

	ok(n > 20 && specs_count(&specs) == n * n, "each pair in time");
	ok(different(1) == (int)(n * n), "... is there once");
	ok(!twice(1), "... none with itself");
	ok(different(99) == (int)(n * n), "... with any seed");
	ok(jv_equal(jv_copy(a), b), "the same seed, the same order");
	ok(!jv_equal(jv_copy(a), c), "... another one, another order");
	is(shown(at(a, ".steps.4.do")), "'patch'", "two patches and back");
	is(shown(at(a, ".steps.5")), "invalid", "... and no more");
	jv_free(a);
}
