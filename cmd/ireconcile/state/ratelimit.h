/*
 * ratelimit: objects whose changes are rate-limited, because their `map`
 * expression is expensive.
 *
 * A `map` expression runs at each change of an object, before its primary is
 * known: so the cost is charged to the object, by kind, namespace and name
 * (backoff.h). After an expression that ran into a limit, crashed or took long,
 * the object's next versions wait until the back-off is over; then the newest
 * is put into the store, as if it had just arrived. Meanwhile the old version
 * is used. A deletion counts at once.
 */
#ifndef RATELIMIT_H
#define RATELIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "state/entry.h"

/* A version of an object arrives. True: it has to wait, and was taken; it
 * replaces a version that waited. */
bool ratelimit_takes(struct entries *es, struct cache_object *o);
/* The object is deleted (without a uid: any object of that name). */
void ratelimit_forget(const struct cache_object *gone);
/* A kind was listed: forgets versions of objects that the list lacks. */
void ratelimit_sweep(struct cache_kind *k);

/* The CPU time of an object's maps; stopped: by a limit, or a crash. */
void ratelimit_charge(struct entries *es, const struct cache_object *o,
    uint64_t us, bool stopped);

/* Stores the objects whose time has come, or all at the end of the input. */
enum ratelimit_which { RATELIMIT_DUE, RATELIMIT_ALL };
void ratelimit_put(struct entries *es, enum ratelimit_which which);

#endif
