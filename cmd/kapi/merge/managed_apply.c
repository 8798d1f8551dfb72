/*
 * Part of merge/managed.h. Server-side apply:
 * structured-merge-diff/merge/update.go,
 * managedfields/internal/{structuredmerge,lastapplied*,conflict}.go.
 */
#include "merge/managed.h"

#include <stdlib.h>

#include "merge/managed_entry.h"

/* An apply. */
struct applying {
	struct managing m;
	const struct node
	    *live; /* the stored object, or a new one of its kind */
	const struct node *applied;
	const struct node *merged; /* the result */
	struct managed_entry *mine;
	struct fieldset *last; /* applied by this manager before */
};

struct conflict {
	const struct managed_entry *with;
	struct span identity;
	struct fieldset *set;
};

#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

/* VERSION, Kind=KIND, and with its name before, as Go prints both. */
static struct span
kind_of(struct arena *a, const struct node *object)
{
	struct span version = tree_text(tree_get(object, "apiVersion"));
	bool core = version.n == 0 || span_find(version, '/') == NULL;

	return arena_printf(a, "%s%.*s, Kind=%.*s", core ? "/" : "",
	    SPAN_ARG(version), SPAN_ARG(tree_text(tree_get(object, "kind"))));
}

static struct span
identity_of(struct arena *a, const struct node *object)
{
	struct span name = tree_path_text(object, "metadata.name");
	struct span namespace_ = tree_path_text(object, "metadata.namespace");
	struct span kind = kind_of(a, object);

	return arena_printf(a, "%.*s/%.*s; %.*s", SPAN_ARG(namespace_),
	    SPAN_ARG(name), SPAN_ARG(kind));
}

static struct problem *
failed(struct arena *a, const char *what, const struct node *object,
    struct span why)
{
	struct span who = identity_of(a, object);

	return problem_make(a, 500, "",
	    "failed to create typed %s object (%.*s): %.*s", what,
	    SPAN_ARG(who), SPAN_ARG(why));
}

struct problem *
managed_unconverted(
    struct arena *a, const struct node *applied, const struct problem *why)
{
	struct span who = identity_of(a, applied);
	struct span kind = kind_of(a, applied);

	return problem_make(a, 500, "",
	    "failed to convert new object (%.*s) to proper version: unable to "
	    "convert unstructured object to %.*s: %.*s",
	    SPAN_ARG(who), SPAN_ARG(kind), SPAN_ARG(why->message));
}

/* Refusals before anything is compared. */
static struct problem *
check(struct applying *p)
{
	const struct managed_write *w = p->m.write;
	struct arena *a = p->m.arena;
	struct span version = tree_text(tree_get(p->applied, "apiVersion"));
	struct span kind = tree_text(tree_get(p->applied, "kind"));
	struct span why;

	if (!span_eq(version, w->api_version) ||
	    (w->kind.p != NULL && !span_eq(kind, w->kind)))
		return problem_bad_request(a,
		    "invalid object type: %s%.*s, Kind=%.*s",
		    span_find(version, '/') != NULL ? "" : "/",
		    SPAN_ARG(version), SPAN_ARG(kind));
	if (tree_path(p->applied, "metadata.managedFields") != NULL)
		return problem_bad_request(
		    a, "metadata.managedFields must be nil");
	why = shape_check(a, p->m.shape, p->applied, DUPLICATES_REFUSED);
	if (why.n > 0)
		return failed(a, "patch", p->applied, why);
	/* The live object of a built-in type was decoded, so it fits. */
	if (w->schema->name.n > 0)
		return NULL;
	why = shape_check(a, p->m.shape, p->live, DUPLICATES_ALLOWED);
	return why.n > 0 ? failed(a, "live", p->live, why) : NULL;
}

static struct fieldset *
named_set(struct applying *p, const struct node *object)
{
	struct arena *a = p->m.arena;

	return shape_with_named(
	    a, p->m.shape, shape_set(a, p->m.shape, object));
}

static struct problem *
misfit(struct arena *a, const char *head, struct span why)
{
	return problem_make(a, 500, "", "%s%.*s", head, SPAN_ARG(why));
}

