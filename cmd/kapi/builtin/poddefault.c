/*
 * Part of builtin/topics.h. Defaults of Pods and of templates. Source:
 * pkg/apis/core/v1/defaults.go.
 */
#include "builtin/topics.h"

enum { MODE_0644 = 420, TOKEN_SECONDS = 3600, GRACE_SECONDS = 30 };

static bool
path_ok(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!(span_is_lower(s.p[i]) || span_is_digit(s.p[i]) ||
			memchr("._-/", s.p[i], 4) != NULL))
			return false;
	return s.n > 0;
}

/*
 * The tag is "latest": given so, or neither tag nor digest is given. A name
 * that is not well formed has no tag at all.
 */
static bool
latest(struct span image)
{
	const char *at = span_find(image, '@');
	struct span name =
	    at == NULL ? image : span_make(image.p, (size_t)(at - image.p));
	const char *slash = span_find_last(name, '/');
	size_t after = slash == NULL ? 0 : (size_t)(slash - name.p) + 1;
	const char *colon = name.n > after
	    ? memrchr(name.p + after, ':', name.n - after)
	    : NULL;
	struct span tag = SPAN_NONE, path;
	const char *first;

	if (colon != NULL) {
		tag =
		    span_make(colon + 1, name.n - (size_t)(colon - name.p) - 1);
		name.n = (size_t)(colon - name.p);
	}
	path = name;
	first = span_find(name, '/');
	if (first != NULL) {
		size_t n = (size_t)(first - name.p);
		if (memchr(name.p, '.', n) || memchr(name.p, ':', n) ||
		    span_is(span_make(name.p, n), "localhost"))
			path = span_make(first + 1, name.n - n - 1);
	}
	if (!path_ok(path))
		return false;
	if (colon != NULL)
		return span_is(tag, "latest");
	return at == NULL;
}

static void
default_pull_policy(
    struct arena *a, struct node *object, const char *key, struct span image)
{
	if (tree_empty(rule_given(object, key)))
		tree_put(a, object, key,
		    tree_str(a, latest(image) ? "Always" : "IfNotPresent"));
}

static void
default_http_get(struct arena *a, struct node *handler)
{
	struct node *get = rule_given(handler, "httpGet");

	if (!tree_is(get, NODE_OBJECT))
		return;
	builtin_default_text(a, get, "path", "/");
	builtin_default_text(a, get, "scheme", "HTTP");
}

static void
default_probe(struct arena *a, struct node *probe)
{
	struct node *grpc = rule_given(probe, "grpc");

	if (!tree_is(probe, NODE_OBJECT))
		return;
	builtin_default_nonzero(a, probe, "timeoutSeconds", 1);
	builtin_default_nonzero(a, probe, "periodSeconds", 10);
	builtin_default_nonzero(a, probe, "successThreshold", 1);
	builtin_default_nonzero(a, probe, "failureThreshold", 3);
	default_http_get(a, probe);
	if (tree_is(grpc, NODE_OBJECT) && rule_given(grpc, "service") == NULL)
		tree_put(a, grpc, "service", tree_str(a, ""));
}

static void
default_env(struct arena *a, struct node *env)
{
	struct node *e, *field, *resource;

	for (size_t i = 0; (e = builtin_item(env, i)) != NULL; i++) {
		e = rule_given(e, "valueFrom");
		field = rule_given(e, "fieldRef");
		resource = rule_given(e, "resourceFieldRef");
		if (tree_is(field, NODE_OBJECT))
			builtin_default_text(a, field, "apiVersion", "v1");
		if (tree_is(resource, NODE_OBJECT))
			builtin_default_text(a, resource, "divisor", "0");
	}
}

