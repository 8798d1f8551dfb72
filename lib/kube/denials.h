/*
 * denials: the rights that a tool lacks for what it has to write, as reasons
 * why it is not ready: one per kind, by what it was writing, with the words of
 * the authorizer (kube_error_denial).
 *
 * Whatever is tried (an object, a status) has a pointer to what it counts in;
 * only its changes cost anything.
 */
#ifndef DENIALS_H
#define DENIALS_H

#include "base/span.h"
#include "kube/kubeerror.h"
#include "kube/retry.h"
#include "report/reportfd.h"

struct denial;
struct denied_kind;

struct denials {
	struct reportfd *report;   /* borrowed */
	struct denied_kind *kinds; /* owned: with at least one denial */
};

void denials_init(struct denials *d, struct reportfd *report);
/* Says nothing; the pointers that are left must not be used any more. */
void denials_release(struct denials *d);

/*
 * What *at belongs to failed by e, an error that is `denied`: it counts until
 * denials_leave. *at is NULL before the first time, and may be moved.
 */
void denials_enter(struct denials *d, struct denial **at, struct span group,
    struct span kind, const struct kube_error *e);
/* It was done, is not wanted any more, or failed by something else. */
void denials_leave(struct denials *d, struct denial **at);

/*
 * It failed by an error of this kind, with whatever right it needed: permanent
 * ones are found out behind the authorizer, the others may be before it.
 */
static inline void
denials_failed(struct denials *d, struct denial **at, enum retry_kind kind)
{
	if (*at != NULL && retry_is_permanent(kind) && kind != RETRY_DENIED)
		denials_leave(d, at);
}

#endif
