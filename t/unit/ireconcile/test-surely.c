/* agree_surely against agree_object: on random objects, and on what operators
 * saw of a real API server. */
#include "agree/agree.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "process/file.h"
#include "tap.h"

static jv
parse(struct span text)
{
	struct err err = ERR_INIT;
	jv value = jvtext_parse(text, &err);

	if (!jv_is_valid(value))
		printf("Bail out! %s: %.*s\n", err.message, SPAN_ARG(text));
	return value;
}

struct tally {
	int pairs, agree, surely, wrong;
};

/* desired, which is printed as text */
static void
compare(
    struct tally *t, jv desired, struct span text, struct span observed_text)
{
	jv observed = parse(observed_text);
	bool same = agree_object(desired, observed, NULL);
	bool surely = agree_surely(text, observed_text);

	if (surely && !same && t->wrong == 0)
		printf("# %.*s\n# %.*s\n", SPAN_ARG(text),
		    SPAN_ARG(observed_text));
	t->pairs++;
	t->agree += same;
	t->surely += surely;
	t->wrong += surely && !same;
	jv_free(observed);
}

/* ---- random objects ---- */

static unsigned
below(unsigned n)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

static const char *
any(const char *const *list, unsigned n)
{
	return list[below(n)];
}

static const char *const heads[] = {
    "\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\"",
    "\"apiVersion\":\"v1\",\"kind\":\"Service\"",
    "\"apiVersion\":\"v1\",\"kind\":\"Secret\"",
    "\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\"",
    "\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\""};
static const char *const keys[] = {"metadata", "labels", "annotations", "data",
    "stringData", "finalizers", "containers", "env", "ports", "conditions",
    "limits", "cpu", "a", "b", "kpipe.dev/paths"};
static const char *const odd_keys[] = {"\\u0061", "a\\\"b"};
static const char *const scalars[] = {"null", "true", "false", "0", "1", "1.0",
    "80", "-0", "1e3", "1000", "0.5", "\"\"", "\"a\"", "\"\\u0061\"", "\"<\"",
    "\"\\u003c\"", "\"500m\"", "\"0.5\"", "\"1\"", "\"1000m\"", "\"1Gi\"",
    "\"1024Mi\"", "{}", "[]", "\"YQ==\"", "9007199254740991"};
static const char *const names[] = {
    "\"main\"", "\"other\"", "80", "\"80\"", "8e1", "null", "\"\\u006dain\""};

static void add_value(struct buf *b, int depth);

/* Keys of API objects are not given twice, but both sides have to read those
 * in one way. */
static void
add_members(struct buf *b, int depth)
{
	for (unsigned i = below(5); i > 0; i--) {
		json_add_comma(b);
		buf_addf(b, "\"%s\":",
		    below(30) == 0 ? any(odd_keys, COUNT(odd_keys))
				   : any(keys, COUNT(keys)));
		add_value(b, depth);
	}
}

/* One that may be an element of a keyed list. */
static void
add_element(struct buf *b, int depth)
{
	static const char *const key[] = {
	    "name", "type", "containerPort", "port", "protocol", "uid"};

	buf_addc(b, '{');
	for (unsigned i = below(3); i > 0; i--) {
		json_add_comma(b);
		buf_addf(b, "\"%s\":%s", any(key, COUNT(key)),
		    any(names, COUNT(names)));
	}
	add_members(b, depth);
	buf_addc(b, '}');
}

static void
add_value(struct buf *b, int depth)
{
	unsigned what = depth > 4 ? 0 : below(4);

	if (what < 2) {
		buf_adds(b, any(scalars, COUNT(scalars)));
	} else if (what == 2) {
		buf_addc(b, '{');
		add_members(b, depth + 1);
		buf_addc(b, '}');
	} else {
		buf_addc(b, '[');
		for (unsigned i = below(4); i > 0; i--) {
			json_add_comma(b);
			if (below(3) == 0)
				add_value(b, depth + 1);
			else
				add_element(b, depth + 1);
		}
		buf_addc(b, ']');
	}
}

