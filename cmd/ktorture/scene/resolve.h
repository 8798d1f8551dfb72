/*
 * resolve: steps that name what the operator has made, which nobody knows
 * before it has. N counts its objects in turns by kind: first one of each kind,
 * then the second of each; kinds and objects in the order of their names. The
 * key of marks and leases, which kpipe makes for itself, do not count.
 *
 *	drift N      another client changes what the operator has set: a field of
 *		     the spec, of the data, else a label
 *	lose N       another client deletes it
 *	foreign N    before the operator made it, another client has made an
 *		     object of that name: with its content, and without the marks
 *		     of the operator. Of those in the primary's namespace or the
 *		     cluster's
 *	unforeign N  deletes that again
 *
 * It is a function of its arguments: the same step for the same objects.
 */
#ifndef RESOLVE_H
#define RESOLVE_H

#include <stdbool.h>
#include <jv.h>

/* The annotation of a foreign object; its value is N. */
#define RESOLVE_FOREIGN "torture.kpipe.dev/foreign"

/* Whether the step is one of those above. */
bool resolve_is_open(jv step_peek);

/*
 * The steps that it stands for, in a list, owned: one, or none if there is no
 * such object. A "then" stays.
 *
 * made: objects that the operator has made: whole objects. Those of the state
 * now, for drift and lose; those that were there at the end of the second step
 * ("create") of the clean scenario "life", for foreign. namespace_: that of the
 * primary. state: all objects now; for unforeign.
 */
jv resolve_step(
    jv step_peek, jv made_peek, jv state_peek, const char *namespace_);

#endif
