/*
 * visitor: a request to a page that is not for this machine alone. It is
 * answered if its user has the right (access/review.h). The token comes as a
 * bearer token, or as the password of basic authentication (RFC 7617), with any
 * name: that is what a browser can ask its user for.
 */
#ifndef VISITOR_H
#define VISITOR_H

#include <stdbool.h>

#include "access/review.h"
#include "httpd/httpd.h"

/* The user may: the exchange is to be answered. last_id is valid during the
 * call. */
typedef void visitor_fn(
    void *arg, struct exchange *x, bool events, struct span last_id);

/* Who may not is answered here. */
void visitor_ask(struct review *review, struct exchange *x,
    const struct httpd_request *r, bool events, visitor_fn *fn, void *arg);

#endif
