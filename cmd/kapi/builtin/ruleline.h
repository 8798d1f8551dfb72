/*
 * ruleline: lines of rules.txt, parsed. The head of rules.txt has their format.
 */
#ifndef RULELINE_H
#define RULELINE_H

#include "builtin/ruletable.h"

enum rule_step_kind {
	STEP_KEY,      /* key */
	STEP_NAMED,    /* [key]: a member, shown as the key of a map */
	STEP_ITEMS,    /* [] */
	STEP_MEMBERS,  /* {} */
	STEP_FIRST,    /* [0] */
	STEP_CONDITION /* [key=status]: the type of the condition, if it is so */
};

struct rule_step {
	enum rule_step_kind kind;
	bool make; /* an object, if it is absent */
	const char *key;
	const char *status;
};

struct rule_path {
	bool root, live; /* / and ~ in front */
	unsigned up;	 /* how many ^ are in front */
	struct rule_step *steps;
	size_t n;
};

enum rule_term_kind {
	TERM_OR,
	TERM_UPDATE,
	TERM_NAMESPACED,
	TERM_ARG,
	TERM_FILLED,
	TERM_GIVEN,
	TERM_IS,
	TERM_STARTS,
	TERM_ENDS,
	TERM_HAS,
	TERM_COUNT,
	TERM_AMOUNT,
	TERM_QUANTITY,
	TERM_SOURCES,
	TERM_CHANGED,
	TERM_DIFFERS,
	TERM_SAME,
	TERM_NEW,
	TERM_INT,
	TERM_OBJECT,
	TERM_NEGATIVE,
	TERM_ADDRESS,
	TERM_LATEST
};

struct rule_term {
	enum rule_term_kind kind;
	bool not ;
	struct rule_path path;
	struct span *values;	 /* the value is in this list */
	struct rule_path *paths; /* below path */
	size_t n;		 /* number of values, or of paths */
	char compare[3];	 /* the operator; other side: number or other */
	int64_t number;
	struct rule_path other;
	bool has_other;
};

struct rule;

/* The function of a word. p: the place that the line checks, with the value that an
 * error shows; base: where the line's path begins. */
typedef void rule_op_fn(const struct rule_run *run, const struct rule *r,
    const struct rule_place *p, const struct rule_place *base);

struct rule_op {
	const char *word;
	rule_op_fn *run;
	bool takes_path; /* the argument is a path */
};

enum rule_when { WHEN_ALWAYS, WHEN_GIVEN, WHEN_FILLED };
enum rule_kind { RULE_LINE, RULE_IF, RULE_ELIF, RULE_ELSE };

struct rule {
	enum rule_kind kind;
	struct rule_path path;
	enum rule_when when;
	const struct rule_op *op; /* NULL: only the lines inside */
	struct span *args;
	size_t arg_count;
	const char *detail;	/* "" if there is none */
	struct node *value;	/* the default */
	struct rule_path other; /* the first argument, if it is a path */
	rule_fn *fn;
	struct rule_section *section; /* the one that "do" runs */
	struct rule_path shown;	      /* the error shows its value instead */
	bool has_shown;
	const char *top;   /* the field that the error names, or NULL */
	unsigned named_up; /* how far up the place is that it names */
	struct rule_term *terms;
	size_t term_count;
	struct rule *inner;
	size_t inner_count;
};

struct rule_section {
	struct span text;
	bool parsed;
	struct rule *rules;
	size_t n;
};

/* NULL if there is none. */
const struct rule_section *ruleline_section(struct span name);
/* Parses s if it is not parsed yet, and returns it; NULL if s is NULL. */
const struct rule_section *ruleline_parsed(struct rule_section *s);
/* Parses all sections, for a test: a line that cannot be read ends the process.
 * Returns how many there are. */
size_t ruleline_parse_all(void);
/* In the arena. */
struct rule_path ruleline_path(struct arena *a, struct span text);

/* ---- rulecondition.c ---- */

/* A condition, in the arena. */
struct rule_term rulecondition_parse(struct arena *a, struct span text);
/* Whether all terms hold, or all of one side of an "or". */
bool rulecondition_holds(const struct rule_run *run, const struct rule *r,
    const struct rule_place *p);
/* The place where a path starts, and the value that it leads to from p. */
const struct rule_place *rulecondition_start(
    const struct rule_path *path, const struct rule_place *p);
struct node *rulecondition_value(
    const struct rule_path *path, const struct rule_place *p);
/* Whether a text, true or false is one of the values. */
bool rulecondition_is_any(
    const struct node *n, const struct span *values, size_t count);

/* The word of a line, in ruleops.c; NULL: there is no such word. */
const struct rule_op *ruleline_op(struct span word);

#endif
