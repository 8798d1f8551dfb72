/*
 * conditions: the status of a CustomResourceDefinition: conditions, and the
 * names that it got.
 * Source: apiextensions-apiserver/pkg/apihelpers, controller/status.
 */
#ifndef CONDITIONS_H
#define CONDITIONS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/span.h"
#include "tree/tree.h"
#include "type/cause.h"

struct condition {
	const char *type, *status, *reason;
	struct span message;
};

/* NULL if there is none of that type. */
struct node *conditions_find(const struct node *definition, const char *type);
bool conditions_true(const struct node *definition, const char *type);
/* lastTransitionTime moves only with the status. */
void conditions_set(struct arena *a, struct node *definition,
    const struct condition *c, struct span now);

/* Names that other definitions of the group use: plurals, singulars and short
 * names; kinds and list kinds. */
struct used_names {
	struct span *resources, *kinds;
	size_t resource_count, kind_count;
};
void conditions_used_names(
    struct arena *a, struct used_names *used, const struct node *definition);

/*
 * Accepts the names that are free, sets NamesAccepted, and Established to
 * Installing or NotAccepted. False: nothing has changed.
 */
bool conditions_accept_names(struct arena *a, struct node *definition,
    const struct used_names *used, struct span now);

/*
 * Definitions in the groups of Kubernetes itself (k8s.io,
 * kubernetes.io) say by an annotation who approved them.
 * Source: apiextensions-apiserver/pkg/apihelpers/helpers.go
 * (GetAPIApprovalState), pkg/controller/apiapproval.
 */
/* Adds an error if the annotation is missing or bad, unless it was so before.
 * live NULL: the definition is new. */
void conditions_check_approval(
    struct causes *c, const struct node *live, const struct node *object);
/* Sets the condition KubernetesAPIApprovalPolicyConformant. False: nothing has
 * changed, or the group needs no approval. */
bool conditions_set_approval(
    struct arena *a, struct node *definition, struct span now);

#endif
