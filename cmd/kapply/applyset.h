/*
 * applyset: prune for plain objects, as kubectl's --applyset: a parent object
 * remembers in its annotations which kinds and namespaces the set has, members
 * carry its label, and members that were not in the input are deleted.
 *
 * Source: k8s.io/kubectl pkg/cmd/apply/applyset.go (alpha since 1.27; KEP-3659
 * spells the prefix differently). The order: read the parent, write the union
 * of old and new kinds to it, apply, list members, delete, write what is left.
 */
#ifndef APPLYSET_H
#define APPLYSET_H

#include <stdbool.h>

#include "apply.h"

/* name: [RESOURCE[.GROUP]/]NAME; a Secret by default. Borrows both. */
struct applyset *applyset_new(struct apply *a, const char *name);
void applyset_free(struct applyset *as);

/* Collects a plain object of the input; takes s. */
void applyset_take(struct applyset *as, struct set *s);
/* The object of that uid was applied. */
void applyset_applied(struct applyset *as, struct span uid);
/*
 * The input is over. Looks what comes next and starts it; call it whenever
 * something happened. True when nothing is left to do; a->w.failed says how it
 * went.
 */
bool applyset_step(struct applyset *as);

/* Whether the object is the parent of a set. */
bool applyset_is_parent(struct span object);

#endif
