/*
 * want: a kind to watch, by the command line and watches.yaml, before the
 * server was asked. A kind that several entries name is one want, with all
 * their namespaces, the wider selector and the wider projection.
 */
#ifndef WANT_H
#define WANT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/textlist.h"
#include "conf/watches.h"
#include "project.h"

enum want_missing {
	WANT_WAIT,     /* not served: wait, the kind is incomplete */
	WANT_OPTIONAL, /* not served: complete and empty until it is */
	WANT_FATAL     /* not served: a typing error */
};

struct want {
	char *spelling;		      /* an operand's: "pods"; else NULL */
	char *name;		      /* an operand's object; or NULL */
	char *group, *version, *kind; /* if spelling is NULL */
	const struct watches *file;   /* ... which named it first; borrowed */
	int line;		      /* line in file */
	struct textlist namespaces;   /* empty: all */
	char *selector;		      /* or NULL */
	bool strict;		      /* selects primaries: never widened */
	char *field_selector;	      /* or NULL */
	struct project *project;      /* NULL: whole objects */
	bool metadata_only;	      /* then project is set */
	struct textlist redact;
	struct textlist deciders; /* "Thing.example.com": need it complete */
	enum want_missing missing;
};

struct wants {
	struct want **items;
	size_t count;
};

struct want_opts {
	const char *selector, *field_selector; /* for operands; or NULL */
	const struct textlist *namespaces;     /* for operands; empty: all */
};

/*
 * All kinds of the file, united with those of files that were added before;
 * they outlive the wants. A kind is watched in one version: another file must
 * name the same one. Errors name file and line.
 */
int wants_add_watches(
    struct wants *w, const struct watches *file, struct err *err);
/* "pods,deploy", "deployments.apps/NAME". */
int wants_add_operand(struct wants *w, const char *operand,
    const struct want_opts *o, struct err *err);
/* An operand with all that like has, but for its resource. */
struct want *wants_add_like(struct wants *w, const struct want *like,
    const char *plural, const char *group);
/* An operand was a category: now it names a resource of the category. */
void want_respell(struct want *n, const char *plural, const char *group);
/* Whether n covers an operand of its kind, too; not if they select other
 * fields: "pods/a pods/b". */
bool want_fits(const struct want *n, const struct want *operand);
int want_unite(struct want *n, const struct want *operand, struct err *err);
/* Not NULL, nor empty. */
bool want_selects(const char *selector);
void wants_release(struct wants *w);

#endif
