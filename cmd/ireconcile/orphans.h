/*
 * orphans: objects with the marks of a member whose primary does not exist: its
 * finalizer was removed by force, say. They are reported, once each, and
 * counted, but not deleted, since the reason is not known. (Objects with a
 * controller reference are left to the garbage collector.)
 *
 * Events of different kinds come in any order, so an object is an orphan only
 * if two looks, some seconds apart, have found it.
 */
#ifndef ORPHANS_H
#define ORPHANS_H

#include "state/entry.h"
#include "state/sched.h"

struct orphans {
	struct entries *es; /* borrowed, as is sched */
	struct sched *sched;
	struct sched_timer timer; /* without an owner */
	struct map found;	  /* by label: struct orphan */
	uint64_t look;
};

void orphans_init(struct orphans *o, struct entries *es, struct sched *s);
void orphans_release(struct orphans *o);

/* There may be new orphans: plans a look. */
void orphans_suspect(struct orphans *o);
/* The timer is due. Sets entry->orphans. */
void orphans_look(struct orphans *o);

#endif
