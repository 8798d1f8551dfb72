/*
 * errand: what the next request of an item is, and so which answer comes: by
 * what is to be done (enum item_op) and how far it is (enum item_step). The
 * answers choose the next step (answer.c):
 *
 *	OP_LOOK           READ
 *	OP_APPLY          [PRIMARY] -> [READ | CAUSE] -> WRITE -> [ADOPT | LIST] -> ...
 *	                  ... -> WRITE -> [TRIM | HOLDER]
 *	OP_DELETE         READ -> WRITE
 *	OP_..._FINALIZERS READ -> WRITE
 *
 * PRIMARY comes first of what is created once; READ of a plain object whose
 * former state is shown, and after a WRITE that found the object to be
 * another's; CAUSE of a repair that is explained. ADOPT and LIST prepare another
 * WRITE. TRIM follows a WRITE that was accepted, HOLDER one that got a conflict.
 */
#ifndef ERRAND_H
#define ERRAND_H

#include "kube/kube.h"
#include "set/set.h"

enum errand {
	ERRAND_NEVER, /* the op has no such step */
	ERRAND_LOOK,
	ERRAND_PRIMARY,
	ERRAND_READ,
	ERRAND_CAUSE,
	ERRAND_APPLY,
	ERRAND_ADOPT,
	ERRAND_LIST,
	ERRAND_TRIM,
	ERRAND_HOLDER,
	ERRAND_DOOMED,
	ERRAND_DELETE,
	ERRAND_FINALIZERS,
	ERRAND_PATCH,
	ERRANDS
};

enum errand errand_of(enum item_op op, enum item_step step);
enum kube_verb errand_verb(enum errand e); /* not of NEVER */

#endif
