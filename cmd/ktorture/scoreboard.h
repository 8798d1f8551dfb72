/*
 * scoreboard: what is told about a run, as it goes and at its end.
 */
#ifndef SCOREBOARD_H
#define SCOREBOARD_H

#include <jv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "campaign.h"

struct scoreboard_row {
	const char *group; /* of struct mishap_kind, "two faults", "specs" */
	size_t played, failed;
	double slowest, writes; /* seconds; how many, at most */
};

struct scoreboard {
	const struct opfolder *folder; /* borrowed */
	uint64_t seed;
	const struct campaign *run;
	uint64_t began_ms, told_ms;
	size_t clean_count, played, failed;
	struct scoreboard_row rows[32];
	size_t row_count;
	/* The shortest of the failures. */
	struct schedule worst;
	jv worst_found;	   /* owned; invalid: none */
	const char *clean; /* borrowed: wrong without a fault; NULL: none */
	double seconds;
};

/* Borrows f. */
void scoreboard_init(
    struct scoreboard *r, const struct opfolder *f, uint64_t seed);
void scoreboard_release(struct scoreboard *r);
/* A scenario was played without faults; takes what was found. Its name is
 * borrowed; scoreboard_example: the example of specs. */
extern const char scoreboard_example[];
void scoreboard_clean(struct scoreboard *r, const char *scenario, jv found);
void scoreboard_begin(struct scoreboard *r, const struct campaign *run);
/* True: go on. */
bool scoreboard_take(
    struct scoreboard *r, const struct campaign_result *result);
/* The table. */
void scoreboard_end(struct scoreboard *r);
/* The last lines: what is wrong with s, borrowed, the count, and the command that
 * repeats it, with this scenario: a name or a file. edits: those of a spec, else
 * invalid. */
void scoreboard_failure(const struct scoreboard *r, const struct schedule *s,
    const char *scenario, jv edits_peek, jv found);
/* The last lines, if no schedule failed: the count; and the command that repeats
 * what was wrong without a fault. Whether there is any. */
bool scoreboard_others(const struct scoreboard *r);
const char *scoreboard_name(const struct campaign *run, size_t act);
/* One schedule was played; takes what was found. */
void scoreboard_one(jv found);

#endif
