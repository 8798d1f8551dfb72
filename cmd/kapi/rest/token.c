/*
 * Part of rest/internal.h. TokenRequest: a new token of a service account.
 * Source: pkg/registry/core/serviceaccount/storage/token.go.
 */
#include "rest/internal.h"

#include "process/clock.h"
#include "reply/reply.h"
#include "request/accounts.h"
#include "request/parameters.h"
#include "text/template.h"
#include "text/texts.h"
#include "type/objectmeta.h"
#include "write/convert.h"

/* A kubelet asks for 3607 s for the token of a Pod. For clients that never read
 * the file again, this token is valid for a year; its use after the 3607 s is
 * to be noticed. */
enum { WARN_ONLY_S = 60 * 60 + 7, EXTENDED_S = 365 * 24 * 60 * 60 };

static const char group[] = "authentication.k8s.io";
static const char kind[] = "TokenRequest";

static struct problem *
invalid(struct request *r, const struct causes *c, struct span name)
{
	return problem_invalid_kind(
	    &r->arena, span_str(group), span_str(kind), name, c);
}

static struct problem *
conflict(struct request *r, struct span in_group, struct span of_kind,
    struct span name, struct span why)
{
	struct problem *p = problem_make(&r->arena, 409, "Conflict",
	    "Operation cannot be fulfilled on %.*s%s%.*s \"%.*s\": %.*s",
	    SPAN_ARG(of_kind), in_group.n > 0 ? "." : "", SPAN_ARG(in_group),
	    SPAN_ARG(name), SPAN_ARG(why));

	p->group = in_group;
	p->kind = of_kind;
	p->name = name;
	p->has_details = true;
	return p;
}

/* Whatever the body says of the account's name, if it does. */
static struct problem *
check_name(struct request *r, const struct node *object)
{
	struct span name = tree_path_text(object, "metadata.name");
	struct causes c = {&r->arena, NULL, 0};

	if (name.n == 0 || span_eq(name, r->name))
		return NULL;
	cause_invalid_text(&c, span_str("metadata.name"), name,
	    "must match the service account name if specified");
	return invalid(r, &c, r->name);
}

static struct problem *
check_uid(
    struct request *r, const struct node *object, const struct node *account)
{
	struct span asked = tree_path_text(object, "metadata.uid");
	struct span uid = tree_path_text(account, "metadata.uid");

	if (asked.n == 0 || span_eq(asked, uid))
		return NULL;
	return conflict(r, span_str(group), span_str(kind), r->name,
	    arena_printf(&r->arena,
		"the UID in the token request (%.*s) does not match the UID of "
		"the service account (%.*s)",
		SPAN_ARG(asked), SPAN_ARG(uid)));
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
	return invalid(r, &c, SPAN_NONE);
}

/* ---- the object that it is bound to ---- */

/* The stored object; NULL: there is none. */
static struct node *
read_object(struct request *r, const struct resource *s, struct span ns,
    struct span name)
{
	const struct stored *o = store_get(s->collection, ns, name);

	return o == NULL ? NULL : convert_tree(&r->arena, o);
}

static struct account_ref
ref_to(const struct node *object)
{
	return (struct account_ref){tree_path_text(object, "metadata.name"),
	    tree_path_text(object, "metadata.uid")};
}

/* A Pod may only have tokens of its own account; they name its node. */
static struct problem *
bind_pod(struct request *r, const struct node *pod, struct account_token *t)
{
	struct span account = tree_path_text(pod, "spec.serviceAccountName");
	struct span node = tree_path_text(pod, "spec.nodeName");

	if (!span_eq(account, r->name))
		return problem_bad_request(&r->arena,
		    "cannot bind token for serviceaccount \"%.*s\" to pod "
		    "running with different serviceaccount name.",
		    SPAN_ARG(r->name));
	t->pod = ref_to(pod);
	if (node.n == 0)
		return NULL;
	t->node = ref_to(read_object(
	    r, resource_core(r->api->registry, "nodes"), SPAN_NONE, node));
	t->node.name = node;
	return NULL;
}

static struct problem *
bind(struct request *r, const struct node *ref, struct account_token *t)
{
	static const struct {
		const char *kind, *plural;
	} known[] = {{"Pod", "pods"}, {"Node", "nodes"}, {"Secret", "secrets"}};
	struct span of_kind = tree_text(tree_get(ref, "kind"));
	struct span version = tree_text(tree_get(ref, "apiVersion"));
	struct span name = tree_text(tree_get(ref, "name"));
	struct span uid = tree_text(tree_get(ref, "uid")), live;
	const struct resource *s = NULL;
	struct problem *p = NULL;
	struct node *object;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (span_is(of_kind, known[i].kind) &&
		    span_find(version, '/') == NULL)
			s = resource_core(r->api->registry, known[i].plural);
	if (s == NULL) {
		struct span rest = version, in_group = span_cut(&rest, '/');

		/* "v1" is a version of the core group. */
		if (rest.p == NULL) {
			rest = in_group;
			in_group = span_str("");
		}
		return problem_bad_request(&r->arena,
		    "cannot bind token to object of type %.*s/%.*s, Kind=%.*s",
		    SPAN_ARG(in_group), SPAN_ARG(rest), SPAN_ARG(of_kind));
	}
	object =
	    read_object(r, s, s->namespaced ? r->namespace_ : SPAN_NONE, name);
	if (object == NULL)
		return problem_not_found(&r->arena, s, name);
	if (span_is(of_kind, "Pod"))
		p = bind_pod(r, object, t);
	else if (span_is(of_kind, "Node"))
		t->node = ref_to(object);
	else
		t->secret = ref_to(object);
	live = tree_path_text(object, "metadata.uid");
	if (p != NULL || uid.n == 0 || span_eq(uid, live))
		return p;
	return conflict(r, span_str(""), of_kind, name,
	    arena_printf(&r->arena,
		"the UID in the bound object reference (%.*s) does not match "
		"the UID in record. The object might have been deleted and "
		"then recreated",
		SPAN_ARG(uid)));
}

