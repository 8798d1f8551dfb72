/* Part of document/groups.h: the documents. */
#include "document/groups.h"

#include "crd/crd.h"
#include "json/json.h"
#include "value/base64.h"
#include "value/digest.h"

/* As the server orders them: built-in ones by name, those of CRDs not. */
static const struct {
	unsigned bit;
	const char *name;
} builtin_verbs[] =
    {
	{VERB_CREATE, "create"},
	{VERB_DELETE, "delete"},
	{VERB_DELETECOLLECTION, "deletecollection"},
	{VERB_GET, "get"},
	{VERB_LIST, "list"},
	{VERB_PATCH, "patch"},
	{VERB_UPDATE, "update"},
	{VERB_WATCH, "watch"},
},
  custom_verbs[] = {
      {VERB_DELETE, "delete"},
      {VERB_DELETECOLLECTION, "deletecollection"},
      {VERB_GET, "get"},
      {VERB_LIST, "list"},
      {VERB_PATCH, "patch"},
      {VERB_CREATE, "create"},
      {VERB_UPDATE, "update"},
      {VERB_WATCH, "watch"},
};
enum { VERBS = 8 };

static void
add_text(struct buf *b, const char *key, struct span text)
{
	json_add_key(b, key);
	json_add_string(b, text);
}

static void
add_str(struct buf *b, const char *key, const char *text)
{
	add_text(b, key, span_str(text));
}

static void
open_list(struct buf *b, const char *key)
{
	json_add_key(b, key);
	buf_addc(b, '[');
}

static void
open_item(struct buf *b)
{
	json_add_comma(b);
	buf_addc(b, '{');
}

static void
add_verbs(struct buf *b, unsigned verbs, bool custom)
{
	open_list(b, "verbs");
	for (size_t i = 0; i < VERBS; i++) {
		unsigned bit =
		    custom ? custom_verbs[i].bit : builtin_verbs[i].bit;

		if (!(verbs & bit))
			continue;
		json_add_comma(b);
		json_add_str(
		    b, custom ? custom_verbs[i].name : builtin_verbs[i].name);
	}
	buf_addc(b, ']');
}

/* No creates, no changes while a definition is being deleted. */
static unsigned
verbs_of(const struct resource *r)
{
	return r->crd != NULL && r->crd->terminating
	    ? r->verbs & ~(unsigned)(VERB_CREATE | VERB_PATCH | VERB_UPDATE)
	    : r->verbs;
}

static void
add_texts(struct buf *b, const char *key, const struct span *items, size_t n)
{
	if (n == 0)
		return;
	open_list(b, key);
	for (size_t i = 0; i < n; i++) {
		json_add_comma(b);
		json_add_string(b, items[i]);
	}
	buf_addc(b, ']');
}

static bool
same_version(const struct resource *x, const struct resource *y)
{
	return span_eq(x->group, y->group) && span_eq(x->version, y->version);
}

static bool
is_own_kind(const struct resource *r, const struct subresource *s)
{
	return span_eq(r->group, s->group) && span_eq(r->version, s->version);
}

static void
add_response_kind(
    struct buf *b, struct span group, struct span version, struct span kind)
{
	json_add_key(b, "responseKind");
	buf_addc(b, '{');
	add_text(b, "group", group);
	add_text(b, "version", version);
	add_text(b, "kind", kind);
	buf_addc(b, '}');
}

/* The server leaves group and version out where a built-in kind is of the
 * group and version that it is listed in. */
static void
add_own_kind(struct buf *b, const struct resource *r, struct span kind)
{
	struct span none = span_make("", 0);

	if (r->crd != NULL)
		add_response_kind(b, r->group, r->version, kind);
	else
		add_response_kind(b, none, none, kind);
}

void
groups_add_aggregated(struct buf *b, const struct registry *g, struct span path)
{
	const struct resource *r, *last = NULL;
	bool core = span_is(path, "/api");
	bool new_group;

	buf_adds(b,
	    "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery."
	    "k8s.io/v2\",\"metadata\":{},\"items\":[");
	for (size_t i = 0; (r = resource_next(g, &i)) != NULL;) {
		if ((r->group.n == 0) != core)
			continue;
		/* The resources of each version follow each other, and so do
		 * the versions of each group. */
		new_group = last == NULL || !span_eq(r->group, last->group);
		if (last != NULL && !same_version(r, last))
			buf_adds(b, "],\"freshness\":\"Current\"}");
		if (new_group) {
			if (last != NULL)
				buf_adds(b, "]}");
			open_item(b);
			json_add_key(b, "metadata");
			buf_addc(b, '{');
			if (r->group.n > 0)
				add_text(b, "name", r->group);
			buf_addc(b, '}');
			open_list(b, "versions");
		}
		if (last == NULL || !same_version(r, last)) {
			open_item(b);
			add_text(b, "version", r->version);
			open_list(b, "resources");
		}
		open_item(b);
		add_text(b, "resource", r->plural);
		add_own_kind(b, r, r->kind);
		add_str(b, "scope", r->namespaced ? "Namespaced" : "Cluster");
		add_text(b, "singularResource", r->singular);
		add_verbs(b, verbs_of(r), r->crd != NULL);
		add_texts(b, "shortNames", r->short_names, r->short_name_count);
		add_texts(b, "categories", r->categories, r->category_count);
		if (r->subresource_count > 0) {
			open_list(b, "subresources");
			for (size_t k = 0; k < r->subresource_count; k++) {
				open_item(b);
				add_text(
				    b, "subresource", r->subresources[k].name);
				if (is_own_kind(r, &r->subresources[k]))
					add_own_kind(
					    b, r, r->subresources[k].kind);
				else
					add_response_kind(b,
					    r->subresources[k].group,
					    r->subresources[k].version,
					    r->subresources[k].kind);
				add_verbs(b, r->subresources[k].verbs, false);
				buf_addc(b, '}');
			}
			buf_addc(b, ']');
		}
		buf_addc(b, '}');
		last = r;
	}
	if (last != NULL)
		buf_adds(b, "],\"freshness\":\"Current\"}]}");
	buf_adds(b, "]}");
}

