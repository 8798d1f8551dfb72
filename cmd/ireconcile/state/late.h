/*
 * late: objects that are seen late, because finding out whose they are costs
 * much.
 *
 * A `map` expression runs at each change of an object, before anybody knows
 * which primary it concerns: so its cost is charged to the object, by kind,
 * namespace and name (backoff.h). After one that ran into a limit, crashed or
 * took long, the object's next versions wait until the back-off is over; then
 * the newest is put into the store, as if it had just arrived. Meanwhile the
 * one before stands. What is deleted goes at once.
 */
#ifndef LATE_H
#define LATE_H

#include <stdbool.h>
#include <stdint.h>

#include "state/entry.h"

/* A version arrives: true: it waits, and was taken. One that waited for the
 * same object never mattered. */
bool late_takes(struct entries *es, struct cache_object *o);
/* The object is deleted (without a uid: whichever it was). */
void late_forget(const struct cache_object *gone);
/* A kind was listed: what was not mentioned is gone. */
void late_sweep(struct cache_kind *k);

/* What the maps of an object took; stopped: by a limit, or a crash. */
void late_charge(struct entries *es, const struct cache_object *o, uint64_t us,
    bool stopped);

/* Puts those whose time has come, or all: nothing else will arrive. */
enum late_which { LATE_DUE, LATE_ALL };
void late_put(struct entries *es, enum late_which which);

#endif
