#include "httpd/local.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "httpd/head.h"

static bool
is_loopback4(const char *text)
{
	struct in_addr a;

	return inet_pton(AF_INET, text, &a) == 1 &&
	    ntohl(a.s_addr) >> 24 == 127;
}

static bool
is_loopback6(const char *text)
{
	struct in6_addr a;

	return inet_pton(AF_INET6, text, &a) == 1 &&
	    (IN6_IS_ADDR_LOOPBACK(&a) ||
		(IN6_IS_ADDR_V4MAPPED(&a) && a.s6_addr[12] == 127));
}

static bool
is_loopback(struct span host)
{
	bool bracket = span_take(&host, "[");
	char text[INET6_ADDRSTRLEN];

	if (!bracket && span_is_caseless(host, "localhost"))
		return true;
	if (bracket && !span_ends(host, "]"))
		return false;
	host.n -= bracket;
	if (host.n >= sizeof(text))
		return false;
	memcpy(text, host.p, host.n);
	text[host.n] = '\0';
	return bracket ? is_loopback6(text) : is_loopback4(text);
}

bool
local_is_host(struct span host)
{
	struct span name, port;

	return head_host(host, &name, &port) && name.n > 0 && is_loopback(name);
}

bool
local_is_address(const char *address)
{
	return strchr(address, ':') != NULL && local_is_host(span_str(address));
}

/* ---- requests ---- */

/* name is without brackets, as of an address of version 6. */
static bool
is_named(struct span host, struct span name)
{
	struct span port;

	name.n -= span_ends(name, ".");
	if (name.n == 0 || !head_host(host, &host, &port))
		return false;
	if (span_take(&host, "["))
		host.n -= span_ends(host, "]");
	return host.n == name.n && strncasecmp(host.p, name.p, name.n) == 0;
}

static bool
is_meant(struct span host, struct span name)
{
	return local_is_host(host) || is_named(host, name);
}

/* "http://HOST:PORT"; clients other than browsers put "/" behind it. */
static bool
is_local_origin(struct span origin, struct span name)
{
	const char *colon = span_find(origin, ':');
	struct span scheme = origin;

	if (colon == NULL)
		return false;
	scheme.n = (size_t)(colon - origin.p);
	origin = span_skip(origin, scheme.n);
	return (span_is_caseless(scheme, "http") ||
		   span_is_caseless(scheme, "https")) &&
	    span_take(&origin, "://") && is_meant(span_cut(&origin, '/'), name);
}

static enum local_verdict
judge_host(
    const struct httpd_request *r, struct span name, struct span *culprit)
{
	for (size_t i = 0; i < r->header_count; i++) {
		struct span host = r->headers[i].value;

		if (!span_is(r->headers[i].name, "host") || host.n == 0 ||
		    is_meant(host, name))
			continue;
		*culprit = host;
		return LOCAL_OTHER_HOST;
	}
	return LOCAL_MEANT;
}

static enum local_verdict
judge_page(
    const struct httpd_request *r, struct span name, struct span *culprit)
{
	struct span site = SPAN_NONE;
	bool has_origin = false;

	for (size_t i = 0; i < r->header_count; i++) {
		struct span value = r->headers[i].value;

		if (span_is(r->headers[i].name, "origin")) {
			has_origin = true;
			*culprit = value;
			if (!is_local_origin(value, name))
				return LOCAL_OTHER_PAGE;
		} else if (span_is(r->headers[i].name, "sec-fetch-site") &&
		    span_is_caseless(value, "cross-site")) {
			site = value;
		}
	}
	/* To a browser localhost and 127.0.0.1 are two sites: where it says
	 * which page it is, that counts. */
	*culprit = has_origin ? SPAN_NONE : site;
	return !has_origin && site.p != NULL ? LOCAL_OTHER_PAGE : LOCAL_MEANT;
}

enum local_verdict
local_judge(
    const struct httpd_request *r, struct span name, struct span *culprit)
{
	enum local_verdict v;

	*culprit = SPAN_NONE;
	v = judge_host(r, name, culprit);
	return v != LOCAL_MEANT ? v : judge_page(r, name, culprit);
}
