/*
 * sought: which object is asked for, as people spell it, and what there is
 * instead if it is not there.
 */
#ifndef SOUGHT_H
#define SOUGHT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "base/textlist.h"
#include "value/objref.h"

/* More names are not remembered. */
enum { SOUGHT_NAMES_MAX = 300 };

struct sought {
	struct objref who; /* borrowed; group absent: any */
	struct span full;  /* the kind, if that is a short name of kubectl's */
	struct textlist kinds; /* of the recording */
	struct textlist names; /* of objects of that kind */
};

/*
 * kind: in any case, also in the plural, or kubectl's short name; with its group
 * or without: "deployments", "Deployment", "deploy", "deployment.apps". name:
 * NAMESPACE/NAME, or NAME in the namespace (NULL: of an object without one). Or
 * both in kind, as KIND/NAME or KIND/NAMESPACE/NAME; then name is NULL. All texts are borrowed. -1 with err; then there is nothing to release.
 */
int sought_init(struct sought *a, const char *kind, const char *name,
    const char *namespace_, struct err *err);
void sought_release(struct sought *a);

/* Whether it is the object. */
bool sought_is(const struct sought *a, const struct objref *o);
/* Remembers an object of the recording. */
void sought_note(struct sought *a, const struct objref *o);
/* Appends what the recording has instead. */
void sought_add_others(const struct sought *a, struct buf *b);

#endif
