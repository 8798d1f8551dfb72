/*
 * review: decides who may read a path. The API server tells the user of a
 * token (TokenReview) and whether that user may get the path
 * (SubjectAccessReview), as for controller-runtime's filter of /metrics
 * (pkg/metrics/filters/filters.go).
 *
 *	401	no token, or one that the API server does not know
 *	403	a user without the right
 *	500	the API server could not be asked
 *	503	too many questions are under way
 *
 * (An unknown token is 500 in controller-runtime: that says nothing to who
 * sends it.) Answers are kept for some time: a token 1 min, a right 5 min (of the
 * same user, with the same groups), a missing right 30 s. Tokens are kept as
 * keyed digests.
 */
#ifndef REVIEW_H
#define REVIEW_H

#include "base/span.h"
#include "kube/kube.h"
#include "process/loop.h"

struct review;
struct review_call;

/* Borrows all. path is that of the rights, as "/metrics". */
struct review *review_new(struct loop *l, struct kube *k, const char *path);
void review_free(struct review *r); /* no call may be under way */

/* text is for the client; valid only during the call. */
typedef void review_fn(void *arg, int status, struct span text);

/* The part of the header authorization behind the scheme ("bearer", in upper or
 * lower case) up to a blank, as servers in Go read it; nothing if it has another
 * scheme. */
struct span review_credential(struct span header, const char *scheme);

/*
 * token: copied; nothing: 401. method: the request's. fn is called once, unless
 * cancelled; if that is at once, NULL is returned.
 */
struct review_call *review_start(struct review *r, struct span token,
    struct span method, review_fn *fn, void *arg);
void review_cancel(struct review_call *c);

#endif
