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

enum {
	KUBELET_STREAMS_MAX = 1000,	    /* at once; one more is a 429 */
	KUBELET_STREAM_MS = 4 * 3600 * 1000 /* then it is cut, as a real one is
					     * that has been idle so long */
};

/* Each answers r, whose verb is allowed on its subresource. */
void kubelet_serve(struct request *r);
void kubelet_serve_proxy(struct request *r); /* proxy.c */

/* ---- for the files of this room ---- */

/*
 * A stream begins with this status: the journal, the metrics, the limit. False:
 * r was answered otherwise. kubelet_end afterwards, in place of request_free.
 */
bool kubelet_begin(struct request *r, int code);
void kubelet_end(struct request *r);

/* A refusal in the words of a kubelet. */
void kubelet_refuse(struct request *r, int code, const char *text);

/* Goes on as a WebSocket, or refuses to. */
void channels_run(struct request *r, const struct podprocess *p);
void channels_forward(
    struct request *r, const struct node *pod, const uint16_t *ports, size_t n);

/* The same over SPDY/3.1. tunnel: in a WebSocket, which the request asks for by
 * one of its protocols (streams_is_tunnel). */
void streams_run(struct request *r, const struct podprocess *p);
bool streams_is_tunnel(const struct request *r);
void streams_forward(struct request *r, const struct node *pod, bool tunnel);

#endif
