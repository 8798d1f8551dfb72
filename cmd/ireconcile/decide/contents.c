/* Part of decide/refuse.h: finds the objects (contents) that would be deleted
 * with a Namespace or a CustomResourceDefinition (their scope). */
#include "decide/refuse.h"

#include <string.h>

#include "decide/outcome.h"
#include "decide/points.h"
#include "json/json.h"
#include "state/marks.h"

/* The primary may not see when such an object goes, so the decision is made
 * again. */
static const int64_t look_again_us = 10 * INT64_C(1000000);

/* A Namespace or CustomResourceDefinition, and the objects that go with it. */
struct scope {
	const struct cache_object *object;
	const struct cache_room *room; /* objects in the Namespace, or NULL */
	const struct cache_kind *kind; /* the kind that is defined, or NULL */
	bool is_known; /* the kinds of all possible contents are complete */
};

struct content {
	const struct cache_object *object; /* NULL: there is none */
	const char *whose, *remedy;
};

static const char definition[] =
    "CustomResourceDefinition.apiextensions.k8s.io";

static bool
is_namespace(const struct cache_kind *k)
{
	return strcmp(k->name, "Namespace") == 0;
}

bool
refuse_guards(const struct cache_kind *k)
{
	return is_namespace(k) || strcmp(k->name, definition) == 0;
}

/* ---- whose it is ---- */

/* Whether o is a member of a primary of e, by an owner or marks that count. */
static bool
is_member_of_some(const struct entry *e, const struct cache_object *o)
{
	struct marks_owners owners = marks_owners(o, MARKS_CONTROLLER);
	struct buf key = BUF_INIT;
	bool is =
	    (marks_owner_counts(e, o) && marks_owner(&owners, e, o, &key)) ||
	    marks_key(&key, e, o);

	buf_release(&key);
	return is;
}

/* Marks of an operator that is not ours, whose proofs we cannot check. */
static bool
is_of_other_operator(const struct cache *store, const struct cache_object *o)
{
	struct buf scratch = BUF_INIT;
	struct span name = marks_named_kind(o, &scratch);
	const struct cache_kind *k = map_get(&store->by_name, name);
	bool ours = false;

	for (size_t i = 0; k != NULL && i < k->use_count; i++)
		ours = ours || k->uses[i]->role == USE_PRIMARY;
	buf_release(&scratch);
	return name.n > 0 && !ours;
}

static bool
is_of_another(const struct primary *p, const struct cache_object *o)
{
	const struct cache_kind *k = o->kind;
	bool is = is_of_other_operator(p->entry->store, o);

	for (size_t i = 0; i < k->use_count && !is; i++)
		is = k->uses[i]->role == USE_DEPENDENT &&
		    is_member_of_some(k->uses[i]->entry, o);
	return is;
}

/* A primary that we have begun with. */
static bool
is_begun(const struct cache_object *o)
{
	bool begun = false;

	for (size_t i = 0; i < o->kind->use_count && !begun; i++) {
		const struct use *u = o->kind->uses[i];
		const struct primary *p = u->role == USE_PRIMARY
		    ? map_get(&u->entry->primaries, cache_object_key(o))
		    : NULL;

		begun = p != NULL && p->object == o && decide_begun(p);
	}
	return begun;
}

/* Whether o must not be deleted with the scope; then fills c. */
static bool
is_content(const struct scope *scope, const struct primary *p,
    const struct cache_object *o, struct content *c)
{
	bool is = true;

	c->object = o;
	c->remedy = NULL;
	if (o->terminating)
		is = false;
	else if (o->retained)
		c->whose = ", which is retained,",
		c->remedy = "retain both, or delete that";
	else if (!marks_is_ours(p->entry, o))
		c->whose = " of another instance of the operator";
	else if (marks_is_member(p->entry, o, p->object))
		is = false;
	else if (is_begun(o))
		c->whose = ", a primary,";
	else if (is_of_another(p, o))
		c->whose = " of another primary";
	else if (scope->kind != NULL)
		c->whose = ", which this primary did not make,";
	else
		is = false;
	return is;
}

/* ---- what goes with it ---- */

static const struct cache_kind *
defined_kind(const struct cache *store, const struct cache_object *o)
{
	struct span spec = json_get(cache_object_text(o), "spec");
	struct span kind = json_raw_string(json_path(spec, "names.kind"));
	struct span group = json_raw_string(json_get(spec, "group"));
	struct buf name = BUF_INIT;
	const struct cache_kind *k;

	buf_addf(&name, "%.*s.%.*s", SPAN_ARG(kind), SPAN_ARG(group));
	k = map_get(&store->by_name, buf_span(&name));
	buf_release(&name);
	return k;
}

/* Whether there may be objects of the kind that o defines. */
static bool
is_established(const struct cache_object *o)
{
	struct span list = json_path(cache_object_text(o), "status.conditions");
	struct span condition = json_find(list, "type", "Established");

	return json_is(json_get(condition, "status"), "True");
}

