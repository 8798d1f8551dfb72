/*
 * proto: what clients in Go send: objects in protobuf, as
 * application/vnd.kubernetes.protobuf. Only requests: answers are JSON, which
 * every such client takes. The numbers of fields are in types.txt.
 * Source: apimachinery/pkg/runtime/serializer/protobuf, pkg/runtime/types.go
 * (Unknown).
 */
#ifndef PROTO_H
#define PROTO_H

#include "base/arena.h"
#include "base/err.h"
#include "tree/tree.h"

/*
 * The object of a body: four bytes "k8s\0", then a message Unknown with
 * apiVersion, kind and the object's own message. Fields that the type does not
 * know are skipped, as protobuf does it. NULL with err.
 */
struct node *proto_decode(struct arena *a, struct span body, struct err *err);

#endif
