/*
 * authorize: whether a request may be served.
 * Source: apiserver/pkg/endpoints/filters/authorization.go, handlers/update.go
 * (withAuthorization), request/
 * requestinfo.go and handlers/responsewriters/errors.go.
 */
#ifndef AUTHORIZE_H
#define AUTHORIZE_H

#include "request/request.h"
#include "rights/rights.h"

/* The action that r->identity wants; parts are in the arena. */
struct action authorize_action(struct request *r);
/* NULL, or 403. */
struct problem *authorize_request(struct request *r);
/* Like authorize_request, for the right to create: a PUT or an apply that would
 * create the object needs both. */
struct problem *authorize_create(struct request *r);
/* Like authorize_create, for exec, attach and portforward of a Pod: a GET opens
 * a WebSocket, and needs the right as well. Source:
 * pkg/registry/core/pod/rest/authorize.go. */
struct problem *authorize_connect(struct request *r);
/* 403, as the server words it; reason may be "". */
struct problem *authorize_forbidden(
    struct arena *a, const struct action *what, struct span reason);

/*
 * A client that writes or binds a role must have all rights of the role, or
 * the right to "escalate" or "bind" it. r creates (live is NULL) or updates an
 * object of rbac.authorization.k8s.io. NULL, or a problem: 403, or 404 for the
 * role of a binding.
 * Source: pkg/registry/rbac/{escalation_check,KIND/policybased/storage}.go,
 * component-helpers/auth/rbac/validation.
 */
struct problem *authorize_escalation(
    struct request *r, const struct node *live, const struct node *object);

/*
 * impersonate.c: a client that acts as another user, by the headers
 * Impersonate-User, -Group, -Uid and -Extra-KEY. With rights it needs the verb
 * "impersonate" for each of these; or the constrained one, to do just this
 * request as such a user. Replaces r->identity, which is known, and r->user, if
 * the request says so. NULL, or a problem: groups or more, and no user; or 403.
 * Source: apiserver/pkg/endpoints/filters/impersonation.
 */
struct problem *impersonate(struct request *r);

#endif
