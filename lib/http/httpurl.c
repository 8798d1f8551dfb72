#include "http/httpurl.h"

#include <string.h>

#include "base/span.h"

enum { PORT_MAX = 65535 };

/* Whether text has only letters, digits and these. */
static bool
is_of(struct span text, const char *others)
{
	for (size_t i = 0; i < text.n; i++)
		if (!span_is_alnum(text.p[i]) &&
		    !span_is_among(text.p[i], others))
			return false;
	return text.n > 0;
}

/* Absent (without its colon): fine. */
static bool
is_port(struct span text)
{
	uint64_t port;

	return text.p == NULL ||
	    (span_number(text, PORT_MAX, &port) && port > 0);
}

static bool
is_authority(struct span text)
{
	struct span host;

	if (!span_take(&text, "[")) {
		host = span_cut(&text, ':');
		return is_of(host, "-._") && is_port(text);
	}
	host = span_cut(&text, ']');
	if (text.p == NULL || !is_of(host, ":."))
		return false;
	if (text.n == 0)
		return true;
	return span_take(&text, ":") && is_port(text);
}

static bool
is_path(struct span text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] <= ' ' || text.p[i] > '~' ||
		    span_is_among(text.p[i], "?#\\\"<>"))
			return false;
	return true;
}

int
httpurl_check(const char *url, const char *example, struct err *err)
{
	struct span rest = span_str(url), authority;

	if (strchr(url, '@') != NULL)
		return err_set(err, ERR_PERMANENT,
		    "a URL with a name or password is not supported");
	if (span_take(&rest, "http://") || span_take(&rest, "https://")) {
		authority = span_cut(&rest, '/');
		if (is_authority(authority) && is_path(rest))
			return 0;
	}
	return err_set(
	    err, ERR_PERMANENT, "%s is not a URL like %s", url, example);
}
