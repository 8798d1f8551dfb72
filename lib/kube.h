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

#include "buf.h"
#include "err.h"
#include "loop.h"
#include "opt.h"
#include "span.h"

/* The options common to all tools that talk to the API. */
struct kube_opts {
	const char *kubeconfig;
	const char *context;
	const char *namespace_; /* -n */
	const char *server;
	const char *token_file;
	const char *certificate_authority;
};

/* A tool's table includes these rows: {.type = OPT_TABLE, .value = ...}.
 * They fill this one struct. */
extern struct kube_opts kube_opts;
extern const struct opt kube_opt_table[];

struct kube;

/*
 * Reads configuration (kubeconfig or in-cluster) and prepares; no request is
 * sent, so a server that is down is no error here. NULL with err: permanent,
 * names file and field.
 */
struct kube *kube_open(struct loop *l, const struct kube_opts *o,
    const char *tool, struct err *err);
void kube_free(struct kube *k);

/* The namespace of -n, the context, or the pod; "default" at last. */
const char *kube_namespace(const struct kube *k);
const char *kube_server(const struct kube *k); /* for messages */

enum kube_verb {
	KUBE_GET,
	KUBE_LIST,
	KUBE_WATCH, /* goes over the pool for watches, no whole timeout */
	KUBE_CREATE,
	KUBE_APPLY,
	KUBE_JSON_PATCH,
	KUBE_MERGE_PATCH,
	KUBE_DELETE
};

struct kube_request {
	enum kube_verb verb; /* sets method, content type, timeout */
	const char *path;    /* "/api/v1/...?query", escaped; copied */
	struct span body;    /* copied */
	const char *accept;  /* NULL: application/json; copied */
	uint64_t timeout_ms; /* 0: the default of the verb */
	bool (*on_data)(void *arg, struct span bytes); /* see http.h */
};

/* Why a request failed. What to do is in kind and in the flags. */
struct kube_error {
	enum err_kind kind; /* ERR_NONE: it did not fail */
	int code;	    /* HTTP; 0: transport */
	char reason[64];    /* Status.reason, "" if there is none */
	char *message;	    /* owned; the server's or ours, may hold values */
	char *details_kind; /* owned or NULL: details.kind, e.g. namespaces */
	char *causes;	    /* owned or NULL: raw JSON array details.causes */
	int64_t retry_after_ms; /* -1: not said */
	bool namespace_terminating;
	bool namespace_missing;
	bool field_conflict; /* 409 of server-side apply with managers */
	bool timed_out;	     /* outcome of a write unknown */
};

struct kube_answer {
	int code;	  /* HTTP status, 0 if none */
	struct span body; /* borrowed during the callback; whole JSON text */
	struct kube_error error; /* borrowed during the callback */
};

typedef void kube_done_fn(void *arg, const struct kube_answer *a);

struct kube_call;
struct kube_call *kube_start(struct kube *k, const struct kube_request *r,
    kube_done_fn *done, void *arg);
void kube_cancel(struct kube_call *c);

/* A Status object (or any text) as an error: also for ERROR events. */
void kube_error_parse(struct kube_error *e, int code, struct span body);
void kube_error_release(struct kube_error *e);
void kube_error_copy(struct kube_error *to, const struct kube_error *from);
/*
 * The message as it may be logged or put into a status: one line; for Secrets
 * and ConfigMaps (kind of the object concerned) only reason, field and cause
 * type stay, because the server echoes values. Appends to b.
 */
void kube_error_public(
    struct buf *b, const struct kube_error *e, struct span kind);

/*
 * Back-off: exponential with jitter. Start with {0}; each call doubles.
 * Returns milliseconds in d..2d, d = first * 2^n capped at max.
 */
struct kube_backoff {
	unsigned n;
};
uint64_t kube_backoff_next(
    struct kube_backoff *b, uint64_t first_ms, uint64_t max_ms);

/* Appends a path segment, percent-encoded. */
void kube_path_add(struct buf *b, struct span segment);
/* Appends ?key=value or &key=value, encoded. */
void kube_query_add(struct buf *b, const char *key, struct span value);

#endif
