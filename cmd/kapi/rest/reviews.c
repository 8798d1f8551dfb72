/*
 * Part of rest/internal.h. Reviews: posted, answered, kept nowhere. Every user
 * may do everything; but for members of the group kapi:denied a review denies
 * everything, so that tools that ask can be tested.
 */
#include "rest/internal.h"

#include <string.h>

#include "merge/managed.h"
#include "process/clock.h"
#include "reply/reply.h"
#include "request/parameters.h"
#include "request/users.h"
#include "type/encode.h"
#include "type/objectmeta.h"

static struct node *
texts(struct arena *a, const char *const *list, size_t n)
{
	struct node *array = tree_array(a);

	for (size_t i = 0; i < n; i++)
		tree_append(a, array, tree_str(a, list[i]));
	return array;
}

static struct node *
user_info(struct arena *a, const struct user *u)
{
	struct node *info = tree_object(a);

	tree_put(a, info, "username", tree_string(a, u->name));
	if (u->uid.n > 0)
		tree_put(a, info, "uid", tree_string(a, u->uid));
	tree_put(a, info, "groups", rest_texts(a, u->groups, u->group_count));
	if (u->extra_count > 0)
		tree_put(a, info, "extra", rest_extra(a, u));
	return info;
}

static bool
is_denied(const struct request *r, const struct node *object)
{
	const struct node *groups = tree_path(object, "spec.groups");
	const struct user *u = r->identity;
	static const char group[] = "kapi:denied";

	for (size_t i = 0; i < tree_count(groups); i++)
		if (tree_text_is(groups->items[i], group))
			return true;
	if (r->resource->strategy->review != REVIEW_SELF_ACCESS)
		return false;
	for (size_t i = 0; i < u->group_count; i++)
		if (span_is(u->groups[i], group))
			return true;
	return false;
}

static void
review_access(struct request *r, struct node *object)
{
	struct node *status = tree_object(&r->arena);

	tree_put(&r->arena, status, "allowed",
	    tree_bool(&r->arena, !is_denied(r, object)));
	tree_put(&r->arena, object, "status", status);
}

static struct problem *
check_access(struct request *r, const struct node *object)
{
	const struct node *spec = tree_get(object, "spec");
	bool resource = tree_get(spec, "resourceAttributes") != NULL;
	bool other = tree_get(spec, "nonResourceAttributes") != NULL;
	struct causes c = {&r->arena, NULL, 0};

	if (resource && other)
		cause_invalid(&c, span_str("spec.nonResourceAttributes"),
		    tree_get(spec, "nonResourceAttributes"),
		    "cannot be specified in combination with "
		    "resourceAttributes");
	if (!resource && !other)
		cause_invalid(&c, span_str("spec.resourceAttributes"), NULL,
		    "exactly one of nonResourceAttributes or "
		    "resourceAttributes must be specified");
	if (r->resource->strategy->review != REVIEW_SELF_ACCESS &&
	    tree_text(tree_get(spec, "user")).n == 0 &&
	    tree_count(tree_get(spec, "groups")) == 0)
		cause_invalid_text(&c, span_str("spec.user"), span_str(""),
		    "at least one of user or group must be specified");
	if (c.n == 0)
		return NULL;
	return problem_invalid_kind(
	    &r->arena, r->resource->group, span_str(""), span_str(""), &c);
}

static void
review_rules(struct request *r, struct node *object)
{
	static const char *const all[] = {"*"};
	struct arena *a = &r->arena;
	struct node *status = tree_object(a), *rule = tree_object(a);
	struct node *list = tree_array(a), *other = tree_object(a);
	struct node *others = tree_array(a);

	tree_put(a, rule, "verbs", texts(a, all, 1));
	tree_put(a, rule, "apiGroups", texts(a, all, 1));
	tree_put(a, rule, "resources", texts(a, all, 1));
	tree_append(a, list, rule);
	tree_put(a, other, "verbs", texts(a, all, 1));
	tree_put(a, other, "nonResourceURLs", texts(a, all, 1));
	tree_append(a, others, other);
	tree_put(a, status, "resourceRules", list);
	tree_put(a, status, "nonResourceRules", others);
	tree_put(a, status, "incomplete", tree_bool(a, false));
	/* The answer does not repeat the spec. */
	tree_put(a, object, "spec", tree_object(a));
	tree_put(a, object, "metadata", tree_object(a));
	tree_put(a, object, "status", status);
}

