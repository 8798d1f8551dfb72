#include "document/document.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "reply/pretty.h"
#include "reply/reply.h"
#include "request/accept.h"
#include "request/accounts.h"
#include "text/template.h"
#include "text/texts.h"
#include "value/digest.h"

bool
document_fresh(const struct document *d, const struct registry *g)
{
	return d->text != NULL && d->generation == resource_generation(g);
}

void
document_set(struct document *d, const struct registry *g, struct buf *b)
{
	static const char hex[] = "0123456789ABCDEF";
	unsigned char digest[DIGEST_SIZE];
	char *p = d->etag;

	text_unref(d->text);
	d->text = text_make(buf_span(b));
	d->generation = resource_generation(g);
	digest_sha256(text_span(d->text), digest);
	*p++ = '"';
	for (size_t i = 0; i < DIGEST_SIZE; i++) {
		*p++ = hex[digest[i] >> 4];
		*p++ = hex[digest[i] & 15];
	}
	*p++ = '"';
	*p = '\0';
	buf_release(b);
}

void
document_release(struct document *d)
{
	text_unref(d->text);
	d->text = NULL;
}

void
document_reply(struct request *r, const struct document *d,
    const struct document_reply *how)
{
	struct httpd_header extra[4];
	struct buf pretty = BUF_INIT;
	struct text *t = text_ref(d->text);
	size_t n = 0;
	int code = 200;

	extra[n++] = (struct httpd_header){span_str("etag"), span_str(d->etag)};
	extra[n++] =
	    (struct httpd_header){span_str("vary"), span_str("Accept")};
	if (how->cache_control != NULL)
		extra[n++] = (struct httpd_header){
		    span_str("cache-control"), span_str(how->cache_control)};
	if (how->expires.p != NULL)
		extra[n++] =
		    (struct httpd_header){span_str("expires"), how->expires};
	if (span_is(httpd_header(r->http, "if-none-match"), d->etag)) {
		code = 304;
		text_unref(t);
		t = NULL;
	} else if (how->pretty && pretty_is_wanted(r)) {
		pretty_json(&pretty, text_span(t));
		text_unref(t);
		t = text_make(buf_span(&pretty));
	}
	reply_with(r, code, how->content_type, extra, n, t);
	text_unref(t);
	buf_release(&pretty);
}

/* ---- root ---- */

/* /apis/GROUP and /apis/GROUP/VERSION of all that is served, with repetitions.
 */
static size_t
add_groups(struct request *r, struct span **all, size_t n)
{
	const struct registry *g = r->api->registry;
	struct arena *a = &r->arena;
	const struct resource *s;

	for (size_t i = 0; (s = resource_next(g, &i)) != NULL;) {
		if (s->group.n == 0)
			continue;
		*all = arena_grow(a, *all, n, n + 2, sizeof **all);
		(*all)[n++] = arena_printf(a, "/apis/%.*s", SPAN_ARG(s->group));
		(*all)[n++] = arena_printf(a, "/apis/%.*s/%.*s",
		    SPAN_ARG(s->group), SPAN_ARG(s->version));
	}
	return n;
}

bool
document_serve_root(struct request *r)
{
	static const char *const fixed[] = {"/.well-known/openid-configuration",
	    "/api", "/api/v1", "/apis", "/apis/", "/healthz", "/healthz/etcd",
	    "/healthz/log", "/healthz/ping", "/livez", "/livez/etcd",
	    "/livez/log", "/livez/ping", "/metrics", "/openapi/v2",
	    "/openapi/v3", "/openapi/v3/", "/openid/v1/jwks", "/readyz",
	    "/readyz/etcd", "/readyz/log", "/readyz/ping", "/version"};
	struct arena *a = &r->arena;
	struct node *paths = tree_array(a), *object = tree_object(a);
	struct buf compact = BUF_INIT, pretty = BUF_INIT;
	struct span *all;
	size_t n = COUNT(fixed);

	if (!span_is(r->path, "/") && !span_is(r->path, "/index.html"))
		return false;
	all = arena_alloc(a, n * sizeof *all);
	for (size_t i = 0; i < n; i++)
		all[i] = span_str(fixed[i]);
	n = add_groups(r, &all, n);
	texts_sort(all, n);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || !span_eq(all[i], all[i - 1]))
			tree_append(a, paths, tree_string(a, all[i]));
	tree_put(a, object, "paths", paths);
	tree_write(&compact, object);
	/* The list is always JSON and indented, whatever the client accepts. */
	pretty_json(&pretty, buf_span(&compact));
	reply_typed(r, 200, "application/json", buf_span(&pretty));
	buf_release(&compact);
	buf_release(&pretty);
	return true;
}

