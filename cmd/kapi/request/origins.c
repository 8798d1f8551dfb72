#include "request/origins.h"

#include <stdlib.h>

#include "base/mem.h"
#include "httpd/local.h"
#include "request/identity.h"
#include "text/gotext.h"
#include "text/pattern.h"

enum { SHOWN_MAX = 200 };

static const char *allowed = NULL;

const struct opt origins_opt_table[] = {
    {0, "cors-allowed-origins", "REGEX,...", OPT_STRING, &allowed, NULL,
	"web pages that may ask: '^http://localhost:3000$' (none)"},
    OPT_END,
};

struct origins {
	struct arena arena;
	struct pattern **patterns;
	size_t n;
};

/* An expression that is not bound to both ends of the host lets another site
 * in: CVE-2022-1996. kube-apiserver takes the colon of "http:" for an end. */
static bool
is_bound(struct span text)
{
	const char *host = NULL;

	for (size_t i = 0; i + 1 < text.n; i++)
		if (text.p[i] == '/' && text.p[i + 1] == '/')
			host = text.p + i;
	if (host == NULL && !span_has(text, "^"))
		return false;
	if (host != NULL)
		text = span_skip(text, (size_t)(host - text.p));
	return span_has(text, "$") || span_has(text, ":");
}

static int
check(struct arena *a, struct span text, struct err *err)
{
	static const char option[] = "option --cors-allowed-origins";
	struct span wrong;

	if (text.n == 0)
		return err_set(
		    err, ERR_PERMANENT, "%s: an expression is empty", option);
	wrong = pattern_error(a, text);
	if (wrong.n > 0)
		return err_set(
		    err, ERR_PERMANENT, "%s: %.*s", option, SPAN_ARG(wrong));
	if (!is_bound(text))
		return err_set(err, ERR_PERMANENT,
		    "%s: \"%.*s\" has to name the start of the host, by ^ or "
		    "//, and its end, by $ or (:|$)",
		    option, SPAN_ARG(text));
	return 0;
}

struct origins *
origins_new(struct err *err)
{
	struct origins *o = mem_zalloc(sizeof(*o));
	struct span rest = span_str(allowed);

	while (rest.p != NULL) {
		struct span text = span_cut(&rest, ',');

		if (check(&o->arena, text, err) != 0) {
			origins_free(o);
			return NULL;
		}
		o->patterns = arena_more(
		    &o->arena, o->patterns, o->n, sizeof(struct pattern *));
		o->patterns[o->n++] = pattern_make(&o->arena, text);
	}
	return o;
}

void
origins_free(struct origins *o)
{
	if (o == NULL)
		return;
	arena_release(&o->arena);
	free(o);
}

/* The origin of the request, if the option names it. */
static struct span
allowed_origin(const struct request *r)
{
	const struct origins *o = r->api->origins;
	struct span origin = httpd_header(r->http, "origin");

	for (size_t i = 0; origin.n > 0 && o != NULL && i < o->n; i++)
		if (pattern_matches(o->patterns[i], origin))
			return origin;
	return SPAN_NONE;
}

static struct problem *
refuse(struct request *r, const char *what, struct span culprit,
    const char *remedy)
{
	if (culprit.n > SHOWN_MAX)
		culprit.n = SHOWN_MAX;
	return problem_make(&r->arena, 403, "Forbidden",
	    "%s (%.*s), and kapi without credentials is for this machine "
	    "only: %s",
	    what, SPAN_ARG(gotext_quote(&r->arena, culprit)), remedy);
}

struct problem *
origins_check(struct request *r)
{
	struct span culprit;

	if (!identity_is_free(r->api))
		return NULL;
	switch (local_judge(r->http, r->api->host, &culprit)) {
	case LOCAL_MEANT:
		break;
	case LOCAL_OTHER_HOST:
		return refuse(r, "the Host of the request is another one",
		    culprit, "use localhost, 127.0.0.1 or [::1]");
	case LOCAL_OTHER_PAGE:
		if (allowed_origin(r).n > 0)
			break;
		return refuse(r, "a web page of another site sent the request",
		    culprit, "--cors-allowed-origins names pages that may ask");
	}
	return NULL;
}

bool
origins_is_preflight(const struct request *r)
{
	return span_is(r->http->method, "OPTIONS") && allowed_origin(r).n > 0;
}

size_t
origins_headers(const struct request *r, struct httpd_header *headers)
{
	const struct httpd_header all[ORIGINS_HEADERS] = {
	    {span_str("access-control-allow-origin"), allowed_origin(r)},
	    {span_str("access-control-allow-methods"),
		span_str("POST, GET, OPTIONS, PUT, DELETE, PATCH")},
	    {span_str("access-control-allow-headers"),
		span_str("Content-Type, Content-Length, Accept-Encoding, "
			 "X-CSRF-Token, Authorization, X-Requested-With, "
			 "If-Modified-Since")},
	    {span_str("access-control-expose-headers"), span_str("Date")},
	    {span_str("access-control-allow-credentials"), span_str("true")}};

	if (all[0].value.n == 0)
		return 0;
	for (size_t i = 0; i < ORIGINS_HEADERS; i++)
		headers[i] = all[i];
	return ORIGINS_HEADERS;
}
