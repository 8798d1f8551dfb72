#include "request/parameters.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "text/gotext.h"
#include "text/number.h"

enum { MANAGER_MAX = 128, DRY_RUNS_MAX = 16 };

static const char media_types[] =
    "application/json, application/yaml, application/vnd.kubernetes.protobuf";

static bool
check_dry_run(struct causes *c, const struct span *values, size_t n)
{
	struct span all = span_str("All");

	for (size_t i = 0; i < n; i++) {
		if (span_eq(values[i], all))
			continue;
		cause_unsupported(c, span_str("dryRun"),
		    tree_strings(c->arena, values, n), &all, 1);
		break;
	}
	return n > 0;
}

static enum field_validation
check_validation(struct causes *c, struct span value)
{
	static const char *const names[] = {"", "Ignore", "Strict", "Warn"};
	struct span supported[4];

	if (value.n == 0 || span_is(value, "Warn"))
		return VALIDATE_WARN;
	if (span_is(value, "Ignore"))
		return VALIDATE_IGNORE;
	if (span_is(value, "Strict"))
		return VALIDATE_STRICT;
	for (size_t i = 0; i < 4; i++)
		supported[i] = span_str(names[i]);
	cause_unsupported(c, span_str("fieldValidation"),
	    tree_string(c->arena, value), supported, 4);
	return VALIDATE_WARN;
}

struct problem *
parameters_of_write(struct request *r, const char *kind, bool patch, bool apply)
{
	struct causes c = {&r->arena, NULL, 0};
	struct span values[DRY_RUNS_MAX];
	size_t n;
	struct span field;
	size_t at = 0;

	r->field_manager = request_param(r, "fieldManager");
	r->field_validation = VALIDATE_WARN;
	if (r->http->query.n == 0 && !apply)
		return NULL;
	if (apply && r->field_manager.n == 0)
		cause_required(&c, span_str("fieldManager"),
		    "is required for apply patch");
	if (patch && !apply && request_param(r, "force").p != NULL)
		cause_forbidden(&c, span_str("force"),
		    "may not be specified for non-apply patch");
	r->force = apply && request_flag(r, "force");
	field = span_str("fieldManager");
	if (r->field_manager.n > MANAGER_MAX)
		cause_too_long(&c, field, NULL, MANAGER_MAX);
	while (at < r->field_manager.n) {
		uint32_t rune = UTF8_REPLACEMENT;
		size_t start = at;

		n = utf8_decode(r->field_manager.p + at,
		    r->field_manager.p + r->field_manager.n, &rune);

		at += n > 0 ? n : 1;
		if (rune >= ' ' && (rune < 0x7f || rune > 0xa0))
			continue;
		cause_invalid_text(&c, field, r->field_manager,
		    arena_printf(c.arena,
			"invalid character U+%04X (at position %zu)", rune,
			start)
			.p);
	}
	n = request_params(r, "dryRun", values, DRY_RUNS_MAX);
	/* An empty dryRun= is one value too many for the server as well. */
	r->dry_run = check_dry_run(&c, values, n);
	r->field_validation =
	    check_validation(&c, request_param(r, "fieldValidation"));
	if (c.n == 0)
		return NULL;
	return problem_invalid_kind(&r->arena, span_str("meta.k8s.io"),
	    span_str(kind), span_str(""), &c);
}

struct span
request_body_type(struct request *r)
{
	struct span v = httpd_header(r->http, "content-type");
	const char *semicolon = span_find(v, ';');

	if (semicolon != NULL)
		v.n = (size_t)(semicolon - v.p);
	while (v.n > 0 && v.p[v.n - 1] == ' ')
		v.n--;
	return arena_lower(&r->arena, v);
}

struct problem *
request_body(struct request *r, struct node **object, struct span *duplicate,
    struct span *twice, struct span *wrong)
{
	static const char type_meta[] =
	    "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; "
	    "Kind string \"json:\\\"kind,omitempty\\\"\" }";
	struct span body = r->http->body, type = request_body_type(r);
	bool yaml = span_is(type, "application/yaml");
	struct arena *a = &r->arena;
	struct err err = ERR_INIT;

