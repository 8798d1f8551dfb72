/*
 * watchspec: a kind to watch, by the command line and watches.yaml, before the
 * server was asked. A kind that several entries name has one, with all
 * their namespaces, the wider selector and the wider projection.
 */
#ifndef WATCHSPEC_H
#define WATCHSPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/textlist.h"
#include "conf/watches.h"
#include "project.h"

enum watchspec_missing {
	WATCHSPEC_WAIT,	    /* not served: wait, the kind is incomplete */
	WATCHSPEC_OPTIONAL, /* not served: complete and empty until it is */
	WATCHSPEC_FATAL	    /* not served: a typing error */
};

/* Namespaces by label; names empty: of all. */
struct watchspec_rooms {
	char *selector;
	struct textlist names;
};

struct watchspec {
	char *spelling;		      /* an operand's: "pods"; else NULL */
	char *name;		      /* an operand's object; or NULL */
	char *group, *version, *kind; /* if spelling is NULL */
	const struct watches *file;   /* ... which named it first; borrowed */
	int line;		      /* line in file */
	struct textlist namespaces;   /* empty, and no rooms: all */
	struct watchspec_rooms *rooms;
	size_t room_count;
	char *selector;		 /* or NULL */
	bool strict;		 /* selects primaries: never widened */
	char *field_selector;	 /* or NULL */
	struct project *project; /* NULL: whole objects */
	bool metadata_only;	 /* then project is set */
	struct textlist redact;
	struct textlist deciders; /* "Thing.example.com": need it complete */
	enum watchspec_missing missing;
};

struct watchspecs {
	struct watchspec **items;
	size_t count;
};

struct watchspec_opts {
	const char *selector, *field_selector; /* for operands; or NULL */
	const struct textlist *namespaces;     /* for operands; empty: all */
};

/*
 * All kinds of the file, united with those of files that were added before;
 * they outlive the specs. A kind is watched in one version: another file must
 * name the same one. Errors name file and line.
 */
int watchspecs_add_watches(
    struct watchspecs *w, const struct watches *file, struct err *err);
/* "pods,deploy", "deployments.apps/NAME". */
int watchspecs_add_operand(struct watchspecs *w, const char *operand,
    const struct watchspec_opts *o, struct err *err);
/* An operand with all that like has, but for its resource. */
struct watchspec *watchspecs_add_like(struct watchspecs *w,
    const struct watchspec *like, const char *plural, const char *group);
/* An operand was a category: now it names a resource of the category. */
void watchspec_respell(
    struct watchspec *n, const char *plural, const char *group);
/* Whether n covers an operand of its kind, too; not if they select other
 * fields: "pods/a pods/b". */
bool watchspec_fits(const struct watchspec *n, const struct watchspec *operand);
int watchspec_unite(
    struct watchspec *n, const struct watchspec *operand, struct err *err);
/* Whether all namespaces are watched. */
bool watchspec_is_everywhere(const struct watchspec *n);
/* Not NULL, nor empty. */
bool watchspec_selects(const char *selector);
void watchspecs_release(struct watchspecs *w);

#endif
