/*
 * phase: what a status says in one word, and since when: status.phase, else
 * the condition Ready, else Available. It is logged when it changes:
 *
 *	phase Processing -> Available after 2.1 s
 *
 * The former one is known of what this process wrote, and of the few thousand
 * objects whose status was written last; else the line has the new one alone.
 */
#ifndef PHASE_H
#define PHASE_H

#include <stdint.h>

#include "base/lru.h"
#include "base/span.h"
#include "value/objref.h"

void phase_init(struct lru *phases);

/* The status of that object was written. Nothing is said of one without a uid:
 * its line does not come from an operator. */
void phase_note(struct lru *phases, const struct objref *id, struct span status,
    uint64_t now_ms);

#endif
