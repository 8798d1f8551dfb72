/*
 * zones: the time zones of this machine, in memory, because the processes that
 * run programs cannot open files.
 *
 * They are read from the folder in TZDIR, or from /usr/share/zoneinfo (the
 * package tzdata of most distributions): some 600 files, 1 MB. So only a
 * program that calls a function with a time zone has them read.
 */
#ifndef ZONES_H
#define ZONES_H

#include <stddef.h>

#include "base/err.h"
#include "base/span.h"
#include "value/zone.h"

/* Keeps the value of TZDIR. Call it before the environment is cleared. */
void zones_init(void);

/* Reads all zones, once. What cannot be read is left out. */
void zones_load(void);
/* Frees them; zones_load() reads them again. */
void zones_free(void);

/* "Europe/Berlin"; "UTC" needs no file. -1: err says why, for users. */
int zones_find(struct span name, struct zone *z, struct err *err);

#endif
