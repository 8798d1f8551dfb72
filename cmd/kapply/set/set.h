/*
 * set: one line of input, taken apart: what is to be done for one key, in
 * which order. Spans point into the line's own copy, or into its names; nothing
 * is decoded twice. A plain object is a set with one item and without a primary.
 */
#ifndef SET_H
#define SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "json/json.h"
#include "kube/retry.h"
#include "set/prunelimit.h"
#include "set/itemstate.h"
#include "value/objref.h"

/* The phases of doc/protocol.md, "Order in kapply". */
enum phase {
	PHASE_LOOK, /* for the client that changes back what we apply; for the
		     * primary, if what is gone is made again */
	PHASE_ADD_FINALIZERS,
	PHASE_SCOPES,  /* Namespace, CustomResourceDefinition */
	PHASE_SUPPORT, /* objects that others refer to */
	PHASE_REST,
	PHASE_DELETE,
	PHASE_STATUS, /* no request of ours: a line to kstatus */
	PHASE_REMOVE_FINALIZERS,
	PHASE_END
};

enum item_op {
	OP_LOOK,
	OP_OWNER, /* is the primary there? */
	OP_ADD_FINALIZERS,
	OP_APPLY,
	OP_DELETE,
	OP_REMOVE_FINALIZERS,
	OP_CREATE, /* under a drawn name: set/generate.c, create.c */
	ITEM_OPS
};

/*
 * The next request of an item. The answers choose it (answer.c):
 *
 *	OP_LOOK, OP_OWNER READ
 *	OP_APPLY          [PRIMARY] -> [READ | CAUSE] -> WRITE -> [ADOPT | LIST] -> ...
 *	                  ... -> WRITE -> [TRIM | HOLDER]
 *	OP_DELETE         READ -> WRITE
 *	OP_..._FINALIZERS [UNSEEN ->] READ -> WRITE
 *	OP_CREATE         WRITE -> [READ]
 *
 * PRIMARY comes first of what is created once, and before a WRITE that creates
 * is repeated because its end is not known; READ of a plain object whose
 * former state is shown, and after a WRITE that found the object to be
 * another's; CAUSE of a repair that is explained. ADOPT and LIST prepare another
 * WRITE. TRIM follows a WRITE that was accepted, HOLDER one that got a conflict.
 * UNSEEN comes before finalizers are removed, for each object that was made and
 * may not be observed yet (unseen.h).
 */
enum item_step {
	STEP_PRIMARY, /* is the primary there, and as the line says? */
	STEP_READ,    /* whose is it, does it exist, which finalizers */
	STEP_CAUSE,   /* for the log: the client that changed the object */
	STEP_WRITE,
	STEP_ADOPT,  /* the fields of its former manager become ours */
	STEP_LIST,   /* a list of it as a whole: see body_list */
	STEP_TRIM,   /* without the keys of others: see body_remove */
	STEP_HOLDER, /* for the primary that has its fields */
	STEP_UNSEEN, /* is another object there, which was made? */
	ITEM_STEPS
};

enum known { KNOWN_NOTHING, KNOWN_ABSENT, KNOWN_UID };

/* Taking over what another operator made (adopt.h). */
enum adoption {
	ADOPTION_NONE,
	ADOPTION_BEGUN, /* found; live_uid is its uid */
	ADOPTION_AGAIN	/* applied; other writers are known only now */
};

/*
 * Fields of what is not a member, by a field manager of the primary's own (see
 * send_item_manager): never created, never deleted.
 */
enum partial {
	PARTIAL_NONE,
	PARTIAL_TAKE,	/* not against other managers */
	PARTIAL_HOLD,	/* held: forced, as for a member */
	PARTIAL_RELEASE /* text is the identity: none any more */
};

/* The last failure of an item, and what was said about it. */
struct item_failure {
	struct retry retry; /* when it is tried again */
	char *error;	    /* owned: the public reason, or NULL */
	const char *reason; /* the Event's, static; NULL: by the op */
	bool reported;	    /* logged and told by onError: this error */
	bool recorded;	    /* an Event was sent: for this try */
};

struct item {
	enum item_op op;
	enum phase phase;
	struct objref id;
	struct span namespace_; /* namespace of its requests; unset before */
	char *key;		/* owned: Kind.group/namespace/name */
	/* The object, raw; the array of finalizers; of OP_LOOK the path. */
	struct span text;
	struct span origin; /* OP_ADD_FINALIZERS: to be noted, too; or none */
	struct span seen;   /* OP_REMOVE_FINALIZERS: uids that stay; or none */
	struct item_unseen {
		char *key; /* owned; of STEP_UNSEEN, or NULL */
		struct objref id;
	} unseen;
	enum known known;
	struct span known_uid;
	bool once;
	bool always;	  /* OP_DELETE: although an item failed */
	bool foreign;	  /* ... it is not a member */
	bool delete_sent; /* ... and perhaps done: no answer said so */
	/* Only this resourceVersion of it: if it is foreign, or an item of
	 * `asSeen`; or none. */
	struct span version;
	struct span because; /* why it is written, raw (because.h); or none */
	char *by;	     /* owned: the manager that changed it, or NULL */
	bool exactly;
	bool vacated;	  /* the object in its way is gone */
	bool independent; /* of items that fail: setorder.h */
	struct item_others {
		size_t *at; /* owned: places of items in the set */
		size_t count;
	} after; /* it waits until all of these are done */
	enum partial partial;

