#include "document/openid.h"

#include "reply/reply.h"
#include "request/accept.h"
#include "request/accounts.h"

static const char configuration_path[] = "/.well-known/openid-configuration",
		  keys_path[] = "/openid/v1/jwks";

static struct node *
list_of(struct arena *a, const char *text)
{
	struct node *list = tree_array(a);

	tree_append(a, list, tree_str(a, text));
	return list;
}

static struct node *
configuration(struct request *r, struct node *algorithms)
{
	struct arena *a = &r->arena;
	struct node *o = tree_object(a);

	tree_put(a, o, "issuer", tree_string(a, accounts_issuer()));
	tree_put(a, o, "jwks_uri",
	    tree_string(a,
		arena_printf(a, "%.*s%s", SPAN_ARG(r->api->url), keys_path)));
	tree_put(a, o, "response_types_supported", list_of(a, "id_token"));
	tree_put(a, o, "subject_types_supported", list_of(a, "public"));
	tree_put(a, o, "id_token_signing_alg_values_supported", algorithms);
	return o;
}

/* As go-restful reads Accept: the type itself, or any. */
static bool
is_acceptable(const struct request *r, const char *type)
{
	struct span rest = httpd_header(r->http, "accept"), params;

	if (rest.n == 0)
		return true;
	while (rest.n > 0) {
		struct span accepted = accept_clause(&rest, &params);

		if (span_is(accepted, "*/*") || span_is(accepted, type))
			return true;
	}
	return false;
}

/* NULL, or why the document is not served. */
static struct problem *
check(struct request *r, struct span behind, const char *type)
{
	struct arena *a = &r->arena;

	if (behind.n > 0 && !span_is(behind, "/"))
		return problem_generic(a, 404, "NotFound",
		    "the server could not find the requested resource");
	if (!span_is(r->http->method, "GET"))
		return problem_generic(a, 405, "MethodNotAllowed",
		    "the server does not allow this method on the requested "
		    "resource");
	if (is_acceptable(r, type))
		return NULL;
	/* Whether the refusal is YAML. */
	request_negotiate(r);
	return problem_generic(a, 406, "NotAcceptable",
	    arena_printf(
		a, "406: Not Acceptable\n\nAvailable representations: %s", type)
		.p);
}

bool
openid_serve(struct request *r)
{
	struct span behind = r->path;
	bool keys = span_take(&behind, keys_path);
	const char *type;
	struct problem *p;
	struct err err = ERR_INIT;
	struct node *set, *algorithms;

	if (!keys && !span_take(&behind, configuration_path))
		return false;
	if (behind.n > 0 && *behind.p != '/')
		return false;
	type = keys ? "application/jwk-set+json" : "application/json";
	p = check(r, behind, type);
	if (p == NULL &&
	    accounts_keys(
		r->api->accounts, &r->arena, &set, &algorithms, &err) != 0)
		p = problem_make(
		    &r->arena, 500, "InternalError", "%s", err.message);
	if (p != NULL)
		reply_problem(r, p);
	else {
		static const struct httpd_header cached = {
		    {"cache-control", 13}, {"public, max-age=3600", 20}};
		struct buf json = BUF_INIT;
		struct text *t;

		tree_write(&json, keys ? set : configuration(r, algorithms));
		t = text_make(buf_span(&json));
		buf_release(&json);
		reply_with(r, 200, type, &cached, 1, t);
		text_unref(t);
	}
	return true;
}
