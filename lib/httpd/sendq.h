/*
 * sendq: bytes that wait to be sent, in order. Large texts are referenced, not
 * copied: an event for a thousand watchers is in memory once. Zeroed memory is
 * an empty queue.
 */
#ifndef SENDQ_H
#define SENDQ_H

#include <stddef.h>
#include <sys/uio.h>

#include "base/span.h"
#include "base/text.h"

struct sendq_piece {
	struct text *text; /* NULL: the bytes are in own */
	char *own;
	size_t at, end; /* bytes that are not sent yet: [at, end) */
	size_t cap;	/* allocated size of own */
};

struct sendq {
	struct sendq_piece
	    *pieces; /* a ring would save little: mostly one or two */
	size_t head, n, cap;
	size_t bytes;
};

void sendq_release(struct sendq *q);
void sendq_add(struct sendq *q, const void *p, size_t n); /* copies */
void sendq_text(struct sendq *q, struct text *t);	  /* references */
/* Moves the first n bytes of from; it has at least n. */
void sendq_move(struct sendq *q, struct sendq *from, size_t n);

/* Points iov at the bytes to send next; returns how many of iov it filled. */
size_t sendq_iov(const struct sendq *q, struct iovec *iov, size_t max);
/* Copies them to p instead; returns how many bytes. */
size_t sendq_copy(const struct sendq *q, char *p, size_t max);
void sendq_drop(struct sendq *q, size_t n); /* n bytes are sent */

#endif
