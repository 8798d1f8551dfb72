#include "router.h"

#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "crd/crd.h"
#include "document/groups.h"
#include "document/document.h"
#include "read/list.h"
#include "read/watch_hub.h"
#include "reply/faults.h"
#include "reply/metrics.h"
#include "reply/reply.h"
#include "request/identity.h"
#include "request/origins.h"
#include "request/parameters.h"
#include "request/request.h"
#include "rest/rest.h"
#include "rights/authorize.h"
#include "store/store.h"
#include "type/api.h"
#include "type/proto.h"
#include "value/duration.h"

static const char not_found_text[] = "404 page not found\n";

/* Refuses as the mux of built-in kinds does. */
static void
refuse(struct request *r, int code)
{
	reply_problem(r, problem_generic(&r->arena, code, NULL));
}

static bool
is_collection_read(const struct request *r)
{
	return r->name.n == 0 &&
	    (r->verb == REQUEST_LIST || r->verb == REQUEST_WATCH);
}

static bool
is_named(enum verb v)
{
	return v == REQUEST_GET || v == REQUEST_UPDATE || v == REQUEST_PATCH ||
	    v == REQUEST_DELETE;
}

/* Whether the path fits the scope of the resource: with /namespaces/NAMESPACE,
 * or without. */
static bool
scope_fits(const struct request *r)
{
	if (!r->resource->namespaced)
		return r->namespace_.n == 0;
	return r->namespace_.n > 0 || r->name.n == 0 ||
	    r->verb == REQUEST_WATCH;
}

/* 0, or why a path of a built-in kind is not served. */
static int
check_builtin(const struct request *r)
{
	const struct resource *s = r->resource;

	/* Objects that cannot be read (no GET) have no path of their own. */
	if (!scope_fits(r) || r->extra_parts ||
	    (r->name.n > 0 && !(s->verbs & VERB_GET)))
		return 404;
	if (r->verb == REQUEST_OTHER)
		return 405;
	if (r->subresource.n > 0)
		return 0;
	/* Reviews are posted, namespaced or not. */
	if (s->namespaced && r->namespace_.n == 0 && !is_collection_read(r) &&
	    r->verb != REQUEST_WATCH)
		return 405;
	if (is_named(r->verb) != (r->name.n > 0) && r->verb != REQUEST_WATCH)
		return 405;
	return s->verbs & (1u << r->verb) ? 0 : 405;
}

/* A problem, or NULL: go on. *plain: 404 in plain text. */
static struct problem *
check_custom(struct request *r, bool *plain)
{
	const struct resource *s = r->resource;

	*plain = s->namespaced ? r->namespace_.n == 0 && !is_collection_read(r)
			       : r->namespace_.n > 0;
	if (*plain)
		return NULL;
	if (r->verb == REQUEST_OTHER)
		return problem_method_not_allowed(&r->arena, s, "");
	if (is_named(r->verb) && r->name.n == 0)
		return problem_bad_request(&r->arena, "name must be provided");
	return NULL;
}

static struct problem *
take_protobuf(struct request *r)
{
	struct err err = ERR_INIT;
	struct node *object;
	struct httpd_request *h;
	struct httpd_header *headers;
	struct buf json = BUF_INIT;

	if (r->http->body.n == 0 ||
	    !span_is(
		request_body_type(r), "application/vnd.kubernetes.protobuf"))
		return NULL;
	object = proto_decode(&r->arena, r->http->body, &err);
	if (object == NULL)
		return problem_bad_request(&r->arena,
		    "the object provided is unrecognized (must be of type "
		    "%.*s): %s (%.*s)",
		    SPAN_ARG(r->resource->kind), err.message,
		    SPAN_ARG(request_body_summary(&r->arena, r->http->body)));
	/* From here on the body is JSON: only this function knows of
	 * protobuf. */
	h = arena_alloc(&r->arena, sizeof *h);
	headers = arena_grow(&r->arena, (void *)r->http->headers,
	    r->http->header_count, r->http->header_count, sizeof *headers);
	tree_write(&json, object);
	*h = *r->http;
	h->body = arena_span(&r->arena, buf_span(&json));
	h->headers = headers;
	for (size_t i = 0; i < h->header_count; i++)
		if (span_is(headers[i].name, "content-type"))
			headers[i].value = span_str("application/json");
	r->http = h;
	buf_release(&json);
	return NULL;
}

static void
serve_verb(struct request *r)
{
	struct problem *p = request_negotiate(r);

	if (p == NULL)
		p = take_protobuf(r);
	if (p != NULL)
		reply_problem(r, p);
	else if (r->subresource.n > 0)
		rest_serve(r);
	else if (r->verb == REQUEST_GET)
		list_serve_get(r);
	else if (r->verb == REQUEST_LIST)
		list_serve(r);
	else if (r->verb == REQUEST_WATCH)
		watch_serve(r);
	else
		rest_serve(r);
}

static void go_on(struct request *r);

static void
waited(void *r)
{
	go_on(r);
}

