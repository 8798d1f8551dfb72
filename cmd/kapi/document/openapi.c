#include "document/openapi.h"

#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "crd/crd.h"
#include "document/document.h"
#include "document/openapi_write.h"
#include "json/json.h"
#include "process/clock.h"
#include "reply/reply.h"
#include "type/tables.h"
#include "value/digest.h"

enum { YEAR_SECONDS = 365 * 24 * 60 * 60 };

/* Documents are made when they are asked for, and not kept: clients keep
 * them. The index needs digests of what they are made from only. */
struct openapi {
	struct document index;
	bool has_tables;
	unsigned char tables[DIGEST_SIZE];
};

void
openapi_free(struct openapi *o)
{
	if (o == NULL)
		return;
	document_release(&o->index);
	free(o);
}

static struct openapi *
openapi_of(struct api *api)
{
	struct openapi *o = api->openapi;
	struct buf b = BUF_INIT;

	if (o == NULL)
		o = api->openapi = mem_zalloc(sizeof *o);
	if (o->has_tables)
		return o;
	buf_adds(&b, KPIPE_VERSION);
	buf_addspan(&b, tables_types());
	buf_addspan(&b, tables_resources());
	digest_sha256(buf_span(&b), o->tables);
	buf_release(&b);
	o->has_tables = true;
	return o;
}

static bool
same_version(const struct resource *x, const struct resource *y)
{
	return span_eq(x->group, y->group) && span_eq(x->version, y->version);
}

/* Upper-case hexadecimal digits of what the document of a group and version
 * is made from; first NULL: of all. */
struct hash {
	char text[2 * DIGEST_SIZE + 1];
};

static struct hash
hash_of(struct api *api, const struct resource *first)
{
	static const char hex[] = "0123456789ABCDEF";
	struct openapi *o = openapi_of(api);
	unsigned char digest[DIGEST_SIZE];
	struct hash h = {""};
	struct buf b = BUF_INIT;
	const struct resource *r;

	buf_add(&b, (const char *)o->tables, DIGEST_SIZE);
	for (size_t i = 0; (r = resource_next(api->registry, &i)) != NULL;) {
		if (first != NULL && !same_version(first, r))
			continue;
		buf_addf(&b, "\n%.*s %.*s %.*s %d%zu", SPAN_ARG(r->plural),
		    SPAN_ARG(r->api_version), SPAN_ARG(r->kind), r->namespaced,
		    r->subresource_count);
		if (r->crd != NULL && crd_version_of(r)->schema_json != NULL)
			tree_write(&b, crd_version_of(r)->schema_json);
	}
	digest_sha256(buf_span(&b), digest);
	for (size_t i = 0; i < DIGEST_SIZE; i++) {
		h.text[2 * i] = hex[digest[i] >> 4];
		h.text[2 * i + 1] = hex[digest[i] & 15];
	}
	buf_release(&b);
	return h;
}

static void
add_index(struct buf *b, struct api *api)
{
	const struct resource *r, *last = NULL;

	buf_adds(b, "{\"paths\":{");
	for (size_t i = 0; (r = resource_next(api->registry, &i)) != NULL;) {
		struct hash h;
		const char *prefix = r->group.n == 0 ? "api" : "apis";

		if (last != NULL && same_version(r, last))
			continue;
		last = r;
		h = hash_of(api, r);
		json_add_comma(b);
		buf_addf(b,
		    "\"%s/%.*s\":{\"serverRelativeURL\":\"/openapi/v3/%s/"
		    "%.*s?hash=%s\"}",
		    prefix, SPAN_ARG(r->api_version), prefix,
		    SPAN_ARG(r->api_version), h.text);
	}
	buf_adds(b, "}}");
}

static bool
accepts(const struct request *r, const char *type)
{
	struct span accept = httpd_header(r->http, "accept");

	return accept.n > 0 &&
	    memmem(accept.p, accept.n, type, strlen(type)) != NULL;
}

static struct httpd_header
header(const char *name, struct span value)
{
	return (struct httpd_header){span_str(name), value};
}

