/*
 * impersonate: a client that acts as another user, by the headers
 * Impersonate-User, -Group, -Uid and -Extra-KEY. With rights it needs the verb
 * "impersonate" for each of these; or the constrained one, to do just this
 * request as such a user.
 * Source: apiserver/pkg/endpoints/filters/impersonation.
 */
#ifndef IMPERSONATE_H
#define IMPERSONATE_H

#include "request/request.h"

/*
 * Replaces r->identity, which is known, and r->user, if the request says so.
 * NULL, or a problem: groups or more, and no user; or 403.
 */
struct problem *impersonate(struct request *r);

#endif
