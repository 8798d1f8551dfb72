#include "reply/cells.h"

#include <inttypes.h>
#include <string.h>

/* ---- services ---- */

static struct span
join(struct arena *a, const struct node *list)
{
	struct buf b = BUF_INIT;
	struct span s;

	for (size_t i = 0; i < node_count(list); i++) {
		if (i > 0)
			buf_addc(&b, ',');
		buf_addspan(&b, node_text(list->items[i]));
	}
	s = arena_span(a, buf_span(&b));
	buf_release(&b);
	return s;
}

/* Addresses of a load balancer, sorted. */
static struct span
ingress_addresses(struct cells *c)
{
	const struct node *list =
	    node_path(c->object, "status.loadBalancer.ingress");
	size_t n = node_count(list), used = 0;
	struct span *items = arena_alloc(c->arena, (n + 1) * sizeof(*items));

	for (size_t i = 0; i < n; i++) {
		struct span ip = node_text(node_get(list->items[i], "ip"));

		if (ip.n == 0)
			ip = node_text(node_get(list->items[i], "hostname"));
		if (ip.n > 0)
			items[used++] = ip;
	}
	return join_sorted(c->arena, items, used, ",");
}

static struct span
external_ip(struct cells *c)
{
	struct span type = node_path_text(c->object, "spec.type");
	struct span ips =
	    join(c->arena, node_path(c->object, "spec.externalIPs"));
	struct span balanced;

	if (span_is(type, "ClusterIP") || span_is(type, "NodePort"))
		return ips.n > 0 ? ips : span_str("<none>");
	if (span_is(type, "ExternalName"))
		return node_path_text(c->object, "spec.externalName");
	if (!span_is(type, "LoadBalancer"))
		return span_str("<unknown>");
	balanced = ingress_addresses(c);
	if (ips.n == 0)
		return balanced.n > 0 ? balanced : span_str("<pending>");
	return arena_printf(c->arena, "%.*s%s%.*s", SPAN_ARG(balanced),
	    balanced.n > 0 ? "," : "", SPAN_ARG(ips));
}

static void
service_ports(struct cells *c)
{
	const struct node *ports = node_path(c->object, "spec.ports");
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < node_count(ports); i++) {
		const struct node *p = ports->items[i];

		buf_addf(
		    &b, "%s%" PRId64, i > 0 ? "," : "", cells_int(p, "port"));
		if (cells_int(p, "nodePort") > 0)
			buf_addf(&b, ":%" PRId64, cells_int(p, "nodePort"));
		buf_addc(&b, '/');
		buf_addspan(&b, node_text(node_get(p, "protocol")));
	}
	cell_text(c, b.len > 0 ? buf_span(&b) : span_str("<none>"));
	buf_release(&b);
}

void
cells_service(struct cells *c)
{
	const struct node *ips = node_path(c->object, "spec.clusterIPs");

	cell_name(c);
	cell_path(c, "spec.type", "");
	cell_text(c,
	    node_count(ips) > 0 ? node_text(ips->items[0])
				: span_str("<none>"));
	cell_text(c, external_ip(c));
	service_ports(c);
	cell_age(c);
	cell_text(
	    c, labels_text(c->arena, node_path(c->object, "spec.selector")));
}

/* ---- endpoints ---- */

enum { SHOWN = 3 };

static void
cell_more(struct cells *c, struct buf *b, size_t count, const char *none)
{
	if (count > SHOWN)
		buf_addf(b, " + %zu more...", count - SHOWN);
	cell_text(c, b->len > 0 ? buf_span(b) : span_str(none));
	buf_release(b);
}

static void
add_shown(struct buf *b, size_t *count, struct span text)
{
	if ((*count)++ >= SHOWN)
		return;
	if (b->len > 0)
		buf_addc(b, ',');
	buf_addspan(b, text);
}

static struct span
host_port(struct cells *c, struct span ip, const struct node *port)
{
	bool six = ip.n > 0 && memchr(ip.p, ':', ip.n) != NULL;

	return arena_printf(c->arena, six ? "[%.*s]:%" PRId64 : "%.*s:%" PRId64,
	    SPAN_ARG(ip), cells_int(port, "port"));
}

void
cells_endpoints(struct cells *c)
{
	const struct node *subsets = node_get(c->object, "subsets");
	struct buf b = BUF_INIT;
	size_t count = 0;

	for (size_t i = 0; i < node_count(subsets); i++) {
		const struct node *s = subsets->items[i];
		const struct node *ips = node_get(s, "addresses");
		const struct node *ports = node_get(s, "ports");
		size_t n = node_count(ports);

		for (size_t k = 0; k < (n == 0 ? 1 : n); k++)
			for (size_t j = 0; j < node_count(ips); j++) {
				struct span ip =
				    node_text(node_get(ips->items[j], "ip"));

				add_shown(&b, &count,
				    n == 0 ? ip
					   : host_port(c, ip, ports->items[k]));
			}
	}
	cell_name(c);
	cell_more(c, &b, count, node_count(subsets) == 0 ? "<none>" : "");
	cell_age(c);
}

