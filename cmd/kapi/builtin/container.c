/*
 * Part of builtin/topics.h. Rules of containers. Source:
 * validateContainerCommon and what it calls.
 */
#include "builtin/topics.h"

static void
check_ports(struct causes *c, const struct at *at, const struct node *ports)
{
	const struct node *port;
	struct map names = MAP_INIT;

	for (size_t i = 0; (port = builtin_item(ports, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		const struct node *name = rule_given(port, "name");
		int64_t number = rule_int(port, "containerPort", 0);
		size_t before = c->n;
		if (!tree_empty(name)) {
			rule_port_name(c, AT(here, "name"), tree_text(name));
			if (rule_seen_before(&names, tree_text(name)) &&
			    c->n == before)
				rule_fail_duplicate(c, AT(here, "name"), name);
		}
		if (number == 0)
			rule_fail_required(c, AT(here, "containerPort"), "");
		else
			rule_port_number(c, AT(here, "containerPort"), number);
		number = rule_int(port, "hostPort", 0);
		if (number != 0)
			rule_port_number(c, AT(here, "hostPort"), number);
		check_enum(c, here, port, "protocol", "SCTP", "TCP", "UDP");
	}
	map_release(&names);
}

static void
check_field_ref(struct causes *c, const struct at *at, const struct node *ref)
{
	const struct node *path = rule_given(ref, "fieldPath");
	struct span s = tree_text(path);

	if (tree_empty(path)) {
		rule_fail_required(c, AT(at, "fieldPath"), "");
		return;
	}
	if (s.n > 0 && s.p[s.n - 1] == ']')
		return; /* metadata.labels['x'] */
	if (rule_text_is_any(path, "metadata.annotations", "metadata.labels",
		(char *)NULL)) {
		rule_fail_unsupported(
		    c, AT(at, "fieldPath"), path, FIELD_PATHS, (char *)NULL);
		return;
	}
	if (!rule_text_is_any(path, FIELD_PATHS, (char *)NULL))
		rule_fail_text(c, AT(at, "fieldPath"), s,
		    rule_say(c,
			"error converting fieldPath: field label not "
			"supported: %.*s",
			SPAN_ARG(s)));
}

static void
check_key_ref(struct causes *c, const struct at *at, const struct node *ref)
{
	const struct node *key = rule_given(ref, "key");

	rule_dns_subdomain(
	    c, AT(at, "name"), tree_text(rule_given(ref, "name")));
	if (tree_empty(key))
		rule_fail_required(c, AT(at, "key"), "");
	else
		rule_config_key(c, AT(at, "key"), tree_text(key));
}

#define RESOURCE_FIELDS                                            \
	"limits.cpu", "limits.ephemeral-storage", "limits.memory", \
	    "requests.cpu", "requests.ephemeral-storage", "requests.memory"

void
container_resource_ref(
    struct causes *c, const struct at *at, const struct node *ref)
{
	const struct node *n = rule_given(ref, "resource");
	struct span s = tree_text(n);

	if (tree_empty(n))
		rule_fail_required(c, AT(at, "resource"), "");
	else if (memmem(s.p, s.n, ".hugepages-", 11) == NULL &&
	    !rule_text_is_any(n, RESOURCE_FIELDS, (char *)NULL))
		rule_fail_unsupported(
		    c, AT(at, "resource"), n, RESOURCE_FIELDS, (char *)NULL);
}

static void
check_value_from(struct causes *c, const struct at *at, const struct node *env)
{
	const struct node *from = rule_given(env, "valueFrom"), *n;
	size_t sources = 0;

	if (!tree_is(from, NODE_OBJECT))
		return;
	if ((n = rule_given(from, "fieldRef")) != NULL && ++sources)
		check_field_ref(c, AT(at, "fieldRef"), n);
	if ((n = rule_given(from, "resourceFieldRef")) != NULL && ++sources)
		container_resource_ref(c, AT(at, "resourceFieldRef"), n);
	if ((n = rule_given(from, "configMapKeyRef")) != NULL && ++sources)
		check_key_ref(c, AT(at, "configMapKeyRef"), n);
	if ((n = rule_given(from, "secretKeyRef")) != NULL && ++sources)
		check_key_ref(c, AT(at, "secretKeyRef"), n);
	if (rule_given(from, "fileKeyRef") != NULL)
		sources++;
	if (sources == 0)
		rule_fail_text(c, at, span_str(""),
		    "must specify one of: `fieldRef`, `resourceFieldRef`, "
		    "`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`");
	else if (!tree_empty(rule_given(env, "value")))
		rule_fail_text(c, at, span_str(""),
		    "may not be specified when `value` is not empty");
	else if (sources > 1)
		rule_fail_text(c, at, span_str(""),
		    "may not have more than one field specified at a time");
}

/* Relaxed names: printable ASCII without "=". */
static void
check_env_name(struct causes *c, const struct at *at, struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < ' ' || s.p[i] > '~' || s.p[i] == '=') {
			rule_fail_text(c, at, s,
			    "a valid environment variable name must consist "
			    "only of printable ASCII characters other than "
			    "'='");
			return;
		}
}

static void
check_env(struct causes *c, const struct at *at, const struct node *all)
{
	const struct node *env;

	for (size_t i = 0; (env = builtin_item(all, i)) != NULL; i++) {
		const struct node *name = rule_given(env, "name");
		if (tree_empty(name))
			rule_fail_required(c, AT(AT_INDEX(at, i), "name"), "");
		else
			check_env_name(
			    c, AT(AT_INDEX(at, i), "name"), tree_text(name));
		check_value_from(c, AT(AT_INDEX(at, i), "valueFrom"), env);
	}
}

static void
check_env_from(struct causes *c, const struct at *at, const struct node *all)
{
	static const char *const refs[] = {"configMapRef", "secretRef"};
	const struct node *each, *ref;

	for (size_t i = 0; (each = builtin_item(all, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		size_t sources = 0;
		check_env_name(c, AT(here, "prefix"),
		    tree_text(rule_given(each, "prefix")));
		for (size_t k = 0; k < 2; k++) {
			if ((ref = rule_given(each, refs[k])) == NULL)
				continue;
			sources++;
			if (tree_empty(rule_given(ref, "name")))
				rule_fail_required(
				    c, AT(AT(here, refs[k]), "name"), "");
			else
				rule_dns_subdomain(c,
				    AT(AT(here, refs[k]), "name"),
				    tree_text(rule_given(ref, "name")));
		}
		if (sources == 0)
			rule_fail_text(c, at, span_str(""),
			    "must specify one of: `configMapRef` or "
			    "`secretRef`");
		else if (sources > 1)
			rule_fail_text(c, at, span_str(""),
			    "may not have more than one field specified at a "
			    "time");
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

static void
check_sub_path(struct causes *c, const struct at *at, const struct node *path)
{
	struct span s = tree_text(path);
	size_t start = 0;

	if (tree_empty(path))
		return;
	if (s.p[0] == '/')
		rule_fail_text(c, at, s, "must be a relative path");
	for (size_t i = 0; i <= s.n; i++) {
		if (i < s.n && s.p[i] != '/')
			continue;
		if (span_is(span_make(s.p + start, i - start), "..")) {
			rule_fail_text(c, at, s, "must not contain '..'");
			return;
		}
		start = i + 1;
	}
}

static void
check_mounts(struct causes *c, const struct at *at, const struct node *mounts,
    const struct node *volumes)
{
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

static void
check_http_get(struct causes *c, const struct at *at, const struct node *get)
{
	if (tree_empty(rule_given(get, "path")))
		rule_fail_required(c, AT(at, "path"), "");
	rule_port(c, AT(at, "port"), rule_given(get, "port"));
	if (!rule_text_is_any(
		rule_given(get, "scheme"), "HTTP", "HTTPS", (char *)NULL))
		rule_fail_unsupported(c, AT(at, "scheme"),
		    rule_given(get, "scheme"), "HTTP", "HTTPS", (char *)NULL);
}

static void
check_sleep(struct causes *c, const struct at *at, const struct node *life,
    const char *key, int64_t grace)
{
	const struct node *sleep = tree_get(tree_get(life, key), "sleep");
	int64_t seconds = rule_int(sleep, "seconds", 0);

	if (sleep != NULL && (seconds < 0 || seconds > grace))
		rule_fail_int(c, AT(AT(at, key), "sleep"), seconds,
		    rule_say(c,
			"must be non-negative and less than "
			"terminationGracePeriodSeconds (%lld)",
			(long long)grace));
}

static void
check_handler(struct causes *c, const struct at *at, const struct node *h)
{
	static const char *const types[] = {
	    "exec", "httpGet", "tcpSocket", "grpc", "sleep"};
	size_t handlers = 0;
	const struct node *n;

	for (size_t i = 0; i < 5; i++) {
		if ((n = rule_given(h, types[i])) == NULL)
			continue;
		if (handlers++ > 0)
			rule_fail_forbidden(c, AT(at, types[i]),
			    "may not specify more than 1 handler type");
		else if (i == 0 && tree_count(rule_given(n, "command")) == 0)
			rule_fail_required(
			    c, AT(AT(at, "exec"), "command"), "");
		else if (i == 1)
			check_http_get(c, AT(at, "httpGet"), n);
		else if (i == 2 || i == 3)
			rule_port(c, AT(AT(at, types[i]), "port"),
			    rule_given(n, "port"));
	}
	if (handlers == 0)
		rule_fail_required(c, at, "must specify a handler type");
}

static void
check_probe(struct causes *c, const struct at *up, const struct node *container,
    const char *key)
{
	static const char *const numbers[] = {"initialDelaySeconds",
	    "timeoutSeconds", "periodSeconds", "successThreshold",
	    "failureThreshold"};
	const struct at *at = AT(up, key);
	const struct node *probe = rule_given(container, key);
	bool ready = strcmp(key, "readinessProbe") == 0;
	int64_t n;

	if (!tree_is(probe, NODE_OBJECT))
		return;
	check_handler(c, at, probe);
	for (size_t i = 0; i < 5; i++)
		rule_nonnegative(c, at, probe, numbers[i]);
	if (tree_get_int(
		rule_given(probe, "terminationGracePeriodSeconds"), &n)) {
		if (n <= 0)
			rule_fail_int(c,
			    AT(at, "terminationGracePeriodSeconds"), n,
			    "must be greater than 0");
		if (ready)
			rule_fail_int(c,
			    AT(at, "terminationGracePeriodSeconds"), n,
			    "must not be set for readinessProbes");
	}
	n = rule_int(probe, "successThreshold", 0);
	if (!ready && n != 1)
		rule_fail_int(c, AT(at, "successThreshold"), n, "must be 1");
}

static void
check_devices(struct causes *c, const struct at *at, const struct node *devices,
    const struct node *volumes)
{
	const struct node *device, *volume;

	for (size_t i = 0; (device = builtin_item(devices, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		const struct node *name = rule_given(device, "name");
		volume = tree_empty(name) ? NULL : volume_of(volumes, name);
		if (tree_empty(name))
			rule_fail_required(c, AT(here, "name"), "");
		if (volume == NULL)
			rule_fail_not_found(c, AT(here, "name"), name);
		else if (rule_given(volume, "persistentVolumeClaim") == NULL &&
		    rule_given(volume, "ephemeral") == NULL)
			rule_fail_invalid(c, AT(here, "name"), name,
			    "can only use volume source type of "
			    "PersistentVolumeClaim or Ephemeral for block "
			    "mode");
		if (tree_empty(rule_given(device, "devicePath")))
			rule_fail_required(c, AT(here, "devicePath"), "");
	}
}

static void
check_common(struct causes *c, const struct at *at,
    const struct node *container, const struct node *volumes)
{
	const struct node *name = rule_given(container, "name");

	if (tree_empty(name))
		rule_fail_required(c, AT(at, "name"), "");
	else
		rule_dns_label(c, AT(at, "name"), tree_text(name));
	if (tree_empty(rule_given(container, "image")))
		rule_fail_required(c, AT(at, "image"), "");
	check_enum(c, at, container, "terminationMessagePolicy", "File",
	    "FallbackToLogsOnError");
	check_ports(c, AT(at, "ports"), rule_given(container, "ports"));
	check_env(c, AT(at, "env"), rule_given(container, "env"));
	check_env_from(c, AT(at, "envFrom"), rule_given(container, "envFrom"));
	check_mounts(c, AT(at, "volumeMounts"),
	    rule_given(container, "volumeMounts"), volumes);
	check_enum(c, at, container, "imagePullPolicy", "Always",
	    "IfNotPresent", "Never");
	check_devices(c, AT(at, "volumeDevices"),
	    rule_given(container, "volumeDevices"), volumes);
	volume_resources(
	    c, AT(at, "resources"), rule_given(container, "resources"));
	security_container(c, AT(at, "securityContext"),
	    rule_given(container, "securityContext"));
}

static void
check_life(struct causes *c, const struct at *at, const struct node *container,
    int64_t grace)
{
	const struct node *life = rule_given(container, "lifecycle"), *n;

	if ((n = rule_given(life, "postStart")) != NULL)
		check_handler(c, AT(AT(at, "lifecycle"), "postStart"), n);
	if ((n = rule_given(life, "preStop")) != NULL)
		check_handler(c, AT(AT(at, "lifecycle"), "preStop"), n);
	check_sleep(c, AT(at, "lifecycle"), life, "postStart", grace);
	check_sleep(c, AT(at, "lifecycle"), life, "preStop", grace);
	check_probe(c, at, container, "livenessProbe");
	check_probe(c, at, container, "readinessProbe");
	check_probe(c, at, container, "startupProbe");
}

/* names: those of the containers. */
static void
check_init(struct causes *c, const struct at *at, const struct node *spec,
    struct map *names)
{
	static const char *const refused[] = {
	    "lifecycle", "livenessProbe", "readinessProbe", "startupProbe"};
	const struct node *all = rule_given(spec, "initContainers");
	int64_t grace = rule_int(spec, "terminationGracePeriodSeconds", 0);
	const struct node *container, *name;

	for (size_t i = 0; (container = builtin_item(all, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		const struct node *policy =
		    rule_given(container, "restartPolicy");
		check_common(c, here, container, rule_given(spec, "volumes"));
		if (policy != NULL &&
		    !rule_text_is_any(
			policy, "Always", "OnFailure", "Never", (char *)NULL))
			rule_fail_unsupported(c, AT(here, "restartPolicy"),
			    policy, "Always", "Never", "OnFailure",
			    (char *)NULL);
		name = rule_given(container, "name");
		if (!tree_empty(name) &&
		    rule_seen_before(names, tree_text(name)))
			rule_fail_duplicate(c, AT(here, "name"), name);
		if (tree_text_is(policy, "Always")) {
			check_life(c, here, container, grace);
			continue;
		}
		for (size_t k = 0; k < 4; k++)
			if (rule_given(container, refused[k]) != NULL)
				rule_fail_forbidden(c, AT(here, refused[k]),
				    "may not be set for init containers "
				    "without restartPolicy=Always");
	}
}

static void
check_image_space(struct causes *c, const struct at *at, const struct node *all)
{
	const struct node *container;

	for (size_t i = 0; (container = builtin_item(all, i)) != NULL; i++) {
		struct span s = tree_text(rule_given(container, "image"));
		if (s.n > 0 && (s.p[0] <= ' ' || s.p[s.n - 1] <= ' '))
			rule_fail_text(c, AT(AT_INDEX(at, i), "image"), s,
			    "must not have leading or trailing whitespace");
	}
}

static void
check_host_port_conflicts(
    struct causes *c, const struct at *at, const struct node *all)
{
	const struct node *ports, *p;
	struct map places = MAP_INIT;
	struct span place;
	int64_t n;

	for (size_t i = 0; i < tree_count(all); i++) {
		ports = rule_given(all->items[i], "ports");
		for (size_t k = 0; (p = builtin_item(ports, k)) != NULL; k++) {
			n = rule_int(p, "hostPort", 0);
			if (n == 0)
				continue;
			place = arena_printf(c->arena, "%.*s/%.*s/%lld",
			    SPAN_ARG(tree_text(rule_given(p, "protocol"))),
			    SPAN_ARG(tree_text(rule_given(p, "hostIP"))),
			    (long long)n);
			if (!rule_seen_before(&places, place))
				continue;
			cause_duplicate(c,
			    rule_at_words(c->arena,
				AT(AT_INDEX(AT(AT_INDEX(at, i), "ports"), k),
				    "hostPort")),
			    tree_string(c->arena, place));
		}
	}
	map_release(&places);
}

void
container_list(struct causes *c, const struct at *up, const struct node *spec,
    enum pod_rules rules)
{
	const struct at *at = AT(up, "containers");
	const struct node *all = rule_given(spec, "containers"), *container;
	const struct node *policy;
	int64_t grace = rule_int(spec, "terminationGracePeriodSeconds", 0);
	struct map names = MAP_INIT;

	if (tree_count(all) == 0)
		rule_fail_required(c, at, "");
	for (size_t i = 0; (container = builtin_item(all, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		const struct node *name = rule_given(container, "name");
		check_common(c, here, container, rule_given(spec, "volumes"));
		if (rule_seen_before(&names, tree_text(name)))
			rule_fail_duplicate(c, AT(here, "name"), name);
		check_life(c, here, container, grace);
		policy = rule_given(container, "restartPolicy");
		if (policy != NULL &&
		    !rule_text_is_any(
			policy, "Always", "Never", "OnFailure", (char *)NULL))
			rule_fail_unsupported(c, AT(here, "restartPolicy"),
			    policy, "Always", "Never", "OnFailure",
			    (char *)NULL);
	}
	check_host_port_conflicts(c, at, all);
	check_init(c, AT(up, "initContainers"), spec, &names);
	map_release(&names);
	if (rules == RULES_OF_POD) {
		check_image_space(c, at, all);
		check_image_space(c, AT(up, "initContainers"),
		    rule_given(spec, "initContainers"));
	}
}
