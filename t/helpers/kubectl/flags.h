/*
 * flags: the words and options of a call of kubectl, the last of an option
 * counts.
 */
#ifndef FLAGS_H
#define FLAGS_H

#include <stddef.h>

#include "base/textlist.h"

struct flag {
	const char *name; /* "-n", "--all" */
	const char *value;
};

/* All borrowed from argv. */
struct flags {
	const char **args; /* the words that are not options */
	size_t count;
	struct flag *given;
	size_t given_count;
};

/* Ends the process at an option that is not here. */
void flags_parse(struct flags *f, int argc, char **argv);

/* NULL: not given, empty, or a flag that is false. */
const char *flags_get(const struct flags *f, const char *name);
const char *flags_or(
    const struct flags *f, const char *name, const char *otherwise);
/* Each value, one by one: *at begins as 0. NULL: no more. */
const char *flags_next(const struct flags *f, const char *name, size_t *at);
/* Adds all values, those with commas in pieces. */
void flags_list(const struct flags *f, const char *name, struct textlist *list);

/* Says that this kubectl does not have it, also to the test (t/lib.sh), and
 * ends the process with 100. */
_Noreturn void flags_not_here(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

#endif
