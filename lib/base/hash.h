/*
 * hash: of texts, for tables. The key is random, chosen once per process: an
 * attacker who chooses the texts cannot make them collide in a table. Hashes
 * differ from run to run, so they must not be written anywhere, and no order
 * may depend on them.
 */
#ifndef HASH_H
#define HASH_H

#include <stdint.h>

#include "base/span.h"

/* SipHash-1-3 (Aumasson, Bernstein: "SipHash: a fast short-input PRF"). */
uint64_t hash_text(struct span text);

/* For a forked child that has no table yet: its key is chosen again. */
void hash_forget(void);

/* hash_text with the caller's key, r rounds for each word and f at the end. The
 * paper's own test values are for r = 2 and f = 4. */
uint64_t hash_keyed(struct span text, const uint64_t key[2], int r, int f);

/* Mixes the bits of a number: the end of SplitMix64 (Steele, Lea, Flood: "Fast
 * splittable pseudorandom number generators"). The same in every run: for
 * sequences that a seed repeats, never for tables of strangers' texts. */
static inline uint64_t
hash_mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

#endif