static void
default_container(struct arena *a, struct node *container)
{
	struct node *port, *lifecycle = rule_given(container, "lifecycle");

	default_pull_policy(a, container, "imagePullPolicy",
	    tree_text(rule_given(container, "image")));
	builtin_default_text(
	    a, container, "terminationMessagePath", "/dev/termination-log");
	builtin_default_text(a, container, "terminationMessagePolicy", "File");
	builtin_default_object(a, container, "resources");
	for (size_t i = 0;
	     (port = builtin_item(rule_given(container, "ports"), i)) != NULL;
	     i++)
		builtin_default_text(a, port, "protocol", "TCP");
	default_env(a, rule_given(container, "env"));
	default_probe(a, rule_given(container, "livenessProbe"));
	default_probe(a, rule_given(container, "readinessProbe"));
	default_probe(a, rule_given(container, "startupProbe"));
	default_http_get(a, rule_given(lifecycle, "postStart"));
	default_http_get(a, rule_given(lifecycle, "preStop"));
}

static void
default_downward_items(struct arena *a, struct node *source)
{
	struct node *item;

	for (size_t i = 0;
	     (item = builtin_item(rule_given(source, "items"), i)) != NULL;
	     i++) {
		struct node *field = rule_given(item, "fieldRef");
		struct node *resource = rule_given(item, "resourceFieldRef");
		if (tree_is(field, NODE_OBJECT))
			builtin_default_text(a, field, "apiVersion", "v1");
		if (tree_is(resource, NODE_OBJECT))
			builtin_default_text(a, resource, "divisor", "0");
	}
}

static void
default_projected(struct arena *a, struct node *projected)
{
	struct node *source, *token;

	builtin_default_int(a, projected, "defaultMode", MODE_0644);
	for (size_t i = 0; (source = builtin_item(
				rule_given(projected, "sources"), i)) != NULL;
	     i++) {
		token = rule_given(source, "serviceAccountToken");
		if (tree_is(token, NODE_OBJECT))
			builtin_default_int(
			    a, token, "expirationSeconds", TOKEN_SECONDS);
		default_downward_items(a, rule_given(source, "downwardAPI"));
	}
}

static void
default_volume(struct arena *a, struct node *volume)
{
	static const char *const with_mode[] = {
	    "secret", "configMap", "downwardAPI"};
	struct node *source;

	if (volume->n == 1 && rule_given(volume, "name") != NULL)
		tree_put(a, volume, "emptyDir", tree_object(a));
	for (size_t i = 0; i < 3; i++) {
		source = rule_given(volume, with_mode[i]);
		if (tree_is(source, NODE_OBJECT))
			builtin_default_int(
			    a, source, "defaultMode", MODE_0644);
	}
	default_downward_items(a, rule_given(volume, "downwardAPI"));
	if ((source = rule_given(volume, "projected")) != NULL)
		default_projected(a, source);
	source = rule_given(volume, "hostPath");
	if (tree_is(source, NODE_OBJECT) && rule_given(source, "type") == NULL)
		tree_put(a, source, "type", tree_str(a, ""));
	source = rule_given(volume, "image");
	if (tree_is(source, NODE_OBJECT))
		default_pull_policy(a, source, "pullPolicy",
		    tree_text(rule_given(source, "reference")));
	source = tree_path(volume, "ephemeral.volumeClaimTemplate");
	if (tree_is(source, NODE_OBJECT)) {
		builtin_default_object(a, source, "metadata");
		storage_claim_spec_default(
		    a, builtin_default_object(a, source, "spec"));
	}
}

static void
default_containers(struct arena *a, struct node *containers)
{
	struct node *container;

	for (size_t i = 0; (container = builtin_item(containers, i)) != NULL;
	     i++)
		default_container(a, container);
}

