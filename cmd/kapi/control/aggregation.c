/* Part of control/controller.h: roles that aggregate others, and the first
 * roles of a cluster. */
#include "control/controller.h"

#include <string.h>

#include "base/map.h"
#include "process/log.h"
#include "read/selection.h"
#include "store/store.h"

static const char group_name[] = "rbac.authorization.k8s.io";
static const char manager[] = "clusterrole-aggregation-controller";

/* ---- a selector ---- */

static void
add_list(struct buf *b, const char *op, const struct node *values)
{
	buf_addf(b, " %s (", op);
	for (size_t i = 0; i < tree_count(values); i++) {
		if (i > 0)
			buf_addc(b, ',');
		buf_addspan(b, tree_text(values->items[i]));
	}
	buf_addc(b, ')');
}

static void
add_expression(struct buf *b, const struct node *e)
{
	const struct node *op = tree_get(e, "operator");
	struct span key = tree_text(tree_get(e, "key"));

	if (b->len > 0)
		buf_addc(b, ',');
	if (tree_text_is(op, "DoesNotExist"))
		buf_addc(b, '!');
	buf_addspan(b, key);
	if (tree_text_is(op, "In"))
		add_list(b, "in", tree_get(e, "values"));
	else if (tree_text_is(op, "NotIn"))
		add_list(b, "notin", tree_get(e, "values"));
}

/* Reads a LabelSelector by writing it as labelSelector= has it. False: not a
 * valid selector. */
static bool
read_selector(struct arena *a, const struct node *selector, struct selection *s)
{
	const struct node *labels = tree_get(selector, "matchLabels");
	const struct node *list = tree_get(selector, "matchExpressions");
	struct buf b = BUF_INIT;
	struct problem *p;

	for (size_t i = 0; i < tree_count(labels); i++) {
		if (b.len > 0)
			buf_addc(&b, ',');
		buf_addspan(&b, labels->members[i].key);
		buf_addc(&b, '=');
		buf_addspan(&b, tree_text(labels->members[i].value));
	}
	for (size_t i = 0; i < tree_count(list); i++)
		add_expression(&b, list->items[i]);
	p = selection_labels_parse(a, arena_span(a, buf_span(&b)), s);
	buf_release(&b);
	return p == NULL;
}

/* ---- the sum ---- */

static struct node *
parse(struct arena *a, const struct stored *o)
{
	struct err err = ERR_INIT;

	return tree_parse(a, text_span(o->json), TREE_LIMITS, NULL, &err);
}

/* The sum: the rules of all selected roles, each once. */
struct sum {
	struct arena *arena;
	struct node *rules;
	struct map there; /* by their text */
	struct buf text;
};

static void
add_rules(struct sum *s, const struct node *rules)
{
	for (size_t i = 0; i < tree_count(rules); i++) {
		struct node *rule = rules->items[i];

		buf_reset(&s->text);
		tree_write(&s->text, rule);
		if (map_get(&s->there, buf_span(&s->text)) != NULL)
			continue;
		map_put(
		    &s->there, arena_span(s->arena, buf_span(&s->text)), rule);
		tree_append(s->arena, s->rules, rule);
	}
}

static void
add_selected(const struct collection *c, const struct stored *role,
    const struct node *selector, struct sum *sum)
{
	struct selection s = {0};
	struct stored *o = NULL;

	if (!read_selector(sum->arena, selector, &s))
		return;
	while ((o = store_next(c, SPAN_NONE, o == NULL ? SPAN_NONE : o->key)) !=
	    NULL)
		if (o != role && selection_labels_match(&s, o->labels))
			add_rules(sum, tree_get(parse(sum->arena, o), "rules"));
}

/* Whether the rules of role come from this controller. If no role is selected,
 * only such rules are removed: the real controller gives up only what it has
 * applied. */
static bool
is_sum(const struct node *role)
{
	const struct node *fields = tree_path(role, "metadata.managedFields");

	for (size_t i = 0; i < tree_count(fields); i++)
		if (tree_text_is(
			tree_get(fields->items[i], "manager"), manager) &&
		    tree_get(tree_get(fields->items[i], "fieldsV1"),
			"f:rules") != NULL)
			return true;
	return false;
}

