/*
 * journey: a decision from the event that led to it until the last answer.
 *
 *	journeys_line(&all, &line) for each line, then journeys_end(&all)
 *
 * It is over when everything that the set asked for was answered, when the
 * primary has the next set, or JOURNEY_MS after the last answer. Memory: the
 * sets under way, at most JOURNEYS_MAX (then the one that has been without an
 * answer for longest is over), each with at most JOURNEY_STEPS_MAX answers and
 * texts of JOURNEY_TEXTS_MAX bytes; what is beyond that is left out.
 */
#ifndef JOURNEY_H
#define JOURNEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "record/reading.h"

enum {
	JOURNEY_MS = 30000,
	JOURNEYS_MAX = 10000,
	JOURNEY_STEPS_MAX = 1000,
	JOURNEY_TEXTS_MAX = 1024 * 1024
};

/* An answer of the API server. Texts are decoded; they point into the
 * journey's. */
struct journey_step {
	int64_t from_us, to_us;			       /* since 1970 */
	size_t kind, object, result, message, because; /* places in texts */
	bool of_status, failed;
};

struct journey {
	struct journey *before, *after; /* under way, by their last answers */
	char *primary;			/* owned: its key */
	char *namespace_;		/* owned */
	size_t kind_n;	  /* bytes of the kind, with which it begins */
	char *manager;	  /* owned */
	int64_t first_us; /* the first event; or that of the set */
	int64_t set_us;
	int64_t status_us; /* the status went to kstatus; 0: not yet */
	int64_t last_us;   /* the last answer; or that of the set */
	size_t asked, answered;
	bool failed;
	size_t more_events;
	char *events;	  /* owned: because.events, raw; NULL: none are known */
	struct buf texts; /* texts of the steps, each with a NUL */
	struct journey_step *steps;
	size_t step_count;
};

/* A decision is over; j is borrowed until the call returns. */
typedef void journey_fn(void *arg, const struct journey *j);

struct journeys {
	journey_fn *fn;
	void *arg;
	struct map by_primary;
	struct arena names; /* names in the line, decoded */
	struct journey *oldest, *youngest;
};

void journeys_line(struct journeys *all, const struct reading_line *line);
/* The time now, although no line came. */
void journeys_pass(struct journeys *all, int64_t us);
/* The input has ended: so has all that is under way. */
void journeys_end(struct journeys *all);

#endif