static void
poddefault_spec(struct arena *a, struct node *spec)
{
	struct node *volume;

	if (!tree_is(spec, NODE_OBJECT))
		return;
	for (size_t i = 0;
	     (volume = builtin_item(rule_given(spec, "volumes"), i)) != NULL;
	     i++)
		default_volume(a, volume);
	default_containers(a, rule_given(spec, "initContainers"));
	default_containers(a, rule_given(spec, "containers"));
	default_containers(a, rule_given(spec, "ephemeralContainers"));
	builtin_default_text(a, spec, "dnsPolicy", "ClusterFirst");
	builtin_default_text(a, spec, "restartPolicy", "Always");
	builtin_default_object(a, spec, "securityContext");
	builtin_default_int(
	    a, spec, "terminationGracePeriodSeconds", GRACE_SECONDS);
	builtin_default_text(a, spec, "schedulerName", "default-scheduler");
	/* Two names of one field: either gives the other. */
	if (!tree_empty(rule_given(spec, "serviceAccountName")))
		tree_put(a, spec, "serviceAccount",
		    rule_given(spec, "serviceAccountName"));
	else if (!tree_empty(rule_given(spec, "serviceAccount")))
		tree_put(a, spec, "serviceAccountName",
		    rule_given(spec, "serviceAccount"));
}

void
poddefault_template(struct arena *a, struct node *object, const char *key)
{
	struct node *template = builtin_default_object(a, object, key);

	if (!tree_is(template, NODE_OBJECT))
		return;
	builtin_default_object(a, template, "metadata");
	poddefault_spec(a, builtin_default_object(a, template, "spec"));
}

void
poddefault_template_object(struct arena *a, struct node *object)
{
	poddefault_template(a, object, "template");
}

static void
requests_from_limits(struct arena *a, struct node *containers)
{
	struct node *container, *limits, *requests;

	for (size_t i = 0; (container = builtin_item(containers, i)) != NULL;
	     i++) {
		limits = tree_path(container, "resources.limits");
		if (tree_count(limits) == 0)
			continue;
		requests = tree_make(
		    a, rule_given(container, "resources"), "requests");
		for (size_t k = 0; k < limits->n; k++)
			if (tree_get_span(requests, limits->members[k].key) ==
			    NULL)
				tree_set(a, requests, limits->members[k].key,
				    tree_copy(a, limits->members[k].value));
	}
}

static void
host_ports(struct arena *a, struct node *containers)
{
	struct node *container, *port, *number;

	for (size_t i = 0; (container = builtin_item(containers, i)) != NULL;
	     i++)
		for (size_t k = 0;
		     (port = builtin_item(rule_given(container, "ports"), k)) !=
		     NULL;
		     k++) {
			number = rule_given(port, "containerPort");
			if (rule_int(port, "hostPort", 0) == 0 &&
			    number != NULL)
				tree_put(a, port, "hostPort", number);
		}
}

/* Decoding keeps podIP and the first of podIPs the same; podIP wins. */
static void
pod_ips(struct arena *a, struct node *status)
{
	struct node *all = rule_given(status, "podIPs"), *first;
	struct span ip = tree_text(rule_given(status, "podIP"));
	struct span was = tree_text(rule_given(builtin_item(all, 0), "ip"));

	if (ip.n == 0 && tree_count(all) > 0)
		builtin_default_text(a, status, "podIP", arena_str(a, was));
	if (ip.n == 0 || (tree_count(all) > 0 && span_eq(ip, was)))
		return;
	first = tree_object(a);
	tree_put(a, first, "ip", tree_string(a, ip));
	all = tree_array(a);
	tree_append(a, all, first);
	tree_put(a, status, "podIPs", all);
}

void
pod_default(struct arena *a, struct node *object)
{
	struct node *spec = builtin_default_object(a, object, "spec");

	if (!tree_is(spec, NODE_OBJECT))
		return;
	poddefault_spec(a, spec);
	requests_from_limits(a, rule_given(spec, "initContainers"));
	requests_from_limits(a, rule_given(spec, "containers"));
	builtin_default_bool(a, spec, "enableServiceLinks", true);
	if (tree_true(rule_given(spec, "hostNetwork"))) {
		host_ports(a, rule_given(spec, "containers"));
		host_ports(a, rule_given(spec, "initContainers"));
	}
	pod_ips(a, builtin_default_object(a, object, "status"));
}
