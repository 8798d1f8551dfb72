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
head_is_addressed(
    struct span target, const struct httpd_header *headers, size_t count)
{
	const char *at = NULL;
	struct span host = SPAN_NONE, named;
	unsigned hosts = 0;

	for (size_t i = 0; i < count; i++) {
		if (span_is(headers[i].name, "host")) {
			host = headers[i].value;
			hosts++;
		}
	}
	if (target.n > 0 && target.p[0] != '/')
		at = memmem(target.p, target.n, "://", 3);
	if (at == NULL)
		return hosts <= 1;
	named = span_skip(target, (size_t)(at + 3 - target.p));
	for (size_t i = 0; i < named.n; i++)
		if (strchr("/?#", named.p[i]) != NULL)
			named.n = i;
	return hosts == 1 && named.n == host.n &&
	    strncasecmp(named.p, host.p, host.n) == 0;
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
