/*
 * approval: definitions in the groups of Kubernetes itself (k8s.io,
 * kubernetes.io) say by an annotation who approved them.
 * Source: apiextensions-apiserver/pkg/apihelpers/helpers.go
 * (GetAPIApprovalState), pkg/controller/apiapproval.
 */
#ifndef APPROVAL_H
#define APPROVAL_H

#include <stdbool.h>

#include "type/cause.h"

/* The annotation has to be there, and to be good; one that was not stays. live
 * NULL: the definition is new. */
void approval_check(
    struct causes *c, const struct node *live, const struct node *object);
/* The condition KubernetesAPIApprovalPolicyConformant. False: it is right
 * already, or not for this group. */
bool approval_set_condition(
    struct arena *a, struct node *definition, struct span now);

#endif
