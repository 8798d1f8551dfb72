/* The tables of types and resources, as the server sees them. */
#include "store/store.h"
#include "type/resource.h"

#include "tap.h"

static struct arena arena;

static const struct field *
field_of(const char *type, const char *name)
{
	const struct schema *s = schema_builtin(span_str(type));

	return s == NULL ? NULL : schema_field(s, span_str(name));
}

static const char *
text(struct span s)
{
	return s.p == NULL ? NULL : arena_str(&arena, s);
}

TEST(fields)
{
	const struct field *f =
	    field_of("io.k8s.api.core.v1.ServiceSpec", "ports");

	ok(f != NULL && f->schema->kind == SCHEMA_LIST, "a list");
	ok(f->list_type == LIST_MAP && f->key_count == 2, "with two keys");
	is(text(f->keys[1]), "protocol", "the second key");
	ok(f->patch_merge && span_is(f->patch_key, "port"), "merged by port");
	is(text(f->go_type), "[]v1.ServicePort", "as Go names it");
	f = schema_field(f->schema->element->schema, span_str("protocol"));
	is(text(tree_text(f->default_value)), "TCP", "a default");
	f = field_of("io.k8s.api.core.v1.ServicePort", "port");
	ok(f->default_value == NULL && f->required && !f->omit_empty,
	    "a zero is not a default");
	ok(span_is(f->schema->format, "int32"), "a format");
	f = field_of("io.k8s.api.core.v1.ServiceSpec", "selector");
	ok(f->atomic && f->schema->kind == SCHEMA_MAP &&
		f->schema->element->schema->kind == SCHEMA_STRING,
	    "a map that is one value");
	f = field_of("io.k8s.api.apps.v1.DeploymentSpec", "selector");
	ok(f->atomic && f->pointer && !f->omit_empty,
	    "a struct that is one value, by its type");
	f = field_of("io.k8s.api.core.v1.PodSpec", "volumes");
	ok(f->patch_merge && f->patch_retain_keys, "two patch strategies");
	f = field_of("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
	    "creationTimestamp");
	ok(schema_is_time(f->schema) && f->omit_zero, "a time");
	ok(field_of("io.k8s.api.core.v1.Pod", "nosuch") == NULL, "no field");
	ok(schema_builtin(span_str("io.k8s.nosuch")) == NULL, "no type");
}

TEST(all_types)
{
	struct registry *g = resource_registry_new(NULL);
	struct resource *r;
	size_t n = 0, without = 0;

	for (size_t i = 0; (r = resource_next(g, &i)) != NULL; n++)
		if (r->schema == NULL) {
			without++;
			printf("# no type: %.*s\n", SPAN_ARG(r->kind));
		}
	ok(n > 60 && without == 0, "every resource has its type");
	resource_registry_free(g);
}

static struct resource *
find(const struct registry *g, const char *group, const char *version,
    const char *plural)
{
	return resource_find(
	    g, span_str(group), span_str(version), span_str(plural));
}

TEST(registry)
{
	struct registry *g = resource_registry_new(NULL);
	struct store *s = store_new();
	struct resource *r = find(g, "apps", "v1", "deployments");

	resource_bind(g, s);
	is(text(r->api_version), "apps/v1", "apiVersion");
	is(text(r->list_kind), "DeploymentList", "kind of a list");
	is(text(resource_name(&arena, r)), "deployments.apps", "name");
	ok(r->namespaced && r->has_status && r->storage && r->preferred,
	    "facts");
	ok(r->verbs == 255, "all verbs");
	ok(r->short_name_count == 1 && span_is(r->short_names[0], "deploy"),
	    "short names");
	is(text(r->subresources[0].group), "autoscaling", "scale's group");
	is(text(r->subresources[0].kind), "Scale", "scale's kind");
	is(text(r->subresources[1].group), "apps", "status has its own");
	r = find(g, "", "v1", "pods");
	is(text(resource_name(&arena, r)), "pods", "name in the core group");
	r = find(g, "authorization.k8s.io", "v1", "selfsubjectaccessreviews");
	ok(r != NULL && r->collection == NULL, "reviews are not kept");
	r = find(g, "events.k8s.io", "v1", "events");
	ok(!r->storage &&
		r->collection == find(g, "", "v1", "events")->collection,
	    "events are kept once");
	ok(resource_storage(g, r->group, r->plural) ==
		find(g, "", "v1", "events"),
	    "in the core group");
	ok(resource_find_kind(g, span_str("batch"), SPAN_NONE,
	       span_str("CronJob")) == find(g, "batch", "v1", "cronjobs"),
	    "by kind");
	ok(find(g, "apps", "v2", "deployments") == NULL, "no such version");
	ok(resource_has_version(g, span_str("apps"), span_str("v1")) &&
		!resource_has_version(g, span_str("apps"), span_str("v2")),
	    "versions");
	store_free(s);
	resource_registry_free(g);
}

TEST(added)
{
	static const char *const versions[] = {
	    "v1alpha1", "v2", "v1", "foo", "v10beta3", "v10"};
	struct resource r[6] = {{.verbs = 0}}, *next, *removed;
	struct registry *g = resource_registry_new(NULL);
	unsigned long before = resource_generation(g);
	struct buf order = BUF_INIT;
	struct resource other = {.group = span_str("a.example.com"),
	    .version = span_str("v1"),
	    .plural = span_str("as"),
	    .crd = (const void *)&other};

	for (size_t i = 0; i < 6; i++) {
		r[i].crd = (const void *)r;
		r[i].group = span_str("b.example.com");
		r[i].plural = span_str("bs");
		r[i].version = span_str(versions[i]);
		resource_add(g, &r[i]);
	}
	resource_add(g, &other);
	ok(resource_generation(g) == before + 7, "the generation counts");
	for (size_t i = 0; (next = resource_next(g, &i)) != NULL;)
		if (next->crd != NULL)
			buf_addf(&order, " %.*s%s", SPAN_ARG(next->version),
			    next->preferred ? "*" : "");
	is(buf_str(&order), " v1* v10* v2 v1 v10beta3 v1alpha1 foo",
	    "groups by name, the best version first");
	removed = find(g, "b.example.com", "v10", "bs");
	resource_remove(g, removed);
	ok(removed->removed && find(g, "b.example.com", "v10", "bs") == NULL,
	    "removed");
	ok(find(g, "b.example.com", "v2", "bs")->preferred,
	    "the next one is preferred");
	buf_release(&order);
	resource_registry_free(g);
}

int
main(void)
{
	tap_run();
	arena_release(&arena);
	return tap_done();
}
