/*
 * denials: rights that a tool lacks for its writes, as reasons why it is not
 * ready: one for each kind that it was writing, with the words of the
 * authorizer (kube_error_denial).
 *
 * Each thing that is tried (an object, a status) has a pointer to the denial in
 * which it counts; only changes of that cost time.
 */
#ifndef DENIALS_H
#define DENIALS_H

#include "base/span.h"
#include "kube/kubeerror.h"
#include "kube/retry.h"
#include "report/reportfd.h"

struct denial;

struct denials {
	struct reportfd *report; /* borrowed */
	struct denial *first;	 /* owned: the oldest */
};

void denials_init(struct denials *d, struct reportfd *report);
/* Reports nothing; pointers to its denials must not be used any more. */
void denials_release(struct denials *d);

/*
 * The owner of *at failed with e, which is `denied`: it counts until
 * denials_leave. *at is NULL before the first time, and is updated.
 */
void denials_enter(struct denials *d, struct denial **at, struct span group,
    struct span kind, const struct kube_error *e);
/* The work is done, no longer wanted, or failed for another reason. */
void denials_leave(struct denials *d, struct denial **at);

/*
 * The work failed with an error of this kind. A permanent error comes after the
 * authorizer has allowed the request; others may come before it.
 */
static inline void
denials_failed(struct denials *d, struct denial **at, enum retry_kind kind)
{
	if (*at != NULL && retry_is_permanent(kind) && kind != RETRY_DENIED)
		denials_leave(d, at);
}

#endif
