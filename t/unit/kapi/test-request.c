// alone: it has functions in place of the tool's
/* How path, query and Accept are read. */
#include "request/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tap.h"

struct span
resource_name(struct arena *a, const struct resource *r)
{
	(void)a;
	return r->plural;
}

static struct api api;

static struct request *
ask(struct httpd_request *h, const char *method, const char *path,
    const char *query)
{
	*h = (struct httpd_request){.method = span_str(method),
	    .path = span_str(path),
	    .query = span_str(query)};
	return request_new(&api, NULL, h);
}

/* verb group version plural namespace name subresource, "-" for none. */
static const char *
parsed(const char *method, const char *path, const char *query)
{
	static char said[512];
	struct httpd_request h;
	struct request *r = ask(&h, method, path, query);

	if (!request_parse(r))
		snprintf(said, sizeof said, "bad");
	else if (!r->on_resource)
		snprintf(said, sizeof said, "other %.*s", SPAN_ARG(r->path));
	else
		snprintf(said, sizeof said,
		    "%s %.*s/%.*s %.*s ns=%.*s name=%.*s sub=%.*s%s",
		    r->verb == REQUEST_OTHER ? "?" : request_verb_name(r->verb),
		    SPAN_ARG(r->group), SPAN_ARG(r->version),
		    SPAN_ARG(r->plural), SPAN_ARG(r->namespace_),
		    SPAN_ARG(r->name), SPAN_ARG(r->subresource),
		    r->extra_parts ? " more" : "");
	request_free(r);
	return said;
}

