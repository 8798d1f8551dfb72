/*
 * reads: finds the members of its input that a program reads, by the text
 * alone; so a wrong name is found before any object has to show it.
 *
 * Only certain reads are found: where `.` is the input that ireconcile gives to
 * an entry point (`desired`, `status` ...). A function of the program counts if
 * each of its calls stands where `.` is that input (language/flow.h).
 *
 * Reads are accesses by name (.primary.metadata, .["primary"]), elements
 * (.owned.Secret[]), {primary}, and those of variables that such a term is
 * bound to once in a definition: `. as $in`, `.primary as {metadata: $m}`.
 */
#ifndef READS_H
#define READS_H

#include "language/source.h"

/* The shape of the value that has the member. */
enum reads_shape {
	READS_ANY, /* nothing is known of it */
	READS_INPUT,
	READS_OWNED, /* has members by kind */
	READS_RELATED,
	READS_OPERATOR,
	READS_OBJECTS,
	READS_OBJECT, /* an object of the API */
	READS_METADATA
};

struct reads_member {
	enum reads_shape of;
	struct span name;
	int line;
	/* The program says what happens without it: `?` or `//` follows, or
	 * it is in a pattern. */
	bool optional;
};

/* If the result is not 0, reads_walk ends and returns it. */
typedef int reads_visit(void *arg, const struct reads_member *r);

/* The functions that ireconcile calls. */
struct reads_entries {
	const char *const *names;
	int count;
};

/* Visits each read of the program's own file, in the order of the text. input:
 * the shape of `.` */
int reads_walk(const struct source *s, const struct reads_entries *entries,
    enum reads_shape input, reads_visit *visit, void *arg);

/* The next function without parameters of that file, from definition *at on,
 * that is called nowhere and is not an entry point; or NULL. */
const struct jqparse_def *reads_uncalled(
    const struct source *s, const struct reads_entries *entries, int *at);

#endif