	if (type.n > 0 && !yaml && !span_is(type, "application/json"))
		return problem_unsupported_media_type(a, media_types);
	*object = yaml ? tree_parse_yaml(a, body, twice, &err)
		       : tree_parse(a, body, TREE_LIMITS, duplicate, &err);
	if (tree_is(*object, NODE_OBJECT))
		return NULL;
	if (*object == NULL && yaml)
		*wrong = arena_span(a, span_str(err.message));
	else
		*wrong = arena_printf(a,
		    "couldn't get version/kind; json parse error: %.*s",
		    SPAN_ARG(*object == NULL
			    ? gotext_json_error(a, body)
			    : gotext_type_error(a, *object, type_meta)));
	*object = NULL;
	return NULL;
}

struct span
request_body_summary(struct arena *a, struct span body)
{
	size_t n = body.n < 30 ? body.n : 30;
	struct buf b = BUF_INIT;

	if (body.n == 0)
		return span_str("<empty>");
	if (body.p[0] == '{')
		buf_add(&b, body.p, n);
	else
		for (size_t i = 0; i < n; i++)
			buf_addf(&b, "%02x", (unsigned char)body.p[i]);
	buf_adds(&b, body.n > n ? " ..." : "");
	return tree_keep(a, &b);
}

struct problem *
parameters_int(struct arena *a, struct span text, int64_t *value)
{
	const char *wrong = number_parse_int(text, value);

	return wrong == NULL
	    ? NULL
	    : problem_bad_request(a, "strconv.ParseInt: parsing %.*s: %s",
		  SPAN_ARG(gotext_quote(a, text)), wrong);
}

/* The options of a query or a body, before they are checked. */
struct given {
	struct delete_options *options;
	bool has_policy;
	struct span dry_runs[DRY_RUNS_MAX];
	size_t dry_run_count;
};

static struct problem *
check_delete(struct request *r, struct given *g)
{
	static const char *const names[] = {
	    "Foreground", "Background", "Orphan", "nil"};
	struct causes c = {&r->arena, NULL, 0};
	struct span supported[4], policy = g->options->policy;
	struct span field = span_str("propagationPolicy");
	bool known = false;

	for (size_t i = 0; i < 4; i++) {
		supported[i] = span_str(names[i]);
		known = known || (i < 3 && span_eq(policy, supported[i]));
	}
	if (g->has_policy && g->options->has_orphan)
		cause_invalid_text(&c, field, policy,
		    "orphanDependents and deletionPropagation cannot be both "
		    "set");
	if (g->has_policy && !known)
		cause_unsupported(
		    &c, field, tree_string(&r->arena, policy), supported, 4);
	g->options->dry_run = check_dry_run(&c, g->dry_runs, g->dry_run_count);
	if (c.n == 0)
		return NULL;
	return problem_invalid_kind(&r->arena, span_str("meta.k8s.io"),
	    span_str("DeleteOptions"), span_str(""), &c);
}

static struct problem *
from_query(struct request *r, struct given *g)
{
	struct delete_options *o = g->options;
	struct span v;

	if (r->http->query.n == 0)
		return NULL;
	v = request_param(r, "gracePeriodSeconds");
	if (v.p != NULL) {
		struct problem *p =
		    parameters_int(&r->arena, v, &o->grace_seconds);

		if (p != NULL)
			return p;
		o->has_grace = true;
	}
	o->policy = request_param(r, "propagationPolicy");
	g->has_policy = o->policy.p != NULL;
	if (request_param(r, "orphanDependents").p != NULL) {
		o->has_orphan = true;
		o->orphan = request_flag(r, "orphanDependents");
	}
	/* Converted by Convert_url_Values_To_v1_DeleteOptions. */
	o->uid = request_param(r, "uid");
	o->version = request_param(r, "resourceVersion");
	g->dry_run_count =
	    request_params(r, "dryRun", g->dry_runs, DRY_RUNS_MAX);
	return NULL;
}

