/*
 * podcontainer: which container of a Pod is meant, and what its status says.
 * Source: pkg/registry/core/pod/strategy.go (validateContainer), and what a
 * kubelet of 1.36 answered.
 */
#ifndef PODCONTAINER_H
#define PODCONTAINER_H

#include <stdbool.h>
#include <stdint.h>

#include "tree/tree.h"
#include "request/request.h"
#include "type/problem.h"

/* container=, or the only one, goes to *name. */
struct problem *podcontainer_choose(
    struct request *r, const struct node *pod, struct span *name);

/* Whether the Pod is on a node: its spec names one, or its status says that it
 * has run, which is all that a client in the part of the kubelet can write. */
bool podcontainer_has_host(const struct node *pod);

bool podcontainer_runs(const struct node *pod, struct span name);
/* NULL, or why the container has no log (previous: of its run before). */
struct problem *podcontainer_check_log(
    struct request *r, const struct node *pod, struct span name, bool previous);
/* When the container began to run, else when the Pod was created: us since
 * 1970. */
int64_t podcontainer_began_us(
    const struct node *pod, struct span name, bool previous);

#endif
