/*
 * kubelet: requests that a kubelet would answer: log, exec, attach and
 * portforward of a Pod, and proxy. What its containers do is said by annotations
 * (script.h).
 * Source: pkg/registry/core/pod/{strategy.go,rest}, pkg/kubelet/server, and
 * what a kubelet of 1.36 with containerd answered.
 */
#ifndef KUBELET_H
#define KUBELET_H

#include "tree/tree.h"
#include "kubelet/podprocess.h"
#include "request/request.h"

/* Each answers r, whose verb is allowed on its subresource. */
void kubelet_serve(struct request *r);
void kubelet_serve_proxy(struct request *r);

/* ---- for the files of this room ---- */

/* Goes on as a WebSocket, or refuses to. */
void channels_run(struct request *r, const struct podprocess *p);
void channels_forward(
    struct request *r, const struct node *pod, const uint16_t *ports, size_t n);

/* Over SPDY/3.1. tunnel: in a WebSocket, which the request asks for by one of
 * its protocols (streams_is_tunnel). */
void streams_run(struct request *r, const struct podprocess *p);
bool streams_is_tunnel(const struct request *r);
void streams_forward(struct request *r, const struct node *pod, bool tunnel);

#endif
