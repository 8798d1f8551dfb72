/* lanes: whose turn it is. */
#include "state/lanes.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "state/primary.h"
#include "tap.h"

enum { SLICE = LANES_SLICE_US };

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
turns(struct lanes *l, int count, uint64_t us)
{
	struct primary *p;

	buf_reset(&taken);
	while (count-- > 0 && (p = lanes_take(l)) != NULL) {
		buf_addf(&taken, "%s ", p->name);
		lanes_charge(l, p, us);
	}
	return buf_str(&taken);
}

static void
test_order(void)
{
	struct lanes l = {0};

	is(turns(&l, 1, 0), "", "nothing waits");
	lanes_add(&l, &a[0]);
	lanes_add(&l, &b[0]);
	lanes_add(&l, &a[1]);
	lanes_add(&l, &none[0]);
	is(turns(&l, 9, 1), "a0 b0 a1 -0 ",
	    "what costs little: in the order of arrival");
	lanes_release(&l);
}

static void
test_fair(void)
{
	struct lanes l = {0};

	for (int i = 0; i < 4; i++)
		lanes_add(&l, &a[i]);
	lanes_add(&l, &b[0]);
	lanes_add(&l, &b[1]);
	is(turns(&l, 3, 10 * SLICE), "a0 b0 a1 ",
	    "a namespace does not wait for all of another one");
	lanes_add(&l, &none[0]);
	lanes_add(&l, &none[1]);
	is(turns(&l, 9, 10 * SLICE), "b1 -0 -1 a2 a3 ",
	    "who used most comes last; without a namespace, each on its own");
	lanes_release(&l);
}

static void
test_nothing_saved(void)
{
	struct lanes l = {0};

	lanes_add(&l, &a[0]);
	turns(&l, 1, 100 * SLICE);
	lanes_add(&l, &a[1]);
	turns(&l, 1, 100 * SLICE);
	lanes_add(&l, &a[2]);
	lanes_add(&l, &a[3]);
	turns(&l, 1, 10 * SLICE);
	/* b is new: it gets no credit for the 200 that a used. */
	for (int i = 0; i < 4; i++)
		lanes_add(&l, &b[i]);
	is(turns(&l, 2, 15 * SLICE), "b0 a3 ",
	    "who had nothing to do saved nothing up");
	lanes_release(&l);
}

static void
test_charged_while_waiting(void)
{
	struct lanes l = {0};

	lanes_add(&l, &a[0]);
	lanes_add(&l, &b[0]);
	lanes_charge(&l, &a[0], 10 * SLICE);
	is(turns(&l, 2, 0), "b0 a0 ", "charged while it waits: it gives way");
	lanes_release(&l);
}

static void
test_one(void)
{
	struct lanes l = {.order = LANES_ONE};

	for (int i = 0; i < 3; i++)
		lanes_add(&l, &a[i]);
	lanes_add(&l, &b[0]);
	is(turns(&l, 9, 100 * SLICE), "a0 a1 a2 b0 ",
	    "one lane: the order of arrival, at any cost");
	lanes_release(&l);
}

/* Many namespaces that come once, and one that always waits. */
static void
test_many(void)
{
	static char name[16];
	struct lanes l = {0};
	size_t most = 0;

	for (int i = 0; i < 5000; i++) {
		struct primary p = {.namespace_ = name, .name = name};

		snprintf(name, sizeof(name), "n%d", i);
		lanes_add(&l, &p);
		lanes_add(&l, &a[0]);
		turns(&l, 2, 1);
		most = l.all.count > most ? l.all.count : most;
	}
	ok(most < 1000, "lanes without use are forgotten");
	lanes_release(&l);
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
