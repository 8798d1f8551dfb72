#include "state/marks.h"

#include <string.h>

#include "json/json.h"
#include "json/jvtext.h"
#include "value/digest.h"
#include "value/objref.h"

enum { PART_OF_BYTES = 16 };

static void
part_of(struct span label, struct buf *out)
{
	unsigned char sum[DIGEST_SIZE];

	digest_sha256(label, sum);
	digest_add_hex(out, sum, PART_OF_BYTES);
}

/* ---- owner references ---- */

/* The kind of an owner reference, of any version. */
static bool
is_kind(struct span ref, const struct watch_kind *kind)
{
	struct span version = json_raw_string(json_get(ref, "apiVersion"));

	return version.n > 0 && span_is(objref_group(version), kind->group) &&
	    span_is(json_raw_string(json_get(ref, "kind")), kind->kind);
}

struct marks_owners
marks_owners(const struct cache_object *o, enum marks_which which)
{
	struct span list = cache_object_meta(o, "ownerReferences");

	return (struct marks_owners){json_elements(list), which};
}

/* The key of an owner; false: the reference names nothing. */
static bool
owner_key(struct buf *key, struct span ref, struct span ns)
{
	struct arena names = ARENA_INIT;
	struct span uid = json_name(json_get(ref, "uid"), &names);
	struct span name = json_name(json_get(ref, "name"), &names);
	bool whole = uid.n > 0 && name.n > 0;

	buf_reset(key);
	buf_addspan(key, uid);
	buf_addc(key, '\0');
	cache_add_key(key, ns, name);
	arena_release(&names);
	return whole;
}

bool
marks_owner(struct marks_owners *i, const struct entry *e,
    const struct cache_object *o, struct buf *key)
{
	const struct watch_kind *kind = &e->conf->primary;
	bool cluster = kind->scope == WATCH_CLUSTER;

	/* The rule of Kubernetes: an owner is in the same namespace, or
	 * cluster-scoped. */
	if (!cluster && o->ns_len == 0)
		return false;
	while (json_element(&i->refs)) {
		struct span ref = i->refs.value;
		bool controller =
		    json_type(json_get(ref, "controller")) == JSON_TRUE;

		if ((controller || i->which != MARKS_CONTROLLER) &&
		    is_kind(ref, kind) &&
		    owner_key(key, ref,
			cluster ? SPAN_NONE : cache_object_namespace(o)))
			return true;
	}
	return false;
}

bool
marks_owning_key(struct buf *key, const struct cache_object *primary)
{
	if (primary->uid_len == 0)
		return false;
	buf_addspan(key, cache_object_uid(primary));
	buf_addc(key, '\0');
	buf_addspan(key, cache_object_key(primary));
	return true;
}

/* ---- marks ---- */

static struct span
annotation(const struct cache_object *o, const char *key, struct buf *scratch)
{
	return json_string(cache_object_annotation(o, key), scratch);
}

/*
 * The key of the primary in the marks, within scratch; SPAN_NONE: no marks, or
 * those of another object.
 */
static struct span
marked_primary(const struct cache_object *o, struct buf *scratch)
{
	struct buf want = BUF_INIT, text = BUF_INIT;
	struct span member = annotation(o, PROOF_MEMBER, scratch), label;
	struct span primary = proof_member_primary(member);
	bool good;

	if (primary.n == member.n)
		return SPAN_NONE;
	cache_object_add_label(&want, o);
	good = span_eq(span_skip(member, primary.n + 1), buf_span(&want));
	label = json_string(
	    json_get(cache_object_meta(o, "labels"), PROOF_PART_OF), &text);
	buf_reset(&want);
	part_of(primary, &want);
	good = good && span_eq(label, buf_span(&want));
	buf_release(&want);
	buf_release(&text);
	return good ? primary : SPAN_NONE;
}

struct span
marks_named_kind(const struct cache_object *o, struct buf *scratch)
{
	struct span primary = marked_primary(o, scratch);

	return span_cut(&primary, '/');
}

/* Sets whether the marks of o have a proof, which also says whether o is
 * retained. */
static void
examine_proof(
    const struct proof *proof, struct span primary, struct cache_object *o)
{
	struct buf text = BUF_INIT, label = BUF_INIT, name = BUF_INIT;
	struct proof_of of = {.primary = primary};
	struct span origin;

	cache_object_add_label(&label, o);
	of.item = buf_span(&label);
	of.instance = annotation(o, PROOF_INSTANCE, &name);
	o->proven = proof_check(proof, annotation(o, PROOF_MARK, &text), &of,
			&origin) == PROOF_GOOD;
	if (!proof->accept_unproven)
		o->retained = o->proven && span_is(origin, PROOF_RETAINED);
	buf_release(&text);
	buf_release(&label);
	buf_release(&name);
}