void
groups_add_versions(struct buf *b, int port)
{
	buf_addf(b,
	    "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],"
	    "\"serverAddressByClientCIDRs\":[{\"clientCIDR\":\"0.0.0.0/"
	    "0\",\"serverAddress\":\"127.0.0.1:%d\"}]}",
	    port);
}

static void
add_version(struct buf *b, const struct resource *r)
{
	buf_addc(b, '{');
	add_text(b, "groupVersion", r->api_version);
	add_text(b, "version", r->version);
	buf_addc(b, '}');
}

/* The members of an APIGroup from its name on. */
static void
add_group_members(struct buf *b, const struct registry *g, struct span group)
{
	const struct resource *r, *last = NULL, *preferred = NULL;

	add_text(b, "name", group);
	open_list(b, "versions");
	for (size_t i = 0; (r = resource_next(g, &i)) != NULL;) {
		if (!span_eq(r->group, group) ||
		    (last != NULL && same_version(r, last)))
			continue;
		json_add_comma(b);
		add_version(b, r);
		last = r;
		if (preferred == NULL)
			preferred = r;
	}
	buf_addc(b, ']');
	if (preferred == NULL)
		return;
	json_add_key(b, "preferredVersion");
	add_version(b, preferred);
}

void
groups_add_groups(struct buf *b, const struct registry *g)
{
	const struct resource *r, *last = NULL;

	buf_adds(
	    b, "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[");
	for (size_t i = 0; (r = resource_next(g, &i)) != NULL;) {
		if (r->group.n == 0 ||
		    (last != NULL && span_eq(last->group, r->group)))
			continue;
		open_item(b);
		add_group_members(b, g, r->group);
		buf_addc(b, '}');
		last = r;
	}
	buf_adds(b, "]}");
}

void
groups_add_group(struct buf *b, const struct registry *g, struct span group)
{
	buf_adds(b, "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\"");
	add_group_members(b, g, group);
	buf_addc(b, '}');
}

static void
add_bool(struct buf *b, const char *key, bool value)
{
	json_add_key(b, key);
	buf_adds(b, value ? "true" : "false");
}

void
groups_add_resources(struct buf *b, const struct registry *g, struct span group,
    struct span version)
{
	const struct resource *r;
	unsigned char digest[DIGEST_SIZE];

	buf_adds(b, "{\"kind\":\"APIResourceList\"");
	/* The core group's has none: recorded. */
	if (group.n > 0)
		add_str(b, "apiVersion", "v1");
	json_add_key(b, "groupVersion");
	buf_addc(b, '"');
	if (group.n > 0)
		buf_addf(b, "%.*s/", SPAN_ARG(group));
	buf_addf(b, "%.*s\"", SPAN_ARG(version));
	open_list(b, "resources");
	for (size_t i = 0; (r = resource_next(g, &i)) != NULL;) {
		if (!span_eq(r->group, group) || !span_eq(r->version, version))
			continue;
		struct buf text = BUF_INIT;
		open_item(b);
		add_text(b, "name", r->plural);
		add_text(b, "singularName", r->singular);
		add_bool(b, "namespaced", r->namespaced);
		add_text(b, "kind", r->kind);
		add_verbs(b, verbs_of(r), r->crd != NULL);
		add_texts(b, "shortNames", r->short_names, r->short_name_count);
		add_texts(b, "categories", r->categories, r->category_count);
		/* Source:
		 * apiserver/pkg/endpoints/discovery/storageversionhash.go. */
		if ((r->verbs & VERB_LIST)) {
			if (r->crd == NULL)
				buf_addspan(&text, r->kept_as);
			for (size_t j = 0;
			     r->crd != NULL && j < r->crd->version_count; j++)
				if (r->crd->versions[j].storage)
					buf_addf(&text, "%.*s/%.*s",
					    SPAN_ARG(r->group),
					    SPAN_ARG(r->crd->versions[j].name));
			buf_addf(&text, "/%.*s", SPAN_ARG(r->kind));
			digest_sha256(buf_span(&text), digest);
			json_add_key(b, "storageVersionHash");
			buf_addc(b, '"');
			base64_add(b, span_make((const char *)digest, 8));
			buf_addc(b, '"');
			buf_release(&text);
		}
		buf_addc(b, '}');
		for (size_t k = 0; k < r->subresource_count; k++) {
			struct buf name = BUF_INIT;

			buf_addf(&name, "%.*s/%.*s", SPAN_ARG(r->plural),
			    SPAN_ARG(r->subresources[k].name));
			open_item(b);
			add_text(b, "name", buf_span(&name));
			add_str(b, "singularName", "");
			add_bool(b, "namespaced", r->namespaced);
			if (!is_own_kind(r, &r->subresources[k])) {
				add_text(b, "group", r->subresources[k].group);
				add_text(
				    b, "version", r->subresources[k].version);
			}
			add_text(b, "kind", r->subresources[k].kind);
			add_verbs(b, r->subresources[k].verbs, false);
			buf_addc(b, '}');
			buf_release(&name);
		}
	}
	buf_adds(b, "]}");
}
