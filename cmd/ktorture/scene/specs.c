#include "scene/specs.h"

#include <string.h>

#include "base/buf.h"
#include "json/jvtext.h"
#include "scene/scenario.h"

int
specs_load(struct specs *s, const struct opfolder *f, struct err *err)
{
	jv input, made;

	*s = (struct specs){f, jv_array(), jv_object(), jv_array(), jv_array(),
	    jv_copy(f->rules), 0};
	if (!jv_is_valid(f->primary))
		return 0;
	input = JV_OBJECT(jv_string("primary"), jv_copy(f->primary),
	    jv_string("before"), jv_copy(f->before), jv_string("crds"),
	    jv_copy(f->crds), jv_string("marks"), jv_copy(f->marks));
	made = opfolder_run(f, "specs", input, err);
	if (!jv_is_valid(made)) {
		specs_release(s);
		return -1;
	}
	jv_free(s->begin);
	jv_free(s->object);
	jv_free(s->edits);
	jv_free(s->marks);
	s->begin = jv_copy(jvtext_peek(made, "begin"));
	s->object = jv_copy(jvtext_peek(made, "object"));
	s->edits = jv_copy(jvtext_peek(made, "edits"));
	s->marks = jv_copy(jvtext_peek(made, "marks"));
	s->singles = (size_t)jv_array_length(jv_copy(s->edits));
	jv_free(made);
	return 0;
}

void
specs_release(struct specs *s)
{
	jv_free(s->begin);
	jv_free(s->object);
	jv_free(s->edits);
	jv_free(s->marks);
	jv_free(s->rules);
	*s = (struct specs){0};
}

/* Each, and each with each other in both orders. */
size_t
specs_count(const struct specs *s)
{
	return s->singles == 0 ? 0 : s->singles * s->singles;
}

/* ---- the order ---- */

/*
 * A permutation of the numbers below n, for each seed another: steps that can be
 * undone, on the next power of two, until the result is below n.
 */
static uint64_t
permuted(uint64_t i, uint64_t n, uint64_t seed)
{
	unsigned bits = 1;
	uint64_t mask;

	while ((UINT64_C(1) << bits) < n)
		bits++;
	mask = (UINT64_C(1) << bits) - 1;
	do {
		for (int round = 0; round < 3; round++) {
			i = (i * UINT64_C(0x9e3779b97f4a7c15) + seed) & mask;
			i ^= i >> (bits / 2 + 1);
			i = (i * UINT64_C(0xbf58476d1ce4e5b9) + (seed >> 7)) &
			    mask;
		}
	} while (i >= n);
	return i;
}

/* Which edits, in their order: one or two. */
static int
choose(const struct specs *s, uint64_t seed, size_t i, size_t which[2])
{
	size_t others = s->singles - 1, pair;

	if (i < s->singles) {
		which[0] = (size_t)permuted(i, s->singles, seed);
		return 1;
	}
	pair = (size_t)permuted(
	    i - s->singles, (uint64_t)s->singles * others, seed);
	which[0] = pair / others;
	which[1] = pair % others;
	which[1] += which[1] >= which[0];
	return 2;
}

jv
specs_get(const struct specs *s, uint64_t seed, size_t i)
{
	size_t which[2];
	int n = choose(s, seed, i, which);
	jv edits = jv_array();

	for (int k = 0; k < n; k++)
		edits = jv_array_append(
		    edits, jv_array_get(jv_copy(s->edits), (int)which[k]));
	return edits;
}

/* ---- an edit ---- */

/* By its text; takes object. */
static jv
rewritten(const struct specs *s, jv object, jv edit, struct err *err)
{
	const char *text = jv_string_value(jvtext_peek(edit, "text"));
	jq_state *jq = scenario_expression(s->folder, text, err);
	jv other = jv_invalid();

	if (jq == NULL) {
		jv_free(object);
		return other;
	}
	jq_start(jq, object, 0);
	other = jq_next(jq);
	jq_teardown(&jq);
	if (jv_get_kind(other) == JV_KIND_OBJECT)
		return other;
	jv_free(other);
	err_set(err, ERR_PERMANENT, "%s: it does not give an object", text);
	return jv_invalid();
}

/* Takes object. Where the path leads through something else now, it stays as it
 * is. */
static jv
edited(const struct specs *s, jv object, jv edit, struct err *err)
{
	jv path = jvtext_peek(edit, "path"), other;

	if (!jv_is_valid(path))
		return rewritten(s, object, edit, err);
	if (jv_is_valid(jvtext_peek(edit, "absent")))
		other = jv_delpaths(jv_copy(object), JV_ARRAY(jv_copy(path)));
	else
		other = jv_setpath(jv_copy(object), jv_copy(path),
		    jv_copy(jvtext_peek(edit, "value")));
	if (jv_is_valid(other)) {
		jv_free(object);
		return other;
	}
	jv_free(other);
	return object;
}

