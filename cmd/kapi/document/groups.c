#include "document/groups.h"

#include <stdlib.h>

#include "base/mem.h"
#include "document/document.h"
#include "reply/reply.h"
#include "request/accept.h"

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
