#include "oracle/endstate.h"

#include "base/mem.h"
#include "json/jvtext.h"

/* Objects with one canon. */
struct namesakes {
	struct span canon, kind, label;
	jv *objects; /* borrowed */
	size_t count;
};

/* The state at an end, by canon. */
struct shelves {
	struct arena arena;
	struct map by_canon, uids; /* uid to its object's label */
};

struct endstate {
	const struct played *played; /* the clean record */
	struct shelves clean, other;
	struct normal_mask mask;
	bool has_state;
};

/* ---- the state ---- */

static bool
is_compared(struct span kind, jv object)
{
	return !played_is_aside(kind) &&
	    !span_is(kind, "CustomResourceDefinition.apiextensions.k8s.io") &&
	    !span_is(kind, "APIService.apiregistration.k8s.io") &&
	    jv_is_valid(object);
}

static void
shelve(struct shelves *s, const struct played *p)
{
	int n = played_length(p->state);

	for (int i = 0; i < n; i++) {
		jv object = played_at(p->state, i);
		struct span kind = played_kind(&s->arena, object);
		struct span canon = played_canon(&s->arena, object);
		struct span uid =
		    played_text(jvtext_peek(object, "metadata"), "uid");
		struct namesakes *same = map_get(&s->by_canon, canon);
		char *label;

		if (uid.n > 0) {
			label = arena_str(
			    &s->arena, played_label(&s->arena, object));
			map_put(&s->uids, uid, label);
		}
		if (!is_compared(kind, object))
			continue;
		if (same == NULL) {
			same = arena_zalloc(&s->arena, sizeof(*same));
			same->canon = canon;
			same->kind = kind;
			same->label = played_label(&s->arena, object);
			map_put(&s->by_canon, canon, same);
		}
		same->objects = arena_more(&s->arena, same->objects,
		    same->count, sizeof(*same->objects));
		same->objects[same->count++] = object;
	}
}

static void
shelves_release(struct shelves *s)
{
	map_release(&s->by_canon);
	map_release(&s->uids);
	arena_release(&s->arena);
}

/* ---- the mask ---- */

struct learning {
	struct normal_mask *mask;
	struct span canon;
};

static void
learn_path(void *arg, struct span path, jv want, jv is)
{
	struct learning *l = arg;
	const char *owners = ".metadata.ownerReferences";

	(void)want;
	(void)is;
	/* Each has an owner of its own, of a name that is made up. */
	if (span_starts(path, owners))
		path = span_str(owners);
	normal_mask_add(l->mask, l->canon, path);
}

static void
learn(struct endstate *e)
{
	const struct namesakes *a, *b;

	for (size_t i = 0; (a = map_next(&e->clean.by_canon, &i)) != NULL;) {
		struct learning l = {&e->mask, a->canon};

		b = map_get(&e->other.by_canon, a->canon);
		for (size_t k = 0; b != NULL && k < a->count; k++)
			for (size_t m = 0; m < b->count; m++)
				normal_compare(a->objects[k], b->objects[m],
				    learn_path, &l);
		/* Of one another, too: each has a name of its own. */
		for (size_t k = 1; k < a->count; k++)
			normal_compare(
			    a->objects[0], a->objects[k], learn_path, &l);
	}
}

struct endstate *
endstate_new(const struct played *clean, const struct played *other, jv rules)
{
	struct endstate *e = mem_zalloc(sizeof(*e));

	e->played = clean;
	e->has_state = jv_is_valid(clean->state);
	shelve(&e->clean, clean);
	shelve(&e->other, other);
	learn(e);
	normal_mask_rules(&e->mask, rules, "varies");
	return e;
}

void
endstate_free(struct endstate *e)
{
	if (e == NULL)
		return;
	shelves_release(&e->clean);
	shelves_release(&e->other);
	normal_mask_release(&e->mask);
	free(e);
}

/* ---- steps that were not possible ---- */

/* The objects of which a client's request failed, by "namespace/name". */
static void
find_failed(struct map *failed, struct arena *a, const struct played *p)
{
	for (size_t i = 0; i < p->request_count; i++) {
		const struct played_request *r = &p->requests[i];

		if (r->by == ACTOR_CLIENT && (r->code == 0 || r->code >= 400))
			map_put(failed,
			    arena_printf(a, "%.*s/%.*s",
				SPAN_ARG(r->namespace_), SPAN_ARG(r->name)),
			    (void *)r);
	}
}

/*
 * Steps that a client could not do as in the clean play (it created an object while
 * the one before was still being deleted): the end is another one then, and that
 * of what such an object owns.
 */
struct spoilt {
	struct arena arena;
	struct map failed, in_clean;
};

static void
spoilt_find(struct spoilt *s, const struct endstate *e, const struct played *p)
{
	find_failed(&s->failed, &s->arena, p);
	if (s->failed.count > 0)
		find_failed(&s->in_clean, &s->arena, e->played);
}

static void
spoilt_release(struct spoilt *s)
{
	map_release(&s->failed);
	map_release(&s->in_clean);
	arena_release(&s->arena);
}

static bool
is_spoilt(struct spoilt *s, jv object)
{
	jv metadata = jvtext_peek(object, "metadata");
	jv refs = jvtext_peek(metadata, "ownerReferences");
	struct span namespace_ = played_text(metadata, "namespace");

	for (int i = -1, n = played_length(refs); i < n; i++) {
		struct span name =
		    played_text(i < 0 ? metadata : played_at(refs, i), "name");
		struct span key = arena_printf(&s->arena, "%.*s/%.*s",
		    SPAN_ARG(namespace_), SPAN_ARG(name));

		if (map_get(&s->failed, key) != NULL &&
		    map_get(&s->in_clean, key) == NULL)
			return true;
	}
	return false;
}

