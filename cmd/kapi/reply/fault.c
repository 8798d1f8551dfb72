#include "reply/fault.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/array.h"
#include "request/request.h"
#include "tree/tree.h"

static const char *const kinds[] = {[FAULT_DELAY] = "delay",
    [FAULT_CODE] = "code",
    [FAULT_CUT] = "cut",
    [FAULT_FREEZE] = "freeze",
    [FAULT_GOAWAY] = "goaway",
    [FAULT_STALE] = "stale",
    [FAULT_COMPACT] = "compact",
    [FAULT_HOLD] = "hold",
    [FAULT_DUPLICATE] = "duplicate",
    [FAULT_END] = "end",
    [FAULT_MUTATE] = "mutate"};
enum { KINDS = COUNT(kinds) };

enum member_type { M_TEXT, M_NUMBER, M_FLAG, M_KIND, M_OBJECT };

#define M(name, type, field)                              \
	{                                                 \
		name, type, offsetof(struct fault, field) \
	}

static const struct known {
	const char *name;
	enum member_type type;
	size_t offset;
} members[] = {
    /* Of a line of a plan only: up to FIRST_EFFECT. */
    M("verb", M_TEXT, verb),
    M("group", M_TEXT, group),
    M("resource", M_TEXT, resource),
    M("subresource", M_TEXT, subresource),
    M("namespace", M_TEXT, namespace_),
    M("name", M_TEXT, name),
    M("path", M_TEXT, path),
    M("query", M_TEXT, query),
    M("user", M_TEXT, user),
    M("userAgent", M_TEXT, user_agent),
    M("fieldManager", M_TEXT, field_manager),
    M("nth", M_NUMBER, nth),
    M("count", M_NUMBER, count),
    M("forMs", M_NUMBER, for_ms),
    M("pause", M_FLAG, pause),
    M("fault", M_KIND, kind),
    M("code", M_NUMBER, code),
    M("reason", M_TEXT, reason),
    M("message", M_TEXT, message),
    M("retryAfter", M_NUMBER, retry_after),
    M("after", M_FLAG, after),
    M("delayMs", M_NUMBER, delay_ms),
    M("event", M_NUMBER, event),
    M("versions", M_NUMBER, versions),
    M("bytes", M_NUMBER, bytes),
    M("patch", M_OBJECT, patch),
    /* Of what a request goes on with only. */
    M("paused", M_NUMBER, paused),
};
enum { MEMBERS = COUNT(members), FIRST_EFFECT = 15, PAUSED = MEMBERS - 1 };

static const struct known *
find_member(enum fault_parse as, struct span key)
{
	size_t first = as == FAULT_PARSE_LINE ? 0 : FIRST_EFFECT;
	size_t end = as == FAULT_PARSE_LINE ? PAUSED : MEMBERS;

	for (size_t i = first; i < end; i++)
		if (span_is(key, members[i].name))
			return &members[i];
	return NULL;
}

static int
set_kind(struct fault *f, struct span text, struct err *err)
{
	for (int i = 0; i < KINDS; i++)
		if (span_is(text, kinds[i]) && i != FAULT_CODE) {
			f->kind = (enum fault_kind)i;
			return 0;
		}
	return err_set(err, ERR_PERMANENT,
	    "member \"fault\": want cut, freeze, goaway, stale, compact, "
	    "hold, duplicate, end, mutate or delay");
}

static int
set_member(struct fault *f, const struct known *k, const struct node *value,
    struct err *err)
{
	char *to = (char *)f + k->offset;
	int64_t n;

	switch (k->type) {
	case M_KIND:
		return set_kind(f, tree_text(value), err);
	case M_TEXT:
		if (!tree_is(value, NODE_STRING))
			break;
		*(struct span *)(void *)to = tree_text(value);
		return 0;
	case M_FLAG:
		if (!tree_is(value, NODE_TRUE) && !tree_is(value, NODE_FALSE))
			break;
		*(bool *)(void *)to = tree_true(value);
		return 0;
	case M_OBJECT:
		if (!tree_is(value, NODE_OBJECT))
			break;
		*(const struct node **)(void *)to = value;
		return 0;
	case M_NUMBER:
		if (!tree_get_int(value, &n) || n < 0 || n > INT32_MAX)
			break;
		if (k->offset == offsetof(struct fault, code))
			f->code = (int)n;
		else
			*(uint64_t *)(void *)to = (uint64_t)n;
		return 0;
	}
	return err_set(err, ERR_PERMANENT, "member \"%s\": want %s", k->name,
	    k->type == M_TEXT	      ? "a string"
		: k->type == M_FLAG   ? "true or false"
		: k->type == M_OBJECT ? "an object"
				      : "a number from 0");
}

/* A plan that cannot come true is a mistake. */
static int
check_verb(const struct fault *f, struct err *err)
{
	for (int v = REQUEST_GET; v < REQUEST_OTHER; v++)
		if (f->verb.p == NULL ||
		    fault_glob(
			f->verb, span_str(request_verb_name((enum verb)v))))
			return 0;
	return err_set(err, ERR_PERMANENT,
	    "member \"verb\": no verb matches \"%.*s\"", SPAN_ARG(f->verb));
}

static int
check_code(struct fault *f, bool has_kind, struct err *err)
{
	if (has_kind)
		return err_set(err, ERR_PERMANENT,
		    "members \"code\" and \"fault\": want one of them");
	f->kind = FAULT_CODE;
	if (f->code < 400 || f->code > 599)
		return err_set(
		    err, ERR_PERMANENT, "member \"code\": want 400 to 599");
	if (f->code == 429 && f->retry_after == 0)
		f->retry_after = 1;
	return 0;
}

