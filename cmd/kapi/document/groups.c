#include "document/groups.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crd/crd.h"
#include "document/document.h"
#include "json/json.h"
#include "reply/reply.h"
#include "request/accept.h"
#include "value/base64.h"
#include "value/digest.h"

/* ---- the documents ---- */

/* Ordered like the server does: built-in ones by name, those of CRDs not. */
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

/* The verbs that discovery shows: none that writes new content while the
 * definition is being deleted. */
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

static void
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
	/* The list of the core group has no apiVersion (recorded). */
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
		if (r->verbs & VERB_LIST) {
			struct buf text = BUF_INIT;

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

/* ---- requests ---- */

struct groups {
	struct document api, apis;
};

static const char aggregated_type[] =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

void
groups_free(struct groups *d)
{
	if (d == NULL)
		return;
	document_release(&d->api);
	document_release(&d->apis);
	free(d);
}

enum wanted { WANTED_LEGACY, WANTED_AGGREGATED, WANTED_OTHER };

static enum wanted
clause_wants(struct span type, struct span params)
{
	struct span group = SPAN_NONE, version = SPAN_NONE, as = SPAN_NONE;
	struct span key, value;
	bool json = span_is(type, "application/json") ||
	    span_is(type, "application/vnd.kubernetes.protobuf");

	while (accept_param(&params, &key, &value)) {
		if (span_is(key, "g"))
			group = value;
		else if (span_is(key, "v"))
			version = value;
		else if (span_is(key, "as"))
			as = value;
	}
	if (json && span_is(group, "apidiscovery.k8s.io") &&
	    span_is(version, "v2") && span_is(as, "APIGroupDiscoveryList"))
		return WANTED_AGGREGATED;
	if (as.p != NULL || group.p != NULL)
		return WANTED_OTHER;
	return json || span_is(type, "*/*") ||
		span_is(type, "application/yaml") ||
		span_is(type, "application/*")
	    ? WANTED_LEGACY
	    : WANTED_OTHER;
}

static bool
wants_aggregated(const struct request *r)
{
	struct span rest = httpd_header(r->http, "accept"), params;

	while (rest.n > 0) {
		struct span type = accept_clause(&rest, &params);
		enum wanted w = clause_wants(type, params);

		if (w != WANTED_OTHER)
			return w == WANTED_AGGREGATED;
	}
	return false;
}

static void
reply_legacy(struct request *r, struct buf *b)
{
	struct problem *p = request_negotiate(r);

	if (p != NULL)
		reply_problem(r, p);
	else
		reply_json(r, 200, buf_span(b));
	buf_release(b);
}

static void
serve_version(struct request *r, struct span group, struct span version)
{
	struct buf b = BUF_INIT;

	if (!resource_has_version(r->api->registry, group, version)) {
		/* Below a built-in group a Status; elsewhere plain text. */
		if (resource_group_is_builtin(r->api->registry, group))
			reply_problem(r,
			    problem_generic(&r->arena, 404, "NotFound",
				"the server could not find the requested "
				"resource"));
		else
			reply_plain(r, 404, "404 page not found\n");
		return;
	}
	groups_add_resources(&b, r->api->registry, group, version);
	reply_legacy(r, &b);
}

static void
serve_group(struct request *r, struct span group)
{
	struct buf b = BUF_INIT;

	if (!resource_has_group(r->api->registry, group)) {
		reply_plain(r, 404, "404 page not found\n");
		return;
	}
	groups_add_group(&b, r->api->registry, group);
	reply_legacy(r, &b);
}

static void
serve_root(struct request *r, struct span path)
{
	struct buf b = BUF_INIT;

	if (wants_aggregated(r)) {
		static const struct document_reply how = {
		    .content_type = aggregated_type,
		    .cache_control = "public",
		    .pretty = true};
		const struct registry *g = r->api->registry;
		struct document *d;

		if (r->api->discovery == NULL)
			r->api->discovery =
			    mem_zalloc(sizeof *r->api->discovery);
		d = span_is(path, "/api") ? &r->api->discovery->api
					  : &r->api->discovery->apis;
		if (!document_fresh(d, g)) {
			groups_add_aggregated(&b, g, path);
			document_set(d, g, &b);
		}
		document_reply(r, d, &how);
		return;
	}
	if (span_is(path, "/api"))
		groups_add_versions(&b, httpd_port(r->api->httpd));
	else
		groups_add_groups(&b, r->api->registry);
	reply_legacy(r, &b);
}

bool
groups_serve(struct request *r)
{
	struct span path = r->path, first, group, version;

	if (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	if (span_is(path, "/api") || span_is(path, "/apis")) {
		serve_root(r, path);
		return true;
	}
	if (path.n == 0 || path.p[0] != '/')
		return false;
	path = span_skip(path, 1);
	first = span_cut(&path, '/');
	if (span_is(first, "api") && span_find(path, '/') == NULL) {
		serve_version(r, span_make("", 0), path);
		return true;
	}
	if (!span_is(first, "apis"))
		return false;
	group = span_cut(&path, '/');
	version = span_cut(&path, '/');
	if (path.n > 0)
		return false;
	if (version.n == 0)
		serve_group(r, group);
	else
		serve_version(r, group, version);
	return true;
}
