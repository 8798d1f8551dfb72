/*
 * period: which part of a story is told, by --from, --to and --since.
 *
 * A time is RFC 3339; or 03:04 or 03:04:05 (UTC) of the last day on which the
 * recording has it; or -15m, before its end. For the latter two the end must be
 * known: sentences are kept until then, but only those that may be told. Remarks,
 * which are not about the object, are told only beside sentences that are.
 */
#ifndef PERIOD_H
#define PERIOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

enum period_kind { PERIOD_NONE, PERIOD_AT, PERIOD_CLOCK, PERIOD_BEFORE_END };
struct period_bound {
	enum period_kind kind;
	int64_t us; /* since 1970, since midnight, or before the end */
};

struct period_sentence {
	int64_t us;
	size_t length; /* in kept */
	bool remark;
};

struct period {
	struct period_bound from, to;
	bool days; /* a line with the day stands before its first sentence */
	/* Private: */
	struct buf *out;	   /* borrowed: what is told */
	int64_t first_us, last_us; /* of the recording; 0: no time yet */
	int64_t day;		   /* that was told last */
	struct buf kept;
	struct period_sentence *list; /* owned */
	size_t count;
	bool found;  /* a sentence that is not a remark */
	size_t told; /* of these */
};

#define PERIOD_SINCE_NONE UINT64_MAX

/* The texts of the options, NULL: not given; since_ms: PERIOD_SINCE_NONE. -1 with
 * err. */
int period_init(struct period *p, const char *from, const char *to,
    uint64_t since_ms, struct buf *out, struct err *err);
void period_release(struct period *p);

/* The time of the lines that follow. Returns it, or that of the last line which
 * had one. */
int64_t period_time(struct period *p, struct span time);
/* A sentence, with its newline: told if it is in the period, or kept. */
void period_add(struct period *p, struct span sentence, bool remark);
/* The recording has ended: tells what was kept. -1 with err: the recording has no
 * such time. */
int period_end(struct period *p, struct err *err);

#endif
