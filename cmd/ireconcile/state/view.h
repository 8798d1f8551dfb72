/*
 * view: what a program sees: one primary and everything around it, put
 * together once for all calls of an evaluation, and only as far as one needs
 * it.
 */
#ifndef VIEW_H
#define VIEW_H

#include <stdint.h>

#include "base/buf.h"
#include "program/arguments.h"
#include "state/entry.h"

struct view {
	const struct entry *entry;
	const struct primary *primary;
	int64_t now_us;
	struct arguments input;
	struct buf base, owned, outcome; /* of input; empty until needed */
	struct buf loops; /* what the program sees as such, JSON; empty: [] */
};

void view_init(struct view *v, const struct primary *p, int64_t now_us);
void view_release(struct view *v);

enum { VIEW_OWNED = 1, VIEW_NOW = 2, VIEW_OUTCOME = 4 };
/*
 * The input of a call: {primary, operator, related}, and as what says owned,
 * now, and the outcome so far: loops, outstanding (parts, see arguments.h) and
 * error (NULL: null). Borrowed until the next call.
 */
const struct arguments *view_input(
    struct view *v, unsigned what, struct span outstanding, const char *error);

/*
 * A number that differs whenever the input that `desired` sees does; 0 if it
 * sees the time.
 */
uint64_t view_fingerprint(const struct view *v, bool owned, bool now);

#endif