TEST(paths)
{
	static const struct {
		const char *method, *path, *query, *want;
	} cases[] = {
	    {"GET", "/api/v1/pods", NULL, "list /v1 pods ns= name= sub="},
	    {"GET", "/api/v1/pods", "watch=true",
		"watch /v1 pods ns= name= sub="},
	    {"GET", "/api/v1/pods", "watch=FALSE",
		"list /v1 pods ns= name= sub="},
	    {"GET", "/api/v1/pods", "watch=0", "list /v1 pods ns= name= sub="},
	    {"GET", "/api/v1/pods", "watch", "watch /v1 pods ns= name= sub="},
	    {"HEAD", "/api/v1/namespaces/a/pods/b", NULL,
		"get /v1 pods ns=a name=b sub="},
	    {"GET", "/api/v1/namespaces/a/pods/b", "watch=1",
		"get /v1 pods ns=a name=b sub="},
	    {"GET", "/api/v1/namespaces/a", NULL,
		"get /v1 namespaces ns= name=a sub="},
	    {"PUT", "/api/v1/namespaces/a/finalize", NULL,
		"update /v1 namespaces ns= name=a sub=finalize"},
	    {"PATCH", "/api/v1/namespaces/a/status", NULL,
		"patch /v1 namespaces ns= name=a sub=status"},
	    {"GET", "/api/v1/namespaces/a/pods/", NULL,
		"list /v1 pods ns=a name= sub="},
	    {"POST", "/apis/apps/v1/namespaces/a/deployments", NULL,
		"create apps/v1 deployments ns=a name= sub="},
	    {"DELETE", "/apis/apps/v1/namespaces/a/deployments", NULL,
		"deletecollection apps/v1 deployments ns=a name= sub="},
	    {"DELETE", "/apis/apps/v1/namespaces/a/deployments/b", NULL,
		"delete apps/v1 deployments ns=a name=b sub="},
	    {"GET", "/apis/apps/v1/namespaces/a/deployments/b/scale", NULL,
		"get apps/v1 deployments ns=a name=b sub=scale"},
	    {"GET", "/api/v1/namespaces/a/pods/b/proxy/c", NULL,
		"get /v1 pods ns=a name=b sub=proxy"},
	    {"GET", "/api/v1/namespaces/a/pods/b/log/c", NULL,
		"get /v1 pods ns=a name=b sub=log more"},
	    {"GET", "/api/v1/watch/namespaces/a/pods/b", NULL,
		"watch /v1 pods ns=a name=b sub="},
	    {"GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles/a%3Ab%20c",
		NULL,
		"get rbac.authorization.k8s.io/v1 clusterroles ns= name=a:b "
		"c sub="},
	    {"BREW", "/api/v1/pods", NULL, "? /v1 pods ns= name= sub="},
	    {"GET", "/api/v1", NULL, "other /api/v1"},
	    {"GET", "/apis/apps/v1", NULL, "other /apis/apps/v1"},
	    {"GET", "/", NULL, "other /"},
	    {"GET", "", NULL, "other "},
	    {"GET", "/other/v1/pods/a", NULL, "other /other/v1/pods/a"},
	    {"GET", "/api/v1/%zz", NULL, "bad"},
	    {"GET", "/api/v1/%4", NULL, "bad"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char what[256];

		snprintf(what, sizeof what, "%s %s?%s", cases[i].method,
		    cases[i].path,
		    cases[i].query == NULL ? "" : cases[i].query);
		is(parsed(cases[i].method, cases[i].path, cases[i].query),
		    cases[i].want, what);
	}
}

TEST(query)
{
	struct httpd_request h;
	struct request *r = ask(&h, "GET", "/api/v1/pods",
	    "a=1&b=x+y%26z&a=2&c&d=%zz&%65=f&g=;h&=i");
	struct span values[4];

	request_parse(r);
	ok(request_params(r, "a", values, 4) == 2, "both values");
	ok(span_is(values[0], "1") && span_is(values[1], "2"),
	    "... in their order");
	ok(span_is(request_param(r, "b"), "x y&z"), "escapes");
	ok(request_param(r, "c").p != NULL && request_param(r, "c").n == 0,
	    "a parameter without a value is there");
	ok(request_param(r, "d").p == NULL, "one that is broken is not");
	ok(span_is(request_param(r, "e"), "f"), "an escape in a name");
	ok(request_param(r, "g").p == NULL, "none with a semicolon");
	ok(request_param(r, "nothing").p == NULL, "none that is absent");
	request_free(r);
}

static const char *
accepted(const char *accept, enum verb verb)
{
	static char said[512];
	static const char *const names[] = {
	    "object", "table", "partial", "yaml"};
	struct httpd_header header = {span_str("accept"), span_str(accept)};
	struct resource pods = {.kind = span_str("Pod"),
	    .verbs = VERB_GET,
	    .list_kind = span_str("PodList"),
	    .plural = span_str("pods")};
	struct httpd_request h;
	struct request *r = ask(&h, "GET", "/api/v1/pods", NULL);
	struct problem *p;

	h.headers = &header;
	h.header_count = 1;
	r->verb = verb;
	r->resource = &pods;
	p = request_negotiate(r);
	if (p != NULL)
		snprintf(said, sizeof said, "%d %.*s", p->code,
		    SPAN_ARG(p->message));
	else
		snprintf(said, sizeof said, "%s%s%.*s", names[r->as],
		    r->as_version.n > 0 ? " " : "", SPAN_ARG(r->as_version));
	request_free(r);
	return said;
}

#define TABLE "application/json;as=Table;v=v1;g=meta.k8s.io"

TEST(accept)
{
	static const struct {
		const char *accept;
		enum verb verb;
		const char *want;
	} cases[] = {
	    {"application/json", REQUEST_GET, "object"},
	    {"*/*", REQUEST_GET, "object"},
	    {"application/yaml", REQUEST_GET, "yaml"},
	    {"application/yaml;q=0.5, application/json", REQUEST_GET, "object"},
	    {"application/json;q=0.2,application/yaml;q=0.9", REQUEST_GET,
		"yaml"},
	    {"text/html, */*;q=0.1", REQUEST_GET, "object"},
	    {"application/vnd.kubernetes.protobuf,application/json",
		REQUEST_GET, "object"},
	    {TABLE ", application/json", REQUEST_LIST, "table v1"},
	    {"application/json;as=Table;v=v2;g=meta.k8s.io,application/json",
		REQUEST_LIST, "object"},
	    {"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;"
	     "v=v1beta1",
		REQUEST_LIST, "partial v1beta1"},
	    {"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
		REQUEST_LIST,
		"406 you requested PartialObjectMetadata, but the requested "
		"object is a list (*core.PodList)"},
	    {"application/json;as=Other;g=meta.k8s.io;v=v1", REQUEST_GET,
		"406 only the following media types are accepted: "
		"application/json, application/yaml, "
		"application/vnd.kubernetes.protobuf"},
	    {"application/json;stream=watch", REQUEST_WATCH, "object"},
	    {"application/json;stream=other", REQUEST_WATCH,
		"406 only the following media types are accepted: "
		"application/json, application/yaml, "
		"application/vnd.kubernetes.protobuf"},
	    {"text/html", REQUEST_GET,
		"406 406: Not Acceptable\n\nAvailable representations: "
		"application/json, application/yaml, "
		"application/vnd.kubernetes.protobuf"},
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		is(accepted(cases[i].accept, cases[i].verb), cases[i].want,
		    cases[i].accept);
}

int
main(void)
{
	struct request *r;

	tap_run();
	while ((r = api.spare) != NULL) {
		api.spare = r->next_spare;
		arena_release(&r->arena);
		free(r);
	}
	return tap_done();
}
