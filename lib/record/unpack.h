/*
 * unpack: the bytes of a file that is plain or compressed by zstd, which its
 * first byte tells. Several compressed files in one (cat a.zst b.zst) are
 * read one after the other.
 *
 * Every byte that a writer has flushed is given out, also if the end of the
 * file is missing, or if the end of a part in its middle is: then the rest goes
 * on with the next part. Memory: a chunk of input, and the window of zstd, at
 * most 2^UNPACK_WINDOW_LOG bytes.
 */
#ifndef UNPACK_H
#define UNPACK_H

#include "base/buf.h"
#include "base/err.h"

struct unpack;

enum { UNPACK_WINDOW_LOG = 23 };

enum unpack_result {
	UNPACK_BYTES, /* bytes were appended */
	UNPACK_CUT,   /* here bytes are missing; call again: the rest goes on */
	UNPACK_END,   /* the end of the file */
	UNPACK_FAILED, /* err: it cannot be read any further */
};

/* fd is taken; it blocks. */
struct unpack *unpack_new(int fd);
void unpack_free(struct unpack *u);

enum unpack_result unpack_next(
    struct unpack *u, struct buf *out, struct err *err);

#endif
