/*
 * serve: the paths on the two addresses.
 *
 * 	/healthz /livez /readyz	 on the address of the probes, for all clients
 * 	/metrics		 on the address of metrics, with --metrics-secure
 * 				 only for users with the right (review.h)
 *
 * Both may be one address; then it serves both. On an address of this machine
 * that asks for no credential, web pages of other sites are refused (local.h);
 * elsewhere probes and scrapes come by an address or a name that is not known
 * here.
 */
#ifndef SERVE_H
#define SERVE_H

#include "access/review.h"
#include "base/err.h"
#include "httpd/httpd.h"
#include "process/loop.h"
#include "state.h"

struct serve {
	struct loop *loop;
	struct state *state;
	struct review *review; /* NULL: /metrics is for all clients */
	bool openmetrics;      /* for clients that want it: with exemplars */
	/* Adds our own samples. */
	void (*own)(void *arg, struct metric_lines *m);
	void *arg;
};

enum { SERVE_PROBES = 1, SERVE_METRICS = 2 };

/* An address that is served; what: SERVE_ bits. */
struct port {
	struct serve *serve;
	unsigned what;
	bool local; /* only this machine gets here, without a credential */
	struct httpd *httpd;
};

/* tls NULL: clear text. -1 with err. port must stay where it is. */
int serve_open(struct port *port, struct serve *s, unsigned what,
    const char *address, const struct httpd_tls *tls, struct err *err);
void serve_close(struct port *port);

/* Whether an Accept header names OpenMetrics, and not text/plain with a greater
 * weight: a server that has both would choose it. */
bool serve_is_openmetrics(struct span header);

#endif
