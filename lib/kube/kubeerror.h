/*
 * kubeerror: errors of the API server: the meaning of a Status object (or a
 * text, or a proxy's answer) for the sender of the request.
 *
 *	kind		examples
 *	ERR_CONFLICT	409: Conflict, AlreadyExists: read again
 *	ERR_GONE	404, 410
 *	ERR_TRANSIENT	transport, 429, 5xx, a namespace that terminates
 *	ERR_PERMANENT	400, 401, 403, 405, 406, 413, 415, 422, and a 500 of
 *			server-side apply without a reason (schema)
 *
 * A 404 with an empty reason concerns the path: the kind is not served (yet).
 */
#ifndef KUBEERROR_H
#define KUBEERROR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/* Why a request failed. What to do is in kind and in the flags. */
struct kube_error {
	enum err_kind kind; /* ERR_NONE: it did not fail */
	int code;	    /* HTTP; 0: transport */
	char reason[64];    /* Status.reason, "" if there is none */
	char *message;	    /* owned; the server's or ours, may hold values */
	char *details_kind; /* owned or NULL: details.kind, e.g. namespaces */
	char *causes;	    /* owned or NULL: raw JSON array details.causes */
	int64_t retry_after_ms;	    /* -1: not said */
	bool namespace_terminating; /* 403 of a create */
	bool namespace_missing;	    /* 404 with details.kind namespaces */
	bool denied;		    /* 403 of the authorizer: no right to it */
	bool field_conflict;	    /* 409 of server-side apply with managers */
	bool timed_out;		    /* outcome of a write unknown */
	bool too_large;		    /* the answer was cut off */
};

/*
 * Fills e (what was in it is not released) from an answer's code and body,
 * also from the object of an ERROR event (code 0: the Status says it).
 */
void kube_error_parse(struct kube_error *e, int code, struct span body);
/* An error of the transport, or of ours. */
void kube_error_set(struct kube_error *e, const struct err *err);
/* The server has not reached the resourceVersion that was asked for. */
bool kube_error_of_future(const struct kube_error *e);
/* An error that says nothing of the data: no server, or one that is not well
 * (429, 5xx). */
bool kube_error_of_outage(const struct kube_error *e);
/* No login, or no right (401, 403). */
bool kube_error_of_denial(const struct kube_error *e);
void kube_error_release(struct kube_error *e);
void kube_error_copy(struct kube_error *to, const struct kube_error *from);
/*
 * The message as it may be logged or put into a status: one line of at most
 * 1024 bytes, cut in the middle if it is longer; a conflict of server-side apply
 * names each field and its manager. For Secrets and ConfigMaps (kind of the
 * object concerned; KUBE_ERROR_PRIVATE for others alike) only reason, field and
 * cause type stay, with the sentence of Kubernetes' own validation ("must be no
 * more than 63 bytes"): the server echoes values. The message of a quota stays. A message of server-side apply
 * about a type stays up to the type (".data.port: expected string"), the first
 * one of several, if the path is plain names; so does "illegal base64 data".
 * Appends to b.
 */
#define KUBE_ERROR_PRIVATE span_str("Secret")
void kube_error_public(
    struct buf *b, const struct kube_error *e, struct span kind);
/*
 * kube_error_public about the object that was sent, as JSON: what a policy, a webhook or
 * an admission plugin says, without a field, is told as well, without the values
 * of the object (scrub.h). Only values of what was there before could be left;
 * such a text is written by those who run the cluster.
 */
void kube_error_public_of(struct buf *b, const struct kube_error *e,
    struct span kind, struct span object);
/*
 * The missing right, of an error that is `denied`, in one line: User "u" cannot
 * patch resource "secrets" in API group "" in the namespace "n". It has no
 * object's name or content. Appends to b.
 */
void kube_error_denial(struct buf *b, const struct kube_error *e);

#endif
