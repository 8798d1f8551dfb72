/* Part of read/list.h: the parameters of LIST and WATCH. */
#include "read/list.h"
#include "request/parameters.h"
#include "text/gotext.h"
#include "text/number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static struct problem *
int_param(struct request *r, const char *name, int64_t *n, bool *given)
{
	struct span text = request_param(r, name);
	*n = 0;
	if (given != NULL)
		*given = text.p != NULL;
	return text.p == NULL ? NULL : parameters_int(&r->arena, text, n);
}

static struct span
text_param(struct request *r, const char *name)
{
	struct span text = request_param(r, name);

	return text.p == NULL ? span_str("") : text;
}

static struct problem *
read_options(struct request *r, struct list_options *o)
{
	struct problem *p;

	*o = (struct list_options){0};
	o->version = text_param(r, "resourceVersion");
	o->match = text_param(r, "resourceVersionMatch");
	o->continue_ = text_param(r, "continue");
	o->bookmarks = request_flag(r, "allowWatchBookmarks");
	o->has_initial = request_param(r, "sendInitialEvents").p != NULL;
	o->initial = request_flag(r, "sendInitialEvents");
	p = int_param(r, "timeoutSeconds", &o->timeout, &o->has_timeout);
	if (p == NULL)
		p = int_param(r, "limit", &o->limit, NULL);
	if (p == NULL)
		p = selection_parse(&r->arena, text_param(r, "labelSelector"),
		    text_param(r, "fieldSelector"), &o->selection);
	return p;
}

static void
forbid(struct causes *c, const char *field, const char *detail)
{
	cause_forbidden(c, span_str(field), detail);
}

static void
unsupported_match(struct causes *c, const struct list_options *o, bool watch)
{
	const struct span list[] = {
	    span_str("Exact"), span_str("NotOlderThan"), span_str("")};

	cause_unsupported(c, span_str("resourceVersionMatch"),
	    tree_string(c->arena, o->match), watch ? list + 1 : list,
	    watch ? 1 : 3);
}

static void
check_watch(struct causes *c, const struct list_options *o)
{
	static const char match[] = "resourceVersionMatch";
	bool fresh = span_is(o->match, "NotOlderThan");

	if (o->has_initial && !fresh)
		forbid(c, match,
		    "sendInitialEvents requires setting resourceVersionMatch "
		    "to NotOlderThan");
	if (o->match.n == 0)
		return;
	if (!o->has_initial)
		forbid(c, match,
		    "resourceVersionMatch is forbidden for watch unless "
		    "sendInitialEvents is provided");
	if (!fresh)
		unsupported_match(c, o, true);
	if (o->continue_.n > 0)
		forbid(c, match,
		    "resourceVersionMatch is forbidden when continue is "
		    "provided");
}

struct problem *
list_options(struct request *r, struct list_options *o)
{
	struct causes c = {&r->arena, NULL, 0};
	bool watch = r->verb == REQUEST_WATCH;
	struct problem *p = read_options(r, o);

	if (p != NULL)
		return p;
	/* A watch without a version is one with initial events. */
	if (watch && !o->has_initial && o->match.n == 0 &&
	    (o->version.n == 0 || span_is(o->version, "0"))) {
		o->has_initial = o->initial = true;
		o->match = span_str("NotOlderThan");
	}
	if (watch)
		check_watch(&c, o);
	else {
		static const char match[] = "resourceVersionMatch";

		if (o->match.n > 0) {
			if (o->version.n == 0)
				forbid(&c, match,
				    "resourceVersionMatch is forbidden unless "
				    "resourceVersion is provided");
			if (o->continue_.n > 0)
				forbid(&c, match,
				    "resourceVersionMatch is forbidden when "
				    "continue is provided");
			if (!span_is(o->match, "Exact") &&
			    !span_is(o->match, "NotOlderThan"))
				unsupported_match(&c, o, false);
			if (span_is(o->match, "Exact") &&
			    span_is(o->version, "0"))
				forbid(&c, match,
				    "resourceVersionMatch \"exact\" is "
				    "forbidden for resourceVersion \"0\"");
		}
		if (o->has_initial)
			forbid(&c, "sendInitialEvents",
			    "sendInitialEvents is forbidden for list");
	}
	if (c.n > 0)
		return problem_invalid_kind(&r->arena, span_str("meta.k8s.io"),
		    span_str("ListOptions"), span_str(""), &c);
	p = selection_resolve(&r->arena, r->resource, &o->selection);
	if (p != NULL || r->name.n == 0)
		return p;
	/* /watch/.../NAME means the same as metadata.name=NAME. */
	if (o->selection.field_count > 0 &&
	    !span_eq(o->selection.name, r->name))
		return problem_bad_request(&r->arena,
		    "fieldSelector metadata.name doesn't match requested name");
	if (o->selection.field_count == 0) {
		o->selection.fields =
		    arena_zalloc(&r->arena, sizeof(*o->selection.fields));
		*o->selection.fields =
		    (struct field_term){.label = span_str("metadata.name"),
			.value = r->name,
			.source = FIELD_NAME};
		o->selection.field_count = 1;
		o->selection.name = r->name;
	}
	return NULL;
}

struct problem *
list_version_parse(struct request *r, struct span text, uint64_t *version)
{
	const char *said;

	*version = 0;
	if (text.n == 0)
		return NULL;
	said = number_parse_uint(text, version);
	if (said == NULL)
		return NULL;
	*version = 0;
	text = gotext_quote(&r->arena, text);
	return problem_make(&r->arena, 500, NULL,
	    "resourceVersion: Invalid value: %.*s: strconv.ParseUint: parsing "
	    "%.*s: %s",
	    SPAN_ARG(text), SPAN_ARG(text), said);
}

struct problem *
list_version_too_large(struct request *r, uint64_t version, uint64_t now)
{
	struct cause *cause = arena_zalloc(&r->arena, sizeof(*cause));
	struct problem *p = problem_timeout(&r->arena,
	    arena_printf(&r->arena,
		"Too large resource version: %" PRIu64 ", current: %" PRIu64,
		version, now)
		.p,
	    1);

	cause->reason = span_str("ResourceVersionTooLarge");
	cause->message = span_str("Too large resource version");
	p->causes = cause;
	p->cause_count = 1;
	return p;
}
