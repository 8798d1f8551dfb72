/*
 * opt: one table per tool drives getopt_long, --help and --version.
 *
 *	static struct opts { bool all; const char *file; } o;
 *	static const struct opt table[] = {
 *		{'f', "filename", "WATCHES", OPT_STRING, &o.file, NULL,
 *		    "what to watch"},
 *		{0, "all", NULL, OPT_FLAG, &o.all, NULL, "print whole sets"},
 *		OPT_END};
 *
 * A row that includes another table (the options common to the tools that
 * talk to the API) has type OPT_TABLE and value = that table.
 * --help and --version are in every tool and not in the tables.
 */
#ifndef OPT_H
#define OPT_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

enum opt_type {
	OPT_NONE,     /* the end */
	OPT_FLAG,     /* bool */
	OPT_STRING,   /* const char *, borrowed from argv */
	OPT_LIST,     /* struct opt_list: may be given several times */
	OPT_INT,      /* long, >= 0 */
	OPT_DURATION, /* uint64_t milliseconds: 60s, 1h30m */
	OPT_CHOICE,   /* int: index into choices */
	OPT_TABLE     /* const struct opt *: its rows belong here too */
};

struct opt_list {
	const char **items; /* array owned, strings borrowed */
	size_t count;
};

struct opt {
	char short_name; /* 0: none */
	const char *name;
	const char *arg; /* what --help calls the argument; NULL: none */
	enum opt_type type;
	void *value;
	const char *const *choices; /* NULL-terminated, for OPT_CHOICE */
	const char *help;	    /* one line */
};

#define OPT_END                                           \
	{                                                 \
		0, NULL, NULL, OPT_NONE, NULL, NULL, NULL \
	}

struct opt_tool {
	const char *name;
	const char *synopsis; /* "[-f WATCHES] [RESOURCE]..." */
	const char *summary;  /* one line */
	const struct opt *table;
};

/* What main does next. */
enum opt_result { OPT_RUN, OPT_EXIT_0, OPT_BAD };

/*
 * Parses argv (options and operands may be mixed; "--" ends the options).
 * OPT_RUN: *first is the index of the first operand. OPT_EXIT_0: --help or
 * --version was printed. OPT_BAD: err names the option; exit 100.
 */
enum opt_result opt_parse(const struct opt_tool *tool, int argc, char **argv,
    int *first, struct err *err);

#endif
