/*
 * head: what the head of an HTTP/1.1 request must look like, whatever
 * the parser lets pass; and how a status is called. For httpd_h1.
 *
 * A request that two readers cut differently lets one request hide in another
 * (RFC 9112, section 11.2). So nothing is read here that another might read in
 * another way: lines end with CRLF and are not folded, names are tokens, and
 * one field alone says how long the body is.
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
 * Takes what belongs to the head: *taken bytes of n, *whole if it ended there;
 * it is then as new, for the next head. False: there is what must not be.
 */
bool head_lines(
    struct head_lines *l, const char *p, size_t n, size_t *taken, bool *whole);

/* A part of a name: nothing but characters of tokens. */
bool head_is_token(const char *p, size_t n);

/* At most one of Content-Length and Transfer-Encoding, once, and that is
 * "chunked". */
bool head_is_framed(const struct httpd_header *headers, size_t count);

/* "Not Found"; "Unknown" of what RFC 9110 and its like do not have. */
const char *head_status(int status);

#endif
