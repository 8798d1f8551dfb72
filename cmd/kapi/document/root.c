#include "document/root.h"

#include <stdlib.h>

#include "base/array.h"
#include "reply/pretty.h"
#include "reply/reply.h"

static int
by_bytes(const void *x, const void *y)
{
	return span_cmp(*(const struct span *)x, *(const struct span *)y);
}

/* /apis/GROUP and /apis/GROUP/VERSION of all that is served, with repetitions.
 */
static size_t
add_groups(struct request *r, struct span **all, size_t n)
{
	const struct registry *g = r->api->registry;
	struct arena *a = &r->arena;
	const struct resource *s;

	for (size_t i = 0; (s = resource_next(g, &i)) != NULL;) {
		if (s->group.n == 0)
			continue;
		*all = arena_grow(a, *all, n, n + 2, sizeof **all);
		(*all)[n++] = arena_printf(a, "/apis/%.*s", SPAN_ARG(s->group));
		(*all)[n++] = arena_printf(a, "/apis/%.*s/%.*s",
		    SPAN_ARG(s->group), SPAN_ARG(s->version));
	}
	return n;
}

bool
root_serve(struct request *r)
{
	static const char *const fixed[] = {"/.well-known/openid-configuration",
	    "/api", "/api/v1", "/apis", "/apis/", "/healthz", "/healthz/etcd",
	    "/healthz/log", "/healthz/ping", "/livez", "/livez/etcd",
	    "/livez/log", "/livez/ping", "/metrics", "/openapi/v2",
	    "/openapi/v3", "/openapi/v3/", "/openid/v1/jwks", "/readyz",
	    "/readyz/etcd", "/readyz/log", "/readyz/ping", "/version"};
	struct arena *a = &r->arena;
	struct node *paths = tree_array(a), *object = tree_object(a);
	struct buf compact = BUF_INIT, pretty = BUF_INIT;
	struct span *all;
	size_t n = COUNT(fixed);

	if (!span_is(r->path, "/") && !span_is(r->path, "/index.html"))
		return false;
	all = arena_alloc(a, n * sizeof *all);
	for (size_t i = 0; i < n; i++)
		all[i] = span_str(fixed[i]);
	n = add_groups(r, &all, n);
	qsort(all, n, sizeof *all, by_bytes);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || !span_eq(all[i], all[i - 1]))
			tree_append(a, paths, tree_string(a, all[i]));
	tree_put(a, object, "paths", paths);
	tree_write(&compact, object);
	/* Whatever was asked for. */
	pretty_json(&pretty, buf_span(&compact));
	reply_typed(r, 200, "application/json", buf_span(&pretty));
	buf_release(&compact);
	buf_release(&pretty);
	return true;
}
