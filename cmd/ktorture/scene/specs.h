/*
 * specs: generated specs of an operator's primary: every field of its schema and
 * its example absent, null, least, most, long, odd, of another type; lists and
 * maps empty, with one and with many; then every pair of these in time.
 *
 *	{"name":"spec-0017 .spec.size=null","steps":[...],"rules":[...],"marks":[...]}
 *
 * The steps make the example, mutate it (a pair: twice, one after the other),
 * and put it back, so that the end can be compared with that of the example
 * alone. Before it is put back the state can be compared with that of a fresh
 * operator (specs_fresh). A mutation that the server refuses is part of it: the
 * step is refused, the rest goes on.
 *
 * The first specs_singles() have one mutation; the others are the pairs, in an
 * order that the seed gives.
 */
#ifndef SPECS_H
#define SPECS_H

#include <stddef.h>
#include <stdint.h>
#include <jv.h>

#include "base/err.h"
#include "scene/opfolder.h"

struct specs {
	jv begin;     /* steps that make the example */
	jv object;    /* the example */
	jv mutations; /* [{name, path, value or absent}] */
	jv marks, rules;
	size_t singles;
};

/* Without an example there are none. -1 with err; then it is released. */
int specs_load(struct specs *s, const struct opfolder *f, struct err *err);
void specs_release(struct specs *s);

size_t specs_count(const struct specs *s);
/* The i-th, i < specs_count(); owned. */
jv specs_get(const struct specs *s, uint64_t seed, size_t i);
/* The scenario that makes at once what specs_get() has mutated: for a fresh
 * operator; owned. */
jv specs_fresh(const struct specs *s, uint64_t seed, size_t i);

#endif
