#include "state/patchmark.h"

#include <string.h>

#include "json/jvtext.h"
#include "kube/proof.h"
#include "state/marks.h"
#include "value/digest.h"

enum { FIELDS_BYTES = 16 };

void
patchmark_name(struct buf *b, const struct cache_object *primary)
{
	struct buf label = BUF_INIT;

	cache_object_add_label(&label, primary);
	proof_add_patch_name(b, buf_span(&label));
	buf_release(&label);
}

/* Appends the digest of the item's fields. An item that cannot be printed is
 * refused later. */
static void
add_fields(
    struct buf *b, const struct entry *e, struct span primary, jv item_peek)
{
	unsigned char key[DIGEST_SIZE], sum[DIGEST_SIZE];
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;

	jvtext_add(&text, item_peek, &err);
	if (proof_has_key(e->proof)) {
		proof_random_key(
		    key, e->proof, primary, span_str(PROOF_PATCHED));
		digest_hmac(span_make((const char *)key, sizeof(key)),
		    buf_span(&text), sum);
	} else {
		digest_sha256(buf_span(&text), sum);
	}
	digest_add_hex(b, sum, FIELDS_BYTES);
	buf_release(&text);
}

jv
patchmark_add(jv item, const struct entry *e,
    const struct cache_object *primary, const char *label)
{
	struct buf key = BUF_INIT, name = BUF_INIT, value = BUF_INIT;
	jv path;

	cache_object_add_label(&key, primary);
	proof_add_patch_name(&name, buf_span(&key));
	buf_addf(&value, "%s ", buf_str(&key));
	add_fields(&value, e, buf_span(&key), item);
	if (proof_has_key(e->proof)) {
		buf_addc(&value, ' ');
		proof_add(&value, e->proof,
		    &(struct proof_of){
			.primary = buf_span(&key), .item = span_str(label)},
		    span_str(PROOF_PATCHED));
	}
	path = JV_ARRAY(jv_string("metadata"), jv_string("annotations"),
	    jv_string(buf_str(&name)));
	item = jv_setpath(item, path, jv_string(buf_str(&value)));
	buf_release(&key);
	buf_release(&name);
	buf_release(&value);
	return item;
}

struct patchmarks
patchmarks(const struct cache_object *o)
{
	return (struct patchmarks){
	    json_members(cache_object_part(o, o->annotations))};
}

static bool
is_proven(const struct entry *e, const struct cache_object *o,
    struct span primary, struct span proof)
{
	struct buf label = BUF_INIT;
	struct span origin;
	bool good;

	if (!marks_are_bound(e))
		return true;
	cache_object_add_label(&label, o);
	good = proof_check(e->proof, proof,
		   &(struct proof_of){
		       .primary = primary, .item = buf_span(&label)},
		   &origin) == PROOF_GOOD &&
	    span_is(origin, PROOF_PATCHED);
	buf_release(&label);
	return good;
}

/* Whether the annotation is the mark of a primary of e's kind. name and value
 * are the annotation's. */
static bool
read_mark(const struct entry *e, const struct cache_object *o, struct span name,
    struct span value, struct buf *key)
{
	struct span primary = proof_patch_primary(name, value), rest = primary;
	struct span kind = span_cut(&rest, '/');
	struct span ns = span_cut(&rest, '/');

	value = span_skip(value, primary.n);
	span_cut(&value, ' ');
	span_cut(&value, ' '); /* the fields */
	if (rest.n == 0 || !span_is(kind, e->uses[0]->kind->name) ||
	    !is_proven(e, o, primary, value))
		return false;
	buf_reset(key);
	cache_add_key(key, ns, rest);
	return true;
}

bool
patchmarks_next(struct patchmarks *i, const struct entry *e,
    const struct cache_object *o, struct buf *key)
{
	const size_t n = strlen(PROOF_PATCH);
	struct buf scratch = BUF_INIT;
	bool found = false;

	while (!found && json_member(&i->members)) {
		struct span name = i->members.key;

		found = name.n > n && memcmp(name.p, PROOF_PATCH, n) == 0 &&
		    read_mark(e, o, name,
			json_string(i->members.value, &scratch), key);
	}
	buf_release(&scratch);
	return found;
}
