/* Part of agree/agree.h: the digest of the paths that an object sets. */
#include "agree/agree.h"

#include <string.h>

#include "agree/apischema.h"
#include "agree/listkeys.h"
#include "json/jvtext.h"
#include "kube/proof.h"
#include "value/base64.h"
#include "value/digest.h"

struct leaves {
	struct apischema schema;
	struct buf path; /* to the current place */
	struct buf text; /* a path per line */
};

static void add_leaves(
    struct leaves *l, jv value, const struct apischema_place *place);

static bool
is_metadata(const struct apischema_place *p)
{
	return p != NULL && span_is(p->key, "metadata") && p->up != NULL &&
	    p->up->up == NULL;
}

static bool
is_own_mark(const struct apischema_place *p)
{
	return span_is(p->key, PROOF_PATHS) &&
	    span_is(p->up->key, "annotations") && is_metadata(p->up->up);
}

/* Whether p is metadata.resourceVersion, which says which version is meant, and
 * does not set anything. */
static bool
is_version(const struct apischema_place *p)
{
	return span_is(p->key, "resourceVersion") && is_metadata(p->up);
}

static void
add_leaf(struct leaves *l, const char *end)
{
	buf_addspan(&l->text, buf_span(&l->path));
	buf_adds(&l->text, end);
}

static void
object_leaves(struct leaves *l, jv object, const struct apischema_place *place)
{
	struct jvtext_members members;

	jvtext_members_init(&members, object, JVTEXT_SORTED);
	for (size_t i = 0; i < members.count; i++) {
		struct apischema_place at = {
		    place, members.items[i].key, SPAN_NONE, 0};

		if (!is_own_mark(&at) && !is_version(&at))
			add_leaves(l, members.items[i].value, &at);
	}
	/* An empty map of labels has no path, with or without our mark. */
	if (members.count == 0 && !apischema_is_map(&l->schema, place))
		add_leaf(l, "{}\n");
	jvtext_members_release(&members);
}

/* Adds the elements in the order of the list: another order gives another
 * digest, because some orders have a meaning (initContainers). */
static void
array_leaves(struct leaves *l, jv array, const struct apischema_place *place)
{
	int n = jv_array_length(jv_copy(array));
	struct apischema_list how = apischema_list(&l->schema, place);
	struct listkeys keys = {.complete = false};

	if (n == 0) {
		add_leaf(l, "[]\n");
		return;
	}
	if (how.type == LIST_KEYED)
		listkeys_init(&keys, &how, array);
	for (int i = 0; i < n; i++) {
		struct apischema_place at = {place, SPAN_NONE,
		    keys.complete ? listkeys_get(&keys, i) : SPAN_NONE, i};
		jv element = jv_array_get(jv_copy(array), i);

		add_leaves(l, element, &at);
		jv_free(element);
	}
	if (how.type == LIST_KEYED)
		listkeys_release(&keys);
}

static void
add_leaves(struct leaves *l, jv value, const struct apischema_place *place)
{
	struct apischema_place at = *place;
	size_t before = l->path.len;

	if (jv_get_kind(value) == JV_KIND_NULL)
		return;
	/* The server keeps stringData as data, and kapply sends it as data. */
	if (at.up != NULL && at.up->up == NULL && l->schema.builtin &&
	    span_is(l->schema.kind, "Secret") && span_is(at.key, "stringData"))
		at.key = span_str("data");
	apischema_add_step(&l->path, &at);
	if (jv_get_kind(value) == JV_KIND_OBJECT)
		object_leaves(l, value, place);
	else if (jv_get_kind(value) == JV_KIND_ARRAY)
		array_leaves(l, value, place);
	else
		add_leaf(l, "\n");
	buf_truncate(&l->path, before);
}

void
agree_path_digest(jv desired_peek, char digest[AGREE_DIGEST_SIZE])
{
	static const struct apischema_place top = {
	    NULL, {NULL, 0}, {NULL, 0}, 0};
	struct leaves l = {.path = BUF_INIT, .text = BUF_INIT};
	unsigned char sha[DIGEST_SIZE];
	struct buf out = BUF_INIT;

	l.schema =
	    apischema_of(jvtext_span(jvtext_peek(desired_peek, "apiVersion")),
		jvtext_span(jvtext_peek(desired_peek, "kind")));
	add_leaves(&l, desired_peek, &top);
	digest_sha256(buf_span(&l.text), sha);
	base64_add_url(&out, span_make((const char *)sha, 16));
	memcpy(digest, buf_str(&out), AGREE_DIGEST_SIZE);
	buf_release(&out);
	buf_release(&l.path);
	buf_release(&l.text);
}

/* object[key] if that is an object, else {}; returned owned. */
static jv
child(jv object_peek, const char *key)
{
	jv value = jvtext_peek(object_peek, key);

	return jv_get_kind(value) == JV_KIND_OBJECT ? jv_copy(value)
						    : jv_object();
}

jv
agree_mark_paths(jv desired)
{
	char digest[AGREE_DIGEST_SIZE];
	jv metadata = child(desired, "metadata");
	jv annotations = child(metadata, "annotations");

	agree_path_digest(desired, digest);
	annotations = jv_object_set(
	    annotations, jvtext_key(span_str(PROOF_PATHS)), jv_string(digest));
	metadata = jv_object_set(
	    metadata, jvtext_key(span_str("annotations")), annotations);
	return jv_object_set(
	    desired, jvtext_key(span_str("metadata")), metadata);
}
