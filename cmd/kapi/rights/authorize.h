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
/* The same for what a PUT or an apply would create: it needs both rights. */
struct problem *authorize_create(struct request *r);
/* The same for exec, attach and portforward of a Pod, whatever their method: a
 * GET opens a WebSocket. Source: pkg/registry/core/pod/rest/authorize.go. */
struct problem *authorize_connect(struct request *r);
/* 403, as the server words it; reason may be "". */
struct problem *authorize_forbidden(
    struct arena *a, const struct action *what, struct span reason);

/*
 * Who writes a role or binds one has all of its rights already, or
 * the right to "escalate" or "bind" it.
 * Source: pkg/registry/rbac/{escalation_check,KIND/policybased/storage}.go,
 * component-helpers/auth/rbac/validation.
 */
/* Of r, which creates or updates an object of rbac.authorization.k8s.io. live
 * NULL: it is new. NULL, or a problem: 403, or 404 for the role of a
 * binding. */
struct problem *authorize_escalation(
    struct request *r, const struct node *live, const struct node *object);

#endif
