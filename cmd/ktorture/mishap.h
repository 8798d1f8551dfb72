/*
 * mishap: a fault: what goes wrong in a schedule, and when: named by the request of the
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
 *	line-twice@kwatch/line!3
 *
 * "-" is a namespace or name that the request does not have. #N: the N-th such
 * request (1), of all instances of the operator. !N: with the N-th event of the
 * watch. "-after": the work is done first. STAGE/line!N: the N-th line of the
 * stage to the next. Texts are borrowed from an arena that lives as long as the
 * faults.
 */
#ifndef MISHAP_H
#define MISHAP_H

#include <jv.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/* How it is brought about. */
enum mishap_way {
	MISHAP_PLAN,  /* a line of kapi's plan */
	MISHAP_BREAK, /* kapi waits at the request, until we have acted */
	MISHAP_RELAY  /* a process between two stages (relay.h) */
};

/* The requests that it is tried at. */
enum mishap_where {
	MISHAP_ANY = 1,	   /* all but watches */
	MISHAP_WRITES = 2, /* those that change an object */
	MISHAP_LISTS = 4,
	MISHAP_WATCHES = 8, /* the request */
	MISHAP_EVENTS = 16, /* each event of a watch */
	MISHAP_LEASES = 32, /* those of an election */
	MISHAP_GETS = 64,   /* those that read one object */
	MISHAP_LINES = 128  /* each line of a stage to the next: no request */
};

enum mishap_act {
	MISHAP_NOTHING, /* MISHAP_PLAN */
	MISHAP_KILL,
	MISHAP_STOP,
	MISHAP_STOP_AT_END,
	MISHAP_STARVE,
	MISHAP_END,
	MISHAP_FREEZE,
	MISHAP_LATE,
	MISHAP_SLOW,
	MISHAP_RESTART,
	MISHAP_RESTORE,
	MISHAP_JUMP,
	MISHAP_SUSPEND,
	MISHAP_TOUCH,
	MISHAP_DELETE,
	MISHAP_GONE,
	MISHAP_USURP,
	MISHAP_DISOWN,
	MISHAP_HOLD,
	MISHAP_NEXT,
	MISHAP_STEAL,
	MISHAP_PART,
	MISHAP_BESIDE,
	MISHAP_LINE_TWICE,
	MISHAP_LINE_HOLD,
	MISHAP_LINE_CUT
};

struct mishap_kind {
	const char *name;
	const char *args; /* those that are tried, with "|" between; "": none */
	enum mishap_way way;
	unsigned where; /* enum mishap_where */
	bool both;	/* also after the work */
	enum mishap_act act;
	const char *group; /* in the table at the end */
	/* Members of a line of kapi's plan, "%s": the argument. MISHAP_PLAN: a
	 * further line is about the next such request. MISHAP_BREAK: it is added
	 * when that is done; or NULL. */
	const char *plan;
	/* Invariants that it may break: names with blanks between, or NULL. */
	const char *forgives;
	unsigned due; /* see mishap_due_ms */
};
extern const struct mishap_kind mishap_kinds[]; /* the last has no name */

struct mishap_point {
	struct span stage, verb, resource, namespace_, name; /* "": none */
	unsigned nth, event; /* from 1; event 0: none */
};

struct mishap {
	const struct mishap_kind *kind;
	struct span arg;
	bool after;
	struct mishap_point at;
};

/* -1 with err: it says what of the text is wrong. */
int mishap_read(
    struct arena *a, struct span text, struct mishap *f, struct err *err);
void mishap_print(const struct mishap *f, struct buf *b);
/* How long after it began it should have no effect any more, on an operator that
 * does what it should; -1: that cannot be said. */
int64_t mishap_due_ms(const struct mishap *f);
/* NULL: none has that name. */
const struct mishap_kind *mishap_kind(struct span name);
/* Appends the lines of kapi's plan for it. */
void mishap_plan(const struct mishap *f, struct buf *b);
/* The same of what follows from it, for MISHAP_BREAK; nothing, if nothing does. */
void mishap_follow(const struct mishap *f, struct buf *b);
/* The line of a request in kapi's journal as a point, with nth 1. False: it has
 * none, as it is not one of an operator. */
bool mishap_point_of(struct arena *a, jv request_peek, struct mishap_point *p);
bool mishap_point_same(
    const struct mishap_point *a, const struct mishap_point *b);

#endif
