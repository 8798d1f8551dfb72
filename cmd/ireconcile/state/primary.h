/*
 * primary: what is remembered about one primary between evaluations. None of
 * it matters for where things end: it only avoids work and repetition.
 */
#ifndef PRIMARY_H
#define PRIMARY_H

#include <stdbool.h>
#include <stdint.h>
#include <jv.h>

#include "state/entry.h"
#include "state/sched.h"
#include "value/digest.h"

/* One desired item, marked, as text. */
struct desired_item {
	struct cache_kind *kind;
	char *label;	/* "Kind.group/namespace/name" */
	struct buf key; /* "NAMESPACE\0NAME" */
	char *text;
	size_t text_len;
	unsigned char digest[DIGEST_SIZE]; /* of text */
	jv value; /* of text, while one decides; else invalid */
	bool once, if_exists;
	/* immutable(): its paths as text, or NULL; what the program gave, marked;
	 * and whether text has other values there, those of the object. */
	char *immutable;
	char *given;
	size_t given_len;
	bool kept;
	unsigned char given_digest[DIGEST_SIZE]; /* of the text for a new one */
	/* The comparison with the object of this serial gave: */
	uint64_t compared;
	bool agrees;
	char *path; /* the first that differs */
	/* How often it was repaired after it had agreed (see loops.h). */
	unsigned repairs;
	bool agreed_before; /* since it was last asked for */
	int64_t repairs_since_us;
	int64_t held_until_us;
	bool looping;
	char *loop_path;    /* what was changed back last */
	int64_t quiet_us;   /* the loop is over if nobody did so until then */
	uint64_t tolerated; /* serial of the object, or 0 */
};

/* The memoised result of `desired`. */
struct desired {
	uint64_t input; /* fingerprint of what it was computed from; 0: none */
	int64_t generation; /* of the primary then */
	bool failed;	    /* then error says why, and there are no items */
	char *error;
	struct desired_item *items;
	size_t count;
};

/* Something that the last line asked for and was not yet seen done. */
struct asked {
	char *what; /* "item KEY", "delete UID", "status", ... */
	unsigned char digest[DIGEST_SIZE];
	char *uid;	  /* what was known of an item; NULL: nothing */
	uint64_t serial;  /* of the object when it was asked for */
	bool accepted;	  /* kapply must have got it through */
	int64_t since_us; /* when it was first asked for */
};

/* What is remembered of one point: decide/unsettled.h. */
struct unsettled {
	char *name;	 /* owned */
	uint64_t others; /* a digest of what others had done */
	uint64_t users;	 /* ... and of what its users had written */
	int64_t budget, at_us;
	bool wanted;	/* by the last decision */
	bool counted;	/* it is in the line that is about to be printed */
	unsigned holds; /* 0: it is not unsettled */
	int64_t held_until_us, quiet_us;
	char *message; /* owned: which change, if it is unsettled */
};

struct primary {
	struct entry *entry;
	struct cache_object
	    *object; /* NULL: gone, but something is left to say */
	char *key;   /* "NAMESPACE\0NAME" */
	size_t key_len;
	char *namespace_, *name; /* for messages */
	bool dirty, queued;
	int64_t queued_us;    /* when it was */
	bool renewed;	      /* another uid since the last line: all is new */
	struct primary *next; /* in its lane */
	uint64_t arrival;     /* there */

	struct desired desired;
	struct asked *asked;
	size_t asked_count;
	/* The identity that the last line named. */
	char *line_primary;
	uint64_t deadline_us; /* how long until the next reminder */
	struct wake wake;
	int64_t requeue_at_us; /* time of day; 0: none */
	int64_t again_us;      /* see wakes_again */
	int64_t soon_us; /* moved on by each requeue in less than a moment */
	bool reminder;	 /* the deadline has passed */
	bool has_slot, waiting;
	bool paused;	  /* and that was logged */
	char *requested;  /* the last request to evaluate; "": none */
	char *complaint;  /* about annotations, logged already */
	bool failed;	  /* its last evaluation failed */
	char *last_error; /* logged already */
	char **events;	  /* digests of events sent, hex */
	size_t event_count;
	struct unsettled *unsettled; /* see unsettled.h */
	size_t unsettled_count;
};

struct primary *primary_new(struct entry *e, struct cache_object *o);
void primary_free(struct primary *p);

static inline struct span
primary_key(const struct primary *p)
{
	return span_make(p->key, p->key_len);
}

void primary_release_desired(struct desired *d);
void primary_forget_asked(struct primary *p);
/* Back-offs, holds, tolerated differences, and what was asked for. */
void primary_forget(struct primary *p);
/* It is there again, as another object, before anybody looked. */
void primary_renew(struct primary *p);

/* Forgets one point of p->unsettled. */
void primary_settle(struct primary *p, size_t n);

#endif