static struct span
port_text(struct cells *c, const struct node *port)
{
	if (node_get(port, "port") != NULL)
		return arena_printf(
		    c->arena, "%" PRId64, cells_int(port, "port"));
	return node_get(port, "name") != NULL
	    ? node_text(node_get(port, "name"))
	    : span_str("*");
}

void
cells_endpointslice(struct cells *c)
{
	const struct node *ports = node_get(c->object, "ports");
	const struct node *ends = node_get(c->object, "endpoints");
	struct buf b = BUF_INIT;
	size_t count = 0;

	cell_name(c);
	cell_path(c, "addressType", "");
	for (size_t i = 0; i < node_count(ports); i++)
		add_shown(&b, &count, port_text(c, ports->items[i]));
	cell_more(c, &b, count, "<unset>");
	count = 0;
	for (size_t i = 0; i < node_count(ends); i++) {
		const struct node *ips = node_get(ends->items[i], "addresses");

		for (size_t j = 0; j < node_count(ips); j++)
			add_shown(&b, &count, node_text(ips->items[j]));
	}
	cell_more(c, &b, count, "<unset>");
	cell_age(c);
}

/* ---- ingresses ---- */

void
cells_ingress(struct cells *c)
{
	const struct node *rules = node_path(c->object, "spec.rules");
	struct buf b = BUF_INIT;
	size_t shown = 0;
	bool more = false;

	cell_name(c);
	cell_path(c, "spec.ingressClassName", "<none>");
	for (size_t i = 0; i < node_count(rules); i++) {
		struct span host = node_text(node_get(rules->items[i], "host"));

		more = more || shown == SHOWN;
		if (!more && host.n > 0)
			add_shown(&b, &shown, host);
	}
	if (more)
		buf_addf(&b, " + %zu more...", node_count(rules) - SHOWN);
	cell_text(c, b.len > 0 ? buf_span(&b) : span_str("*"));
	buf_release(&b);
	cell_text(c, ingress_addresses(c));
	cell_str(c,
	    node_count(node_path(c->object, "spec.tls")) > 0 ? "80, 443"
							     : "80");
	cell_age(c);
}

static bool
is_default(const struct node *object, const char *annotation)
{
	const struct node *a = node_path(object, "metadata.annotations");

	return node_text_is(node_get(a, annotation), "true");
}

static void
cell_default_name(struct cells *c, bool is)
{
	cell_text(c,
	    arena_printf(c->arena, "%.*s%s",
		SPAN_ARG(node_path_text(c->object, "metadata.name")),
		is ? " (default)" : ""));
}

void
cells_ingressclass(struct cells *c)
{
	const struct node *p = node_path(c->object, "spec.parameters");
	struct span group = node_text(node_get(p, "apiGroup"));

	cell_default_name(c,
	    is_default(
		c->object, "ingressclass.kubernetes.io/is-default-class"));
	cell_path(c, "spec.controller", "");
	if (p == NULL)
		cell_str(c, "<none>");
	else
		cell_text(c,
		    arena_printf(c->arena, "%.*s%s%.*s/%.*s",
			SPAN_ARG(node_text(node_get(p, "kind"))),
			node_get(p, "apiGroup") != NULL ? "." : "",
			SPAN_ARG(group),
			SPAN_ARG(node_text(node_get(p, "name")))));
	cell_age(c);
}

/* ---- configuration ---- */

void
cells_configmap(struct cells *c)
{
	cell_name(c);
	cell_int(c,
	    (int64_t)(node_count(node_get(c->object, "data")) +
		node_count(node_get(c->object, "binaryData"))));
	cell_age(c);
}

static void
quota_column(struct cells *c, bool limits)
{
	const struct node *hard = node_path(c->object, "status.hard");
	const struct node *used = node_path(c->object, "status.used");
	size_t n = node_count(hard), k = 0;
	struct span *items = arena_alloc(c->arena, (n + 1) * sizeof(*items));

	for (size_t i = 0; i < n; i++) {
		struct span key = hard->members[i].key;
		struct span have = node_text(node_get_span(used, key));
		bool is = key.n > 7 && memcmp(key.p, "limits.", 7) == 0;

		if (is == limits)
			items[k++] = arena_printf(c->arena, "%.*s: %.*s/%.*s",
			    SPAN_ARG(key),
			    SPAN_ARG(have.n > 0 ? have : span_str("0")),
			    SPAN_ARG(node_text(hard->members[i].value)));
	}
	cell_text(c, join_sorted(c->arena, items, k, ", "));
}

void
cells_quota(struct cells *c)
{
	cell_name(c);
	quota_column(c, false);
	quota_column(c, true);
	cell_age(c);
}
