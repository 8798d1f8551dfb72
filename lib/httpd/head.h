/*
 * head: checks of the head of an HTTP/1.1 request that the parser does not
 * make; and the names of statuses. For h1.c.
 *
 * If two servers split the same bytes in different ways, one request can hide
 * in another (RFC 9112, section 11.2). So input that is ambiguous is refused:
 * lines end with CRLF and are not folded, names are tokens, and one field alone
 * says how long the body is.
 */
#ifndef HEAD_H
#define HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "httpd/httpd.h"

struct head_lines {
	bool
	    begun; /* a request line was seen: empty lines before are skipped */
	size_t line; /* bytes of the line so far */
	char last;
};

/*
 * Takes the bytes of the head: *taken bytes of n, *whole if it ended there; the
 * state is then ready for the next head. False: it breaks a rule.
 */
bool head_lines(
    struct head_lines *l, const char *p, size_t n, size_t *taken, bool *whole);

/* A part of a name: nothing but characters of tokens. */
bool head_is_token(const char *p, size_t n);

/* Checks a line between chunks by the rule of head_lines; the line may have an
 * extension. *taken ends with the line, or is n. *last is '\0' at first. */
bool head_chunk_line(char *last, const char *p, size_t n, size_t *taken);

/*
 * "NAME[:PORT]" of a Host, or of a target. The port may be left out or empty
 * (RFC 3986, section 3.2.3), and NAME may end with a dot, which says that the
 * name is whole: "localhost." is localhost. False: the port is not a number.
 */
bool head_host(struct span host, struct span *name, struct span *port);

/* HOST of a target that names a server: "http://HOST/" (RFC 9112, section
 * 3.2.2); SPAN_NONE of others. */
struct span head_authority(struct span target);

/* At most one Host; and if target names a server, too, it is the same one. */
bool head_is_addressed(
    struct span target, const struct httpd_header *headers, size_t count);

/* At most one of Content-Length and Transfer-Encoding, once, and that is
 * "chunked". */
bool head_is_framed(const struct httpd_header *headers, size_t count);

/* "Not Found"; "Unknown" for codes that are not in RFC 9110 and its
 * extensions. */
const char *head_status(int status);

#endif
