#include "type/traits.h"

#include <stdlib.h>
#include <string.h>

struct row {
	const char *group, *plural;
	unsigned traits;
};

#define RBAC "rbac.authorization.k8s.io"
#define ADMISSION "admissionregistration.k8s.io"
#define STORAGE "storage.k8s.io"
#define RESOURCE "resource.k8s.io"

static const struct row rows[] = {
    {"", "configmaps", TRAIT_VALIDATES_TWICE},
    {"", "endpoints", TRAIT_CREATE_ON_UPDATE},
    {"", "events", TRAIT_CREATE_ON_UPDATE | TRAIT_NO_COLLECTION},
    {"", "limitranges", TRAIT_CREATE_ON_UPDATE},
    {"", "namespaces", TRAIT_RETURNS_DELETED},
    {"", "persistentvolumeclaims", TRAIT_RETURNS_DELETED},
    {"", "persistentvolumes", TRAIT_RETURNS_DELETED},
    {"", "pods", TRAIT_RETURNS_DELETED},
    {"", "podtemplates", TRAIT_RETURNS_DELETED},
    {"", "replicationcontrollers", TRAIT_ORPHANS},
    {"", "resourcequotas", TRAIT_RETURNS_DELETED},
    {"", "secrets", TRAIT_VALIDATES_TWICE},
    {"", "serviceaccounts", TRAIT_RETURNS_DELETED},
    {"", "services", TRAIT_CREATE_ON_UPDATE | TRAIT_RETURNS_DELETED},
    {ADMISSION, "mutatingadmissionpolicies", TRAIT_NEEDS_VERSION},
    {ADMISSION, "mutatingadmissionpolicybindings", TRAIT_NEEDS_VERSION},
    {ADMISSION, "mutatingwebhookconfigurations", TRAIT_NEEDS_VERSION},
    {ADMISSION, "validatingadmissionpolicies", TRAIT_NEEDS_VERSION},
    {ADMISSION, "validatingadmissionpolicybindings", TRAIT_NEEDS_VERSION},
    {ADMISSION, "validatingwebhookconfigurations", TRAIT_NEEDS_VERSION},
    {"apiextensions.k8s.io", "customresourcedefinitions", TRAIT_NEEDS_VERSION},
    {"apiregistration.k8s.io", "apiservices", TRAIT_NEEDS_VERSION},
    {"batch", "jobs", TRAIT_ORPHANS},
    {"certificates.k8s.io", "clustertrustbundles", TRAIT_NEEDS_VERSION},
    {"certificates.k8s.io", "podcertificaterequests", TRAIT_NEEDS_VERSION},
    {"coordination.k8s.io", "leasecandidates",
	TRAIT_CREATE_ON_UPDATE | TRAIT_NEEDS_VERSION},
    {"coordination.k8s.io", "leases",
	TRAIT_CREATE_ON_UPDATE | TRAIT_NEEDS_VERSION},
    {"events.k8s.io", "events", TRAIT_CREATE_ON_UPDATE | TRAIT_NO_COLLECTION},
    {"node.k8s.io", "runtimeclasses",
	TRAIT_CREATE_ON_UPDATE | TRAIT_NEEDS_VERSION},
    {"policy", "poddisruptionbudgets", TRAIT_NEEDS_VERSION},
    {RBAC, "clusterrolebindings", TRAIT_CREATE_ON_UPDATE},
    {RBAC, "clusterroles", TRAIT_CREATE_ON_UPDATE},
    {RBAC, "rolebindings", TRAIT_CREATE_ON_UPDATE},
    {RBAC, "roles", TRAIT_CREATE_ON_UPDATE},
    {RESOURCE, "deviceclasses", TRAIT_RETURNS_DELETED},
    {RESOURCE, "resourceclaims", TRAIT_RETURNS_DELETED},
    {RESOURCE, "resourceclaimtemplates", TRAIT_RETURNS_DELETED},
    {RESOURCE, "resourceslices", TRAIT_RETURNS_DELETED},
    {STORAGE, "csidrivers", TRAIT_NEEDS_VERSION | TRAIT_RETURNS_DELETED},
    {STORAGE, "csinodes", TRAIT_NEEDS_VERSION | TRAIT_RETURNS_DELETED},
    {STORAGE, "csistoragecapacities", TRAIT_NEEDS_VERSION},
    {STORAGE, "storageclasses", TRAIT_RETURNS_DELETED},
    {STORAGE, "volumeattachments", TRAIT_NEEDS_VERSION | TRAIT_RETURNS_DELETED},
    {STORAGE, "volumeattributesclasses", TRAIT_RETURNS_DELETED},
};

static int
compare(const void *key, const void *row)
{
	const struct resource *r = key;
	const struct row *w = row;
	int c = span_cmp(r->group, span_str(w->group));

	return c != 0 ? c : span_cmp(r->plural, span_str(w->plural));
}

unsigned
traits(const struct resource *r)
{
	const struct row *w;

	if (r->crd != NULL)
		return TRAIT_NEEDS_VERSION;
	w = bsearch(
	    r, rows, sizeof rows / sizeof rows[0], sizeof rows[0], compare);
	return w == NULL ? 0 : w->traits;
}

enum name_rule
traits_name_rule(const struct resource *r)
{
	if (r->crd != NULL)
		return NAME_SUBDOMAIN;
	if (span_is(r->group, RBAC))
		return NAME_SEGMENT;
	if (r->group.n == 0 &&
	    (span_is(r->plural, "namespaces") ||
		span_is(r->plural, "services")))
		return NAME_LABEL;
	if (span_is(r->group, "apps") && span_is(r->plural, "statefulsets"))
		return NAME_LABEL;
	return NAME_SUBDOMAIN;
}
