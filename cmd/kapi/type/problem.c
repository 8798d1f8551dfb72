#include "type/problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "text/gotext.h"
#include "type/resource.h"

static struct problem *
make(struct arena *a, int code, const char *reason, const char *fmt, va_list ap)
{
	struct problem *p = arena_zalloc(a, sizeof *p);
	struct buf b = BUF_INIT;

	buf_addv(&b, fmt, ap);
	p->code = code;
	p->reason = span_str(reason == NULL ? "" : reason);
	p->message = arena_span(a, buf_span(&b));
	buf_release(&b);
	return p;
}

struct problem *
problem_make(
    struct arena *a, int code, const char *reason, const char *fmt, ...)
{
	struct problem *p;
	va_list ap;

	va_start(ap, fmt);
	p = make(a, code, reason, fmt, ap);
	va_end(ap);
	return p;
}

struct problem *
problem_bad_request(struct arena *a, const char *fmt, ...)
{
	struct problem *p;
	va_list ap;

	va_start(ap, fmt);
	p = make(a, 400, "BadRequest", fmt, ap);
	va_end(ap);
	return p;
}

/* Most answers name the resource by its group, and its plural as kind. */
static struct problem *
about(struct problem *p, const struct resource *r, struct span name)
{
	p->group = r->group;
	p->kind = r->plural;
	p->name = name;
	p->has_details = true;
	return p;
}

struct problem *
problem_not_found(struct arena *a, const struct resource *r, struct span name)
{
	return about(
	    problem_make(a, 404, "NotFound", "%.*s %.*s not found",
		SPAN_ARG(resource_name(a, r)), SPAN_ARG(gotext_quote(a, name))),
	    r, name);
}

struct problem *
problem_already_exists(
    struct arena *a, const struct resource *r, struct span name)
{
	return about(
	    problem_make(a, 409, "AlreadyExists", "%.*s %.*s already exists",
		SPAN_ARG(resource_name(a, r)), SPAN_ARG(gotext_quote(a, name))),
	    r, name);
}

struct problem *
problem_conflict(struct arena *a, const struct resource *r, struct span name,
    const char *detail)
{
	return about(problem_make(a, 409, "Conflict",
			 "Operation cannot be fulfilled on %.*s %.*s: %s",
			 SPAN_ARG(resource_name(a, r)),
			 SPAN_ARG(gotext_quote(a, name)), detail),
	    r, name);
}

struct problem *
problem_forbidden(struct arena *a, const struct resource *r, struct span name,
    const char *detail)
{
	struct span what = resource_name(a, r);

	if (name.n == 0)
		return about(
		    problem_make(a, 403, "Forbidden", "%.*s is forbidden: %s",
			SPAN_ARG(what), detail),
		    r, name);
	return about(
	    problem_make(a, 403, "Forbidden", "%.*s %.*s is forbidden: %s",
		SPAN_ARG(what), SPAN_ARG(gotext_quote(a, name)), detail),
	    r, name);
}

void
problem_add_causes(struct arena *a, struct buf *b, const struct causes *c)
{
	struct map said = MAP_INIT;
	size_t open = b->len;

	for (size_t i = 0; i < c->n; i++) {
		struct span one = arena_printf(a, "%.*s: %.*s",
		    SPAN_ARG(c->items[i].field), SPAN_ARG(c->items[i].message));

		if (map_put(&said, one, b) != NULL)
			continue;
		buf_adds(b, said.count == 1 ? "[" : ", ");
		buf_addspan(b, one);
	}
	if (said.count > 1) {
		buf_addc(b, ']');
	} else if (said.count == 1) {
		memmove(b->data + open, b->data + open + 1, b->len - open - 1);
		b->len--;
	}
	map_release(&said);
}

struct problem *
problem_invalid_kind(struct arena *a, struct span group, struct span kind,
    struct span name, const struct causes *c)
{
	struct problem *p = arena_zalloc(a, sizeof *p);
	struct buf b = BUF_INIT;

