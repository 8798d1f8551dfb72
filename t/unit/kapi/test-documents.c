// alone: it has functions in place of the tool's
/* Discovery and OpenAPI documents: valid, whole, and as recorded. */
#include "crd/crd.h"
#include "document/groups.h"
#include "document/openapi_write.h"

#include "trees.h"

/* The fields of every object, described for kubectl explain. */
#define TYPE_FIELDS                                                           \
	"\"apiVersion\":{\"type\":\"string\",\"description\":"                \
	"\"APIVersion defines how the object is written: a group and one of " \
	"its versions.\"},\"kind\":{\"type\":\"string\",\"description\":"     \
	"\"Kind is the name of what the object is, in CamelCase.\"},"         \
	"\"metadata\":{\"allOf\":[{\"$ref\":"                                 \
	"\"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1."        \
	"ObjectMeta\"}],\"description\":\"Standard object's metadata.\"}"

static const char schema_text[] =
    "{\"type\":\"object\",\"description\":\"A cache.\",\"properties\":"
    "{\"spec\":{\"type\":\"object\",\"properties\":{\"port\":"
    "{\"x-kubernetes-int-or-string\":true},\"pod\":{\"type\":\"object\","
    "\"x-kubernetes-embedded-resource\":true}}}}}";

static struct crd_version version;

const struct crd_version *
crd_version_of(const struct resource *r)
{
	(void)r;
	return &version;
}

static struct registry *registry; /* with one CRD in it */
static struct crd crd = {.versions = &version, .version_count = 1};
static struct subresource scale;
static struct resource custom;

static void
set_up(void)
{
	registry = resource_registry_new(NULL);
	version = (struct crd_version){.name = span_str("v1"),
	    .storage = true,
	    .schema_json = parse(schema_text)};
	scale = (struct subresource){.name = span_str("scale"),
	    .group = span_str("autoscaling"),
	    .version = span_str("v1"),
	    .kind = span_str("Scale"),
	    .verbs = VERB_GET | VERB_UPDATE | VERB_PATCH};
	custom = (struct resource){.group = span_str("cache.example.com"),
	    .version = span_str("v1"),
	    .api_version = span_str("cache.example.com/v1"),
	    .plural = span_str("memcacheds"),
	    .singular = span_str("memcached"),
	    .kind = span_str("Memcached"),
	    .list_kind = span_str("MemcachedList"),
	    .namespaced = true,
	    .verbs = 255,
	    .subresources = &scale,
	    .subresource_count = 1,
	    .crd = &crd};
	resource_add(registry, &custom);
}

static const char definitions[] = "#/definitions/";
static const char schemas[] = "#/components/schemas/";

/* Counts each $ref in n that is not to a type in types. */
static size_t
dangling(const struct node *n, const struct node *types)
{
	size_t count = 0;

	if (tree_is(n, NODE_ARRAY))
		for (uint32_t i = 0; i < n->n; i++)
			count += dangling(n->items[i], types);
	if (!tree_is(n, NODE_OBJECT))
		return count;
	for (uint32_t i = 0; i < n->n; i++) {
		struct span to = tree_text(n->members[i].value);
		size_t skip;

		count += dangling(n->members[i].value, types);
		/* A property of a schema may have that name, too. */
		if (!span_is(n->members[i].key, "$ref") || to.p == NULL)
			continue;
		skip = memcmp(to.p, schemas, sizeof schemas - 1) == 0
		    ? sizeof schemas - 1
		    : sizeof definitions - 1;
		if (tree_get_span(types, span_make(to.p + skip, to.n - skip)) ==
		    NULL) {
			printf("# no type: %.*s\n", SPAN_ARG(to));
			count++;
		}
	}
	return count;
}

static struct node *
document(const struct resource *first, bool v2)
{
	struct openapi_writer w = {.v2 = v2, .first = first};
	struct node *n;

	openapi_add_document(&w, registry);
	n = parse_span(arena_span(&arena, buf_span(&w.buf)));
	openapi_writer_release(&w);
	return n;
}

TEST(references)
{
	const struct resource *r, *last = NULL;
	size_t count = 0, wrong = 0;
	struct node *n;

	for (size_t i = 0; (r = resource_next(registry, &i)) != NULL;) {
		if (last != NULL && span_eq(last->api_version, r->api_version))
			continue;
		last = r;
		n = document(r, false);
		count++;
		wrong += dangling(n, tree_path(n, "components.schemas"));
	}
	ok(count > 20, "a document for every group and version");
	ok(wrong == 0, "... with all types that it refers to");
	n = document(NULL, true);
	ok(dangling(n, tree_get(n, "definitions")) == 0, "version 2 likewise");
}

static void
says(const struct node *types, const char *type, const char *want)
{
	struct buf b = BUF_INIT;
	const struct node *n = tree_get(types, type);

	if (n != NULL)
		tree_write(&b, n);
	is(buf_str(&b), want, type);
	buf_release(&b);
}

