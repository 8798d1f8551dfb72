/*
 * certain: where in a program `.` is certainly what ireconcile gives to an
 * entry point (`desired`, `status` ...), by the text alone. So a wrong name is
 * found before any object has to show it.
 *
 * Behind a pipe, in an update, in a local function or in an argument that the
 * called function evaluates elsewhere, nothing is certain. A function of the
 * program counts if each of its calls stands where `.` is certain.
 */
#ifndef CERTAIN_H
#define CERTAIN_H

#include <stdbool.h>

#include "base/span.h"
#include "language/source.h"

struct certain {
	const struct source *source;	/* borrowed, as long as this is used */
	const struct source_file *file; /* the program's own */
	const char *const *entries;	/* borrowed */
	int entry_count;
	bool *functions; /* owned; by file->parse.defs */
};

void certain_init(struct certain *c, const struct source *s,
    const char *const *entries, int entry_count);
void certain_release(struct certain *c);

/* `.` at this token of definition number `def` of the file is the input. (Of an
 * expression: its object.) */
enum { CERTAIN_EXPRESSION = -1 };
bool certain_at(const struct certain *c, int def, int token);

/* The next function without parameters, from definition *at on, that is called
 * nowhere and is not an entry point. */
bool certain_uncalled(
    const struct certain *c, int *at, struct span *name, int *line);

#endif
