/*
 * proof: shows that a member's marks are ours: an HMAC, with the operator's
 * key, of the primary's key, the primary's origin, the member's own key, and
 * the instance of the operator that made it, if that has a name
 * (doc/protocol.md, "Marks").
 *
 * The origin is the uid of the primary when its finalizer was set: marks of one
 * that is gone prove nothing to its successor of that name, and one that was
 * restored from a backup, with another uid, has its members back. A member that
 * is retained stays when its primary goes, and is a member of its successor of
 * that name: its proof has PROOF_RETAINED for an origin, which no primary has.
 *
 * A controller reference to a cluster-scoped primary has a proof as well,
 * without the other marks: anybody could write it. Its origin is the uid that it
 * names.
 *
 * Without a key no proof is written, and marks count without one. For a replay,
 * and for a comparison of two programs, that is just right: what was observed
 * counts as it stands. There the texts of `random` come from a key that
 * everybody knows (PROOF_KNOWN).
 */
#ifndef PROOF_H
#define PROOF_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "value/digest.h"

#define PROOF_PART_OF "kpipe.dev/part-of" /* the label */
#define PROOF_MEMBER "kpipe.dev/member"	  /* annotations of a member */
#define PROOF_PATHS "kpipe.dev/paths"	  /* every member has it */
#define PROOF_MARK "kpipe.dev/proof"
#define PROOF_RETAIN "kpipe.dev/retain"	    /* "true": it is never deleted */
#define PROOF_ORIGIN "kpipe.dev/origin"	    /* annotation of a primary */
#define PROOF_INSTANCE "kpipe.dev/instance" /* annotation of a member */

#define PROOF_RETAINED "*"

/*
 * Fields that are held of an object that is not a member: the annotation
 * begins so, the rest is the digest of the primary's key; and the origin in its
 * proof, which no primary has (it is not a uid).
 */
#define PROOF_PATCH "kpipe.dev/patch-"
#define PROOF_PATCHED "+"

/* The name of that annotation, appended. */
void proof_add_patch_name(struct buf *b, struct span primary);
/* The primary's key in its value, "<key> <fields>" and perhaps a proof, which
 * must be the one that the name is of: names may have spaces in them.
 * SPAN_NONE: it is not. */
struct span proof_patch_primary(struct span name, struct span value);

/*
 * The annotation by which an instance has claimed a primary (doc/protocol.md,
 * "Instances"): it comes with a finalizer and is that finalizer's, so that two
 * operators of one kind each have their own. Its name ends in a digest of the
 * finalizer, which may be longer than a name can be.
 *
 * Older versions wrote PROOF_INSTANCE to the primary, whatever the finalizer.
 * That counts for each of its finalizers that has no claim of its own; but not
 * on an object that is itself a member of another primary: there it says which
 * instance made it.
 */
#define PROOF_CLAIM "kpipe.dev/instance-"

/* The name of the annotation for that finalizer, appended. */
void proof_add_claim_name(struct buf *b, struct span finalizer);
/*
 * The instance that has claimed the primary with these metadata.annotations for
 * finalizer, which the caller has found there; within them, or scratch. Empty:
 * none has.
 */
struct span proof_claim(
    struct span annotations, struct span finalizer, struct buf *scratch);
/* The claim of an older version, for every finalizer. */
struct span proof_old_claim(struct span annotations, struct buf *scratch);

enum { PROOF_KEYS_MAX = 16, PROOF_KEY_MIN = 32 };

/* Never of what is written to a cluster: its passwords could be computed. */
#define PROOF_KNOWN "this key is known to everybody: for replays only"

struct proof {
	struct buf text; /* the keys, one on a line */
	struct span keys[PROOF_KEYS_MAX];
	size_t count;
	bool accept_unproven; /* marks count with a proof and without */
	bool replays; /* nothing is written: without a key, PROOF_KNOWN is
		       * that of random texts */
};

/*
 * Reads the keys: lines of at least PROOF_KEY_MIN characters; the first proves,
 * all are believed. By descriptor: from its start, if it has one (a file may
 * be shared), to its end; it is not closed. -1 with err.
 */
int proof_read(struct proof *p, int fd, struct err *err);
/* Reads the keys from text; `what` names it in err. */
int proof_parse(
    struct proof *p, struct span text, const char *what, struct err *err);
/* Wipes them. */
void proof_release(struct proof *p);

/* p may be NULL. */
static inline bool
proof_has_key(const struct proof *p)
{
	return p != NULL && p->count > 0;
}

/* Whether there is a key for random texts. p may be NULL. */
static inline bool
proof_makes_texts(const struct proof *p)
{
	return proof_has_key(p) || (p != NULL && p->replays);
}

/* Appends a new key (in hex), with its newline. */
int proof_make_key(struct buf *b, struct err *err);

/* A proof covers these, and an origin. */
struct proof_of {
	struct span primary, item; /* keys of both */
	struct span instance;	   /* the one that the member names; or none */
};

/* Appends the text of the annotation. */
void proof_add(struct buf *b, const struct proof *p, const struct proof_of *of,
    struct span origin);

enum proof_found {
	PROOF_NONE,  /* no text */
	PROOF_WRONG, /* another key or object, or not a proof */
	PROOF_GOOD   /* origin points into the text */
};

/* Text: of the annotation, or SPAN_NONE. There must be a key. */
enum proof_found proof_check(const struct proof *p, struct span text,
    const struct proof_of *of, struct span *origin);

/*
 * A key of its own for other secrets of this primary. It tells nothing of the
 * first key, nor of proofs. proof_makes_texts.
 */
void proof_random_key(unsigned char out[DIGEST_SIZE], const struct proof *p,
    struct span primary, struct span origin);
/* The same for all names of this kind ("Kind.group") in this namespace, whatever
 * uids there were. */
void proof_named_key(unsigned char out[DIGEST_SIZE], const struct proof *p,
    struct span kind, struct span ns);

/*
 * The primary's key in the text of PROOF_MEMBER, "<its key> <the item's key>";
 * the whole text, if it is not that. A name may have spaces in it, a kind and a
 * namespace have none, and only a key has slashes.
 */
struct span proof_member_primary(struct span member);

/* The origin to which a valid proof is bound. */
struct span proof_named_origin(struct span text);

/* The origin in an object's text; SPAN_NONE: none, or not a uid. */
struct span proof_origin(struct span object);

#endif