static bool
is_kept(struct span key)
{
	static const char *const kept[] = {
	    "apiVersion", "kind", "metadata", "status", NULL};

	return span_is_one_of(key, kept);
}

static jv
operation(const char *what, struct span key)
{
	struct buf path = BUF_INIT;
	jv op;

	buf_addc(&path, '/');
	for (size_t i = 0; i < key.n; i++) {
		if (key.p[i] == '~' || key.p[i] == '/')
			buf_adds(&path, key.p[i] == '~' ? "~0" : "~1");
		else
			buf_addc(&path, key.p[i]);
	}
	op = JV_OBJECT(jv_string("op"), jv_string(what), jv_string("path"),
	    jv_string(buf_str(&path)));
	buf_release(&path);
	return op;
}

/* Appends the operations that give $from the members of $to. In a merge patch a
 * null would not be a value. */
static jv
add_operations(jv ops, jv from_peek, jv to_peek)
{
	struct jvtext_members m;

	jvtext_members_init(&m, to_peek, JVTEXT_SORTED);
	for (size_t i = 0; i < m.count; i++)
		if (!is_kept(m.items[i].key))
			ops = jv_array_append(ops,
			    jv_object_set(operation("add", m.items[i].key),
				jv_string("value"), jv_copy(m.items[i].value)));
	jvtext_members_release(&m);
	jvtext_members_init(&m, from_peek, JVTEXT_SORTED);
	for (size_t i = 0; i < m.count; i++)
		if (!is_kept(m.items[i].key) &&
		    !jv_object_has(jv_copy(to_peek), jv_copy(m.items[i].name)))
			ops = jv_array_append(
			    ops, operation("remove", m.items[i].key));
	jvtext_members_release(&m);
	return ops;
}

static jv
patch_step(jv from_peek, jv to_peek)
{
	jv metadata = jvtext_peek(to_peek, "metadata");
	jv step = JV_OBJECT(jv_string("do"), jv_string("patch"),
	    jv_string("apiVersion"),
	    jv_copy(jvtext_peek(to_peek, "apiVersion")), jv_string("kind"),
	    jv_copy(jvtext_peek(to_peek, "kind")), jv_string("name"),
	    jv_copy(jvtext_peek(metadata, "name")), jv_string("patch"),
	    add_operations(jv_array(), from_peek, to_peek));
	jv ns = jvtext_peek(metadata, "namespace");

	return jv_is_valid(ns)
	    ? jv_object_set(step, jv_string("namespace"), jv_copy(ns))
	    : step;
}

/* ---- scenarios ---- */

static jv
settle(void)
{
	return JV_OBJECT(jv_string("do"), jv_string("settle"));
}

/* Takes the steps; it settles at its end. */
static jv
scenario(const struct specs *s, const char *name, jv steps)
{
	return JV_OBJECT(jv_string("name"), jv_string(name), jv_string("steps"),
	    jv_array_append(steps, settle()), jv_string("rules"),
	    jv_copy(s->rules), jv_string("marks"), jv_copy(s->marks));
}

jv
specs_way(const struct specs *s, jv edits, struct err *err)
{
	jv steps = jv_copy(s->begin), now = jv_copy(s->object);

	for (int i = 0, n = jv_array_length(jv_copy(edits)); i < n; i++) {
		jv edit = jv_array_get(jv_copy(edits), i);
		jv next = edited(s, jv_copy(now), edit, err);

		jv_free(edit);
		if (!jv_is_valid(next)) {
			jv_free(steps);
			jv_free(now);
			return next;
		}
		steps = jv_array_append(steps, patch_step(now, next));
		jv_free(now);
		now = next;
	}
	steps = jv_array_append(steps, settle());
	steps = jv_array_append(steps, patch_step(now, s->object));
	jv_free(now);
	return scenario(s, "specs", steps);
}

jv
specs_content(jv object)
{
	struct jvtext_members m;
	jv content = jv_object();

	jvtext_members_init(&m, object, JVTEXT_SORTED);
	for (size_t i = 0; i < m.count; i++)
		if (!is_kept(m.items[i].key))
			content =
			    jv_object_set(content, jv_copy(m.items[i].name),
				jv_copy(m.items[i].value));
	jvtext_members_release(&m);
	return content;
}

jv
specs_fresh(const struct specs *s, jv object)
{
	static const char *const kept[] = {
	    "apiVersion", "kind", "metadata", NULL};
	int last = jv_array_length(jv_copy(s->begin)) - 1;
	jv content = specs_content(object);

	for (size_t i = 0; kept[i] != NULL; i++)
		content = jv_object_set(content, jv_string(kept[i]),
		    jv_copy(jvtext_peek(s->object, kept[i])));
	return scenario(s, "fresh",
	    jv_array_set(jv_copy(s->begin), last,
		JV_OBJECT(jv_string("do"), jv_string("create"),
		    jv_string("object"), content)));
}
