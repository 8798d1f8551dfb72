/*
 * spot: a place in the text of a program where it may fail, as a number.
 *
 * jq's errors have no line. So when an evaluation has failed, it is done once
 * more with a text that tells the place (source_trace): in front of each part
 * that may fail stands a call that gives its input unchanged, also in paths:
 *
 *	(_jq_at(K)).a			a field, of `.`
 *	((_jq_at(K)).a|_jq_at(L))[]	the next access, of what is before it
 *	(_jq_at(K)|f((g|_jq_back(K))))	a call
 *	(a|_jq_at(K)) + (b|_jq_right(K))	an operator, whose right side is
 *				first
 *
 * _jq_at sends [K, .] through `debug`, _jq_back sends [K], and _jq_right sends
 * [K, ., true]; see trail.h. An index that is computed goes through _jq_right,
 * too.
 */
#ifndef SPOT_H
#define SPOT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"
#include "language/source.h"

struct spot {
	const struct source_file *file;
	int token; /* a field, a bracket, a name or an operator */
};

/* The number of the first token of a file. */
long spot_first(int file);
bool spot_find(const struct source *s, long number, struct spot *spot);
long spot_number(const struct source *s, const struct spot *spot);

/* Appends the definitions of the calls; returns their number of lines. */
int spot_define(struct buf *text);

const char *spot_file(const struct spot *spot); /* without folders */
int spot_line(const struct spot *spot);
/* The name of the definition around the spot; empty: none. */
struct span spot_definition(const struct spot *spot);
/* The operator at the spot if it has two sides; else empty. */
struct span spot_operator(const struct spot *spot);

/* *before gets the access whose result is the input of this spot. False if the
 * text alone does not tell it. */
bool spot_before(const struct spot *spot, struct spot *before);
/* The key in the text of an access: .a ."a" .["a"], or an index. */
enum spot_key { SPOT_KEY_UNKNOWN, SPOT_KEY_NAME, SPOT_KEY_INDEX };
enum spot_key spot_key(const struct spot *spot, struct span *key);

#endif