/* ---- a state ---- */

struct check {
	const struct endstate *e;
	struct violations *f;
	const struct namesakes *same;
	struct span label;
	jv want, is;
	size_t found;
	bool counts_only;
};

static long long
behind(jv object, jv observed)
{
	return (long long)played_number(
		   jvtext_peek(object, "metadata"), "generation", 0) -
	    (long long)jv_number_value(observed);
}

static void
report(void *arg, struct span path, jv want, jv is)
{
	struct check *c = arg;

	if (normal_masked(&c->e->mask, c->same->canon, c->same->kind, path))
		return;
	c->found++;
	if (c->counts_only)
		return;
	if (span_is(path, ".metadata.deletionTimestamp") && jv_is_valid(is))
		violations_add(c->f, "finalizer", c->label,
		    "it is still being deleted at the end");
	else if (span_ends(path, ".observedGeneration") && jv_is_valid(is) &&
	    jv_is_valid(want))
		violations_add(c->f, "end", c->label,
		    "%.*s is %lld behind the generation, should be %lld",
		    SPAN_ARG(path), behind(c->is, is), behind(c->want, want));
	else
		violations_add(c->f, "end", c->label,
		    "%.*s is %s, should be %s", SPAN_ARG(path), normal_show(is),
		    normal_show(want));
}

/* The one of the clean objects that is most like it. */
static jv
nearest_object(struct check *c, const struct namesakes *want, jv is)
{
	size_t least = SIZE_MAX;
	jv best = want->objects[0];

	c->counts_only = true;
	for (size_t i = 0; want->count > 1 && i < want->count; i++) {
		c->found = 0;
		normal_compare(want->objects[i], is, report, c);
		if (c->found < least) {
			least = c->found;
			best = want->objects[i];
		}
	}
	c->counts_only = false;
	return best;
}

static bool
may_be_missing(const struct endstate *e, const struct namesakes *s)
{
	return normal_masked(&e->mask, s->canon, s->kind, span_str("."));
}

static void
check_counts(const struct endstate *e, const struct namesakes *clean,
    const struct namesakes *other, const struct namesakes *is,
    struct violations *f)
{
	size_t a = clean != NULL ? clean->count : 0;
	size_t b = other != NULL ? other->count : 0;
	size_t n = is != NULL ? is->count : 0;
	const struct namesakes *any = is != NULL ? is
	    : clean != NULL			 ? clean
						 : other;

	if ((n >= a || n >= b) && (n <= a || n <= b))
		return;
	if (may_be_missing(e, any))
		return;
	if (n == 0)
		violations_add(
		    f, "end", any->label, "it is not there at the end");
	else if (a == 0 && b == 0)
		violations_add(f, "end", any->label,
		    "it is there at the end, and should not be");
	else
		violations_add(f, "end", any->label,
		    "%zu objects have such a name at the end, should be %zu", n,
		    a);
}

/* Whether each owner that it names is there. */
static bool
has_dead_owner(const struct shelves *s, jv object, struct span *name)
{
	jv refs =
	    jvtext_peek(jvtext_peek(object, "metadata"), "ownerReferences");

	for (int i = 0, n = played_length(refs); i < n; i++) {
		jv ref = played_at(refs, i);

		*name = played_text(ref, "name");
		if (map_get(&s->uids, played_text(ref, "uid")) == NULL)
			return true;
	}
	return false;
}

static void
check_namesakes(const struct endstate *e, const struct shelves *now,
    const struct namesakes *is, struct violations *f)
{
	const struct namesakes *clean = map_get(&e->clean.by_canon, is->canon);
	const struct namesakes *other = map_get(&e->other.by_canon, is->canon);
	struct check c = {
	    e, f, is, is->label, jv_invalid(), jv_invalid(), 0, false};
	struct span owner, in_clean;

	check_counts(e, clean, other, is, f);
	for (size_t i = 0; i < is->count && clean != NULL; i++) {
		jv object = is->objects[i];
		jv want = nearest_object(&c, clean, object);
		struct arena scratch = ARENA_INIT;

		c.label = played_label(&scratch, object);
		c.want = want;
		c.is = object;
		normal_compare(want, object, report, &c);
		if (has_dead_owner(now, object, &owner) &&
		    !has_dead_owner(&e->clean, want, &in_clean))
			violations_add(f, "end", c.label,
			    ".metadata.ownerReferences names an object %.*s "
			    "that is gone",
			    SPAN_ARG(owner));
		arena_release(&scratch);
	}
}

void
endstate_check(
    const struct endstate *e, const struct played *p, struct violations *f)
{
	struct shelves now = {0};
	struct spoilt spoilt = {0};
	const struct namesakes *s;
	void **sorted;

	if (!jv_is_valid(p->state) || !e->has_state)
		return;
	shelve(&now, p);
	spoilt_find(&spoilt, e, p);
	sorted = map_sorted(&now.by_canon);
	for (size_t i = 0; i < now.by_canon.count; i++) {
		s = sorted[i];
		if (!is_spoilt(&spoilt, s->objects[0]))
			check_namesakes(e, &now, s, f);
	}
	free(sorted);
	sorted = map_sorted(&e->clean.by_canon);
	for (size_t i = 0; i < e->clean.by_canon.count; i++) {
		s = sorted[i];
		if (map_get(&now.by_canon, s->canon) == NULL &&
		    !is_spoilt(&spoilt, s->objects[0]))
			check_counts(e, s,
			    map_get(&e->other.by_canon, s->canon), NULL, f);
	}
	free(sorted);
	spoilt_release(&spoilt);
	shelves_release(&now);
}
