/*
 * kind: a kind that is watched: its path on the server (if it is served), its
 * watches (one per namespace), and whether its initial state was sent.
 */
#ifndef KIND_H
#define KIND_H

#include <stdbool.h>

#include "app.h"
#include "json/json.h"
#include "kube/retry.h"
#include "report/metric.h"
#include "watchspec.h"

struct watch;

enum kind_state {
	KIND_NEW,      /* not announced */
	KIND_OPEN,     /* announced, its initial state is coming */
	KIND_COMPLETE, /* all its watches are there */
};

/* The types of a watch event. */
enum kind_event {
	KIND_ADDED,
	KIND_MODIFIED,
	KIND_DELETED,
	KIND_BOOKMARK,
	KIND_ERROR,
	KIND_EVENTS
};

struct kind {
	struct kwatch *app;
	struct watchspec *spec; /* borrowed */
	struct kind *twin; /* borrowed: covers this operand; NULL: itself */
	const struct api_resource *resource; /* borrowed; NULL: not served */
	char *group, *api_version, *kind; /* NULL: an operand, not found yet */
	char *name;			  /* "Deployment.apps": for reports */
	struct deltafifo_index index;
	enum kind_state state;
	bool settled;		/* complete once, or given up */
	bool given_up;		/* with once: the kind will not be complete */
	bool said_missing;	/* logged that the kind is not served */
	bool gone;		/* the reader knows that no object is left */
	struct trouble trouble; /* trouble of the kind as a whole */
	struct timer trouble_timer;  /* when trouble will count */
	bool unready;		     /* reported as not ready */
	bool said_undecided;	     /* logged what waits for the kind */
	bool partial;		     /* the reader knows some namespaces */
	struct kube_backoff backoff; /* delay of looking for a lost kind */
	uint64_t whole_ms;	     /* when it was complete; 0: it is not */
	bool no_watch_list; /* the server refused one: list, then watch */
	uint32_t marks;
	uint64_t events[KIND_EVENTS]; /* number of events that came in */
	struct watch **watches;
	size_t watch_count, incomplete;
	bool waits_for_rooms; /* one of incomplete: which there are */
};

struct kind *kind_new(struct kwatch *app, struct watchspec *spec);
void kind_free(struct kind *k); /* call it after deltafifo_free */
/* Announces a kind whose name is known. */
void kind_announce(struct kind *k);
/* Discovery has changed: starts the watches, or reports that the kind is
 * missing. */
void kind_discovered(struct kind *k);
/* The path is gone, so perhaps the kind is. Frees the watches. */
void kind_lost(struct kind *k, const struct kube_error *e);
/* Rights are missing: logs once for which primaries nothing is decided until the
 * kind is complete. A user of the cluster sees nothing of that. */
void kind_say_undecided(struct kind *k);
/* The server has gone back: its watches list again. */
void kind_relist(struct kind *k);
/* A watch of the kind has a new trouble, or one is over. */
void kind_trouble_changed(struct kind *k);
/* A watch has its initial state, for the first time. */
void kind_watch_synced(struct kind *k);
/* Which namespaces are selected is known now: see rooms.h. */
void kind_rooms_listed(struct kind *k);
/* Starts the watch in a selected namespace; ends it, and deletes its objects for
 * the reader. */
void kind_enter(struct kind *k, struct room *room);
void kind_leave(struct kind *k, struct watch *w);
/* With --once: this watch has failed for good; the others of the kind go on. */
void kind_watch_given_up(struct kind *k);

/* Appends "secrets in namespace ops"; ns NULL: all. */
void kind_describe(const struct kind *k, const char *ns, struct buf *out);
/* Describes a request that got this code: a 400 must be due to its
 * selectors, the only part that users write. */
void kind_describe_refused(
    const struct kind *k, const char *ns, int code, struct buf *out);
/* An event of this type came in. */
void kind_count(struct kind *k, struct span type);
/* Samples of events by kind and type. */
void kind_metrics(const struct kind *k, struct metric_lines *m);

#endif
