/* fairqueue: whose turn it is. */
#include "state/fairqueue.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "state/primary.h"
#include "tap.h"

enum { SLICE = FAIRQUEUE_SLICE_US };

/* Keys in namespaces a and b, and without a namespace. */
static struct primary a[4], b[4], none[2];
static struct {
	struct primary *list;
	size_t count;
	const char *ns;
} all[] = {{a, 4, "a"}, {b, 4, "b"}, {none, 2, ""}};

static void
set_up(void)
{
	static char names[3][4][24];

	for (size_t i = 0; i < 3; i++)
		for (size_t n = 0; n < all[i].count; n++) {
			snprintf(names[i][n], sizeof(names[i][n]), "%s%zu",
			    *all[i].ns ? all[i].ns : "-", n);
			all[i].list[n] =
			    (struct primary){.namespace_ = (char *)all[i].ns,
				.name = names[i][n]};
		}
}

static struct buf taken;

/* The names in the order of their turns; each evaluation takes so long. */
static const char *
turns(struct fairqueue *l, int count, uint64_t us)
{
	struct primary *p;

	buf_reset(&taken);
	while (count-- > 0 && (p = fairqueue_take(l)) != NULL) {
		buf_addf(&taken, "%s ", p->name);
		fairqueue_charge(l, p, us);
	}
	return buf_str(&taken);
}

static void
test_order(void)
{
	struct fairqueue l = {0};

	is(turns(&l, 1, 0), "", "nothing waits");
	fairqueue_add(&l, &a[0]);
	fairqueue_add(&l, &b[0]);
	fairqueue_add(&l, &a[1]);
	fairqueue_add(&l, &none[0]);
	is(turns(&l, 9, 1), "a0 b0 a1 -0 ",
	    "what costs little: in the order of arrival");
	fairqueue_release(&l);
}

static void
test_fair(void)
{
	struct fairqueue l = {0};

	for (int i = 0; i < 4; i++)
		fairqueue_add(&l, &a[i]);
	fairqueue_add(&l, &b[0]);
	fairqueue_add(&l, &b[1]);
	is(turns(&l, 3, 10 * SLICE), "a0 b0 a1 ",
	    "a namespace does not wait for all of another one");
	fairqueue_add(&l, &none[0]);
	fairqueue_add(&l, &none[1]);
	is(turns(&l, 9, 10 * SLICE), "b1 -0 -1 a2 a3 ",
	    "who used most comes last; without a namespace, each on its own");
	fairqueue_release(&l);
}

static void
test_nothing_saved(void)
{
	struct fairqueue l = {0};

	fairqueue_add(&l, &a[0]);
	turns(&l, 1, 100 * SLICE);
	fairqueue_add(&l, &a[1]);
	turns(&l, 1, 100 * SLICE);
	fairqueue_add(&l, &a[2]);
	fairqueue_add(&l, &a[3]);
	turns(&l, 1, 10 * SLICE);
	/* b is new: it gets no credit for the 200 that a used. */
	for (int i = 0; i < 4; i++)
		fairqueue_add(&l, &b[i]);
	is(turns(&l, 2, 15 * SLICE), "b0 a3 ",
	    "who had nothing to do saved nothing up");
	fairqueue_release(&l);
}

static void
test_charged_while_waiting(void)
{
	struct fairqueue l = {0};

	fairqueue_add(&l, &a[0]);
	fairqueue_add(&l, &b[0]);
	fairqueue_charge(&l, &a[0], 10 * SLICE);
	is(turns(&l, 2, 0), "b0 a0 ", "charged while it waits: it gives way");
	fairqueue_release(&l);
}

static void
test_one(void)
{
	struct fairqueue l = {.order = FAIRQUEUE_ONE};

	for (int i = 0; i < 3; i++)
		fairqueue_add(&l, &a[i]);
	fairqueue_add(&l, &b[0]);
	is(turns(&l, 9, 100 * SLICE), "a0 a1 a2 b0 ",
	    "one queue: the order of arrival, at any cost");
	fairqueue_release(&l);
}

/* Many namespaces that come once, and one that always waits. */
static void
test_many(void)
{
	static char name[16];
	struct fairqueue l = {0};
	size_t most = 0;

	for (int i = 0; i < 5000; i++) {
		struct primary p = {.namespace_ = name, .name = name};

		snprintf(name, sizeof(name), "n%d", i);
		fairqueue_add(&l, &p);
		fairqueue_add(&l, &a[0]);
		turns(&l, 2, 1);
		most = l.all.count > most ? l.all.count : most;
	}
	ok(most < 1000, "queues without use are forgotten");
	fairqueue_release(&l);
}

int
main(void)
{
	set_up();
	test_order();
	test_fair();
	test_nothing_saved();
	test_charged_while_waiting();
	test_one();
	test_many();
	buf_release(&taken);
	return tap_done();
}