static void
review_token(struct request *r, struct node *object)
{
	struct arena *a = &r->arena;
	struct span token = tree_path_text(object, "spec.token");
	struct node *status = tree_object(a), *audiences = tree_array(a);
	const struct user *u = users_find(
	    r->api->users, arena_printf(a, "Bearer %.*s", SPAN_ARG(token)));

	if (u == NULL) {
		tree_put(a, status, "user", tree_object(a));
		tree_put(
		    a, status, "error", tree_str(a, "invalid bearer token"));
	} else {
		tree_put(a, status, "authenticated", tree_bool(a, true));
		tree_put(a, status, "user", user_info(a, u));
		tree_append(a, audiences,
		    tree_str(a, "https://kubernetes.default.svc"));
		tree_put(a, status, "audiences", audiences);
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

	switch (r->resource->strategy->review) {
	case REVIEW_ACCESS:
	case REVIEW_SELF_ACCESS:
		p = check_access(r, object);
		if (p != NULL)
			return p;
		review_access(r, object);
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
		reply_problem(r,
		    problem_generic(&r->arena, 405, "MethodNotAllowed",
			"the server does not allow this method on the "
			"requested resource"));
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

/* ---- tokens of service accounts ---- */

/* It looks like a token, but no server accepts it: kapi knows only the tokens
 * of its file. */
static struct span
made_up_token(struct request *r, int64_t expires)
{
	return arena_printf(&r->arena, "kapi.%.*s.%.*s.%lld.%.*s",
	    SPAN_ARG(r->namespace_), SPAN_ARG(r->name), (long long)expires,
	    SPAN_ARG(objectmeta_uuid(&r->arena)));
}

static struct problem *
check_lifetime(struct request *r, int64_t seconds)
{
	struct causes c = {&r->arena, NULL, 0};
	struct span field = span_str("spec.expirationSeconds");
	struct node *value = tree_int(&r->arena, seconds);

	if (seconds < 600)
		cause_invalid(&c, field, value,
		    "may not specify a duration less than 10 minutes");
	else if (seconds > (int64_t)1 << 32)
		cause_invalid(&c, field, value,
		    "may not specify a duration larger than 2^32 seconds");
	else
		return NULL;
	return problem_invalid_kind(&r->arena,
	    span_str("authentication.k8s.io"), span_str("TokenRequest"),
	    SPAN_NONE, &c);
}

void
reviews_serve_token(struct request *r)
{
	struct problem *p =
	    parameters_of_write(r, "CreateOptions", false, false);
	struct warnings strict = {&r->arena, NULL, 0};
	struct arena *a = &r->arena;
	struct node *object, *account, *spec, *status, *m;
	struct write w = rest_write_of(r);
	int64_t seconds = 3600, now = clock_real_us() / 1000000;
	char *until = arena_alloc(a, CLOCK_RFC3339_MAX);
	struct stored *stored;

	if (p == NULL)
		p = rest_body(r, &object, &strict);
	if (p == NULL)
		p = write_check_lifecycle(&w);
	if (p == NULL)
		p = rest_live(&w, &stored, &account);
	if (p == NULL) {
		tree_get_int(
		    tree_path(object, "spec.expirationSeconds"), &seconds);
		p = check_lifetime(r, seconds);
	}
	if (p != NULL) {
		reply_problem(r, p);
		return;
	}
	spec = tree_make(a, object, "spec");
	m = tree_make(a, object, "metadata");
	status = tree_object(a);
	if (tree_get(spec, "expirationSeconds") == NULL)
		tree_put(a, spec, "expirationSeconds", tree_int(a, seconds));
	if (tree_empty(tree_get(spec, "audiences"))) {
		static const char *const audience[] = {
		    "https://kubernetes.default.svc"};

		tree_put(a, spec, "audiences", texts(a, audience, 1));
	}
	if (tree_get(spec, "boundObjectRef") == NULL)
		tree_put(a, spec, "boundObjectRef", tree_null(a));
	clock_format_s(now + seconds, until);
	tree_put(a, status, "token",
	    tree_string(a, made_up_token(r, now + seconds)));
	tree_put(a, status, "expirationTimestamp", tree_str(a, until));
	tree_put(a, object, "status", status);
	tree_put(a, m, "name", tree_string(a, r->name));
	tree_put(a, m, "namespace", tree_string(a, r->namespace_));
	tree_put(a, m, "uid",
	    tree_string(a, tree_path_text(account, "metadata.uid")));
	tree_put(
	    a, m, "creationTimestamp", tree_string(a, objectmeta_time_now(a)));
	tree_put_first(
	    a, object, "apiVersion", tree_str(a, "authentication.k8s.io/v1"));
	tree_put_first(a, object, "kind", tree_str(a, "TokenRequest"));
	reply_object(r, 201, object);
}
