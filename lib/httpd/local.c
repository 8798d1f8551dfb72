#include "httpd/local.h"

#include <arpa/inet.h>
#include <string.h>

static bool
is_loopback(struct span host)
{
	char text[INET_ADDRSTRLEN];
	struct in_addr a;

	if (span_is_caseless(host, "localhost") || span_is(host, "[::1]"))
		return true;
	if (host.n >= sizeof(text))
		return false;
	memcpy(text, host.p, host.n);
	text[host.n] = '\0';
	return inet_pton(AF_INET, text, &a) == 1 &&
	    ntohl(a.s_addr) >> 24 == 127;
}

bool
local_is_host(struct span host)
{
	const char *colon = span_find_last(host, ':');

	if (colon != NULL && !span_ends(host, "]")) {
		struct span port =
		    span_skip(host, (size_t)(colon + 1 - host.p));

		if (!span_is_digits(port))
			return false;
		host.n = (size_t)(colon - host.p);
	}
	return host.n > 0 && is_loopback(host);
}

bool
local_is_address(const char *address)
{
	return strchr(address, ':') != NULL && local_is_host(span_str(address));
}
