/* Part of body.h: tells whose an object is. */
#include "body.h"

#include "json/json.h"
#include "value/digest.h"

static struct span
annotation(struct span object, const char *key, struct buf *scratch)
{
	return json_string(
	    json_get(json_path(object, "metadata.annotations"), key), scratch);
}

struct span
body_controller(struct span object)
{
	struct json_elements e =
	    json_elements(json_path(object, "metadata.ownerReferences"));

	while (json_element(&e))
		if (json_type(json_get(e.value, "controller")) == JSON_TRUE)
			return e.value;
	return SPAN_NONE;
}

bool
body_is_made(struct span object)
{
	struct span annotations = json_path(object, "metadata.annotations");

	return json_get(annotations, PROOF_PATHS).n > 0;
}

struct span
body_instance(struct span object, struct buf *scratch)
{
	return annotation(object, PROOF_INSTANCE, scratch);
}

bool
body_is_our_name(const struct set *s, struct span name)
{
	bool ours = name.n == 0 || span_eq(name, s->instance);

	for (struct json_elements e = json_elements(s->takes_over);
	     json_element(&e);)
		ours = ours || span_eq(json_raw_string(e.value), name);
	return ours;
}

bool
body_is_ours(const struct set *s, struct span object)
{
	struct buf scratch = BUF_INIT;
	bool ours = body_is_our_name(s, body_instance(object, &scratch));

	buf_release(&scratch);
	return ours;
}

static bool
has_text(struct span object, const char *key, struct span text)
{
	struct buf scratch = BUF_INIT;
	bool yes = span_eq(json_string(json_get(object, key), &scratch), text);

	buf_release(&scratch);
	return yes;
}

bool
body_refers(const struct set *s, struct span ref)
{
	const struct objref *p = &s->primary;
	struct span version = json_raw_string(json_get(ref, "apiVersion"));

	return p->uid.n != 0 && version.n > 0 && has_text(ref, "uid", p->uid) &&
	    has_text(ref, "name", p->name) && has_text(ref, "kind", p->kind) &&
	    span_eq(objref_group(version), p->group);
}

/* A controller reference as Kubernetes would follow it. */
static bool
is_controlled(const struct set *s, struct span object)
{
	const struct objref *p = &s->primary;

	return body_is_ours(s, object) &&
	    body_refers(s, body_controller(object)) &&
	    (p->namespace_.n == 0 ||
		span_eq(body_metadata(object, "namespace"), p->namespace_));
}

/* The object's proof that it is the item of the primary; its origin is within
 * the object, or text. */
static enum proof_found
find_proof(const struct proof *proof, const struct set *s, const struct item *i,
    struct span object, struct buf *text, struct span *origin)
{
	struct buf name = BUF_INIT;
	struct proof_of of = {.primary = span_str(s->key),
	    .item = span_str(i->key),
	    .instance = body_instance(object, &name)};
	enum proof_found found = proof_check(
	    proof, annotation(object, PROOF_MARK, text), &of, origin);

	buf_release(&name);
	return found;
}

/* Whether such a reference counts: to a cluster-scoped primary anybody can write
 * one, in every namespace. */
static bool
owner_counts(const struct proof *proof, const struct set *s,
    const struct item *i, struct span object)
{
	struct buf text = BUF_INIT;
	struct span origin;
	bool counts = s->primary.namespace_.n != 0 || !proof_has_key(proof) ||
	    proof->accept_unproven ||
	    (find_proof(proof, s, i, object, &text, &origin) == PROOF_GOOD &&
		span_eq(origin, s->primary.uid));

	buf_release(&text);
	return counts;
}

/* Does it say that it is the item and belongs to the primary? */
static bool
is_marked(const struct set *s, const struct item *i, struct span object)
{
	struct span label =
	    json_get(json_path(object, "metadata.labels"), PROOF_PART_OF);
	unsigned char sum[DIGEST_SIZE];
	struct buf want = BUF_INIT, text = BUF_INIT;
	bool yes;

	digest_sha256(span_str(s->key), sum);
	digest_add_hex(&want, sum, 16);
	yes = json_is(label, buf_str(&want));
	buf_reset(&want);
	buf_addf(&want, "%s %s", s->key, i->key);
	yes = yes &&
	    span_eq(annotation(object, PROOF_MEMBER, &text), buf_span(&want));
	buf_release(&want);
	buf_release(&text);
	return yes;
}

