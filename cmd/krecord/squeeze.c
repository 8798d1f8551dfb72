#include "squeeze.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/mem.h"
#include "process/file.h"

/* Level 1 costs a third of level 3, for a tenth more bytes. */
enum { LEVEL = 1, CHUNK = 128 * 1024, WRITE_AT = 64 * 1024 };

struct squeeze {
	int fd;
	ZSTD_CCtx *zstd;
	struct buf out;
	uint64_t size; /* written */
};

struct squeeze *
squeeze_new(const char *path, struct err *err)
{
	struct squeeze *s = mem_zalloc(sizeof(*s));

	s->fd = open(
	    path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (s->fd < 0) {
		err_set(err, ERR_TRANSIENT, "cannot create %s: %s", path,
		    strerror(errno));
		free(s);
		return NULL;
	}
	s->zstd = ZSTD_createCCtx();
	if (s->zstd == NULL) {
		err_set(err, ERR_TRANSIENT, "out of memory");
		squeeze_free(s);
		return NULL;
	}
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, LEVEL);
	return s;
}

int
squeeze_leave(struct squeeze *s)
{
	int fd = s->fd;

	ZSTD_freeCCtx(s->zstd);
	buf_release(&s->out);
	free(s);
	return fd;
}

void
squeeze_free(struct squeeze *s)
{
	if (s != NULL)
		close(squeeze_leave(s));
}

bool
squeeze_is_removed(const struct squeeze *s)
{
	struct stat st;

	return fstat(s->fd, &st) == 0 && st.st_nlink == 0;
}

static int
write_out(struct squeeze *s, struct err *err)
{
	if (file_write(s->fd, buf_span(&s->out)) != 0)
		return err_set(
		    err, ERR_TRANSIENT, "cannot write: %s", strerror(errno));
	s->size += s->out.len;
	buf_reset(&s->out);
	return 0;
}

static int
compress(
    struct squeeze *s, struct span text, ZSTD_EndDirective end, struct err *err)
{
	ZSTD_inBuffer in = {text.p, text.n, 0};
	size_t left;

	do {
		ZSTD_outBuffer out = {buf_reserve(&s->out, CHUNK), CHUNK, 0};

		left = ZSTD_compressStream2(s->zstd, &out, &in, end);
		if (ZSTD_isError(left))
			return err_set(
			    err, ERR_BUG, "zstd: %s", ZSTD_getErrorName(left));
		s->out.len += out.pos;
	} while (end == ZSTD_e_continue ? in.pos < in.size : left > 0);
	return s->out.len >= WRITE_AT || end != ZSTD_e_continue
	    ? write_out(s, err)
	    : 0;
}

int
squeeze_add(struct squeeze *s, struct span text, struct err *err)
{
	return compress(s, text, ZSTD_e_continue, err);
}

int
squeeze_flush(struct squeeze *s, struct err *err)
{
	return compress(s, span_str(""), ZSTD_e_flush, err);
}

int
squeeze_end(struct squeeze *s, struct err *err)
{
	return compress(s, span_str(""), ZSTD_e_end, err);
}

uint64_t
squeeze_size(const struct squeeze *s)
{
	return s->size + s->out.len;
}
