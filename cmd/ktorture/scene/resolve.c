#include "scene/resolve.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "json/jvtext.h"
#include "value/base64.h"

static struct span
text(jv object_peek, const char *key)
{
	return jvtext_span(jvtext_peek(object_peek, key));
}

static struct span
meta(jv object_peek, const char *key)
{
	return text(jvtext_peek(object_peek, "metadata"), key);
}

bool
resolve_is_open(jv step_peek)
{
	static const char *const open[] = {
	    "drift", "lose", "foreign", "unforeign", NULL};

	return span_is_one_of(text(step_peek, "do"), open);
}

/* ---- which object ---- */

/* Kind, namespace, name. */
static int
compare(const void *a, const void *b)
{
	jv x = *(const jv *)a, y = *(const jv *)b;
	int c = span_cmp(text(x, "kind"), text(y, "kind"));

	if (c == 0)
		c = span_cmp(text(x, "apiVersion"), text(y, "apiVersion"));
	if (c == 0)
		c = span_cmp(meta(x, "namespace"), meta(y, "namespace"));
	return c != 0 ? c : span_cmp(meta(x, "name"), meta(y, "name"));
}

static bool
is_same_kind(jv a_peek, jv b_peek)
{
	return span_eq(text(a_peek, "kind"), text(b_peek, "kind")) &&
	    span_eq(text(a_peek, "apiVersion"), text(b_peek, "apiVersion"));
}

/* The n-th of the sorted objects, in turns by kind; -1: there are fewer. */
static int
in_turns(const jv *sorted, int count, int n)
{
	for (int turn = 0; turn < count; turn++) {
		int rank = 0;

		for (int i = 0; i < count; i++) {
			rank = i > 0 && is_same_kind(sorted[i], sorted[i - 1])
			    ? rank + 1
			    : 0;
			if (rank == turn && n-- == 0)
				return i;
		}
	}
	return -1;
}

/* Whether kpipe makes it for itself. */
static bool
is_own(jv object_peek)
{
	struct span name = meta(object_peek, "name");

	return span_is(text(object_peek, "kind"), "Lease") ||
	    (span_is(text(object_peek, "kind"), "Secret") &&
		span_starts(name, "kpipe-marks-"));
}

/* Owned; invalid if there is none. */
static jv
choose(jv objects_peek, int n)
{
	int count = jv_array_length(jv_copy(objects_peek)), n_sorted = 0, i;
	jv *sorted = mem_array(NULL, (size_t)count + 1, sizeof(*sorted));
	jv chosen = jv_invalid();

	for (i = 0; i < count; i++) {
		sorted[n_sorted] = jv_array_get(jv_copy(objects_peek), i);
		if (is_own(sorted[n_sorted]))
			jv_free(sorted[n_sorted]);
		else
			n_sorted++;
	}
	count = n_sorted;
	qsort(sorted, (size_t)count, sizeof(*sorted), compare);
	i = in_turns(sorted, count, n);
	if (i >= 0)
		chosen = jv_copy(sorted[i]);
	for (i = 0; i < count; i++)
		jv_free(sorted[i]);
	free(sorted);
	return chosen;
}

static jv
reference(const char *what, jv object_peek)
{
	jv ref = JV_OBJECT(jv_string("do"), jv_string(what),
	    jv_string("apiVersion"),
	    jv_copy(jvtext_peek(object_peek, "apiVersion")), jv_string("kind"),
	    jv_copy(jvtext_peek(object_peek, "kind")), jv_string("name"),
	    jv_copy(jvtext_peek(jvtext_peek(object_peek, "metadata"), "name")));
	jv ns = jvtext_peek(jvtext_peek(object_peek, "metadata"), "namespace");

	return jv_is_valid(ns)
	    ? jv_object_set(ref, jv_string("namespace"), jv_copy(ns))
	    : ref;
}

/* ---- drift ---- */

/* Kinds whose spec nobody may change, or whose labels alone say more. */
static const char *const by_labels[] = {"Pod", "Namespace", "Job",
    "PersistentVolumeClaim", "ServiceAccount", "PersistentVolume", NULL};

