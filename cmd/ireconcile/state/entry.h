/*
 * entry: one controller at run time: an entry of watches.yaml, its program,
 * the kinds it depends on, its primaries, and which objects belong to which
 * (index.h).
 */
#ifndef ENTRY_H
#define ENTRY_H

#include <jv.h>

#include "base/map.h"
#include "conf/watches.h"
#include "kube/proof.h"
#include "program/program.h"
#include "state/cache.h"
#include "conf/instances.h"
#include "state/sched.h"
#include "state/stats.h"

struct primary;

enum use_role { USE_PRIMARY, USE_DEPENDENT, USE_RELATED };

/* The use of a kind by an entry. */
struct use {
	struct entry *entry;
	const struct watch_kind *conf;
	struct cache_kind *kind;
	enum use_role role;
	struct program *map; /* for WATCH_MAP_JQ */
	struct map named;    /* for WATCH_MAP_FIELD: see index.h */
	char *name;	     /* the key in .owned or .related */
	unsigned seen_by;    /* USE_DEPENDENT: bits, see program_sees */
};

struct entry {
	const struct watch_entry *conf;
	const struct proof *proof;	   /* borrowed; NULL: marks need none */
	const struct instances *instances; /* borrowed, shared by all entries */
	const struct cache *store;	   /* borrowed, shared by all entries */
	/* The Namespaces that are seen, if some are selected by labels; NULL */
	const struct cache_kind *namespaces;
	const char *instance; /* our name, or NULL */
	uint16_t instance_number;
	struct program *program;
	struct program *when; /* or NULL */
	jv operator_;
	/* Bits of the functions that see .now, .error and .outstanding: see
	 * program_sees. */
	unsigned now_seen_by, error_seen_by, outstanding_seen_by;
	struct use **uses; /* [0] is the primary kind */
	size_t use_count;
	struct map primaries; /* by "NAMESPACE\0NAME" */
	struct map buckets;
	struct map backoffs; /* see backoff.h */
	struct map claims;   /* see said.h */
	bool complete;	     /* every kind that it depends on is complete */
	bool widened;	     /* more is complete than before */
	size_t orphans;	     /* the last count by orphans.h */
	bool outside_said;   /* see primary.h */
	size_t held;	     /* primaries with a holder */
	/* throttle */
	long slots_used;
	struct primary **waiting; /* first come, first served */
	size_t waiting_count;
	struct stats stats;
};

/* Callbacks of entries about changes. */
typedef void entry_dirty_fn(void *arg, struct primary *p);

struct entries {
	struct entry **items;
	size_t count;
	struct cache store;
	struct cache_kind *namespaces; /* see struct entry */
	struct sched *sched;	       /* borrowed */
	entry_dirty_fn *dirty;	       /* a primary is to be evaluated */
	/* A primary was deleted, or an object came that names one that does not
	 * exist (orphans.h). */
	void (*suspect_orphans)(void *arg);
	/* An object of p was replaced before p was evaluated. */
	void (*replaced)(struct primary *p, const struct cache_object *old);
	void *arg;
	struct sched_timer rate_limited; /* see ratelimit.h */
	const struct proof *proof;	 /* borrowed, or NULL; the key may come
				    * later, but before the first object */
	struct instances instances;
	bool keeps_gone;   /* every primary that is gone is dirty once more */
	bool debugs;	   /* see program.h; set before the init */
	size_t unproven;   /* objects whose marks count without a proof */
	uint64_t failures; /* maps that failed */
};

/*
 * Makes the entries and compiles their programs. library_dirs: see program.h.
 * -1 with err if a program does not compile.
 */
int entries_init(struct entries *es, const struct watches *w,
    const char *const *library_dirs, struct err *err);
void entries_release(struct entries *es);

/*
 * The parts of a line of the input (a watch frame, a bare object or a bookmark:
 * doc/protocol.md, "Event lines"), borrowed from it; those that it does not
 * have are SPAN_NONE.
 */
struct event {
	struct span text;   /* the whole line */
	struct span type;   /* JSON; SPAN_NONE: the line is a bare object */
	struct span object; /* JSON */
	struct span manager, time; /* JSON; only in a frame */
	int64_t time_us;	   /* the time of the line, or -1 */
	bool too_large;
	bool is_record; /* a line of a recording, not an event */
};

/* text: a checked document. Errors in it are reported by entries_apply. */
struct event entry_parse_event(struct span text);
/* Makes the changes that the event tells of, and notes which kinds are
 * complete. -1 with err: the event is not valid. */
