/*
 * discovery: which resources the server has, by kind and by the names that
 * people type. Aggregated discovery where the server offers it, the older
 * requests otherwise. An unknown kind may appear later (a new CRD): callers ask
 * again by discovery_refresh, which limits its requests.
 */
#ifndef DISCOVERY_H
#define DISCOVERY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"
#include "base/textlist.h"
#include "kube/kube.h"

struct api_resource {
	char *group; /* "" = core; all owned by the discovery */
	char *version;
	char *kind;
	char *plural;
	char *singular;
	struct textlist short_names;
	struct textlist categories;   /* "all" */
	struct textlist subresources; /* "status", "scale" */
	bool namespaced;
	bool preferred; /* version is the group's preferred one for the kind */
	bool can_list, can_watch;
};

struct discovery;

struct discovery *discovery_new(struct loop *l, struct kube *k);
void discovery_free(struct discovery *d);

/*
 * Asks the server. done(arg, NULL) when the tables are new, or with the error
 * (tables stay as they were). Calls while a request is under way join it; at
 * most one request per second is sent (a joined or later one waits).
 */
typedef void discovery_done_fn(void *arg, const struct kube_error *e);
void discovery_refresh(struct discovery *d, discovery_done_fn *done, void *arg);

/*
 * Borrowed; a resource once returned stays valid (and at the same address)
 * until discovery_free, also if the server drops it: then it is no longer
 * found here.
 */
const struct api_resource *discovery_find(const struct discovery *d,
    struct span group, struct span version, struct span kind);
/* The preferred version of a kind. */
const struct api_resource *discovery_find_kind(
    const struct discovery *d, struct span group, struct span kind);
/*
 * Finds it as kubectl does: po, pods, pod, deploy, deployments.apps,
 * deployments.v1.apps, Deployment. NULL: err says what was not found.
 */
const struct api_resource *discovery_resolve(
    const struct discovery *d, const char *spelling, struct err *err);
/* The resources of a category, in their preferred versions, one by one: *at
 * begins as 0. NULL: no more. */
const struct api_resource *discovery_category(
    const struct discovery *d, const char *category, size_t *at);
/* True if the last answer was incomplete ("Stale") for this group/version:
 * then "not found" means "not known". */
bool discovery_stale(
    const struct discovery *d, struct span group, struct span version);

/*
 * Appends the path of the collection or, with a name, of the object:
 * /apis/apps/v1/namespaces/NS/deployments/NAME[/SUB]. ns is ignored for
 * cluster-scoped resources; SPAN_NONE for all namespaces.
 */
void discovery_path(struct buf *b, const struct api_resource *r, struct span ns,
    struct span name, const char *subresource);

#endif
