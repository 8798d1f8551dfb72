/*
 * spare: objects that are not adopted, or only if watches.yaml says so: a
 * message must not suggest it.
 */
#ifndef SPARE_H
#define SPARE_H

#include "base/span.h"
#include "set/set.h"

enum spare_when {
	SPARE_NOT,     /* it may be adopted, and a message may offer that */
	SPARE_UNASKED, /* only where `adopt` asks for it */
	SPARE_ALWAYS
};

/*
 * object, as the server has it, has the name of the item. home: the operator's
 * own namespace. why, of SPARE_ALWAYS: "it is ...", static.
 */
enum spare_when spare(const struct set *s, const struct item *i,
    struct span object, struct span home, const char **why);

/* Whether it is the set's own primary, in any version of its API. */
bool spare_is_primary(const struct set *s, struct span object);

#endif
