/*
 * Part of rest/internal.h. Reviews: posted, answered, kept nowhere. For members
 * of the group kapi:denied a review of access denies everything, so that tools
 * that ask can be tested without rights.
 */
#include "rest/internal.h"

#include <string.h>

#include "merge/managed.h"
#include "reply/reply.h"
#include "request/identity.h"
#include "request/parameters.h"
#include "request/users.h"
#include "rights/rights.h"
#include "text/template.h"
#include "type/encode.h"
#include "type/objectmeta.h"

static struct node *
user_info(struct arena *a, const struct user *u)
{
	struct node *info = tree_object(a);

	tree_put(a, info, "username", tree_string(a, u->name));
	if (u->uid.n > 0)
		tree_put(a, info, "uid", tree_string(a, u->uid));
	tree_put(a, info, "groups", tree_strings(a, u->groups, u->group_count));
	if (u->extra_count > 0)
		tree_put(a, info, "extra", rest_extra(a, u));
	return info;
}

static bool
is_denied(const struct request *r, const struct node *object)
{
	const struct span group = span_str("kapi:denied");

	return tree_has_text(tree_path(object, "spec.groups"), group) ||
	    (r->resource->strategy->review == REVIEW_SELF_ACCESS &&
		users_has_group(r->identity, group));
}

static bool
is_self(const struct request *r)
{
	return r->resource->strategy->review == REVIEW_SELF_ACCESS;
}

/* The user that a review is about. */
static const struct user *
user_of(struct request *r, const struct node *spec)
{
	struct user *u = arena_zalloc(&r->arena, sizeof(*u));

	if (is_self(r))
		return r->identity;
	u->name = tree_text(tree_get(spec, "user"));
	u->groups =
	    tree_texts(&r->arena, tree_get(spec, "groups"), &u->group_count);
	return u;
}

static struct action
action_of(struct request *r, const struct node *spec)
{
	const struct node *at = tree_get(spec, "resourceAttributes");
	struct action x = {.user = user_of(r, spec), .on_resource = at != NULL};

	if (at == NULL)
		at = tree_get(spec, "nonResourceAttributes");
	x.verb = tree_text(tree_get(at, "verb"));
	x.path = tree_text(tree_get(at, "path"));
	x.group = tree_text(tree_get(at, "group"));
	x.plural = tree_text(tree_get(at, "resource"));
	x.subresource = tree_text(tree_get(at, "subresource"));
	x.name = tree_text(tree_get(at, "name"));
	x.namespace_ = tree_text(tree_get(at, "namespace"));
	return x;
}

/* ---- whether it can be answered ---- */

/* nonResourceAttributes as errors quote them: the server's internal type has no
 * names of JSON, so its fields have their names in Go. */
static const struct node *
quoted_path(struct arena *a, const struct node *attributes)
{
	return template_tree(a, "{'Path':%,'Verb':%}",
	    (struct span[]){tree_path_text(attributes, "path"),
		tree_path_text(attributes, "verb")});
}

/* Whether metadata has a member besides managedFields and, if local,
 * namespace. */
static bool
has_metadata(const struct node *metadata, bool local)
{
	for (size_t i = 0; i < tree_count(metadata); i++) {
		struct span key = metadata->members[i].key;

		if (!span_is(key, "managedFields") &&
		    !(local && span_is(key, "namespace")) &&
		    !tree_empty(metadata->members[i].value))
			return true;
	}
	return false;
}

/* key: fieldSelector or labelSelector. */
static void
check_selector(struct causes *c, const struct node *attributes, const char *key)
{
	const struct node *selector = tree_get(attributes, key);
	struct span raw = tree_text(tree_get(selector, "rawSelector"));
	bool parsed = tree_count(tree_get(selector, "requirements")) > 0;
	struct span at =
	    arena_printf(c->arena, "spec.resourceAttributes.%s", key);

	if (!tree_is(selector, NODE_OBJECT))
		return;
	if (raw.n > 0 && parsed)
		cause_invalid_text(c,
		    arena_printf(c->arena, "%.*s.rawSelector", SPAN_ARG(at)),
		    raw, "may not specified at the same time as requirements");
	if (raw.n == 0 && !parsed)
		cause_required(c,
		    arena_printf(c->arena, "%.*s.requirements", SPAN_ARG(at)),
		    arena_printf(c->arena,
			"when %.*s is specified, requirements or "
			"rawSelector is required",
			SPAN_ARG(at))
			.p);
}