static struct problem *
bad_field(struct request *r, const struct node *value, const char *field,
    const char *type)
{
	return problem_bad_request(&r->arena,
	    "json: cannot unmarshal %s into Go struct field DeleteOptions.%s "
	    "of type %s",
	    gotext_kind(value), field, type);
}

/* A member that is there and not null. */
static const struct node *
given(const struct node *object, const char *key)
{
	const struct node *n = tree_get(object, key);

	return tree_is(n, NODE_NULL) ? NULL : n;
}

static struct problem *
take_dry_run(struct request *r, struct given *g, const struct node *n)
{
	if (n == NULL)
		return NULL;
	if (n->kind != NODE_ARRAY)
		return bad_field(r, n, "dryRun", "[]string");
	for (size_t i = 0; i < n->n && i < DRY_RUNS_MAX; i++) {
		if (n->items[i]->kind != NODE_STRING)
			return bad_field(r, n->items[i], "dryRun", "string");
		g->dry_runs[g->dry_run_count++] = n->items[i]->text;
	}
	return NULL;
}

static struct problem *
from_object(struct request *r, struct given *g, const struct node *body)
{
	struct delete_options *o = g->options;
	const struct node *n;

	if ((n = given(body, "gracePeriodSeconds")) != NULL) {
		if (!tree_get_int(n, &o->grace_seconds))
			return bad_field(r, n, "gracePeriodSeconds", "int64");
		o->has_grace = true;
	}
	if ((n = given(body, "propagationPolicy")) != NULL) {
		if (n->kind != NODE_STRING)
			return bad_field(r, n, "propagationPolicy",
			    "v1.DeletionPropagation");
		o->policy = n->text;
		g->has_policy = true;
	}
	if ((n = given(body, "orphanDependents")) != NULL) {
		if (!(tree_is(n, NODE_TRUE) || tree_is(n, NODE_FALSE)))
			return bad_field(r, n, "orphanDependents", "bool");
		o->has_orphan = true;
		o->orphan = tree_true(n);
	}
	if ((n = given(body, "preconditions")) != NULL) {
		if (n->kind != NODE_OBJECT)
			return bad_field(
			    r, n, "preconditions", "v1.Preconditions");
		o->uid = tree_text(tree_get(n, "uid"));
		o->version = tree_text(tree_get(n, "resourceVersion"));
	}
	return take_dry_run(r, g, given(body, "dryRun"));
}

static struct problem *
check_options_kind(struct request *r, const struct node *body)
{
	struct span kind = tree_text(tree_get(body, "kind"));
	struct span api = tree_text(tree_get(body, "apiVersion"));

	if (kind.n == 0 || span_is(kind, "DeleteOptions"))
		return NULL;
	return problem_bad_request(&r->arena,
	    "no kind %.*s is registered for version %.*s in scheme "
	    "\"pkg/runtime/scheme.go:111\"",
	    SPAN_ARG(gotext_quote(&r->arena, kind)),
	    SPAN_ARG(gotext_quote(
		&r->arena, api.n == 0 ? span_str("meta.k8s.io/v1") : api)));
}

static struct problem *
from_body(struct request *r, struct given *g)
{
	struct span duplicate, twice, wrong;
	struct node *body;
	struct problem *p = request_body(r, &body, &duplicate, &twice, &wrong);

	if (p != NULL)
		return p;
	if (body == NULL)
		return problem_bad_request(&r->arena, "%.*s", SPAN_ARG(wrong));
	p = check_options_kind(r, body);
	return p != NULL ? p : from_object(r, g, body);
}

struct problem *
parameters_of_delete(struct request *r, struct delete_options *options)
{
	struct given g = {.options = options};
	struct problem *p;

	memset(options, 0, sizeof *options);
	p = r->http->body.n > 0 ? from_body(r, &g) : from_query(r, &g);
	return p != NULL ? p : check_delete(r, &g);
}
