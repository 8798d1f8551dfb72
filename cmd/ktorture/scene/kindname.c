#include "scene/kindname.h"

#include "base/buf.h"
#include "json/jvtext.h"
#include "value/objref.h"

enum { MANY = 8 };

struct builtin {
	const char *api_version, *kind;
	bool namespaced;
};

static const struct builtin builtins[] = {{"v1", "ConfigMap", true},
    {"v1", "Secret", true}, {"v1", "Pod", true}, {"v1", "Service", true},
    {"v1", "ServiceAccount", true}, {"v1", "PersistentVolumeClaim", true},
    {"v1", "PersistentVolume", false}, {"v1", "Namespace", false},
    {"v1", "Node", false}, {"v1", "Endpoints", true}, {"v1", "Event", true},
    {"v1", "LimitRange", true}, {"v1", "ResourceQuota", true},
    {"v1", "ReplicationController", true}, {"apps/v1", "Deployment", true},
    {"apps/v1", "StatefulSet", true}, {"apps/v1", "DaemonSet", true},
    {"apps/v1", "ReplicaSet", true}, {"batch/v1", "Job", true},
    {"batch/v1", "CronJob", true}, {"networking.k8s.io/v1", "Ingress", true},
    {"networking.k8s.io/v1", "NetworkPolicy", true},
    {"networking.k8s.io/v1", "IngressClass", false},
    {"policy/v1", "PodDisruptionBudget", true},
    {"autoscaling/v2", "HorizontalPodAutoscaler", true},
    {"rbac.authorization.k8s.io/v1", "Role", true},
    {"rbac.authorization.k8s.io/v1", "RoleBinding", true},
    {"rbac.authorization.k8s.io/v1", "ClusterRole", false},
    {"rbac.authorization.k8s.io/v1", "ClusterRoleBinding", false},
    {"coordination.k8s.io/v1", "Lease", true},
    {"discovery.k8s.io/v1", "EndpointSlice", true},
    {"scheduling.k8s.io/v1", "PriorityClass", false},
    {"storage.k8s.io/v1", "StorageClass", false},
    {"node.k8s.io/v1", "RuntimeClass", false},
    {"apiextensions.k8s.io/v1", "CustomResourceDefinition", false},
    {"admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration",
	false},
    {"admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", false},
    {NULL, NULL, false}};

static bool
is_named(struct span api_version, struct span kind, struct span wanted,
    struct span group, bool has_group)
{
	if (kind.n != wanted.n || strncasecmp(kind.p, wanted.p, kind.n) != 0)
		return false;
	return !has_group || span_eq(objref_group(api_version), group);
}

jv
kindname_find(jv kinds_peek, struct span name)
{
	struct span kind = name, group;
	bool has_group = span_find(name, '.') != NULL;
	int count = jv_array_length(jv_copy(kinds_peek));

	kind = span_cut(&name, '.');
	group = name;
	for (int i = 0; i < count; i++) {
		jv k = jv_array_get(jv_copy(kinds_peek), i);

		if (is_named(jvtext_span(jvtext_peek(k, "apiVersion")),
			jvtext_span(jvtext_peek(k, "kind")), kind, group,
			has_group))
			return k;
		jv_free(k);
	}
	for (const struct builtin *b = builtins; b->kind != NULL; b++)
		if (is_named(span_str(b->api_version), span_str(b->kind), kind,
			group, has_group))
			return JV_OBJECT(jv_string("apiVersion"),
			    jv_string(b->api_version), jv_string("kind"),
			    jv_string(b->kind), jv_string("namespaced"),
			    jv_bool(b->namespaced));
	return jv_invalid();
}

char *
kindname_list(jv kinds_peek)
{
	struct buf b = BUF_INIT;
	int count = jv_array_length(jv_copy(kinds_peek));

	for (int i = 0; i < count && i < MANY; i++) {
		jv k = jv_array_get(jv_copy(kinds_peek), i);

		buf_addf(&b, "%s%.*s", i > 0 ? ", " : "",
		    SPAN_ARG(jvtext_span(jvtext_peek(k, "kind"))));
		jv_free(k);
	}
	return buf_take(&b);
}

bool
kindname_is_namespaced(jv kinds_peek, struct span api_version, struct span kind)
{
	struct buf name = BUF_INIT;
	struct span group = objref_group(api_version);
	bool namespaced;
	jv k;

	/* The core group has no name: "Pod." is that of it. */
	buf_addf(&name, "%.*s.%.*s", SPAN_ARG(kind), SPAN_ARG(group));
	k = kindname_find(kinds_peek, buf_span(&name));
	namespaced = !jv_is_valid(k) ||
	    jv_get_kind(jvtext_peek(k, "namespaced")) == JV_KIND_TRUE;
	jv_free(k);
	buf_release(&name);
	return namespaced;
}
