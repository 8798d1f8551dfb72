/*
 * librarydirs: where included files are looked for.
 */
#ifndef LIBRARYDIRS_H
#define LIBRARYDIRS_H

#include "base/textlist.h"
#include "process/opt.h"

/* The places of the library: as given; beside the source tree's bin;
 * installed. dirs is initialised here, and the caller's. */
void librarydirs_find(struct textlist *dirs, const struct opt_list *given);

#endif
