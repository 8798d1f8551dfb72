/*
 * managed: who owns which field: metadata.managedFields, and server-side apply
 * on it. The rules are those of structured-merge-diff and
 * apimachinery/pkg/util/managedfields: see doc/kapi.md.
 */
#ifndef MANAGED_H
#define MANAGED_H

#include <stdbool.h>

#include "arena.h"
#include "problem.h"
#include "schema.h"
#include "span.h"
#include "tree.h"

struct managed_write {
	struct arena *arena;
	const struct schema *schema; /* of the whole object */
	struct span manager;	 /* fieldManager, or the User-Agent's name */
	struct span subresource; /* "" on the main path */
	struct span api_version; /* of the request */
	struct span now;	 /* RFC 3339, whole seconds */
	bool force;		 /* apply only */
	/* A write through a subresource owns nothing outside; and one through
	 * the main path nothing of status where that is a subresource. Dotted
	 * paths below which nothing is tracked: "metadata.name", ...; the ones
	 * that are never tracked (apiVersion, kind, metadata.name, uid,
	 * creationTimestamp ...) are known here. */
	bool has_status;
};

/*
 * After POST, PUT and the patches that are no apply: sets
 * object.metadata.managedFields from live's (NULL when it is created) and what
 * the write changed. An entry's time moves only if its set did.
 */
void managed_update(const struct managed_write *w, const struct node *live,
    struct node *object);

/*
 * Server-side apply: live (NULL: created) merged with what the manager sent.
 * *result is a new tree with managedFields; *unchanged says that nothing is to
 * be written. A problem: 409 with FieldManagerConflict causes, 422, or 500 for
 * a field that the schema does not know, as the API server answers.
 */
struct problem *managed_apply(const struct managed_write *w,
    const struct node *live, const struct node *applied, struct node **result);

#endif