static bool
may_create(struct request *r)
{
	if (r->subresource.n > 0)
		return false;
	return r->verb == REQUEST_CREATE ||
	    (r->verb == REQUEST_PATCH &&
		span_is(request_body_type(r), "application/apply-patch+yaml"));
}

/*
 * Waits if r creates an object in a namespace that does not exist: the same
 * client may be creating the namespace at the same time. Source:
 * apiserver/pkg/admission/plugin/namespace/lifecycle (missingNamespaceWait).
 */
static bool
wait_for_namespace(struct request *r)
{
	enum { WAIT_MS = 50 };
	struct resource *namespaces;

	if (r->waited || !r->resource->namespaced || r->namespace_.n == 0 ||
	    !may_create(r))
		return false;
	namespaces = resource_core(r->api->registry, "namespaces");
	if (namespaces == NULL ||
	    store_get(namespaces->collection, SPAN_NONE, r->namespace_) != NULL)
		return false;
	r->waited = true;
	reply_later(r, WAIT_MS, waited, r);
	return true;
}

/* Serves r, once no fault delays or answers it. */
static void
go_on(struct request *r)
{
	const struct crd_version *v;
	struct problem *p;
	bool plain = false;

	if (!r->on_resource) {
		if (!document_serve_livez(r) && !groups_serve(r) &&
		    !openapi_serve(r) && !metrics_serve(r) &&
		    !document_serve_openid(r) && !document_serve_root(r))
			reply_plain(r, 404, not_found_text);
		return;
	}
	/* The resource is looked up again: its CRD may have gone while a fault
	 * delayed r. */
	r->resource =
	    resource_find(r->api->registry, r->group, r->version, r->plural);
	if (r->resource != NULL && wait_for_namespace(r))
		return;
	v = r->resource == NULL ? NULL : crd_version_of(r->resource);
	if (v != NULL && v->deprecated)
		decode_warning_add(&r->warnings, v->deprecation_warning);
	if (r->resource == NULL) {
		if (resource_group_is_builtin(r->api->registry, r->group))
			refuse(r, 404);
		else
			reply_plain(r, 404, not_found_text);
		return;
	}
	if (r->resource->crd == NULL) {
		int code = check_builtin(r);

		if (r->resource->strategy->deprecated != NULL)
			decode_warning_add(&r->warnings,
			    span_str(r->resource->strategy->deprecated));
		if (code != 0)
			refuse(r, code);
		else
			serve_verb(r);
		return;
	}
	p = check_custom(r, &plain);
	if (plain)
		reply_plain(r, 404, not_found_text);
	else if (p != NULL)
		reply_problem(r, p);
	else
		serve_verb(r);
}

void
router_serve(void *api, struct exchange *x, const struct httpd_request *http)
{
	struct request *r = request_new(api, x, http);
	struct problem *p;
	bool known;

	r->warnings.arena = &r->arena;
	if (!request_parse(r)) {
		identity_find(r);
		reply_plain(r, 400, "400 Bad Request\n");
		return;
	}
	known = identity_find(r);
	p = origins_check(r);
	if (p == NULL && origins_is_preflight(r)) {
		reply_with(r, 204, NULL, NULL, 0, NULL);
		return;
	}
	if (p == NULL) {
		/* A WATCH may take any time: its "timeout" is not checked. */
		struct span text = request_param(r, "timeout");
		struct buf wrong = BUF_INIT;
		int64_t ns;

		if (text.n > 0 && r->verb != REQUEST_WATCH &&
		    duration_parse(text, &ns, &wrong) != 0)
			p = problem_bad_request(&r->arena,
			    "invalid timeout specified in the request URL - %s",
			    buf_str(&wrong));
		buf_release(&wrong);
	}
	if (p != NULL) {
		reply_problem(r, p);
		return;
	}
	if (!known) {
		reply_problem(r,
		    problem_make(
			&r->arena, 401, "Unauthorized", "Unauthorized"));
		return;
	}
	p = impersonate(r);
	if (p == NULL)
		p = authorize_request(r);
	if (p != NULL) {
		reply_problem(r, p);
		return;
	}
	if (r->api->faults != NULL && faults_serve(r))
		return;
	if (r->api->cluster != NULL && cluster_serve(r))
		return;
	if (r->on_resource)
		r->resource = resource_find(
		    r->api->registry, r->group, r->version, r->plural);
	if (r->api->faults != NULL && faults_before(r, go_on))
		return;
	go_on(r);
}

void
router_too_large(
    void *api, struct exchange *x, const struct httpd_request *http)
{
	struct request *r = request_new(api, x, http);

	r->warnings.arena = &r->arena;
	request_parse(r);
	identity_find(r);
	reply_problem(r, problem_too_large(&r->arena, "limit is 3145728"));
}

void
router_forget(struct api *api)
{
	groups_free(api->discovery);
	openapi_free(api->openapi);
	metrics_free(api->metrics);
	api->discovery = NULL;
	api->openapi = NULL;
	api->metrics = NULL;
}

void
router_release(struct api *api)
{
	struct request *r;

	router_forget(api);
	while ((r = api->spare) != NULL) {
		api->spare = r->next_spare;
		arena_release(&r->arena);
		free(r);
	}
}
