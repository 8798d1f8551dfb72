#include "kube/eventfilter.h"

#include "tap.h"

#define SECOND 1000000ll
static const int64_t start = 1700000000 * SECOND;

static struct eventfilter_verdict
ask(struct eventfilter *f, const char *object, const char *reason,
    const char *message, int64_t second)
{
	return eventfilter_ask(f,
	    &(struct eventfilter_event){span_str("kpipe-a"), span_str(object),
		span_str("Warning"), span_str(reason), span_str(message)},
	    start + second * SECOND);
}

TEST(repeats)
{
	struct eventfilter *f = eventfilter_new();
	struct eventfilter_verdict v = ask(f, "o", "r", "m", 0);

	ok(!v.drop && !v.combined && v.count == 1 && v.first_us == start,
	    "the first is a new one");
	v = ask(f, "o", "r", "m", 5);
	ok(!v.drop && v.count == 2 && v.first_us == start,
	    "the same again counts");
	v = ask(f, "o", "r", "n", 6);
	ok(v.count == 1 && v.first_us == start + 6 * SECOND,
	    "another message is another one");
	ok(ask(f, "o", "s", "m", 7).count == 1, "another reason, too");
	ok(ask(f, "p", "r", "m", 8).count == 1, "another object, too");
	ok(ask(f, "o", "r", "m", 9000).count == 3, "it counts for long");
	eventfilter_free(f);
}

/* Different parts that are equal when joined are not the same Event. */
static void
parts(void)
{
	struct eventfilter *f = eventfilter_new();

	ask(f, "o", "ab", "c", 0);
	ok(ask(f, "o", "a", "bc", 0).count == 1, "parts do not run together");
	eventfilter_free(f);
}

TEST(one_moment)
{
	struct eventfilter *f = eventfilter_new();
	int64_t one = ask(f, "o", "r", "m", 0).first_us;
	int64_t two = ask(f, "o", "r", "n", 0).first_us;
	int64_t three = ask(f, "o", "s", "m", 0).first_us;

	ok(one == start && two == start + 1 && three == start + 2,
	    "each Event of one microsecond has its own time, and so its name");
	ok(ask(f, "o", "r", "n", 0).first_us == two, "... and keeps it");
	ok(ask(f, "o", "r", "o", -1).first_us == start - SECOND,
	    "a clock that was set back");
	eventfilter_free(f);
}

TEST(spam)
{
	struct eventfilter *f = eventfilter_new();
	int passed = 0;

	for (int i = 0; i < 40; i++)
		passed += !ask(f, "o", "r", "m", 0).drop;
	ok(passed == 25, "25 at once about one object");
	ok(!ask(f, "p", "r", "m", 0).drop, "... another object has its own");
	ok(eventfilter_ask(f,
	       &(struct eventfilter_event){span_str("kpipe-a"), span_str("o"),
		   span_str("Normal"), span_str("r"), span_str("m")},
	       start)
		    .count == 1,
	    "... and so has another type");
	ok(ask(f, "o", "r", "m", 299).drop, "no more before 300 s");
	ok(ask(f, "o", "r", "m", 300).count == 26, "then one");
	ok(ask(f, "o", "r", "m", 301).drop, "... only one");
	ok(!ask(f, "o", "r", "m", 900).drop &&
		!ask(f, "o", "r", "m", 900).drop &&
		ask(f, "o", "r", "m", 900).drop,
	    "two after 600 s more");
	passed = 0;
	for (int i = 0; i < 40; i++)
		passed += !ask(f, "o", "r", "m", 1000000).drop;
	ok(passed == 25, "never more than 25, however long it was quiet");
	ok(ask(f, "o", "r", "m", 0).drop, "a clock that goes back refills not");
	eventfilter_free(f);
}

TEST(similar)
{
	struct eventfilter *f = eventfilter_new();
	struct eventfilter_verdict v;
	char message[] = "0";
	int combined = 0;

	for (int i = 0; i < 9; i++, message[0]++)
		combined += ask(f, "o", "r", message, i).combined;
	ok(combined == 0, "nine messages are told as they are");
	v = ask(f, "o", "r", "x", 9);
	ok(v.combined && v.count == 1, "the tenth is combined: a new Event");
	v = ask(f, "o", "r", "y", 10);
	ok(v.combined && v.count == 2 && v.first_us == start + 9 * SECOND,
	    "the next counts there");
	v = ask(f, "o", "r", "3", 11);
	ok(!v.combined && v.count == 2, "one of the nine counts for itself");
	ok(!ask(f, "o", "s", "x", 12).combined, "another reason is apart");
	ok(ask(f, "o", "r", "z", 611).combined, "600 s later: still one row");
	ok(!ask(f, "o", "r", "w", 1212).combined, "601 s of silence end it");
	eventfilter_free(f);
}

/* 4096 keys of each kind are remembered. */
TEST(bounds)
{
	struct eventfilter *f = eventfilter_new();
	char object[16];

	ask(f, "first", "r", "m", 0);
	for (int i = 0; i < 4095; i++) {
		snprintf(object, sizeof(object), "o%d", i);
		ask(f, object, "r", "m", 0);
	}
	ok(ask(f, "first", "r", "m", 1).count == 2, "4096 are remembered");
	ask(f, "one more", "r", "m", 1);
	ok(ask(f, "o0", "r", "m", 2).count == 1, "the oldest gives way");
	eventfilter_free(f);
}

int
main(void)
{
	parts();
	tap_run();
	return tap_done();
}
