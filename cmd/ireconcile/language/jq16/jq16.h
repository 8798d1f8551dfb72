/*
 * jq16: the changes of a program that libjq 1.6 alone needs, and their
 * definitions. README says how to remove them.
 */
#ifndef JQ16_H
#define JQ16_H

#include "base/span.h"
#include "language/jqparse.h"
#include "libjq/jqlex.h"

/* The error for a variable of this name, with one %.*s; says if that is an
 * error already, NULL if neither is. A keyword cannot name one. */
const char *jq16_variable(struct span name, const char *says);

/* Changes a node that has been changed for all versions:
 *
 *	- `if` without `else` gets one
 *	- a.["b"] loses its dot
 *	- {if} gets quotes, {$x: 1} brackets
 */
void jq16_rewrite(
    struct jqparse *parse, const struct jqlex *lex, const struct jqnode *n);

/* A bound of a slice goes through _jq_bound; n is an index or a slice. */
void jq16_bound(
    struct jqparse *parse, const struct jqnode *n, const struct jqnode *bound);

/*
 * Changes what a `try` or `?` tries: try (E | _jq_end) catch ...
 *
 * In libjq 1.6 a try also catches errors behind it. _jq_end, which is behind E,
 * marks such an error, and _jq_pass lets it pass, unmarked. So E stays lazy, and
 * both work in paths.
 */
void jq16_try(struct jqparse *parse, int from, int to);

/* ---- definitions, and parts of definitions, in language/prelude.c ---- */

#define JQ16_END "def _jq_end: try . catch error({\"\\u0000later\": .});"
/* In _jq_pass. */
#define JQ16_LATER " elif has(\"\\u0000later\") then error(.[\"\\u0000later\"])"

/* 1.6 ends at .[nan:1]. */
#define JQ16_BOUND       \
	"def _jq_bound:" \
	" if type == \"number\" and isnan then null else . end;"
/* In _jq_path, around _jq_index. */
#define JQ16_SLICE "if type == \"object\" then map_values(_jq_bound) else "
#define JQ16_SLICE_END " end"

/* `|=`: 1.6 skips elements after one that the update leaves empty. */
#define JQ16_MODIFY                                            \
	"def _modify(f; update):"                              \
	" reduce path(f) as $p ([., []]; . as [$value, $gone]" \
	" | [$value | getpath($p) | first(update)] as $new"    \
	" | if $new == [] then [$value, $gone + [$p]]"         \
	" else [($value | setpath($p; $new[0])), $gone] end)"  \
	" | . as [$value, $gone] | $value | delpaths($gone);"
/* By name, so that _modify is found to be needed. */
#define JQ16_MAP_VALUES "def map_values(f): _modify(.[]; f);"

/* 1.6 does not accept an object. */
#define JQ16_TRANSPOSE                                           \
	"def transpose: [range(0; map(length) | max // 0) as $i" \
	" | [.[][$i]]];"
/* 1.6 leaves out the whole value, whose path is empty. */
#define JQ16_PATHS "def paths(f): path(.. | select(f)) | select(length > 0);"

#endif
