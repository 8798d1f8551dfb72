/*
 * relay: processes that stand between two stages and pass on the lines of one to
 * the next: to count them, and to bring about the faults of a line. A relay is
 * forked by kpipe, counts for the clock, and is there only in plays that need it.
 */
#ifndef RELAY_H
#define RELAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "mishap.h"

/* The stages whose output the next one reads. */
enum { RELAY_STAGES = 3, RELAY_FAULTS = 2 };
extern const char *const relay_stages[RELAY_STAGES];

struct relay;

/* For all plays in a world. */
struct relay *relay_new(void);
void relay_free(struct relay *r);
/* In a process of the world: the stages that this process starts. */
void relay_use(struct relay *r);

/*
 * For the stages that kpipe starts from now on: relays that bring these faults
 * about; with counting, one behind each stage; else none.
 */
void relay_set(
    struct relay *r, const struct mishap *faults, size_t count, bool counting);
/* Whether the i-th of the faults has happened. */
bool relay_has_happened(const struct relay *r, size_t i);
/* How many lines have come of the n-th stage, of all its processes. */
unsigned relay_count(const struct relay *r, size_t n);

#endif