/* Why its marks do not count; NULL: they do. */
static const char *
unproven_marks(const struct proof *proof, const struct set *s,
    const struct item *i, struct span object)
{
	static const char *const reasons[] = {
	    [PROOF_NONE] =
		"its marks lack the proof: if an older version of this "
		"operator made it, start once with --accept-unproven-marks",
	    [PROOF_WRONG] =
		"its marks have a proof by another key: if that key is lost, "
		"start once with --accept-unproven-marks",
	    [PROOF_GOOD] = "its marks are of an earlier one of this name",
	};
	struct span want = s->origin.n != 0 ? s->origin : s->primary.uid;
	struct buf text = BUF_INIT;
	struct span origin;
	enum proof_found found;
	bool good;

	if (!proof_has_key(proof) || proof->accept_unproven)
		return NULL;
	found = find_proof(proof, s, i, object, &text, &origin);
	good = found == PROOF_GOOD &&
	    (span_eq(origin, want) || span_is(origin, PROOF_RETAINED));
	buf_release(&text);
	return good ? NULL : reasons[found];
}

const char *
body_unproven(const struct proof *proof, const struct set *s,
    const struct item *i, struct span object)
{
	if (is_marked(s, i, object))
		return unproven_marks(proof, s, i, object);
	if (!is_controlled(s, object) || owner_counts(proof, s, i, object))
		return NULL;
	return "its owner reference lacks the proof that this operator made "
	       "it: delete it, or if an older version of this operator made "
	       "it, start once with --accept-unproven-marks";
}

bool
body_is_member(const struct proof *proof, const struct set *s,
    const struct item *i, struct span object)
{
	return (is_controlled(s, object) &&
		   owner_counts(proof, s, i, object)) ||
	    (is_marked(s, i, object) && body_is_ours(s, object) &&
		body_unproven(proof, s, i, object) == NULL);
}

/* Whether manager applied the owner reference with that uid. */
static bool
has_applied(struct span object, struct span manager, struct span uid)
{
	struct json_elements e =
	    json_elements(json_path(object, "metadata.managedFields"));
	struct buf key = BUF_INIT;
	bool found = false;

	/* FieldsV1: see fields.h. */
	buf_addf(&key, "k:{\"uid\":\"%.*s\"}", SPAN_ARG(uid));
	while (!found && json_element(&e)) {
		struct buf name = BUF_INIT;

		found = json_is(json_get(e.value, "operation"), "Apply") &&
		    span_eq(json_string(json_get(e.value, "manager"), &name),
			manager) &&
		    json_get_named(json_path(json_get(e.value, "fieldsV1"),
				       "f:metadata.f:ownerReferences"),
			buf_span(&key))
			    .p != NULL;
		buf_release(&name);
	}
	buf_release(&key);
	return found;
}

bool
body_was_ours(const struct set *s, struct span object, struct span manager)
{
	return is_controlled(s, object) &&
	    has_applied(object, manager, s->primary.uid);
}

bool
body_is_retained(const struct proof *proof, const struct set *s,
    const struct item *i, struct span object)
{
	struct buf text = BUF_INIT;
	struct span origin =
	    proof_named_origin(annotation(object, PROOF_MARK, &text));
	bool yes = proof_has_key(proof) && !proof->accept_unproven
	    ? span_is(origin, PROOF_RETAINED)
	    : json_is(json_get(json_path(object, "metadata.annotations"),
			  PROOF_RETAIN),
		  "true");

	buf_release(&text);
	return yes && is_marked(s, i, object) && body_is_ours(s, object) &&
	    body_unproven(proof, s, i, object) == NULL;
}

void
body_owner(struct buf *b, struct span object)
{
	struct span c = body_controller(object);
	struct span member =
	    json_get(json_path(object, "metadata.annotations"), PROOF_MEMBER);
	struct buf text = BUF_INIT;

	if (c.n != 0) {
		buf_addspan(b, json_string(json_get(c, "kind"), &text));
		buf_addc(b, ' ');
		buf_addspan(b, json_string(json_get(c, "name"), &text));
	} else if (member.n != 0) {
		buf_addspan(
		    b, proof_member_primary(json_string(member, &text)));
	}
	buf_release(&text);
}

void
body_holders(struct buf *b, struct span object, const char *conflict)
{
	const char *before = "; held by ";
	struct buf manager = BUF_INIT, scratch = BUF_INIT;

	for (struct json_members m =
		 json_members(json_path(object, "metadata.annotations"));
	     json_member(&m);) {
		struct span digest = m.key, value, whose;

		/* Is the conflict with the manager of the mark's primary? */
		if (!span_take(&digest, PROOF_PATCH) ||
		    digest.n < 2 * MANAGER_SUFFIX)
			continue;
		buf_reset(&manager);
		buf_addf(&manager, "-%.*s\"", 2 * MANAGER_SUFFIX, digest.p);
		if (strstr(conflict, buf_str(&manager)) == NULL)
			continue;
		buf_reset(&scratch);
		value = json_string(m.value, &scratch);
		whose = proof_patch_primary(m.key, value);
		buf_adds(b, before);
		/* The name is for a message only, so a forged mark does no
		 * harm. */
		buf_addspan(b, whose.p != NULL ? whose : span_cut(&value, ' '));
		before = ", ";
	}
	buf_release(&manager);
	buf_release(&scratch);
}
