/*
 * zone: a time zone, of the bytes of a file of tzdata (TZif).
 *
 * Source: RFC 8536, of which version 2 or later is read: 64-bit times, and the
 * rule for the time after the last of them. Seconds are Unix seconds; leap
 * seconds ("right/" zones) are not counted.
 */
#ifndef ZONE_H
#define ZONE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

/* A day of the year and the time on it, at which the offset changes. */
struct zone_change {
	enum { ZONE_JULIAN, ZONE_DAY, ZONE_WEEKDAY } how; /* Jn, n, Mm.w.d */
	int day, week, month;
	int seconds; /* after midnight, local time before the change */
};

/* The rule after the last transition. */
struct zone_rule {
	bool there, summer;
	int offset, summer_offset;     /* seconds east of UTC */
	struct zone_change start, end; /* the changes to summer time and back */
};

struct zone {
	const unsigned char *times; /* borrowed: count of 8 bytes each */
	const unsigned char *kinds; /* count of 1: an index of types */
	const unsigned char *types; /* 6 bytes each */
	int64_t count, type_count;
	struct zone_rule rule;
};

/* UTC. */
#define ZONE_UTC ((struct zone){.rule = {.there = true}})

/* Borrows the file as long as z is used. -1: it is not TZif of version 2. */
int zone_read(struct zone *z, struct span file);

/* The part of a file that zone_read needs: without the times of 32 bits. */
struct span zone_essence(struct span file);

/* Seconds east of UTC, at a time of the years 0 to 9999. */
int zone_offset(const struct zone *z, int64_t time);

/* The time of a local time (as if it were UTC). Of one that happens twice, or
 * not at all, the one that Go's time.Date gives. */
int64_t zone_time(const struct zone *z, int64_t local);

#endif
