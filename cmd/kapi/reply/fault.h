/*
 * fault: one line of a plan: what it matches and what happens then.
 */
#ifndef FAULT_H
#define FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"

struct problem;
struct request;

enum fault_kind {
	FAULT_DELAY, /* nothing but that */
	FAULT_CODE,
	FAULT_CUT,
	FAULT_FREEZE,
	FAULT_GOAWAY,
	FAULT_STALE,
	FAULT_COMPACT,
	FAULT_HOLD,
	FAULT_DUPLICATE
};

struct fault {
	/* Patterns with * and ?; none: anything. */
	struct span verb, group, resource, subresource, namespace_, name, path,
	    query, user, user_agent, field_manager;
	uint64_t nth;	/* from this match on, 1 is the first; 0: all */
	uint64_t count; /* then so many requests; 0: all */
	enum fault_kind kind;
	int code;
	struct span reason, message; /* in the Status; none: the usual */
	uint64_t retry_after;	     /* seconds */
	bool after;		     /* the work is done first */
	uint64_t delay_ms;
	uint64_t event; /* a watch's, from 1; 0: before it starts */
	uint64_t versions;
};

/* Parses line, a JSON object; texts go to the arena. -1: err names the
 * member. */
int fault_parse(
    struct arena *a, struct span line, struct fault *f, struct err *err);
/* The name of f in the journal: "cut", "429", "429 after". */
const char *fault_name(struct arena *a, const struct fault *f);
bool fault_glob(struct span pattern, struct span text);

/* The answer of FAULT_CODE. */
struct problem *fault_problem(struct request *r, const struct fault *f);

#endif