/* A LocalSubjectAccessReview may ask about its own namespace only. */
static void
check_local(
    struct causes *c, const struct node *object, const struct node *paths)
{
	const struct node *at = tree_path(object, "spec.resourceAttributes");
	struct span ns = tree_text(tree_get(at, "namespace"));

	if (at != NULL &&
	    !span_eq(ns, tree_path_text(object, "metadata.namespace")))
		cause_invalid_text(c,
		    span_str("spec.resourceAttributes.namespace"), ns,
		    "must match metadata.namespace");
	if (paths != NULL)
		cause_invalid(c, span_str("spec.nonResourceAttributes"),
		    quoted_path(c->arena, paths),
		    "disallowed on this kind of request");
}

static struct problem *
check_access(struct request *r, struct node *object)
{
	const struct node *spec = tree_get(object, "spec");
	const struct node *at = tree_get(spec, "resourceAttributes");
	const struct node *paths = tree_get(spec, "nonResourceAttributes");
	struct causes c = {&r->arena, NULL, 0};
	bool local;

	if (at != NULL && paths != NULL)
		cause_invalid(&c, span_str("spec.nonResourceAttributes"),
		    quoted_path(c.arena, paths),
		    "cannot be specified in combination with "
		    "resourceAttributes");
	if (at == NULL && paths == NULL)
		cause_invalid(&c, span_str("spec.resourceAttributes"), NULL,
		    "exactly one of nonResourceAttributes or "
		    "resourceAttributes must be specified");
	if (!is_self(r) && tree_text(tree_get(spec, "user")).n == 0 &&
	    tree_count(tree_get(spec, "groups")) == 0)
		cause_invalid_text(&c, span_str("spec.user"), span_str(""),
		    "at least one of user or group must be specified");
	check_selector(&c, at, "fieldSelector");
	check_selector(&c, at, "labelSelector");
	local = r->resource->namespaced;
	if (has_metadata(tree_get(object, "metadata"), local)) {
		/* The error quotes metadata in Go's order of fields. */
		encode_builtin(c.arena, r->resource->schema, object);
		cause_invalid(&c, span_str("metadata"),
		    tree_get(object, "metadata"),
		    local ? "must be empty except for namespace"
			  : "must be empty");
	}
	if (r->resource->namespaced)
		check_local(&c, object, paths);
	if (c.n == 0)
		return NULL;
	return problem_invalid_kind(
	    &r->arena, r->resource->group, span_str(""), span_str(""), &c);
}

/* ---- all rules ---- */

struct rules {
	struct arena *arena;
	struct node *resources, *paths;
};

/* Appends a copy of rule with the members in keys only. */
static void
add_rule(struct rules *x, struct node *list, const struct node *rule,
    const char *const *keys)
{
	struct node *copy = tree_object(x->arena);

	for (size_t i = 0; keys[i] != NULL; i++) {
		const struct node *value = tree_get(rule, keys[i]);

		if (!tree_empty(value))
			tree_put(x->arena, copy, keys[i],
			    tree_clone(x->arena, value));
	}
	tree_append(x->arena, list, copy);
}

static bool
take_rule(void *arg, const struct node *rule, const struct rights_source *from)
{
	static const char *const of_resources[] = {
	    "verbs", "apiGroups", "resources", "resourceNames", NULL};
	static const char *const of_paths[] = {
	    "verbs", "nonResourceURLs", NULL};
	struct rules *x = arg;

	(void)from;
	if (tree_count(tree_get(rule, "resources")) > 0)
		add_rule(x, x->resources, rule, of_resources);
	if (tree_count(tree_get(rule, "nonResourceURLs")) > 0)
		add_rule(x, x->paths, rule, of_paths);
	return true;
}

