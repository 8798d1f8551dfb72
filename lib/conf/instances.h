/*
 * instances: the instance of the operator that made an object, by its
 * annotation (doc/protocol.md, "Instances"). What another one made is not ours,
 * whatever else it says. Names are compared once, when an object comes; from
 * then on it has a number.
 */
#ifndef INSTANCES_H
#define INSTANCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "base/textlist.h"
#include "conf/watches.h"
#include "process/opt.h"

enum {
	INSTANCES_NONE,	 /* the object names no instance */
	INSTANCES_OTHER, /* an instance that is not in known */
	INSTANCES_FIRST	 /* the first of known; the next ones follow */
};

struct instances {
	/* Set before the start; borrowed. */
	const char *name;	       /* for entries without one; or NULL */
	const struct opt_list *former; /* --take-over-instance; or NULL */
	/* No server is asked: every object counts as ours, whatever instance it
	 * names, and no instance is written. */
	bool as_they_stand;

	struct textlist known; /* the former ones come first */
	size_t former_count;
	bool differ;   /* the entries have different names */
	size_t others; /* objects for which instances_counts holds */
};

void instances_init(struct instances *all, const struct watches *w);
void instances_release(struct instances *all);

/* The name under which this entry writes, borrowed; NULL: none. */
const char *instances_of(
    const struct instances *all, const struct watch_entry *conf);
/* The number of a name; SPAN_NONE: INSTANCES_NONE. */
uint16_t instances_number(const struct instances *all, struct span name);
/* Whether an object of `number` counts as made by the one with number `own`. */
bool instances_ours(const struct instances *all, uint16_t own, uint16_t number);
/* Whether one may be of another instance, for some entry. */
bool instances_counts(const struct instances *all, uint16_t number);

#endif
