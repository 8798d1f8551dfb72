/*
 * randomtext: the native function random of programs: texts that look random to
 * everybody without the key, and are always the same for one seed.
 *
 * A character is one of 62, from a byte of HMAC-SHA256(key, "N:SEED"), N = 0,
 * 1, ...; bytes of 248 and more are skipped, so that all are equally likely.
 * This never changes: it would change the passwords in every cluster.
 */
#ifndef RANDOMTEXT_H
#define RANDOMTEXT_H

#include <jv.h>

#include "program/arguments.h"

enum { RANDOMTEXT_LONGEST = 1024 };

/* From now on: the key of the next calls. Copied. */
void randomtext_use(const struct random_key *key);

/* x: [SEED, LENGTH], consumed; the text, or jv_invalid() with a message. */
jv randomtext_call(jv x);

#endif
