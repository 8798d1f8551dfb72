/* Part of rights/authorize.h: impersonation. */
#include "rights/authorize.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/buf.h"
#include "request/users.h"
#include "rights/rights.h"
#include "text/gotext.h"
#include "text/texts.h"
#include "value/dnsname.h"

static const char all_users[] = "system:authenticated";
static const char no_users[] = "system:unauthenticated";

static void
add_span(struct arena *a, const struct span **list, size_t *n, struct span s)
{
	struct span *grown = arena_more(a, (void *)*list, *n, sizeof(s));

	grown[(*n)++] = s;
	*list = grown;
}

static void
add_group(struct request *r, struct user *u, struct span name)
{
	add_span(&r->arena, &u->groups, &u->group_count, name);
}

/* ---- a user who is missing ---- */

static void
add_go_texts(
    struct request *r, struct buf *b, const struct span *list, size_t n)
{
	buf_adds(b, "[]string");
	if (n == 0)
		buf_adds(b, "(nil)");
	for (size_t i = 0; i < n; i++) {
		buf_adds(b, i == 0 ? "{" : ", ");
		buf_addspan(b, gotext_quote(&r->arena, list[i]));
	}
	if (n > 0)
		buf_addc(b, '}');
}

/* Like Go's %#v prints a user.DefaultInfo. */
static struct problem *
refuse(struct request *r, const struct user *u)
{
	struct buf b = BUF_INIT;
	struct problem *p;

	buf_adds(&b, "&user.DefaultInfo{Name:\"\", UID:");
	buf_addspan(&b, gotext_quote(&r->arena, u->uid));
	buf_adds(&b, ", Groups:");
	add_go_texts(r, &b, u->groups, u->group_count);
	buf_adds(&b, ", Extra:map[string][]string");
	if (u->extra_count == 0)
		buf_adds(&b, "(nil)");
	for (size_t i = 0; i < u->extra_count; i++) {
		buf_adds(&b, i == 0 ? "{" : ", ");
		buf_addspan(&b, gotext_quote(&r->arena, u->extra[i].key));
		buf_addc(&b, ':');
		add_go_texts(r, &b, u->extra[i].values, u->extra[i].count);
	}
	if (u->extra_count > 0)
		buf_addc(&b, '}');
	buf_addc(&b, '}');
	p = problem_bad_request(&r->arena,
	    "requested %s without impersonating a user name", buf_str(&b));
	buf_release(&b);
	return p;
}

/* ---- groups that follow from the name ---- */

/* system:serviceaccount:NAMESPACE:NAME; sets the namespace. */
static bool
is_service_account(struct span name, struct span *namespace)
{
	if (!span_take(&name, "system:serviceaccount:"))
		return false;
	*namespace = span_cut(&name, ':');
	return namespace->n <= DNSNAME_LABEL_MAX &&
	    dnsname_is_label(*namespace) && name.n <= DNSNAME_SUBDOMAIN_MAX &&
	    dnsname_is_subdomain(name);
}

static void
add_groups(struct request *r, struct user *u)
{
	struct span ns;
	const char *which =
	    span_is(u->name, "system:anonymous") ? no_users : all_users;

	if (u->group_count == 0 && is_service_account(u->name, &ns)) {
		struct buf b = BUF_INIT;

		buf_adds(&b, "system:serviceaccounts:");
		buf_addspan(&b, ns);
		add_group(r, u, span_str("system:serviceaccounts"));
		add_group(r, u, arena_span(&r->arena, buf_span(&b)));
		buf_release(&b);
	}
	if (!users_has_group(u, span_str(all_users)) &&
	    !users_has_group(u, span_str(no_users)))
		add_group(r, u, span_str(which));
}

/* ---- whether they may ---- */

/* Constrained impersonation: what kind of user it is decides the mode. */
struct way {
	struct request *r;
	const struct user *wanted;
	const char *mode; /* NULL: the old, unconstrained way */
};

static struct problem *
may(const struct way *w, struct action x)
{
	struct request *r = w->r;
	struct span reason;

	x.user = r->identity;
	if (rights_allow(r->api->rights, &r->arena, &x, &reason))
		return NULL;
	return authorize_forbidden(&r->arena, &x, reason);
}

static const char authentication[] = "authentication.k8s.io";

/* The action of impersonating a part of the wanted user. moved: users and
 * groups are in another API group if impersonation is constrained. */
static struct action
part(const struct way *w, const char *plural, struct span name, bool moved)
{
	return (struct action){.verb = w->mode == NULL
		? span_str("impersonate")
		: arena_printf(&w->r->arena, "impersonate:%s", w->mode),
	    .on_resource = true,
	    .group = span_str(moved && w->mode == NULL ? "" : authentication),
	    .plural = span_str(plural),
	    .name = name};
}

