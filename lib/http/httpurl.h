/*
 * httpurl: whether a text from an option is a URL to which paths can be added:
 *
 *	http[s]://HOST[:PORT][/PATH]
 *
 * HOST is a name, an IPv4 address, or an IPv6 address in brackets. A name and
 * password, a query and a fragment are errors: logs have the URL.
 */
#ifndef HTTPURL_H
#define HTTPURL_H

#include "base/err.h"

/* -1 with err: the text is not such a URL. example: what it should look
 * like. */
int httpurl_check(const char *url, const char *example, struct err *err);

#endif
