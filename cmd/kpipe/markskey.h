/*
 * markskey: a descriptor of the key of marks (doc/protocol.md, Marks), if kpipe has it.
 */
#ifndef MARKSKEY_H
#define MARKSKEY_H

#include "base/err.h"

/* A random key in memory, sealed: no stage can change it for another. -1 with
 * err. */
int markskey_make(struct err *err);
/* That of --marks-key-file. -1 with err. */
int markskey_open(const char *path, struct err *err);

#endif
