#include <stdlib.h>

#include "base/array.h"
#include "base/heap.h"
#include "tap.h"

struct thing {
	struct heap_slot slot; /* first */
	unsigned rank;
};

static bool
before(const void *a, const void *b)
{
	const struct thing *x = a, *y = b;

	return x->rank < y->rank;
}

static unsigned
draw(void)
{
	static unsigned state = 1;

	state = state * 1103515245 + 12345;
	return state >> 16;
}

static const struct thing *
least(const struct thing *all, size_t n)
{
	const struct thing *first = NULL;

	for (size_t i = 0; i < n; i++)
		if (heap_has(&all[i]) &&
		    (first == NULL || before(&all[i], first)))
			first = &all[i];
	return first;
}

/* Compared with a linear search. */
TEST(random)
{
	struct thing all[100] = {0};
	struct heap h = {0};
	size_t good = 0, in = 0;

	for (size_t i = 0; i < 10000; i++) {
		struct thing *t = &all[draw() % COUNT(all)];
		const struct thing *first;

		if (draw() % 3 == 0) {
			in -= heap_has(t);
			heap_del(&h, t, before);
		} else {
			in += !heap_has(t);
			t->rank = draw() % 1000;
			heap_put(&h, t, before);
		}
		first = least(all, COUNT(all));
		good += h.count == in &&
		    (first == NULL ? heap_first(&h) == NULL
				   : ((struct thing *)heap_first(&h))->rank ==
				first->rank);
	}
	ok(good == 10000, "the first is always the least");
	heap_release(&h);
	in = 0;
	for (size_t i = 0; i < COUNT(all); i++)
		in += heap_has(&all[i]);
	ok(in == 0 && heap_first(&h) == NULL, "released: nothing is in it");
}

TEST(order)
{
	struct thing all[] = {
	    {.rank = 5}, {.rank = 1}, {.rank = 9}, {.rank = 3}, {.rank = 7}};
	struct heap h = {0};
	unsigned was = 0, rising = 0;

	for (size_t i = 0; i < COUNT(all); i++)
		heap_put(&h, &all[i], before);
	all[2].rank = 2; /* this one moves up */
	heap_put(&h, &all[2], before);
	all[1].rank = 8; /* this one moves down */
	heap_put(&h, &all[1], before);
	ok(h.count == COUNT(all), "what moves is there once");
	for (struct thing *t; (t = heap_first(&h)) != NULL; was = t->rank) {
		rising += t->rank > was;
		heap_del(&h, t, before);
	}
	ok(rising == COUNT(all) && was == 8, "they come in order");
	heap_del(&h, &all[0], before);
	ok(h.count == 0, "what is not in it cannot be taken out");
	heap_release(&h);
}
