/*
 * trial: plays a scenario once, in a world, with the faults of a schedule, and
 * gives the record of all that happened: the lines that oracle/ judges.
 *
 * The operator starts in a new cluster. Then each step of the scenario is done,
 * as "client", STEP_MS apart. After the last one there is time to converge, then
 * silence; then the operator is told to end.
 */
#ifndef TRIAL_H
#define TRIAL_H

#include <jv.h>
#include <stdint.h>

#include "base/span.h"
#include "mishap.h"
#include "scene/opfolder.h"
#include "world.h"

enum {
	TRIAL_FIRST_MS = 5000,
	TRIAL_STEP_MS = 15000,
	TRIAL_CONVERGE_MS = 400000, /* an expectation may take so long */
	/* Until nobody has tried to write for so long; if a fault may last for
	 * minutes; 200 s more at most. */
	TRIAL_QUIET_MS = 200000,
	TRIAL_LONG_QUIET_MS = 700000,
	TRIAL_SILENCE_MS = 120000,
	TRIAL_CLEAN_MS = 600000, /* the same, without a fault */
	/* The same in a step "settle": nothing is refused there. */
	TRIAL_SHORT_QUIET_MS = 60000,
	TRIAL_SHORT_SILENCE_MS = 30000
};

struct trial {
	const struct opfolder *folder;
	struct span objects; /* the new cluster: lines of kapi --load */
	jv made; /* borrowed: a clean record that shows what the operator makes;
		  * invalid: none */
	jv steps; /* borrowed */
	const struct mishap *faults;
	size_t count;
	uint64_t seed;
	int64_t start_us;      /* since 1970 */
	const char *recording; /* a folder for kpipe --record, or NULL */
	int instances; /* of the operator, that elect a leader; 0: one alone */
	bool begins_old; /* with the version before */
	bool new_only;	 /* even where the steps say old */
	bool counting;	 /* the lines between stages */
};

/* The record, an array, owned; jv_invalid() with err: it could not be played. */
jv trial_play(struct world *w, const struct trial *t, struct err *err);

#endif
