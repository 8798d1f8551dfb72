#include "request/clientcert.h"

#include "request/request.h"
#include "request/users.h"

/* Copied: the request may outlive its connection. */
const struct user *
clientcert_user(struct request *r)
{
	const struct httpd_peer *p = httpd_peer(r->exchange);
	struct arena *a = &r->arena;
	struct user *u;
	struct span *groups;
	struct user_extra *e;
	struct span *value;

	if (p == NULL || p->refused || p->name.n == 0)
		return NULL;
	u = arena_zalloc(a, sizeof(*u));
	groups = arena_alloc(a, (p->organization_count + 1) * sizeof(*groups));
	for (size_t i = 0; i < p->organization_count; i++)
		groups[u->group_count++] = arena_span(a, p->organizations[i]);
	groups[u->group_count++] = span_str("system:authenticated");
	u->groups = groups;
	u->name = arena_span(a, p->name);
	u->uid = arena_span(a, p->uid);
	e = arena_alloc(a, sizeof(*e));
	value = arena_alloc(a, sizeof(*value));
	*value = arena_printf(a, "X509SHA256=%.*s", SPAN_ARG(p->sha256));
	*e = (struct user_extra){
	    span_str("authentication.kubernetes.io/credential-id"), value, 1};
	u->extra = e;
	u->extra_count = 1;
	return u;
}

bool
clientcert_refused(const struct request *r)
{
	const struct httpd_peer *p = httpd_peer(r->exchange);

	return p != NULL && p->refused;
}
