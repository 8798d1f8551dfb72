/*
 * looks: the members of which a program looks into the value, by its text alone,
 * and does not only pass it on. Passed on is what is, in an object, the value of
 * a key: {data}, {data: .x.data}, {url: "ftp://\(.x.password)"}, a sum of such
 * texts, @base64, and leaves the program in what `desired`, `status`, `finalize`
 * or `events` return.
 *
 * If it is returned by another function, by `plan` too, or a pipe follows, then
 * it is looked into where the program looks into the key or the function: a
 * value has all names under which it is passed on. Compared, decoded, bound, or
 * given to a function, it is looked into.
 *
 * It goes by names: .data, ["data"], "data" in a path, {data: $d} of a pattern.
 * An object that is given to what needs no name (to_entries, tojson, contains,
 * .[], ==, a function of the program) is inspected as a whole. `..` of the whole
 * input, and a path that is computed, are not known. Only the author's files
 * count. In doubt a value is looked into.
 */
#ifndef LOOKS_H
#define LOOKS_H

#include "base/textlist.h"
#include "language/source.h"

struct looks {
	struct textlist members; /* owned; looked into */
	struct textlist wholes;	 /* owned; inspected, with all that is in it */
};

/* Adds their names, each once. */
void looks_find(struct looks *looks, const struct source *s);

#endif
