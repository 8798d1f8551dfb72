/* Part of tree/tree.h: from a tree to JSON. */
#include "tree/tree.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"

static int
by_key(const void *x, const void *y)
{
	const struct member *const *m = x, *const *n = y;

	return span_cmp((*m)->key, (*n)->key);
}

static void
write_text(struct buf *b, struct span text, bool plain)
{
	if (!plain) {
		json_add_string(b, text);
		return;
	}
	char *p = buf_reserve(b, text.n + 2);

	p[0] = '"';
	if (text.n > 0)
		memcpy(p + 1, text.p, text.n);
	p[text.n + 1] = '"';
	b->len += text.n + 2;
}

static void write_node(struct buf *b, const struct node *n, bool sorted);

static void
write_member(struct buf *b, const struct member *m, bool first, bool sorted)
{
	if (!first)
		buf_addc(b, ',');
	json_add_string(b, m->key);
	buf_addc(b, ':');
	write_node(b, m->value, sorted);
}

static void
write_node(struct buf *b, const struct node *n, bool sorted)
{
	switch (n->kind) {
	case NODE_NULL:
		buf_add(b, "null", 4);
		break;
	case NODE_FALSE:
		buf_add(b, "false", 5);
		break;
	case NODE_TRUE:
		buf_add(b, "true", 4);
		break;
	case NODE_NUMBER:
		buf_addspan(b, n->text);
		break;
	case NODE_STRING:
		write_text(b, n->text, n->plain);
		break;
	case NODE_ARRAY:
		buf_addc(b, '[');
		for (uint32_t i = 0; i < n->n; i++) {
			if (i > 0)
				buf_addc(b, ',');
			write_node(b, n->items[i], sorted);
		}
		buf_addc(b, ']');
		break;
	case NODE_OBJECT:
		buf_addc(b, '{');
		if (sorted && n->n > 1) {
			const struct member **all =
			    mem_array(NULL, n->n, sizeof(struct member *));

			for (uint32_t i = 0; i < n->n; i++)
				all[i] = &n->members[i];
			qsort(all, n->n, sizeof(struct member *), by_key);
			for (uint32_t i = 0; i < n->n; i++)
				write_member(b, all[i], i == 0, true);
			free(all);
		} else
			for (uint32_t i = 0; i < n->n; i++)
				write_member(b, &n->members[i], i == 0, sorted);
		buf_addc(b, '}');
		break;
	}
}

void
tree_write(struct buf *b, const struct node *n)
{
	write_node(b, n, false);
}

void
tree_write_sorted(struct buf *b, const struct node *n)
{
	write_node(b, n, true);
}
