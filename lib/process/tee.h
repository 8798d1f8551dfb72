/*
 * tee: lets another process see what this one reads from a pipe (tee(2)),
 * without a copy, and without ever waiting for it.
 *
 *	n = tee_ahead(&t, fd, most);	what the other one has got of it
 *	read(fd, ..., n > 0 ? n : most)
 *	tee_read(&t, bytes)		what was read, in any case
 *
 * When the other pipe is full, reading goes on without it. Once that pipe is
 * empty again, the other process gets a newline, the gap line of the stream,
 * and the rest of what was just read, from the start of a line on.
 */
#ifndef TEE_H
#define TEE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"

struct tee {
	int fd;		    /* borrowed, a pipe; -1: nobody watches */
	const char *stream; /* borrowed: its name in the gap line */
	size_t ahead;	    /* bytes that only the other process has */
	bool lost;	    /* the other process lacks bytes */
	struct buf scratch;
};

/* fd -1: nothing is done. The pipe is enlarged, if the system allows it. */
void tee_init(struct tee *t, int fd, const char *stream);
void tee_release(struct tee *t);

/* How many bytes may be read, all of which the other process has. 0: as many as
 * you like; it has none of them. */
size_t tee_ahead(struct tee *t, int from, size_t most);
void tee_read(struct tee *t, struct span bytes);

#endif
