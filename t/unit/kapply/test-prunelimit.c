#include "set/prunelimit.h"

#include "tap.h"

/* Whether one deletion for each of n primaries (from, from + 1, ...) passes. */
static bool
many(struct prunelimit *b, char from, int n, uint64_t now_ms)
{
	char key[] = "x";

	for (int i = 0; i < n; i++) {
		key[0] = (char)(from + i);
		if (prunelimit_pass(b, key, now_ms) != PRUNELIMIT_OFF)
			return false;
	}
	return true;
}

/* Deletions of many primaries: all are held back. */
static void
test_all(void)
{
	struct prunelimit b;

	prunelimit_init(&b, 3);
	ok(many(&b, 'a', 3, 1000), "three in a minute");
	ok(prunelimit_pass(&b, "d", 999 + PRUNELIMIT_MS) == PRUNELIMIT_ALL,
	    "not the fourth");
	ok(prunelimit_is_on(&b, "d", 999 + PRUNELIMIT_MS) == PRUNELIMIT_OFF,
	    "... which is on only if one is held back");
	ok(prunelimit_pass(&b, "d", 1000 + PRUNELIMIT_MS) == PRUNELIMIT_OFF,
	    "... before the first is old");
	ok(many(&b, 'e', 2, 1000 + PRUNELIMIT_MS), "... and two more");
	ok(prunelimit_pass(&b, "g", 1000 + PRUNELIMIT_MS) == PRUNELIMIT_ALL,
	    "... not three");
	ok(prunelimit_hold(&b, "g", PRUNELIMIT_ALL),
	    "the first held back says so");
	ok(!prunelimit_hold(&b, "h", PRUNELIMIT_ALL), "... the next does not");
	ok(prunelimit_pass(&b, "x", 100 * PRUNELIMIT_MS) == PRUNELIMIT_ALL,
	    "nothing passes for any primary, however late");
	ok(!prunelimit_let_go(&b, "h", PRUNELIMIT_ALL),
	    "one is not asked for any more");
	ok(prunelimit_pass(&b, "x", 100 * PRUNELIMIT_MS) == PRUNELIMIT_ALL,
	    "... all stay");
	ok(prunelimit_let_go(&b, "g", PRUNELIMIT_ALL), "the other: released");
	ok(prunelimit_pass(&b, "x", 100 * PRUNELIMIT_MS) == PRUNELIMIT_OFF,
	    "... they go on");
	prunelimit_release(&b);
}

/* Deletions of one primary: only they are held back. */
static void
test_one(void)
{
	struct prunelimit b;
	int passed = 0;

	prunelimit_init(&b, 4);
	ok(many(&b, 'a', 2, 1000), "two of others");
	while (passed < 9 && prunelimit_pass(&b, "p", 1000) == PRUNELIMIT_OFF)
		passed++;
	ok(passed == 2, "half of the limit by one, and no more");
	ok(prunelimit_hold(&b, "p", PRUNELIMIT_PRIMARY),
	    "the first held back says so");
	ok(!prunelimit_hold(&b, "p", PRUNELIMIT_PRIMARY),
	    "... the next does not");
	ok(b.held == 2, "... two are held back");
	ok(many(&b, 'c', 2, 1000), "others go on, as if it had made none");
	ok(prunelimit_pass(&b, "e", 1000) == PRUNELIMIT_ALL,
	    "... to the limit");
	ok(prunelimit_is_on(&b, "p", 100 * PRUNELIMIT_MS) == PRUNELIMIT_PRIMARY,
	    "it is held however late");
	ok(!prunelimit_let_go(&b, "p", PRUNELIMIT_PRIMARY),
	    "one of its two goes");
	ok(prunelimit_let_go(&b, "p", PRUNELIMIT_PRIMARY),
	    "... the other: released");
	ok(prunelimit_is_on(&b, "p", 999 + PRUNELIMIT_MS) == PRUNELIMIT_PRIMARY,
	    "... but not within the minute");
	ok(prunelimit_pass(&b, "p", 1000 + PRUNELIMIT_MS) == PRUNELIMIT_OFF,
	    "... after it");
	prunelimit_release(&b);

	prunelimit_init(&b, 100);
	for (passed = 0; passed < 200; passed++)
		if (prunelimit_pass(&b, "p", 5) != PRUNELIMIT_OFF)
			break;
	ok(passed == 100, "alone, it has all of the limit");
	ok(prunelimit_pass(&b, "p", 5) == PRUNELIMIT_PRIMARY,
	    "... and no more");
	ok(prunelimit_pass(&b, "q", 5) == PRUNELIMIT_OFF,
	    "... no other primary is held up");
	prunelimit_release(&b);
}

int
main(void)
{
	struct prunelimit b;
	int passed = 0;

	test_all();
	test_one();
	prunelimit_init(&b, 0);
	for (int i = 0; i < 1000; i++)
		passed += prunelimit_pass(&b, "p", 5) == PRUNELIMIT_OFF;
	ok(passed == 1000, "0: no limit");
	prunelimit_release(&b);
	return tap_done();
}
