/*
 * api: the server as a whole: the parts that every handler can reach.
 */
#ifndef API_H
#define API_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "process/loop.h"

struct cluster;
struct httpd;
struct store;
struct registry;
struct faults;
struct journal;
struct users;
struct origins;
struct accounts;
struct rights;
struct gc;
struct request;
struct crds;
struct watch_hub;
struct groups;
struct openapi;
struct metrics;

struct api {
	struct loop *loop;
	struct store *store;
	struct registry *registry;
	struct httpd *httpd;
	struct cluster *cluster;   /* cluster.h; NULL: not to be replaced */
	struct span url;	   /* https://HOST:PORT, where it listens */
	struct span host;	   /* from --listen, no brackets */
	struct origins *origins;   /* allowed web pages; NULL: none */
	struct faults *faults;	   /* NULL: none */
	struct journal *journal;   /* NULL: none */
	struct users *users;	   /* NULL: every client is the administrator */
	bool certificates_only;	   /* ... that has a certificate */
	bool no_anonymous;	   /* not even for probes */
	struct accounts *accounts; /* tokens of service accounts */
	struct rights *rights;	   /* NULL: every user may do everything */
	struct gc *gc;
	struct crds *crds;	     /* crd.h */
	struct watch_hub *watch_hub; /* watch_hub.h; NULL: no watch yet */
	uint64_t bookmark_ms;	     /* in a watch; 0: only before its end */
	struct groups *discovery;    /* cached documents; NULL: none yet */
	struct openapi *openapi;     /* cached documents; NULL: none yet */
	struct request *spare;	     /* requests to be used again; router.c's */
	size_t spares;
	size_t streams;		 /* open now, of Pods: kubelet.h */
	uint64_t requests;	 /* number of the last one */
	struct metrics *metrics; /* NULL: nothing was counted yet */
};

#endif
