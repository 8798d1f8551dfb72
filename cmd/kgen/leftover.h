/*
 * leftover: files below a folder that a generator made, and makes no more. Only
 * those whose first line says so are known.
 */
#ifndef LEFTOVER_H
#define LEFTOVER_H

#include "base/textlist.h"

struct leftover_search {
	const char *command; /* the generator's; all are borrowed */
	const char *first;   /* a path below the folder that it makes */
	const struct textlist *known; /* the paths that it makes */
};

/*
 * Adds their paths to found, sorted; folders below are searched so deep. A
 * folder that has a file called first is another output of the generator; it is
 * left alone, as are hidden files and what links name.
 */
void leftover_find(const char *folder, const struct leftover_search *search,
    int depth, struct textlist *found);

#endif
