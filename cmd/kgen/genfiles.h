/*
 * genfiles: the files that a generator made, on standard output or on disk.
 *
 * A file that kgen writes says so in its first line (behind #!), with a digest
 * of the rest: so a file that a person changed is known, and one that a person
 * wrote. Such a file is not replaced without --force. JSON and plain text have
 * no such line, nor have files that are a person's to change (scaffold): one
 * that is there and differs counts as changed.
 */
#ifndef GENFILES_H
#define GENFILES_H

#include <stdbool.h>
#include <jv.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

enum { GENFILES_MAX_MIB = 64 }; /* the largest file that is read */

enum genfiles_mode { GENFILES_WRITE, GENFILES_CHECK, GENFILES_DIFF };

struct genfiles_target {
	const char *command; /* for the first line; borrowed, as is out */
	/* A folder; or the file, if there is one and the endings agree. */
	const char *out;
	enum genfiles_mode mode;
	bool force;
	bool whole; /* the files are all that out has of the command */
};

/* The files as text for people and kubectl, YAML documents of several files in a
 * row. Their paths, too, are checked: scripts split the text by them. */
int genfiles_print(jv files_peek, struct buf *out, struct err *err);

/*
 * Writes those that differ, all or none, and removes those that are generated
 * no more; or says which do. 0; 1: there are
 * differences, or files of a person in the way, said in the log (and shown on
 * standard output); -1 with err.
 */
int genfiles_apply(
    jv files_peek, const struct genfiles_target *target, struct err *err);

/* A path of a generator leads out of no folder, and is one line: -1 with
 * err. */
int genfiles_check_path(struct span path, struct err *err);

/* The text with the line that says who made it. */
void genfiles_mark(
    struct buf *out, const char *command, struct span path, struct span text);
/* Whether nobody has changed the text since kgen marked it. */
bool genfiles_is_own(struct span text);

#endif
