#include "httpd/head.h"

#include <string.h>
#include <strings.h>

#include "base/array.h"

bool
head_lines(
    struct head_lines *l, const char *p, size_t n, size_t *taken, bool *whole)
{
	*whole = false;
	for (size_t i = 0; i < n; i++) {
		bool folded =
		    l->begun && l->line == 0 && (p[i] == ' ' || p[i] == '\t');

		if ((p[i] == '\n') != (l->last == '\r') || folded)
			return false;
		l->last = p[i];
		if (p[i] != '\n') {
			l->line++;
		} else if (l->line > 1) { /* the CR is one */
			l->begun = true;
			l->line = 0;
		} else if (l->begun) {
			*l = (struct head_lines){0};
			*taken = i + 1;
			*whole = true;
			return true;
		} else {
			l->line = 0;
		}
	}
	*taken = n;
	return true;
}

bool
head_chunk_line(char *last, const char *p, size_t n, size_t *taken)
{
	size_t i = 0;
	bool ended = false;

	while (i < n && !ended) {
		ended = p[i] == '\n';
		if (ended != (*last == '\r'))
			return false;
		*last = ended ? '\0' : p[i];
		i++;
	}
	*taken = i;
	return true;
}

bool
head_host(struct span host, struct span *name, struct span *port)
{
	const char *colon = span_find_last(host, ':');

	*name = host;
	*port = SPAN_NONE;
	if (colon != NULL && !span_ends(host, "]")) {
		name->n = (size_t)(colon - host.p);
		*port = span_skip(host, name->n + 1);
		if (port->n > 0 && !span_is_digits(*port))
			return false;
	}
	name->n -= span_ends(*name, ".");
	return true;
}

struct span
head_authority(struct span target)
{
	const char *at = NULL;
	struct span named;

	if (target.n > 0 && target.p[0] != '/')
		at = memmem(target.p, target.n, "://", 3);
	if (at == NULL)
		return SPAN_NONE;
	named = span_skip(target, (size_t)(at + 3 - target.p));
	for (size_t i = 0; i < named.n; i++)
		if (strchr("/?#", named.p[i]) != NULL)
			named.n = i;
	return named;
}

static bool
is_same_host(struct span a, struct span b, struct span standard)
{
	struct span name_a, name_b, port_a, port_b;

	if (!head_host(a, &name_a, &port_a) || !head_host(b, &name_b, &port_b))
		return false;
	return name_a.n == name_b.n &&
	    strncasecmp(name_a.p, name_b.p, name_a.n) == 0 &&
	    span_eq(port_a.n > 0 ? port_a : standard,
		port_b.n > 0 ? port_b : standard);
}

/* The port that URLs with the scheme of the target need not have. */
static struct span
standard_port(struct span target)
{
	return span_str(
	    span_is_caseless(span_cut(&target, ':'), "https") ? "443" : "80");
}

bool
head_is_addressed(
    struct span target, const struct httpd_header *headers, size_t count)
{
	struct span host = SPAN_NONE, named = head_authority(target);
	unsigned hosts = 0;

	for (size_t i = 0; i < count; i++) {
		if (span_is(headers[i].name, "host")) {
			host = headers[i].value;
			hosts++;
		}
	}
	return hosts <= 1 &&
	    (named.p == NULL || hosts == 0 ||
		is_same_host(named, host, standard_port(target)));
}

bool
head_is_token(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c <= ' ' || c >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", c))
			return false;
	}
	return true;
}

bool
head_is_framed(const struct httpd_header *headers, size_t count)
{
	unsigned framed = 0;

	for (size_t i = 0; i < count; i++) {
		struct span value = headers[i].value;

		if (span_is(headers[i].name, "content-length")) {
			framed++;
		} else if (span_is(headers[i].name, "transfer-encoding")) {
			framed++;
			if (value.n != 7 ||
			    strncasecmp(value.p, "chunked", 7) != 0)
				return false;
		}
	}
	return framed <= 1;
}

static const struct {
	int status;
	const char *text;
} texts[] = {{100, "Continue"}, {101, "Switching Protocols"}, {200, "OK"},
    {201, "Created"}, {202, "Accepted"}, {204, "No Content"},
    {206, "Partial Content"}, {301, "Moved Permanently"}, {302, "Found"},
    {303, "See Other"}, {304, "Not Modified"}, {307, "Temporary Redirect"},
    {308, "Permanent Redirect"}, {400, "Bad Request"}, {401, "Unauthorized"},
    {403, "Forbidden"}, {404, "Not Found"}, {405, "Method Not Allowed"},
    {406, "Not Acceptable"}, {408, "Request Timeout"}, {409, "Conflict"},
    {410, "Gone"}, {411, "Length Required"}, {412, "Precondition Failed"},
    {413, "Payload Too Large"}, {414, "URI Too Long"},
    {415, "Unsupported Media Type"}, {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"}, {422, "Unprocessable Entity"},
    {426, "Upgrade Required"}, {428, "Precondition Required"},
    {429, "Too Many Requests"}, {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"}, {501, "Not Implemented"},
    {502, "Bad Gateway"}, {503, "Service Unavailable"},
    {504, "Gateway Timeout"}, {505, "HTTP Version Not Supported"}};

const char *
head_status(int status)
{
	for (size_t i = 0; i < COUNT(texts); i++)
		if (texts[i].status == status)
			return texts[i].text;
	return "Unknown";
}
