/*
 * spot: a place in the text of a program where it may fail, as a number.
 *
 * jq's errors have no line. So when an evaluation has failed, it is done once
 * more with a text that says where it is (source_trace). In front of what may
 * fail stands a call that gives its input unchanged, also in paths:
 *
 *	(_jq_at(K)).a			a field, of `.`
 *	((_jq_at(K)).a|_jq_at(L))[]	the next access, of what is before it
 *	(_jq_at(K)|f((g|_jq_back(K))))	a call
 *	(a|_jq_at(K)) + (b|_jq_right(K))	an operator, whose right side is
 *				first
 *
 * They send [K, .], [K] and [K, ., true] through `debug`, see trail.h. An index
 * that is computed is also told by _jq_right.
 */
#ifndef SPOT_H
#define SPOT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"
#include "language/source.h"

struct spot {
	const struct source_file *file;
	int token; /* what may fail: a field, a bracket, a name, an operator */
};

/* The number of the first token of a file. */
long spot_first(int file);
bool spot_find(const struct source *s, long number, struct spot *spot);
long spot_number(const struct source *s, const struct spot *spot);

/* Appends the definitions of the calls; returns their number of lines. */
int spot_define(struct buf *text);

const char *spot_file(const struct spot *spot); /* without folders */
int spot_line(const struct spot *spot);
/* The definition around it; empty: none. */
struct span spot_definition(const struct spot *spot);
/* Whether it is an operator with two sides: then the operator, or empty. */
struct span spot_operator(const struct spot *spot);

/* The access whose result is the input of this spot, as far as the text alone
 * tells. */
bool spot_before(const struct spot *spot, struct spot *before);
/* The key in the text of an access: .a ."a" .["a"], or an index. */
enum spot_key { SPOT_KEY_UNKNOWN, SPOT_KEY_NAME, SPOT_KEY_INDEX };
enum spot_key spot_key(const struct spot *spot, struct span *key);

#endif
