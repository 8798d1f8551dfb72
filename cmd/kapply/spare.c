#include "spare.h"

#include <string.h>

#include "base/array.h"
#include "body.h"
#include "plain/setparent.h"

/*
 * NULL: any; "x*": what begins with x. Kubernetes' own come first: of two rows
 * that fit, the first counts.
 */
static const struct row {
	const char *group, *kind, *namespace_, *name;
	enum spare_when when;
	const char *why;
} rows[] = {
    {"", "Node", "", NULL, SPARE_ALWAYS, "it is a Node"},
    {"", "Secret", NULL, "kpipe-marks-*", SPARE_ALWAYS,
	"it is the key of an operator's marks"},
    {NULL, NULL, "kube-*", NULL, SPARE_ALWAYS,
	"it is in a namespace of Kubernetes' own"},
    {"", "Namespace", "", "kube-*", SPARE_ALWAYS, "it is Kubernetes' own"},
    {"", "Namespace", "", "default", SPARE_ALWAYS, "it is Kubernetes' own"},
    {"", "Service", "default", "kubernetes", SPARE_ALWAYS,
	"it is Kubernetes' own"},
    {NULL, NULL, "", "system:*", SPARE_ALWAYS, "it is Kubernetes' own"},
    {"scheduling.k8s.io", "PriorityClass", "", "system-*", SPARE_ALWAYS,
	"it is Kubernetes' own"},
    /* Cluster-scoped: Namespaces, CustomResourceDefinitions, volumes, ...:
     * what hangs on them goes with them. */
    {NULL, NULL, "", NULL, SPARE_UNASKED, NULL},
};

static bool
fits(const char *pattern, struct span s)
{
	size_t n;

	if (pattern == NULL)
		return true;
	n = strlen(pattern);
	if (n == 0 || pattern[n - 1] != '*')
		return span_is(s, pattern);
	return s.n >= n - 1 && memcmp(s.p, pattern, n - 1) == 0;
}

bool
spare_is_primary(const struct set *s, struct span object)
{
	return s->primary.uid.n > 0 &&
	    span_eq(body_metadata(object, "uid"), s->primary.uid);
}

static bool
is_namespace_of(const struct item *i, struct span ns)
{
	return ns.n > 0 && i->id.group.n == 0 &&
	    span_is(i->id.kind, "Namespace") && span_eq(i->id.name, ns);
}

enum spare_when
spare(const struct set *s, const struct item *i, struct span object,
    struct span home, const char **why)
{
	struct span ns = body_metadata(object, "namespace");

	*why = NULL;
	if (spare_is_primary(s, object))
		*why = "it is the primary itself";
	else if (span_eq(i->id.group, s->primary.group) &&
	    span_eq(i->id.kind, s->primary.kind))
		*why = "it is a primary of its own";
	else if (is_namespace_of(i, s->primary.namespace_))
		*why = "it is the namespace of the primary";
	else if (is_namespace_of(i, home))
		*why = "it is the operator's own namespace";
	else if (setparent_is(object))
		*why = "it is the parent of an apply set";
	if (*why != NULL)
		return SPARE_ALWAYS;
	for (size_t n = 0; n < COUNT(rows); n++) {
		const struct row *r = &rows[n];

		if (!fits(r->group, i->id.group) ||
		    !fits(r->kind, i->id.kind) || !fits(r->namespace_, ns) ||
		    !fits(r->name, i->id.name))
			continue;
		*why = r->why;
		return r->when;
	}
	return SPARE_NOT;
}
