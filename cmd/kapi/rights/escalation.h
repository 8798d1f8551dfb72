/*
 * escalation: who writes a role or binds one has all of its rights already, or
 * the right to "escalate" or "bind" it.
 * Source: pkg/registry/rbac/{escalation_check,KIND/policybased/storage}.go,
 * component-helpers/auth/rbac/validation.
 */
#ifndef ESCALATION_H
#define ESCALATION_H

#include "request/request.h"

/* Of r, which creates or updates an object of rbac.authorization.k8s.io. live
 * NULL: it is new. NULL, or a problem: 403, or 404 for the role of a
 * binding. */
struct problem *escalation_check(
    struct request *r, const struct node *live, const struct node *object);

#endif
