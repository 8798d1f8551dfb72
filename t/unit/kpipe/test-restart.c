#include "child/stage.h"

#include "base/array.h"
#include "tap.h"

static void
test_doubling(void)
{
	static const uint64_t want[] = {
	    0, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000};
	struct restart b = {0};
	bool least = true, most = true;

	for (size_t i = 0; i < COUNT(want); i++) {
		struct restart same = b;
		uint32_t top = (uint32_t)want[i] / 4;

		least = least && stage_restart_ms(&same, 10, 0) == want[i];
		most = most && stage_restart_ms(&b, 10, top) == want[i] + top;
	}
	ok(least, "at once, then 1 s, doubling to 60 s");
	ok(most, "up to a quarter more by chance");
}

static void
test_jitter_is_bounded(void)
{
	bool bounded = true;

	for (uint32_t i = 0; i < 5000; i++) {
		struct restart b = {1};
		uint64_t ms = stage_restart_ms(&b, 0, i * 2654435761u);

		bounded = bounded && ms >= 1000 && ms <= 1250;
	}
	ok(bounded, "for any random number");
}

static void
test_good_run(void)
{
	struct restart b = {5};

	ok(stage_restart_ms(&b, RESTART_GOOD_RUN_MS - 1, 0) == 16000,
	    "a shorter run counts on");
	ok(stage_restart_ms(&b, RESTART_GOOD_RUN_MS, 0) == 0,
	    "a crash after 5 minutes is a first one");
	ok(stage_restart_ms(&b, 0, 0) == 1000, "... and the next is a second");
}

static void
test_forever(void)
{
	struct restart b = {~0u - 1};

	ok(stage_restart_ms(&b, 0, 0) == 60000, "no limit of crashes");
}

int
main(void)
{
	test_doubling();
	test_jitter_is_bounded();
	test_good_run();
	test_forever();
	return tap_done();
}
