/*
 * programs: random programs for ireconcile, for fuzz-sees. Most of what they do
 * with the input is to read its members.
 */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include "base/buf.h"

/* Names of members of the input; OWNED has the kinds as members. */
enum { PROGRAMS_MEMBERS = 10, PROGRAMS_OWNED = 1, PROGRAMS_KINDS = 3 };
extern const char *const programs_members[PROGRAMS_MEMBERS];
extern const char *const programs_kinds[PROGRAMS_KINDS];

/* From here on the numbers, and so the programs, are those of this seed. */
void programs_seed(unsigned seed);
/* The seed of the numbers that follow. */
unsigned programs_state(void);
unsigned programs_below(unsigned n);

/* Writes p.jq, which defines `status`, two.jq beside it, and lib/l.jq, the
 * library. Appends the text of all to the buffer. */
void programs_write(struct buf *all);

#endif
