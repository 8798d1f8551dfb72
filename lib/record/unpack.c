#include "record/unpack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/mem.h"

enum { CHUNK = 64 * 1024, MAGIC = 4, HEADER = 3 };
static const char magic[MAGIC] = {'\x28', '\xb5', '\x2f', '\xfd'};

struct unpack {
	int fd;
	ZSTD_DStream *zstd; /* NULL: plain, or not known yet */
	/*
	 * The input, and before it the last bytes of the one before: the next
	 * part may begin there. Positions count from the start of the file.
	 */
	char in[MAGIC - 1 + CHUNK];
	size_t base; /* position of in[0] */
	size_t at, end;
	size_t part;   /* position of the part that is read */
	bool begun;    /* the kind of file is known */
	bool in_part;  /* the end was not seen yet */
	bool lost;     /* looking for the next part */
	bool may_have; /* zstd may hold output that did not fit */
	bool ended;
	size_t wanted; /* bytes of the next call of zstd */
};

struct unpack *
unpack_new(int fd)
{
	struct unpack *u = mem_zalloc(sizeof(*u));

	u->fd = fd;
	return u;
}

void
unpack_free(struct unpack *u)
{
	if (u == NULL)
		return;
	ZSTD_freeDStream(u->zstd);
	close(u->fd);
	free(u);
}

/* Keeps the last bytes and reads more behind them. */
static int
fill(struct unpack *u, struct err *err)
{
	size_t keep = u->end < MAGIC - 1 ? u->end : MAGIC - 1;
	ssize_t n;

	memmove(u->in, u->in + u->end - keep, keep);
	u->base += u->end - keep;
	u->at = u->end = keep;
	do
		n = read(u->fd, u->in + u->end, CHUNK);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_set(
		    err, ERR_PERMANENT, "cannot read: %s", strerror(errno));
	u->end += (size_t)n;
	u->ended = n == 0;
	return 0;
}

/* JSON does not begin with the first byte of zstd's magic number. */
static int
begin(struct unpack *u, struct err *err)
{
	if (fill(u, err) != 0)
		return -1;
	u->begun = true;
	if (u->end == 0 || u->in[0] != magic[0])
		return 0;
	u->zstd = ZSTD_createDStream();
	if (u->zstd == NULL)
		return err_set(err, ERR_TRANSIENT, "out of memory");
	ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, UNPACK_WINDOW_LOG);
	u->wanted = MAGIC;
	return 0;
}

/* Moves to the first part that begins behind the one that was read. */
static void
find_part(struct unpack *u)
{
	size_t from = u->part + 1 > u->base ? u->part + 1 - u->base : 0;
	const char *found = NULL;

	if (from < u->end)
		found = memmem(u->in + from, u->end - from, magic, MAGIC);
	u->lost = found == NULL;
	u->at = found != NULL ? (size_t)(found - u->in) : u->end;
}

static enum unpack_result
cut(struct unpack *u)
{
	ZSTD_DCtx_reset(u->zstd, ZSTD_reset_session_only);
	u->in_part = u->may_have = false;
	u->wanted = MAGIC;
	find_part(u);
	return UNPACK_CUT;
}

/*
 * A call of zstd: UNPACK_BYTES also if there are no bytes yet. zstd gets one
 * block at a time, because a call that fails gives out nothing of the blocks
 * before.
 */
static enum unpack_result
decompress(struct unpack *u, struct buf *out, struct err *err)
{
	size_t there = u->end - u->at;
	ZSTD_inBuffer in = {
	    u->in, u->at + (there < u->wanted ? there : u->wanted), u->at};
	ZSTD_outBuffer to = {buf_reserve(out, CHUNK), CHUNK, 0};
	size_t left;

	if (!u->in_part && u->at < u->end) {
		u->part = u->base + u->at;
		u->in_part = true;
	}
	left = ZSTD_decompressStream(u->zstd, &to, &in);
	/* Only in the first part: in a later one, the error may come from
	 * damage. */
	if (u->part == 0 &&
	    ZSTD_getErrorCode(left) ==
		ZSTD_error_frameParameter_windowTooLarge) {
		err_set(err, ERR_PERMANENT,
		    "compressed with a window of more than %d MiB: compress "
		    "it without --long and --ultra",
		    1 << (UNPACK_WINDOW_LOG - 20));
		return UNPACK_FAILED;
	}
	if (ZSTD_isError(left))
		return cut(u);
	out->len += to.pos;
	u->at = in.pos;
	u->may_have = to.pos == to.size;
	/* zstd asks for the header of the next block as well. */
	u->wanted = left > HEADER ? left - HEADER : left > 0 ? left : MAGIC;
	if (left == 0)
		u->in_part = false;
	return UNPACK_BYTES;
}

static enum unpack_result
next_plain(struct unpack *u, struct buf *out)
{
	if (u->at == u->end)
		return UNPACK_END;
	buf_add(out, u->in + u->at, u->end - u->at);
	u->at = u->end;
	return UNPACK_BYTES;
}

enum unpack_result
unpack_next(struct unpack *u, struct buf *out, struct err *err)
{
	size_t before = out->len;
	enum unpack_result r;

	if (!u->begun && begin(u, err) != 0)
		return UNPACK_FAILED;
	for (;;) {
		if (u->at == u->end && !u->may_have && !u->ended &&
		    fill(u, err) != 0)
			return UNPACK_FAILED;
		if (u->zstd == NULL)
			return next_plain(u, out);
		if (u->lost)
			find_part(u);
		if (u->at == u->end && !u->may_have) {
			if (!u->ended)
				continue;
			if (!u->in_part)
				return UNPACK_END;
			return cut(u);
		}
		r = decompress(u, out, err);
		if (r != UNPACK_BYTES || out->len > before)
			return r;
	}
}
