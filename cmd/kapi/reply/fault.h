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

struct node;
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
	FAULT_DUPLICATE,
	FAULT_END,
	FAULT_MUTATE
};

struct fault {
	/* Patterns with * and ?; none: anything. */
	struct span verb, group, resource, subresource, namespace_, name, path,
	    query, user, user_agent, field_manager;
	uint64_t nth;	 /* from this match on, 1 is the first; 0: all */
	uint64_t count;	 /* then so many requests; 0: all */
	uint64_t for_ms; /* all for so long after the first; 0: count */
	enum fault_kind kind;
	int code;
	struct span reason, message; /* in the Status; none: the usual */
	uint64_t retry_after;	     /* seconds */
	bool after;		     /* the work is done first */
	bool pause;		     /* until it is told to go on */
	uint64_t delay_ms;
	uint64_t event; /* a watch's, from 1; 0: before it starts */
	uint64_t versions;
	uint64_t bytes;		  /* that go out before the cut */
	const struct node *patch; /* of FAULT_MUTATE: a merge patch */
	uint64_t paused;	  /* of FAULT_PARSE_CONTINUE: the request */
};

/* A line of a plan; or what a request that waits goes on with: "paused", no
 * pattern, and FAULT_DELAY without delay_ms if that is all. */
enum fault_parse { FAULT_PARSE_LINE, FAULT_PARSE_CONTINUE };

/* Parses line, a JSON object; what f points to is in the arena. -1: err names
 * the member. */
int fault_parse(struct arena *a, enum fault_parse as, struct span line,
    struct fault *f, struct err *err);
/* f in another arena. */
struct fault *fault_copy(struct arena *a, const struct fault *f);
/* The name of f in the journal: "cut", "429", "429 after". */
const char *fault_name(struct arena *a, const struct fault *f);
bool fault_glob(struct span pattern, struct span text);

/* The answer of FAULT_CODE. */
struct problem *fault_problem(struct request *r, const struct fault *f);

#endif
