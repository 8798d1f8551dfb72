/*
 * orphans: objects with the marks of a member whose primary is not there: its
 * finalizer was taken away by force, say. They are reported, once each, and
 * counted; nobody deletes them, since nobody can tell why they are left. What
 * has a controller reference instead is the garbage collector's.
 *
 * Events of different kinds come in any order. So one is an orphan only when
 * it is found by two looks, some seconds apart.
 */
#ifndef ORPHANS_H
#define ORPHANS_H

#include "state/entry.h"
#include "state/sched.h"

struct orphans {
	struct entries *es; /* borrowed, as is sched */
	struct sched *sched;
	struct wake wake; /* its owner is NULL */
	struct map found; /* by label: struct orphan */
	uint64_t look;
};

void orphans_init(struct orphans *o, struct entries *es, struct sched *s);
void orphans_release(struct orphans *o);

/* Something may have become one: looks, soon. */
void orphans_suspect(struct orphans *o);
/* The wake is due. Sets entry->orphans. */
void orphans_look(struct orphans *o);

#endif
