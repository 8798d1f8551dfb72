#include "base/hash.h"

#include <stdbool.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

struct hash_state {
	uint64_t a, b, c, d;
};

static inline uint64_t
turn(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static inline void
mix(struct hash_state *s, int rounds)
{
	while (rounds-- > 0) {
		s->a += s->b;
		s->b = turn(s->b, 13) ^ s->a;
		s->a = turn(s->a, 32);
		s->c += s->d;
		s->d = turn(s->d, 16) ^ s->c;
		s->a += s->d;
		s->d = turn(s->d, 21) ^ s->a;
		s->c += s->b;
		s->b = turn(s->b, 17) ^ s->c;
		s->c = turn(s->c, 32);
	}
}

static inline void
word(struct hash_state *s, uint64_t w, int rounds)
{
	s->d ^= w;
	mix(s, rounds);
	s->a ^= w;
}

/* Inline, because the callers pass constant numbers of rounds. */
static inline uint64_t
sip(struct span text, const uint64_t key[2], int r, int f)
{
	struct hash_state s = {key[0] ^ 0x736f6d6570736575u,
	    key[1] ^ 0x646f72616e646f6du, key[0] ^ 0x6c7967656e657261u,
	    key[1] ^ 0x7465646279746573u};
	uint64_t w;
	size_t i = 0;

	for (; i + 8 <= text.n; i += 8) {
		memcpy(&w, text.p + i, 8);
		word(&s, w, r);
	}
	w = 0;
	if (i < text.n)
		memcpy(&w, text.p + i, text.n - i);
	word(&s, w | (uint64_t)text.n << 56, r);
	s.c ^= 0xff;
	mix(&s, f);
	return s.a ^ s.b ^ s.c ^ s.d;
}

uint64_t
hash_keyed(struct span text, const uint64_t key[2], int r, int f)
{
	return sip(text, key, r, f);
}

static uint64_t key_of_texts[2];
static bool known;

void
hash_forget(void)
{
	known = false;
}

uint64_t
hash_text(struct span text)
{
	uint64_t *key = key_of_texts;

	/* Does not wait for random numbers on a machine that has just started:
	 * a key that can be guessed is better than none. */
	if (!known &&
	    getrandom(key, sizeof(key_of_texts), GRND_NONBLOCK) !=
		sizeof(key_of_texts)) {
		struct timespec now;

		clock_gettime(CLOCK_REALTIME, &now);
		key[0] = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec;
		key[1] = (uintptr_t)&now;
	}
	known = true;
	return sip(text, key, 1, 3);
}
