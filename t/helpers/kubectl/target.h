/*
 * target: the objects that a call is about: TYPE NAME..., TYPE/NAME..., --all,
 * -l or those in files.
 */
#ifndef TARGET_H
#define TARGET_H

#include "kubectl/offers.h"
#include "kubectl/session.h"

/* Words behind the verb; borrowed. */
struct words {
	const char **items;
	size_t count;
};

struct target {
	const struct offer *kind;
	struct span name;	/* none: all of the kind */
	struct span namespace_; /* none: that of the session, or all with -A */
	struct node *object;	/* NULL: not from a file */
};

struct targets {
	struct target *items; /* in the session's arena, as all of it */
	size_t count;
};

/* All return -1 if the server refuses, or if nothing is named. */
int targets_named(struct session *s, struct words words, struct targets *found);
/* --all and -l choose names. */
int targets_selected(
    struct session *s, struct words words, struct targets *found);
/* Those of all namespaces, with -A. */
int targets_everywhere(
    struct session *s, struct words words, struct targets *found);
/* The objects of -f, those of Lists one by one. Only after target_place is more
 * known of each than its object: one may be of a kind that is not served. */
int targets_in_files(struct session *s, struct targets *found);
int target_place(struct session *s, struct target *t);
/* Of that object. */
struct target target_of(struct node *object);

/* The namespace that it is in; none: it is in none. */
struct span target_namespace(const struct session *s, const struct target *t);
/* Its path; that of the collection if it has no name. sub may be NULL. */
const char *target_path(
    struct session *s, const struct target *t, const char *sub);
struct node *target_get(struct session *s, const struct target *t);
/* configmap/x; in the arena. */
const char *target_title(struct session *s, const struct target *t);

/* A request that writes: to the object or, without a name, the collection. */
struct target_write {
	const char *method, *type;
	const char *sub;     /* NULL: none */
	const char *manager; /* unless --field-manager says another */
	bool strict;	     /* --validate says how fields are checked */
	bool force;
};
struct node *target_write(struct session *s, const struct target *t,
    struct target_write how, const struct node *body);
struct node *target_write_text(struct session *s, const struct target *t,
    struct target_write how, struct span body);

/* "configmap/x created", or what -o=name or --dry-run make of it. */
void target_said(struct session *s, const struct target *t, const char *what);

/* Does it to each, and tells what is refused: then it returns 1. */
typedef int target_fn(struct session *s, struct target *t, void *arg);
int targets_each(
    struct session *s, struct targets *all, target_fn *act, void *arg);

#endif