/* Whether the proof is for this owner, by its uid. */
static bool
is_owner_proven(const struct proof *proof, const struct cache_object *o,
    struct span text, struct span ref)
{
	struct buf primary = BUF_INIT, label = BUF_INIT, name = BUF_INIT;
	struct arena names = ARENA_INIT;
	struct span origin;
	bool good;

	objref_add_key(&primary,
	    &(struct objref){.kind = json_name(json_get(ref, "kind"), &names),
		.group =
		    objref_group(json_raw_string(json_get(ref, "apiVersion"))),
		.name = json_name(json_get(ref, "name"), &names)});
	cache_object_add_label(&label, o);
	good = proof_check(proof, text,
		   &(struct proof_of){.primary = buf_span(&primary),
		       .item = buf_span(&label),
		       .instance = annotation(o, PROOF_INSTANCE, &name)},
		   &origin) == PROOF_GOOD &&
	    span_eq(origin, json_name(json_get(ref, "uid"), &names));
	buf_release(&primary);
	buf_release(&label);
	buf_release(&name);
	arena_release(&names);
	return good;
}

void
marks_examine(const struct proof *proof, const struct instances *instances,
    struct cache_object *o)
{
	struct marks_owners i;
	struct buf scratch = BUF_INIT, text = BUF_INIT;
	struct span primary, mark = SPAN_NONE;

	o->instance = instances_number(
	    instances, annotation(o, PROOF_INSTANCE, &scratch));
	primary = marked_primary(o, &scratch);
	o->marked = primary.p != NULL;
	o->proven = o->proven_owner = false;
	o->retained = o->marked &&
	    json_is(cache_object_annotation(o, PROOF_RETAIN), "true");
	if (proof_has_key(proof) && o->marked)
		examine_proof(proof, primary, o);
	if (proof_has_key(proof))
		mark = annotation(o, PROOF_MARK, &text);
	if (mark.n > 0) {
		i = marks_owners(o, MARKS_CONTROLLER);
		while (!o->proven_owner && json_element(&i.refs))
			o->proven_owner = json_type(json_get(i.refs.value,
					      "controller")) == JSON_TRUE &&
			    is_owner_proven(proof, o, mark, i.refs.value);
	}
	buf_release(&scratch);
	buf_release(&text);
}

bool
marks_is_ours(const struct entry *e, const struct cache_object *o)
{
	return o->instance == INSTANCES_NONE ||
	    instances_ours(e->instances, e->instance_number, o->instance);
}

bool
marks_are_bound(const struct entry *e)
{
	return proof_has_key(e->proof) && !e->proof->accept_unproven;
}

bool
marks_owner_counts(const struct entry *e, const struct cache_object *o)
{
	return o->proven_owner || !e->conf->proves || !marks_are_bound(e);
}

bool
marks_key(struct buf *key, const struct entry *e, const struct cache_object *o)
{
	struct buf scratch = BUF_INIT, proof = BUF_INIT;
	struct span name = SPAN_NONE, kind, ns;
	bool good;

	if (!marks_are_bound(e) || o->proven)
		name = marked_primary(o, &scratch);
	kind = span_cut(&name, '/');
	ns = span_cut(&name, '/');
	good = name.p != NULL && span_is(kind, e->uses[0]->kind->name);
	if (good && marks_are_bound(e))
		buf_addspan(
		    key, proof_named_origin(annotation(o, PROOF_MARK, &proof)));
	if (good) {
		buf_addc(key, '\0');
		cache_add_key(key, ns, name);
	}
	buf_release(&scratch);
	buf_release(&proof);
	return good;
}

struct span
marks_origin(const struct entry *e, const struct cache_object *primary)
{
	struct span origin;

	if (!marks_are_bound(e))
		return span_str("");
	origin = proof_origin(cache_object_text(primary));
	return origin.n > 0 ? origin : cache_object_uid(primary);
}

bool
marks_has_origin(const struct entry *e, const struct cache_object *primary)
{
	struct span origin = proof_origin(cache_object_text(primary));

	return proof_has_key(e->proof) && origin.n > 0 &&
	    !span_eq(origin, cache_object_uid(primary));
}

bool
marks_need_origin(const struct entry *e, const struct cache_object *primary)
{
	return proof_has_key(e->proof) && e->conf->marks &&
	    primary->uid_len > 0 &&
	    proof_origin(cache_object_text(primary)).n == 0;
}

/* ---- claims ---- */

/* Whether an instance has claimed the primary for this finalizer; name gets the
 * instance's. */
