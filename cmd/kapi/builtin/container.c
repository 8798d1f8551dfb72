/* Rules of containers. Source: validateContainerCommon and what it calls. */
#include "builtin/topics.h"

static void
check_ports(struct causes *c, const struct at *at, const struct node *ports)
{
	const struct node *port;
	struct map names = MAP_INIT;

	for (size_t i = 0; (port = each_of(ports, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		const struct node *name = given(port, "name");
		int64_t number = int_or(port, "containerPort", 0);
		size_t before = c->n;
		if (!tree_empty(name)) {
			check_port_name(c, AT(here, "name"), tree_text(name));
			if (seen_before(&names, tree_text(name)) &&
			    c->n == before)
				fail_duplicate(c, AT(here, "name"), name);
		}
		if (number == 0)
			fail_required(c, AT(here, "containerPort"), "");
		else
			check_port_number(c, AT(here, "containerPort"), number);
		number = int_or(port, "hostPort", 0);
		if (number != 0)
			check_port_number(c, AT(here, "hostPort"), number);
		check_enum(c, here, port, "protocol", "SCTP", "TCP", "UDP");
	}
	map_release(&names);
}

static void
check_field_ref(struct causes *c, const struct at *at, const struct node *ref)
{
	const struct node *path = given(ref, "fieldPath");
	struct span s = tree_text(path);

	if (tree_empty(path)) {
		fail_required(c, AT(at, "fieldPath"), "");
		return;
	}
	if (s.n > 0 && s.p[s.n - 1] == ']')
		return; /* metadata.labels['x'] */
	if (text_is_any(path, "metadata.annotations", "metadata.labels",
		(char *)NULL)) {
		fail_unsupported(
		    c, AT(at, "fieldPath"), path, FIELD_PATHS, (char *)NULL);
		return;
	}
	if (!text_is_any(path, FIELD_PATHS, (char *)NULL))
		fail_text(c, AT(at, "fieldPath"), s,
		    say(c,
			"error converting fieldPath: field label not "
			"supported: %.*s",
			SPAN_ARG(s)));
}

static void
check_key_ref(struct causes *c, const struct at *at, const struct node *ref)
{
	const struct node *key = given(ref, "key");

	check_dns_subdomain(c, AT(at, "name"), tree_text(given(ref, "name")));
	if (tree_empty(key))
		fail_required(c, AT(at, "key"), "");
	else
		check_config_key(c, AT(at, "key"), tree_text(key));
}

#define RESOURCE_FIELDS                                            \
	"limits.cpu", "limits.ephemeral-storage", "limits.memory", \
	    "requests.cpu", "requests.ephemeral-storage", "requests.memory"

void
check_resource_ref(
    struct causes *c, const struct at *at, const struct node *ref)
{
	const struct node *n = given(ref, "resource");
	struct span s = tree_text(n);

	if (tree_empty(n))
		fail_required(c, AT(at, "resource"), "");
	else if (memmem(s.p, s.n, ".hugepages-", 11) == NULL &&
	    !text_is_any(n, RESOURCE_FIELDS, (char *)NULL))
		fail_unsupported(
		    c, AT(at, "resource"), n, RESOURCE_FIELDS, (char *)NULL);
}

static void
check_value_from(struct causes *c, const struct at *at, const struct node *env)
{
	const struct node *from = given(env, "valueFrom"), *n;
	size_t sources = 0;

	if (!tree_is(from, NODE_OBJECT))
		return;
	if ((n = given(from, "fieldRef")) != NULL && ++sources)
		check_field_ref(c, AT(at, "fieldRef"), n);
	if ((n = given(from, "resourceFieldRef")) != NULL && ++sources)
		check_resource_ref(c, AT(at, "resourceFieldRef"), n);
	if ((n = given(from, "configMapKeyRef")) != NULL && ++sources)
		check_key_ref(c, AT(at, "configMapKeyRef"), n);
	if ((n = given(from, "secretKeyRef")) != NULL && ++sources)
		check_key_ref(c, AT(at, "secretKeyRef"), n);
	if (given(from, "fileKeyRef") != NULL)
		sources++;
	if (sources == 0)
		fail_text(c, at, span_str(""),
		    "must specify one of: `fieldRef`, `resourceFieldRef`, "
		    "`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`");
	else if (!tree_empty(given(env, "value")))
		fail_text(c, at, span_str(""),
		    "may not be specified when `value` is not empty");
	else if (sources > 1)
		fail_text(c, at, span_str(""),
		    "may not have more than one field specified at a time");
}

/* Relaxed names: printable ASCII without "=". */
static void
check_env_name(struct causes *c, const struct at *at, struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < ' ' || s.p[i] > '~' || s.p[i] == '=') {
			fail_text(c, at, s,
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

	for (size_t i = 0; (env = each_of(all, i)) != NULL; i++) {
		const struct node *name = given(env, "name");
		if (tree_empty(name))
			fail_required(c, AT(AT_INDEX(at, i), "name"), "");
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

	for (size_t i = 0; (each = each_of(all, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		size_t sources = 0;
		check_env_name(
		    c, AT(here, "prefix"), tree_text(given(each, "prefix")));
		for (size_t k = 0; k < 2; k++) {
			if ((ref = given(each, refs[k])) == NULL)
				continue;
			sources++;
			if (tree_empty(given(ref, "name")))
				fail_required(
				    c, AT(AT(here, refs[k]), "name"), "");
			else
				check_dns_subdomain(c,
				    AT(AT(here, refs[k]), "name"),
				    tree_text(given(ref, "name")));
		}
		if (sources == 0)
			fail_text(c, at, span_str(""),
			    "must specify one of: `configMapRef` or "
			    "`secretRef`");
		else if (sources > 1)
			fail_text(c, at, span_str(""),
			    "may not have more than one field specified at a "
			    "time");
	}
}

static const struct node *
volume_of(const struct node *volumes, const struct node *name)
{
	const struct node *v;

	for (size_t i = 0; (v = each_of(volumes, i)) != NULL; i++)
		if (span_eq(tree_text(given(v, "name")), tree_text(name)))
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
		fail_text(c, at, s, "must be a relative path");
	for (size_t i = 0; i <= s.n; i++) {
		if (i < s.n && s.p[i] != '/')
			continue;
		if (span_is(span_make(s.p + start, i - start), "..")) {
			fail_text(c, at, s, "must not contain '..'");
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

	for (size_t i = 0; (mount = each_of(mounts, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		name = given(mount, "name");
		path = given(mount, "mountPath");
		if (tree_empty(name))
			fail_required(c, AT(here, "name"), "");
		if (tree_empty(name) || volume_of(volumes, name) == NULL)
			fail_not_found(c, AT(here, "name"), name);
		if (tree_empty(path))
			fail_required(c, AT(here, "mountPath"), "");
		if (seen_before(&paths, tree_text(path)))
			fail_text(c, AT(here, "mountPath"), tree_text(path),
			    "must be unique");
		check_sub_path(c, AT(at, "subPath"), given(mount, "subPath"));
		check_sub_path(
		    c, AT(at, "subPathExpr"), given(mount, "subPathExpr"));
	}
	map_release(&paths);
}

static void
check_http_get(struct causes *c, const struct at *at, const struct node *get)
{
	if (tree_empty(given(get, "path")))
		fail_required(c, AT(at, "path"), "");
	check_port(c, AT(at, "port"), given(get, "port"));
	if (!text_is_any(given(get, "scheme"), "HTTP", "HTTPS", (char *)NULL))
		fail_unsupported(c, AT(at, "scheme"), given(get, "scheme"),
		    "HTTP", "HTTPS", (char *)NULL);
}

static void
check_sleep(struct causes *c, const struct at *at, const struct node *life,
    const char *key, int64_t grace)
{
	const struct node *sleep = tree_get(tree_get(life, key), "sleep");
	int64_t seconds = int_or(sleep, "seconds", 0);

	if (sleep != NULL && (seconds < 0 || seconds > grace))
		fail_int(c, AT(AT(at, key), "sleep"), seconds,
		    say(c,
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
		if ((n = given(h, types[i])) == NULL)
			continue;
		if (handlers++ > 0)
			fail_forbidden(c, AT(at, types[i]),
			    "may not specify more than 1 handler type");
		else if (i == 0 && tree_count(given(n, "command")) == 0)
			fail_required(c, AT(AT(at, "exec"), "command"), "");
		else if (i == 1)
			check_http_get(c, AT(at, "httpGet"), n);
		else if (i == 2 || i == 3)
			check_port(
			    c, AT(AT(at, types[i]), "port"), given(n, "port"));
	}
	if (handlers == 0)
		fail_required(c, at, "must specify a handler type");
}

static void
check_probe(struct causes *c, const struct at *up, const struct node *container,
    const char *key)
{
	static const char *const numbers[] = {"initialDelaySeconds",
	    "timeoutSeconds", "periodSeconds", "successThreshold",
	    "failureThreshold"};
	const struct at *at = AT(up, key);
	const struct node *probe = given(container, key);
	bool ready = strcmp(key, "readinessProbe") == 0;
	int64_t n;

	if (!tree_is(probe, NODE_OBJECT))
		return;
	check_handler(c, at, probe);
	for (size_t i = 0; i < 5; i++)
		check_nonnegative(c, at, probe, numbers[i]);
	if (tree_get_int(given(probe, "terminationGracePeriodSeconds"), &n)) {
		if (n <= 0)
			fail_int(c, AT(at, "terminationGracePeriodSeconds"), n,
			    "must be greater than 0");
		if (ready)
			fail_int(c, AT(at, "terminationGracePeriodSeconds"), n,
			    "must not be set for readinessProbes");
	}
	n = int_or(probe, "successThreshold", 0);
	if (!ready && n != 1)
		fail_int(c, AT(at, "successThreshold"), n, "must be 1");
}

static void
check_devices(struct causes *c, const struct at *at, const struct node *devices,
    const struct node *volumes)
{
	const struct node *device, *volume;

	for (size_t i = 0; (device = each_of(devices, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		const struct node *name = given(device, "name");
		volume = tree_empty(name) ? NULL : volume_of(volumes, name);
		if (tree_empty(name))
			fail_required(c, AT(here, "name"), "");
		if (volume == NULL)
			fail_not_found(c, AT(here, "name"), name);
		else if (given(volume, "persistentVolumeClaim") == NULL &&
		    given(volume, "ephemeral") == NULL)
			fail_invalid(c, AT(here, "name"), name,
			    "can only use volume source type of "
			    "PersistentVolumeClaim or Ephemeral for block "
			    "mode");
		if (tree_empty(given(device, "devicePath")))
			fail_required(c, AT(here, "devicePath"), "");
	}
}

static void
check_common(struct causes *c, const struct at *at,
    const struct node *container, const struct node *volumes)
{
	const struct node *name = given(container, "name");

	if (tree_empty(name))
		fail_required(c, AT(at, "name"), "");
	else
		check_dns_label(c, AT(at, "name"), tree_text(name));
	if (tree_empty(given(container, "image")))
		fail_required(c, AT(at, "image"), "");
	check_enum(c, at, container, "terminationMessagePolicy", "File",
	    "FallbackToLogsOnError");
	check_ports(c, AT(at, "ports"), given(container, "ports"));
	check_env(c, AT(at, "env"), given(container, "env"));
	check_env_from(c, AT(at, "envFrom"), given(container, "envFrom"));
	check_mounts(c, AT(at, "volumeMounts"),
	    given(container, "volumeMounts"), volumes);
	check_enum(c, at, container, "imagePullPolicy", "Always",
	    "IfNotPresent", "Never");
	check_devices(c, AT(at, "volumeDevices"),
	    given(container, "volumeDevices"), volumes);
	check_resources(c, AT(at, "resources"), given(container, "resources"));
	check_container_security(
	    c, AT(at, "securityContext"), given(container, "securityContext"));
}

static void
check_life(struct causes *c, const struct at *at, const struct node *container,
    int64_t grace)
{
	const struct node *life = given(container, "lifecycle"), *n;

	if ((n = given(life, "postStart")) != NULL)
		check_handler(c, AT(AT(at, "lifecycle"), "postStart"), n);
	if ((n = given(life, "preStop")) != NULL)
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
	const struct node *all = given(spec, "initContainers");
	int64_t grace = int_or(spec, "terminationGracePeriodSeconds", 0);
	const struct node *container, *name;

	for (size_t i = 0; (container = each_of(all, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		const struct node *policy = given(container, "restartPolicy");
		check_common(c, here, container, given(spec, "volumes"));
		if (policy != NULL &&
		    !text_is_any(
			policy, "Always", "OnFailure", "Never", (char *)NULL))
			fail_unsupported(c, AT(here, "restartPolicy"), policy,
			    "Always", "Never", "OnFailure", (char *)NULL);
		name = given(container, "name");
		if (!tree_empty(name) && seen_before(names, tree_text(name)))
			fail_duplicate(c, AT(here, "name"), name);
		if (tree_text_is(policy, "Always")) {
			check_life(c, here, container, grace);
			continue;
		}
		for (size_t k = 0; k < 4; k++)
			if (given(container, refused[k]) != NULL)
				fail_forbidden(c, AT(here, refused[k]),
				    "may not be set for init containers "
				    "without restartPolicy=Always");
	}
}

static void
check_image_space(struct causes *c, const struct at *at, const struct node *all)
{
	const struct node *container;

	for (size_t i = 0; (container = each_of(all, i)) != NULL; i++) {
		struct span s = tree_text(given(container, "image"));
		if (s.n > 0 && (s.p[0] <= ' ' || s.p[s.n - 1] <= ' '))
			fail_text(c, AT(AT_INDEX(at, i), "image"), s,
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
		ports = given(all->items[i], "ports");
		for (size_t k = 0; (p = each_of(ports, k)) != NULL; k++) {
			n = int_or(p, "hostPort", 0);
			if (n == 0)
				continue;
			place = arena_printf(c->arena, "%.*s/%.*s/%lld",
			    SPAN_ARG(tree_text(given(p, "protocol"))),
			    SPAN_ARG(tree_text(given(p, "hostIP"))),
			    (long long)n);
			if (!seen_before(&places, place))
				continue;
			cause_duplicate(c,
			    at_words(c->arena,
				AT(AT_INDEX(AT(AT_INDEX(at, i), "ports"), k),
				    "hostPort")),
			    tree_string(c->arena, place));
		}
	}
	map_release(&places);
}

void
check_containers(struct causes *c, const struct at *up, const struct node *spec,
    enum pod_rules rules)
{
	const struct at *at = AT(up, "containers");
	const struct node *all = given(spec, "containers"), *container;
	const struct node *policy;
	int64_t grace = int_or(spec, "terminationGracePeriodSeconds", 0);
	struct map names = MAP_INIT;

	if (tree_count(all) == 0)
		fail_required(c, at, "");
	for (size_t i = 0; (container = each_of(all, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		const struct node *name = given(container, "name");
		check_common(c, here, container, given(spec, "volumes"));
		if (seen_before(&names, tree_text(name)))
			fail_duplicate(c, AT(here, "name"), name);
		check_life(c, here, container, grace);
		policy = given(container, "restartPolicy");
		if (policy != NULL &&
		    !text_is_any(
			policy, "Always", "Never", "OnFailure", (char *)NULL))
			fail_unsupported(c, AT(here, "restartPolicy"), policy,
			    "Always", "Never", "OnFailure", (char *)NULL);
	}
	check_host_port_conflicts(c, at, all);
	check_init(c, AT(up, "initContainers"), spec, &names);
	map_release(&names);
	if (rules == RULES_OF_POD) {
		check_image_space(c, at, all);
		check_image_space(
		    c, AT(up, "initContainers"), given(spec, "initContainers"));
	}
}
