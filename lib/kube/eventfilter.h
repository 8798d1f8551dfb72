/*
 * eventfilter: limits and combines Events before they go to the API server, by
 * the rules of client-go's recorder (tools/record/events_cache.go):
 *
 *   per source, object and type: 25 Events, then one more every 300 s;
 *   from the tenth message for one reason within 600 s on, one Event says
 *   "(combined from similar events): " and the newest message;
 *   the same again is not a new Event: count and time of the old one move.
 *
 * Each rule remembers the 4096 keys it met last. No requests here.
 */
#ifndef EVENTFILTER_H
#define EVENTFILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct eventfilter;

struct eventfilter *eventfilter_new(void);
void eventfilter_free(struct eventfilter *f);

/* The identity of an Event. */
struct eventfilter_event {
	struct span source; /* the reporter */
	struct span object; /* kind, namespace, name, uid, apiVersion */
	struct span type, reason, message;
};

struct eventfilter_verdict {
	bool drop;
	bool combined;	  /* with EVENTFILTER_COMBINED before the message */
	unsigned count;	  /* 1: a new one; more: it was there before */
	int64_t first_us; /* when count was 1: makes its name, so that no two
			   * have the same, also of one microsecond */
};

#define EVENTFILTER_COMBINED "(combined from similar events): "

/* now_us: Unix time; one that goes back counts as standing still. */
struct eventfilter_verdict eventfilter_ask(
    struct eventfilter *f, const struct eventfilter_event *e, int64_t now_us);

#endif
