/*
 * view: what a program sees: one primary and everything around it, parsed
 * once for all calls of an evaluation, and only as far as one needs it.
 */
#ifndef VIEW_H
#define VIEW_H

#include <stdint.h>
#include <jv.h>

#include "entry.h"
#include "err.h"

struct view {
	const struct entry *entry;
	const struct primary *primary;
	int64_t now_us;
	jv base;  /* {primary, operator, related}; invalid until needed */
	jv owned; /* the same */
	jv loops; /* what the program sees as such */
};

void view_init(struct view *v, const struct primary *p, int64_t now_us);
void view_release(struct view *v);

enum { VIEW_OWNED = 1, VIEW_NOW = 2, VIEW_OUTCOME = 4 };
/*
 * The input of a call, owned: {primary, operator, related}, and as what says
 * owned, now, and the outcome so far: loops, outstanding and error (both taken).
 * jv_invalid() with err if an object cannot be parsed.
 */
jv view_input(
    struct view *v, unsigned what, jv outstanding, jv error, struct err *err);

/*
 * A number that differs whenever the input that `desired` sees does; 0 if it
 * sees the time.
 */
uint64_t view_fingerprint(const struct view *v, bool owned, bool now);

#endif
