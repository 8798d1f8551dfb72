/*
 * reconciler: makes lines of output from the events of the input.
 *
 * Events change the store and make primaries dirty; a queue of dirty
 * primaries (each once) is evaluated when the output takes a line. With
 * --clock=input every document is followed by all evaluations that it causes.
 */
#ifndef RECONCILER_H
#define RECONCILER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "decide/decide.h"
#include "orphans.h"
#include "process/loop.h"
#include "process/out.h"
#include "trigger.h"
#include "state/entry.h"
#include "state/fairqueue.h"
#include "state/sched.h"

struct reconciler_counters {
	uint64_t events, bad_lines, evaluations, failures, lines, tolerated,
	    loops, unsettled, gaps;
};

/* Called in place of an evaluation. p->object NULL: the primary is gone, and p
 * is freed after the call. */
typedef void reconciler_visit_fn(void *arg, struct primary *p);

struct reconciler {
	struct entries es;
	struct sched sched;
	struct orphans orphans;
	struct out *out; /* borrowed */
	enum decide_mode mode;
	/* primaries that wait for an evaluation */
	struct fairqueue fairqueue;
	struct trigger trigger; /* the event or timer that is handled now */
	bool gate_open;
	bool silent;	  /* no line is written */
	bool ready;	  /* every kind was complete at least once */
	bool told_to_end; /* the operator was, as its input ended */
	bool trimmed;	  /* memory was given back, once all was ready */
	bool incomplete;  /* the input was cut short */
	bool second;	  /* another reconciler logs about the same input */
	reconciler_visit_fn *visit; /* or NULL */
	void *visit_arg;
	struct reconciler_counters counters;
};

int reconciler_init(struct reconciler *r, const struct watches *w,
    const char *const *library_dirs, struct out *out, struct err *err);
void reconciler_release(struct reconciler *r);

/*
 * Takes a line of the input. -1 with err ("unknown event type
 * \"x\"") if it is not valid.
 */
int reconciler_document(
    struct reconciler *r, const struct event *event, struct err *err);
/* Logs what is wrong with a line of the input. True: the input is of another
 * version, so that the tool has to end with EXIT_PERMANENT. */
bool reconciler_say_bad(size_t line, const struct err *err);
/* Logs the gaps of a recording, if there are any. */
void reconciler_say_gaps(uint64_t gaps);
/* Kinds never announced are complete now, unless es.store.live and something
 * came; others are cut short: logged, as an error unless the operator was told
 * to end. */
void reconciler_end_of_input(struct reconciler *r, bool told_to_end);

/* Moves the input's clock to us: fires the timers that are due by then, one by
 * one. */
void reconciler_advance(struct reconciler *r, int64_t us);
/* Kinds that others lacks, and that were never announced and have no object,
 * are complete now. names gets their names, separated by commas. */
void reconciler_assume(
    struct reconciler *r, const struct cache *others, struct buf *names);

/* The gate opens; until then nothing is queued. */
void reconciler_open(struct reconciler *r);
/* Evaluates the next dirty primary; false if there is none. */
bool reconciler_step(struct reconciler *r);
/* No primary is dirty: gives memory back. */
void reconciler_rest(struct reconciler *r);
/* Checks whether the clock was set. */
void reconciler_clock(struct reconciler *r);
/* Fires the timers that are due. */
void reconciler_timers(struct reconciler *r);

/* Whether anything has failed so far. Then ireconcile exits 1. */
bool reconciler_failed(const struct reconciler *r);

#endif
