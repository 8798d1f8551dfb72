/*
 * doomed: an object that an apply set had, that its input lacks, and that is to
 * be deleted.
 */
#ifndef DOOMED_H
#define DOOMED_H

#include "kube/discovery.h"
#include "set/set.h"
#include "plain/textset.h"

struct doomed {
	struct doomed *next;
	struct item item;   /* owned texts: key */
	char *text;	    /* owned: identity spans point here, */
	struct arena names; /* or here: decoded */
	const struct api_resource *resource; /* borrowed */
	struct span set; /* decoded: of which set it is the parent; or none */
};

/* Of the set that it was in. */
struct doomed_parent {
	const struct api_resource *resource;
	struct span namespace_; /* or none */
	struct span name;
};

/* Of an object as a list has it, without kind. Owned. */
struct doomed *doomed_new(const struct api_resource *r, struct span object);
void doomed_free(struct doomed *d);

/*
 * Why it must stay, or NULL: its deletion would delete objects of the input as
 * well (it is a Namespace, one of `namespaces`, or the definition of one of
 * `kinds`, spelled "Kind.group"), or the set's parent: with it goes what the set
 * remembers. So it does of another set whose parent it is. Static.
 */
const char *doomed_stays(const struct doomed *d,
    const struct discovery *discovery, const struct textset *namespaces,
    const struct textset *kinds, const struct doomed_parent *parent);

#endif
