#include "fuzztrees.h"

#include "base/array.h"
#include "fuzz.h"
#include "tree/tree.h"

const struct node *fuzz_trees[2];

static void
add_trees(struct buf *message)
{
	for (size_t i = 0; i < COUNT(fuzz_trees); i++)
		if (fuzz_trees[i] != NULL) {
			buf_addc(message, '\n');
			tree_write(message, fuzz_trees[i]);
		}
}

void
fuzztrees_begin(void)
{
	fuzz_more = add_trees;
}

struct node *
fuzz_somewhere(struct node *n, unsigned depth)
{
	while (n != NULL && n->n > 0 && fuzz_below(depth) > 0 &&
	    (n->kind == NODE_ARRAY || n->kind == NODE_OBJECT))
		n = n->kind == NODE_ARRAY ? n->items[fuzz_below(n->n)]
					  : n->members[fuzz_below(n->n)].value;
	return n;
}
