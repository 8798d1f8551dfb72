#include "text/random.h"

#include <stdbool.h>
#include <string.h>
#include <sys/random.h>

#include "base/hash.h"
#include "process/clock.h"

static struct {
	bool seeded;
	uint64_t seed, state[RANDOM_STREAMS];
} generator;

void
random_seed(uint64_t seed)
{
	generator.seeded = true;
	generator.seed = seed;
	for (size_t i = 0; i < RANDOM_STREAMS; i++)
		generator.state[i] = seed ^ (i << 62);
}

uint64_t
random_salt(void)
{
	return generator.seed;
}

/* SplitMix64 (hash_mix). */
static uint64_t
next(uint64_t *state)
{
	return hash_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}

void
random_bytes(enum random_stream s, void *p, size_t n)
{
	unsigned char *at = p;

	while (n > 0) {
		uint64_t z;
		ssize_t got = sizeof z;

		if (generator.seeded) {
			z = next(&generator.state[s]);
			got = n < sizeof z ? (ssize_t)n : got;
			memcpy(at, &z, (size_t)got);
		} else if ((got = getrandom(at, n, 0)) <= 0)
			continue; /* EINTR */
		at += got;
		n -= (size_t)got;
	}
}

uint64_t
random_number(void)
{
	return generator.seeded ? next(&generator.state[RANDOM_ANSWERS])
				: clock_jitter();
}

void
random_uuid(enum random_stream s, char out[RANDOM_UUID + 1])
{
	static const char hex[] = "0123456789abcdef";
	unsigned char b[16];

	random_bytes(s, b, sizeof b);
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	for (size_t i = 0; i < sizeof b; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*out++ = '-';
		*out++ = hex[b[i] >> 4];
		*out++ = hex[b[i] & 15];
	}
	*out = '\0';
}
