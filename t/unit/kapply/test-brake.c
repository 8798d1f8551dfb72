#include "set/brake.h"

#include "tap.h"

/* Whether one deletion for each of n primaries (from, from + 1, ...) passes. */
static bool
many(struct brake *b, char from, int n, uint64_t now_ms)
{
	char key[] = "x";

	for (int i = 0; i < n; i++) {
		key[0] = (char)(from + i);
		if (brake_pass(b, key, now_ms) != BRAKE_OFF)
			return false;
	}
	return true;
}

/* Deletions of many primaries: all are held back. */
static void
test_all(void)
{
	struct brake b;

	brake_init(&b, 3);
	ok(many(&b, 'a', 3, 1000), "three in a minute");
	ok(brake_pass(&b, "d", 999 + BRAKE_MS) == BRAKE_ALL, "not the fourth");
	ok(brake_is_on(&b, "d", 999 + BRAKE_MS) == BRAKE_OFF,
	    "... which is on only if one is held back");
	ok(brake_pass(&b, "d", 1000 + BRAKE_MS) == BRAKE_OFF,
	    "... before the first is old");
	ok(many(&b, 'e', 2, 1000 + BRAKE_MS), "... and two more");
	ok(brake_pass(&b, "g", 1000 + BRAKE_MS) == BRAKE_ALL, "... not three");
	ok(brake_hold(&b, "g", BRAKE_ALL), "the first held back says so");
	ok(!brake_hold(&b, "h", BRAKE_ALL), "... the next does not");
	ok(brake_pass(&b, "x", 100 * BRAKE_MS) == BRAKE_ALL,
	    "nothing passes for any primary, however late");
	ok(!brake_let_go(&b, "h", BRAKE_ALL), "one is not asked for any more");
	ok(brake_pass(&b, "x", 100 * BRAKE_MS) == BRAKE_ALL, "... all stay");
	ok(brake_let_go(&b, "g", BRAKE_ALL), "the other: released");
	ok(brake_pass(&b, "x", 100 * BRAKE_MS) == BRAKE_OFF, "... they go on");
	brake_release(&b);
}

/* Deletions of one primary: only they are held back. */
static void
test_one(void)
{
	struct brake b;
	int passed = 0;

	brake_init(&b, 4);
	ok(many(&b, 'a', 2, 1000), "two of others");
	while (passed < 9 && brake_pass(&b, "p", 1000) == BRAKE_OFF)
		passed++;
	ok(passed == 2, "half of the limit by one, and no more");
	ok(brake_hold(&b, "p", BRAKE_PRIMARY), "the first held back says so");
	ok(!brake_hold(&b, "p", BRAKE_PRIMARY), "... the next does not");
	ok(b.held == 2, "... two are held back");
	ok(many(&b, 'c', 2, 1000), "others go on, as if it had made none");
	ok(brake_pass(&b, "e", 1000) == BRAKE_ALL, "... to the limit");
	ok(brake_is_on(&b, "p", 100 * BRAKE_MS) == BRAKE_PRIMARY,
	    "it is held however late");
	ok(!brake_let_go(&b, "p", BRAKE_PRIMARY), "one of its two goes");
	ok(brake_let_go(&b, "p", BRAKE_PRIMARY), "... the other: released");
	ok(brake_is_on(&b, "p", 999 + BRAKE_MS) == BRAKE_PRIMARY,
	    "... but not within the minute");
	ok(brake_pass(&b, "p", 1000 + BRAKE_MS) == BRAKE_OFF, "... after it");
	brake_release(&b);

	brake_init(&b, 100);
	for (passed = 0; passed < 200; passed++)
		if (brake_pass(&b, "p", 5) != BRAKE_OFF)
			break;
	ok(passed == 100, "alone, it has all of the limit");
	ok(brake_pass(&b, "p", 5) == BRAKE_PRIMARY, "... and no more");
	ok(brake_pass(&b, "q", 5) == BRAKE_OFF,
	    "... no other primary is held up");
	brake_release(&b);
}

int
main(void)
{
	struct brake b;
	int passed = 0;

	test_all();
	test_one();
	brake_init(&b, 0);
	for (int i = 0; i < 1000; i++)
		passed += brake_pass(&b, "p", 5) == BRAKE_OFF;
	ok(passed == 1000, "0: no limit");
	brake_release(&b);
	return tap_done();
}