TEST(types)
{
	struct node *n = document(resource_find(registry, span_str(""),
				      span_str("v1"), span_str("services")),
	    false);
	struct node *types = tree_path(n, "components.schemas");

	says(types, "io.k8s.api.core.v1.ServicePort",
	    "{\"type\":\"object\",\"required\":[\"port\"],\"properties\":"
	    "{\"appProtocol\":{\"type\":\"string\"},\"name\":{\"type\":"
	    "\"string\"},\"nodePort\":{\"type\":\"integer\",\"format\":"
	    "\"int32\"},\"port\":{\"type\":\"integer\",\"format\":\"int32\","
	    "\"default\":0},\"protocol\":{\"type\":\"string\",\"enum\":"
	    "[\"SCTP\",\"TCP\",\"UDP\"],\"default\":\"TCP\"},\"targetPort\":"
	    "{\"allOf\":[{\"$ref\":\"#/components/schemas/"
	    "io.k8s.apimachinery.pkg.util.intstr.IntOrString\"}]}}}");
	says(types, "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
	    "{\"format\":\"int-or-string\",\"oneOf\":[{\"type\":\"integer\"},"
	    "{\"type\":\"string\"}]}");
	says(types, "io.k8s.api.core.v1.SecretReference",
	    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":"
	    "\"string\"},\"namespace\":{\"type\":\"string\"}},"
	    "\"x-kubernetes-map-type\":\"atomic\"}");
	n = document(&custom, false);
	types = tree_path(n, "components.schemas");
	says(types, "com.example.cache.v1.Memcached",
	    "{\"type\":\"object\",\"description\":\"A cache.\",\"properties\":"
	    "{\"spec\":{\"type\":\"object\",\"properties\":{\"port\":"
	    "{\"x-kubernetes-int-or-string\":true,\"anyOf\":[{\"type\":"
	    "\"integer\"},{\"type\":\"string\"}]},\"pod\":{\"type\":"
	    "\"object\",\"x-kubernetes-embedded-resource\":true,"
	    "\"properties\":{" TYPE_FIELDS "},"
	    "\"required\":[\"kind\",\"apiVersion\"]}}}," TYPE_FIELDS "},"
	    "\"x-kubernetes-group-version-kind\":[{\"group\":"
	    "\"cache.example.com\",\"version\":\"v1\",\"kind\":"
	    "\"Memcached\"}]}");
	ok(tree_get(
	       tree_get(tree_get(tree_get(n, "paths"),
			    "/apis/cache.example.com/v1/namespaces/{namespace}/"
			    "memcacheds/{name}/scale"),
		   "patch"),
	       "parameters") != NULL,
	    "a path of a subresource");
}

static void
gives(struct buf *b, const char *want, const char *what)
{
	is(buf_str(b), want, what);
	buf_reset(b);
}

TEST(discovery)
{
	struct span group = span_str("cache.example.com");
	struct buf b = BUF_INIT;

	groups_add_versions(&b, 6443);
	gives(&b,
	    "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],"
	    "\"serverAddressByClientCIDRs\":[{\"clientCIDR\":\"0.0.0.0/0\","
	    "\"serverAddress\":\"127.0.0.1:6443\"}]}",
	    "/api");
	groups_add_group(&b, registry, group);
	gives(&b,
	    "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",\"name\":"
	    "\"cache.example.com\",\"versions\":[{\"groupVersion\":"
	    "\"cache.example.com/v1\",\"version\":\"v1\"}],"
	    "\"preferredVersion\":{\"groupVersion\":\"cache.example.com/v1\","
	    "\"version\":\"v1\"}}",
	    "a group");
	groups_add_resources(&b, registry, group, span_str("v1"));
	gives(&b,
	    "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\","
	    "\"groupVersion\":\"cache.example.com/v1\",\"resources\":["
	    "{\"name\":\"memcacheds\",\"singularName\":\"memcached\","
	    "\"namespaced\":true,\"kind\":\"Memcached\",\"verbs\":["
	    "\"delete\",\"deletecollection\",\"get\",\"list\",\"patch\","
	    "\"create\",\"update\",\"watch\"],\"storageVersionHash\":"
	    "\"ArPC+icmask=\"},{\"name\":\"memcacheds/scale\","
	    "\"singularName\":\"\",\"namespaced\":true,\"group\":"
	    "\"autoscaling\",\"version\":\"v1\",\"kind\":\"Scale\",\"verbs\":["
	    "\"get\",\"patch\",\"update\"]}]}",
	    "its resources");
	crd.terminating = true;
	groups_add_resources(&b, registry, group, span_str("v1"));
	ok(strstr(buf_str(&b),
	       "\"verbs\":[\"delete\",\"deletecollection\",\"get\",\"list\","
	       "\"watch\"]") != NULL,
	    "no creates and changes while the definition is being deleted");
	buf_reset(&b);
	groups_add_aggregated(&b, registry, span_str("/apis"));
	ok(tree_count(parse_span(buf_span(&b))) > 0,
	    "everything, aggregated, is JSON");
	buf_release(&b);
}

int
main(void)
{
	set_up();
	tap_run();
	resource_registry_free(registry);
	arena_release(&arena);
	return tap_done();
}
