/* A long random walk of texts that come, are read, move and go, compared with
 * plain copies of them. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "state/shelf.h"
#include "tap.h"

static unsigned seed = 5;

static unsigned
any(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % n;
}

enum { TEXTS = 300, STEPS = 60000 };

static struct shelf_text texts[TEXTS];
static char *copies[TEXTS];

static char *
random_text(void)
{
	struct buf b = BUF_INIT;

	if (any(50) > 0)
		buf_adds(
		    &b, "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\"");
	for (unsigned n = any(12); n > 0; n--)
		buf_addf(&b, ",\"path-%u\":\"/var/run/secrets/%u\"", any(8),
		    any(100000));
	return buf_take(&b);
}

static void
put(struct shelf *s, unsigned i)
{
	shelf_drop(s, &texts[i]);
	free(copies[i]);
	copies[i] = random_text();
	shelf_put(s, &texts[i], mem_strdup(copies[i]), strlen(copies[i]));
}

static void
move(struct shelf *s, unsigned from, unsigned to)
{
	if (from == to)
		return;
	shelf_drop(s, &texts[to]);
	free(copies[to]);
	shelf_move(s, &texts[to], &texts[from]);
	copies[to] = copies[from];
	copies[from] = NULL;
}

static bool
is_right(struct shelf *s, unsigned i)
{
	struct span text;

	if (copies[i] == NULL)
		return texts[i].n == 0;
	text = shelf_read(s, &texts[i]);
	return span_is(text, copies[i]) && shelf_read(s, &texts[i]).p == text.p;
}

static void
walk(struct shelf *s)
{
	size_t wrong = 0, most = 0;

	for (int step = 0; step < STEPS; step++) {
		unsigned i = any(TEXTS);

		switch (any(8)) {
		case 0:
			put(s, i);
			break;
		case 1:
			move(s, i, any(TEXTS));
			break;
		case 2:
			if (any(20) == 0)
				shelf_rest(s);
			break;
		default:
			wrong += !is_right(s, i);
		}
		if (s->bytes > most)
			most = s->bytes;
	}
	for (unsigned i = 0; i < TEXTS; i++)
		wrong += !is_right(s, i);
	ok(wrong == 0, "every text is as it was put, at one place");
	ok(most > 1000 && s->pack.sample.len > 0,
	    "... many open, with a sample");
}

static void
sizes(struct shelf *s)
{
	size_t whole = 0, packed = 0;

	for (unsigned i = 0; i < TEXTS; i++)
		put(s, i);
	shelf_rest(s);
	for (unsigned i = 0; i < TEXTS; i++) {
		whole += texts[i].n;
		packed += texts[i].packed_n;
	}
	printf("# %zu bytes in %zu\n", whole, packed);
	ok(packed * 2 < whole && s->bytes == 0 && s->open == NULL,
	    "at rest all are packed and closed");
}

int
main(void)
{
	struct shelf s = {0};

	walk(&s);
	sizes(&s);
	for (unsigned i = 0; i < TEXTS; i++) {
		shelf_drop(&s, &texts[i]);
		free(copies[i]);
	}
	ok(s.count == 0 && s.bytes == 0, "nothing stays");
	shelf_release(&s);
	return tap_done();
}