static int
check_event(struct fault *f, struct err *err)
{
	if (f->kind == FAULT_HOLD || f->kind == FAULT_DUPLICATE ||
	    f->kind == FAULT_END) {
		if (f->event == 0)
			f->event = 1;
	} else if (f->event != 0 && f->kind != FAULT_CODE &&
	    f->kind != FAULT_CUT)
		return err_set(err, ERR_PERMANENT,
		    "member \"event\": only with hold, duplicate, cut, end "
		    "or code");
	if (f->event != 0 && f->after)
		return err_set(err, ERR_PERMANENT,
		    "members \"event\" and \"after\": want one of them");
	if (f->event != 0 && f->pause)
		return err_set(err, ERR_PERMANENT,
		    "members \"event\" and \"pause\": want one of them");
	if (f->event != 0 && f->verb.p == NULL)
		f->verb = span_str("watch");
	return 0;
}

/* Checks the members against each other. */
static int
check(struct fault *f, bool has_kind, struct err *err)
{
	if (f->code != 0 && check_code(f, has_kind, err) != 0)
		return -1;
	if (check_event(f, err) != 0)
		return -1;
	if (f->bytes > 0 && f->kind != FAULT_CUT)
		return err_set(
		    err, ERR_PERMANENT, "member \"bytes\": only with cut");
	/* There is an answer only when the work is done. */
	if (f->bytes > 0 && f->event == 0)
		f->after = true;
	if (f->after && f->kind != FAULT_CODE && f->kind != FAULT_CUT &&
	    f->kind != FAULT_FREEZE && (f->kind != FAULT_DELAY || !f->pause))
		return err_set(err, ERR_PERMANENT,
		    "member \"after\": only with code, cut, freeze or pause");
	if ((f->patch != NULL) != (f->kind == FAULT_MUTATE))
		return err_set(err, ERR_PERMANENT,
		    "member \"patch\": with mutate, and only there");
	if (f->kind == FAULT_STALE && f->versions == 0)
		f->versions = 1;
	return 0;
}

/* Checks what only a line of a plan has. */
static int
check_line(struct fault *f, bool has_kind, struct err *err)
{
	if (f->code == 0 && !has_kind && f->delay_ms == 0 && !f->pause)
		return err_set(err, ERR_PERMANENT,
		    "no member \"fault\", \"code\", \"pause\" or \"delayMs\"");
	if (f->count != UINT64_MAX && f->for_ms > 0)
		return err_set(err, ERR_PERMANENT,
		    "members \"count\" and \"forMs\": want one of them");
	if (f->count == UINT64_MAX)
		f->count = f->for_ms > 0 ? 0 : 1;
	return check_verb(f, err);
}

int
fault_parse(struct arena *a, enum fault_parse as, struct span line,
    struct fault *f, struct err *err)
{
	struct tree_limits limits = {100, false};
	struct node *n;
	bool has_kind = false;

	*f = (struct fault){.count = UINT64_MAX, .paused = UINT64_MAX};
	n = tree_parse(a, arena_span(a, line), limits, NULL, err);
	if (n == NULL)
		return -1;
	if (!tree_is(n, NODE_OBJECT))
		return err_set(err, ERR_PERMANENT, "want an object");
	for (uint32_t i = 0; i < n->n; i++) {
		const struct known *k = find_member(as, n->members[i].key);

		if (k == NULL)
			return err_set(err, ERR_PERMANENT,
			    "unknown member \"%.*s\"",
			    SPAN_ARG(n->members[i].key));
		if (set_member(f, k, n->members[i].value, err) != 0)
			return -1;
		has_kind = has_kind || k->type == M_KIND;
	}
	if (check(f, has_kind, err) != 0)
		return -1;
	if (as == FAULT_PARSE_LINE)
		return check_line(f, has_kind, err);
	if (f->paused == UINT64_MAX)
		return err_set(err, ERR_PERMANENT, "no member \"paused\"");
	return 0;
}

struct fault *
fault_copy(struct arena *a, const struct fault *f)
{
	struct fault *copy = arena_alloc(a, sizeof(*copy));

	*copy = *f;
	if (f->reason.p != NULL)
		copy->reason = arena_span(a, f->reason);
	if (f->message.p != NULL)
		copy->message = arena_span(a, f->message);
	if (f->patch != NULL)
		copy->patch = tree_clone(a, f->patch);
	return copy;
}

const char *
fault_name(struct arena *a, const struct fault *f)
{
	const char *when = f->after ? " after" : "";

	if (f->kind == FAULT_CODE)
		return arena_printf(a, "%d%s", f->code, when).p;
	if (f->kind == FAULT_DELAY && f->pause)
		return arena_printf(a, "pause%s", when).p;
	return arena_printf(a, "%s%s", kinds[f->kind], when).p;
}

bool
fault_glob(struct span pattern, struct span text)
{
	size_t p = 0, t = 0, star = SIZE_MAX, from = 0;

	while (t < text.n) {
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			from = t;
		} else if (p < pattern.n &&
		    (pattern.p[p] == '?' || pattern.p[p] == text.p[t])) {
			p++;
			t++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			t = ++from;
		} else
			return false;
	}
	while (p < pattern.n && pattern.p[p] == '*')
		p++;
	return p == pattern.n;
}

/* ---- the error that a fault answers with ---- */

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
