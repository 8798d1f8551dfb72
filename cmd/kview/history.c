#include <stdlib.h>

#include "history.h"

#include "base/buf.h"
#include "base/mem.h"
#include "viewrow.h"

void
history_init(struct history *h, size_t lines, size_t bytes)
{
	*h = (struct history){.most_lines = lines, .most_bytes = bytes};
	h->lines = mem_zalloc(lines * sizeof(*h->lines));
}

static struct history_line *
place(const struct history *h, uint64_t n)
{
	return &h->lines[n % h->most_lines];
}

static void
drop_oldest(struct history *h)
{
	struct history_line *l = place(h, h->first++);

	h->bytes -= l->event->n;
	if (l->row != NULL)
		l->row->kept--;
	text_unref(l->event);
	*l = (struct history_line){NULL, NULL};
}

void
history_release(struct history *h)
{
	while (h->first < h->next)
		drop_oldest(h);
	free(h->lines);
}

struct text *
history_add(struct history *h, struct span line, struct track *row)
{
	struct history_line *l;
	struct buf b = BUF_INIT;

	buf_addf(&b, "id: %08x-%llu\ndata: ", h->letters,
	    (unsigned long long)h->next);
	viewrow_add_escaped(&b, line);
	buf_adds(&b, "\n\n");
	while (h->first < h->next &&
	    (h->next - h->first >= h->most_lines ||
		h->bytes + b.len > h->most_bytes))
		drop_oldest(h);
	l = place(h, h->next++);
	*l = (struct history_line){text_make(buf_span(&b)), row};
	h->bytes += b.len;
	if (row != NULL)
		row->kept++;
	buf_release(&b);
	return l->event;
}

const struct history_line *
history_get(const struct history *h, uint64_t n)
{
	return place(h, n);
}

bool
history_after(const struct history *h, struct span id, uint64_t *n)
{
	struct span letters = span_cut(&id, '-');
	struct buf own = BUF_INIT;
	bool same;

	buf_addf(&own, "%08x", h->letters);
	same = span_eq(letters, buf_span(&own));
	buf_release(&own);
	if (!same || !span_number(id, UINT64_MAX - 1, n))
		return false;
	++*n;
	return *n >= h->first && *n <= h->next;
}
