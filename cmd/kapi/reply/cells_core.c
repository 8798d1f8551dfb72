/* Part of reply/cells.h: kinds of the core group. */
#include "reply/cells.h"

#include <inttypes.h>
#include <string.h>

/* ---- services ---- */

static struct span
join(struct arena *a, const struct node *list)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < tree_count(list); i++) {
		if (i > 0)
			buf_addc(&b, ',');
		buf_addspan(&b, tree_text(list->items[i]));
	}
	return tree_keep(a, &b);
}

/* Addresses of a load balancer, sorted. */
static struct span
balancer_addresses(struct cells *c)
{
	const struct node *list =
	    tree_path(c->object, "status.loadBalancer.ingress");
	size_t n = tree_count(list), used = 0;
	struct span *items = arena_alloc(c->arena, (n + 1) * sizeof(*items));

	for (size_t i = 0; i < n; i++) {
		struct span ip = tree_text(tree_get(list->items[i], "ip"));

		if (ip.n == 0)
			ip = tree_text(tree_get(list->items[i], "hostname"));
		if (ip.n > 0)
			items[used++] = ip;
	}
	return cells_join(c->arena, items, used, ",");
}

void
cell_balancer(struct cells *c)
{
	cell_text(c, balancer_addresses(c));
}

static struct span
external_ip(struct cells *c)
{
	struct span type = tree_path_text(c->object, "spec.type");
	struct span ips =
	    join(c->arena, tree_path(c->object, "spec.externalIPs"));
	struct span balanced;

	if (span_is(type, "ClusterIP") || span_is(type, "NodePort"))
		return ips.n > 0 ? ips : span_str("<none>");
	if (span_is(type, "ExternalName"))
		return tree_path_text(c->object, "spec.externalName");
	if (!span_is(type, "LoadBalancer"))
		return span_str("<unknown>");
	balanced = balancer_addresses(c);
	if (ips.n == 0)
		return balanced.n > 0 ? balanced : span_str("<pending>");
	return arena_printf(c->arena, "%.*s%s%.*s", SPAN_ARG(balanced),
	    balanced.n > 0 ? "," : "", SPAN_ARG(ips));
}

void
cell_external_ip(struct cells *c)
{
	cell_text(c, external_ip(c));
}

void
cell_ports(struct cells *c)
{
	const struct node *ports = tree_path(c->object, "spec.ports");
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < tree_count(ports); i++) {
		const struct node *p = ports->items[i];

		buf_addf(&b, "%s%" PRId64, i > 0 ? "," : "",
		    tree_path_int(p, "port"));
		if (tree_path_int(p, "nodePort") > 0)
			buf_addf(&b, ":%" PRId64, tree_path_int(p, "nodePort"));
		buf_addc(&b, '/');
		buf_addspan(&b, tree_text(tree_get(p, "protocol")));
	}
	cell_text(c, b.len > 0 ? buf_span(&b) : span_str("<none>"));
	buf_release(&b);
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
	    SPAN_ARG(ip), tree_path_int(port, "port"));
}

void
cell_endpoints(struct cells *c)
{
	const struct node *subsets = tree_get(c->object, "subsets");
	struct buf b = BUF_INIT;
	size_t count = 0;

	for (size_t i = 0; i < tree_count(subsets); i++) {
		const struct node *s = subsets->items[i];
		const struct node *ips = tree_get(s, "addresses");
		const struct node *ports = tree_get(s, "ports");
		size_t n = tree_count(ports);

		for (size_t k = 0; k < (n == 0 ? 1 : n); k++)
			for (size_t j = 0; j < tree_count(ips); j++) {
				struct span ip =
				    tree_text(tree_get(ips->items[j], "ip"));

				add_shown(&b, &count,
				    n == 0 ? ip
					   : host_port(c, ip, ports->items[k]));
			}
	}
	cell_more(c, &b, count, tree_count(subsets) == 0 ? "<none>" : "");
}

static struct span
port_text(struct cells *c, const struct node *port)
{
	if (tree_get(port, "port") != NULL)
		return arena_printf(
		    c->arena, "%" PRId64, tree_path_int(port, "port"));
	return tree_get(port, "name") != NULL
	    ? tree_text(tree_get(port, "name"))
	    : span_str("*");
}

