#include "track.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "kube/proof.h"
#include "record/reading.h"
#include "value/datakind.h"

enum { DEPTH_MAX = 32 }; /* owners; deeper ones are a circle */
enum { WORD_MAX = 128 }; /* bytes of a word that says how an object is */

void
tracks_init(struct tracks *all)
{
	*all = (struct tracks){0};
	tracks_of_key(all, span_str(""));
}

static void
track_free(struct track *t)
{
	text_unref(t->object);
	free(t->uid);
	free(t->key);
	free(t->standing);
	free(t);
}

void
tracks_release(struct tracks *all)
{
	char *kind;

	for (size_t i = 0; (kind = map_next(&all->listing, &i)) != NULL;)
		free(kind);
	for (size_t i = 0; i < all->count; i++)
		if (all->list[i] != NULL)
			track_free(all->list[i]);
	free(all->list);
	free(all->spare);
	map_release(&all->by_key);
	map_release(&all->by_uid);
	map_release(&all->listing);
}

struct track *
tracks_pipeline(struct tracks *all)
{
	return all->list[0];
}

static struct track *
add(struct tracks *all, struct span key)
{
	struct track *t = mem_zalloc(sizeof *t);

	t->key = mem_dup(key.p, key.n);
	objref_parse_key(&t->ref, span_make(t->key, key.n));
	t->secret = datakind(t->ref.group, t->ref.kind) &&
	    span_is(t->ref.kind, "Secret");
	if (all->spare_count > 0) {
		t->index = all->spare[--all->spare_count];
	} else {
		t->index = all->count++;
		all->list = mem_grow(all->list, t->index, sizeof(*all->list));
	}
	all->list[t->index] = t;
	map_put(&all->by_key, span_make(t->key, key.n), t);
	return t;
}

struct track *
tracks_of_key(struct tracks *all, struct span key)
{
	struct track *t = map_get(&all->by_key, key);

	return t != NULL ? t : add(all, key);
}

struct track *
tracks_of_ref(struct tracks *all, const struct objref *ref)
{
	struct objref r = *ref;
	struct buf key = BUF_INIT;
	struct track *t;

	r.group = objref_group(ref->api_version);
	objref_add_key(&key, &r);
	t = tracks_of_key(all, buf_span(&key));
	buf_release(&key);
	return t;
}

void
tracks_set_object(
    struct tracks *all, struct track *t, struct span object, struct span uid)
{
	text_unref(t->object);
	t->object = object.p == NULL ? NULL : text_make(object);
	t->seen = true;
	if (t->uid != NULL && !span_is(uid, t->uid)) {
		if (map_get(&all->by_uid, span_str(t->uid)) == t)
			map_del(&all->by_uid, span_str(t->uid));
		free(t->uid);
		t->uid = NULL;
	}
	if (t->uid == NULL && uid.n > 0 && object.p != NULL) {
		t->uid = mem_dup(uid.p, uid.n);
		map_put(&all->by_uid, span_str(t->uid), t);
	}
}

/* ---- parents ---- */

void
tracks_offer_parent(struct track *t, struct track *parent)
{
	int depth = 0;

	if (t->parent != NULL)
		return;
	for (const struct track *p = parent; p != NULL; p = p->parent)
		if (p == t || ++depth > DEPTH_MAX)
			return;
	t->parent = parent;
	if (parent != NULL)
		parent->children++;
}

static struct track *
owner_track(struct tracks *all, const struct track *t, struct span reference)
{
	struct arena names = ARENA_INIT;
	struct objref r = reading_ref(reference, &names);
	struct track *owner = r.uid.n > 0 ? map_get(&all->by_uid, r.uid) : NULL;

	r.namespace_ = t->ref.namespace_;
	if (owner == NULL && r.kind.n > 0 && r.name.n > 0)
		owner = tracks_of_ref(all, &r);
	arena_release(&names);
	return owner;
}

/* Whose marks it has. */
static struct span
marked_primary(struct span metadata, struct buf *scratch)
{
	return proof_member_primary(json_string(
	    json_get(json_get(metadata, "annotations"), PROOF_MEMBER),
	    scratch));
}

/*
 * A ReplicaSet that is not recorded is known from its Pods: the label
 * pod-template-hash of a Pod is the end of the name of its ReplicaSet, and what
 * comes before is the name of the Deployment (Kubernetes,
 * pkg/controller/deployment/sync.go, getNewReplicaSet).
 */