int entries_apply(
    struct entries *es, const struct event *event, struct err *err);

/* The next entry whose kinds are now all complete, for the first time; NULL if
 * there is none. */
struct entry *entries_completed(struct entries *es);

/* Kinds that others lacks, and that were never announced and have no object,
 * are complete now; names gets their names, separated by commas. */
void entries_assume(
    struct entries *es, const struct cache *others, struct buf *names);

/* The end of the input: returns the number of kinds that were begun and not
 * ended; names gets their names, separated by commas. */
size_t entries_end(struct entries *es, struct buf *names);

/*
 * The new state of an object (taken; its epoch says when it was mentioned), or
 * its end: updates store, index and primaries, and calls dirty for each primary
 * that sees it.
 */
void entries_put(struct entries *es, struct cache_object *o);
void entries_drop(struct entries *es, struct cache_object *o);
/* The same of a primary of e. */
void entries_put_primary(
    struct entries *es, struct entry *e, struct cache_object *o);
void entries_drop_primary(
    struct entries *es, struct entry *e, struct cache_object *o);
/*
 * gone (borrowed) was deleted. True if it is a torn primary: deleted with our
 * finalizer and without deletionTimestamp. A deletion reads the finalizers
 * first, so one that is set in between keeps nothing. The primary stays then,
 * as if its deletion had been requested, until it is cleaned up
 * (decision.over).
 */
bool entries_tear(struct entries *es, const struct cache_object *gone);
/*
 * gone is the last version of o, which is about to be dropped. If o is a
 * primary of an entry with a selector, and has a finalizer of that entry that
 * no line removes, the log names both: else the object would hang when it is
 * deleted, and no log would say why. (A watch shows an object that is not
 * selected any more as one that is deleted.)
 */
void entries_tell_unselected(
    const struct cache_object *o, const struct cache_object *gone);
/* Whether o is a torn primary, which stays although no list has it. */
bool entries_is_torn(const struct cache_object *o);

/*
 * A Namespace came or changed (old: the version before, or NULL), or is gone (o
 * NULL): what is in it is seen from now on, or not any more. The log says so if
 * primaries are left with a finalizer.
 */
void entries_reselect(struct entries *es, const struct cache_object *o,
    const struct cache_object *old);
/* The places of a kind: "a, b", "namespaces with team=a", or both. */
void entry_add_places(struct buf *b, const struct watch_kind *conf);

/* Whether the object is in this use's namespaces and selected. */
bool entry_use_covers(const struct use *u, const struct cache_object *o);
bool entry_use_looks_at(const struct use *u, struct span ns);
/* ... by its name, whatever its labels are. */
bool entry_use_names(const struct use *u, struct span ns);
/* labels: a JSON object, or none. */
bool entry_use_selects(const struct use *u, struct span labels);

/*
 * The objects of a use that a primary sees, sorted by namespace and name; owned
 * array of borrowed objects, ended by NULL.
 */
struct cache_object **entry_objects(
    const struct entry *e, const struct primary *p, const struct use *u);
/* The primary, or an object that it sees, if it is too large to be read
 * (cache_object.too_large); else NULL. A jq map cannot be asked about such an
 * object: so every one of that use counts. */
const struct cache_object *entry_too_large(
    const struct entry *e, const struct primary *p);
/* The use of a managed kind, or NULL; the use of a kind whose objects may be
 * deleted; the use of a kind whose fields may be held. */
struct use *entry_managed(
    const struct entry *e, struct span api_version, struct span kind);
struct use *entry_deletable(
    const struct entry *e, struct span api_version, struct span kind);
struct use *entry_patchable(
    const struct entry *e, struct span api_version, struct span kind);
/* Whether p sees the object (borrowed) of this use. */
bool entry_shows(const struct entry *e, const struct primary *p,
    const struct use *u, const struct cache_object *o);
/*
 * Whether all objects that a primary in this namespace may see are known: every
 * kind is complete, at least where these objects may be. The objects of some
 * uses are all in the namespace of the primary: members by owner reference, if
 * there are no marks, and objects that a label or a field maps.
 */
bool entry_knows(const struct entry *e, struct span ns);
/* Whether primaries in this namespace are ours. */
bool entry_covers_namespace(const struct entry *e, struct span ns);
/* All primaries, sorted by key; owned array, entry->primaries.count long. */
struct primary **entry_primaries(const struct entry *e);

#endif
