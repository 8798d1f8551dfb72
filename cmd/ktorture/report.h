/*
 * report: what is told about a run, as it goes and at its end.
 */
#ifndef REPORT_H
#define REPORT_H

#include <jv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run.h"

struct report_row {
	const char *group; /* of struct fault_kind, or "two faults" */
	size_t played, failed;
	double slowest, writes; /* seconds; how many, at most */
};

struct report {
	const char *watches;
	uint64_t seed;
	const struct run *run;
	uint64_t began_ms, told_ms;
	size_t played, failed;
	struct report_row rows[32];
	size_t row_count;
	/* The shortest of the failures. */
	struct schedule worst;
	jv worst_found; /* owned; invalid: none */
	size_t clean_failed;
	double seconds;
};

void report_init(struct report *r, const char *watches, uint64_t seed);
void report_release(struct report *r);
/* A scenario was played without faults; takes what was found. */
void report_clean(
    struct report *r, const struct run *run, size_t act, jv found);
void report_begin(struct report *r, const struct run *run);
/* True: go on. */
bool report_take(struct report *r, const struct run_result *result);
/* The table. */
void report_end(struct report *r);
/* The last lines: what is wrong with s, borrowed, the count, and the command that
 * repeats it, with this scenario: a name or a file. */
void report_failure(const struct report *r, const struct schedule *s,
    const char *scenario, jv found);
/* The last line, if nothing failed. */
void report_count(const struct report *r);
const char *report_name(const struct run *run, size_t act);
/* One schedule was played; takes what was found. */
void report_one(struct report *r, const struct run *run,
    const struct schedule *s, jv found);

#endif