static bool
aggregates(const struct stored *o)
{
	static const char key[] = "\"aggregationRule\"";
	struct span json = text_span(o->json);

	return memmem(json.p, json.n, key, sizeof(key) - 1) != NULL;
}

/* Whether something was written: then objects borrowed from the store are out
 * of date. */
static bool
sum_up(struct api *api, struct resource *roles, const struct stored *o)
{
	struct arena a = ARENA_INIT;
	struct rest_writer by = {api, &a, span_str(manager)};
	struct node *role = parse(&a, o);
	struct sum sum = {.arena = &a, .rules = tree_array(&a)};
	const struct node *selectors =
	    tree_path(role, "aggregationRule.clusterRoleSelectors");
	const struct node *now = tree_get(role, "rules");
	struct problem *p = NULL;
	bool differs;

	for (size_t i = 0; i < tree_count(selectors); i++)
		add_selected(roles->collection, o, selectors->items[i], &sum);
	differs = tree_count(selectors) > 0 &&
	    (tree_count(sum.rules) > 0 ? !tree_equal(now, sum.rules)
				       : tree_count(now) > 0 && is_sum(role));
	if (differs) {
		tree_put(&a, role, "rules", sum.rules);
		p = rest_update(&by, roles, span_str(""), role);
	}
	if (p != NULL)
		log_error("cannot aggregate ClusterRole %.*s: %.*s",
		    SPAN_ARG(o->name), SPAN_ARG(p->message));
	map_release(&sum.there);
	buf_release(&sum.text);
	arena_release(&a);
	return differs && p == NULL;
}

/* Whether a sum changed. */
static bool
sum_all(struct api *api, struct resource *roles)
{
	struct buf key = BUF_INIT;
	struct stored *o = NULL;
	bool changed = false;

	while ((o = store_next(roles->collection, SPAN_NONE,
		    o == NULL ? SPAN_NONE : buf_span(&key))) != NULL) {
		buf_reset(&key);
		buf_addspan(&key, o->key);
		if (aggregates(o) && sum_up(api, roles, o))
			changed = true;
	}
	buf_release(&key);
	return changed;
}

/* A sum may be part of another sum: each write here is a change that runs this
 * again. Clients are served between two runs. */
void
aggregation_look(struct api *api, struct resource *roles)
{
	sum_all(api, roles);
}

/* ---- defaults ---- */

/* Lines of JSON. Assembled where make runs: at the top of the repository. */
__asm__(".section .rodata\n"
	".global aggregation_text, aggregation_end\n"
	"aggregation_text: .incbin \"cmd/kapi/control/roles.txt\"\n"
	"aggregation_end: .byte 0\n"
	".previous\n");
extern const char aggregation_text[], aggregation_end[];

static void
make_default(struct api *api, struct span line)
{
	struct arena a = ARENA_INIT;
	struct rest_writer by = {api, &a, span_str("kube-apiserver")};
	struct err err = ERR_INIT;
	struct node *object = tree_parse(&a, line, TREE_LIMITS, NULL, &err);
	struct resource *r =
	    resource_find_kind(api->registry, span_str(group_name),
		span_str("v1"), tree_text(tree_get(object, "kind")));
	struct problem *p = controller_ensure(&by, r, object);

	if (p != NULL)
		log_error("cannot make %.*s %.*s: %.*s", SPAN_ARG(r->kind),
		    SPAN_ARG(tree_path_text(object, "metadata.name")),
		    SPAN_ARG(p->message));
	arena_release(&a);
}

void
aggregation_make_defaults(struct api *api)
{
	struct resource *roles = resource_storage(
	    api->registry, span_str(group_name), span_str("clusterroles"));
	struct span rest = span_make(
	    aggregation_text, (size_t)(aggregation_end - aggregation_text));

	while (rest.n > 0) {
		struct span line = span_cut(&rest, '\n');

		if (line.n > 0 && line.p[0] == '{')
			make_default(api, line);
	}
	while (sum_all(api, roles))
		;
}