/* The server prunes the merged object in the version that was applied before,
 * and in those of all entries: the object must fit them. */
static struct problem *
check_prune(struct applying *p, const struct managed_entry *before)
{
	struct arena *a = p->m.arena;
	const struct managed_entry *which;
	struct span why;

	if (fieldset_empty(p->last))
		return NULL;
	why = managed_misfit(&p->m, before, p->merged);
	if (why.n > 0)
		return misfit(a,
		    "failed to prune fields: failed to convert merged object "
		    "to last applied version: ",
		    why);
	why = managed_misfit_any(&p->m, NULL, p->merged, &which);
	return why.n == 0 ? NULL
			  : misfit(a,
				arena_printf(a,
				    "failed to prune fields: failed add "
				    "back owned items: failed to convert "
				    "merged object at version %.*s: ",
				    SPAN_ARG(which->api_version))
				    .p,
				why);
}

/*
 * Removes fields that the manager applied before and no longer does, unless
 * another manager owns them; below such a field (an item of a list) only those
 * that it owned itself.
 */
static void
prune(struct applying *p)
{
	struct arena *a = p->m.arena;
	struct shape s = p->m.shape;
	struct fieldset *all, *owned = NULL, *kept, *last;
	const struct node *pruned;

	if (fieldset_within(p->last, p->mine->set))
		return;
	last = shape_with_named(a, s, p->last);
	all = named_set(p, p->merged);
	pruned = shape_without(a, s, p->merged, last);
	for (size_t i = 0; i < p->m.entries.n; i++)
		owned = fieldset_union(a, owned,
		    managed_entry_set(
			&p->m.entries, &p->m.entries.items[i], &s));
	kept = fieldset_union(
	    a, named_set(p, pruned), shape_with_named(a, s, owned));
	pruned =
	    shape_without(a, s, p->merged, fieldset_difference(a, all, kept));
	p->merged = shape_without(a, s, p->merged,
	    fieldset_intersection(
		a, fieldset_difference(a, all, named_set(p, pruned)), last));
}

struct adding {
	struct causes causes;
	struct span message;
};

static void
add_cause(void *arg, struct span path)
{
	struct adding *to = arg;

	cause_add(&to->causes, "FieldManagerConflict",
	    arena_span(to->causes.arena, path), to->message);
}

static struct problem *
conflict_problem(struct arena *a, const struct conflict *conflicts, size_t n)
{
	struct adding to = {.causes = {.arena = a}};
	struct buf text = BUF_INIT, path = BUF_INIT, who = BUF_INIT;
	struct problem *problem;

	for (size_t i = 0; i < n; i++) {
		const struct managed_entry *with = conflicts[i].with;
		struct node name = {.kind = NODE_STRING};
		struct fieldset_element e = {
		    .kind = PATH_VALUE, .value = &name};
		struct buf quoted = BUF_INIT;
		size_t first;

		name.text = with->manager;
		fieldset_element_print(&quoted, &e); /* between [= and ] */
		buf_reset(&who);
		buf_add(&who, quoted.data + 2, quoted.len - 3);
		if (with->subresource.n > 0)
			buf_addf(&who, " with subresource \"%.*s\"",
			    SPAN_ARG(with->subresource));
		if (!with->applied)
			buf_addf(
			    &who, " using %.*s", SPAN_ARG(with->api_version));
		buf_release(&quoted);
		to.message = arena_printf(
		    a, "conflict with %.*s", SPAN_ARG(buf_span(&who)));
		first = to.causes.n;
		fieldset_each(conflicts[i].set, &path, add_cause, &to);
		if (text.len > 0)
			buf_addc(&text, '\n');
		buf_adds(&text, "conflicts with ");
		buf_addspan(&text, buf_span(&who));
		buf_addc(&text, ':');
		for (size_t k = first; k < to.causes.n; k++) {
			buf_adds(&text, "\n- ");
			buf_addspan(&text, to.causes.items[k].field);
		}
	}
	if (to.causes.n == 1)
		problem = problem_make(a, 409, "Conflict",
		    "Apply failed with 1 conflict: %.*s: %.*s",
		    SPAN_ARG(to.causes.items[0].message),
		    SPAN_ARG(to.causes.items[0].field));
	else
		problem = problem_make(a, 409, "Conflict",
		    "Apply failed with %zu conflicts: %.*s", to.causes.n,
		    SPAN_ARG(buf_span(&text)));
	problem->causes = to.causes.items;
	problem->cause_count = to.causes.n;
	buf_release(&text);
	buf_release(&path);
	buf_release(&who);
	return problem;
}

