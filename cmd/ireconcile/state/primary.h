/*
 * primary: the memory about a primary between evaluations. The final state does
 * not depend on it: it only avoids work and repetition.
 */
#ifndef PRIMARY_H
#define PRIMARY_H

#include <stdbool.h>
#include <stdint.h>
#include <jv.h>

#include "process/log.h"
#include "state/entry.h"
#include "state/fairqueue.h"
#include "state/said.h"

/* How an item differs from its object, and whether that stays. */
enum { PERMADIFF_CODE_SIZE = 2 * 16 + 1 };
struct permadiff {
	uint64_t *parts; /* owned: a hash for each difference */
	size_t count;
	char code[PERMADIFF_CODE_SIZE]; /* hash of content and differences */
	char *message; /* owned: the first differences, with values */
	char *differs; /* owned: the list of reason.h, or NULL */
	size_t differ_count;
	int64_t generation; /* the object's when the code was sent; or 0 */
	bool grown;	    /* a difference is new since the request */
	bool tried;	    /* the code is in the request */
	bool back;	    /* agreed, and has an old difference again */
	bool tolerated;
	char *told; /* owned: the last text in the log; or NULL */
};

/* The memory about an item that another client changes back, or that does not
 * agree: decide/damping.h. */
struct damping {
	struct repairs *repairs; /* owned, one allocation, or NULL: none */
	char *loop_path; /* owned: the path that was changed back last */
	char *of_uid;	 /* owned, with ITEM_PATCH: uid of the object that
			  * repairs and agreed_before are about; or NULL */
	bool looping;
	struct hold hold; /* keeps repairs back */
	struct permadiff permadiff;
};

/* The part of an item that is kept from one evaluation to the next, as long as
 * its content is the same. */
struct item_memory {
	uint64_t compared; /* serial of the object that was compared */
	char *path;	   /* owned: the first path that differs; or NULL */
	struct damping *damping; /* owned, or NULL: no such memory */
	bool agrees;		 /* the result of comparing */
	bool agreed_before;	 /* agreed since the last request */
	/* A member was observed, with another content as well. */
	bool was_there;
};

/* A desired item, marked, as text. */
struct desired_item {
	struct cache_kind *kind;
	char *label;			   /* "Kind.group/namespace/name" */
	char *key;			   /* "NAMESPACE\0NAME" */
	struct shelf_text text;		   /* see primary_item_text */
	unsigned char digest[DIGEST_SIZE]; /* text's hash */
	jv value; /* text parsed, during a decision, unless kept */
	uint32_t key_len;
	/* ITEM_... of itemmarks.h. With ITEM_NAMED text is only the identity;
	 * ITEM_EXACTLY changes digest, too. */
	unsigned marks;
	bool kept;    /* see immutable */
	bool awaited; /* it is outstanding, and not in the line: what is after
		       * it waits */
	/* For immutable(): its paths as text, or NULL; the program's item,
	 * marked, as text. kept: text has the object's values at the paths. */
	char *immutable;
	char *given;
	size_t given_len;
	char *after; /* owned: ["LABEL", ...] of after(), or NULL */
	unsigned char given_digest[DIGEST_SIZE]; /* digest for a new object */
	struct item_memory memory;
	struct hidden_values *hidden; /* owned, or NULL: see agree/hidden.h */
};

static inline struct span
primary_item_key(const struct desired_item *i)
{
	return span_make(i->key, i->key_len);
}

/* Borrowed until cache_rest. */
static inline struct span
primary_item_text(const struct desired_item *i)
{
	return shelf_read(&i->kind->shelf, (struct shelf_text *)&i->text);
}

/* The memoised result of `desired`. */
struct desired {
	uint64_t input; /* fingerprint of what it was computed from; 0: none */
	int64_t generation; /* the primary's at that time */
	char *error;	    /* why it failed; then there are no items */
	struct desired_item *items;
	uint32_t count;
	bool failed;
	struct map index; /* by label, if there are many (desired_find) */
	/* owned: places of items, none before one that it is after; NULL: as
	 * they stand */
	uint32_t *order;
};

/* The memoised result of `plan`, if the program defines it. */
struct plan {
	uint64_t input;	 /* fingerprint, like desired.input; 0: none */
	uint64_t id;	 /* number of text (program.h) */
	struct buf text; /* a part of an input; empty: not computed yet */
	char *error;	 /* if `plan` failed: text is then null */
	bool fresh;	 /* not in the log yet */
};

/*
 * A primary: its object, the results of its program, its place in the queue
 * (fairqueue.h) and what was said of it (said.h). There are many primaries:
 * small members stand together to save memory.
 */
struct primary {
	struct entry *entry;
	struct cache_object *object;   /* NULL: gone, but not forgotten yet */
	const char *namespace_, *name; /* for messages; in data */
	uint32_t key_len;
	uint32_t name_count;
	struct naming **names; /* related objects that p names; see index.h */
	char *holder;	       /* another instance that holds p, or NULL */
	int64_t torn_us;  /* when it was torn (entries_tear); 0: it was not */
	uint64_t when_of; /* serial of the object that `when` is about */
	bool when;
	struct plan plan;
	struct desired desired;
	/* The fingerprint of what `status` sees, when the status agreed with
	 * the observed one; 0: the two differed. */
	uint64_t status_input;
	struct work_item work;
	struct said said;
	char data[]; /* the key: "NAMESPACE\0NAME" */
};

struct primary *primary_new(struct entry *e, struct cache_object *o);
void primary_free(struct primary *p);

static inline struct span
primary_key(const struct primary *p)
{
	return span_make(p->data, p->key_len);
}

void primary_release_desired(struct desired *d);
/* i->memory.damping, which is made if there is none; forgets which differences
 * stay, and the record, if it has nothing else. */
struct damping *primary_damping(struct desired_item *i);
void primary_forget_permadiff(struct desired_item *i);
void primary_release_plan(struct plan *plan);
/* The next evaluation computes plan and items again. */
void primary_recompute(struct primary *p);
/* Forgets back-offs, holds and requests; what is tolerated is requested,
 * too. */
void primary_forget(struct primary *p);
/* p exists again, as another object, before it was evaluated. */
void primary_renew(struct primary *p);

/* Whether all objects that p may see are known (entry_knows). */
static inline bool
primary_is_known(const struct primary *p)
{
	return p->entry->complete ||
	    entry_knows(p->entry, span_str(p->namespace_));
}

/* The name of p for messages. */
struct log_about primary_about(const struct primary *p);
/* Notes the instance that holds p; NULL: none but this one. */
void primary_set_holder(struct primary *p, const char *name);

/*
 * An object of the primary kind outside of the entry's namespaces is never a
 * primary, whatever it came from: a recording, a stream of all namespaces, a
 * kind that another entry watches, too. Logs the first one of each entry; o may
 * be only not selected.
 */
void primary_say_outside(const struct use *u, const struct cache_object *o);

#endif
