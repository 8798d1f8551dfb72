#include "document/groups.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/mem.h"
#include "crd/crd.h"
#include "document/document.h"
#include "reply/reply.h"
#include "request/accept.h"
#include "text/template.h"
#include "value/base64.h"
#include "value/digest.h"

/* ---- the documents ---- */

/* Ordered like the server does: built-in ones by name, those of CRDs not. */
static const struct {
	unsigned bit;
	const char *name;
	bool custom, builtin;
} verb_names[] = {
    {VERB_CREATE, "create", false, true},
    {VERB_DELETE, "delete", true, true},
    {VERB_DELETECOLLECTION, "deletecollection", true, true},
    {VERB_GET, "get", true, true},
    {VERB_LIST, "list", true, true},
    {VERB_PATCH, "patch", true, true},
    {VERB_CREATE, "create", true, false},
    {VERB_UPDATE, "update", true, true},
    {VERB_WATCH, "watch", true, true},
};

static void
add_verbs(struct buf *b, unsigned verbs, bool custom)
{
	template_add(b, ",'verbs':[", NULL);
	for (size_t i = 0; i < COUNT(verb_names); i++)
		if ((verbs & verb_names[i].bit) &&
		    (custom ? verb_names[i].custom : verb_names[i].builtin))
			template_add(b, ",%",
			    (struct span[]){span_str(verb_names[i].name)});
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
add_texts(struct buf *b, const char *start, const struct span *items, size_t n)
{
	if (n == 0)
		return;
	template_add(b, start, NULL);
	for (size_t i = 0; i < n; i++)
		template_add(b, ",%", &items[i]);
	buf_addc(b, ']');
}

/* The members at the end of a resource in both documents. */
static void
add_common(struct buf *b, const struct resource *r)
{
	add_verbs(b, verbs_of(r), r->crd != NULL);
	add_texts(b, ",'shortNames':[", r->short_names, r->short_name_count);
	add_texts(b, ",'categories':[", r->categories, r->category_count);
}

static bool
same_version(const struct resource *x, const struct resource *y)
{
	return span_eq(x->group, y->group) && span_eq(x->version, y->version);
}

/* The server leaves group and version out where a built-in kind is of the
 * group and version that it is listed in. */
static void
add_response_kind(struct buf *b, const struct resource *r, struct span group,
    struct span version, struct span kind)
{
	if (r->crd == NULL && span_eq(r->group, group) &&
	    span_eq(r->version, version))
		group = version = span_str("");
	template_add(b, ",'responseKind':{'group':%,'version':%,'kind':%}",
	    (struct span[]){group, version, kind});
}

void
groups_add_aggregated(struct buf *b, const struct registry *g, struct span path)
{
	const struct resource *r, *last = NULL;
	bool core = span_is(path, "/api");

	template_add(b,
	    "{'kind':'APIGroupDiscoveryList','apiVersion':"
	    "'apidiscovery.k8s.io/v2','metadata':{},'items':[",
	    NULL);
	for (size_t i = 0; (r = resource_next(g, &i)) != NULL;) {
		/* The resources of each version follow each other, and so do
		 * the versions of each group. */
		bool new_group =
		    last == NULL || !span_eq(r->group, last->group);
		bool new_version = last == NULL || !same_version(r, last);

		if ((r->group.n == 0) != core)
			continue;
		if (last != NULL && new_version)
			template_add(b, "],'freshness':'Current'}", NULL);
		if (last != NULL && new_group)
			buf_adds(b, "]}");
		if (new_group)
			template_add(b,
			    r->group.n > 0
				? ",{'metadata':{'name':%},'versions':["
				: ",{'metadata':{},'versions':[",
			    &r->group);
		if (new_version)
			template_add(
			    b, ",{'version':%,'resources':[", &r->version);
		template_add(b, ",{'resource':%", &r->plural);
		add_response_kind(b, r, r->group, r->version, r->kind);
		template_add(b, ",'scope':%,'singularResource':%",
		    (struct span[]){
			span_str(r->namespaced ? "Namespaced" : "Cluster"),
			r->singular});
		add_common(b, r);
		for (size_t k = 0; k < r->subresource_count; k++) {
			const struct subresource *s = &r->subresources[k];

			template_add(b,
			    k == 0 ? ",'subresources':[{'subresource':%"
				   : ",{'subresource':%",
			    &s->name);
			add_response_kind(b, r, s->group, s->version, s->kind);
			add_verbs(b, s->verbs, false);
			buf_addc(b, '}');
		}
		buf_adds(b, r->subresource_count > 0 ? "]}" : "}");
		last = r;
	}
	template_add(
	    b, last != NULL ? "],'freshness':'Current'}]}]}" : "]}", NULL);
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

/* The members of an APIGroup from its name on. */
static void
add_group_members(struct buf *b, const struct registry *g, struct span group)
{
	const struct resource *r, *last = NULL, *preferred = NULL;

	template_add(b, ",'name':%,'versions':[", &group);
	for (size_t i = 0; (r = resource_next(g, &i)) != NULL;) {
		if (!span_eq(r->group, group) ||
		    (last != NULL && same_version(r, last)))
			continue;
		template_add(b, ",{'groupVersion':%,'version':%}",
		    (struct span[]){r->api_version, r->version});
		last = r;
		if (preferred == NULL)
			preferred = r;
	}
	buf_addc(b, ']');
	if (preferred != NULL)
		template_add(b,
		    ",'preferredVersion':{'groupVersion':%,'version':%}",
		    (struct span[]){
			preferred->api_version, preferred->version});
}

static void
groups_add_groups(struct buf *b, const struct registry *g)
{
	const struct resource *r, *last = NULL;

	template_add(
	    b, "{'kind':'APIGroupList','apiVersion':'v1','groups':[", NULL);
	for (size_t i = 0; (r = resource_next(g, &i)) != NULL;) {
		if (r->group.n == 0 ||
		    (last != NULL && span_eq(last->group, r->group)))
			continue;
		template_add(b, ",{", NULL);
		add_group_members(b, g, r->group);
		buf_addc(b, '}');
		last = r;
	}
	buf_adds(b, "]}");
}

void
groups_add_group(struct buf *b, const struct registry *g, struct span group)
{
	template_add(b, "{'kind':'APIGroup','apiVersion':'v1'", NULL);
	add_group_members(b, g, group);
	buf_addc(b, '}');
}

/* Source: apiserver/pkg/endpoints/discovery/storageversionhash.go. */
static void
add_storage_hash(struct buf *b, const struct resource *r)
{
	unsigned char digest[DIGEST_SIZE];
	struct buf text = BUF_INIT;

	if (r->crd == NULL)
		buf_addspan(&text, r->kept_as);
	for (size_t i = 0; r->crd != NULL && i < r->crd->version_count; i++)
		if (r->crd->versions[i].storage)
			buf_addf(&text, "%.*s/%.*s", SPAN_ARG(r->group),
			    SPAN_ARG(r->crd->versions[i].name));
	buf_addf(&text, "/%.*s", SPAN_ARG(r->kind));
	digest_sha256(buf_span(&text), digest);
	buf_release(&text);
	template_add(b, ",'storageVersionHash':'", NULL);
	base64_add(b, span_make((const char *)digest, 8));
	buf_addc(b, '"');
}

void
groups_add_resources(struct buf *b, const struct registry *g, struct span group,
    struct span version)
{
	const struct resource *r;

	/* The list of the core group has no apiVersion (recorded). */
	template_add(b,
	    group.n > 0 ? "{'kind':'APIResourceList','apiVersion':'v1',"
			  "'groupVersion':'@/@','resources':["
			: "{'kind':'APIResourceList',"
			  "'groupVersion':'@@','resources':[",
	    (struct span[]){group, version});
	for (size_t i = 0; (r = resource_next(g, &i)) != NULL;) {
		struct span namespaced =
		    span_str(r->namespaced ? "true" : "false");

		if (!span_eq(r->group, group) || !span_eq(r->version, version))
			continue;
		template_add(b,
		    ",{'name':%,'singularName':%,'namespaced':@,'kind':%",
		    (struct span[]){
			r->plural, r->singular, namespaced, r->kind});
		add_common(b, r);
		if (r->verbs & VERB_LIST)
			add_storage_hash(b, r);
		buf_addc(b, '}');
		for (size_t k = 0; k < r->subresource_count; k++) {
			const struct subresource *s = &r->subresources[k];

			template_add(b,
			    ",{'name':'@/@','singularName':'','namespaced':@",
			    (struct span[]){r->plural, s->name, namespaced});
			if (!span_eq(r->group, s->group) ||
			    !span_eq(r->version, s->version))
				template_add(b, ",'group':%,'version':%",
				    (struct span[]){s->group, s->version});
			template_add(b, ",'kind':%", &s->kind);
			add_verbs(b, s->verbs, false);
			buf_addc(b, '}');
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
			reply_problem(r, problem_generic(&r->arena, 404, NULL));
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
