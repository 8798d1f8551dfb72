/* kinds: every built-in resource has a row, and every row a resource. */
#include "kinds/kinds.h"

#include "builtin/ruleline.h"
#include "reply/columns.h"
#include "trees.h"

static struct registry *registry;

TEST(steps)
{
	static const struct steps *const all[] = {
	    &kinds_builtin_steps, &kinds_definition_steps, &kinds_custom_steps};

	for (size_t i = 0; i < COUNT(all); i++) {
		const struct steps *s = all[i];

		ok(s->check_type != NULL && s->decode != NULL &&
			s->prepare != NULL && s->validate != NULL &&
			s->warn != NULL && s->admit != NULL &&
			s->encode != NULL && s->keep != NULL && s->read != NULL,
		    "no step is left out");
	}
}

static bool
is_served(const char *group, const char *plural)
{
	const struct resource *r;

	for (size_t i = 0; (r = resource_next(registry, &i)) != NULL;)
		if (span_is(r->group, group) && span_is(r->plural, plural))
			return true;
	return false;
}

TEST(rows)
{
	const struct kind_group *g;

	for (size_t i = 0; (g = kinds_group(i)) != NULL; i++)
		for (size_t j = 0; j < g->n; j++) {
			const struct strategy *s = &g->rows[j];

			ok(s->steps != NULL, s->plural);
			ok(is_served(g->group, s->plural), s->plural);
			/* No other row has the same kind. */
			ok(kinds_find(
			       span_str(g->group), span_str(s->plural)) == s,
			    s->plural);
		}
}

static enum name_rule
names_of(const char *group, const char *plural)
{
	return kinds_find(span_str(group), span_str(plural))->names;
}

/* The kinds whose names are not subdomains. */
TEST(names)
{
	static const char *const rbac[] = {
	    "clusterrolebindings", "clusterroles", "rolebindings", "roles"};

	ok(names_of("", "namespaces") == NAME_LABEL, "namespaces");
	ok(names_of("", "services") == NAME_LABEL, "services");
	ok(names_of("apps", "statefulsets") == NAME_LABEL, "statefulsets");
	ok(names_of("networking.k8s.io", "ipaddresses") == NAME_ADDRESS,
	    "ipaddresses");
	for (size_t i = 0; i < COUNT(rbac); i++)
		ok(names_of("rbac.authorization.k8s.io", rbac[i]) ==
			NAME_SEGMENT,
		    rbac[i]);
	ok(names_of("scheduling.k8s.io", "priorityclasses") == NAME_SUBDOMAIN,
	    "priorityclasses");
}

static size_t
parts(struct buf *b)
{
	size_t count = tree_count(parse_span(buf_span(b)));

	buf_release(b);
	return count;
}

/*
 * A cell for each column, even of an object that says nothing. The real server
 * gives an IPAddress an age without a column (printers.go, printIPAddress).
 */
static void
check_cells(const struct resource *r, const char *name)
{
	struct buf columns = BUF_INIT, cells = BUF_INIT;
	struct node *o = tree_object(&arena);

	tree_put(&arena, o, "metadata", tree_object(&arena));
	columns_add(&columns, r);
	columns_add_cells(&cells, &arena, r, o);
	if (!ok(parts(&columns) +
			(strcmp(name, "ipaddresses.networking.k8s.io") == 0) ==
		    parts(&cells),
		name))
		printf("# its Table has not as many cells as columns\n");
}

TEST(rules)
{
	ok(ruleline_parse_all() > 100, "every line of rules.txt can be read");
}

TEST(resources)
{
	const struct resource *r;
	size_t n = 0;

	for (size_t i = 0; (r = resource_next(registry, &i)) != NULL; n++) {
		bool kept = (r->verbs & VERB_LIST) != 0;
		const char *name = arena_str(&arena, resource_name(&arena, r));

		ok(r->strategy != NULL, name);
		if (r->strategy == NULL)
			continue;
		check_cells(r, name);
		ok(kept == (r->strategy->review == REVIEW_NONE), name);
	}
	ok(n > 60, "all resources were looked at");
}

int
main(void)
{
	registry = resource_registry_new(kinds_find);
	tap_run();
	resource_registry_free(registry);
	arena_release(&arena);
	return tap_done();
}
