#include "crd/conditions.h"

#include "type/problem.h"

struct node *
condition_find(const struct node *definition, const char *type)
{
	const struct node *all = node_path(definition, "status.conditions");

	for (size_t i = 0; node_is(all, NODE_ARRAY) && i < all->n; i++)
		if (node_text_is(node_get(all->items[i], "type"), type))
			return all->items[i];
	return NULL;
}

bool
condition_true(const struct node *definition, const char *type)
{
	return node_text_is(
	    node_get(condition_find(definition, type), "status"), "True");
}

void
condition_set(struct arena *a, struct node *definition,
    const struct condition *c, struct span now)
{
	struct node *status = node_make(a, definition, "status");
	struct node *all = node_get(status, "conditions");
	struct node *own = condition_find(definition, c->type);

	if (!node_is(all, NODE_ARRAY)) {
		all = node_array(a);
		node_put(a, status, "conditions", all);
	}
	if (own == NULL) {
		own = node_object(a);
		node_append(a, all, own);
	}
	if (!node_text_is(node_get(own, "status"), c->status))
		node_put(a, own, "lastTransitionTime", node_string(a, now));
	node_put(a, own, "message", node_string(a, c->message));
	node_put(a, own, "reason", node_str(a, c->reason));
	node_put(a, own, "status", node_str(a, c->status));
	node_put(a, own, "type", node_str(a, c->type));
}

static void
use(struct arena *a, struct span **all, size_t *n, const struct node *name)
{
	struct span text = node_text(name);

	if (text.n == 0)
		return;
	*all = arena_more(a, *all, *n, sizeof **all);
	(*all)[(*n)++] = text;
}

void
names_used(
    struct arena *a, struct used_names *used, const struct node *definition)
{
	const struct node *names =
	    node_path(definition, "status.acceptedNames");
	const struct node *shorts = node_get(names, "shortNames");

	use(a, &used->resources, &used->resource_count,
	    node_get(names, "plural"));
	use(a, &used->resources, &used->resource_count,
	    node_get(names, "singular"));
	for (size_t i = 0; node_is(shorts, NODE_ARRAY) && i < shorts->n; i++)
		use(a, &used->resources, &used->resource_count,
		    shorts->items[i]);
	use(a, &used->kinds, &used->kind_count, node_get(names, "kind"));
	use(a, &used->kinds, &used->kind_count, node_get(names, "listKind"));
}

static bool
in_use(const struct span *all, size_t n, struct span name)
{
	for (size_t i = 0; i < n; i++)
		if (span_eq(all[i], name))
			return true;
	return false;
}

struct naming {
	struct arena *arena;
	const struct node *wanted; /* spec.names */
	struct node *accepted;
	const struct used_names *used;
	struct condition condition;
};

static struct span
conflict(struct arena *a, struct span name)
{
	return arena_printf(
	    a, "%.*s is already in use", SPAN_ARG(go_quote(a, name)));
}

/* One name; reason is that of the condition if another has it. */
static void
accept_one(struct naming *n, const char *key, const struct span *all,
    size_t count, const char *reason)
{
	struct span wanted = node_path_text(n->wanted, key);

	if (!span_eq(wanted, node_path_text(n->accepted, key)) &&
	    in_use(all, count, wanted)) {
		n->condition = (struct condition){"NamesAccepted", "False",
		    reason, conflict(n->arena, wanted)};
		return;
	}
	node_put(n->arena, n->accepted, key, node_string(n->arena, wanted));
}

static bool
has_text(const struct node *array, struct span text)
{
	for (size_t i = 0; node_is(array, NODE_ARRAY) && i < array->n; i++)
		if (span_eq(node_text(array->items[i]), text))
			return true;
	return false;
}

static void
accept_short_names(struct naming *n)
{
	const struct node *wanted = node_get(n->wanted, "shortNames");
	const struct node *own = node_get(n->accepted, "shortNames");
	struct span message = SPAN_NONE;
	size_t conflicts = 0;

	for (size_t i = 0; node_is(wanted, NODE_ARRAY) && i < wanted->n; i++) {
		struct span name = node_text(wanted->items[i]);

		if (has_text(own, name) ||
		    !in_use(n->used->resources, n->used->resource_count, name))
			continue;
		message = conflicts++ == 0
		    ? conflict(n->arena, name)
		    : arena_printf(n->arena, "%.*s, %.*s", SPAN_ARG(message),
			  SPAN_ARG(conflict(n->arena, name)));
	}
	if (conflicts > 1)
		message = arena_printf(n->arena, "[%.*s]", SPAN_ARG(message));
	if (conflicts > 0)
		n->condition = (struct condition){
		    "NamesAccepted", "False", "ShortNamesConflict", message};
	else if (wanted != NULL)
		node_put(n->arena, n->accepted, "shortNames",
		    node_copy(n->arena, wanted));
	else
		node_remove(n->accepted, "shortNames");
}

static void
accept_all(struct naming *n)
{
	const struct used_names *u = n->used;
	const struct node *categories = node_get(n->wanted, "categories");

	accept_one(
	    n, "plural", u->resources, u->resource_count, "PluralConflict");
	accept_one(
	    n, "singular", u->resources, u->resource_count, "SingularConflict");
	accept_short_names(n);
	accept_one(n, "kind", u->kinds, u->kind_count, "KindConflict");
	accept_one(n, "listKind", u->kinds, u->kind_count, "ListKindConflict");
	if (categories != NULL)
		node_put(n->arena, n->accepted, "categories",
		    node_copy(n->arena, categories));
	else
		node_remove(n->accepted, "categories");
}

static bool
same_condition(const struct node *have, const struct condition *c)
{
	return have != NULL &&
	    node_text_is(node_get(have, "status"), c->status) &&
	    node_text_is(node_get(have, "reason"), c->reason) &&
	    span_eq(node_path_text(have, "message"), c->message);
}

bool
names_accept(struct arena *a, struct node *definition,
    const struct used_names *used, struct span now)
{
	static const char fine[] = "the initial names have been accepted";
	struct node *status = node_make(a, definition, "status");
	const struct node *before = node_get(status, "acceptedNames");
	struct naming n = {a, node_path(definition, "spec.names"),
	    before == NULL ? node_object(a) : node_copy(a, before), used,
	    {"NamesAccepted", "True", "NoConflicts",
		span_str("no conflicts found")}};
	bool accepted;

	if (node_equal(n.wanted, before))
		return false;
	accept_all(&n);
	if (node_equal(n.accepted, before) &&
	    same_condition(
		condition_find(definition, "NamesAccepted"), &n.condition))
		return false;
	node_put(a, status, "acceptedNames", n.accepted);
	condition_set(a, definition, &n.condition, now);
	accepted = condition_true(definition, "NamesAccepted");
	if (condition_find(definition, "Established") == NULL && !accepted)
		condition_set(a, definition,
		    &(struct condition){"Established", "False", "NotAccepted",
			span_str("not all names are accepted")},
		    now);
	else if (!condition_true(definition, "Established") && accepted)
		condition_set(a, definition,
		    &(struct condition){
			"Established", "False", "Installing", span_str(fine)},
		    now);
	return true;
}
