/*
 * sees: which members of its input a function of a program may see, by the text
 * alone; so it is known without a call that its result does not depend on what
 * is in the others.
 *
 * A member is seen by its name: .primary, .["primary"], {primary}, as {$primary},
 * also of a variable that is bound to the whole input (. as $in). Wherever the
 * input itself may go elsewhere (a bare `.`, to_entries, .[$name], an update)
 * everything may be seen. Behind a pipe `.` is no longer the input: what is
 * before it gives members only, and values made of them.
 */
#ifndef SEES_H
#define SEES_H

#include <stdbool.h>

#include "base/span.h"
#include "base/textlist.h"
#include "language/source.h"

struct sees {
	bool everything;
	struct textlist members; /* owned; of the input */
	bool all_owned;		 /* all kinds of .owned, not only these */
	struct textlist owned;	 /* owned; .owned.KIND */
};

/* Initialises sees with what the function of this name, without parameters, and
 * those that it calls may see. */
void sees_find(struct sees *sees, const struct source *s, const char *name);
void sees_release(struct sees *sees);

bool sees_member(const struct sees *sees, const char *member);
bool sees_owned(const struct sees *sees, const char *kind);

#endif
