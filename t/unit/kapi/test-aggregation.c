// alone: it has functions in place of the tool's
/* aggregation: a ClusterRole has the rules of those that it selects. */
#include "control/controller.h"

#include "process/loop.h"
#include "rest/rest.h"
#include "stub-rbac.h"

static struct api api;
static size_t updates;

struct resource *
resource_find_kind(const struct registry *g, struct span group,
    struct span version, struct span kind)
{
	(void)g, (void)group, (void)version, (void)kind;
	return NULL;
}

struct span
resource_name(struct arena *a, const struct resource *r)
{
	(void)a;
	return r->plural;
}

struct problem *
rest_create(const struct rest_writer *w, struct resource *r,
    struct node *object, struct stored **made)
{
	(void)w, (void)r, (void)object, (void)made;
	return NULL;
}

struct problem *
rest_update(const struct rest_writer *w, struct resource *r,
    struct span subresource, struct node *object)
{
	static const char fields[] =
	    "[{\"manager\":\"clusterrole-aggregation-controller\","
	    "\"fieldsV1\":{\"f:rules\":{}}}]";

	(void)w, (void)r, (void)subresource;
	updates++;
	tree_put(&arena, tree_get(object, "metadata"), "managedFields",
	    parse(fields));
	put_object("clusterroles", object);
	return NULL;
}

static void
put_role(const char *name, const char *labels, const char *more)
{
	put("clusterroles", "", name, labels, more);
}

/* The verbs of the role's rules. */
static const char *
verbs_of(const char *name)
{
	struct stored *o;
	const struct node *rules;
	struct buf b = BUF_INIT;
	size_t before;
	char *text;

	do {
		before = updates;
		loop_once(api.loop, 0);
	} while (updates != before);
	o = store_get(kinds[1].collection, SPAN_NONE, span_str(name));
	rules = tree_get(parse_span(text_span(o->json)), "rules");
	for (size_t i = 0; i < tree_count(rules); i++) {
		const struct node *verbs = tree_get(rules->items[i], "verbs");

		buf_addspan(&b, tree_text(verbs->items[0]));
	}
	text = arena_str(&arena, buf_span(&b));
	buf_release(&b);
	return text;
}

static const char sum[] =
    "\"aggregationRule\":{\"clusterRoleSelectors\":["
    "{\"matchLabels\":{\"x\":\"1\"}},"
    "{\"matchExpressions\":[{\"key\":\"y\",\"operator\":\"Exists\"}]}]}";

static void
test_sum(void)
{
	put_role("sum", "", sum);
	is(verbs_of("sum"), "", "nothing is selected");
	put_role("b", "\"x\":\"1\"", "\"rules\":[{\"verbs\":[\"b\"]}]");
	put_role("a", "\"y\":\"\"",
	    "\"rules\":[{\"verbs\":[\"a\"]},{\"verbs\":[\"b\"]}]");
	put_role("c", "\"x\":\"2\"", "\"rules\":[{\"verbs\":[\"c\"]}]");
	is(verbs_of("sum"), "ba", "the rules of both selectors, each once");
	updates = 0;
	put_role("d", "", "\"rules\":[{\"verbs\":[\"d\"]}]");
	verbs_of("sum");
	ok(updates == 0, "a role that is not selected: nothing is written");
	drop("clusterroles", "", "b");
	is(verbs_of("sum"), "ab", "a part is gone");
	put_role("a", "", "\"rules\":[]");
	is(verbs_of("sum"), "", "they have none");
	put_role("own", "",
	    "\"aggregationRule\":{\"clusterRoleSelectors\":["
	    "{\"matchLabels\":{\"none\":\"\"}}]},"
	    "\"rules\":[{\"verbs\":[\"o\"]}]");
	is(verbs_of("own"), "o", "rules of its own stay");
}

static void
test_sum_of_sums(void)
{
	put_role("all", "",
	    "\"aggregationRule\":{\"clusterRoleSelectors\":["
	    "{\"matchLabels\":{\"part\":\"1\"}}]}");
	put_role("sum", "\"part\":\"1\"", sum);
	put_role("z", "\"x\":\"1\"", "\"rules\":[{\"verbs\":[\"z\"]}]");
	is(verbs_of("all"), "z", "a sum of a sum");
}

TEST(aggregation)
{
	struct controller *g;

	rbac_set_up();
	api = (struct api){.loop = loop_new(), .store = store};
	g = controller_new(&api, "rbac.authorization.k8s.io", "clusterroles",
	    aggregation_look);
	test_sum();
	test_sum_of_sums();
	controller_free(g);
	loop_free(api.loop);
	rbac_tear_down();
}
