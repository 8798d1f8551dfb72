/*
 * looks: finds the members whose values a program looks into, by its text
 * alone.
 *
 * A value that is only passed on is not looked into. It is passed on if it is
 * the value of a key in an object, alone or as a part of a text: {data},
 * {data: .x.data}, {url: "ftp://\(.x.password)"}, a sum of such texts, @base64;
 * and if that object leaves the program in the result of `desired`, `status`,
 * `finalize` or `events`.
 *
 * If the object is returned by another function, by `plan` too, or a pipe
 * follows, then the value is looked into where the program looks into the key
 * or the function: a value has all names under which it is passed on. A value
 * that is compared, decoded, bound, or given to a function is looked into.
 *
 * Members are known by name: .data, ["data"], "data" in a path, {data: $d} of a
 * pattern. An object that is given to what needs no name (to_entries, tojson,
 * contains, .[], ==, a function of the program) is inspected as a whole. `..`
 * inspects all objects, and has that name here. A path that is computed is not
 * known. Only the author's files count. In doubt a value is looked into.
 */
#ifndef LOOKS_H
#define LOOKS_H

#include "base/textlist.h"
#include "language/source.h"

struct looks {
	struct textlist members; /* owned; looked into */
	struct textlist wholes;	 /* owned; inspected, with all that is in it */
};

/* Adds the names of these members and objects, each once. */
void looks_find(struct looks *looks, const struct source *s);

#endif
