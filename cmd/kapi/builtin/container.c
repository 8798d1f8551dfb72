/*
 * Part of builtin/topics.h. What rules.txt calls for containers, volumes and
 * resources. Source: validateContainerCommon and what it calls.
 */
#include "builtin/topics.h"

#include "base/array.h"

/* The name of an environment variable: printable ASCII without "=". */
void
container_env_name(const struct rule_run *run, const struct rule_place *p)
{
	struct span s = tree_text(p->n);
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < ' ' || s.p[i] > '~' || s.p[i] == '=') {
			rule_fail_text(run->causes, p->at, s,
			    "a valid environment variable name must consist "
			    "only of printable ASCII characters other than "
			    "'='");
			return;
		}
}

static const struct node *
volume_of(const struct node *volumes, const struct node *name)
{
	const struct node *v;

	for (size_t i = 0; (v = builtin_item(volumes, i)) != NULL; i++)
		if (span_eq(tree_text(rule_given(v, "name")), tree_text(name)))
			return v;
	return NULL;
}

/* A device of volumeDevices of a container. */
void
container_device(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	const struct at *at = AT(p->at, "name");
	const struct node *name = rule_given(p->n, "name"), *volume = NULL;
	const struct node *spec = p->outer->outer->outer->outer->n;

	if (tree_empty(name))
		rule_fail_required(c, at, "");
	else
		volume = volume_of(rule_given(spec, "volumes"), name);
	if (volume == NULL)
		rule_fail_not_found(c, at, name);
	else if (rule_given(volume, "persistentVolumeClaim") == NULL &&
	    rule_given(volume, "ephemeral") == NULL)
		rule_fail_invalid(c, at, name,
		    "can only use volume source type of PersistentVolumeClaim "
		    "or Ephemeral for block mode");
	if (tree_empty(rule_given(p->n, "devicePath")))
		rule_fail_required(c, AT(p->at, "devicePath"), "");
}

void
container_image(const struct rule_run *run, const struct rule_place *p)
{
	struct span s = tree_text(p->n);

	if (s.n > 0 && (s.p[0] <= ' ' || s.p[s.n - 1] <= ' '))
		rule_fail_text(run->causes, p->at, s,
		    "must not have leading or trailing whitespace");
}

void
container_host_ports(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	const struct node *all = p->n;
	const struct node *ports, *port;
	struct map places = MAP_INIT;
	struct span place;
	int64_t n;

	for (size_t i = 0; i < tree_count(all); i++) {
		ports = rule_given(all->items[i], "ports");
		for (size_t k = 0; (port = builtin_item(ports, k)) != NULL;
		     k++) {
			n = rule_int(port, "hostPort", 0);
			if (n == 0)
				continue;
			place = arena_printf(c->arena, "%.*s/%.*s/%lld",
			    SPAN_ARG(tree_text(rule_given(port, "protocol"))),
			    SPAN_ARG(tree_text(rule_given(port, "hostIP"))),
			    (long long)n);
			if (!rule_seen_before(&places, place))
				continue;
			cause_duplicate(c,
			    rule_at_words(c->arena,
				AT(AT_INDEX(AT(AT_INDEX(p->at, i), "ports"), k),
				    "hostPort")),
			    tree_string(c->arena, place));
		}
	}
	map_release(&places);
}

/* A search path of dnsConfig. */
void
container_search_path(const struct rule_run *run, const struct rule_place *p)
{
	struct span s = tree_text(p->n);

	if (span_is(s, "."))
		return;
	if (s.n > 0 && s.p[s.n - 1] == '.')
		s.n--;
	rule_dns_search(run->causes, p->at, s);
}

/* ---- resources ---- */

static bool
overcommit_allowed(struct span s)
{
	return !span_starts(s, "hugepages-") &&
	    (span_find(s, '/') == NULL ||
		memmem(s.p, s.n, "kubernetes.io/", 14) != NULL);
}

static void
volume_quantities(
    struct causes *c, const struct at *at, const struct node *list)
{
	struct quantity q;

	for (size_t i = 0; i < tree_count(list); i++) {
		struct span key = list->members[i].key;
		const struct at *here = AT_KEY(at, key);
		limits_check_name(c, here, key, true);
		if (!rule_quantity_get(list->members[i].value, &q))
			continue;
		if (quantity_sign(&q) < 0)
			rule_fail_invalid(c, here, list->members[i].value,
			    "must be greater than or equal to 0");
		else if (!overcommit_allowed(key) && q.scale < 0)
			rule_fail_invalid(c, here, list->members[i].value,
			    "must be an integer");
	}
}

void
container_resources(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	const struct at *at = p->at;
	const struct node *resources = p->n;
	const struct node *limits = rule_given(resources, "limits");
	const struct node *requests = rule_given(resources, "requests");

	volume_quantities(c, AT(at, "limits"), limits);
	volume_quantities(c, AT(at, "requests"), requests);
	for (size_t i = 0; i < tree_count(requests); i++) {
		struct span key = requests->members[i].key;
		const struct node *request = requests->members[i].value;
		const struct node *limit = tree_get_span(limits, key);
		int cmp = limit == NULL ? 0 : rule_quantity_cmp(request, limit);
		if (limit != NULL && cmp != 0 && !overcommit_allowed(key))
			rule_fail_invalid(c, AT(at, "requests"), request,
			    rule_say(c, "must be equal to %.*s limit of %.*s",
				SPAN_ARG(key), SPAN_ARG(tree_text(limit))));
		else if (limit != NULL && cmp > 0)
			rule_fail_invalid(c, AT(at, "requests"), request,
			    rule_say(c,
				"must be less than or equal to %.*s limit of "
				"%.*s",
				SPAN_ARG(key), SPAN_ARG(tree_text(limit))));
		else if (limit == NULL && !overcommit_allowed(key))
			rule_fail_required(c, AT(at, "limits"),
			    "Limit must be set for non overcommitable "
			    "resources");
	}
}