/* ---- livez ---- */

/* kubectl compares minor; some clients read gitVersion. */
static const char version_json[] =
    "{\"major\":\"1\",\"minor\":\"36\",\"emulationMajor\":\"1\","
    "\"emulationMinor\":\"36\",\"minCompatibilityMajor\":\"1\","
    "\"minCompatibilityMinor\":\"35\",\"gitVersion\":\"v1.36.3\","
    "\"gitCommit\":\"kpipe-" KPIPE_VERSION "\",\"gitTreeState\":\"clean\","
    "\"buildDate\":\"1970-01-01T00:00:00Z\",\"goVersion\":\"none\","
    "\"compiler\":\"cc\",\"platform\":\"linux/amd64\"}";

/* /readyz, /readyz/ping; the checks are those that a single process has. */
static bool
probe(struct request *r, const char *path)
{
	static const char *const checks[] = {"ping", "log", "etcd"};
	struct span rest, verbose = request_param(r, "verbose");

	if (!span_starts(r->path, path))
		return false;
	rest = span_make(r->path.p + strlen(path), r->path.n - strlen(path));
	if (rest.n == 0 || span_is(rest, "/")) {
		if (verbose.p == NULL)
			reply_plain(r, 200, "ok");
		else
			reply_plain(r, 200,
			    arena_printf(&r->arena,
				"[+]ping ok\n[+]log ok\n[+]etcd ok\n"
				"%s check passed\n",
				path + 1)
				.p);
		return true;
	}
	for (size_t i = 0; i < COUNT(checks); i++)
		if (rest.p[0] == '/' &&
		    span_is(span_skip(rest, 1), checks[i])) {
			reply_plain(r, 200, "ok");
			return true;
		}
	return false;
}

bool
document_serve_livez(struct request *r)
{
	if (span_is(r->path, "/version") || span_is(r->path, "/version/")) {
		struct span json = span_str(version_json);

		if (!span_is(r->http->method, "GET") &&
		    !span_is(r->http->method, "HEAD")) {
			reply_problem(r, problem_generic(&r->arena, 405, NULL));
			return true;
		}
		r->as = AS_OBJECT;
		reply_json(r, 200, json);
		return true;
	}
	return probe(r, "/healthz") || probe(r, "/livez") ||
	    probe(r, "/readyz");
}

/* ---- openid ---- */

static const char configuration_path[] = "/.well-known/openid-configuration",
		  keys_path[] = "/openid/v1/jwks";

static struct node *
configuration(struct request *r, struct node *algorithms)
{
	struct span holes[] = {
	    accounts_issuer(), r->api->url, span_str(keys_path)};
	struct node *o = template_tree(&r->arena,
	    "{'issuer':%,'jwks_uri':'@@','response_types_supported':"
	    "['id_token'],'subject_types_supported':['public']}",
	    holes);

	tree_put(
	    &r->arena, o, "id_token_signing_alg_values_supported", algorithms);
	return o;
}

/* Like go-restful reads Accept: the type itself, or any. */
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
		return problem_generic(a, 404, NULL);
	if (!span_is(r->http->method, "GET"))
		return problem_generic(a, 405, NULL);
	if (is_acceptable(r, type))
		return NULL;
	/* Sets whether the refusal is written as YAML. */
	request_negotiate(r);
	return problem_generic(a, 406,
	    arena_printf(
		a, "406: Not Acceptable\n\nAvailable representations: %s", type)
		.p);
}

bool
document_serve_openid(struct request *r)
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
