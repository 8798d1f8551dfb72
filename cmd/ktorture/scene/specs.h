/*
 * specs: generated specs of an operator's primary: every field of its schema and
 * its example absent, null, least, most, long, odd, of another type; lists and
 * maps empty, with one and with many (lib/jq/torture/specs.jq); then every pair
 * of these in time.
 *
 * An edit is {"text": ".spec.size = null", "path": [...], "value": null}, or has
 * "absent": true instead of the value. Its text is a program of jq that does the
 * same to the object, so that a person can write one, too: then it has a text
 * alone.
 *
 * The first specs_singles() of them have one edit; the others are the pairs.
 * The seed gives the order within each.
 */
#ifndef SPECS_H
#define SPECS_H

#include <stddef.h>
#include <stdint.h>
#include <jv.h>

#include "base/err.h"
#include "scene/opfolder.h"

struct specs {
	const struct opfolder *folder; /* borrowed */
	jv begin;		       /* steps that make the example */
	jv object;		       /* the example */
	jv edits;		       /* of one field each */
	jv marks, rules;
	size_t singles;
};

/* Without an example there are none. -1 with err; then it is released. The
 * folder stays borrowed. */
int specs_load(struct specs *s, const struct opfolder *f, struct err *err);
void specs_release(struct specs *s);

size_t specs_count(const struct specs *s);
/* The edits of the i-th, i < specs_count(): a list of one or two, owned. */
jv specs_get(const struct specs *s, uint64_t seed, size_t i);

/* The scenario that makes the example, does the edits one after the other,
 * settles, puts the example back, and settles; owned. Invalid with err: the text of an
 * edit without a path is wrong. */
jv specs_way(const struct specs *s, jv edits_peek, struct err *err);
/* The scenario that makes the example, with the content of this object, at
 * once, and settles; owned. */
jv specs_fresh(const struct specs *s, jv object_peek);
/* All of an object, borrowed, but its metadata and its status; owned. */
jv specs_content(jv object_peek);

#endif