	buf_addspan(&b, kind);
	if (group.n > 0) {
		buf_addc(&b, '.');
		buf_addspan(&b, group);
	}
	buf_addc(&b, ' ');
	buf_addspan(&b, gotext_quote(a, name));
	buf_adds(&b, " is invalid");
	if (c->n > 0) {
		buf_adds(&b, ": ");
		problem_add_causes(a, &b, c);
	}
	p->code = 422;
	p->reason = span_str("Invalid");
	p->message = arena_span(a, buf_span(&b));
	buf_release(&b);
	p->group = group;
	p->kind = kind;
	p->name = name;
	p->causes = c->items;
	p->cause_count = c->n;
	p->has_details = true;
	return p;
}

struct problem *
problem_invalid(struct arena *a, const struct resource *r, struct span name,
    const struct causes *c)
{
	return problem_invalid_kind(a, r->group, r->kind, name, c);
}

struct problem *
problem_generic(struct arena *a, int code, const char *message)
{
	static const struct {
		const char *reason, *message;
	} usual[] = {
	    {"NotFound", "the server could not find the requested resource"},
	    {"MethodNotAllowed",
		"the server does not allow this method on the requested "
		"resource"},
	    {"NotAcceptable", ""},
	};
	struct problem *p = problem_make(a, code, usual[code - 404].reason,
	    "%s", message != NULL ? message : usual[code - 404].message);

	p->has_details = true;
	return p;
}

struct problem *
problem_too_large(struct arena *a, const char *detail)
{
	return problem_make(a, 413, "RequestEntityTooLarge",
	    "Request entity too large: %s", detail);
}

struct problem *
problem_method_not_allowed(
    struct arena *a, const struct resource *r, const char *verb)
{
	return about(problem_make(a, 405, "MethodNotAllowed",
			 "%s is not supported on resources of kind \"%.*s\"",
			 verb, SPAN_ARG(resource_name(a, r))),
	    r, SPAN_NONE);
}

struct problem *
problem_unsupported_media_type(struct arena *a, const char *supported)
{
	return problem_make(a, 415, "UnsupportedMediaType",
	    "the body of the request was in an unknown format - "
	    "accepted media types include: %s",
	    supported);
}

struct problem *
problem_gone(struct arena *a, const char *message)
{
	return problem_make(a, 410, "Expired", "%s", message);
}

struct problem *
problem_timeout(struct arena *a, const char *message, long retry_after)
{
	struct problem *p =
	    problem_make(a, 504, "Timeout", "Timeout: %s", message);

	p->retry_after = retry_after;
	p->has_details = true;
	return p;
}

static void
put_text(struct arena *a, struct node *o, const char *key, struct span text)
{
	if (text.n > 0)
		tree_put(a, o, key, tree_string(a, text));
}

static struct node *
details(struct arena *a, const struct problem *p)
{
	struct node *d = tree_object(a), *causes;

	put_text(a, d, "name", p->name);
	put_text(a, d, "group", p->group);
	put_text(a, d, "kind", p->kind);
	put_text(a, d, "uid", p->uid);
	if (p->cause_count > 0) {
		causes = tree_array(a);
		for (size_t i = 0; i < p->cause_count; i++) {
			struct node *c = tree_object(a);

			put_text(a, c, "reason", p->causes[i].reason);
			put_text(a, c, "message", p->causes[i].message);
			put_text(a, c, "field", p->causes[i].field);
			tree_append(a, causes, c);
		}
		tree_put(a, d, "causes", causes);
	}
	if (p->retry_after > 0)
		tree_put(
		    a, d, "retryAfterSeconds", tree_int(a, p->retry_after));
	return d;
}

struct node *
problem_status(struct arena *a, const struct problem *p)
{
	struct node *s = tree_object(a), *d = details(a, p);
	struct node *metadata = tree_object(a);

	put_text(a, metadata, "continue", p->continue_);
	tree_put(a, s, "kind", tree_str(a, "Status"));
	tree_put(a, s, "apiVersion", tree_str(a, "v1"));
	tree_put(a, s, "metadata", metadata);
	tree_put(a, s, "status", tree_str(a, "Failure"));
	put_text(a, s, "message", p->message);
	put_text(a, s, "reason", p->reason);
	if (p->has_details || d->n > 0)
		tree_put(a, s, "details", d);
	tree_put(a, s, "code", tree_int(a, p->code));
	return s;
}
