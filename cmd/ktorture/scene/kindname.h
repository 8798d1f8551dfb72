/*
 * kindname: which apiVersion a kind has, and whether its objects are in
 * namespaces. The kinds of an operator come first, then those that Kubernetes
 * itself serves.
 */
#ifndef KINDNAME_H
#define KINDNAME_H

#include <stdbool.h>
#include <jv.h>

#include "base/span.h"

/*
 * The kind of that name in kinds, [{apiVersion, kind, namespaced}], else among
 * those of Kubernetes: an object of that form, owned. "CronJob.batch" is that
 * of the group alone. Letters may have any case. Invalid: there is none.
 */
jv kindname_find(jv kinds_peek, struct span name);
/* The names of all, "A, B, C", for messages; owned. */
char *kindname_list(jv kinds_peek);
/* Whether objects of that apiVersion and kind are in namespaces; an unknown
 * kind is. */
bool kindname_is_namespaced(
    jv kinds_peek, struct span api_version, struct span kind);

#endif
