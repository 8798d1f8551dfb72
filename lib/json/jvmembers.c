#include "json/jvmembers.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/jvtext.h"

static int
member_cmp(const void *a, const void *b)
{
	return span_cmp(((const struct jvmember *)a)->key,
	    ((const struct jvmember *)b)->key);
}

/* Few, and often in order already. */
static void
sort_few(struct jvmember *items, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct jvmember m = items[i];
		size_t to = i;

		for (; to > 0 && span_cmp(items[to - 1].key, m.key) > 0; to--)
			items[to] = items[to - 1];
		items[to] = m;
	}
}

static void
add(struct jvmembers *m, jv name, jv value)
{
	/* Counting the members first would cost as much as taking them. */
	if (m->count == JVMEMBERS_FEW) {
		m->items = mem_array(NULL, 2 * m->count, sizeof(*m->items));
		memcpy(m->items, m->few, sizeof(m->few));
	} else if (m->count > JVMEMBERS_FEW &&
	    (m->count & (m->count - 1)) == 0) {
		m->items = mem_array(m->items, 2 * m->count, sizeof(*m->items));
	}
	m->items[m->count++] =
	    (struct jvmember){jvtext_span(name), name, value};
}

void
jvmembers_init(struct jvmembers *m, jv object_peek, enum jvmembers_order order)
{
	m->items = m->few;
	m->count = 0;
	jv_object_foreach(object_peek, name, value)
	{
		add(m, name, value);
	}
	if (order == JVMEMBERS_KEPT)
		return;
	if (m->count <= JVMEMBERS_FEW)
		sort_few(m->items, m->count);
	else
		qsort(m->items, m->count, sizeof(*m->items), member_cmp);
}

void
jvmembers_release(struct jvmembers *m)
{
	for (size_t i = 0; i < m->count; i++) {
		jv_free(m->items[i].name);
		jv_free(m->items[i].value);
	}
	if (m->items != m->few)
		free(m->items);
}
