/*
 * played: a record, read: what happened to each object, what was asked of the
 * server, and what became of the operator's stages.
 *
 * A record is the array of lines that one play gives, in their order. Changes
 * come before the request that made them.
 *
 * An object lives from its first change to its DELETED: a life has one uid, and
 * another object of that name is another life.
 */
#ifndef PLAYED_H
#define PLAYED_H

#include <stdbool.h>
#include <stdint.h>
#include <jv.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/span.h"

/* Whose a change or a request is. What is none of the others is the operator:
 * the stages of kpipe, or the User-Agent of another operator. */
enum actor { ACTOR_OPERATOR, ACTOR_CLIENT, ACTOR_CLUSTER, ACTOR_SERVER };

enum played_type { CHANGE_ADDED, CHANGE_MODIFIED, CHANGE_DELETED };

struct played_request;

struct played_change {
	enum played_type type;
	enum actor by;
	int64_t us;  /* since 1970, of the virtual clock */
	size_t line; /* its place in the record */
	jv object;   /* borrowed from the record */
	jv metadata; /* of it */
	const struct played_request *request; /* that made it; NULL: none */
	struct played_life *life;
	struct played_change *before; /* of the same life */
};

struct played_life {
	struct span kind; /* "Deployment.apps" */
	struct span key;  /* "Deployment.apps default/a" */
	/* the key with what the server or the time made up of the name masked:
	 * "Job.batch default/a-#" */
	struct span canon;
	struct span label; /* "Deployment default/a", for messages */
	struct span uid;
	struct played_change *first, *last;
	struct played_change *doomed; /* its deletionTimestamp came, or it went;
				       * NULL: neither */
	struct played_change *gone;   /* DELETED; NULL: it lives */
	bool is_lost;	  /* another came without its DELETED: the server went
		       * back to an older state */
	enum actor maker; /* SERVER also: it was there before the record */
	struct played_life *earlier; /* the one before, of the same key */
	struct span owner;     /* uid of its controller, or of its only owner */
	struct span owner_key; /* its key; absent: none. Also of kpipe's marks,
				* which have no uid */
};

struct played_request {
	enum actor by;
	int64_t us, number;
	size_t line;
	jv request; /* borrowed */
	struct span verb, resource, subresource, name, namespace_;
	int code;
	bool changed;
};

/* A fault; of its lines, the first. */
struct played_fault {
	struct span text;
	int64_t us;	/* it begins */
	int64_t due_us; /* and is over so long after it; -1: not known */
	bool is_later;	/* it begins then or later, at an event of a watch */
};

struct played {
	jv record; /* owned */
	struct arena arena;
	struct played_change *changes;
	struct played_request *requests;
	struct played_life **lives; /* in the order of their first change */
	size_t change_count, request_count, life_count;
	struct map by_key;    /* the newest life of a key */
	struct map by_uid;    /* the life with a uid */
	struct map primaries; /* kinds of primaries; see played_is_primary */
	int64_t begin_us, end_us;
	int64_t last_step_us; /* of the last change by client or cluster */
	jv end;	  /* the line {"end":true,...}; invalid: there is none */
	jv state; /* its objects; invalid: none */
	struct played_fault *faults;
	size_t fault_count;
};

/* Takes the record. */
struct played *played_new(jv record);
void played_free(struct played *p);

/* Whether the life is there behind line `at`. */
static inline bool
played_lives_at(const struct played_life *l, size_t at)
{
	return l->first->line <= at && (l->gone == NULL || l->gone->line > at);
}

/* Left out of what is compared: Events, Leases, and what is made of others. */
bool played_is_aside(struct span kind);

/*
 * Whether objects of this kind are primaries: the operator has not made them,
 * but it writes their status or finalizers, or makes objects that they own.
 */
bool played_is_primary(const struct played *p, struct span kind);

/* The uid of the controller that an object names; absent: none. */
struct span played_controller(jv metadata_peek);

/* Whether the change is one of the status alone. */
bool played_is_of_status(const struct played_change *c);

/* The uid of the object that the body of a request names; absent: none. */
struct span played_meant_uid(const struct played_request *r);
/* Whether the change was meant for this object, not for another one of that
 * name: the server ignores the uid of a status. */
bool played_is_meant(const struct played_change *c);

/* The key "Kind.group namespace/name" of an object; appended to the arena. */
struct span played_key(struct arena *a, jv object_peek);
/* ... with what was made up of the name masked. */
struct span played_canon(struct arena *a, jv object_peek);
/* ... without the group. */
struct span played_label(struct arena *a, jv object_peek);
/* Appends a name, masked so. */
void played_add_masked(struct buf *b, struct span name);
/* "Kind.group" */
struct span played_kind(struct arena *a, jv object_peek);

/* Borrowed; elements of an array, and members by text. */
jv played_at(jv array_peek, int i);
int played_length(jv array_peek);
struct span played_text(jv object_peek, const char *key);
/* An integer member; or: if there is none. */
int64_t played_number(jv object_peek, const char *key, int64_t or_else);

#endif
