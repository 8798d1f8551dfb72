/*
 * Part of builtin/topics.h. Claims and volumes. Source:
 * pkg/apis/core/validation, pkg/registry/core/persistentvolume and
 * persistentvolumeclaim.
 */
#include "builtin/topics.h"
#include "type/objectmeta.h"

#define IS_DEFAULT_CLASS "storageclass.kubernetes.io/is-default-class"

/* The class for a claim that names none: the newest StorageClass with the
 * default annotation. */
static struct span
default_class(const struct change_of *x)
{
	struct collection *all;
	struct stored *o = NULL;
	struct span after = SPAN_NONE, name = SPAN_NONE, born = SPAN_NONE;

	if (x->store == NULL)
		return SPAN_NONE;
	all = store_collection(
	    x->store, span_str("storage.k8s.io"), span_str("storageclasses"));
	while ((o = store_next(all, SPAN_NONE, after)) != NULL) {
		struct node *n = tree_parse(
		    x->arena, text_span(o->json), TREE_LIMITS, NULL, NULL);
		struct span since =
		    tree_path_text(n, "metadata.creationTimestamp");
		after = o->key;
		if (!tree_text_is(
			rule_given(tree_path(n, "metadata.annotations"),
			    IS_DEFAULT_CLASS),
			"true"))
			continue;
		if (name.p == NULL || span_cmp(since, born) > 0) {
			name = arena_span(x->arena, o->name);
			born = arena_span(x->arena, since);
		}
	}
	return name;
}

void
storage_default_class(const struct rule_run *run, const struct rule_place *p)
{
	struct span class = default_class(run->x);

	if (class.p != NULL)
		tree_put(run->arena, p->n, "storageClassName",
		    tree_string(run->arena, class));
}

static void
check_amount(struct causes *c, const struct at *up, const struct member *amount)
{
	struct quantity q;

	if (rule_quantity_get(amount->value, &q) && quantity_sign(&q) < 0)
		rule_fail_int(c, AT_KEY(up, amount->key), quantity_integer(&q),
		    "must be a valid resource quantity");
}

void
storage_capacity(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	const struct at *at = p->at;
	const struct node *capacity = p->n;
	const struct node *size = rule_given(capacity, "storage");
	struct quantity bytes;

	if (tree_count(capacity) == 0)
		rule_fail_required(c, at, "");
	if (size == NULL || tree_count(capacity) > 1)
		rule_fail_unsupported(c, at,
		    capacity != NULL ? capacity : tree_null(c->arena),
		    "storage", (char *)NULL);
	for (size_t i = 0; i < tree_count(capacity); i++) {
		const struct node *n = capacity->members[i].value;
		const struct at *here = AT_KEY(at, capacity->members[i].key);
		if (!rule_quantity_get(n, &bytes))
			continue;
		check_amount(c, at, &capacity->members[i]);
		if (quantity_sign(&bytes) <= 0)
			rule_fail_invalid(
			    c, here, n, "must be greater than zero");
	}
}

/* A claim may name "storage" and resources of a domain that is not
 * kubernetes.io. */
static bool
check_key(struct causes *c, const struct at *at, struct span key)
{
	size_t before = c->n;

	rule_qualified_name(c, at, key);
	if (c->n == before && !span_is(key, "storage") &&
	    (span_find(key, '/') == NULL ||
		memmem(key.p, key.n, "kubernetes.io/", 14) != NULL))
		rule_fail_unsupported(
		    c, at, tree_string(c->arena, key), "storage", (char *)NULL);
	return c->n == before;
}

#define RESIZE                                                      \
	"ControllerResizeInProgress", "ControllerResizeInfeasible", \
	    "NodeResizeInProgress", "NodeResizeInfeasible",         \
	    "NodeResizePending", (char *)NULL

void
storage_claim_status(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *up = AT(NULL, "status");
	const struct at *at = AT(up, "allocatedResourceStatuses");
	const struct node *status = rule_given(object, "status");
	const struct node *all = rule_given(status, "capacity");

	(void)x;
	for (size_t i = 0; i < tree_count(all); i++)
		check_amount(c, AT(up, "capacity"), &all->members[i]);
	all = rule_given(status, "allocatedResourceStatuses");
	for (size_t i = 0; i < tree_count(all); i++) {
		struct span key = all->members[i].key;
		check_key(c, at, key);
		/* The server shows the key in this error, not the value. */
		if (!rule_text_is_any(all->members[i].value, RESIZE))
			rule_fail_unsupported(
			    c, at, tree_string(c->arena, key), RESIZE);
	}
	at = AT(up, "allocatedResources");
	all = rule_given(status, "allocatedResources");
	for (size_t i = 0; i < tree_count(all); i++)
		if (check_key(c, at, all->members[i].key))
			check_amount(c, at, &all->members[i]);
}
