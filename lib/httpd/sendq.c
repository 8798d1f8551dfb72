#include "httpd/sendq.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	SMALL_TEXT = 512, /* cheaper to copy than to refer to */
	OWN_FIRST = 128,  /* bytes of a new piece, at least */
	KEPT_PIECES = 8	  /* the array of an empty queue, at most */
};

static void
piece_release(struct sendq_piece *p)
{
	text_unref(p->text);
	free(p->own);
}

void
sendq_release(struct sendq *q)
{
	for (size_t i = 0; i < q->n; i++)
		piece_release(&q->pieces[q->head + i]);
	free(q->pieces);
	*q = (struct sendq){0};
}

static struct sendq_piece *
piece_new(struct sendq *q)
{
	struct sendq_piece *p;

	if (q->head + q->n == q->cap && q->head > q->cap / 2) {
		memmove(
		    q->pieces, q->pieces + q->head, q->n * sizeof(*q->pieces));
		q->head = 0;
	}
	if (q->head + q->n == q->cap) {
		q->cap = q->cap ? 2 * q->cap : 4;
		q->pieces = mem_array(q->pieces, q->cap, sizeof(*q->pieces));
	}
	p = &q->pieces[q->head + q->n++];
	*p = (struct sendq_piece){0};
	return p;
}

static struct sendq_piece *
last_own(struct sendq *q, size_t n)
{
	struct sendq_piece *p;

	if (q->n == 0)
		return NULL;
	p = &q->pieces[q->head + q->n - 1];
	return p->own != NULL && p->cap - p->end >= n ? p : NULL;
}

void
sendq_add(struct sendq *q, const void *data, size_t n)
{
	struct sendq_piece *p = last_own(q, n);

	if (n == 0)
		return;
	if (p == NULL) {
		p = piece_new(q);
		p->cap = n < OWN_FIRST ? OWN_FIRST : n;
		p->own = mem_alloc(p->cap);
	}
	memcpy(p->own + p->end, data, n);
	p->end += n;
	q->bytes += n;
}

static void
add_text(struct sendq *q, struct text *t, size_t at, size_t end)
{
	struct sendq_piece *p;

	if (end - at <= SMALL_TEXT) {
		sendq_add(q, t->p + at, end - at);
		return;
	}
	p = piece_new(q);
	p->text = text_ref(t);
	p->at = at;
	p->end = end;
	q->bytes += end - at;
}

void
sendq_text(struct sendq *q, struct text *t)
{
	add_text(q, t, 0, t->n);
}

void
sendq_move(struct sendq *q, struct sendq *from, size_t n)
{
	while (n > 0) {
		struct sendq_piece *p = &from->pieces[from->head];
		size_t k = p->end - p->at < n ? p->end - p->at : n;

		if (p->text != NULL)
			add_text(q, p->text, p->at, p->at + k);
		else
			sendq_add(q, p->own + p->at, k);
		sendq_drop(from, k);
		n -= k;
	}
}

static char *
piece_data(const struct sendq_piece *p)
{
	return (p->text != NULL ? p->text->p : p->own) + p->at;
}

size_t
sendq_iov(const struct sendq *q, struct iovec *iov, size_t max)
{
	size_t n = q->n < max ? q->n : max;

	for (size_t i = 0; i < n; i++) {
		struct sendq_piece *p = &q->pieces[q->head + i];

		iov[i].iov_base = piece_data(p);
		iov[i].iov_len = p->end - p->at;
	}
	return n;
}

size_t
sendq_copy(const struct sendq *q, char *to, size_t max)
{
	size_t done = 0;

	for (size_t i = 0; i < q->n && done < max; i++) {
		struct sendq_piece *p = &q->pieces[q->head + i];
		size_t k = p->end - p->at;

		if (k > max - done)
			k = max - done;
		memcpy(to + done, piece_data(p), k);
		done += k;
	}
	return done;
}

void
sendq_drop(struct sendq *q, size_t n)
{
	q->bytes -= n;
	while (n > 0) {
		struct sendq_piece *p = &q->pieces[q->head];
		size_t k = p->end - p->at;

		if (n < k) {
			p->at += n;
			return;
		}
		n -= k;
		piece_release(p);
		q->head++;
		q->n--;
	}
	if (q->n > 0)
		return;
	q->head = 0;
	if (q->cap > KEPT_PIECES) {
		free(q->pieces);
		q->pieces = NULL;
		q->cap = 0;
	}
}
