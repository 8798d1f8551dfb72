/*
 * zones: the time zones of this machine, in memory, because the processes that
 * run programs cannot open files.
 *
 * The zones are read from the folder in TZDIR, or from /usr/share/zoneinfo (the
 * package tzdata of most distributions): some 600 files, 1 MB. So they are read
 * only if a program calls a function with a time zone.
 */
#ifndef ZONES_H
#define ZONES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "value/zone.h"

struct zones {
	char *dir; /* owned; NULL: the default */
	bool loaded;
	struct named_zone {
		char *name;   /* owned */
		size_t at, n; /* in bytes */
	} * items;	      /* owned, by name */
	size_t count;
	struct buf bytes;
};

/* Keeps the value of TZDIR. Call it before the environment is cleared. */
void zones_init(void);

/* Reads all zones, once. Files that cannot be read are left out. */
void zones_load(void);
/* Frees the zones; zones_load() reads them again. */
void zones_free(void);

/* Finds "Europe/Berlin"; "UTC" needs no file. -1: err says why, for users. */
int zones_find(struct span name, struct zone *z, struct err *err);

#endif