static void
guess_deployment(struct tracks *all, struct track *set, struct span metadata)
{
	struct span hash = json_raw_string(
	    json_get(json_get(metadata, "labels"), "pod-template-hash"));
	struct objref r = set->ref;
	struct buf key = BUF_INIT;
	struct track *deployment;

	if (set->parent != NULL || set->object != NULL || hash.n == 0 ||
	    !span_is(r.kind, "ReplicaSet") || r.name.n < hash.n + 2 ||
	    !span_eq(span_skip(r.name, r.name.n - hash.n), hash))
		return;
	r.kind = span_str("Deployment");
	r.name.n -= hash.n + 1;
	objref_add_key(&key, &r);
	deployment = map_get(&all->by_key, buf_span(&key));
	if (deployment != NULL)
		tracks_offer_parent(set, deployment);
	buf_release(&key);
}

void
tracks_find_parent(struct tracks *all, struct track *t, struct span metadata)
{
	struct span references = json_get(metadata, "ownerReferences");
	struct buf scratch = BUF_INIT;
	struct span primary = marked_primary(metadata, &scratch);
	struct span first = SPAN_NONE;

	for (struct json_elements e = json_elements(references);
	     json_element(&e);) {
		bool controls =
		    json_type(json_get(e.value, "controller")) == JSON_TRUE;

		if (first.p == NULL || controls)
			first = e.value;
		if (controls)
			break;
	}
	if (first.p != NULL) {
		tracks_offer_parent(t, owner_track(all, t, first));
		if (t->parent != NULL)
			guess_deployment(all, t->parent, metadata);
	} else if (primary.n > 0) {
		tracks_offer_parent(t, tracks_of_key(all, primary));
	}
	buf_release(&scratch);
}

bool
track_is_below(const struct track *t, const struct objref *wanted)
{
	int depth = 0;

	for (; t != NULL && depth++ <= DEPTH_MAX; t = t->parent)
		if (span_eq(t->ref.name, wanted->name) &&
		    span_eq(t->ref.namespace_, wanted->namespace_) &&
		    span_eq(t->ref.kind, wanted->kind) &&
		    (wanted->group.n == 0 ||
			span_eq(t->ref.group, wanted->group)))
			return true;
	return false;
}

/* ---- the end of a track ---- */

/* Forgets a track, and those above it if it was the last one below them. */
static void
forget_over(struct tracks *all, struct track *t,
    void (*fn)(void *arg, const struct track *t), void *arg)
{
	while (t != NULL && t->index > 0 && t->object == NULL && t->kept == 0 &&
	    t->children == 0) {
		struct track *parent = t->parent;

		fn(arg, t);
		map_del(&all->by_key, span_str(t->key));
		all->list[t->index] = NULL;
		all->spare =
		    mem_grow(all->spare, all->spare_count, sizeof(*all->spare));
		all->spare[all->spare_count++] = t->index;
		track_free(t);
		if (parent != NULL)
			parent->children--;
		t = parent;
	}
}

void
tracks_sweep(
    struct tracks *all, void (*fn)(void *arg, const struct track *t), void *arg)
{
	for (size_t i = 1; i < all->count; i++)
		if (all->list[i] != NULL)
			forget_over(all, all->list[i], fn, arg);
}

size_t
tracks_known(const struct tracks *all)
{
	return all->count - all->spare_count;
}

/* ---- kinds ---- */

static bool
is_of_kind(const struct track *t, struct span kind)
{
	struct span key = span_str(t->key);

	return span_eq(span_cut(&key, '/'), kind);
}

void
tracks_begin_kind(struct tracks *all, struct span kind)
{
	char *own;

	if (map_get(&all->listing, kind) == NULL) {
		own = mem_dup(kind.p, kind.n);
		map_put(&all->listing, span_str(own), own);
	}
	for (size_t i = 0; i < all->count; i++)
		if (all->list[i] != NULL && is_of_kind(all->list[i], kind))
			all->list[i]->seen = false;
}

void
tracks_end_kind(struct tracks *all, struct span kind)
{
	free(map_del(&all->listing, kind));
}

bool
tracks_is_listing(const struct tracks *all, struct span kind)
{
	return map_get(&all->listing, kind) != NULL;
}

/* ---- how an object is ---- */

static void
add_word(struct buf *b, const char *key, struct span value)
{
	if (json_type(value) != JSON_STRING || value.n > WORD_MAX)
		return;
	if (b->len == 0)
		buf_addc(b, '{');
	json_add_key(b, key);
	buf_addspan(b, value);
}

void
track_add_standing(struct buf *b, struct span object)
{
	struct span status = json_get(object, "status");
	struct span conditions = json_get(status, "conditions");
	struct span condition = json_find(conditions, "type", "Ready");
	struct buf own = BUF_INIT;

	if (condition.p == NULL)
		condition = json_find(conditions, "type", "Available");
	add_word(&own, "phase", json_get(status, "phase"));
	add_word(&own, "ready", json_get(condition, "status"));
	if (!json_is(json_get(condition, "status"), "True"))
		add_word(&own, "reason", json_get(condition, "reason"));
	if (own.len > 0)
		buf_addc(&own, '}');
	buf_addspan(b, buf_span(&own));
	buf_release(&own);
}
