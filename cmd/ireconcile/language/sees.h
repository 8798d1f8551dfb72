/*
 * sees: finds the members of its input that a function of a program may see, by
 * the text alone; so it is known without a call that the result does not depend
 * on the other members.
 *
 * A member is seen by its name: .primary, .["primary"], {primary}, as
 * {$primary}, also of a variable that is bound to the whole input (. as $in).
 * Wherever the input itself may go elsewhere (a bare `.`, to_entries, .[$name],
 * an update) everything may be seen. Behind a pipe `.` is no longer the input:
 * the text before the pipe gives members only, and values made of them.
 */
#ifndef SEES_H
#define SEES_H

#include <stdbool.h>

#include "base/span.h"
#include "base/textlist.h"
#include "language/source.h"

struct sees {
	bool everything;
	struct textlist members; /* owned; names of members of the input */
	bool all_owned;		 /* all kinds of .owned, not only `owned` */
	struct textlist owned;	 /* owned; the KINDs of .owned.KIND */
};

/* Initialises sees with what the function of this name, without parameters, and
 * those that it calls may see. */
void sees_find(struct sees *sees, const struct source *s, const char *name);
void sees_release(struct sees *sees);

bool sees_member(const struct sees *sees, const char *member);
bool sees_owned(const struct sees *sees, const char *kind);

/*
 * Whether function `name`, or a function of the program that it may call, reads
 * the input's member `field`. Then *file and *line have the place. Only names
 * count: `.owned` where a term starts, wherever that is.
 */
bool sees_field(const struct source *s, const char *name, const char *field,
    const struct source_file **file, int *line);

#endif
