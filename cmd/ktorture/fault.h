/*
 * fault: what goes wrong in a schedule, and when: named by the request of the
 * operator at which it happens, not by a count of all, so that the name means
 * the same when other requests come and go.
 *
 *	KIND[:ARG][-after]@POINT
 *	POINT: STAGE/VERB/RESOURCE[/NAMESPACE/NAME][!EVENT][#N]
 *
 *	409@kapply/patch/deployments.apps/default/example
 *	cut-after@kstatus/patch/memcacheds.cache.example.com:status/default/example#2
 *	watch-hold:3s@kwatch/watch/deployments.apps!2
 *	kill:kapply-after@kapply/patch/deployments.apps/default/example
 *
 * "-" is a namespace or name that the request does not have. #N: the N-th such
 * request (1). !N: with the N-th event of the watch. "-after": the work is done
 * first. Texts are borrowed from an arena that lives as long as the faults.
 */
#ifndef FAULT_H
#define FAULT_H

#include <jv.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/* How it is brought about. */
enum fault_way {
	FAULT_PLAN, /* a line of kapi's plan */
	FAULT_BREAK /* kapi waits at the request, until we have acted */
};

/* The requests that it is tried at. */
enum fault_where {
	FAULT_ANY = 1,	  /* all but watches */
	FAULT_WRITES = 2, /* those that change an object */
	FAULT_LISTS = 4,
	FAULT_WATCHES = 8, /* the request */
	FAULT_EVENTS = 16  /* each event of a watch */
};

enum fault_act {
	FAULT_NOTHING, /* FAULT_PLAN */
	FAULT_KILL,
	FAULT_STOP,
	FAULT_STARVE,
	FAULT_END,
	FAULT_FREEZE,
	FAULT_LATE,
	FAULT_SLOW,
	FAULT_RESTART,
	FAULT_RESTORE,
	FAULT_JUMP,
	FAULT_SUSPEND,
	FAULT_TOUCH,
	FAULT_DELETE,
	FAULT_GONE,
	FAULT_USURP,
	FAULT_DISOWN,
	FAULT_HOLD
};

struct fault_kind {
	const char *name;
	const char *args; /* those that are tried, with "|" between; "": none */
	enum fault_way way;
	unsigned where; /* enum fault_where */
	bool both;	/* also after the work */
	enum fault_act act;
	const char *group; /* in the table at the end */
	/* FAULT_PLAN: members of its line, "%s": the argument. Further lines are
	 * about the next such request. */
	const char *plan;
	/* Invariants that it may break: names with blanks between, or NULL. */
	const char *forgives;
};
extern const struct fault_kind fault_kinds[]; /* the last has no name */

struct fault_point {
	struct span stage, verb, resource, namespace_, name; /* "": none */
	unsigned nth, event; /* from 1; event 0: none */
};

struct fault {
	const struct fault_kind *kind;
	struct span arg;
	bool after;
	struct fault_point at;
};

/* -1 with err: it says what of the text is wrong. */
int fault_read(
    struct arena *a, struct span text, struct fault *f, struct err *err);
void fault_print(const struct fault *f, struct buf *b);
/* Appends the lines of kapi's plan for it. */
void fault_plan(const struct fault *f, struct buf *b);
/* The line of a request in kapi's journal as a point, with nth 1. False: it has
 * none, as it is not one of an operator. */
bool fault_point_of(struct arena *a, jv request_peek, struct fault_point *p);
bool fault_point_same(const struct fault_point *a, const struct fault_point *b);

#endif
