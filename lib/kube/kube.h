/*
 * kube: a client of one Kubernetes API server: where it is, who we are, and
 * what its answers mean.
 *
 *	struct kube *k = kube_open(loop, &opts, "kapply", &err);
 *	kube_start(k, &request, done, arg);
 *
 * Credentials are refreshed here (token files re-read, exec plugins run, one
 * repetition after a 401); callers never see them. Facts: Kubernetes 1.37,
 * client-go's rest, clientcmd and exec packages.
 */
#ifndef KUBE_H
#define KUBE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "kube/kubeerror.h"
#include "kubeconfig/kubeconfig.h"
#include "kubeconfig/kubeopt.h"
#include "process/fence.h"
#include "process/loop.h"
#include "report/metric.h"

struct kube;

/*
 * Reads configuration (kubeconfig or in-cluster) and prepares; no request is
 * sent, so a server that is down is not an error here. NULL with err:
 * permanent, names file and field.
 */
struct kube *kube_open(struct loop *l, const struct kube_opts *o,
    const char *tool, struct err *err);
void kube_free(struct kube *k);

/*
 * From now on each request that writes goes out only if the fence (borrowed)
 * allows it at that moment. Otherwise it fails with the fence's error, after
 * the fence's own callback.
 */
void kube_fence(struct kube *k, struct fence *l);

/* The namespace of -n, else of the context, else of the pod, else "default". */
const char *kube_namespace(const struct kube *k);
const char *kube_server(const struct kube *k); /* for messages */
bool kube_runs_plugin(const struct kube *k);   /* for its credential */

enum kube_verb {
	KUBE_GET,
	/* LIST and WATCH have a connection of their own. */
	KUBE_LIST,
	KUBE_WATCH,
	KUBE_CREATE,
	KUBE_APPLY,   /* the caller's query says fieldManager and force */
	KUBE_REPLACE, /* PUT */
	KUBE_JSON_PATCH,
	KUBE_MERGE_PATCH,
	KUBE_DELETE
};

struct kube_request {
	enum kube_verb verb; /* sets method, content type, timeout */
	const char *path;    /* "/api/v1/...?query", escaped; copied */
	struct span body;    /* copied */
	const char *accept;  /* NULL: application/json; copied */
	const char *etag;    /* If-None-Match; NULL: none; copied */
	/*
	 * The longest time for all of it; 0: the default of the verb (40 s,
	 * LIST 10 min, WATCH none: the caller says timeoutSeconds and a slack).
	 * A server that went silent is noticed earlier, see http.h.
	 */
	uint64_t timeout_ms;
	void (*on_begin)(void *arg); /* on_begin and on_data: see http.h */
	bool (*on_data)(void *arg, struct span bytes);
};

/* Counts of requests by code, method and host. */
void kube_metrics(const struct kube *k, struct metric_lines *m);

/* All borrowed, only during the callback. */
struct kube_answer {
	int code;	  /* HTTP status, 0 if none */
	struct span body; /* whole JSON text; not what on_data was given */
	struct span
	    etag; /* ETag as sent, with its quotes; 304: still the same */
	struct span content_type;
	struct kube_error error; /* kind is ERR_NONE for 2xx and 304 */
};

typedef void kube_done_fn(void *arg, const struct kube_answer *a);

/*
 * done is called exactly once, from the loop and never from kube_start, unless
 * the call is cancelled before (or on_data returned false, which is the same).
 * Both functions may be called from any callback; kube_free from none.
 * A 401 is answered here, by other credentials and one repetition, where there
 * are any. Warnings of the server are logged, each text once.
 */
struct kube_call;
struct kube_call *kube_start(struct kube *k, const struct kube_request *r,
    kube_done_fn *done, void *arg);
void kube_cancel(struct kube_call *c);

#endif
