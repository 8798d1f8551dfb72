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

static bool
has_dotdot(struct span s)
{
	size_t start = 0;

	for (size_t i = 0; i <= s.n; i++) {
		if (i < s.n && s.p[i] != '/')
			continue;
		if (span_is(span_make(s.p + start, i - start), ".."))
			return true;
		start = i + 1;
	}
	return false;
}

static void
check_sub_path(struct causes *c, const struct at *at, const struct node *path)
{
	struct span s = tree_text(path);

	if (s.n > 0 && s.p[0] == '/')
		rule_fail_text(c, at, s, "must be a relative path");
	if (has_dotdot(s))
		rule_fail_text(c, at, s, "must not contain '..'");
}

void
container_mounts(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	const struct at *at = p->at;
	const struct node *mounts = p->n;
	/* p: the mounts of a container in a list of a Pod's spec. */
	const struct node *volumes =
	    rule_given(p->outer->outer->outer->n, "volumes");
	const struct node *mount, *path, *name;
	struct map paths = MAP_INIT;

	for (size_t i = 0; (mount = builtin_item(mounts, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		name = rule_given(mount, "name");
		path = rule_given(mount, "mountPath");
		if (tree_empty(name))
			rule_fail_required(c, AT(here, "name"), "");
		if (tree_empty(name) || volume_of(volumes, name) == NULL)
			rule_fail_not_found(c, AT(here, "name"), name);
		if (tree_empty(path))
			rule_fail_required(c, AT(here, "mountPath"), "");
		if (rule_seen_before(&paths, tree_text(path)))
			rule_fail_text(c, AT(here, "mountPath"),
			    tree_text(path), "must be unique");
		check_sub_path(
		    c, AT(at, "subPath"), rule_given(mount, "subPath"));
		check_sub_path(
		    c, AT(at, "subPathExpr"), rule_given(mount, "subPathExpr"));
	}
	map_release(&paths);
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

/* ---- volumes ---- */

void
container_no_dotdot(const struct rule_run *run, const struct rule_place *p)
{
	if (has_dotdot(tree_text(p->n)))
		rule_fail_text(run->causes, p->at, tree_text(p->n),
		    "must not contain '..'");
}

/* The path of a file in a volume: relative, without "..". */
void
container_file_path(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	struct span path = tree_text(p->n);

	if (path.n > 0 && path.p[0] == '/')
		rule_fail_text(c, p->at, path, "must be a relative path");
	if (has_dotdot(path))
		rule_fail_text(c, p->at, path, "must not contain '..'");
	else if (span_starts(path, ".."))
		rule_fail_text(c, p->at, path, "must not start with '..'");
}

/* A relative path that does not lead upwards. */
static void
volume_local_path(struct causes *c, const struct at *at, struct span path)
{
	if (path.n > 0 && path.p[0] == '/')
		rule_fail_text(c, at, path, "must be a relative path");
	if (has_dotdot(path))
		rule_fail_text(c, at, path, "must not contain '..'");
	if (path.n > 2 && span_starts(path, "..") && path.p[2] != '/')
		rule_fail_text(c, at, path, "must not start with '..'");
}

/* Paths in these errors have no index, as in the real server. */
void
container_downward(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	const struct at *at = p->at;
	const struct node *n = p->n;
	const struct node *file, *field, *resource;

	ruletable_part(c, run->x, AT(at, "defaultMode"),
	    rule_given(n, "defaultMode"), ".mode", "");
	for (size_t i = 0;
	     (file = builtin_item(rule_given(n, "items"), i)) != NULL; i++) {
		struct span path = tree_text(rule_given(file, "path"));
		field = rule_given(file, "fieldRef");
		resource = rule_given(file, "resourceFieldRef");
		if (path.n == 0)
			rule_fail_required(c, AT(at, "path"), "");
		volume_local_path(c, AT(at, "path"), path);
		if (field != NULL)
			ruletable_part(c, run->x, AT(at, "fieldRef"), field,
			    ".volume-field", "");
		else if (resource == NULL)
			rule_fail_required(c, at,
			    "one of fieldRef and resourceFieldRef is "
			    "required");
		else if (tree_empty(rule_given(resource, "containerName")))
			rule_fail_required(c,
			    AT(AT(at, "resourceFieldRef"), "containerName"),
			    "");
		else
			ruletable_part(c, run->x, AT(at, "resourceFieldRef"),
			    resource, ".resource-ref", "");
	}
}

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
