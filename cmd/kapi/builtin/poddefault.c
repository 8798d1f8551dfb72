/* Defaults of Pods and of templates. Source: pkg/apis/core/v1/defaults.go. */
#include "builtin/topics.h"

enum { MODE_0644 = 420, TOKEN_SECONDS = 3600, GRACE_SECONDS = 30 };

static bool
path_ok(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!((s.p[i] >= 'a' && s.p[i] <= 'z') ||
			span_is_digit(s.p[i]) ||
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
	if (tree_empty(given(object, key)))
		tree_put(a, object, key,
		    tree_str(a, latest(image) ? "Always" : "IfNotPresent"));
}

static void
default_http_get(struct arena *a, struct node *handler)
{
	struct node *get = given(handler, "httpGet");

	if (!tree_is(get, NODE_OBJECT))
		return;
	default_text(a, get, "path", "/");
	default_text(a, get, "scheme", "HTTP");
}

static void
default_probe(struct arena *a, struct node *probe)
{
	struct node *grpc = given(probe, "grpc");

	if (!tree_is(probe, NODE_OBJECT))
		return;
	default_nonzero(a, probe, "timeoutSeconds", 1);
	default_nonzero(a, probe, "periodSeconds", 10);
	default_nonzero(a, probe, "successThreshold", 1);
	default_nonzero(a, probe, "failureThreshold", 3);
	default_http_get(a, probe);
	if (tree_is(grpc, NODE_OBJECT) && given(grpc, "service") == NULL)
		tree_put(a, grpc, "service", tree_str(a, ""));
}

static void
default_env(struct arena *a, struct node *env)
{
	struct node *e, *field, *resource;

	for (size_t i = 0; (e = each_of(env, i)) != NULL; i++) {
		e = given(e, "valueFrom");
		field = given(e, "fieldRef");
		resource = given(e, "resourceFieldRef");
		if (tree_is(field, NODE_OBJECT))
			default_text(a, field, "apiVersion", "v1");
		if (tree_is(resource, NODE_OBJECT))
			default_text(a, resource, "divisor", "0");
	}
}

static void
default_container(struct arena *a, struct node *container)
{
	struct node *port, *lifecycle = given(container, "lifecycle");

	default_pull_policy(a, container, "imagePullPolicy",
	    tree_text(given(container, "image")));
	default_text(
	    a, container, "terminationMessagePath", "/dev/termination-log");
	default_text(a, container, "terminationMessagePolicy", "File");
	default_object(a, container, "resources");
	for (size_t i = 0;
	     (port = each_of(given(container, "ports"), i)) != NULL; i++)
		default_text(a, port, "protocol", "TCP");
	default_env(a, given(container, "env"));
	default_probe(a, given(container, "livenessProbe"));
	default_probe(a, given(container, "readinessProbe"));
	default_probe(a, given(container, "startupProbe"));
	default_http_get(a, given(lifecycle, "postStart"));
	default_http_get(a, given(lifecycle, "preStop"));
}

static void
default_downward_items(struct arena *a, struct node *source)
{
	struct node *item;

	for (size_t i = 0; (item = each_of(given(source, "items"), i)) != NULL;
	     i++) {
		struct node *field = given(item, "fieldRef");
		struct node *resource = given(item, "resourceFieldRef");
		if (tree_is(field, NODE_OBJECT))
			default_text(a, field, "apiVersion", "v1");
		if (tree_is(resource, NODE_OBJECT))
			default_text(a, resource, "divisor", "0");
	}
}

static void
default_projected(struct arena *a, struct node *projected)
{
	struct node *source, *token;

	default_int(a, projected, "defaultMode", MODE_0644);
	for (size_t i = 0;
	     (source = each_of(given(projected, "sources"), i)) != NULL; i++) {
		token = given(source, "serviceAccountToken");
		if (tree_is(token, NODE_OBJECT))
			default_int(
			    a, token, "expirationSeconds", TOKEN_SECONDS);
		default_downward_items(a, given(source, "downwardAPI"));
	}
}

static void
default_volume(struct arena *a, struct node *volume)
{
	static const char *const with_mode[] = {
	    "secret", "configMap", "downwardAPI"};
	struct node *source;

	if (volume->n == 1 && given(volume, "name") != NULL)
		tree_put(a, volume, "emptyDir", tree_object(a));
	for (size_t i = 0; i < 3; i++) {
		source = given(volume, with_mode[i]);
		if (tree_is(source, NODE_OBJECT))
			default_int(a, source, "defaultMode", MODE_0644);
	}
	default_downward_items(a, given(volume, "downwardAPI"));
	if ((source = given(volume, "projected")) != NULL)
		default_projected(a, source);
	source = given(volume, "hostPath");
	if (tree_is(source, NODE_OBJECT) && given(source, "type") == NULL)
		tree_put(a, source, "type", tree_str(a, ""));
	source = given(volume, "image");
	if (tree_is(source, NODE_OBJECT))
		default_pull_policy(a, source, "pullPolicy",
		    tree_text(given(source, "reference")));
	source = tree_path(volume, "ephemeral.volumeClaimTemplate");
	if (tree_is(source, NODE_OBJECT)) {
		default_object(a, source, "metadata");
		claim_spec_default(a, default_object(a, source, "spec"));
	}
}

static void
default_containers(struct arena *a, struct node *containers)
{
	struct node *container;

	for (size_t i = 0; (container = each_of(containers, i)) != NULL; i++)
		default_container(a, container);
}

static void
pod_spec_default(struct arena *a, struct node *spec)
{
	struct node *volume;

	if (!tree_is(spec, NODE_OBJECT))
		return;
	for (size_t i = 0;
	     (volume = each_of(given(spec, "volumes"), i)) != NULL; i++)
		default_volume(a, volume);
	default_containers(a, given(spec, "initContainers"));
	default_containers(a, given(spec, "containers"));
	default_containers(a, given(spec, "ephemeralContainers"));
	default_text(a, spec, "dnsPolicy", "ClusterFirst");
	default_text(a, spec, "restartPolicy", "Always");
	default_object(a, spec, "securityContext");
	default_int(a, spec, "terminationGracePeriodSeconds", GRACE_SECONDS);
	default_text(a, spec, "schedulerName", "default-scheduler");
	/* Two names of one field: either gives the other. */
	if (!tree_empty(given(spec, "serviceAccountName")))
		tree_put(a, spec, "serviceAccount",
		    given(spec, "serviceAccountName"));
	else if (!tree_empty(given(spec, "serviceAccount")))
		tree_put(a, spec, "serviceAccountName",
		    given(spec, "serviceAccount"));
}

void
pod_template_default(struct arena *a, struct node *object, const char *key)
{
	struct node *template = default_object(a, object, key);

	if (!tree_is(template, NODE_OBJECT))
		return;
	default_object(a, template, "metadata");
	pod_spec_default(a, default_object(a, template, "spec"));
}

void
pod_template_object_default(struct arena *a, struct node *object)
{
	pod_template_default(a, object, "template");
}

static void
requests_from_limits(struct arena *a, struct node *containers)
{
	struct node *container, *limits, *requests;

	for (size_t i = 0; (container = each_of(containers, i)) != NULL; i++) {
		limits = tree_path(container, "resources.limits");
		if (tree_count(limits) == 0)
			continue;
		requests =
		    tree_make(a, given(container, "resources"), "requests");
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

	for (size_t i = 0; (container = each_of(containers, i)) != NULL; i++)
		for (size_t k = 0;
		     (port = each_of(given(container, "ports"), k)) != NULL;
		     k++) {
			number = given(port, "containerPort");
			if (int_or(port, "hostPort", 0) == 0 && number != NULL)
				tree_put(a, port, "hostPort", number);
		}
}

/* Decoding keeps podIP and the first of podIPs the same. */
static void
pod_ips(struct arena *a, struct node *status)
{
	struct node *all = given(status, "podIPs"), *first;
	struct span ip = tree_text(given(status, "podIP"));

	if (ip.n == 0 && tree_count(all) > 0)
		default_text(a, status, "podIP",
		    arena_str(a, tree_text(given(all->items[0], "ip"))));
	if (ip.n == 0 || tree_count(all) > 0)
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
	struct node *spec = default_object(a, object, "spec");

	if (!tree_is(spec, NODE_OBJECT))
		return;
	pod_spec_default(a, spec);
	requests_from_limits(a, given(spec, "initContainers"));
	requests_from_limits(a, given(spec, "containers"));
	default_bool(a, spec, "enableServiceLinks", true);
	if (tree_true(given(spec, "hostNetwork"))) {
		host_ports(a, given(spec, "containers"));
		host_ports(a, given(spec, "initContainers"));
	}
	pod_ips(a, default_object(a, object, "status"));
}
