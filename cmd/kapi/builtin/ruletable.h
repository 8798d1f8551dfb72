/*
 * ruletable: rules and defaults of built-in kinds that are lists, as text:
 * rules.txt, whose head says how a line is read. A section is parsed when it is
 * first asked for, and kept for the life of the process. What a line cannot say
 * is a function in C, which a line names.
 */
#ifndef RULETABLE_H
#define RULETABLE_H

#include <stdbool.h>

#include "builtin/rules.h"
#include "type/strategy.h"

/* A value, where it is, and what holds it. */
struct rule_place {
	const struct rule_place *outer; /* NULL: it is the object */
	const struct at *at;		/* NULL at the top */
	struct node *n;			/* NULL: absent */
	struct node *was;		/* in the object that is replaced */
	size_t index;			/* place in its list, if an item */
};

/* Made by a run as it goes on. */
struct rule_state {
	struct rule_index *indexes; /* for each long list one */
	struct node *kept;	    /* the object before its allowed changes */
};

/* A run of rules over an object. */
struct rule_run {
	struct arena *arena;
	struct rule_state *state;
	struct causes *causes;	   /* NULL: defaults */
	const struct change_of *x; /* NULL: defaults */
	const char *arg; /* argument of the section's call; never NULL */
};

/* A function that a line of rules.txt calls. */
typedef void rule_fn(const struct rule_run *run, const struct rule_place *p);

/* Each runs the section "GROUP/PLURAL" with the suffix behind it, if there is
 * one: "" or " status"; " defaults" or " bookmark"; " prepare" or " status
 * prepare". */
void ruletable_check(struct causes *c, const struct change_of *x,
    const char *suffix, const struct node *object);
void ruletable_default(struct arena *a, struct span group, struct span plural,
    const char *suffix, struct node *object);
void ruletable_prepare(
    const struct change_of *x, const char *suffix, struct node *object);
/* Runs the section of that name on a part of an object. x may be NULL. */
void ruletable_part(struct causes *c, const struct change_of *x,
    const struct at *at, const struct node *n, const char *section,
    const char *arg);
/* Runs a section (NULL: none) at a place. arg NULL: that of the run. */
struct rule_section;
void ruletable_run(const struct rule_run *run, const struct rule_section *s,
    const char *arg, const struct rule_place *p);

#endif
