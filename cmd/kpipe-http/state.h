/*
 * state: what kpipe has reported (doc/protocol.md, State lines): the state of
 * the pipeline, why a stage is not wholly ready, and all samples.
 */
#ifndef STATE_H
#define STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "series.h"

enum { STATE_NAME_MAX = 32 };

struct state_stage {
	char name[STATE_NAME_MAX + 1];
	bool listed; /* by the newest state line */
	bool aside;  /* readiness does not depend on it */
	bool running, ready;
	int64_t starts;
	int64_t oom_kills;
	char *unready; /* owned: the reasons; NULL: none */
};

struct state {
	bool known; /* a state line was read */
	char phase[STATE_NAME_MAX + 1];
	char *reason; /* owned: why the pipeline is not ready; NULL: none */
	/* A stage's place is its number in series; [0] is ourselves. */
	struct state_stage stages[SERIES_TOOLS_MAX];
	unsigned count;
	struct series series;
};

/* self is the name of this tool. */
void state_init(struct state *s, const char *self);
void state_release(struct state *s);

/* Takes a checked line. -1 with err if it is not valid. */
int state_line(struct state *s, struct span line, struct err *err);

/* Tools whose gauges are valid, for series_write. */
uint32_t state_running(const struct state *s);

#endif
