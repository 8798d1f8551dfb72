/*
 * kubepools: the two connections to the API server. They are made when they are
 * needed, and again when the certificates change; a silent one is asked whether
 * it lives.
 */
#ifndef KUBEPOOLS_H
#define KUBEPOOLS_H

#include "http/http.h"
#include "kubeconfig/auth.h"
#include "kubeconfig/kubeconfig.h"
#include "process/loop.h"

enum kube_pool {
	KUBE_POOL_SINGLE,
	KUBE_POOL_STREAMS, /* the connection of lists and watches */
};

struct kube_pools {
	struct loop *loop; /* borrowed, as the next two */
	const struct kubeconfig *config;
	struct auth *auth;
	char *user_agent;
	struct http *http[2]; /* NULL: not needed yet */
	unsigned tls_version; /* of these */
};

/* tool: for the User-Agent. */
void kube_pools_init(struct kube_pools *p, struct loop *l,
    const struct kubeconfig *config, struct auth *auth, const char *tool);
/* Calls in flight end without on_done. */
void kube_pools_release(struct kube_pools *p);
/* Borrowed, for one http_start. */
struct http *kube_pools_get(struct kube_pools *p, enum kube_pool which);

#endif
