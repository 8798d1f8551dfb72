/*
 * members: the members of a line's reconcile, and its items: found in one pass,
 * and each of the right type.
 */
#ifndef MEMBERS_H
#define MEMBERS_H

#include "base/err.h"
#include "base/span.h"

/* In the order in which they are checked; the last ones are not. */
enum member {
	MEMBER_ITEMS, /* of the line itself */
	MEMBER_KNOWN,
	MEMBER_ONCE,
	MEMBER_EXACTLY,
	MEMBER_AS_SEEN,
	MEMBER_VACATED,
	MEMBER_PATCH,
	MEMBER_RELEASE,
	MEMBER_DELETE,
	MEMBER_REFUSED,
	MEMBER_EVENTS,
	MEMBER_ADOPT,
	MEMBER_ORIGIN,
	MEMBER_INSTANCE,
	MEMBER_TAKES_OVER,
	MEMBER_LOOPS,
	MEMBER_BECAUSE,
	MEMBER_CONFIDENTIAL,
	MEMBER_STATUS,
	MEMBER_ON_ERROR,
	MEMBER_FINALIZERS,
	MEMBER_PRIMARY,
	MEMBER_MANAGER,
	MEMBER_DELETING,
	MEMBER_GUARD_STATUS,
	MEMBER_MAX_CONCURRENT,
	MEMBERS
};

/* Borrowed from the line; SPAN_NONE: it has none. */
struct members {
	struct span of[MEMBERS];
};

/* line is JSON. */
void members_find(struct members *m, struct span line);
/* A filter that spoils a member must not make it look absent. null is absent. */
int members_check(const struct members *m, struct err *err);

#endif
