/*
 * hash: of texts, for tables. Keyed by what the kernel's random numbers give
 * once per process: an attacker who chooses the texts cannot choose ones that
 * collide in a table, and what comes out differs from run to run. It is not to
 * be written anywhere, and no order may depend on it.
 */
#ifndef HASH_H
#define HASH_H

#include <stdint.h>

#include "base/span.h"

/* SipHash-1-3 (Aumasson, Bernstein: "SipHash: a fast short-input PRF"). */
uint64_t hash_text(struct span text);

/* The same with a key of the caller's, and with r rounds for each word and f
 * at the end; the paper's own test values are for 2 and 4. */
uint64_t hash_keyed(struct span text, const uint64_t key[2], int r, int f);

#endif
