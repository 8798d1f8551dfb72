#include "control/namespace_content.h"

#include <stdlib.h>

#include "base/buf.h"
#include "json/json.h"
#include "store/store.h"

/* The conditions in the controller's order, as they are when all is well. */
static const struct {
	const char *type, *reason, *message;
} fine[] = {
    {"NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered",
	"All resources successfully discovered"},
    {"NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions",
	"All legacy kube types successfully parsed"},
    {"NamespaceDeletionContentFailure", "ContentDeleted",
	"All content successfully deleted, may be waiting on finalization"},
    {"NamespaceContentRemaining", "ContentRemoved",
	"All content successfully removed"},
    {"NamespaceFinalizersRemaining", "ContentHasNoFinalizers",
	"All content-preserving finalizers finished"},
};
enum { REMAINING = 3, FINALIZERS = 4, CONDITIONS = 5 };

static void
count(
    struct arena *a, struct namespace_tally **all, size_t *n, struct span name)
{
	for (size_t i = 0; i < *n; i++)
		if (span_eq((*all)[i].name, name)) {
			(*all)[i].count++;
			return;
		}
	*all = arena_more(a, *all, *n, sizeof(**all));
	(*all)[(*n)++] = (struct namespace_tally){arena_span(a, name), 1};
}

void
namespace_content_add(struct namespace_content *c, const struct resource *r,
    struct span namespace_)
{
	size_t remaining = 0;
	struct span after = SPAN_NONE;
	struct stored *o;
	struct span name;

	while ((o = store_next(r->collection, namespace_, after)) != NULL) {
		struct json_elements e = json_elements(
		    json_path(text_span(o->json), "metadata.finalizers"));

		while (json_element(&e)) {
			struct buf text = BUF_INIT;

			count(c->arena, &c->finalizers, &c->finalizer_count,
			    json_string(e.value, &text));
			buf_release(&text);
		}
		remaining++;
		after = o->key;
	}
	if (remaining == 0)
		return;
	c->total += remaining;
	name = arena_printf(
	    c->arena, "%.*s.%.*s", SPAN_ARG(r->plural), SPAN_ARG(r->group));
	c->resources = arena_grow(c->arena, c->resources, c->resource_count,
	    c->resource_count + 1, sizeof(*c->resources));
	c->resources[c->resource_count++] =
	    (struct namespace_tally){name, remaining};
}

static int
compare_tally(const void *x, const void *y)
{
	const struct namespace_tally *p = x, *q = y;

	return span_cmp(p->name, q->name);
}

static struct span
list(struct arena *a, struct namespace_tally *all, size_t n, const char *prefix,
    const char *verb)
{
	struct buf b = BUF_INIT;
	struct span text;

	qsort(all, n, sizeof(*all), compare_tally);
	buf_adds(&b, prefix);
	for (size_t i = 0; i < n; i++)
		buf_addf(&b, "%s%.*s %s %zu resource instances",
		    i > 0 ? ", " : "", SPAN_ARG(all[i].name), verb,
		    all[i].count);
	text = arena_span(a, buf_span(&b));
	buf_release(&b);
	return text;
}

static struct node *
find_condition(const struct node *conditions, const char *type)
{
	for (size_t i = 0; i < tree_count(conditions); i++)
		if (tree_text_is(tree_get(conditions->items[i], "type"), type))
			return conditions->items[i];
	return NULL;
}

static bool
set_condition(struct arena *a, struct node *conditions, const char *type,
    bool status, struct span reason, struct span message, struct span now)
{
	struct node *c = find_condition(conditions, type);
	const char *text = status ? "True" : "False";
	bool moved = c == NULL || !tree_text_is(tree_get(c, "status"), text);

	if (!moved && span_eq(tree_path_text(c, "reason"), reason) &&
	    span_eq(tree_path_text(c, "message"), message))
		return false;
	if (c == NULL) {
		c = tree_object(a);
		tree_append(a, conditions, c);
	}
	tree_put(a, c, "type", tree_str(a, type));
	tree_put(a, c, "status", tree_str(a, text));
	if (moved)
		tree_put(a, c, "lastTransitionTime", tree_string(a, now));
	tree_put(a, c, "reason", tree_string(a, reason));
	tree_put(a, c, "message", tree_string(a, message));
	return true;
}

bool
namespace_content_set_conditions(const struct namespace_content *c,
    bool pods_only, struct node *namespace_, struct span now)
{
	struct arena *a = c->arena;
	struct node *status = tree_make(a, namespace_, "status");
	struct node *all = tree_get(status, "conditions");
	bool changed = false;

	if (!tree_is(all, NODE_ARRAY)) {
		all = tree_array(a);
		tree_put(a, status, "conditions", all);
	}
	for (size_t i = 0; i < CONDITIONS; i++) {
		struct span reason = span_str(fine[i].reason);
		struct span message = span_str(fine[i].message);
		bool bad = false;

		if (i == REMAINING && !pods_only && c->resource_count > 0) {
			bad = true;
			reason = span_str("SomeResourcesRemain");
			message = list(a, c->resources, c->resource_count,
			    "Some resources are remaining: ", "has");
		}
		if (i == FINALIZERS && !pods_only && c->finalizer_count > 0) {
			bad = true;
			reason = span_str("SomeFinalizersRemain");
			message = list(a, c->finalizers, c->finalizer_count,
			    "Some content in the namespace has finalizers "
			    "remaining: ",
			    "in");
		}
		changed |= set_condition(
		    a, all, fine[i].type, bad, reason, message, now);
	}
	return changed;
}
