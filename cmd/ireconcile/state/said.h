/*
 * said: remembers what ireconcile has written about a primary: the requests of
 * its last line that are not observed as done yet, the Events of that line, and
 * the last messages in the log. This memory only avoids repetition.
 */
#ifndef SAID_H
#define SAID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/span.h"
#include "state/entry.h"
#include "value/digest.h"

/* The kinds of points of a decision (decide/decide.h), and so of requests. */
enum point_type {
	POINT_ITEM,
	POINT_DELETE,
	POINT_FOREIGN, /* the deletion of an object that is not a member */
	POINT_RELEASE, /* held fields of an object are given back: patches.h */
	POINT_FINALIZER_ADD,
	POINT_FINALIZER_REMOVE,
	POINT_STATUS
};

/* The object or finalizer that a point is about. Every member is its identity:
 * another version of a foreign object is another target. */
struct target {
	enum point_type type;
	const char *label;   /* "Kind.group/namespace/name", or a finalizer */
	const char *uid;     /* for POINT_DELETE, _FOREIGN, _RELEASE */
	const char *version; /* for POINT_FOREIGN; else "" */
	char *text;	     /* owned: the members above, one after the other */
	size_t len;
};

/* Absent parts are SPAN_NONE. */
struct target said_target(enum point_type type, struct span label,
    struct span uid, struct span version);
void said_target_release(struct target *t);

static inline struct span
said_target_key(const struct target *t)
{
	return span_make(t->text, t->len);
}

/* A request. */
struct asked {
	struct target target;
	unsigned char digest[DIGEST_SIZE];
	char *uid;	  /* owned: the known uid of an item; NULL: none */
	bool accepted;	  /* kapply must have applied the item */
	uint64_t state;	  /* state of the patched object: patches_state */
	bool vacated;	  /* no object is in its way now: see said_vacate */
	int64_t since_us; /* time of the first request */
};

/* Nothing is changed until until_us; without a change until quiet_us, the hold
 * is over. */
struct hold {
	int64_t until_us, quiet_us;
};

/* Kinds of changes that may be without end. */
enum unsettled_what {
	UNSETTLED_ITEM,
	UNSETTLED_SET,
	UNSETTLED_STATUS,
	UNSETTLED_EVENTS
};

/* The memory about one kind of change: decide/damping.h. */
struct unsettled {
	enum unsettled_what what;
	char *label;	 /* owned: of an item; or NULL */
	uint64_t others; /* a digest of the changes by others */
	uint64_t users;	 /* ... and by its users */
	int64_t budget, at_us;
	bool wanted;	/* by the last decision */
	bool counted;	/* the next line to be printed has the change */
	unsigned holds; /* in a row; 0: settled */
	struct hold hold;
	char *message; /* owned: the change, if it is unsettled */
};

struct said {
	struct asked *asked;
	struct map index;   /* asked by target, if there are many */
	char *line_primary; /* the identity that the last line named; or NULL */
	char **events;	    /* digests of the Events of that line, hex */
	struct unsettled *unsettled;
	uint32_t asked_count, event_count, unsettled_count;
	bool renewed;	    /* the object has another uid since the last line */
	bool paused;	    /* the last log message said: paused */
	bool observed_only; /* ... that nothing is done but the status */
	bool limited; /* ... that it is evaluated less often than it changes */
	bool failed;  /* the last evaluation failed */
	bool claimants_left;
	char *requested; /* the last request to evaluate; "": none */
	char *complaint; /* about annotations */
	char *last_error;
	char *told_error; /* message of a failed apply; or NULL */
	char *claimants;  /* about objects that claim to be members; or NULL */
};

struct primary;

/* The request for this target; NULL if there is none. */
struct asked *said_find(const struct said *s, const struct target *target);
struct asked *said_status(const struct said *s);
/* The requests of p are these from now on; list is taken. */
void said_set(struct primary *p, struct asked *list, size_t count);
/* Forgets the requests for which is_over is true. */
void said_shrink(
    struct primary *p, bool (*is_over)(void *arg, struct asked *a), void *arg);
/* Forgets s->unsettled[n]; forgets all of s->unsettled. */
void said_settle(struct said *s, size_t n);
void said_settle_all(struct said *s);
void said_forget_events(struct said *s);
void said_release(struct primary *p);

/*
 * If an object that is not a member has the name of an item that a line asked
 * to create, kapply fails, and tries again more and more slowly. When o, of
 * this use, is gone, the primaries that it was in the way of are evaluated: a
 * line then tells kapply to try at once.
 */
void said_vacate(
    struct entries *es, const struct use *u, const struct cache_object *o);
/* Frees the memory of an entry for said_vacate. */
void said_release_claims(struct entry *e);

#endif
