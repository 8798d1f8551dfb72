/*
 * identity: who sends a request: by its certificate, a token of
 * --token-auth-file, or one of a service account.
 * Source: apiserver/pkg/authentication/request/{bearertoken,union}.
 */
#ifndef IDENTITY_H
#define IDENTITY_H

#include <stdbool.h>

#include "request/request.h"
#include "request/users.h"

struct identity {
	const struct user *user; /* NULL: nobody */
	struct node *audiences;	 /* those of the token and of the question */
	struct span error;	 /* why, as TokenReview says it */
};

/* audiences: for which the token should be; none: the server's. Borrows from
 * the arena. */
struct identity identity_of_token(const struct api *api, struct arena *a,
    struct span token, const struct span *audiences, size_t n);

/* Whether every client is the administrator: there is no token file and no
 * authority for certificates. */
bool identity_is_free(const struct api *api);
/* Sets r->identity, and r->user if it is somebody. False: answer 401. */
bool identity_find(struct request *r);

#endif
