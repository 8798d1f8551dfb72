#include "kubelet/kubelet.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kubelet/follower.h"
#include "kubelet/logs.h"
#include "kubelet/podcontainer.h"
#include "kubelet/podstream.h"
#include "reply/reply.h"
#include "rights/authorize.h"
#include "store/store.h"
#include "type/resource.h"
#include "write/convert.h"

enum { PORTS_MAX = 128 }; /* a channel has one byte, a port two of them */

/* NULL, or the problem that the node of the Pod is not there. A Pod that has
 * run needs no Node: a program that plays the kubelet need not create any. */
static struct problem *
check_node(struct request *r, const struct node *pod)
{
	struct span node = tree_path_text(pod, "spec.nodeName");
	const struct resource *nodes = resource_core(r->api->registry, "nodes");

	if (tree_path_text(pod, "status.hostIP").n > 0 ||
	    store_get(nodes->collection, SPAN_NONE, node) != NULL)
		return NULL;
	return problem_not_found(&r->arena, nodes, node);
}

/* ---- logs ---- */

struct log_stream {
	struct podstream stream;
	struct follower follower;
};

static void
log_stop(void *l)
{
	follower_stop(&((struct log_stream *)l)->follower);
}

static void
log_lines(void *arg, struct span lines)
{
	struct podstream *s = &((struct log_stream *)arg)->stream;
	struct text *t = text_make(lines);

	if (httpd_send(s->request->exchange, t) != 0)
		podstream_lost(s);
	text_unref(t);
}

static void
log_end(void *l)
{
	podstream_end(&((struct log_stream *)l)->stream);
}

static void
serve_log(struct request *r, const struct node *pod, struct span container,
    const struct log_options *o)
{
	struct httpd_header headers[REPLY_HEADERS_MAX];
	struct log_stream *l;
	struct problem *p;

	if (!podcontainer_has_host(pod)) {
		reply_with(r, 204, NULL, NULL, 0, NULL);
		return;
	}
	p = check_node(r, pod);
	if (p == NULL)
		p = podcontainer_check_log(r, pod, container, o->previous);
	if (p != NULL)
		reply_problem(r, p);
	if (p != NULL || !podstream_begin(r, 200))
		return;
	l = mem_zalloc(sizeof(*l));
	l->stream = (struct podstream){
	    .request = r, .stop = log_stop, .release = free, .owner = l};
	l->follower = (struct follower){
	    .request = r,
	    .container = container,
	    .options = *o,
	    .on_lines = log_lines,
	    .on_end = log_end,
	    .arg = l,
	};
	httpd_start(
	    r->exchange, 200, headers, reply_headers(r, headers, "text/plain"));
	podstream_start(&l->stream);
	follower_start(&l->follower, pod);
}

/* ---- exec, attach ---- */

static void
serve_process(struct request *r, const struct node *pod, struct span container)
{
	struct podprocess p;

	if (!podprocess_read(&p, r, pod, container))
		podstream_refuse(r, 400,
		    "you must specify at least 1 of stdin, stdout, stderr");
	else if (podcontainer_runs(pod, container)) {
		if (httpd_wants_websocket(r->http))
			channels_run(r, &p);
		else
			streams_run(r, &p);
	} else if (p.attach)
		podstream_refuse(r, 500,
		    arena_printf(&r->arena,
			"container %.*s not found in pod %.*s_%.*s",
			SPAN_ARG(container), SPAN_ARG(r->name),
			SPAN_ARG(r->namespace_))
			.p);
	else
		podstream_refuse(r, 500,
		    arena_printf(&r->arena, "container not found (\"%.*s\")",
			SPAN_ARG(container))
			.p);
}

/* ---- portforward ---- */

static struct problem *
bad_port(struct request *r, struct span text, const char *why)
{
	return problem_bad_request(&r->arena,
	    "cannot convert to []int32: strconv.ParseUint: parsing \"%.*s\": "
	    "%s",
	    SPAN_ARG(text), why);
}