/* ---- the request ---- */

static void
fill_spec(struct request *r, struct node *object, int64_t *seconds)
{
	struct arena *a = &r->arena;
	struct node *spec = tree_make(a, object, "spec");
	size_t n;
	const struct span *own = accounts_audiences(r->api->accounts, &n);

	*seconds = 3600;
	tree_get_int(tree_get(spec, "expirationSeconds"), seconds);
	tree_put(a, spec, "expirationSeconds", tree_int(a, *seconds));
	if (tree_empty(tree_get(spec, "audiences")))
		tree_put(a, spec, "audiences", tree_strings(a, own, n));
	if (tree_get(spec, "boundObjectRef") == NULL)
		tree_put(a, spec, "boundObjectRef", tree_null(a));
}

static bool
is_for_the_server(struct request *r, const struct node *audiences)
{
	size_t n;
	const struct span *own = accounts_audiences(r->api->accounts, &n);

	for (size_t i = 0; i < tree_count(audiences); i++)
		if (!texts_have(own, n, tree_text(audiences->items[i])))
			return false;
	return true;
}

static struct problem *
make_token(struct request *r, const struct node *spec, int64_t seconds,
    const struct node *account, struct span *token)
{
	const struct node *ref = tree_get(spec, "boundObjectRef");
	struct account_token t = {.namespace_ = r->namespace_,
	    .account = ref_to(account),
	    .audiences = tree_get(spec, "audiences"),
	    .now = clock_real_us() / 1000000};
	struct problem *p = NULL;
	struct err err = ERR_INIT;

	if (tree_is(ref, NODE_OBJECT))
		p = bind(r, ref, &t);
	if (p != NULL)
		return p;
	t.expires = t.now + seconds;
	if (t.pod.name.n > 0 && seconds == WARN_ONLY_S &&
	    is_for_the_server(r, t.audiences)) {
		t.warn_after = t.expires;
		t.expires = t.now + EXTENDED_S;
	}
	if (accounts_sign(r->api->accounts, &r->arena, &t, token, &err) == 0)
		return NULL;
	return problem_make(&r->arena, 500, "InternalError",
	    "Internal error occurred: failed to generate token: %s",
	    err.message);
}

/* *object becomes the answer. */
static struct problem *
request_token(struct request *r, struct write *w, struct node **object)
{
	char *until = arena_alloc(&r->arena, CLOCK_RFC3339_MAX);
	struct arena *a = &r->arena;
	struct node *account, *spec, *m;
	struct stored *stored;
	struct span token;
	int64_t seconds;
	struct problem *p = rest_posted(r, w, object);

	if (p == NULL)
		p = write_check_namespace(w, *object);
	if (p == NULL)
		p = check_name(r, *object);
	if (p == NULL)
		p = write_check_lifecycle(w);
	if (p == NULL)
		p = rest_live(w, &stored, &account);
	if (p == NULL)
		p = check_uid(r, *object, account);
	if (p != NULL)
		return p;
	fill_spec(r, *object, &seconds);
	spec = tree_get(*object, "spec");
	p = check_lifetime(r, seconds);
	if (p == NULL)
		p = make_token(r, spec, seconds, account, &token);
	if (p != NULL)
		return p;
	clock_format_s(clock_real_us() / 1000000 + seconds, until);
	tree_put(a, *object, "status",
	    template_tree(a, "{'token':%,'expirationTimestamp':%}",
		(struct span[]){token, span_str(until)}));
	m = tree_make(a, *object, "metadata");
	tree_put(a, m, "name", tree_string(a, r->name));
	tree_put(a, m, "namespace", tree_string(a, r->namespace_));
	tree_put(a, m, "uid",
	    tree_string(a, tree_path_text(account, "metadata.uid")));
	tree_put(
	    a, m, "creationTimestamp", tree_string(a, objectmeta_time_now(a)));
	return NULL;
}

void
token_serve(struct request *r)
{
	struct problem *p =
	    parameters_of_write(r, "CreateOptions", false, false);
	struct write w = rest_write_of(r);
	struct node *object;

	if (p == NULL)
		p = request_token(r, &w, &object);
	if (p != NULL) {
		reply_problem(r, p);
		return;
	}
	tree_put_first(&r->arena, object, "apiVersion",
	    tree_str(&r->arena, "authentication.k8s.io/v1"));
	tree_put_first(&r->arena, object, "kind", tree_str(&r->arena, kind));
	reply_object(r, 201, object);
}