static struct action
user_part(const struct way *w)
{
	struct action x = part(w, "users", w->wanted->name, true);
	struct span name = w->wanted->name, ns;

	if (is_service_account(name, &ns)) {
		x.plural = span_str("serviceaccounts");
		x.namespace_ = ns;
		span_take(&name, "system:serviceaccount:");
		span_cut(&name, ':');
		x.name = name;
	} else if (w->mode != NULL && span_take(&name, "system:node:")) {
		x.plural = span_str("nodes");
		x.name = name;
	}
	return x;
}

static struct problem *
check_group(const struct way *w, struct span name)
{
	struct action x = part(w, "groups", name, true);
	const char *why = NULL;

	x.user = w->r->identity;
	if (w->mode != NULL && name.n == 0)
		why = "impersonating the empty string group is not allowed";
	else if (w->mode != NULL && span_is(name, "system:masters"))
		why = "impersonating the system:masters group is not allowed";
	return why != NULL
	    ? authorize_forbidden(&w->r->arena, &x, span_str(why))
	    : may(w, x);
}

static struct problem *
check_parts(const struct way *w)
{
	const struct user *u = w->wanted;
	struct problem *p = may(w, user_part(w));

	if (p == NULL && u->uid.n > 0)
		p = may(w, part(w, "uids", u->uid, false));
	for (size_t i = 0; p == NULL && i < u->group_count; i++)
		p = check_group(w, u->groups[i]);
	for (size_t i = 0; i < u->extra_count; i++)
		for (size_t j = 0; p == NULL && j < u->extra[i].count; j++) {
			struct action x =
			    part(w, "userextras", u->extra[i].values[j], false);

			x.subresource = u->extra[i].key;
			p = may(w, x);
		}
	return p;
}

/* The mode for this user; NULL: there is none. */
static const char *
mode_of(const struct user *u)
{
	bool name_only = u->uid.n + u->group_count + u->extra_count == 0;
	struct span ns;

	if (is_service_account(u->name, &ns))
		return name_only ? "serviceaccount" : NULL;
	if (span_starts(u->name, "system:node:"))
		return name_only ? "arbitrary-node" : NULL;
	return "user-info";
}

static struct problem *
check_constrained(const struct way *w)
{
	struct action x = authorize_action(w->r);
	struct problem *p;

	x.verb = arena_printf(
	    &w->r->arena, "impersonate-on:%s:%.*s", w->mode, SPAN_ARG(x.verb));
	p = may(w, x);
	return p == NULL ? check_parts(w) : p;
}

/* NULL, or the first refusal. *node: the client may only act as a node. */
static struct problem *
check_rights(struct request *r, const struct user *u, bool *node)
{
	struct way w = {r, u, mode_of(u)};
	struct problem *first = NULL, *p;

	*node = false;
	/* A user with all rights needs no other check. */
	if (r->api->rights == NULL || rights_is_superuser(r->identity))
		return NULL;
	if (w.mode != NULL) {
		first = check_constrained(&w);
		*node = first == NULL &&
		    span_is(span_str(w.mode), "arbitrary-node");
		if (first == NULL)
			return NULL;
	}
	w.mode = NULL;
	p = check_parts(&w);
	return p == NULL || first == NULL ? p : first;
}

struct problem *
impersonate(struct request *r)
{
	struct user *u = arena_zalloc(&r->arena, sizeof(*u));
	struct problem *p;
	bool node;

	/* Whether any header is there, and has a value. */
	for (size_t i = 0; i < r->http->header_count; i++) {
		struct span key = r->http->headers[i].name;
		struct span value = r->http->headers[i].value;

		if (!span_take(&key, "impersonate-"))
			continue;
		if (span_is(key, "user") && u->name.n == 0)
			u->name = value;
		else if (span_is(key, "uid") && u->uid.n == 0)
			u->uid = value;
		else if (span_is(key, "group"))
			add_group(r, u, value);
		else if (span_take(&key, "extra-")) {
			/* key is of a header's name: a / in it is written as
			 * %2F. */
			struct span decoded =
			    request_decode(&r->arena, key, false);
			struct user_extra *list = (struct user_extra *)u->extra,
					  *e = NULL;

			if (decoded.p == NULL)
				decoded = key;
			for (size_t k = 0; k < u->extra_count && e == NULL; k++)
				if (span_eq(list[k].key, decoded))
					e = &list[k];
			if (e == NULL) {
				list = arena_more(&r->arena, list,
				    u->extra_count, sizeof(*list));
				e = &list[u->extra_count++];
				*e = (struct user_extra){.key = decoded};
				u->extra = list;
			}
			add_span(&r->arena, &e->values, &e->count, value);
		}
	}
	if (u->extra_count > 0)
		qsort((void *)u->extra, u->extra_count, sizeof(*u->extra),
		    texts_cmp);
	if (u->name.n + u->uid.n + u->group_count + u->extra_count <= 0)
		return NULL;
	if (u->name.n == 0)
		return refuse(r, u);
	p = check_rights(r, u, &node);
	if (p != NULL)
		return p;
	if (node)
		add_group(r, u, span_str("system:nodes"));
	add_groups(r, u);
	r->identity = u;
	r->user = u->name;
	return NULL;
}
