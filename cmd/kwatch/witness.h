/*
 * witness: whether the server still has the history that a watch has seen.
 *
 * A server that was restored from a backup counts on, and within seconds it has
 * passed the versions that a watch knows: a watch from there works, and never
 * tells what was undone. So a watch remembers its last change, and asks for that
 * object as it was then, by a list of exactly one version and one name. That
 * is one key for etcd, and needs no watch cache, which starts empty with the
 * server (kube-apiserver 1.36: a watch from a version before that start gets
 * 410 though nothing was lost; a list of exactly that version does not).
 *
 *   written  at the version that the watch has reached, the object must be
 *            there, with the uid and version of the change
 *   deleted  just before the deletion it must be there, with its uid, and at
 *            the version that the watch has reached it must not
 *
 * A version is one write, in the whole cluster, so another history that agrees
 * has written that object with the same number. After a listing the witness is
 * the object with the highest version.
 *
 * Versions are numbers of at most 63 bits; others, and objects without a uid, are
 * not remembered. etcd forgets versions after five to ten minutes.
 */
#ifndef WITNESS_H
#define WITNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "json/json.h"

/* Zeroed: nothing was seen. */
struct witness {
	struct buf namespace_, name, uid; /* decoded */
	uint64_t version;		  /* of the change; 0: none known */
	bool deleted;
};

enum witness_question {
	WITNESS_NONE,	/* nothing to ask for */
	WITNESS_BEFORE, /* just before it was deleted */
	WITNESS_NOW,	/* at the version that the watch has reached */
};

enum witness_word {
	WITNESS_SAME,
	WITNESS_OTHER,	 /* another history */
	WITNESS_UNKNOWN, /* the server does not list exact versions */
};

/* A change, unless a later one is known. */
void witness_take(struct witness *w, const struct json_frame *f, bool deleted);
enum witness_question witness_first(const struct witness *w);
/* Appends the version to ask for; reached: by the watch. */
void witness_version(const struct witness *w, enum witness_question q,
    struct span reached, struct buf *out);
/* Appends a field selector for the object. */
void witness_selector(const struct witness *w, struct buf *out);
/* The server's list of that version. */
enum witness_word witness_hear(const struct witness *w, enum witness_question q,
    const char *version, struct span list);
void witness_forget(struct witness *w);
void witness_release(struct witness *w);

#endif