static int
conflict_cmp(const void *x, const void *y)
{
	const struct conflict *i = x, *j = y;

	return span_cmp(i->identity, j->identity);
}

/*
 * The fields of the last client-side apply that have not changed since:
 * kubectl may take them over from any owner.
 */
static struct fieldset *
last_applied(struct applying *p)
{
	struct arena *a = p->m.arena;
	struct span text = tree_text(
	    tree_get(tree_path(p->live, "metadata.annotations"), LAST_APPLIED));
	struct shape_difference d;
	struct node *before;

	if (text.n == 0)
		return NULL;
	before = tree_parse(a, text, TREE_LIMITS, NULL, NULL);
	if (!tree_is(before, NODE_OBJECT) ||
	    !span_eq(tree_text(tree_get(before, "apiVersion")),
		p->m.write->api_version) ||
	    shape_check(a, p->m.shape, before, DUPLICATES_REFUSED).n > 0 ||
	    shape_compare(a, p->m.shape, before, p->live, &d) != 0)
		return NULL;
	return fieldset_difference(a, shape_set(a, p->m.shape, before),
	    fieldset_union(
		a, d.modified, fieldset_union(a, d.added, d.removed)));
}

/* Drops the conflicts over fields that kubectl may take without force. */
static size_t
allow_kubectl(struct applying *p, struct conflict *conflicts, size_t n)
{
	struct fieldset *allowed = NULL;
	size_t left = 0;

	if (n > 0 && span_is(p->m.write->manager, "kubectl"))
		allowed = last_applied(p);
	if (allowed == NULL)
		return n;
	for (size_t i = 0; i < n; i++) {
		conflicts[i].set =
		    fieldset_difference(p->m.arena, conflicts[i].set, allowed);
		if (!fieldset_empty(conflicts[i].set))
			conflicts[left++] = conflicts[i];
	}
	return left;
}

/* The fields that others lose by this apply; a problem if there are
 * conflicts. */
static struct problem *
take_from_others(struct applying *p)
{
	struct arena *a = p->m.arena;
	struct managed_entries *e = &p->m.entries;
	struct conflict *conflicts = arena_alloc(a, e->n * sizeof(*conflicts));
	struct shape_difference d;
	struct fieldset *changed, *lost;
	const struct managed_entry *which;
	struct span why;
	size_t n = 0;

	why = managed_misfit_any(&p->m, p->mine, p->merged, &which);
	if (why.n > 0)
		return misfit(a, "failed to convert new object: ", why);
	if (shape_compare(a, p->m.shape, p->live, p->merged, &d) != 0)
		return problem_make(a, 500, "", "failed to compare objects");
	changed =
	    managed_filter(p->m.write, fieldset_union(a, d.modified, d.added));
	lost =
	    fieldset_union(a, changed, managed_filter(p->m.write, d.removed));
	for (size_t i = 0; i < e->n && changed != NULL; i++) {
		struct managed_entry *x = &e->items[i];
		struct fieldset *both;

		if (x == p->mine)
			continue;
		both = fieldset_intersection(
		    a, managed_entry_set(e, x, &p->m.shape), changed);
		if (!fieldset_empty(both))
			conflicts[n++] = (struct conflict){
			    x, managed_entry_identity(a, x), both};
	}
	if (!p->m.write->force) {
		n = allow_kubectl(p, conflicts, n);
		qsort(conflicts, n, sizeof(*conflicts), conflict_cmp);
		if (n > 0)
			return conflict_problem(a, conflicts, n);
	}
	for (size_t i = 0; i < e->n && lost != NULL; i++) {
		struct managed_entry *x = &e->items[i];
		struct fieldset *had, *has;

		if (x == p->mine)
			continue;
		had = managed_entry_set(e, x, &p->m.shape);
		has = fieldset_difference(a, had, lost);
		if (has != had)
			managed_entry_set_fields(x, has);
	}
	return NULL;
}

