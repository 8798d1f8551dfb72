#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/map.h"
#include "tap.h"

enum { KEYS = 3000, KEY = 16 };

/* The paper's: the key 0, 1, ... 15, the texts of 0 to 15 such bytes. */
static void
known_values(void)
{
	static const uint64_t key[2] = {
	    0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
	char text[15];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)i;
	ok(hash_keyed(span_make(text, 0), key, 2, 4) == 0x726fdb47dd0e0e31u,
	    "SipHash-2-4 of nothing");
	ok(hash_keyed(span_make(text, 8), key, 2, 4) == 0x93f5f5799a932462u,
	    "... of one word");
	ok(hash_keyed(span_make(text, 15), key, 2, 4) == 0xa129ca6149be45e5u,
	    "... of the paper's example");
	ok(hash_keyed(span_make(text, 0), key, 1, 3) == 0xabac0158050fc4dcu,
	    "SipHash-1-3 of nothing");
}

/* Texts that a multiplying hash without a key puts into one place: the second
 * word undoes the effect of the first. */
static void
collide(char keys[KEYS][KEY])
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	uint64_t seed = 88172645463325252u;

	for (size_t n = 0; n < KEYS; n++) {
		uint64_t w, h = 0x9e3779b97f4a7c15u ^ KEY;

		for (int i = 0; i < 8; i++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			keys[n][i] = letters[seed % 36];
		}
		memcpy(&w, keys[n], 8);
		h = (h ^ w) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
		h ^= 0x6d6c6b6a69686766u;
		memcpy(keys[n] + 8, &h, 8);
	}
}

/* The sum of the distances of entries from their places. */
static size_t
displaced(const struct map *m)
{
	size_t sum = 0;

	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].value != NULL)
			sum += (i - m->slots[i].hash) & (m->cap - 1);
	return sum;
}

static void
chosen_keys(void)
{
	static char keys[KEYS][KEY];
	struct map m = MAP_INIT;
	size_t sum;

	collide(keys);
	for (size_t i = 0; i < KEYS; i++)
		map_put(&m, span_make(keys[i], KEY), keys[i]);
	sum = displaced(&m);
	/* By chance it is about one each; if all collide, KEYS / 2 each. */
	if (!ok(m.count == KEYS && sum < 8 * KEYS,
		"chosen keys do not meet in one place"))
		printf("# %u keys, %zu steps\n", m.count, sum);
	map_release(&m);
}

static void
another_process(void)
{
	uint64_t theirs = 0;
	int fds[2];
	pid_t child;

	if (pipe(fds) != 0 || (child = fork()) < 0)
		return;
	if (child == 0) {
		theirs = hash_text(span_str("x"));
		_exit(write(fds[1], &theirs, sizeof(theirs)) < 0);
	}
	ok(read(fds[0], &theirs, sizeof(theirs)) == sizeof(theirs) &&
		hash_text(span_str("x")) != theirs,
	    "another process hashes otherwise");
	ok(hash_text(span_str("x")) == hash_text(span_str("x")),
	    "... and one always the same");
	waitpid(child, NULL, 0);
}

static void
forgotten(void)
{
	uint64_t before = hash_text(span_str("x"));

	hash_forget();
	ok(hash_text(span_str("x")) != before,
	    "a key that is forgotten is new");
}

TEST(hash)
{
	known_values();
	another_process();
	forgotten();
	chosen_keys();
}
