/*
 * way: where in a program a value goes, by the text; the inside of looks.h. No
 * other file includes it.
 */
#ifndef WAY_H
#define WAY_H

#include <stdbool.h>

#include "language/looks.h"

enum { KEYS_MAX = 32 };

/* Tokens of a term; to is behind it. */
struct way_term {
	int from, to;
};

/* A value of that name becomes (a part of) one of another. */
struct edge {
	struct span from, to;
};

struct way_search {
	struct looks *looks;
	struct edge *edges; /* owned */
	size_t edge_count;
	/* The file that is looked at. */
	const struct source_file *file;
	const struct jqlex *lex;
};

/* Where a value goes, so far. */
struct way_taken {
	struct span name;  /* of the value */
	struct way_term t; /* what has it now */
	bool bare;	   /* t is the value itself, or a text with it */
	bool piped;	   /* t was read by what is behind a pipe */
	struct span keys[KEYS_MAX];
	size_t key_count;
};

/* Token i is this operator. */
bool way_sign(const struct jqlex *lex, int i, const char *text);
/* The word at i is a function that only hands on what it gets. */
bool way_harmless(const struct way_search *s, int i);
/* From the access at i to both ends of its path: .related.Secret[0].data.k */
struct way_term way_path(const struct jqlex *lex, int i);
/* `( term )`, but not of a call. */
bool way_in_brackets(const struct jqlex *lex, struct way_term t);
/* A term or a part of a pipeline ends before token i. */
bool way_ends(const struct jqlex *lex, int i);
/* Token i is == < ... */
bool way_compares(const struct jqlex *lex, int i);
/* These tokens may look into their input without a name. */
bool way_inspects(const struct way_search *s, int from, int to);
/* Notes that a value has two names. */
void way_lead(struct way_search *s, struct span from, struct span to);
/* Whether the value is only passed on; notes its names. */
bool way_follow(struct way_search *s, struct way_taken *w);

#endif
