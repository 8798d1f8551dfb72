// needs cmd/kapply/brake.c
#include "../../cmd/kapply/brake.h"

#include "tap.h"

int
main(void)
{
	struct brake b;
	int passed = 0;

	brake_init(&b, 3);
	for (int i = 0; i < 5; i++)
		passed += brake_pass(&b, 1000 + (uint64_t)i);
	ok(passed == 3, "three in a minute");
	ok(!brake_pass(&b, 1000 + BRAKE_MS - 1), "not the fourth");
	ok(brake_pass(&b, 1000 + BRAKE_MS), "... before the first is old");
	ok(!brake_pass(&b, 1000 + BRAKE_MS), "... only one then");
	ok(brake_pass(&b, 1001 + BRAKE_MS), "the window slides");
	ok(brake_hold(&b), "the first that is held back says so");
	ok(!brake_hold(&b), "... the next does not");
	ok(!brake_pass(&b, 100 * BRAKE_MS), "nothing passes, however late");
	ok(!brake_let_go(&b), "one of two is not asked for any more");
	ok(!brake_pass(&b, 100 * BRAKE_MS), "... nothing passes");
	ok(brake_let_go(&b), "the other: released");
	ok(brake_pass(&b, 100 * BRAKE_MS), "... deletions go on");
	brake_release(&b);

	brake_init(&b, 0);
	passed = 0;
	for (int i = 0; i < 1000; i++)
		passed += brake_pass(&b, 5);
	ok(passed == 1000, "0: no limit");
	brake_release(&b);
	return tap_done();
}
