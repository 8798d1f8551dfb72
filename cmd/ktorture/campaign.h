/*
 * campaign: the schedules of a run, played by several processes at once, each with a
 * world of its own.
 */
#ifndef CAMPAIGN_H
#define CAMPAIGN_H

#include <jv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oracle/oracle.h"
#include "roster.h"
#include "scene/opfolder.h"
#include "trial.h"

/* A scenario, and what it gives without faults. */
struct act {
	jv scenario; /* owned */
	jv clean;    /* owned: the record */
	struct oracle *oracle;
};

struct specplay; /* specplay.h */

struct campaign {
	struct opfolder *folder; /* borrowed */
	struct act *acts;
	size_t act_count;
	struct buf objects; /* the new cluster */
	uint64_t seed;
	struct roster roster;
	struct specplay *specs; /* owned; NULL: none are played */
};

/* Makes the new cluster: what every scenario begins with. -1 with err. */
int campaign_begin(struct campaign *r, struct world *w, struct err *err);
/* Plays the scenario without faults, twice, and adds it. What it does wrong
 * without any fault is in *found, owned. Takes scenario. -1 with err. */
int campaign_add(struct campaign *r, struct world *w, jv scenario,
    bool with_faults, jv *found, struct err *err);
void campaign_release(struct campaign *r);

/* Plays this scenario, borrowed, once; the record, owned, or invalid with err.
 * again: at another time of day, with other random numbers. */
jv campaign_play(struct campaign *r, struct world *w, jv scenario, bool again,
    const char *recording, struct err *err);
/* The violations in a record, borrowed, that were noted while it was played;
 * owned. */
jv campaign_noted(jv record_peek);

/* The n-th schedule: each eighth is a spec, while there are some. */
struct schedule campaign_get(const struct campaign *r, size_t n);
/* How many are each fault alone, and the specs between them; of specs alone,
 * each edit alone. */
size_t campaign_singles(const struct campaign *r);

/* Plays one schedule. The record in *record, owned, unless that is NULL; the
 * violations, owned, or invalid with err. */
jv campaign_schedule(struct campaign *r, struct world *w,
    const struct schedule *s, const char *recording, jv *record,
    struct err *err);

/* The same with another scenario, borrowed, which is played without faults
 * first. */
jv campaign_try(struct campaign *r, struct world *w, jv scenario,
    const struct schedule *s, struct err *err);

/* A schedule was played. */
struct campaign_result {
	size_t number; /* of the plan */
	struct schedule schedule;
	jv found;  /* borrowed: violations; empty: none */
	jv counts; /* borrowed: of oracle_counts */
};
typedef bool campaign_fn(void *arg, const struct campaign_result *r);

/*
 * Plays schedules, each worker in a world of its own, until fn says false, `most` (0: no limit) are done, or the
 * seconds of the machine are over. -1 with err.
 */
int campaign_all(struct campaign *r, struct world **worlds, int workers,
    uint64_t seconds, size_t most, campaign_fn *fn, void *arg, struct err *err);

#endif
