#include "agree/apischema.h"

#include <stddef.h>

#include "base/array.h"
#include "json/jvtext.h"
#include "value/datakind.h"
#include "value/objref.h"

void
apischema_add_step(struct buf *b, const struct apischema_place *p)
{
	if (p->up == NULL)
		return;
	if (p->key.p != NULL) {
		jvtext_add_key(b, p->key);
	} else if (p->label.p != NULL) {
		buf_addc(b, '[');
		buf_addspan(b, p->label);
		buf_addc(b, ']');
	} else {
		jvtext_add_index(b, p->index);
	}
}

void
apischema_add_place(struct buf *b, const struct apischema_place *p)
{
	if (p->up != NULL)
		apischema_add_place(b, p->up);
	apischema_add_step(b, p);
}

struct apischema
apischema_of(struct span api_version, struct span kind)
{
	/* The groups that kube-apiserver itself serves. */
	static const char *const groups[] = {"admissionregistration.k8s.io",
	    "apiextensions.k8s.io", "apiregistration.k8s.io", "apps",
	    "authentication.k8s.io", "authorization.k8s.io", "autoscaling",
	    "batch", "certificates.k8s.io", "coordination.k8s.io",
	    "discovery.k8s.io", "events.k8s.io", "flowcontrol.apiserver.k8s.io",
	    "networking.k8s.io", "node.k8s.io", "policy",
	    "rbac.authorization.k8s.io", "resource.k8s.io", "scheduling.k8s.io",
	    "storage.k8s.io", NULL};
	struct span group = objref_group(api_version);

	return (struct apischema){kind,
	    group.n == 0 ? span_is(api_version, "v1")
			 : span_is_one_of(group, groups)};
}

/* Whether this step is the member `key` of the object's member `parent`. */
static bool
is_at_top(const struct apischema_place *p, const char *parent, const char *key)
{
	return span_is(p->key, key) && p->up != NULL &&
	    span_is(p->up->key, parent) && p->up->up != NULL &&
	    p->up->up->up == NULL;
}

static const struct {
	const char *list;
	struct apischema_list how;
} keyed[] = {
    {"claims", {LIST_KEYED, {"name"}}},
    {"containers", {LIST_KEYED, {"name"}}},
    {"env", {LIST_KEYED, {"name"}}},
    {"ephemeralContainers", {LIST_KEYED, {"name"}}},
    {"hostAliases", {LIST_KEYED, {"ip"}}},
    {"imagePullSecrets", {LIST_KEYED, {"name"}}},
    {"initContainers", {LIST_KEYED, {"name"}}},
    {"matchConditions", {LIST_KEYED, {"name"}}},
    /* Other ports are keyed only in containers: elsewhere they have no
     * containerPort, and so no key. */
    {"ports", {LIST_KEYED, {"containerPort", "protocol"}}},
    {"resourceClaims", {LIST_KEYED, {"name"}}},
    {"schedulingGates", {LIST_KEYED, {"name"}}},
    {"secrets", {LIST_KEYED, {"name"}}},
    {"topologySpreadConstraints",
	{LIST_KEYED, {"topologyKey", "whenUnsatisfiable"}}},
    {"validationActions", {LIST_SET, {NULL}}},
    {"volumeDevices", {LIST_KEYED, {"devicePath"}}},
    {"volumeLifecycleModes", {LIST_SET, {NULL}}},
    {"volumeMounts", {LIST_KEYED, {"mountPath"}}},
    {"volumes", {LIST_KEYED, {"name"}}},
    {"webhooks", {LIST_KEYED, {"name"}}},
    {"x-kubernetes-validations", {LIST_KEYED, {"rule"}}},
};

struct apischema_list
apischema_list(const struct apischema *s, const struct apischema_place *list)
{
	const struct apischema_list plain = {LIST_PLAIN, {NULL}};

	if (is_at_top(list, "metadata", "ownerReferences"))
		return (struct apischema_list){LIST_KEYED, {"uid"}};
	if (is_at_top(list, "metadata", "finalizers"))
		return (struct apischema_list){LIST_SET, {NULL}};
	if (span_is(list->key, "conditions"))
		return (struct apischema_list){LIST_KEYED, {"type"}};
	if (!s->builtin || list->up == NULL)
		return plain;
	if (span_is(list->key, "ports") && span_is(s->kind, "Service"))
		return (struct apischema_list){
		    LIST_KEYED, {"port", "protocol"}};
	if (span_is(list->key, "imagePullSecrets") && list->up->up == NULL)
		return plain; /* a ServiceAccount's list is atomic */
	if (span_is(list->key, "variables") &&
	    span_is(s->kind, "ValidatingAdmissionPolicy"))
		return (struct apischema_list){LIST_KEYED, {"name"}};
	for (size_t i = 0; i < COUNT(keyed); i++)
		if (span_is(list->key, keyed[i].list))
			return keyed[i].how;
	return plain;
}

const char *
apischema_key_default(const char *key)
{
	return strcmp(key, "protocol") == 0 ? "TCP" : NULL;
}

bool
apischema_is_map(const struct apischema *s, const struct apischema_place *p)
{
	if (span_is(p->key, "labels") || span_is(p->key, "annotations"))
		return p->up != NULL && span_is(p->up->key, "metadata");
	if (p->up == NULL || p->up->up != NULL)
		return false;
	return datakind(span_str(""), s->kind) &&
	    (span_is(p->key, "data") || span_is(p->key, "binaryData") ||
		span_is(p->key, "stringData"));
}

bool
apischema_is_dropped(const struct apischema *s, const struct apischema_place *p)
{
	/* Members of a map type with `omitempty` in Kubernetes' Go types. */
	static const char *const maps[] = {"matchLabels", "nodeSelector",
	    "limits", "requests", "overhead", "hard", "capacity", "parameters",
	    "volumeAttributes", "attachmentMetadata", "options", NULL};

	if (!s->builtin || p->up == NULL)
		return false;
	/* Elsewhere a selector is a label selector, of which {} selects
	 * everything. */
	if (span_is(p->key, "selector"))
		return (p->up->up == NULL || p->up->up->up == NULL) &&
		    (span_is(s->kind, "Service") ||
			span_is(s->kind, "ReplicationController"));
	return span_is_one_of(p->key, maps);
}

bool
apischema_is_quantity(
    const struct apischema *s, const struct apischema_place *p)
{
	static const char *const maps[] = {
	    "hard", "overhead", "podFixed", "capacity", NULL};
	static const char *const range_maps[] = {"default", "defaultRequest",
	    "max", "min", "maxLimitRequestRatio", NULL};
	static const char *const fields[] = {
	    "sizeLimit", "divisor", "maximumVolumeSize", NULL};
	static const char *const scaler[] = {
	    "averageValue", "value", "tolerance", NULL};
	struct span map = p->up != NULL ? p->up->key : SPAN_NONE;

	if (p->key.p == NULL)
		return false;
	/* Custom resources embed the resources of containers and claims. */
	if (span_is(map, "limits") || span_is(map, "requests"))
		return true;
	if (!s->builtin)
		return false;
	if (span_is(s->kind, "LimitRange"))
		return span_is_one_of(map, range_maps);
	if (span_is(s->kind, "HorizontalPodAutoscaler"))
		return span_is_one_of(p->key, scaler);
	if (span_is(s->kind, "CSIStorageCapacity"))
		return span_is(p->key, "capacity") ||
		    span_is(p->key, "maximumVolumeSize");
	return span_is_one_of(map, maps) || span_is_one_of(p->key, fields);
}
