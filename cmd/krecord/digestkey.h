/*
 * digestkey: the key of the digests in a recording, DIR/digests.key: 32 random
 * bytes, for its owner alone. It stays with the directory, so that equal values
 * have equal digests in all of its segments, whichever process wrote them;
 * no segment has it, and no output of krecord.
 *
 * With the key, values that are easy to guess can be found from their digests:
 * a copy of a recording for others is made of the segments, or by krecord cat.
 */
#ifndef DIGESTKEY_H
#define DIGESTKEY_H

#include "base/err.h"
#include "record/redact.h"

/* Reads it, or makes it, and the directory. -1 with err; permanent only if dir is
 * not a directory. */
int digestkey_get(
    const char *dir, unsigned char key[REDACT_KEY_SIZE], struct err *err);

#endif
