/*
 * apply: what the files of kapply share: the run, and the keys at work.
 *
 *	main.c	  lines become sets
 *	engine.c  the order of a key's work: which item is next, and its request
 *	answer.c  what the answer means for it
 *	owner.c	  what it means if the request was about the primary
 *	create.c  what it means for an object that is created under a drawn name
 *	report.c  what is said about it: log, results, status lines, Events,
 *		  metrics
 */
#ifndef APPLY_H
#define APPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "because.h"
#include "kube/proof.h"
#include "kube/writer.h"
#include "set/prunelimit.h"
#include "set/set.h"

enum output { OUTPUT_STATUS, OUTPUT_RESULT, OUTPUT_NONE };

/* The options of kapply, beside those of every writer (kube/writer.h). */
struct apply_opts {
	struct opt_list files;	   /* empty: standard input */
	bool recursive;		   /* folders that are named */
	const char *field_manager; /* NULL: the line's, or "kpipe" */
	bool force_conflicts;
	const char *applyset;
	bool allow_empty;   /* the input of an apply set */
	bool generate_name; /* objects may have a drawn name */
	int output;	    /* enum output; -1: by what stdout is */
	long prune_limit;   /* deletions in a minute; 0: none */
	long marks_key_fd, marks_key_out_fd; /* -1: none */
	uint64_t marks_key_check_ms;	     /* 0: only at the start */
	const char *marks_key_secret;	     /* NULL: none */
	bool accept_unproven;
};

struct apply_counters {
	uint64_t created, applied, unchanged, deleted, stale, status_lines;
};

struct applyset;
struct unseen;

struct apply {
	struct writer w; /* in its keys: struct key, owned */
	const struct apply_opts *o;
	struct proof proof;	   /* the key of marks, if there is one */
	struct set *held;	   /* owned: waits behind a barrier; or NULL */
	struct applyset *applyset; /* owned; NULL: none */
	struct unseen *unseen;
	struct prunelimit prunelimit;
	struct because because;
	struct apply_counters counters;
	size_t barriers;       /* plain scopes that are not there yet */
	size_t lined_up;       /* plain objects behind one of their name */
	uint64_t new_scope_ms; /* when a Namespace or CRD was last accepted */
	bool blind;	       /* primaries cannot be read: that was told */
	/* Plain objects get this label (an apply set), if it is set. */
	const char *label, *label_value;
};

struct key {
	struct work work; /* the first member */
	struct apply *apply;
	char *name;	  /* owned */
	struct set *set;  /* owned: at work */
	struct set *next; /* owned: the newest line, or more plain objects */
	size_t flying;
	uint64_t busy_ms;	     /* clock_ms() since when any is */
	struct writestat *writestat; /* borrowed; NULL: plain objects */
	struct timer timer;
};

/* An item accepted less than this ago is not sent again. It is shorter than
 * ireconcile's first deadline, so that what was undone since gets repaired. */
enum { RECENT_MS = 5000 };

/* engine.c */
void engine_submit(struct apply *a, struct set *s); /* takes s */
void engine_run(void *apply, struct work *w);	    /* a work_fn */
void engine_advance(struct key *k);
/* Everything is done, or has failed for good. */
bool engine_settled(const struct apply *a);
/* The time is over: the rest has failed. */
void engine_give_up(struct apply *a);
void engine_free(struct apply *a);
/* Passes an event to the item: changes its state, and nothing else. */
enum item_action engine_item_take(struct item *i, enum item_event event);
/* The next request of the item, of that step, may go out. */
void engine_item_next(struct item *i, enum item_step step);
void engine_item_done(struct key *k, struct item *i, const char *result);
/* For an OP_DELETE whose object is gone or going: "deleted" only if we may have
 * asked for it. */
void engine_item_gone(struct key *k, struct item *i);
void engine_item_stale(struct key *k, struct item *i);
/* "cannot VERB Kind.group ns/name: REASON" is the item's failure. */
void engine_item_failed(struct key *k, struct item *i, enum retry_kind kind,
    int64_t retry_after_ms, struct span reason);
/* The object of the item's next request. */
const struct objref *engine_target(const struct key *k, const struct item *i);
/* NULL: the server does not have it, as far as is known. */
const struct api_resource *engine_resource(
    const struct apply *a, const struct objref *id);
/* The field manager of a set; borrowed. */
struct span engine_manager(const struct apply *a, const struct set *s);
/* For fields of what is not a member each primary has one of its own, so that
 * giving back takes from no other. */
struct span engine_patch_manager(const struct key *k);
/* The one with which the item is written. */
struct span engine_item_manager(const struct key *k, const struct item *i);

/* answer.c */
struct call {
	struct key *key;
	struct item *item;
	enum kube_verb verb;
	bool if_absent;	 /* an apply that only creates */
	struct span uid; /* sent with an apply, borrowed from the item */
	const struct api_resource *resource;
};
/* The verb of the request. False: the op has no such step. */
bool answer_verb(enum item_op op, enum item_step step, enum kube_verb *verb);
/* A kube_done_fn; arg is the struct call, freed by it. */
void answer_take(void *arg, const struct kube_answer *answer);
/* Fails the item for an answer of the server, or none. */
void answer_fail(struct call *c, const struct kube_answer *answer);
/* Discovery has answered: the kind is there now, or it is not. As answer_take. */
void answer_looked_up(void *arg, const struct kube_error *e);

/* owner.c: answers to requests about the primary. For `once`: is it as the line
 * says? For `again`, and for what may have been created: is it there? Then those
 * about its finalizers, and about an object that is not observed yet, for which
 * they stay. */
void owner_compared(struct call *c, const struct kube_answer *answer);
void owner_looked(struct call *c, const struct kube_answer *answer);
void owner_finalizers(struct call *c, const struct kube_answer *answer);
void owner_patched(struct call *c, const struct kube_answer *answer);
void owner_unseen(struct call *c, const struct kube_answer *answer);

/* create.c: answers to the two requests of OP_CREATE */
void create_sent(struct call *c, const struct kube_answer *answer);
void create_looked(struct call *c, const struct kube_answer *answer);

/* report.c */
/* s: the item's set, or NULL. */
void report_result(struct apply *a, const struct set *s, const struct item *i,
    const char *result, const char *message);
/* The item is done: its result and Events; one that was written is logged, with
 * the reason. */
void report_written(struct apply *a, const struct set *s, const struct item *i,
    const char *result);
/* Whether the field manager behind a repair is worth one more request. */
bool report_wants_cause(struct apply *a);
/* Finalizers of the primary were added or removed: a result, or else a line of
 * the log for each. */
void report_finalizers(
    struct apply *a, const struct set *s, const struct item *i);
/* A dry run says which status it would be. */
void report_status(struct apply *a, struct set *s);
/* Logs, and sends onError, once per reason. */
void report_failures(struct apply *a, struct set *s);
/* An object of another operator is ours now. */
void report_adopted(struct apply *a, const struct set *s, const struct item *i);
/* Found who changes the item back again and again. */
void report_loop(struct apply *a, const struct set *s, const struct item *i);
/* Events of the line, but for those about the write of an item. */
void report_events(struct apply *a, const struct set *s);
/* The deletion is held back by the prune limit; and is not asked for any
 * more. */
void report_held(struct apply *a, struct set *s, struct item *i,
    enum prunelimit_scope scope);
void report_let_go(struct apply *a, const struct set *s, struct item *i);
/* For --report-fd; arg is a struct apply. */
void report_counters(void *arg, struct buf *b);
void report_samples(void *arg, struct metric_lines *m);

#endif