static bool
serves(const struct cache_object *o, const char *version)
{
	struct span list = json_path(cache_object_text(o), "spec.versions");
	struct span found = json_find(list, "name", version);

	return json_type(json_get(found, "served")) == JSON_TRUE;
}

/* Whether the server has the kind, but kwatch has not found it yet: its objects
 * are not seen. */
static bool
is_unseen(const struct cache *s, const struct cache_kind *k)
{
	const struct cache_kind *defs =
	    map_get(&s->by_name, span_str(definition));
	const struct cache_object *o;
	bool is = false;

	if (!k->absent || defs == NULL)
		return false;
	for (size_t i = 0; !is && (o = map_next(&defs->objects, &i)) != NULL;)
		is = defined_kind(s, o) == k && is_established(o) &&
		    serves(o, k->conf->version);
	return is;
}

static bool
is_seen(const struct cache *s, const struct cache_kind *k)
{
	return cache_knows(s, k) && !is_unseen(s, k);
}

static void
enter_scope(
    struct scope *scope, const struct cache *s, const struct cache_object *o)
{
	*scope = (struct scope){.object = o};
	if (!is_namespace(o->kind)) {
		scope->kind = defined_kind(s, o);
		scope->is_known =
		    scope->kind == NULL || is_seen(s, scope->kind);
		return;
	}
	scope->room = cache_room(s, cache_object_name(o));
	scope->is_known = true;
	for (size_t i = 0; i < s->kind_count; i++)
		scope->is_known = scope->is_known && is_seen(s, s->kinds[i]);
}

/* Takes the object that the error names: of several always the same one. */
static void
take_first(struct content *best, const struct content *c)
{
	if (best->object == NULL ||
	    span_cmp(cache_object_key(c->object),
		cache_object_key(best->object)) < 0)
		*best = *c;
}

static void
find_content(
    const struct scope *scope, const struct primary *p, struct content *best)
{
	const struct cache_object *o;
	struct content c;

	*best = (struct content){NULL};
	for (size_t i = 0; scope->room != NULL && i < scope->room->count; i++)
		if (is_content(scope, p, scope->room->list[i], &c))
			take_first(best, &c);
	for (size_t i = 0; scope->kind != NULL &&
	     (o = map_next(&scope->kind->objects, &i)) != NULL;)
		if (is_content(scope, p, o, &c))
			take_first(best, &c);
}

static bool
lives_in(const struct desired_item *i, const struct scope *scope)
{
	return scope->kind != NULL
	    ? i->kind == scope->kind
	    : span_is(cache_object_name(scope->object), i->key);
}

/* ---- the sentence ---- */

static void
say_desired(struct buf *b, const struct desired_item *i)
{
	buf_addf(b,
	    " is not desired any more, but %s is, and would be deleted with "
	    "it: desire both, or neither",
	    i->label);
}

static void
say_content(struct buf *b, const struct scope *scope, const struct primary *p,
    const struct content *c)
{
	bool over = p->object->terminating;

	buf_addf(
	    b, " is %s, but ", over ? "to be deleted" : "not desired any more");
	cache_object_add_label(b, c->object);
	buf_addf(b, "%s is %s, and would be deleted with it: ", c->whose,
	    scope->kind != NULL ? "of its kind" : "in it");
	buf_adds(b,
	    c->remedy != NULL ? c->remedy
		: over	      ? "it is deleted when that is gone"
			      : "desire it until that is gone");
}

/* Appends to the name of the scope the reason why it stays; false: it may be
 * deleted. */
static bool
say_why(struct buf *b, const struct decision *d, const struct scope *scope)
{
	struct content c;

	for (size_t n = 0; d->set != NULL && n < d->set->count; n++)
		if (!(d->set->items[n].marks & ITEM_OTHERS) &&
		    lives_in(&d->set->items[n], scope)) {
			say_desired(b, &d->set->items[n]);
			return true;
		}
	find_content(scope, d->primary, &c);
	if (c.object == NULL)
		return false;
	say_content(b, scope, d->primary, &c);
	return true;
}

bool
refuse_deletion(struct decision *d, const struct cache_object *o)
{
	struct scope scope;
	struct buf why = BUF_INIT;
	bool stays;

	if (!refuse_guards(o->kind))
		return false;
	enter_scope(&scope, d->primary->entry->store, o);
	cache_object_add_label(&why, o);
	stays = say_why(&why, d, &scope);
	if (stays) {
		outcome_fail(d, buf_str(&why));
		points_note(d, NOTICE_KEPT, buf_str(&why));
	}
	buf_release(&why);
	/* While kinds of contents are not complete, the deletion waits, and
	 * nothing is logged. */
	stays = stays || !scope.is_known;
	if (stays)
		points_look_again(d, d->now_us + look_again_us);
	return stays;
}
