#include "base/nearest.h"

#include <limits.h>

enum { NAME_MAX_BYTES = 63 };

void
nearest_init(struct nearest *n, struct span wanted)
{
	*n = (struct nearest){wanted, span_make("", 0), 0, INT_MAX};
}

static int
least(int a, int b, int c)
{
	int m = a < b ? a : b;

	return m < c ? m : c;
}

/* Letters to add, drop or change; two neighbours that are swapped count as
 * one. */
static int
distance(struct span a, struct span b)
{
	int rows[3][NAME_MAX_BYTES + 1];
	int *older = rows[0], *old = rows[1], *new = rows[2];

	for (size_t j = 0; j <= b.n; j++)
		old[j] = (int)j;
	for (size_t i = 1; i <= a.n; i++) {
		int *oldest = older;

		new[0] = (int)i;
		for (size_t j = 1; j <= b.n; j++) {
			bool same = a.p[i - 1] == b.p[j - 1];

			new[j] = least(
			    old[j] + 1, new[j - 1] + 1, old[j - 1] + !same);
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] &&
			    a.p[i - 2] == b.p[j - 1] && older[j - 2] < new[j])
				new[j] = older[j - 2] + 1;
		}
		older = old;
		old = new;
		new = oldest;
	}
	return old[b.n];
}

void
nearest_offer(struct nearest *n, struct span name, int arity)
{
	size_t longer = name.n > n->wanted.n ? name.n : n->wanted.n;
	int far;

	if (name.n == 0 || name.n > NAME_MAX_BYTES ||
	    n->wanted.n > NAME_MAX_BYTES || name.p[0] == '_')
		return;
	far = distance(n->wanted, name);
	/* A third of the letters (of the longer one) may be wrong, and two at most. */
	if (far > 2 || (size_t)far * 3 > longer || far >= n->distance)
		return;
	n->name = name;
	n->arity = arity;
	n->distance = far;
}

void
nearest_offer_all(struct nearest *n, const char *const *names)
{
	for (; *names != NULL; names++)
		nearest_offer(n, span_str(*names), 0);
}