/* Reads ports=, each a list with commas. */
static struct problem *
read_ports(struct request *r, uint16_t *ports, size_t *n)
{
	struct span values[PORTS_MAX];
	size_t count = request_params(r, "ports", values, PORTS_MAX);

	*n = 0;
	for (size_t i = 0; i < count; i++)
		for (struct span rest = values[i]; rest.p != NULL;) {
			struct span text = span_cut(&rest, ',');
			uint64_t port;

			if (!span_is_digits(text))
				return bad_port(r, text, "invalid syntax");
			if (!span_number(text, UINT16_MAX, &port))
				return bad_port(r, text, "value out of range");
			if (*n == PORTS_MAX)
				return problem_bad_request(
				    &r->arena, "too many ports");
			ports[(*n)++] = (uint16_t)port;
		}
	return NULL;
}

static bool
has_ended(const struct node *pod)
{
	const struct node *phase = tree_path(pod, "status.phase");

	return tree_text_is(phase, "Succeeded") ||
	    tree_text_is(phase, "Failed");
}

/* Channels need to know the ports; streams say them themselves. */
static const char *
check_ports(const uint16_t *ports, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ports[i] == 0)
			return "port \"0\" must be > 0";
	return n > 0 ? NULL : "query parameter \"port\" is required";
}

/* ---- all ---- */

/* NULL, or why no stream can be opened to the node. */
static struct problem *
check_stream(struct request *r, const struct node *pod)
{
	struct problem *p;

	if (!podcontainer_has_host(pod))
		return problem_bad_request(&r->arena,
		    "pod %.*s does not have a host assigned",
		    SPAN_ARG(r->name));
	p = check_node(r, pod);
	return p != NULL ? p
	    : r->http->version == 1 &&
		span_has_caseless(
		    httpd_header(r->http, "connection"), "upgrade")
	    ? NULL
	    : problem_bad_request(&r->arena, "Upgrade request required");
}

static void
serve_stream(struct request *r, const struct node *pod)
{
	bool forward = span_is(r->subresource, "portforward");
	struct problem *p = NULL;
	struct span container = SPAN_NONE;
	uint16_t ports[PORTS_MAX];
	size_t n = 0;

	if (forward)
		p = read_ports(r, ports, &n);
	else
		p = podcontainer_choose(r, pod, &container);
	if (p == NULL)
		p = check_stream(r, pod);
	if (p != NULL)
		reply_problem(r, p);
	else if (forward) {
		bool socket = httpd_wants_websocket(r->http);
		bool tunnel = socket && streams_is_tunnel(r);
		const char *bad =
		    socket && !tunnel ? check_ports(ports, n) : NULL;

		if (bad != NULL)
			podstream_refuse(r, 400, bad);
		else if (has_ended(pod))
			podstream_refuse(r, 500,
			    arena_printf(&r->arena,
				"pod not found (\"%.*s_%.*s\")",
				SPAN_ARG(r->name), SPAN_ARG(r->namespace_))
				.p);
		else if (socket && !tunnel)
			channels_forward(r, pod, ports, n);
		else
			streams_forward(r, pod, tunnel);
	} else
		serve_process(r, pod, container);
}

static void
serve_pod(
    struct request *r, const struct node *pod, const struct log_options *o)
{
	struct span container;
	struct problem *p;

	if (!span_is(r->subresource, "log")) {
		serve_stream(r, pod);
		return;
	}
	p = podcontainer_choose(r, pod, &container);
	if (p != NULL)
		reply_problem(r, p);
	else
		serve_log(r, pod, container, o);
}

void
kubelet_serve(struct request *r)
{
	const struct stored *o =
	    store_get(r->resource->collection, r->namespace_, r->name);
	struct log_options options;
	struct problem *p = NULL;

	if (span_is(r->subresource, "log"))
		p = logs_options(r, &options);
	else
		p = authorize_connect(r);
	if (p == NULL && o == NULL)
		p = problem_not_found(&r->arena, r->resource, r->name);
	if (p != NULL)
		reply_problem(r, p);
	else
		serve_pod(r,
		    tree_parse(&r->arena,
			arena_span(&r->arena, text_span(o->json)), TREE_LIMITS,
			NULL, NULL),
		    &options);
}

/* ---- proxy: no process is behind Pods, Services and Nodes.
 * Source: pkg/registry/core/{pod,service,node}. ---- */

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

/* Whether the Service has the port. Every name is taken. */
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

/* The proxy of a Pod or a Node. */
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