/* Another value of the same sort; invalid: there is none. Takes v. */
static jv
changed(jv v)
{
	jv_kind kind = jv_get_kind(v);
	double n;

	switch (kind) {
	case JV_KIND_NUMBER:
		n = jv_number_value(v);
		jv_free(v);
		return jv_number(n + 1);
	case JV_KIND_TRUE:
		jv_free(v);
		return jv_false();
	case JV_KIND_FALSE:
		jv_free(v);
		return jv_true();
	case JV_KIND_STRING:
		return jv_string_append_str(v, "-drifted");
	default:
		jv_free(v);
		return jv_invalid();
	}
}

/* Another base64 of a Secret's value. */
static jv
changed_secret(void)
{
	struct buf b = BUF_INIT;
	jv v;

	base64_add(&b, span_str("drifted"));
	v = jv_string_sized(b.data, (int)b.len);
	buf_release(&b);
	return v;
}

/* {KEY: another value} of the first member that has one; invalid: none does.
 * Borrows. */
static jv
change_first(jv object_peek, bool is_secret)
{
	struct jvtext_members m;
	jv patch = jv_invalid();

	if (jv_get_kind(object_peek) != JV_KIND_OBJECT)
		return patch;
	jvtext_members_init(&m, object_peek, JVTEXT_SORTED);
	for (size_t i = 0; i < m.count && !jv_is_valid(patch); i++) {
		jv other = is_secret ? changed_secret()
				     : changed(jv_copy(m.items[i].value));

		if (jv_is_valid(other)) {
			jv_free(patch);
			patch = JV_OBJECT(jv_copy(m.items[i].name), other);
		} else
			jv_free(other);
	}
	jvtext_members_release(&m);
	return patch;
}

/* {MEMBER: {KEY: another value}} of a member of the object. */
static jv
change_in(jv object_peek, const char *member)
{
	jv patch = change_first(jvtext_peek(object_peek, member),
	    span_is(text(object_peek, "kind"), "Secret"));

	return jv_is_valid(patch) ? JV_OBJECT(jv_string(member), patch) : patch;
}

/* The fields of a spec that are most often set and have an effect. */
static jv
change_spec(jv object_peek)
{
	static const char *const keys[] = {
	    "replicas", "maxReplicas", "suspend", "selector", "schedule", NULL};
	jv spec = jvtext_peek(object_peek, "spec");
	bool is_service = span_is(text(object_peek, "kind"), "Service");

	for (const char *const *k = keys; *k != NULL; k++) {
		jv v = jvtext_peek(spec, *k), other = jv_invalid();

		/* The selector of a workload is final, a Service's is not. */
		if (strcmp(*k, "selector") != 0)
			other =
			    changed(jv_is_valid(v) ? jv_copy(v) : jv_null());
		else if (is_service)
			other = change_first(v, false);
		if (jv_is_valid(other))
			return JV_OBJECT(
			    jv_string("spec"), JV_OBJECT(jv_string(*k), other));
		jv_free(other);
	}
	return change_in(object_peek, "spec");
}

/* A label that is there, or one that is new. */
static jv
change_labels(jv object_peek)
{
	jv labels = change_first(
	    jvtext_peek(jvtext_peek(object_peek, "metadata"), "labels"), false);

	if (!jv_is_valid(labels))
		labels = JV_OBJECT(
		    jv_string("torture.kpipe.dev/drifted"), jv_string("true"));
	return JV_OBJECT(
	    jv_string("metadata"), JV_OBJECT(jv_string("labels"), labels));
}

static jv
drift(jv object_peek)
{
	static const char *const members[] = {
	    "data", "stringData", "rules", "subjects", NULL};
	jv patch = jv_invalid();

	for (const char *const *m = members; *m != NULL; m++) {
		jv v = jvtext_peek(object_peek, *m);

		/* An array is replaced: nothing is allowed any more. */
		if (jv_get_kind(v) == JV_KIND_ARRAY)
			return JV_OBJECT(jv_string(*m), jv_array());
		jv_free(patch);
		patch = change_in(object_peek, *m);
		if (jv_is_valid(patch))
			return patch;
	}
	if (!span_is_one_of(text(object_peek, "kind"), by_labels)) {
		jv_free(patch);
		patch = change_spec(object_peek);
	}
	return jv_is_valid(patch) ? patch : change_labels(object_peek);
}

/* ---- foreign ---- */

/* Without members that a server fills in for one object alone. */
static jv
without(jv object, const char *const *keys)
{
	for (; *keys != NULL; keys++)
		object = jv_object_delete(object, jv_string(*keys));
	return object;
}

