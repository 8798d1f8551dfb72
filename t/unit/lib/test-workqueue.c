#include "kube/workqueue.h"

#include "base/buf.h"
#include "tap.h"

/* Keys a, b, c, ...: each turn appends the name; `left` turns are to come. */
struct test_key {
	struct work work;
	char name;
	int left;
};

static struct loop *l;
static struct workqueue q;
static struct buf ran;

static void
run(void *arg, struct work *w)
{
	struct test_key *k = (struct test_key *)w;

	(void)arg;
	buf_addc(&ran, k->name);
	workqueue_started(&q);
	if (--k->left > 0)
		workqueue_push(&q, w);
}

static const char *
pumped(void)
{
	buf_reset(&ran);
	workqueue_pump(&q);
	return buf_str(&ran);
}

TEST(turns)
{
	struct test_key a = {.name = 'a', .left = 3},
			b = {.name = 'b', .left = 1},
			c = {.name = 'c', .left = 2};

	workqueue_init(&q, l, 4, run, NULL);
	workqueue_push(&q, &a.work);
	workqueue_push(&q, &b.work);
	workqueue_push(&q, &b.work);
	workqueue_push(&q, &c.work);
	is(pumped(), "abca", "turns, up to the limit, no key twice in line");
	is(pumped(), "", "nothing while the limit is reached");
	ok(!workqueue_full(&q), "three keys of eight");
	workqueue_ended(&q, 200);
	is(pumped(), "c", "one more for one that ended");
	workqueue_rest(&q, &a.work);
	workqueue_ended(&q, 200);
	workqueue_ended(&q, 200);
	is(pumped(), "", "a key at rest leaves the line");
	workqueue_rest(&q, &b.work);
	workqueue_rest(&q, &c.work);
	ok(q.runnable == 0, "nothing is left");
	workqueue_release(&q);
}

TEST(classes)
{
	struct test_key k[4];

	workqueue_init(&q, l, 10, run, NULL);
	for (int i = 0; i < 4; i++) {
		k[i] = (struct test_key){.name = (char)('a' + i), .left = 1};
		if (i < 3)
			workqueue_classify(
			    &q, &k[i].work, span_str("Thing"), 2);
		workqueue_push(&q, &k[i].work);
	}
	is(pumped(), "abd", "two of a class, and one without");
	workqueue_ended(&q, 200);
	is(pumped(), "", "a request that ended frees no place");
	workqueue_rest(&q, &k[0].work);
	is(pumped(), "c", "a key at rest does");
	for (int i = 1; i < 4; i++)
		workqueue_rest(&q, &k[i].work);
	workqueue_release(&q);
}

TEST(full)
{
	struct test_key k[4];

	workqueue_init(&q, l, 2, run, NULL);
	for (int i = 0; i < 4; i++) {
		ok(!workqueue_full(&q), "room");
		k[i] = (struct test_key){.name = 'x', .left = 1};
		workqueue_push(&q, &k[i].work);
	}
	ok(workqueue_full(&q), "twice the limit: full");
	workqueue_rest(&q, &k[0].work);
	ok(!workqueue_full(&q), "room again");
	for (int i = 1; i < 4; i++)
		workqueue_rest(&q, &k[i].work);
	workqueue_release(&q);
}

static void
wait_for_gate(void)
{
	while (q.paused)
		loop_once(l, -1);
}

TEST(gate)
{
	struct test_key k[4];

	workqueue_init(&q, l, 3, run, NULL);
	for (int i = 0; i < 4; i++) {
		k[i] = (struct test_key){.name = (char)('a' + i), .left = 9};
		workqueue_push(&q, &k[i].work);
	}
	is(pumped(), "abc", "three in flight");
	ok(!workqueue_ended(&q, 0), "one is lost: no news yet");
	ok(!workqueue_ended(&q, 0), "nor the others of that moment");
	ok(!workqueue_ended(&q, 0), "nor the last");
	is(pumped(), "", "the gate is closed");
	wait_for_gate();
	is(pumped(), "d", "one tries");
	ok(workqueue_ended(&q, 0), "without success: that is new");
	wait_for_gate();
	is(pumped(), "a", "one more tries");
	ok(!workqueue_ended(&q, 0), "without success: that was said before");
	wait_for_gate();
	is(pumped(), "b", "one more");
	ok(workqueue_ended(&q, 503), "any answer is news");
	is(pumped(), "cda", "all go on");
	ok(!workqueue_ended(&q, 200), "no news");
	for (int i = 0; i < 4; i++)
		workqueue_rest(&q, &k[i].work);
	workqueue_release(&q);
}

int
main(void)
{
	l = loop_new();
	tap_run();
	buf_release(&ran);
	loop_free(l);
	return tap_done();
}
