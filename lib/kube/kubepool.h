/*
 * kubepool: the connection to the API server. It is made when it is needed, and
 * again when the certificates change; a silent one is asked whether it lives.
 */
#ifndef KUBEPOOL_H
#define KUBEPOOL_H

#include "http/http.h"
#include "kubeconfig/auth.h"
#include "kubeconfig/kubeconfig.h"
#include "process/loop.h"

struct kubepool {
	struct loop *loop; /* borrowed, as the next two */
	const struct kubeconfig *config;
	struct auth *auth;
	char *user_agent;
	struct http *http;    /* NULL: not needed yet */
	unsigned tls_version; /* of http */
};

/* tool: for the User-Agent. */
void kubepool_init(struct kubepool *p, struct loop *l,
    const struct kubeconfig *config, struct auth *auth, const char *tool);
/* Calls in flight end without on_done. */
void kubepool_release(struct kubepool *p);
/* Borrowed, for one http_start. */
struct http *kubepool_get(struct kubepool *p);

#endif
