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

struct condition {
	const char *type, *status, *reason;
	struct span message;
};

/* NULL if there is none of that type. */
struct node *conditions_find(const struct node *definition, const char *type);
bool conditions_true(const struct node *definition, const char *type);
/* Whether the one of that type says just that. */
bool conditions_are(const struct node *definition, const struct condition *c);
/* lastTransitionTime moves only with the status. */
void conditions_set(struct arena *a, struct node *definition,
    const struct condition *c, struct span now);

/* Names that others of the group have: plurals, singulars and short names;
 * kinds and list kinds. */
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

#endif
