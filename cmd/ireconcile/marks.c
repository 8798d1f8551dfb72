#include "marks.h"

#include <string.h>

#include "digest.h"
#include "json.h"
#include "jvtext.h"

enum { PART_OF_BYTES = 16 };

static void
part_of(struct span label, struct buf *out)
{
	unsigned char sum[DIGEST_SIZE];

	digest_sha256(label, sum);
	digest_add_hex(out, sum, PART_OF_BYTES);
}

struct marks_owners
marks_owners(const struct object *o)
{
	struct span list =
	    json_path(object_text(o), "metadata.ownerReferences");

	return (struct marks_owners){
	    json_elements(list).rest, SPAN_NONE, false};
}

bool
marks_owner(struct marks_owners *i)
{
	struct json_elements e = {i->rest, SPAN_NONE};

	if (!json_element(&e))
		return false;
	i->rest = e.rest;
	i->uid = json_raw_string(json_get(e.value, "uid"));
	i->controller = json_type(json_get(e.value, "controller")) == JSON_TRUE;
	return true;
}

static struct span
mark(const struct object *o, const char *map, const char *key,
    struct buf *scratch)
{
	struct span metadata = json_get(object_text(o), "metadata");

	return json_string(json_get(json_get(metadata, map), key), scratch);
}

bool
marks_named_primary(
    const struct object *o, const struct kind *primaries, struct buf *key)
{
	struct buf scratch = BUF_INIT, unused = BUF_INIT;
	struct buf self = BUF_INIT, sum = BUF_INIT;
	struct span text = mark(o, "annotations", MARKS_MEMBER, &scratch);
	struct span label = mark(o, "labels", MARKS_PART_OF, &unused);
	const char *space = text.p ? memchr(text.p, ' ', text.n) : NULL;
	size_t kind_len = strlen(primaries->name);
	struct span primary;
	const char *slash;
	bool named = false;

	if (space == NULL || label.p == NULL)
		goto out;
	primary = span_make(text.p, space - text.p);
	object_add_label(&self, o);
	part_of(primary, &sum);
	if (!span_eq(span_make(space + 1, text.n - primary.n - 1),
		buf_span(&self)) ||
	    !span_eq(label, buf_span(&sum)) || primary.n <= kind_len ||
	    memcmp(primary.p, primaries->name, kind_len) != 0 ||
	    primary.p[kind_len] != '/')
		goto out;
	primary.p += kind_len + 1;
	primary.n -= kind_len + 1;
	slash = memchr(primary.p, '/', primary.n);
	if (slash == NULL)
		goto out;
	store_add_key(key, span_make(primary.p, slash - primary.p),
	    span_make(slash + 1, primary.p + primary.n - slash - 1));
	named = true;
out:
	buf_release(&scratch);
	buf_release(&unused);
	buf_release(&self);
	buf_release(&sum);
	return named;
}

bool
marks_is_member(const struct object *o, const struct object *primary)
{
	struct buf key = BUF_INIT;
	bool member;

	for (struct marks_owners i = marks_owners(o); marks_owner(&i);)
		if (i.controller && i.uid.n > 0 &&
		    span_eq(i.uid, object_uid(primary)))
			return true;
	member = marks_named_primary(o, primary->kind, &key) &&
	    span_eq(buf_span(&key), object_key(primary));
	buf_release(&key);
	return member;
}

bool
marks_can_own(const struct object *primary, struct span ns)
{
	return primary->kind->conf->scope == WATCH_CLUSTER ||
	    (ns.n > 0 && span_eq(ns, object_namespace(primary)));
}

static jv
text_jv(struct span s)
{
	return jv_string_sized(s.p ? s.p : "", s.n);
}

/* Sets object.metadata.MAP[key]. */
static jv
set_mark(jv item, const char *map, const char *key, struct span value)
{
	jv path =
	    JV_ARRAY(jv_string("metadata"), jv_string(map), jv_string(key));

	return jv_setpath(item, path, text_jv(value));
}

static jv
add_owner(jv item, const struct object *primary)
{
	struct span text = object_text(primary);
	jv path = JV_ARRAY(jv_string("metadata"), jv_string("ownerReferences"));
	jv owners = jv_getpath(jv_copy(item), jv_copy(path));
	jv ref = jv_object();

	ref = jv_object_set(ref, jv_string("apiVersion"),
	    text_jv(json_raw_string(json_get(text, "apiVersion"))));
	ref = jv_object_set(
	    ref, jv_string("kind"), jv_string(primary->kind->conf->kind));
	ref = jv_object_set(
	    ref, jv_string("name"), text_jv(object_name(primary)));
	ref =
	    jv_object_set(ref, jv_string("uid"), text_jv(object_uid(primary)));
	ref = jv_object_set(ref, jv_string("controller"), jv_true());
	if (jv_get_kind(owners) != JV_KIND_ARRAY) {
		jv_free(owners);
		owners = jv_array();
	}
	return jv_setpath(item, path, jv_array_append(owners, ref));
}

jv
marks_add(
    jv item, const struct object *primary, struct span ns, const char *label)
{
	struct buf member = BUF_INIT, sum = BUF_INIT;

	if (marks_can_own(primary, ns))
		return add_owner(item, primary);
	object_add_label(&member, primary);
	part_of(buf_span(&member), &sum);
	buf_addf(&member, " %s", label);
	item = set_mark(item, "annotations", MARKS_MEMBER, buf_span(&member));
	item = set_mark(item, "labels", MARKS_PART_OF, buf_span(&sum));
	buf_release(&member);
	buf_release(&sum);
	return item;
}