/* kubectl's annotation follows what its server-side apply sent. */
static void
sync_annotation(struct applying *p, struct node *result)
{
	enum { MAX = 256 * 1024 };
	struct arena *a = p->m.arena;
	struct node *annotations = tree_path(result, "metadata.annotations");
	struct node *sent, *without;
	struct buf b = BUF_INIT;
	size_t total = 0;

	if (!span_is(p->m.write->manager, "kubectl") ||
	    tree_text(tree_get(annotations, LAST_APPLIED)).n == 0)
		return;
	sent = tree_copy(a, p->applied);
	without = tree_path(sent, "metadata.annotations");
	if (tree_is(without, NODE_OBJECT))
		tree_remove(without, LAST_APPLIED);
	tree_write_sorted(&b, sent);
	buf_addc(&b, '\n');
	tree_put(
	    a, annotations, LAST_APPLIED, tree_string(a, tree_keep(a, &b)));
	for (uint32_t i = 0; i < annotations->n; i++)
		total += annotations->members[i].key.n +
		    tree_text(annotations->members[i].value).n;
	if (total > MAX)
		tree_remove(annotations, LAST_APPLIED);
}

static struct node *
finish(struct applying *p, bool changed)
{
	struct arena *a = p->m.arena;
	struct node *result = tree_copy(a, p->merged), *metadata, *fields;
	struct fieldset *set =
	    managed_strip(a, managed_entry_set(&p->m.entries, p->mine, NULL));

	if (set != p->mine->set)
		managed_entry_set_fields(p->mine, set);
	if (changed)
		p->mine->time = p->m.write->now;
	managed_entries_sweep(&p->m.entries);
	metadata = tree_make(a, result, "metadata");
	tree_remove(metadata, "managedFields");
	sync_annotation(p, result);
	fields = managed_entries_encode(&p->m.entries);
	if (fields != NULL)
		tree_put(a, metadata, "managedFields", tree_copy(a, fields));
	return result;
}

struct problem *
managed_apply(const struct managed_write *w, const struct node *live,
    const struct node *applied, struct node **result)
{
	struct arena *a = w->arena;
	struct applying p = {.m = {w, a, shape_of(w->schema), {.arena = a}},
	    .live = live,
	    .applied = applied};
	struct managed_entry self = managed_self(w, w->manager, true), before;
	struct problem *problem;
	struct span why;

	if (live == NULL)
		p.live = managed_is_empty(w, applied);
	problem = check(&p);
	if (problem != NULL)
		return problem;
	managed_entries_decode(&p.m.entries, a,
	    tree_path(p.live, "metadata.managedFields"), FROM_STORE, NULL);
	why = managed_reconcile_versions(&p.m, p.live);
	if (why.n > 0)
		return misfit(a, "", why);
	if (p.m.entries.n == 0) {
		/* Fields that exist before the first apply get a manager of
		 * that name. */
		struct managed_entries *e = &p.m.entries;

		if (managed_track_update(&p.m,
			managed_is_empty(p.m.write, p.applied), p.live,
			span_str("before-first-apply")) != 0)
			e->n = 0;
	}
	p.merged = shape_merge(a, p.m.shape, p.live, applied);
	p.mine = managed_entries_find(&p.m.entries, &self);
	if (p.mine == NULL)
		p.mine = managed_entries_add(&p.m.entries, &self);
	p.last = managed_entry_set(&p.m.entries, p.mine, &p.m.shape);
	before = *p.mine;
	p.mine->api_version = w->api_version;
	managed_entry_set_fields(
	    p.mine, managed_filter(w, shape_set(a, p.m.shape, applied)));
	problem = check_prune(&p, &before);
	if (problem != NULL)
		return problem;
	prune(&p);
	problem = take_from_others(&p);
	if (problem != NULL)
		return problem;
	*result = finish(&p, !tree_equal(p.live, p.merged));
	return NULL;
}
