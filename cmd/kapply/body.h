/*
 * body: what is sent for an item (body.c), and what an answer's object says about
 * whose it is (belongs.c). Text in, text out.
 */
#ifndef BODY_H
#define BODY_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"
#include "kube/kubeerror.h"
#include "kube/proof.h"
#include "set/set.h"

/* The bytes of the digest of a primary's mark that its field manager's name ends
 * in, as hex (engine_patch_manager). */
enum { MANAGER_SUFFIX = 8 };

/* Changes to an object before it is sent. SPAN_NONE: leave it as it is. */
struct body_edit {
	struct span uid;
	struct span resource_version;
	struct span label, label_value; /* a label to add */
	struct span name;		/* instead of none, or an empty one */
	bool strip; /* members that a server wrote about its own object go */
	bool strip_status;
};

/* The object without metadata.managedFields (an apply must not have them), and
 * with strip without what else only the server writes there. */
void body_apply(struct buf *b, struct span object, const struct body_edit *e);

/*
 * Appends the item's object as it is sent. A Secret's stringData goes into data:
 * the API server stores it so, but notes as ours what was sent, `stringData`, a
 * field that does not exist. So a key that is no longer sent would stay, and
 * with it a password that was revoked. stringData that is not of texts stays as
 * it is: the server refuses it.
 *
 * Source: Convert_v1_Secret_To_core_Secret (pkg/apis/core/v1/conversion.go);
 * both servers of t/ do the same (t/3249-string-data.sh).
 */
void body_spell(struct buf *b, const struct item *i);

/*
 * Another client changed the key of an element of one of our lists: an apply
 * would add ours beside it, and the API server refuses values that both have
 * (the name of a port, say). So first the whole list is replaced by ours: a
 * merge patch with the uid, the version and the outermost list of the item that
 * the field in e ("spec.ports[1].name") leads through. uid: of the apply that got
 * this error. False: there is no such list; b stays as it was.
 */
bool body_list(struct buf *b, const struct item *i, struct span uid,
    const struct kube_error *e);

/* live has the mark of the set's primary that it holds fields. */
bool body_is_patched(const struct set *s, struct span live);

/*
 * A merge patch that removes from live, the answer to the apply of the item, what
 * the apply left. False: there is nothing; b stays as it was.
 *
 *	an item that is to be exactly ours: keys of data and binaryData that
 *	    it does not have
 *	fields that are given back: the primary's mark that it holds fields
 *	    (doc/protocol.md, Marks), if another client has written it, too
 *	a Secret of a set: keys of data without an owner in
 *	    metadata.managedFields, which earlier applies of stringData left
 */
bool body_remove(
    struct buf *b, const struct set *s, const struct item *i, struct span live);

/* Begins or goes on a JSON patch: the value at the path must be this one. */
void body_test(struct buf *b, const char *path, struct span value);

/* DeleteOptions: in the background, only this uid, and this version of it. */
void body_delete(
    struct buf *b, struct span uid, struct span version, bool dry_run);

/*
 * Differs if the object was changed: its resourceVersion. The answer to a dry
 * run has the old one (pkg/registry/generic/registry/dryrun.go of
 * k8s.io/apiserver), but the object as it would be, managedFields included:
 * then it is a digest of all of it. Owned.
 */
char *body_state(struct span object, bool dry_run);
/* unchanged, if that was before, or configured. before may be NULL: not known. */
const char *body_result(struct span object, const char *before, bool dry_run);

/*
 * Whether the object is being deleted; appends "it waits for its finalizers x,
 * y", if it has any.
 */
bool body_awaits(struct buf *b, struct span object);

/* metadata.X of an object, without quotes: a uid, version or time. Names have
 * their own readers, which decode them (set.h). */
struct span body_metadata(struct span object, const char *key);
/* Whether the owner reference names the primary of the set, in any version. */
bool body_refers(const struct set *s, struct span reference);

/*
 * Is object, as the server gave it for item, a member of the set's primary?
 * See doc/protocol.md, Marks.
 */
bool body_is_member(const struct proof *proof, const struct set *s,
    const struct item *i, struct span object);
/*
 * Why marks that name both, or an owner reference, do not count, as a part of a
 * sentence; NULL: it has none, or they do.
 */
const char *body_unproven(const struct proof *proof, const struct set *s,
    const struct item *i, struct span object);
/*
 * Whether it has a controller reference to the primary which this field manager
 * applied: an older version of the operator made it, without a proof; or its
 * proof was removed. The manager's name proves nothing: it is enough for what
 * has the name of an item, which is written there in any case.
 */
bool body_was_ours(
    const struct set *s, struct span object, struct span manager);
/* Whether it is a member that stays when its primary goes. */
bool body_is_retained(const struct proof *proof, const struct set *s,
    const struct item *i, struct span object);
/* Whether an operator made it, which one does not matter: every member has that
 * annotation (doc/protocol.md, Marks). */
bool body_is_made(struct span object);
/* The owner reference that controls the object, or SPAN_NONE. */
struct span body_controller(struct span object);
/* The instance of the operator that it names; within the text, or scratch. */
struct span body_instance(struct span object, struct buf *scratch);
/* Whether that is the set's, a former one that it takes over, or none. */
bool body_is_ours(const struct set *s, struct span object);
/* Whether that name is. */
bool body_is_our_name(const struct set *s, struct span name);
/* The other owner: "Kind name" of its controller, or "". */
void body_owner(struct buf *b, struct span object);

/*
 * "; held by X, Y": a conflict names field managers, and that of a primary by a
 * digest. The primary's mark on the object says which one that is
 * (doc/protocol.md, "Marks").
 */
void body_holders(struct buf *b, struct span object, const char *conflict);

enum finalizer_need {
	FINALIZER_PATCH,   /* b holds the JSON patch */
	FINALIZER_MARK,	   /* a patch of annotations: the finalizer is there */
	FINALIZER_NOTHING, /* already as desired */
	FINALIZER_STALE	   /* the primary is another one, or on its way out, or
			    * another instance has claimed it for one of them */
};
/* The patch that adds or removes the item's finalizers at the primary, and the
 * annotations that come and go with them. */
enum finalizer_need body_finalizers(struct buf *b, const struct set *s,
    const struct item *i, struct span primary);

#endif