void
cell_slice_ports(struct cells *c)
{
	const struct node *ports = tree_get(c->object, "ports");
	struct buf b = BUF_INIT;
	size_t count = 0;

	for (size_t i = 0; i < tree_count(ports); i++)
		add_shown(&b, &count, port_text(c, ports->items[i]));
	cell_more(c, &b, count, "<unset>");
}

void
cell_slice_addresses(struct cells *c)
{
	const struct node *ends = tree_get(c->object, "endpoints");
	struct buf b = BUF_INIT;
	size_t count = 0;

	for (size_t i = 0; i < tree_count(ends); i++) {
		const struct node *ips = tree_get(ends->items[i], "addresses");

		for (size_t j = 0; j < tree_count(ips); j++)
			add_shown(&b, &count, tree_text(ips->items[j]));
	}
	cell_more(c, &b, count, "<unset>");
}

/* ---- ingresses ---- */

void
cell_hosts(struct cells *c)
{
	const struct node *rules = tree_path(c->object, "spec.rules");
	struct buf b = BUF_INIT;
	size_t shown = 0;
	bool more = false;

	for (size_t i = 0; i < tree_count(rules); i++) {
		struct span host = tree_text(tree_get(rules->items[i], "host"));

		more = more || shown == SHOWN;
		if (!more && host.n > 0)
			add_shown(&b, &shown, host);
	}
	if (more)
		buf_addf(&b, " + %zu more...", tree_count(rules) - SHOWN);
	cell_text(c, b.len > 0 ? buf_span(&b) : span_str("*"));
	buf_release(&b);
}

void
cell_tls_ports(struct cells *c)
{
	cell_str(c,
	    tree_count(tree_path(c->object, "spec.tls")) > 0 ? "80, 443"
							     : "80");
}

/* The parameters of an IngressClass: KIND.GROUP/NAME. */
void
cell_parameters(struct cells *c)
{
	const struct node *p = tree_path(c->object, "spec.parameters");
	struct span group = tree_text(tree_get(p, "apiGroup"));

	if (p == NULL)
		cell_str(c, "<none>");
	else
		cell_text(c,
		    arena_printf(c->arena, "%.*s%s%.*s/%.*s",
			SPAN_ARG(tree_text(tree_get(p, "kind"))),
			tree_get(p, "apiGroup") != NULL ? "." : "",
			SPAN_ARG(group),
			SPAN_ARG(tree_text(tree_get(p, "name")))));
}

/* ---- configuration ---- */

/* The amounts of a quota whose names begin with "limits.", or the others. */
void
cell_quota(struct cells *c)
{
	const struct node *hard = tree_path(c->object, "status.hard");
	const struct node *used = tree_path(c->object, "status.used");
	size_t n = tree_count(hard), k = 0;
	struct span *items = arena_alloc(c->arena, (n + 1) * sizeof(*items));

	for (size_t i = 0; i < n; i++) {
		struct span key = hard->members[i].key;
		struct span have = tree_text(tree_get_span(used, key));
		bool is = key.n > 7 && memcmp(key.p, "limits.", 7) == 0;

		if (is == (*c->path != '\0'))
			items[k++] = arena_printf(c->arena, "%.*s: %.*s/%.*s",
			    SPAN_ARG(key),
			    SPAN_ARG(have.n > 0 ? have : span_str("0")),
			    SPAN_ARG(tree_text(hard->members[i].value)));
	}
	cell_text(c, cells_join(c->arena, items, k, ", "));
}

/* The real server, too, has an age without a column for it. */
void
cells_ipaddress(struct cells *c)
{
	const struct node *ref = tree_path(c->object, "spec.parentRef");
	struct span group = tree_text(tree_get(ref, "group"));
	struct span namespace_ = tree_text(tree_get(ref, "namespace"));

	cell_name(c);
	cell_fmt(c, "%.*s%s%.*s/%.*s%s%.*s",
	    SPAN_ARG(tree_text(tree_get(ref, "resource"))),
	    group.n > 0 ? "." : "", SPAN_ARG(group), SPAN_ARG(namespace_),
	    namespace_.n > 0 ? "/" : "",
	    SPAN_ARG(tree_text(tree_get(ref, "name"))));
	cell_age(c);
}
