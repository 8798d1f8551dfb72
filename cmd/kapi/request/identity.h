/*
 * identity: who sends a request: by its certificate, a token of
 * --token-auth-file, or one of a service account.
 * Source: apiserver/pkg/authentication/request/{bearertoken,union}.
 */
#ifndef IDENTITY_H
#define IDENTITY_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/span.h"
#include "httpd/httpd.h"
#include "request/request.h"
#include "request/users.h"

struct identity {
	const struct user *user; /* NULL: no user */
	struct node *audiences;	 /* both the token's and the question's */
	struct span error;	 /* the reason, for a TokenReview */
};

/* The user of a token, which must be for one of the audiences (none given: the
 * server's). Borrows from the arena. */
struct identity identity_of_token(const struct api *api, struct arena *a,
    struct span token, const struct span *audiences, size_t n);

/* Whether every client is the administrator: there is no token file and no
 * authority for certificates. */
bool identity_is_free(const struct api *api);
/* Sets r->identity, and r->user if the client is known. False: answer 401. */
bool identity_find(struct request *r);

/* Sources: request/bearertoken and request/websocket of
 * k8s.io/apiserver/pkg/authentication. */

/* The token in a value of Authorization, which ends at a blank; none: it has
 * none, or is of another scheme. */
struct span identity_bearer(struct span authorization);

/*
 * Browsers cannot send Authorization with a WebSocket: the token is one of the
 * protocols, base64url.bearer.authorization.k8s.io.TOKEN, beside another one.
 * others: the protocols without the token, for the handshake. -1: there is more
 * than one token, or it is not base64url of UTF-8, or there is no other
 * protocol. Without a token, or with an empty one, the token is absent.
 */
struct identity_protocols {
	struct span token, others;
};
int identity_protocols(struct identity_protocols *b, struct arena *a,
    const struct httpd_request *r);

#endif
