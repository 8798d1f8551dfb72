/*
 * applysetid: the name of an apply set, which its parent and its members carry:
 * applyset-<base64url of SHA-256(NAME.NAMESPACE.KIND.GROUP)>-v1
 * (computeApplySetID in k8s.io/kubectl pkg/cmd/apply/applyset.go).
 */
#ifndef APPLYSETID_H
#define APPLYSETID_H

#include "base/buf.h"
#include "base/span.h"

/* Of the parent. Appended. */
void applysetid_add(struct buf *b, struct span name, struct span ns,
    struct span kind, struct span group);

#endif
