/* Part of document/document.h: OpenAPI. */
#include "document/document.h"

#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "base/mem.h"
#include "crd/crd.h"
#include "document/openapi_write.h"
#include "json/json.h"
#include "process/clock.h"
#include "reply/reply.h"
#include "text/template.h"
#include "type/tables.h"
#include "value/digest.h"

/* ---- paths ---- */

/* An operation on a path. */
struct operation {
	const char *method, *action;
	unsigned verb;
	const char *parameters; /* names, each with its type: i, b or s */
};

#define LIST_PARAMETERS                                           \
	"sfieldSelector slabelSelector ilimit scontinue "         \
	"sresourceVersion sresourceVersionMatch itimeoutSeconds " \
	"ballowWatchBookmarks bsendInitialEvents bwatch"
#define WRITE_PARAMETERS "sdryRun sfieldManager sfieldValidation"
#define DELETE_PARAMETERS \
	"sdryRun igracePeriodSeconds borphanDependents spropagationPolicy"

static const struct operation on_collection[] = {
    {"get", "list", VERB_LIST, LIST_PARAMETERS},
    {"post", "post", VERB_CREATE, WRITE_PARAMETERS},
    {"delete", "deletecollection", VERB_DELETECOLLECTION,
	DELETE_PARAMETERS " " LIST_PARAMETERS},
};
static const struct operation on_object[] = {
    {"get", "get", VERB_GET, ""},
    {"put", "put", VERB_UPDATE, WRITE_PARAMETERS},
    {"delete", "delete", VERB_DELETE, DELETE_PARAMETERS},
    {"patch", "patch", VERB_PATCH, WRITE_PARAMETERS " bforce"},
    {"post", "post", VERB_CREATE, WRITE_PARAMETERS},
};

static void
add_parameter(struct openapi_writer *w, const char *where, const char *type,
    struct span name)
{
	struct span holes[] = {name, span_str(where),
	    span_str(where[0] == 'p' ? ",\"required\":true" : ""),
	    span_str(type)};

	template_add(&w->buf,
	    w->v2 ? ",{'name':%,'in':%@,'type':%,'uniqueItems':true}"
		  : ",{'name':%,'in':%@,"
		    "'schema':{'type':%,'uniqueItems':true}}",
	    holes);
}

static void
add_parameters(struct openapi_writer *w, const char *list)
{
	while (*list != '\0') {
		size_t n = strcspn(list, " ");

		add_parameter(w, "query",
		    list[0] == 'i'	 ? "integer"
			: list[0] == 'b' ? "boolean"
					 : "string",
		    span_make(list + 1, n - 1));
		list += n + (list[n] == ' ');
	}
}

/* The kind that an operation exchanges, and its types. */
struct subject {
	struct span group, version, kind;
	struct span type, list; /* list: what LIST gives */
	bool custom;		/* a CRD: no strategic merge patch */
};

/* The body that is sent, and its types of content: kubectl apply sends patches
 * that are listed here. */
static void
add_body(struct openapi_writer *w, const struct operation *o, struct span body,
    const struct subject *s)
{
	static const char *const patches[] = {"application/apply-patch+yaml",
	    "application/json-patch+json", "application/merge-patch+json",
	    "application/strategic-merge-patch+json"};
	struct buf *b = &w->buf;

	template_add(b, "'requestBody':{'content':{", NULL);
	if (o->verb != VERB_PATCH)
		template_add(b, "'*/*':{'schema':@}", &body);
	for (size_t i = 0; o->verb == VERB_PATCH && i < (s->custom ? 3 : 4);
	     i++)
		template_add(b, ",%:{'schema':@}",
		    (struct span[]){span_str(patches[i]), body});
	buf_addc(b, '}');
	if (o->verb & (VERB_CREATE | VERB_UPDATE | VERB_PATCH))
		template_add(b, ",'required':true", NULL);
	buf_adds(b, "},");
}

static void
add_operation(struct openapi_writer *w, const struct operation *o,
    const struct subject *s)
{
	struct buf *b = &w->buf;
	bool reads = o->verb & (VERB_GET | VERB_LIST);
	bool deletes = o->verb & (VERB_DELETE | VERB_DELETECOLLECTION);
	struct span answer = o->verb == VERB_LIST ? s->list
	    : deletes ? span_str(OPENAPI_META "Status")
		      : s->type;
	struct span body = deletes  ? span_str(OPENAPI_META "DeleteOptions")
	    : o->verb == VERB_PATCH ? span_str(OPENAPI_META "Patch")
				    : s->type;
	const char *response = w->v2 ? ",%:{'description':'OK','schema':@}"
				     : ",%:{'description':'OK','content':{"
				       "'application/json':{'schema':@},"
				       "'application/yaml':{'schema':@}}}";
	struct span holes[3];

	json_add_key(b, o->method);
	buf_addc(b, '{');
	if (!reads)
		body = openapi_ref(w, body);
	if ((w->v2 && !reads) || o->parameters[0] != '\0') {
		template_add(b, "'parameters':[", NULL);
		if (w->v2 && !reads)
			template_add(
			    b, "{'name':'body','in':'body','schema':@}", &body);
		add_parameters(w, o->parameters);
		buf_adds(b, "],");
	}
	if (!w->v2 && !reads)
		add_body(w, o, body, s);
	template_add(b, "'responses':{", NULL);
	holes[0] = span_str("200");
	holes[1] = holes[2] = openapi_ref(w, answer);
	template_add(b, response, holes);
	holes[0] = span_str("201");
	if (o->verb & (VERB_CREATE | VERB_UPDATE | VERB_PATCH))
		template_add(b, response, holes);
	template_add(b, "},'x-kubernetes-action':%",
	    (struct span[]){span_str(o->action)});
	openapi_add_kind(b, s->group, s->version, s->kind, false);
	buf_addc(b, '}');
}

