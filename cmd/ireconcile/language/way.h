/*
 * way: follows a value through the text of a program; the inside of looks.h. No
 * other file includes this header.
 */
#ifndef WAY_H
#define WAY_H

#include <stdbool.h>

#include "language/looks.h"

enum { KEYS_MAX = 32 };

/* The tokens of a term; to is behind the last. */
struct way_term {
	int from, to;
};

/* A value of the name `from` becomes a value of the name `to`, or a part of
 * one. */
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
	struct span name;  /* name of the value */
	struct way_term t; /* the term that has the value now */
	bool bare;	   /* t is the value itself, or a text with it */
	bool piped;	   /* t was read by what is behind a pipe */
	struct span keys[KEYS_MAX];
	size_t key_count;
};

/* Whether token i is this operator. */
bool way_sign(const struct jqlex *lex, int i, const char *text);
/* Whether the word at i is a function that only passes values on. */
bool way_harmless(const struct way_search *s, int i);
/* The whole path of the access at i: .related.Secret[0].data.k */
struct way_term way_path(const struct jqlex *lex, int i);
/* Whether the term stands in brackets that are not those of a call. */
bool way_in_brackets(const struct jqlex *lex, struct way_term t);
/* Whether a term or a part of a pipeline ends before token i. */
bool way_ends(const struct jqlex *lex, int i);
/* Whether token i compares: == < ... */
bool way_compares(const struct jqlex *lex, int i);
/* Whether these tokens may look into their input without naming a member. */
bool way_inspects(const struct way_search *s, int from, int to);
/* Notes that a value has two names. */
void way_lead(struct way_search *s, struct span from, struct span to);
/* Whether the value is only passed on; notes the names that it gets. */
bool way_follow(struct way_search *s, struct way_taken *w);

#endif
