/*
 * refuse: items that a program must not desire, however well they are spelled:
 * the primary itself, and what would be made and never seen again, because
 * nobody watches where it is: it could neither be repaired nor cleaned up.
 */
#ifndef REFUSE_H
#define REFUSE_H

#include <jv.h>

#include "state/entry.h"
#include "state/primary.h"

/*
 * object (borrowed) is i, with its marks. 0, or -1 with err: the finished
 * sentence names the item, the rule and what to write instead.
 */
int refuse_item(const struct primary *p, const struct use *u,
    const struct desired_item *i, jv object_peek, struct err *err);

/*
 * The same for what is observed: an object of that name is a primary of its
 * own, not a member of ours, and the entry would adopt it: its users would
 * lose what they wrote.
 */
int refuse_adoption(
    const struct primary *p, const struct desired *set, struct err *err);

#endif