static void
review_rules(struct request *r, struct node *object)
{
	struct arena *a = &r->arena;
	struct rules x = {a, tree_array(a), tree_array(a)};
	struct node *status = tree_object(a);
	struct span ns = tree_path_text(object, "spec.namespace");
	struct buf errors = BUF_INIT;

	if (r->api->rights == NULL) {
		/* Without rights everything is allowed. */
		const struct node *all = rights_all(a);

		for (size_t i = 0; i < tree_count(all); i++)
			take_rule(&x, all->items[i], NULL);
	} else
		rights_visit(
		    r->api->rights, r->identity, ns, take_rule, &x, &errors);
	tree_put(a, status, "resourceRules", x.resources);
	tree_put(a, status, "nonResourceRules", x.paths);
	tree_put(a, status, "incomplete", tree_bool(a, false));
	if (errors.len > 0)
		tree_put(a, status, "evaluationError",
		    tree_string(a, rights_errors(a, buf_span(&errors))));
	buf_release(&errors);
	/* The answer does not repeat the spec. */
	tree_put(a, object, "spec", tree_object(a));
	tree_put(a, object, "metadata", tree_object(a));
	tree_put(a, object, "status", status);
}

static void
review_token(struct request *r, struct node *object)
{
	struct arena *a = &r->arena;
	size_t n;
	const struct span *audiences =
	    tree_texts(a, tree_path(object, "spec.audiences"), &n);
	struct node *status;
	struct identity id;

	id = identity_of_token(
	    r->api, a, tree_path_text(object, "spec.token"), audiences, n);
	if (id.user == NULL) {
		status = template_tree(a, "{'user':{},'error':%}", &id.error);
	} else {
		status = tree_object(a);
		tree_put(a, status, "authenticated", tree_bool(a, true));
		tree_put(a, status, "user", user_info(a, id.user));
		tree_put(a, status, "audiences", id.audiences);
	}
	tree_put(a, object, "status", status);
}

static void
review_self(struct request *r, struct node *object)
{
	struct arena *a = &r->arena;
	struct node *status = tree_object(a);

	tree_put(a, status, "userInfo", user_info(a, r->identity));
	tree_put(a, object, "metadata", tree_object(a));
	tree_put(a, object, "status", status);
	tree_put(a, tree_make(a, object, "metadata"), "creationTimestamp",
	    tree_string(a, objectmeta_time_now(a)));
}

static struct problem *
review(struct request *r, struct node *object)
{
	struct problem *p;
	struct arena *a;
	struct node *status;
	struct action x;
	struct span reason;
	bool allowed;

	switch (r->resource->strategy->review) {
	case REVIEW_ACCESS:
	case REVIEW_SELF_ACCESS:
		p = check_access(r, object);
		if (p != NULL)
			return p;
		a = &r->arena;
		status = tree_object(a);
		x = action_of(r, tree_get(object, "spec"));
		allowed = rights_allow(r->api->rights, a, &x, &reason);
		tree_put(a, status, "allowed",
		    tree_bool(a, allowed && !is_denied(r, object)));
		if (reason.n > 0)
			tree_put(a, status, "reason", tree_string(a, reason));
		tree_put(a, object, "status", status);
		break;
	case REVIEW_RULES:
		if (tree_path_text(object, "spec.namespace").n == 0)
			return problem_bad_request(
			    &r->arena, "no namespace on request");
		review_rules(r, object);
		break;
	case REVIEW_TOKEN:
		if (tree_path_text(object, "spec.token").n == 0)
			return problem_bad_request(&r->arena,
			    "token is required for TokenReview in "
			    "authentication");
		review_token(r, object);
		break;
	default:
		review_self(r, object);
	}
	return NULL;
}

void
reviews_serve(struct request *r)
{
	struct problem *p =
	    parameters_of_write(r, "CreateOptions", false, false);
	struct write w = rest_write_of(r);
	struct managed_write managed;
	struct node *object;

	if (r->verb != REQUEST_CREATE) {
		reply_problem(r, problem_generic(&r->arena, 405, NULL));
		return;
	}
	if (p == NULL)
		p = rest_object(r, &w, &object);
	if (p == NULL) {
		objectmeta_wipe(object);
		p = write_check_namespace(&w, object);
	}
	if (p == NULL) {
		managed = write_managed(&w);
		managed_update(&managed, NULL, object);
		p = review(r, object);
	}
	if (p != NULL) {
		reply_problem(r, p);
		return;
	}
	encode_builtin(&r->arena, r->resource->schema, object);
	reply_object(r, 201, object);
}