	enum item_state state;
	enum item_step step;
	char *live_uid; /* owned: of the member that was found, or NULL */
	/* owned: body_state when it was read before the apply, or else its
	 * resourceVersion in the line or (finalizers) when it was read; NULL:
	 * not known */
	char *live_version;
	char *patch;	 /* owned: the patch of the step, if it sends one */
	bool marks_only; /* the patch is of a finalizer that is there */
	char *conflict;	 /* owned: the error, for STEP_HOLDER, or for the
			  * STEP_READ of OP_CREATE */
	bool list_sent;	 /* STEP_LIST was tried */
	enum adoption adoption;
	enum prunelimit_scope held; /* counted by the prune limit */
	struct denial *denied;	    /* borrowed: the right it lacks, or NULL */
	uint64_t accepted_ms;	    /* clock_ms() of DONE */
	char *found;		    /* owned: the other manager (OP_LOOK) */
	struct item_failure failure;
};

/* The member had agreed before: its `because` says so. */
static inline bool
set_is_repair(const struct item *i)
{
	return json_type(json_get(i->because, "repair")) == JSON_TRUE;
}

/* The first field that differed, raw {path, observed, wanted}; or none. */
static inline struct span
set_difference(const struct item *i)
{
	struct json_elements list =
	    json_elements(json_get(i->because, "differs"));

	return json_element(&list) ? list.value : SPAN_NONE;
}

struct set;
/* Another manager may have made the first difference: the item is a repair; or
 * no event led to the line, so it was made while the operator was away. */
bool set_may_be_drift(const struct set *s, const struct item *i);

struct set {
	struct set *next;   /* plain objects of the same key */
	char *text;	    /* owned: the line */
	struct arena names; /* decoded, where the line has escapes */
	size_t line;	    /* the line's number */
	bool plain;
	bool barrier; /* plain, and objects behind the set wait */
	bool behind;  /* plain, and its object came before, too */
	char *key;    /* owned: the primary's, or the object's */
	struct objref primary;
	struct span primary_version; /* resourceVersion */
	struct span confidential;    /* kinds, raw; or none */
	bool guard_status;	     /* the status is of that version only */
	struct span status, on_error, events, manager;
	struct span causes;	/* the events that made it, raw; or none */
	char *patch_manager;	/* owned: of `partial` items; NULL: not made */
	bool deleting;		/* the primary is on its way out */
	struct span origin;	/* marks are bound to it; none: the uid */
	struct span instance;	/* the operator's; none: it has no name */
	struct span takes_over; /* names of former ones, raw; or none */
	struct span adopt;	/* key of a label; none: nothing is adopted */
	int64_t max_concurrent; /* 0: not said */
	struct item *items;	/* owned, in the order of phases */
	size_t count;
	bool has_after; /* an item is after another one */

	enum phase phase;
	char *version; /* owned: the primary's after our own patch, or NULL */
	bool status_sent, error_told;
	bool held_told;	  /* deletions are held back */
	char *error_sent; /* owned: the onError line last sent, or NULL */
	uint64_t error_sent_ms;
};

/*
 * Reads a document, which was checked by json_check: a desired set, a plain
 * object (item: one of a List, whose members make no desired set of it), or a
 * watch event of an object, as kwatch and `kubectl get -w --output-watch-events`
 * print it. *s: owned; NULL: there is nothing to do, it is a bookmark. -1 with
 * err: what it lacks, or why the event cannot be applied.
 */
int set_read(
    struct set **s, struct span text, size_t line, bool item, struct err *err);
void set_free(struct set *s);

/* Whether the document is a watch event. Its object; SPAN_NONE: it is a bookmark;
 * -1 with err: it cannot be applied. */
bool set_is_event(struct span document);
int set_unwrap(struct span event, struct span *object, struct err *err);

/* A name for a plain object with metadata.generateName, in s->names; SPAN_NONE: it
 * has none. -1 with err. */
int set_draw_name(
    struct set *s, struct span metadata, struct span *name, struct err *err);

/* No value of such an object is told: Secrets, ConfigMaps, and kinds with fields
 * that `redact:` names in watches.yaml (`confidential` of the line). */
bool set_is_confidential(const struct set *s, const struct objref *id);
/* The kind for kube_error_public. */
struct span set_error_kind(const struct set *s, const struct objref *id);

/* The item of that key that is to be applied, or NULL. */
const struct item *set_wish(const struct set *s, const char *key);

/*
 * An older line of the same key gave way to this one: what the server accepted
 * of it less than recent_ms ago is not sent again, and what fails keeps its
 * back-off, unless what was in its way is gone. A right that was missing counts
 * as missing until it was tried again.
 */
void set_inherit(
    struct set *s, struct set *older, uint64_t recent_ms, uint64_t now_ms);

#endif
