#include "state/shelf.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void
shelf_release(struct shelf *s)
{
	pack_release(&s->pack);
	free(s->open);
	*s = (struct shelf){0};
}

static void
add_open(struct shelf *s, struct shelf_text *t, char *text)
{
	s->open = mem_grow(s->open, s->count, sizeof(*s->open));
	s->open[s->count++] = (struct shelf_open){t, text};
	s->bytes += t->n;
	t->open = (uint32_t)s->count;
}

void
shelf_put(struct shelf *s, struct shelf_text *t, char *text, size_t n)
{
	*t = (struct shelf_text){.n = (uint32_t)n};
	add_open(s, t, text);
}

struct span
shelf_read(struct shelf *s, struct shelf_text *t)
{
	if (t->open == 0 && t->data != NULL && t->packed_n != t->n) {
		char *text = mem_alloc(t->n);

		pack_open(
		    &s->pack, span_make(t->data, t->packed_n), text, t->n);
		add_open(s, t, text);
	}
	return span_make(
	    t->open != 0 ? s->open[t->open - 1].text : t->data, t->n);
}

/* The last one takes the place of the one that is closed. */
static void
close_text(struct shelf *s, struct shelf_text *t)
{
	struct shelf_open *o = &s->open[t->open - 1];

	s->bytes -= t->n;
	free(o->text);
	*o = s->open[--s->count];
	o->of->open = t->open;
	t->open = 0;
	if (s->count == 0) {
		free(s->open);
		s->open = NULL;
	}
}

void
shelf_drop(struct shelf *s, struct shelf_text *t)
{
	if (t->open != 0)
		close_text(s, t);
	free(t->data);
	*t = (struct shelf_text){0};
}

void
shelf_move(struct shelf *s, struct shelf_text *to, struct shelf_text *from)
{
	*to = *from;
	if (to->open != 0)
		s->open[to->open - 1].of = to;
	*from = (struct shelf_text){0};
}

/* Text that would not become smaller is kept as it is. */
static void
put_away(struct shelf *s, struct shelf_open *o, struct buf *scratch)
{
	struct shelf_text *t = o->of;

	buf_reset(scratch);
	pack_text(&s->pack, span_make(o->text, t->n), scratch);
	if (scratch->len >= t->n) {
		t->data = o->text;
		t->packed_n = t->n;
		o->text = NULL;
	} else {
		t->data = mem_alloc(scratch->len);
		t->packed_n = (uint32_t)scratch->len;
		memcpy(t->data, scratch->data, scratch->len);
	}
}

void
shelf_rest(struct shelf *s)
{
	struct buf scratch = BUF_INIT;

	/* In the order in which they came, for the sample's sake. */
	for (size_t i = 0; i < s->count; i++) {
		struct shelf_open *o = &s->open[i];

		if (o->of->data == NULL)
			put_away(s, o, &scratch);
		o->of->open = 0;
		free(o->text);
	}
	buf_release(&scratch);
	free(s->open);
	s->open = NULL;
	s->count = s->bytes = 0;
}