struct place {
	const struct resource *r;
	bool in_namespace, with_name;
	struct span subresource;
};

static void
add_path(struct openapi_writer *w, const struct place *p,
    const struct operation *operations, size_t n, unsigned verbs,
    const struct subject *s)
{
	struct buf *b = &w->buf;
	const struct resource *r = p->r;
	unsigned served = 0;

	for (size_t i = 0; i < n; i++)
		served |= operations[i].verb;
	if (!(verbs & served))
		return;
	json_add_comma(b);
	buf_addf(b, "\"/%s/%.*s%s/%.*s%s%s%.*s\":{",
	    r->group.n == 0 ? "api" : "apis", SPAN_ARG(r->api_version),
	    p->in_namespace ? "/namespaces/{namespace}" : "",
	    SPAN_ARG(r->plural), p->with_name ? "/{name}" : "",
	    p->subresource.n > 0 ? "/" : "", SPAN_ARG(p->subresource));
	for (size_t i = 0; i < n; i++)
		if (verbs & operations[i].verb)
			add_operation(w, &operations[i], s);
	json_add_key(b, "parameters");
	buf_addc(b, '[');
	if (p->with_name)
		add_parameter(w, "path", "string", span_str("name"));
	if (p->in_namespace)
		add_parameter(w, "path", "string", span_str("namespace"));
	add_parameters(w, "spretty");
	buf_adds(b, "]}");
}

enum { ON_COLLECTION = COUNT(on_collection) };
enum { ON_OBJECT = COUNT(on_object) };

static void
add_subresource(struct openapi_writer *w, const struct resource *r,
    const struct subresource *sub)
{
	struct place p = {r, r->namespaced, true, sub->name};
	struct subject s = {sub->group, sub->version, sub->kind, SPAN_NONE,
	    SPAN_NONE, r->crd != NULL};
	const struct schema *type =
	    schema_builtin_kind(sub->group, sub->version, sub->kind);

	if (type != NULL)
		s.type = type->name;
	else if (r->crd != NULL)
		s.type = openapi_want_resource(w, r, false);
	else
		return; /* options of a stream: exec, proxy, ... */
	if (span_is(sub->name, "log"))
		return;
	if (r->crd != NULL) {
		/* Like the server: the type of a Scale, the kind not. */
		s.group = r->group;
		s.version = r->version;
		s.kind = r->kind;
	}
	add_path(w, &p, on_object, ON_OBJECT, sub->verbs, &s);
}

void
openapi_add_document(struct openapi_writer *w, const struct registry *g)
{
	const struct resource *r;
	struct buf *b = &w->buf;

	template_add(
	    b, w->v2 ? "{'swagger':'2.0'" : "{'openapi':'3.0.0'", NULL);
	template_add(b,
	    ",'info':{'title':'Kubernetes','version':'1.36'},'paths':{", NULL);
	for (size_t i = 0; (r = resource_next(g, &i)) != NULL;)
		if (w->first == NULL ||
		    (span_eq(w->first->group, r->group) &&
			span_eq(w->first->version, r->version))) {
			/* All paths of a resource, as members. */
			struct subject s = {r->group, r->version, r->kind,
			    openapi_want_resource(w, r, false), SPAN_NONE,
			    r->crd != NULL};
			struct place p = {r, r->namespaced, false, SPAN_NONE};
			unsigned named =
			    VERB_GET | VERB_UPDATE | VERB_DELETE | VERB_PATCH;

			if (s.type.p == NULL)
				continue;
			if (r->verbs & VERB_LIST)
				s.list = openapi_want_resource(w, r, true);
			add_path(
			    w, &p, on_collection, ON_COLLECTION, r->verbs, &s);
			p.with_name = true;
			add_path(
			    w, &p, on_object, ON_OBJECT, r->verbs & named, &s);
			for (size_t k = 0; k < r->subresource_count; k++)
				add_subresource(w, r, &r->subresources[k]);
			if (!r->namespaced)
				continue;
			p = (struct place){r, false, false, SPAN_NONE};
			add_path(w, &p, on_collection, 1, r->verbs, &s);
		}
	template_add(b,
	    w->v2 ? "},'definitions':{" : "},'components':{'schemas':{", NULL);
	/* Types that no path of a resource refers to. */
	if (w->first == NULL) {
		openapi_ref(w, span_str(OPENAPI_META "APIGroupList"));
		openapi_ref(w, span_str(OPENAPI_META "APIVersions"));
	}
	if (w->first == NULL || w->first->crd == NULL) {
		openapi_ref(w, span_str(OPENAPI_META "APIResourceList"));
		openapi_ref(w, span_str(OPENAPI_META "WatchEvent"));
	}
	openapi_add_types(w);
	buf_adds(b, w->v2 ? "}}" : "}}}");
}

/* ---- requests ---- */

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

	template_add(b, "{'paths':{", NULL);
	for (size_t i = 0; (r = resource_next(api->registry, &i)) != NULL;) {
		struct hash h;
		struct span prefix = span_str(r->group.n == 0 ? "api" : "apis");

		if (last != NULL && same_version(r, last))
			continue;
		last = r;
		h = hash_of(api, r);
		template_add(b,
		    ",'@/@':{'serverRelativeURL':'/openapi/v3/@/@?hash=@'}",
		    (struct span[]){prefix, r->api_version, prefix,
			r->api_version, span_str(h.text)});
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
