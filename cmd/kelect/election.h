/*
 * election: who leads, as a state machine without a clock and without a
 * connection: it says which request it wants and when it must be called again,
 * and gets the time and the answers. lease.c and lock.c are the two ways.
 *
 * The owner calls one of election_due, election_answered, election_release;
 * then looks at everything under "wants" and "is". In kelect the owner is
 * main.c.
 */
#ifndef ELECTION_H
#define ELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "kube/kube.h"

enum { NS_PER_MS = 1000000 };
#define ELECTION_NEVER UINT64_MAX

struct instant {
	uint64_t ns;	 /* CLOCK_BOOTTIME: every decision is by this one */
	int64_t real_us; /* since 1970: only for times that others read */
};

enum election_state {
	ELECTION_STANDBY,
	ELECTION_LEADING, /* until until_ns, by the holder's own clock */
	ELECTION_RELEASING,
	ELECTION_RELEASED, /* given back, or never ours */
	ELECTION_OVER	   /* lost, or hopeless: err says why */
};

struct election;

struct election_way {
	void (*due)(struct election *e, struct instant now);
	void (*answered)(struct election *e, const struct kube_answer *a,
	    struct instant now);
	void (*release)(struct election *e, struct instant now);
	void (*free)(struct election *e);
};

struct election {
	const struct election_way *way;
	/* 0 .. UINT64_MAX, for jitter */
	uint64_t (*random)(void);

	/* wants */
	unsigned serial; /* number of the request; 0: there was none */
	bool sending;	 /* the request waits for its answer */
	enum kube_verb verb;
	struct buf path, body; /* body: empty: none */
	uint64_t timeout_ms;
	uint64_t due_ns; /* election_due not later than this */

	/* is */
	enum election_state state;
	uint64_t until_ns; /* FENCE_FOREVER: as long as it lives */
	bool in_contact;   /* an attempt has had a meaningful answer */
	char *leader;	   /* name of another leader, owned; NULL: not known */
	/* The Lease or ConfigMap as it was seen last, owned; NULL: never. */
	char *uid, *resource_version;
	char *problem; /* why the last attempt failed, owned; NULL: it worked */
	bool failing;  /* the problem is a failure, not a reason to wait */
	bool outrun;   /* ... for another client was faster: who leads is known
			* after the next attempt */
	char *news;    /* a message to be logged, owned; the owner takes it */
	struct err err;
	uint64_t transitions, renewals, failures;
};

void election_init(struct election *e, const struct election_way *way);
void election_free(struct election *e); /* NULL: nothing */

void election_due(struct election *e, struct instant now);
/* The answer of the request with the newest serial. */
void election_answered(
    struct election *e, const struct kube_answer *a, struct instant now);
/* Leadership ends, and all that it guarded has ended. Then RELEASED, or
 * OVER. */
void election_release(struct election *e, struct instant now);

/* ---- for the ways ---- */

/* path and body are filled by the caller, after this. */
void election_send(struct election *e, enum kube_verb verb);
void election_wait(struct election *e, uint64_t due_ns);
/* RELEASED, or OVER, with err set before: it wants nothing any more. */
void election_end(struct election *e, enum election_state state);
/* printf; replaces what was there. */
void election_say(char **text, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * The problem, from an answer that is an error. A standby whose request is
 * invalid (400, 422: for example by its name) is OVER after this.
 */
void election_failed(
    struct election *e, const char *doing, const struct kube_answer *a);
void election_worked(struct election *e); /* no problem any more */
void election_set_leader(struct election *e, struct span leader);
/* The text of a JSON string; "" for another value. */
void election_set_text(char **text, struct span value);
/* metadata: JSON of the Lease or ConfigMap. */
void election_seen(struct election *e, struct span metadata);
/* ns * (1 .. 1 + percent/100), evenly. */
uint64_t election_jitter(struct election *e, uint64_t ns, unsigned percent);

/* ---- lease.c ---- */

/* Strings are borrowed. */
struct lease_opts {
	const char *namespace_, *name;
	const char *identity; /* unique to this process */
	uint64_t duration_ms; /* whole seconds, as in a Lease */
	uint64_t renew_ms;
	uint64_t retry_ms;
};

/* Checks the rules of client-go for the three, and whole seconds. */
int lease_check_opts(const struct lease_opts *o, struct err *err);

/* Borrows o. */
struct election *lease_new(const struct lease_opts *o);

/* ---- lock.c ---- */

/*
 * Borrows all; pod is ours, in the same namespace as the lock. NULL: we are
 * outside of a cluster, where no Pod could own one, and lead at once without a
 * lock, as operator-lib does; so does another instance.
 */
struct election *lock_new(
    const char *namespace_, const char *name, const char *pod);

#endif