static enum marks_claim
claim_for(const struct entry *e, const struct cache_object *primary,
    const char *finalizer, struct buf *name)
{
	struct buf scratch = BUF_INIT;
	struct span text = SPAN_NONE;
	uint16_t number;

	if (cache_object_has_finalizer(primary, finalizer))
		text = proof_claim(
		    cache_object_part(primary, primary->annotations),
		    span_str(finalizer), &scratch);
	number = instances_number(e->instances, text);
	if (name != NULL && text.n > 0) {
		buf_reset(name);
		buf_addspan(name, text);
	}
	buf_release(&scratch);
	if (instances_ours(e->instances, e->instance_number, number))
		return number != INSTANCES_NONE ? MARKS_CLAIMED
						: MARKS_UNCLAIMED;
	return MARKS_OTHERS;
}

enum marks_claim
marks_claim(
    const struct entry *e, const struct cache_object *primary, struct buf *name)
{
	const struct textlist *retired = &e->conf->retired_finalizers;
	enum marks_claim found = MARKS_UNCLAIMED, one;

	if (e->conf->finalizer != NULL)
		found = claim_for(e, primary, e->conf->finalizer, name);
	for (size_t i = 0; i < retired->count && found != MARKS_OTHERS; i++) {
		one = claim_for(e, primary, retired->items[i], name);
		if (one != MARKS_UNCLAIMED)
			found = one;
	}
	return found;
}

bool
marks_is_other_operators(const struct entry *e, const struct cache_object *o,
    const struct cache_object *primary)
{
	const struct watch_entry *conf = e->conf;
	struct json_elements f =
	    json_elements(cache_object_meta(primary, "finalizers"));
	struct buf name = BUF_INIT;
	struct span instance = annotation(o, PROOF_INSTANCE, &name);
	bool yes = false;

	while (!yes && !marks_is_ours(e, o) && json_element(&f)) {
		struct buf key = BUF_INIT, claim = BUF_INIT;
		struct span finalizer = json_raw_string(f.value);
		bool ours = (conf->finalizer != NULL &&
				span_is(finalizer, conf->finalizer)) ||
		    textlist_has(
			&conf->retired_finalizers, finalizer.p, finalizer.n);

		proof_add_claim_name(&key, finalizer);
		yes = !ours &&
		    span_eq(
			annotation(primary, buf_str(&key), &claim), instance);
		buf_release(&key);
		buf_release(&claim);
	}
	buf_release(&name);
	return yes;
}

bool
marks_need_claim(const struct entry *e, const struct cache_object *primary)
{
	struct span annotations =
	    cache_object_part(primary, primary->annotations);
	struct buf key = BUF_INIT, scratch = BUF_INIT;
	struct span old;
	bool need;

	if (e->instance == NULL || primary->uid_len == 0)
		return false;
	proof_add_claim_name(&key, span_str(e->conf->finalizer));
	old = proof_old_claim(annotations, &scratch);
	need = !json_is(json_get(annotations, buf_str(&key)), e->instance) ||
	    (old.n > 0 &&
		instances_ours(e->instances, e->instance_number,
		    instances_number(e->instances, old)));
	buf_release(&key);
	buf_release(&scratch);
	return need;
}

void
marks_primary_key(struct buf *key, const struct entry *e,
    const struct cache_object *primary, enum marks_life life)
{
	if (life == MARKS_RETAINED && marks_are_bound(e))
		buf_adds(key, PROOF_RETAINED);
	else
		buf_addspan(key, marks_origin(e, primary));
	buf_addc(key, '\0');
	buf_addspan(key, cache_object_key(primary));
}

/* Whether o is ours and says that primary is its controller. */
static bool
is_controlled(const struct entry *e, const struct cache_object *o,
    const struct cache_object *primary)
{
	struct marks_owners i = marks_owners(o, MARKS_CONTROLLER);
	struct buf theirs = BUF_INIT, ours = BUF_INIT;
	bool controlled = marks_is_ours(e, o) &&
	    marks_owning_key(&ours, primary) &&
	    marks_owner(&i, e, o, &theirs) &&
	    span_eq(buf_span(&theirs), buf_span(&ours));

	buf_release(&theirs);
	buf_release(&ours);
	return controlled;
}

bool
marks_is_claimant(const struct entry *e, const struct cache_object *o,
    const struct cache_object *primary)
{
	return !marks_owner_counts(e, o) && is_controlled(e, o, primary);
}

bool
marks_is_member(const struct entry *e, const struct cache_object *o,
    const struct cache_object *primary)
{
	struct buf theirs = BUF_INIT, ours = BUF_INIT;
	bool member = marks_owner_counts(e, o) && is_controlled(e, o, primary);

	if (!member && marks_is_ours(e, o)) {
		marks_primary_key(&ours, e, primary,
		    o->retained ? MARKS_RETAINED : MARKS_USUAL);
		member = marks_key(&theirs, e, o) &&
		    span_eq(buf_span(&theirs), buf_span(&ours));
	}
	buf_release(&theirs);
	buf_release(&ours);
	return member;
}