static jv
stripped(jv object, int n)
{
	static const char *const outer[] = {"status", NULL};
	static const char *const inner[] = {
	    "clusterIP", "clusterIPs", "volumeName", "finalizers", NULL};
	struct buf number = BUF_INIT;
	jv metadata = JV_OBJECT(jv_string("name"),
	    jv_copy(jvtext_peek(jvtext_peek(object, "metadata"), "name")));
	jv ns = jvtext_peek(jvtext_peek(object, "metadata"), "namespace");
	jv spec = jv_copy(jvtext_peek(object, "spec"));

	if (jv_is_valid(ns))
		metadata = jv_object_set(
		    metadata, jv_string("namespace"), jv_copy(ns));
	buf_addf(&number, "%d", n);
	metadata = jv_object_set(metadata, jv_string("annotations"),
	    JV_OBJECT(jv_string(RESOLVE_FOREIGN), jv_string(buf_str(&number))));
	buf_release(&number);
	object = without(object, outer);
	/* The server gives each Job its own. */
	if (span_is(text(object, "kind"), "Job")) {
		static const char *const of_job[] = {"selector", NULL};

		spec = without(spec, of_job);
		spec = jv_delpaths(spec,
		    JV_ARRAY(JV_ARRAY(
			jv_string("template"), jv_string("metadata"))));
	}
	object = jv_object_set(object, jv_string("metadata"), metadata);
	if (jv_get_kind(spec) == JV_KIND_OBJECT)
		return jv_object_set(
		    object, jv_string("spec"), without(spec, inner));
	jv_free(spec);
	return object;
}

/* Those of the namespace, and of the cluster. */
static jv
nearby(jv objects_peek, const char *namespace_)
{
	jv near = jv_array();

	jv_array_foreach(objects_peek, i, o)
	{
		struct span ns = meta(o, "namespace");

		if (ns.n == 0 || span_is(ns, namespace_))
			near = jv_array_append(near, o);
		else
			jv_free(o);
	}
	return near;
}

static jv
foreign(jv made_peek, int n, const char *namespace_)
{
	jv near = nearby(made_peek, namespace_);
	jv object = choose(near, n);

	jv_free(near);
	if (!jv_is_valid(object))
		return object;
	return JV_OBJECT(jv_string("do"), jv_string("create"),
	    jv_string("object"), stripped(object, n));
}

static jv
unforeign(jv state_peek, int n)
{
	struct buf number = BUF_INIT;
	jv step = jv_invalid();

	buf_addf(&number, "%d", n);
	jv_array_foreach(state_peek, i, o)
	{
		jv marks =
		    jvtext_peek(jvtext_peek(o, "metadata"), "annotations");

		if (!jv_is_valid(step) &&
		    span_is(text(marks, RESOLVE_FOREIGN), buf_str(&number)))
			step = reference("delete", o);
		jv_free(o);
	}
	buf_release(&number);
	return step;
}

/* ---- all of it ---- */

static jv
resolve(jv step_peek, jv made_peek, jv state_peek, const char *namespace_)
{
	struct span what = text(step_peek, "do");
	jv index = jvtext_peek(step_peek, "index"), object, step;
	int n = jv_get_kind(index) == JV_KIND_NUMBER
	    ? (int)jv_number_value(index)
	    : 0;

	if (span_is(what, "foreign"))
		return foreign(made_peek, n, namespace_);
	if (span_is(what, "unforeign"))
		return unforeign(state_peek, n);
	object = choose(made_peek, n);
	if (!jv_is_valid(object))
		return object;
	step = reference(span_is(what, "drift") ? "patch" : "delete", object);
	if (span_is(what, "drift"))
		step = jv_object_set(step, jv_string("patch"), drift(object));
	jv_free(object);
	return step;
}

jv
resolve_step(jv step_peek, jv made_peek, jv state_peek, const char *namespace_)
{
	jv step = resolve(step_peek, made_peek, state_peek, namespace_);

	if (!jv_is_valid(step)) {
		jv_free(step);
		return jv_array();
	}
	if (jv_get_kind(jvtext_peek(step_peek, "then")) == JV_KIND_TRUE)
		step = jv_object_set(step, jv_string("then"), jv_true());
	return JV_ARRAY(step);
}
