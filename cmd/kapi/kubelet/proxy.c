/*
 * Part of kubelet/kubelet.h. proxy of Pods, Services and Nodes.
 * Source: pkg/registry/core/{pod,service,node}.
 */
#include <string.h>

#include "kubelet/kubelet.h"
#include "reply/reply.h"
#include "store/store.h"
#include "type/resource.h"
#include "write/convert.h"

/* SCHEME:NAME:PORT, NAME:PORT or NAME. False: neither. */
static bool
split_service(struct span text, struct span *name, struct span *port)
{
	struct span rest = text, first = span_cut(&rest, ':');
	struct span second = span_cut(&rest, ':');

	*name = first;
	*port = second;
	if (rest.n == 0)
		return first.n > 0;
	*name = second;
	*port = rest;
	return (first.n == 0 || span_is(first, "http") ||
		   span_is(first, "https")) &&
	    second.n > 0 && memchr(rest.p, ':', rest.n) == NULL;
}

/* A number has to be that of a port; any name will do. */
static bool
has_port(const struct node *service, struct span port)
{
	const struct node *all = tree_path(service, "spec.ports");
	uint64_t wanted;
	int64_t number;

	if (!span_is_digits(port))
		return true;
	if (!span_number(port, UINT16_MAX, &wanted))
		return false;
	for (size_t i = 0; i < tree_count(all); i++)
		if (tree_get_int(tree_get(all->items[i], "port"), &number) &&
		    (uint64_t)number == wanted)
			return true;
	return false;
}

/* No pod answers, so no Service has endpoints. */
static struct problem *
service_proxy(struct request *r)
{
	struct span asked = r->name, name, port;
	const struct stored *o;

	if (!split_service(asked, &name, &port))
		return problem_bad_request(&r->arena,
		    "invalid service request \"%.*s\"", SPAN_ARG(asked));
	o = store_get(r->resource->collection, r->namespace_, name);
	if (o == NULL)
		return problem_not_found(&r->arena, r->resource, name);
	if (!has_port(convert_tree(&r->arena, o), port))
		return problem_make(&r->arena, 503, "ServiceUnavailable",
		    "no service port %.*s found for service \"%.*s\"",
		    SPAN_ARG(port), SPAN_ARG(name));
	return problem_make(&r->arena, 503, "ServiceUnavailable",
	    "no endpoints available for service \"%.*s\"", SPAN_ARG(name));
}

/* Of a Pod or a Node. */
static struct problem *
object_proxy(struct request *r)
{
	const struct stored *o =
	    store_get(r->resource->collection, r->namespace_, r->name);

	if (o == NULL)
		return problem_not_found(&r->arena, r->resource, r->name);
	if (span_is(r->plural, "pods") &&
	    tree_path_text(convert_tree(&r->arena, o), "status.podIP").n == 0)
		return problem_bad_request(&r->arena, "address not allowed");
	return problem_make(&r->arena, 501, "NotImplemented",
	    "kapi runs no containers: proxy is not served");
}

void
kubelet_serve_proxy(struct request *r)
{
	reply_problem(r,
	    span_is(r->plural, "services") ? service_proxy(r)
					   : object_proxy(r));
}
