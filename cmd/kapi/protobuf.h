/*
 * protobuf: bodies as clients written in Go send them for built-in kinds
 * (kubectl create, controller-runtime). They are read; every answer is JSON,
 * which those clients take. Source: apimachinery/pkg/runtime/serializer/
 * protobuf; the numbers of fields are in protobuf.txt.
 */
#ifndef PROTOBUF_H
#define PROTOBUF_H

#include "arena.h"
#include "err.h"
#include "span.h"
#include "tree.h"

/*
 * The object in a body that starts with "k8s\0", as the tree that its JSON
 * would give (with zero values, which decoding drops), with apiVersion and
 * kind. NULL with err, worded as the server does it.
 */
struct node *protobuf_parse(struct arena *a, struct span body, struct err *err);

#endif