static void
add_object(struct buf *b)
{
	buf_reset(b);
	buf_addf(b, "{%s", any(heads, COUNT(heads)));
	add_members(b, 0);
	buf_addc(b, '}');
}

/* The same with a scalar in another place or spelling, here and there. */
static void
add_changed(struct buf *b, struct span from)
{
	buf_reset(b);
	for (size_t i = 0; i < from.n; i++) {
		if (from.p[i] == ':' && below(6) == 0 && i + 1 < from.n &&
		    strchr("0123456789", from.p[i + 1]) != NULL) {
			buf_addf(b, ":%s", any(scalars, COUNT(scalars)));
			while (strchr(",}]", from.p[i + 1]) == NULL)
				i++;
		} else if (from.p[i] == '}' && i > 0 && below(10) == 0) {
			json_add_comma(b);
			buf_addf(b, "\"%s\":%s}", any(keys, COUNT(keys)),
			    any(scalars, COUNT(scalars)));
		} else {
			buf_addc(b, from.p[i]);
		}
	}
}

static void
test_random(void)
{
	struct buf desired = BUF_INIT, observed = BUF_INIT, text = BUF_INIT;
	struct tally t = {0};

	for (int i = 0; i < 8000; i++) {
		jv desired_tree, tree;

		add_object(&desired);
		desired_tree = parse(buf_span(&desired));
		buf_reset(&text);
		jvtext_add(&text, desired_tree, NULL);
		add_changed(&observed, buf_span(&desired));
		compare(&t, desired_tree, buf_span(&text), buf_span(&observed));
		compare(&t, desired_tree, buf_span(&text), buf_span(&desired));
		/* In another spelling and order. */
		tree = parse(buf_span(&observed));
		buf_reset(&observed);
		jvtext_add_ordered(&observed, tree, JVTEXT_KEPT, NULL);
		jv_free(tree);
		compare(&t, desired_tree, buf_span(&text), buf_span(&observed));
		add_object(&observed);
		compare(&t, desired_tree, buf_span(&text), buf_span(&observed));
		jv_free(desired_tree);
	}
	printf("# %d pairs, %d agree, %d surely\n", t.pairs, t.agree, t.surely);
	ok(t.wrong == 0, "random objects: what agrees surely agrees");
	ok(t.surely > t.agree / 2 && t.agree < t.pairs,
	    "... and most of what agrees is found");
	buf_release(&desired);
	buf_release(&observed);
	buf_release(&text);
}

/* ---- recordings ---- */

/* Each object against the one of the same kind before it, and against itself:
 * what is settled. */
static void
test_recording(const char *path)
{
	struct tally t = {0}, same = {0};
	struct buf text = BUF_INIT, printed = BUF_INIT;
	struct err err = ERR_INIT;
	jv before = jv_invalid();

	if (file_read(path, 64, &text, &err) != 0)
		printf("Bail out! %s\n", err.message);
	for (char *p = text.data, *end = p + text.len, *nl;
	     p < end && (nl = memchr(p, '\n', (size_t)(end - p))) != NULL;
	     p = nl + 1) {
		struct span object =
		    json_get(span_make(p, (size_t)(nl - p)), "object");

		if (json_get(object, "metadata").p == NULL)
			continue;
		if (jv_is_valid(before))
			compare(&t, before, buf_span(&printed), object);
		jv_free(before);
		before = parse(object);
		buf_reset(&printed);
		jvtext_add(&printed, before, NULL);
		compare(&same, before, buf_span(&printed), object);
	}
	jv_free(before);
	buf_release(&printed);
	buf_release(&text);
	printf("# %d pairs, %d agree, %d surely\n", t.pairs, t.agree, t.surely);
	ok(t.wrong == 0 && same.wrong == 0, path);
	ok(t.surely == t.agree && same.surely == same.pairs,
	    "... and nothing that agrees is missed");
}

int
main(void)
{
	test_random();
	test_recording("pipeline/memcached/t/life.jsonl");
	test_recording("pipeline/iotservice/t/life.jsonl");
	test_recording("pipeline/cronjob/t/life.jsonl");
	return tap_done();
}
