/*
 * watch_index: all watches: for each collection the watches of all of it, of a
 * namespace and of one object, each in a list that is found by name. A change
 * is offered to three lists, however many watches there are. Between
 * watch_hub.c and its events.
 */
#ifndef WATCH_INDEX_H
#define WATCH_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/text.h"
#include "read/list.h"
#include "reply/table.h"
#include "store/store.h"

struct watcher;
struct watched;

/* Watches of the same name. */
struct watch_bucket {
	struct span key; /* owned; NAMESPACE/NAME, NAMESPACE or "" */
	struct watcher *first;
	struct watched *of;
	bool is_name;
};

/* Of one collection. */
struct watched {
	struct collection *collection;
	struct watch_hub *hub;
	struct store_hook hook;
	struct watch_bucket all;
	struct map by_namespace, by_key; /* struct watch_bucket */
	struct watched *next;
};

struct watcher {
	struct request *request; /* owned */
	struct watch_hub *hub;
	struct watch_bucket *bucket; /* NULL: in none yet */
	struct watcher *next, **link;
	struct watcher *next_dead; /* in the graveyard */
	const struct resource *resource;
	const struct crd *crd; /* a reference */
	struct list_options options;
	struct table_form form;
	bool headers;	  /* a Table's columns were sent */
	bool live;	  /* gets changes as they come */
	bool dead;	  /* goes when the walk over its list is over */
	uint64_t version; /* all up to this one was sent */
	/* Initial events that wait for the client to read. */
	struct stored **initial;
	size_t initial_count, initial_next;
	struct timer end, bookmark, pump;
	uint64_t deadline; /* clock_ms */
	struct fault_gate *gate;
};

struct watch_hub {
	struct api *api;
	struct watched *collections;
	bool walking; /* over a list, which must not change */
	struct watcher *graveyard;
};

/* Puts w where its options say, and takes it out. */
void watch_index_add(struct watch_hub *h, struct watcher *w);
void watch_index_remove(struct watcher *w);
/* Any watch, NULL if there is none. */
struct watcher *watch_index_any(
    const struct watch_hub *h, const struct resource *r);

/* ---- events ---- */

/* A frame that was made for one watch, for others that look alike. */
struct watch_frame {
	const struct resource *resource;
	struct table_form form;
	bool headers;
	enum change_type type;
	struct text *text; /* owned */
};
enum { FRAMES = 8 };
struct watch_frames {
	struct watch_frame frames[FRAMES];
	size_t n;
};
void watch_frames_release(struct watch_frames *f);

/* Sends what a change is to w, if anything; -1: w is cut. */
int watch_event_offer(
    struct watcher *w, const struct store_change *c, struct watch_frames *f);
/* type ADDED, of an object that is there. */
int watch_event_initial(struct watcher *w, const struct stored *o);
int watch_event_bookmark(struct watcher *w, uint64_t version, bool initial_end);
int watch_event_error(struct watcher *w, const struct problem *p);

/* watch_hub.c: w was cut or is done. ends: its answer is still open. */
void watch_hub_close(struct watcher *w, bool ends);

#endif