void
marks_random_key(struct random_key *key, const struct entry *e,
    const struct cache_object *primary)
{
	struct span origin = proof_origin(cache_object_text(primary));
	struct buf label = BUF_INIT;

	key->state = RANDOM_LACKS_KEY;
	if (!proof_makes_texts(e->proof))
		return;
	cache_object_add_label(&label, primary);
	proof_random_key(key->bytes, e->proof, buf_span(&label),
	    origin.n > 0 ? origin : cache_object_uid(primary));
	proof_named_key(key->named, e->proof, span_str(primary->kind->name),
	    cache_object_namespace(primary));
	key->state = RANDOM_READY;
	buf_release(&label);
}

/* ---- writing ---- */

bool
marks_can_own(const struct cache_object *primary, struct span ns)
{
	return primary->kind->conf->scope == WATCH_CLUSTER ||
	    (ns.n > 0 && span_eq(ns, cache_object_namespace(primary)));
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
add_owner(jv item, const struct cache_object *primary)
{
	struct span text = cache_object_text(primary);
	jv path = JV_ARRAY(jv_string("metadata"), jv_string("ownerReferences"));
	jv owners = jv_getpath(jv_copy(item), jv_copy(path));
	jv ref = jv_object();

	ref = jv_object_set(ref, jv_string("apiVersion"),
	    text_jv(json_raw_string(json_get(text, "apiVersion"))));
	ref = jv_object_set(
	    ref, jv_string("kind"), jv_string(primary->kind->conf->kind));
	ref = jv_object_set(
	    ref, jv_string("name"), text_jv(cache_object_name(primary)));
	ref = jv_object_set(
	    ref, jv_string("uid"), text_jv(cache_object_uid(primary)));
	ref = jv_object_set(ref, jv_string("controller"), jv_true());
	if (jv_get_kind(owners) != JV_KIND_ARRAY) {
		jv_free(owners);
		owners = jv_array();
	}
	return jv_setpath(item, path, jv_array_append(owners, ref));
}

/* A program may copy a user's annotations to its items. */
static jv
drop_annotation(jv item, const char *key)
{
	jv annotations =
	    jvtext_peek(jvtext_peek(item, "metadata"), "annotations");

	if (!jv_is_valid(jvtext_peek(annotations, key)))
		return item;
	return jv_delpaths(item,
	    JV_ARRAY(JV_ARRAY(jv_string("metadata"), jv_string("annotations"),
		jv_string(key))));
}

jv
marks_add(jv item, const struct cache_object *primary, struct span ns,
    const char *label, enum marks_life life)
{
	struct buf member = BUF_INIT, sum = BUF_INIT;

	if (life == MARKS_RETAINED)
		item = set_mark(
		    item, "annotations", PROOF_RETAIN, span_str("true"));
	else
		item = drop_annotation(item, PROOF_RETAIN);
	if (life != MARKS_RETAINED && marks_can_own(primary, ns))
		return add_owner(item, primary);
	cache_object_add_label(&member, primary);
	part_of(buf_span(&member), &sum);
	buf_addf(&member, " %s", label);
	item = set_mark(item, "annotations", PROOF_MEMBER, buf_span(&member));
	item = set_mark(item, "labels", PROOF_PART_OF, buf_span(&sum));
	buf_release(&member);
	buf_release(&sum);
	return item;
}

jv
marks_sign(jv item, const struct entry *e, const struct cache_object *primary,
    const char *label, enum marks_life life)
{
	struct buf key = BUF_INIT, text = BUF_INIT;
	struct span origin = SPAN_NONE;
	jv annotations;
	bool marked;

	item = e->instance == NULL ? drop_annotation(item, PROOF_INSTANCE)
				   : set_mark(item, "annotations",
					 PROOF_INSTANCE, span_str(e->instance));
	annotations = jvtext_peek(jvtext_peek(item, "metadata"), "annotations");
	marked = jv_is_valid(jvtext_peek(annotations, PROOF_MEMBER));
	if (!proof_has_key(e->proof) || (!marked && !e->conf->proves))
		return item;
	/* A proof of marks is bound to the origin; one of an owner reference to
	 * the uid alone, also after a restore. */
	if (life == MARKS_RETAINED)
		origin = span_str(PROOF_RETAINED);
	else if (marked)
		origin = proof_origin(cache_object_text(primary));
	cache_object_add_label(&key, primary);
	proof_add(&text, e->proof,
	    &(struct proof_of){.primary = buf_span(&key),
		.item = span_str(label),
		.instance = span_str(e->instance)},
	    origin.n > 0 ? origin : cache_object_uid(primary));
	item = set_mark(item, "annotations", PROOF_MARK, buf_span(&text));
	buf_release(&key);
	buf_release(&text);
	return item;
}
