/*
 * Part of request/request.h. What a request accepts as its answer. Source:
 * goautoneg, apiserver/pkg/endpoints/handlers/negotiation. A client that wants
 * protobuf gets JSON: every client reads the Content-Type of the answer.
 */
#include "request/accept.h"

#include <stdlib.h>
#include <string.h>

#include "request/request.h"

enum { CLAUSES_MAX = 32 };

struct clause {
	struct span type; /* type/subtype */
	struct span params;
	int quality; /* thousandths */
	int specific;
};

struct span
accept_clause(struct span *rest, struct span *params)
{
	*params = span_cut(rest, ',');
	return span_trim(span_cut(params, ';'), " \t");
}

bool
accept_param(struct span *params, struct span *key, struct span *value)
{
	if (params->n == 0)
		return false;
	*value = span_trim(span_cut(params, ';'), " \t");
	*key = span_trim(span_cut(value, '='), " \t");
	if (value->p == NULL)
		*value = span_str("");
	return true;
}

/* 0.5 is 500; what is not a number counts as 1. */
static int
quality(struct span s)
{
	int value = 0, scale = 1000;
	bool point = false;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (!span_is_digit(s.p[i]))
			return 1000;
		if (!point) {
			value = value * 10 + (s.p[i] - '0') * 1000;
		} else if (scale > 1) {
			scale /= 10;
			value += (s.p[i] - '0') * scale;
		}
		if (value > 1000)
			return 1000;
	}
	return value;
}

static struct clause
clause_of(struct span *accept)
{
	struct clause c = {.quality = 1000};
	struct span rest, key, value;

	c.type = accept_clause(accept, &c.params);
	rest = c.params;
	while (accept_param(&rest, &key, &value))
		if (span_is(key, "q") && value.n > 0)
			c.quality = quality(value);
	c.specific = span_is(c.type, "*/*")		    ? 0
	    : c.type.n > 0 && c.type.p[c.type.n - 1] == '*' ? 1
							    : 2;
	return c;
}

static bool
media_type_served(struct span type, bool *yaml)
{
	*yaml = span_is(type, "application/yaml");
	return *yaml || span_is(type, "application/json") ||
	    span_is(type, "application/vnd.kubernetes.protobuf") ||
	    span_is(type, "*/*") || span_is(type, "application/*");
}

/* False: this clause cannot be satisfied, look at the next. */
static bool
take(struct request *r, const struct clause *c, bool yaml)
{
	struct span as = SPAN_NONE, g = SPAN_NONE, v = SPAN_NONE;
	struct span rest = c->params, key, value;

	while (accept_param(&rest, &key, &value)) {
		if (span_is(key, "as"))
			as = value;
		else if (span_is(key, "g"))
			g = value;
		else if (span_is(key, "v"))
			v = value;
		else if (span_is(key, "stream") && value.n > 0 &&
		    !span_is(value, "watch"))
			return false;
		else if (span_is(key, "sv") && value.n > 0 &&
		    !span_is(value, "v1"))
			return false;
	}
	if (as.p != NULL || g.p != NULL || v.p != NULL) {
		if (!span_is(g, "meta.k8s.io") ||
		    (!span_is(v, "v1") && !span_is(v, "v1beta1")))
			return false;
		r->as_version = v;
		/* Reviews are not kept, and have no columns. */
		if (span_is(as, "Table") && r->resource != NULL &&
		    !(r->resource->verbs & VERB_GET) && r->subresource.n == 0)
			return false;
		if (span_is(as, "Table")) {
			r->as = AS_TABLE;
			return true;
		}
		r->as_list = span_is(as, "PartialObjectMetadataList");
		if (!r->as_list && !span_is(as, "PartialObjectMetadata"))
			return false;
		r->as = AS_PARTIAL;
		return true;
	}
	r->as = yaml ? AS_YAML : AS_OBJECT;
	return true;
}

/* A log is plain text, but other answers about it, as errors, are not. */
static bool
is_log(const struct request *r)
{
	return span_is(r->subresource, "log");
}

static struct problem *
check_list(struct request *r)
{
	bool list =
	    r->verb == REQUEST_LIST || r->verb == REQUEST_DELETECOLLECTION;
	const struct resource *s = r->resource;
	struct span package = span_str("core"), kind;

	if (r->as != AS_PARTIAL || s == NULL || list == r->as_list ||
	    r->verb == REQUEST_WATCH)
		return NULL;
	if (s->group.n > 0) {
		struct span group = s->group;

		package = span_cut(&group, '.');
	}
	kind = list ? s->list_kind : s->kind;
	if (s->crd != NULL && !list)
		return problem_make(
		    &r->arena, 500, NULL, "content is not a list");
	if (s->crd != NULL) {
		package = span_str("unstructured");
		kind = span_str("UnstructuredList");
	}
	return problem_make(&r->arena, 406, "NotAcceptable",
	    "you requested %s, but the requested object is %s (*%.*s.%.*s)",
	    list ? "PartialObjectMetadata" : "PartialObjectMetadataList",
	    list ? "a list" : "not a list", SPAN_ARG(package), SPAN_ARG(kind));
}

struct problem *
request_negotiate(struct request *r)
{
	struct clause clauses[CLAUSES_MAX];
	struct span rest = httpd_header(r->http, "accept");
	size_t n = 0;
	bool known = false, yaml;
	static const char all[] = "application/json, application/yaml, "
				  "application/vnd.kubernetes.protobuf";
	static const char streams[] =
	    ", application/json;stream=watch, "
	    "application/vnd.kubernetes.protobuf;stream=watch";
	bool list;
	struct problem *p;

	r->as = AS_OBJECT;
	if (rest.n == 0)
		return NULL;
	while (rest.n > 0 && n < CLAUSES_MAX) {
		struct clause c = clause_of(&rest);
		size_t at = n++;

		for (; at > 0 &&
		     (clauses[at - 1].quality < c.quality ||
			 (clauses[at - 1].quality == c.quality &&
			     clauses[at - 1].specific < c.specific));
		     at--)
			clauses[at] = clauses[at - 1];
		clauses[at] = c;
	}
	for (size_t i = 0; i < n; i++) {
		known = known ||
		    (is_log(r) && span_is(clauses[i].type, "text/plain"));
		if (!media_type_served(clauses[i].type, &yaml))
			continue;
		known = true;
		if (take(r, &clauses[i], yaml))
			return check_list(r);
	}
	list = r->verb == REQUEST_LIST || r->verb == REQUEST_WATCH;
	/* The mux of built-in kinds looks at the media types first. */
	if (known || (r->resource != NULL && r->resource->crd != NULL))
		return problem_make(&r->arena, 406, "NotAcceptable",
		    "only the following media types are accepted: %s", all);
	p = problem_make(&r->arena, 406, "NotAcceptable",
	    "406: Not Acceptable\n\nAvailable representations: %s%s%s",
	    is_log(r) ? "text/plain, " : "", all, list ? streams : "");
	p->has_details = true;
	return p;
}
