/*
 * track: one object over time, a line of the picture; it lives on when the
 * object is deleted and created again. The first track, without a key, is the
 * pipeline itself.
 *
 * Each keeps the last version of its object, as text: memory is that of the
 * objects that exist at one time, and a few hundred bytes for each that ever
 * did, until tracks_sweep forgets it.
 */
#ifndef TRACK_H
#define TRACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/span.h"
#include "base/text.h"
#include "value/objref.h"

struct track {
	size_t index;	   /* 0, 1, ... in the order of their first mention, but
			    * that of a track that was forgotten comes again */
	char *key;	   /* owned; doc/protocol.md "Words" */
	struct objref ref; /* into key; without uid and version */
	bool secret;	   /* values of this kind are not told */
	struct track *parent; /* borrowed; NULL: a root */
	struct text *object;  /* the last version, NULL: is not there */
	char *uid;	      /* owned; of that version; NULL */
	uint32_t epoch;	      /* when that was seen (record/epoch.h) */
	uint32_t gaps;	      /* how many there were before it */
	uint64_t former;      /* hash of the last one that is gone; 0: none */
	bool seen;	      /* was seen since its kind was announced last */
	size_t rows;	      /* how many were made of it */
	/* For the page: which lines it has. */
	bool told;
	const struct track *told_parent;
	size_t told_rows;
	/* For a page that is live. */
	bool decides;	 /* the primary of a set */
	size_t kept;	 /* rows that are not forgotten */
	size_t children; /* tracks whose parent it is */
	char *standing;	 /* owned: what was told; NULL */
};

struct tracks {
	struct track **list; /* owned, and each of them; NULL: forgotten */
	size_t count;
	size_t *spare; /* owned: places in list that are free */
	size_t spare_count;
	struct map by_key, by_uid;
	struct map listing; /* kinds between their bookmarks, owned */
};

void tracks_init(struct tracks *all);
void tracks_release(struct tracks *all);
/* The pipeline's track. */
struct track *tracks_pipeline(struct tracks *all);

/* The track of a key, or of an object; made if there is not one yet. */
struct track *tracks_of_key(struct tracks *all, struct span key);
struct track *tracks_of_ref(struct tracks *all, const struct objref *ref);

/* Sets the last version; object absent: the object is not there any more. */
void tracks_set_object(
    struct tracks *all, struct track *t, struct span object, struct span uid);

/* Finds the parent by the owner reference or the marks of object. */
void tracks_find_parent(
    struct tracks *all, struct track *t, struct span metadata);
/* Takes parent for the track, if it has none yet and no circle comes of it. */
void tracks_offer_parent(struct track *t, struct track *parent);

/* Forgets objects that are gone, have no row that is kept, and nothing below
 * them; calls fn before. */
void tracks_sweep(struct tracks *all,
    void (*fn)(void *arg, const struct track *t), void *arg);
/* How many there are. */
size_t tracks_known(const struct tracks *all);

/* The kind (as in a key) is announced, and is complete. */
void tracks_begin_kind(struct tracks *all, struct span kind);
void tracks_end_kind(struct tracks *all, struct span kind);
bool tracks_is_listing(const struct tracks *all, struct span kind);

/* Whether t is of the key, or below one that is. */
bool track_is_below(const struct track *t, const struct objref *wanted);

/*
 * Appends how an object is, in a few words, by its status: the phase, and whether
 * its condition Ready, or Available, is true:
 * {"phase":"","ready":"True","reason":""}, members only if they are there and not
 * long; nothing if there is none.
 */
void track_add_standing(struct buf *b, struct span object);

#endif
