/*
 * continue: the token that a page of a LIST ends with: unpadded base64url of
 * {"v":"meta.k8s.io/v1","rv":VERSION,"start":KEY}, as the API server makes it.
 * Source: apiserver/pkg/storage/continue.go.
 */
#ifndef CONTINUE_H
#define CONTINUE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "type/problem.h"

/* version -1: go on at the latest one. key: of the last object given. */
struct span continue_make(struct arena *a, int64_t version, struct span key);
/* A problem is a 400. *key is in the arena. */
struct problem *continue_parse(
    struct arena *a, struct span token, int64_t *version, struct span *key);

#endif