/* The URL that the index gives never gets another document. */
static size_t
add_lifetime(struct arena *a, struct httpd_header *headers)
{
	time_t end = clock_real_us() / 1000000 + YEAR_SECONDS;
	struct tm tm;
	char text[64];

	gmtime_r(&end, &tm);
	strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S UTC", &tm);
	headers[0] = header("cache-control", span_str("public, immutable"));
	headers[1] = header("expires", arena_span(a, span_str(text)));
	return 2;
}

/* 406, 301 to the hash that is right, 304: true, answered. */
static bool
serve_without_body(struct request *r, const struct hash *h,
    struct httpd_header *headers, size_t *n)
{
	struct span asked = request_param(r, "hash"), etag;

	etag = arena_printf(&r->arena, "\"%s\"", h->text);
	headers[(*n)++] = header("etag", etag);
	headers[(*n)++] = header("vary", span_str("Accept"));
	if (!(httpd_header(r->http, "accept").n == 0 ||
		accepts(r, "application/json") || accepts(r, "*/*") ||
		accepts(r, "application/*"))) {
		reply_with(r, 406, NULL, NULL, 0, NULL);
		return true;
	}
	if (asked.n > 0 && !span_is(asked, h->text)) {
		headers[(*n)++] = header("location",
		    arena_printf(
			&r->arena, "%.*s?hash=%s", SPAN_ARG(r->path), h->text));
		reply_with(r, 301, "application/json", headers, *n, NULL);
		return true;
	}
	if (asked.n > 0)
		*n += add_lifetime(&r->arena, headers + *n);
	if (span_eq(httpd_header(r->http, "if-none-match"), etag)) {
		reply_with(r, 304, "application/json", headers, *n, NULL);
		return true;
	}
	return false;
}

static void
serve_document(struct request *r, const struct resource *first, bool v2)
{
	struct openapi_writer w = {.v2 = v2, .first = first};
	struct hash h = hash_of(r->api, first);
	struct httpd_header headers[6];
	struct text *t;
	size_t n = 0;

	if (serve_without_body(r, &h, headers, &n))
		return;
	openapi_add_document(&w, r->api->registry);
	t = text_make(buf_span(&w.buf));
	reply_with(r, 200, "application/json", headers, n, t);
	text_unref(t);
	openapi_writer_release(&w);
}

static const char proto_type[] =
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

static const struct resource *
first_of(const struct registry *g, struct span api_version)
{
	const struct resource *r;

	for (size_t i = 0; (r = resource_next(g, &i)) != NULL;)
		if (span_eq(r->api_version, api_version))
			return r;
	return NULL;
}

static bool
behind(struct span path, const char *prefix, struct span *rest)
{
	*rest = path;
	return span_take(rest, prefix);
}

bool
openapi_serve(struct request *r)
{
	struct span path = r->path, rest;
	const struct resource *first = NULL;

	if (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	if (span_is(path, "/openapi/v2")) {
		if (accepts(r, proto_type)) {
			/* kubectl asks for this of kinds that version 3 does
			 * not have (List, or what is not served at all), and
			 * takes no other form: a Document (gnostic's
			 * OpenAPIv2.proto) with the head that all have, and no
			 * definitions. What is not in it is not validated by
			 * the client. */
			static const char document[] =
			    "\x0a\x032.0\x12\x12\x0a\x0aKubernetes\x12\x041.36";

			reply_typed(r, 200,
			    "application/"
			    "com.github.proto-openapi.spec.v2.v1.0+protobuf",
			    span_make(document, sizeof(document) - 1));
		} else
			serve_document(r, NULL, true);
		return true;
	}
	if (span_is(path, "/openapi/v3")) {
		struct openapi *o = openapi_of(r->api);
		struct buf b = BUF_INIT;

		if (!document_fresh(&o->index, r->api->registry)) {
			add_index(&b, r->api);
			document_set(&o->index, r->api->registry, &b);
		}
		reply_typed(r, 200, "text/plain; charset=utf-8",
		    text_span(o->index.text));
		return true;
	}
	if (!behind(path, "/openapi/v3/", &path))
		return false;
	if (behind(path, "apis/", &rest) || behind(path, "api/", &rest))
		first = first_of(r->api->registry, rest);
	if (first == NULL)
		reply_with(r, 404, NULL, NULL, 0, NULL);
	else
		serve_document(r, first, false);
	return true;
}
