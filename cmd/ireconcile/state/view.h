/*
 * view: builds the input of a program: a primary and the objects that it sees.
 * Each part is built once in an evaluation, when a call needs it.
 */
#ifndef VIEW_H
#define VIEW_H

#include <stdint.h>

#include "base/buf.h"
#include "program/program.h"
#include "state/entry.h"

struct view {
	const struct entry *entry;
	const struct primary *primary;
	int64_t now_us;
	struct arguments input;
	struct buf base, owned,
	    outcome;	  /* parts of input; empty until needed */
	struct buf loops; /* loops for the program, as JSON; empty: [] */
	bool whole;	  /* also owned objects that no function may see */
};

void view_init(struct view *v, const struct primary *p, int64_t now_us);
void view_release(struct view *v);

enum { VIEW_OWNED = 1, VIEW_NOW = 2, VIEW_OUTCOME = 4, VIEW_PLAN = 8 };
/*
 * The input of a call: {primary, operator, related}, and by `what` owned, now,
 * the plan of the primary, if there is one, and the outcome so far: loops,
 * outstanding (parts, see program.h) and error (NULL: null). Borrowed until
 * the next call.
 */
const struct arguments *view_input(
    struct view *v, unsigned what, struct span outstanding, const char *error);

/*
 * A number that changes whenever one of the objects changes that these
 * functions (bits: see program_sees) may see. Not 0.
 */
uint64_t view_fingerprint(const struct view *v, unsigned calls);

#endif
