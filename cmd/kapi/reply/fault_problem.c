/* Part of reply/fault.h: the error that a fault answers with. */
#include "reply/fault.h"

#include "base/array.h"
#include "request/request.h"

static const struct usual {
	int code;
	const char *reason, *message;
} usual[] = {
    {400, "BadRequest", "a fault of the plan"},
    {401, "Unauthorized", "Unauthorized"},
    {403, "Forbidden", "forbidden: a fault of the plan"},
    {404, "NotFound", "the server could not find the requested resource"},
    {405, "MethodNotAllowed",
	"the server does not allow this method on the requested resource"},
    {408, "Timeout", "a fault of the plan"},
    {409, "Conflict",
	"Operation cannot be fulfilled: the object has been modified; please "
	"apply your changes to the latest version and try again"},
    {410, "Expired", "too old resource version: a fault of the plan"},
    {413, "RequestEntityTooLarge",
	"Request entity too large: a fault of the plan"},
    {422, "Invalid", "a fault of the plan"},
    {429, "TooManyRequests", "Too many requests, please try again later."},
    {500, "InternalError", "Internal error occurred: a fault of the plan"},
    {503, "ServiceUnavailable",
	"the server is currently unable to handle the request"},
    {504, "Timeout",
	"Timeout: request did not complete within the allotted timeout"},
};

/* 409 and 404 of an object, as the API server words them. */
static struct problem *
of_object(struct request *r, const struct fault *f)
{
	if (r->resource == NULL)
		return NULL;
	if (f->code == 409 &&
	    (r->verb == REQUEST_CREATE || span_is(f->reason, "AlreadyExists")))
		return problem_already_exists(&r->arena, r->resource, r->name);
	if (f->code == 409)
		return problem_conflict(&r->arena, r->resource, r->name,
		    "the object has been modified; please apply your changes "
		    "to the latest version and try again");
	if (f->code == 404)
		return problem_not_found(&r->arena, r->resource, r->name);
	return NULL;
}

struct problem *
fault_problem(struct request *r, const struct fault *f)
{
	struct problem *p = of_object(r, f);

	for (size_t i = 0; p == NULL && i < COUNT(usual); i++)
		if (usual[i].code == f->code)
			p = problem_make(&r->arena, f->code, usual[i].reason,
			    "%s", usual[i].message);
	if (p == NULL)
		p = problem_make(&r->arena, f->code,
		    f->code < 500 ? "BadRequest" : "InternalError",
		    "a fault of the plan");
	if (f->reason.p != NULL)
		p->reason = f->reason;
	if (f->message.p != NULL)
		p->message = f->message;
	p->retry_after = (long)f->retry_after;
	return p;
}
