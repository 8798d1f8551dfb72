#include "rights/authorize.h"

#include "text/gotext.h"

/* Of other verbs the method's, in lower case. */
static struct span
verb_of(struct request *r)
{
	if (r->on_resource)
		return span_str(request_verb_name(r->verb));
	return arena_lower(&r->arena, r->http->method);
}

struct action
authorize_action(struct request *r)
{
	struct action x = {.user = r->identity,
	    .verb = verb_of(r),
	    .on_resource = r->on_resource,
	    .group = r->group,
	    .plural = r->plural,
	    .subresource = r->subresource,
	    .name = r->name,
	    .namespace_ = r->namespace_,
	    .path = r->path};

	if (!r->on_resource)
		return x;
	/* A namespace is in itself. */
	if (x.group.n == 0 && span_is(x.plural, "namespaces"))
		x.namespace_ = x.name;
	if (x.name.n == 0 &&
	    (r->verb == REQUEST_LIST || r->verb == REQUEST_WATCH)) {
		/* The one object that a list asks for by its fieldSelector: by
		 * the first term about it, where they are sorted. */
		struct span rest = request_param(r, "fieldSelector");
		struct span first = SPAN_NONE;

		while (rest.n > 0) {
			struct span term = span_cut(&rest, ',');

			if (span_starts(term, "metadata.name=") &&
			    (first.p == NULL || span_cmp(term, first) < 0))
				first = term;
		}
		if (!span_take(&first, "metadata.name=="))
			span_take(&first, "metadata.name=");
		/* Such a name cannot be part of a path. */
		x.name = span_find(first, '/') != NULL ||
			span_find(first, '%') != NULL || span_is(first, ".") ||
			span_is(first, "..")
		    ? SPAN_NONE
		    : first;
	}
	return x;
}

static struct span
say(struct arena *a, const struct action *x)
{
	struct span user = gotext_quote(a, x->user->name), resource = x->plural;

	if (!x->on_resource)
		return arena_printf(a, "User %.*s cannot %.*s path %.*s",
		    SPAN_ARG(user), SPAN_ARG(x->verb),
		    SPAN_ARG(gotext_quote(a, x->path)));
	if (x->subresource.n > 0)
		resource = arena_printf(a, "%.*s/%.*s", SPAN_ARG(x->plural),
		    SPAN_ARG(x->subresource));
	return arena_printf(a,
	    "User %.*s cannot %.*s resource %.*s in API group %.*s %s%.*s",
	    SPAN_ARG(user), SPAN_ARG(x->verb),
	    SPAN_ARG(gotext_quote(a, resource)),
	    SPAN_ARG(gotext_quote(a, x->group)),
	    x->namespace_.n > 0 ? "in the namespace " : "at the cluster scope",
	    SPAN_ARG(x->namespace_.n > 0 ? gotext_quote(a, x->namespace_)
					 : SPAN_NONE));
}

struct problem *
authorize_forbidden(
    struct arena *a, const struct action *what, struct span reason)
{
	struct buf b = BUF_INIT;
	struct problem *p;
	struct span text;

	if (what->on_resource) {
		buf_addspan(&b, what->plural);
		if (what->group.n > 0) {
			buf_addc(&b, '.');
			buf_addspan(&b, what->group);
		}
		if (what->name.n > 0) {
			buf_addc(&b, ' ');
			buf_addspan(&b, gotext_quote(a, what->name));
		}
		buf_adds(&b, " is ");
	}
	buf_adds(&b, "forbidden: ");
	/* As the server makes texts of clients fit for a browser. */
	text = say(a, what);
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == '&')
			buf_adds(&b, "&amp;");
		else if (c == '<')
			buf_adds(&b, "&lt;");
		else if (c == '>')
			buf_adds(&b, "&gt;");
		else
			buf_addc(&b, c);
	}
	if (reason.n > 0) {
		buf_adds(&b, ": ");
		buf_addspan(&b, reason);
	}
	p = problem_make(a, 403, "Forbidden", "%s", buf_str(&b));
	buf_release(&b);
	p->has_details = true;
	if (what->on_resource) {
		p->group = what->group;
		p->kind = what->plural;
		p->name = what->name;
	}
	return p;
}

static struct problem *
authorize(struct request *r, const struct action *x)
{
	struct span reason;

	if (rights_allow(r->api->rights, &r->arena, x, &reason))
		return NULL;
	return authorize_forbidden(&r->arena, x, reason);
}

struct problem *
authorize_request(struct request *r)
{
	struct action x = authorize_action(r);
	struct problem *p = authorize(r, &x);

	r->forbidden = p != NULL;
	return p;
}

static struct action
create_action(struct request *r)
{
	struct action x = authorize_action(r);

	x.verb = span_str(request_verb_name(REQUEST_CREATE));
	return x;
}

struct problem *
authorize_connect(struct request *r)
{
	struct action x = create_action(r);
	struct span reason;

	if (r->verb == REQUEST_CREATE ||
	    rights_allow(r->api->rights, &r->arena, &x, &reason))
		return NULL;
	return problem_forbidden(
	    &r->arena, r->resource, r->name, arena_str(&r->arena, reason));
}

struct problem *
authorize_create(struct request *r)
{
	struct action x = create_action(r);

	return authorize(r, &x);
}
