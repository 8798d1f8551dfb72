/* What no manager gets to own, by the path that it writes through. Source:
 * GetResetFields of each strategy, managedfields/internal/stripmeta.go.
 * (pods/ephemeralcontainers and pods/resize have filters, too, which the server
 * never asks for: their storage does not pass them on.) */
#include "merge/managed_entry.h"

struct reset {
	const char *group, *kind, *subresource;
	const char *paths[4];
};

/* Kinds whose main path resets status and /status resets spec, and more. */
static const struct reset resets[] = {
    {"admissionregistration.k8s.io", "ValidatingAdmissionPolicy", "",
	{"status"}},
    {"admissionregistration.k8s.io", "ValidatingAdmissionPolicy", "status",
	{"spec", "metadata"}},
    {"apiextensions.k8s.io", "CustomResourceDefinition", "", {"status"}},
    {"apiextensions.k8s.io", "CustomResourceDefinition", "status", {"spec"}},
    {"apiregistration.k8s.io", "APIService", "", {"status"}},
    {"apiregistration.k8s.io", "APIService", "status", {"spec", "metadata"}},
    {"apps", "DaemonSet", "", {"status"}},
    {"apps", "DaemonSet", "status", {"spec"}},
    {"apps", "Deployment", "", {"status"}},
    {"apps", "Deployment", "status", {"spec", "metadata.labels"}},
    {"apps", "ReplicaSet", "", {"status"}},
    {"apps", "ReplicaSet", "status", {"spec"}},
    {"apps", "StatefulSet", "", {"status"}},
    {"apps", "StatefulSet", "status", {"spec"}},
    {"autoscaling", "HorizontalPodAutoscaler", "", {"status"}},
    {"autoscaling", "HorizontalPodAutoscaler", "status", {"spec"}},
    {"batch", "CronJob", "", {"status"}},
    {"batch", "CronJob", "status", {"spec"}},
    {"batch", "Job", "", {"status"}},
    {"batch", "Job", "status", {"spec"}},
    {"certificates.k8s.io", "CertificateSigningRequest", "",
	{"spec", "status"}},
    {"certificates.k8s.io", "CertificateSigningRequest", "status",
	{"spec", "status.conditions"}},
    {"certificates.k8s.io", "CertificateSigningRequest", "approval",
	{"spec", "status.certificate"}},
    {"", "Namespace", "", {"status"}},
    {"", "Namespace", "status", {"spec"}},
    {"", "Namespace", "finalize", {"status"}},
    {"", "Node", "", {"status"}},
    {"", "Node", "status", {"spec"}},
    {"", "PersistentVolume", "", {"status"}},
    {"", "PersistentVolume", "status", {"spec"}},
    {"", "PersistentVolumeClaim", "", {"status"}},
    {"", "PersistentVolumeClaim", "status", {"spec"}},
    {"", "Pod", "", {"status"}},
    {"", "Pod", "status",
	{"spec", "metadata.deletionTimestamp", "metadata.ownerReferences"}},
    {"", "ReplicationController", "", {"status"}},
    {"", "ReplicationController", "status", {"spec"}},
    {"", "ResourceQuota", "", {"status"}},
    {"", "ResourceQuota", "status", {"spec"}},
    {"", "Service", "", {"status"}},
    {"", "Service", "status", {"spec"}},
    {"flowcontrol.apiserver.k8s.io", "FlowSchema", "", {"status"}},
    {"flowcontrol.apiserver.k8s.io", "FlowSchema", "status",
	{"spec", "metadata"}},
    {"flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration", "",
	{"status"}},
    {"flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration", "status",
	{"spec", "metadata"}},
    {"networking.k8s.io", "Ingress", "", {"status"}},
    {"networking.k8s.io", "Ingress", "status", {"spec"}},
    {"networking.k8s.io", "ServiceCIDR", "", {"status"}},
    {"networking.k8s.io", "ServiceCIDR", "status", {"spec", "metadata"}},
    {"policy", "PodDisruptionBudget", "", {"status"}},
    {"policy", "PodDisruptionBudget", "status", {"spec"}},
    {"resource.k8s.io", "ResourceClaim", "", {"status"}},
    {"resource.k8s.io", "ResourceClaim", "status", {"spec", "metadata"}},
    {"storage.k8s.io", "VolumeAttachment", "", {"status"}},
    {"storage.k8s.io", "VolumeAttachment", "status", {"spec", "metadata"}},
};

static struct span
group_of(struct span api_version)
{
	const char *slash = memchr(api_version.p, '/', api_version.n);

	return slash == NULL
	    ? span_str("")
	    : span_make(api_version.p, (size_t)(slash - api_version.p));
}

static struct fieldset *
without(struct arena *a, struct fieldset *set, const char *path)
{
	return fieldset_difference_recursive(a, set, fieldset_of(a, path));
}

struct fieldset *
managed_filter(const struct managed_write *w, const struct node *object,
    struct fieldset *set)
{
	struct arena *a = w->arena;
	struct span kind = tree_text(tree_get(object, "kind"));
	struct span group = group_of(w->api_version);

	if (set == NULL)
		return NULL;
	if (w->schema->name.n == 0) { /* of a CRD */
		if (span_is(w->subresource, "status"))
			return without(a, without(a, set, "metadata"), "spec");
		return w->has_status && w->subresource.n == 0
		    ? without(a, set, "status")
		    : set;
	}
	for (size_t i = 0; i < sizeof(resets) / sizeof(*resets); i++) {
		const struct reset *r = &resets[i];

		if (!span_is(kind, r->kind) || !span_is(group, r->group) ||
		    !span_is(w->subresource, r->subresource))
			continue;
		for (size_t j = 0; j < 4 && r->paths[j] != NULL; j++)
			set = without(a, set, r->paths[j]);
		break;
	}
	return set;
}

struct fieldset *
managed_strip(struct arena *a, struct fieldset *set)
{
	static const char *const fields[] = {"apiVersion", "kind", "metadata"};
	static const char *const of_metadata[] = {"clusterName",
	    "creationTimestamp", "generation", "managedFields", "name",
	    "namespace", "resourceVersion", "selfLink", "uid"};
	struct fieldset *top, *below;

	if (set == NULL)
		return NULL;
	top = fieldset_new(a);
	below = fieldset_new(a);
	for (size_t i = 0; i < sizeof(of_metadata) / sizeof(char *); i++) {
		struct fieldset_element e =
		    fieldset_element_field(span_str(of_metadata[i]));

		fieldset_add(a, below, &e, true, NULL);
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(char *); i++) {
		struct fieldset_element e =
		    fieldset_element_field(span_str(fields[i]));

		fieldset_add(a, top, &e, true, i == 2 ? below : NULL);
	}
	return fieldset_difference(a, set, top);
}
