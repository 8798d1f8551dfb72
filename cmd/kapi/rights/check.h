/*
 * check: whether a request may be served.
 * Source: apiserver/pkg/endpoints/filters/authorization.go, request/
 * requestinfo.go and handlers/responsewriters/errors.go.
 */
#ifndef CHECK_H
#define CHECK_H

#include "request/request.h"
#include "rights/rights.h"

/* What r->identity wants; parts are in the arena. */
struct action check_action(struct request *r);
/* NULL, or 403. */
struct problem *check_request(struct request *r);
/* 403, as the server words it; reason may be "". */
struct problem *check_forbidden(
    struct arena *a, const struct action *what, struct span reason);

#endif
