/* Part of crd/check.h: list types and embedded resources. */
#include "crd/check.h"

#include "base/buf.h"
#include "base/map.h"
#include "crd/findings.h"
#include "crd/prune.h"
#include "type/names.h"
#include "type/objectmeta.h"

/* Calls fn for each value that a schema describes, outermost first. */
typedef void visit_fn(struct causes *c, const struct schema *s,
    const struct field *list, const struct node *n,
    const struct findings_place *place);

static void
visit(struct causes *c, const struct schema *s, const struct field *field,
    const struct node *n, const struct findings_place *place, visit_fn *fn)
{
	fn(c, s, field, n, place);
	for (size_t i = 0; n->kind == NODE_OBJECT && i < n->n; i++) {
		struct findings_place here = {
		    place, PLACE_PROPERTY, n->members[i].key, 0};
		const struct field *f;

		/* apiVersion, kind and metadata have no schema of the CRD. */
		if ((s->embedded || place == NULL) &&
		    prune_is_meta_field(here.name))
			continue;
		f = s->kind == SCHEMA_MAP ? s->element
					  : schema_field(s, here.name);
		if (s->kind == SCHEMA_MAP)
			here.kind = PLACE_INDEX; /* written as [key] below */
		if (f != NULL)
			visit(c, f->schema, f, n->members[i].value, &here, fn);
	}
	for (size_t i = 0; n->kind == NODE_ARRAY && i < n->n; i++) {
		struct findings_place here = {place, PLACE_INDEX, SPAN_NONE, i};

		if (s->kind == SCHEMA_LIST)
			visit(c, s->element->schema, s->element, n->items[i],
			    &here, fn);
	}
}

/* Paths as field.Path has them: keys of maps in brackets. */
static struct span
field_path(struct arena *a, const struct findings_place *p)
{
	struct span up;

	if (p == NULL)
		return SPAN_NONE;
	up = field_path(a, p->up);
	if (p->kind == PLACE_PROPERTY)
		return cause_path_field(a, up, p->name);
	return p->name.p != NULL ? cause_path_key(a, up, p->name)
				 : cause_path_index(a, up, p->index);
}

/* The item's keys, or the item, as text: the same for equal ones. */
static struct span
identity(struct arena *a, const struct field *list, const struct node *item,
    const struct node **shown)
{
	struct buf b = BUF_INIT;

	*shown = item;
	if (list->list_type == LIST_MAP) {
		struct node *keys = tree_object(a);

		for (size_t i = 0; i < list->key_count; i++) {
			struct node *v = tree_get_span(item, list->keys[i]);

			if (v != NULL)
				tree_set(a, keys, list->keys[i], v);
		}
		*shown = keys;
	}
	tree_write_sorted(&b, *shown);
	return tree_keep(a, &b);
}

static bool
only_objects(
    struct causes *c, const struct node *n, const struct findings_place *place)
{
	for (size_t i = 0; i < n->n; i++) {
		const struct node *item = n->items[i];

		if (item->kind == NODE_OBJECT || item->kind == NODE_NULL)
			continue;
		cause_invalid(c,
		    cause_path_index(c->arena, field_path(c->arena, place), i),
		    item, "must be an object for an array of list-type map");
		return false;
	}
	return true;
}

static void
check_list(struct causes *c, const struct schema *s, const struct field *field,
    const struct node *n, const struct findings_place *place)
{
	static char once, twice;
	struct map seen = MAP_INIT;

	(void)s;
	if (n->kind != NODE_ARRAY || field == NULL ||
	    field->list_type == LIST_ATOMIC)
		return;
	if (field->list_type == LIST_MAP && !only_objects(c, n, place))
		return;
	for (size_t i = 0; i < n->n; i++) {
		const struct node *shown;
		struct span id = identity(c->arena, field, n->items[i], &shown);
		void *before = map_get(&seen, id);

		if (before == &once)
			cause_duplicate(c,
			    cause_path_index(
				c->arena, field_path(c->arena, place), i),
			    shown);
		map_put(&seen, id, before == NULL ? &once : &twice);
	}
	map_release(&seen);
}

void
crd_check_lists(
    struct causes *c, const struct schema *s, const struct node *object)
{
	visit(c, s, NULL, object, NULL, check_list);
}

static void
check_text(struct causes *c, const struct node *n, const char *key,
    struct span base, const char *(*check)(struct span), const char *prefix)
{
	const struct node *v = tree_get(n, key);
	struct span path = cause_path_field(c->arena, base, span_str(key));
	const char *wrong;

	if (v == NULL)
		return;
	if (v->kind != NODE_STRING)
		cause_invalid(c, path, v, "must be a string");
	else if (v->text.n == 0)
		cause_invalid(c, path, v, "must not be empty");
	else if ((wrong = check(v->text)) != NULL)
		cause_invalid(c, path, v,
		    arena_printf(c->arena, "%s%s", prefix, wrong).p);
}

static const char *
check_group_version(struct span s)
{
	size_t slashes = 0;

	for (size_t i = 0; i < s.n; i++)
		slashes += s.p[i] == '/';
	return slashes > 1 ? "unexpected GroupVersion string" : NULL;
}

static const char *
check_kind(struct span s)
{
	char lower[64];

	if (s.n >= sizeof lower)
		return name_check_dns1035(s);
	for (size_t i = 0; i < s.n; i++)
		lower[i] =
		    (char)(s.p[i] >= 'A' && s.p[i] <= 'Z' ? s.p[i] - 'A' + 'a'
							  : s.p[i]);
	return name_check_dns1035(span_make(lower, s.n));
}

static void
check_embedded(struct causes *c, const struct schema *s,
    const struct field *field, const struct node *n,
    const struct findings_place *place)
{
	struct span base;

	(void)field;
	if (!s->embedded || n->kind != NODE_OBJECT)
		return;
	base = field_path(c->arena, place);
	if (tree_get(n, "apiVersion") == NULL)
		cause_required(c,
		    cause_path_field(c->arena, base, span_str("apiVersion")),
		    "");
	if (tree_get(n, "kind") == NULL)
		cause_required(
		    c, cause_path_field(c->arena, base, span_str("kind")), "");
	check_text(c, n, "apiVersion", base, check_group_version, "");
	check_text(c, n, "kind", base, check_kind,
	    "may have mixed case, but should otherwise match: ");
	if (tree_is(tree_get(n, "metadata"), NODE_OBJECT)) {
		struct node *metadata =
		    tree_copy(c->arena, tree_get(n, "metadata"));
		struct causes own = {.arena = c->arena};
		struct node *object = tree_object(c->arena);
		struct resource r = {.plural = span_str("")};

		if (tree_path_text(metadata, "name").n == 0)
			tree_put(c->arena, metadata, "name",
			    tree_str(c->arena, "fakename"));
		r.namespaced = tree_path_text(metadata, "namespace").n > 0;
		tree_put(c->arena, object, "metadata", metadata);
		objectmeta_validate_named(&own, &r, object, NAME_SEGMENT);
		for (size_t i = 0; i < own.n; i++)
			cause_add(c, arena_str(c->arena, own.items[i].reason),
			    cause_path_field(
				c->arena, base, own.items[i].field),
			    own.items[i].message);
	}
}

void
crd_check_embedded(
    struct causes *c, const struct schema *s, const struct node *object)
{
	visit(c, s, NULL, object, NULL, check_embedded);
}
