/*
 * bearer: the token that a request carries. Sources: request/bearertoken and
 * request/websocket of k8s.io/apiserver/pkg/authentication.
 */
#ifndef BEARER_H
#define BEARER_H

#include "base/arena.h"
#include "base/span.h"
#include "httpd/httpd.h"

/* The token in a value of Authorization, which ends at a blank; none: it has
 * none, or is of another scheme. */
struct span bearer_token(struct span authorization);

/*
 * Browsers cannot send Authorization with a WebSocket: the token is one of the
 * protocols, base64url.bearer.authorization.k8s.io.TOKEN, beside another one.
 * others are the protocols without it, for the handshake. -1: there is more
 * than one token, or it is not base64url of UTF-8, or there is no other
 * protocol. The token is absent if no protocol has one that is longer than nothing.
 */
struct bearer_protocols {
	struct span token, others;
};
int bearer_protocols(
    struct bearer_protocols *b, struct arena *a, const struct httpd_request *r);

#endif
