/* What no manager gets to own, by the path that it writes through. Source:
 * GetResetFields of each strategy, managedfields/internal/stripmeta.go. */
#include "managed_entry.h"

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

/* Of a list's items, only these fields; of anything else below, nothing. */
static struct fieldset *
only_of_items(struct arena *a, const struct fieldset *items)
{
	struct fieldset *out = NULL;

	for (uint32_t i = 0; items != NULL && i < items->n; i++) {
		struct fieldset *keep = fieldset_of(a, "resources");
		const struct fieldset *of = items->items[i].children;
		struct fieldset *kept = fieldset_new(a);

		keep = fieldset_union(a, keep, fieldset_of(a, "resizePolicy"));
		for (uint32_t j = 0; of != NULL && j < of->n; j++)
			if (fieldset_find(keep, &of->items[j].path) != NULL)
				fieldset_add(a, kept, &of->items[j].path,
				    of->items[j].member, of->items[j].children);
		if (out == NULL)
			out = fieldset_new(a);
		fieldset_add(a, out, &items->items[i].path,
		    items->items[i].member, fieldset_done(a, kept));
	}
	return out;
}

/* pods/ephemeralcontainers and pods/resize name what they keep. */
static struct fieldset *
filter_pod(struct arena *a, struct span subresource, struct fieldset *set)
{
	struct path_element spec = element_field(span_str("spec"));
	const struct fieldset_item *found = fieldset_find(set, &spec);
	struct fieldset *below = NULL, *out;

	for (uint32_t i = 0;
	     found != NULL && found->children != NULL && i < found->children->n;
	     i++) {
		const struct fieldset_item *p = &found->children->items[i];
		bool all = span_is(subresource, "ephemeralcontainers");
		const char *names[] = {
		    all ? "ephemeralContainers" : "containers",
		    all ? "ephemeralContainers" : "initContainers"};

		if (!span_is(p->path.name, names[0]) &&
		    !span_is(p->path.name, names[1]))
			continue;
		if (below == NULL)
			below = fieldset_new(a);
		fieldset_add(a, below, &p->path, p->member,
		    all ? p->children : only_of_items(a, p->children));
	}
	if (found == NULL || (below == NULL && !found->member))
		return NULL;
	out = fieldset_new(a);
	fieldset_add(a, out, &spec, found->member, fieldset_done(a, below));
	return out;
}

struct fieldset *
managed_filter(const struct managed_write *w, const struct node *object,
    struct fieldset *set)
{
	struct arena *a = w->arena;
	struct span kind = node_text(node_get(object, "kind"));
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
	if (span_is(kind, "Pod") &&
	    (span_is(w->subresource, "ephemeralcontainers") ||
		span_is(w->subresource, "resize")))
		return filter_pod(a, w->subresource, set);
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
		struct path_element e = element_field(span_str(of_metadata[i]));

		fieldset_add(a, below, &e, true, NULL);
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(char *); i++) {
		struct path_element e = element_field(span_str(fields[i]));

		fieldset_add(a, top, &e, true, i == 2 ? below : NULL);
	}
	return fieldset_difference(a, set, top);
}
