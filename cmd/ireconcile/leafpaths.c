/* The digest of the paths that an object sets. */
#include "agree.h"

#include <stdlib.h>
#include <string.h>

#include "apischema.h"
#include "digest.h"
#include "jvtext.h"
#include "listkeys.h"
#include "mem.h"

struct leaves {
	struct apischema schema;
	struct buf text; /* one path per line */
};

static void add_leaves(struct leaves *l, jv value, const struct place *place);

static bool
is_own_mark(const struct place *p)
{
	return span_is(p->key, AGREE_PATHS_ANNOTATION) &&
	    span_is(p->up->key, "annotations") && p->up->up != NULL &&
	    span_is(p->up->up->key, "metadata") && p->up->up->up != NULL &&
	    p->up->up->up->up == NULL;
}

static int
key_cmp(const void *a, const void *b)
{
	return span_cmp(
	    jvtext_span(*(const jv *)a), jvtext_span(*(const jv *)b));
}

static void
add_object(struct leaves *l, jv object, const struct place *place)
{
	int n = jv_object_length(jv_copy(object));
	jv *keys = mem_array(NULL, (size_t)n, sizeof(*keys));
	int i = 0;

	jv_object_keys_foreach(object, key)
	{
		keys[i++] = key;
	}
	qsort(keys, (size_t)n, sizeof(*keys), key_cmp);
	for (i = 0; i < n; i++) {
		struct place at = {place, jvtext_span(keys[i]), SPAN_NONE, 0};

		if (!is_own_mark(&at)) {
			jv value =
			    jv_object_get(jv_copy(object), jv_copy(keys[i]));

			add_leaves(l, value, &at);
			jv_free(value);
		}
		jv_free(keys[i]);
	}
	free(keys);
}

/* In the order of the list: another order is another digest, because some
 * orders have a meaning (initContainers). */
static void
add_array(struct leaves *l, jv array, const struct place *place)
{
	struct apischema_list how = apischema_list(&l->schema, place);
	int n = jv_array_length(jv_copy(array));
	struct listkeys keys = {.complete = false};

	if (how.type == LIST_KEYED)
		listkeys_init(&keys, &how, array);
	for (int i = 0; i < n; i++) {
		struct place at = {place, SPAN_NONE,
		    keys.complete ? listkeys_get(&keys, i) : SPAN_NONE, i};
		jv element = jv_array_get(jv_copy(array), i);

		add_leaves(l, element, &at);
		jv_free(element);
	}
	if (how.type == LIST_KEYED)
		listkeys_release(&keys);
}

static void
add_leaves(struct leaves *l, jv value, const struct place *place)
{
	jv_kind kind = jv_get_kind(value);

	if (kind == JV_KIND_NULL)
		return;
	if (kind == JV_KIND_OBJECT && jv_object_length(jv_copy(value)) > 0) {
		add_object(l, value, place);
		return;
	}
	if (kind == JV_KIND_ARRAY && jv_array_length(jv_copy(value)) > 0) {
		add_array(l, value, place);
		return;
	}
	/* An empty map of labels says nothing, with our mark in it or not. */
	if (kind == JV_KIND_OBJECT && apischema_is_map(&l->schema, place))
		return;
	place_add(&l->text, place);
	buf_adds(&l->text,
	    kind == JV_KIND_OBJECT	? "{}\n"
		: kind == JV_KIND_ARRAY ? "[]\n"
					: "\n");
}

void
agree_path_digest(jv desired_peek, char digest[AGREE_DIGEST_SIZE])
{
	static const struct place top = {NULL, {NULL, 0}, {NULL, 0}, 0};
	struct leaves l = {.text = BUF_INIT};
	unsigned char sha[DIGEST_SIZE];
	struct buf out = BUF_INIT;

	l.schema =
	    apischema_of(jvtext_span(jvtext_peek(desired_peek, "apiVersion")),
		jvtext_span(jvtext_peek(desired_peek, "kind")));
	add_leaves(&l, desired_peek, &top);
	digest_sha256(buf_span(&l.text), sha);
	digest_add_base64url(&out, sha, 16);
	memcpy(digest, buf_str(&out), AGREE_DIGEST_SIZE);
	buf_release(&out);
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
	    annotations, jv_string(AGREE_PATHS_ANNOTATION), jv_string(digest));
	metadata =
	    jv_object_set(metadata, jv_string("annotations"), annotations);
	return jv_object_set(desired, jv_string("metadata"), metadata);
}
