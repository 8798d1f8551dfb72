/*
 * newfolder: the folder of a new operator, and one more kind in a folder.
 */
#ifndef NEWFOLDER_H
#define NEWFOLDER_H

#include <jv.h>

#include "base/err.h"

/* Makes the folder with these files; one that is there is an error. After an
 * error there is nothing. */
int newfolder_create(jv files_peek, const char *path, struct err *err);

/*
 * Adds files to the folder. A file with `append` keeps what it has, and gets
 * the text at its end: documents of a stream, entries of watches.yaml; any
 * other must not be there. All or none. 1: watches.yaml is not written so that
 * something can be added at its end, which is logged; then standard output has
 * everything that would have been added.
 */
int newfolder_add(jv files_peek, const char *path, struct err *err);

#endif
