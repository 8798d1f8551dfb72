/*
 * rooms: namespaces that are selected by their labels (namespaceSelector of
 * watches.yaml), and when the reader hears of them.
 *
 * The kind Namespace is watched; in each selected namespace every kind that
 * wants it has a watch of its own, so that rights can be given in each. The line
 * of a Namespace is a gate, for a reader who selects by its labels, too: it comes
 * when the objects of all these kinds in it were printed, and, when it is not
 * selected any more, before their DELETED. So no order of kinds is needed.
 *
 * A namespace in which a kind cannot be watched keeps its gate closed. Neither
 * other namespaces nor the end of the initial state wait for it.
 */
#ifndef ROOMS_H
#define ROOMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/map.h"
#include "json/json.h"

struct kind;
struct kwatch;
struct watch;

/* Lives until the end: its name is the owner of entries (deltafifo.h). */
struct room {
	struct buf labels;  /* JSON; empty: none */
	struct buf waiting; /* the event whose line waits; empty: none */
	uint32_t mark;	    /* of the listing that named it */
	bool there;
	bool said;  /* the log has that it is selected */
	bool holds; /* the initial state of the Namespaces waits for it */
	char name[];
};

struct rooms {
	struct kind *kind; /* Namespace; NULL: nothing is selected */
	struct map by_name;
	bool listed; /* all Namespaces were there once */
};

/* Whether this kind is that of the namespaces. */
bool rooms_are_of(const struct kind *k);
/* Call it when all kinds are there. */
void rooms_init(struct kwatch *app);
void rooms_release(struct rooms *r);

/* The watch of the Namespaces begins: nothing holds up their initial state. */
void rooms_restart(struct kwatch *app);
/* A Namespace has come or changed: starts watches in it. False: its line has to
 * wait, and comes later. */
bool rooms_may_tell(struct kwatch *app, const struct json_frame *f);
/* The line of a Namespace was printed, or it was deleted: ends the watches that
 * are not wanted any more. */
void rooms_told(struct kwatch *app, struct span name);
void rooms_deleted(struct kwatch *app, struct span name);
/* A listing of the Namespaces is complete. */
void rooms_listed(struct kwatch *app);

/* Starts the watches of a kind whose resource is known. */
void rooms_enter(struct kind *k);
/* A watch has its initial state; or it has a trouble, and is not waited for. */
void rooms_synced(struct watch *w);
void rooms_excuse(struct watch *w);
/* A kind is not served any more: no gate waits for it. */
void rooms_look(struct kwatch *app);

#endif
