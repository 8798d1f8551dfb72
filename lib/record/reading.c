#include "record/reading.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/buf.h"
#include "base/mem.h"
#include "json/json.h"
#include "json/stream.h"

/* ---- the files of a directory ---- */

enum { DIGITS = 8 };
static const char suffix[] = ".jsonl.zst";

void
reading_segment_name(uint64_t sequence, char name[READING_NAME_SIZE])
{
	snprintf(name, READING_NAME_SIZE, "%08" PRIu64 "%s",
	    sequence % (READING_SEQUENCE_MAX + 1), suffix);
}

/* Whether the name is one of a segment, and which. */
static bool
segment_sequence(const char *name, uint64_t *sequence)
{
	struct span s = span_str(name);

	return s.n == DIGITS + strlen(suffix) && span_ends(s, suffix) &&
	    span_number(span_make(s.p, DIGITS), READING_SEQUENCE_MAX, sequence);
}

static int
compare_sequences(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int
reading_list_segments(
    const char *dir, struct reading_segments *s, struct err *err)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	uint64_t sequence;

	*s = (struct reading_segments){0};
	if (d == NULL)
		return err_set(err, ERR_PERMANENT, "cannot read %s: %s", dir,
		    strerror(errno));
	while ((entry = readdir(d)) != NULL) {
		if (!segment_sequence(entry->d_name, &sequence))
			continue;
		s->sequences =
		    mem_grow(s->sequences, s->count, sizeof(*s->sequences));
		s->sequences[s->count++] = sequence;
	}
	closedir(d);
	if (s->count > 0)
		qsort(s->sequences, s->count, sizeof(*s->sequences),
		    compare_sequences);
	return 0;
}

/* ---- the bytes of a file ---- */

/*
 * The bytes of a file that is plain or compressed by zstd, which its first byte
 * tells. Several compressed files in one (cat a.zst b.zst) are read one after the
 * other.
 *
 * Every byte that a writer has flushed is given out, also if the end of the file
 * is missing, or if the end of a part in its middle is: then the rest goes on
 * with the next part. Memory: a chunk of input, and the window of zstd, at most
 * 2^WINDOW_LOG bytes.
 */
enum unpack_result {
	UNPACK_BYTES, /* bytes were appended */
	UNPACK_CUT,   /* here bytes are missing; call again: the rest goes on */
	UNPACK_END,   /* the end of the file */
	UNPACK_FAILED /* err: it cannot be read any further */
};

enum { CHUNK = 64 * 1024, MAGIC = 4, HEADER = 3, WINDOW_LOG = 23 };
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

/* fd is taken; it blocks. */
static struct unpack *
unpack_new(int fd)
{
	struct unpack *u = mem_zalloc(sizeof(*u));

	u->fd = fd;
	return u;
}

static void
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
	ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, WINDOW_LOG);
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
end_part(struct unpack *u)
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
		    1 << (WINDOW_LOG - 20));
		return UNPACK_FAILED;
	}
	if (ZSTD_isError(left))
		return end_part(u);
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

static enum unpack_result
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
			return end_part(u);
		}
		r = decompress(u, out, err);
		if (r != UNPACK_BYTES || out->len > before)
			return r;
	}
}

/* ---- lines, one by one ---- */

struct reading_source {
	char *path; /* owned */
	bool segment;
};

struct reading {
	struct reading_source *sources;
	size_t count, next; /* the next one to be opened */
	const char *path;   /* the open one's, for people */
	bool segment;	    /* the open one is in a directory */
	struct unpack *unpack;
	struct buf bytes; /* unpacked, from `at` on not given out yet */
	struct buf plain; /* the line without needless escapes */
	size_t at, seen;  /* seen: no newline between at and seen */
	size_t number;
	bool skip;   /* the rest of a line that is too long */
	bool at_end; /* the open source has ended */
	bool at_cut; /* the rest of bytes is a line without its end */
	bool was_cut;
};

static void
add_source(struct reading *r, char *path, bool segment)
{
	r->sources = mem_grow(r->sources, r->count, sizeof(*r->sources));
	r->sources[r->count++] = (struct reading_source){path, segment};
}

static int
add_directory(struct reading *r, const char *dir, struct err *err)
{
	struct reading_segments s;
	struct buf path = BUF_INIT;
	char name[READING_NAME_SIZE];

	if (reading_list_segments(dir, &s, err) != 0)
		return -1;
	if (s.count == 0)
		err_set(err, ERR_PERMANENT,
		    "%s has no segments (NNNNNNNN.jsonl.zst): is it the "
		    "directory of a recording?",
		    dir);
	for (size_t i = 0; i < s.count; i++) {
		reading_segment_name(s.sequences[i], name);
		buf_adds(&path, dir);
		buf_addc(&path, '/');
		buf_adds(&path, name);
		add_source(r, buf_take(&path), true);
	}
	free(s.sequences);
	return err->kind == ERR_NONE ? 0 : -1;
}

struct reading *
reading_new(const char *const *paths, size_t count, struct err *err)
{
	struct reading *r = mem_zalloc(sizeof(*r));
	struct stat st;

	*err = (struct err)ERR_INIT;
	for (size_t i = 0; i < count && err->kind == ERR_NONE; i++) {
		if (strcmp(paths[i], "-") == 0)
			add_source(r, mem_strdup(paths[i]), false);
		else if (stat(paths[i], &st) != 0)
			err_set(err, ERR_PERMANENT, "cannot read %s: %s",
			    paths[i], strerror(errno));
		else if (S_ISDIR(st.st_mode))
			add_directory(r, paths[i], err);
		else
			add_source(r, mem_strdup(paths[i]), false);
	}
	if (err->kind == ERR_NONE)
		return r;
	reading_free(r);
	return NULL;
}

static void
close_source(struct reading *r)
{
	unpack_free(r->unpack);
	r->unpack = NULL;
	buf_reset(&r->bytes);
	r->at = r->seen = 0;
	r->skip = r->at_end = r->at_cut = false;
}

void
reading_free(struct reading *r)
{
	if (r == NULL)
		return;
	close_source(r);
	for (size_t i = 0; i < r->count; i++)
		free(r->sources[i].path);
	free(r->sources);
	buf_release(&r->bytes);
	buf_release(&r->plain);
	free(r);
}

/* 1: it is open; 0: it was left out; -1 with err. */
static int
open_next(struct reading *r, struct err *err)
{
	const struct reading_source *s = &r->sources[r->next++];
	bool input = strcmp(s->path, "-") == 0;
	/* A FIFO among segments would be waited for without an end. */
	int flags = O_RDONLY | O_CLOEXEC | (s->segment ? O_NONBLOCK : 0);
	int fd = input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
		       : open(s->path, flags);
	struct stat st;

	if (fd < 0 && errno == ENOENT && s->segment)
		return 0;
	r->path = input ? "standard input" : s->path;
	if (fd < 0)
		return err_set(err, ERR_PERMANENT, "cannot read %s: %s",
		    r->path, strerror(errno));
	if (s->segment && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		return err_set(err, ERR_PERMANENT,
		    "%s is not a file: move it out of the recording", r->path);
	}
	r->unpack = unpack_new(fd);
	r->segment = s->segment;
	r->number = 0;
	return 1;
}

static enum reading_result
bad(struct reading *r, struct reading_line *line)
{
	err_prefix(&line->err, "%s:%zu", r->path, r->number);
	line->source = r->path;
	line->number = r->number;
	return READING_BAD;
}

static enum reading_result
cut(struct reading *r, struct reading_line *line)
{
	r->was_cut = line->cut = true;
	err_set(&line->err, ERR_PERMANENT,
	    "%s: the end is missing behind line %zu: it is being written, or "
	    "its writer was killed",
	    r->path, r->number);
	line->source = r->path;
	line->number = r->number;
	return READING_BAD;
}

/* A line of n bytes at the front: READING_END if it is empty. */
static enum reading_result
give(struct reading *r, size_t n, struct reading_line *line)
{
	struct span text = span_make(r->bytes.data + r->at, n);
	struct err err = ERR_INIT;

	r->number++;
	if (span_trim(text, SPAN_BLANKS).n == 0)
		return READING_END;
	if (n > STREAM_MAX)
		err_set(&err, ERR_PERMANENT, "longer than " STREAM_MAX_TEXT);
	else if (json_check(text, &err) == 0) {
		buf_reset(&r->plain);
		if (json_plain(text, &r->plain))
			text = buf_span(&r->plain);
		reading_sort(text, line, &err);
	}
	line->err = err;
	if (err.kind != ERR_NONE) {
		line->err.kind = ERR_PERMANENT;
		bad(r, line);
		return err.kind == ERR_GONE ? READING_FAILED : READING_BAD;
	}
	line->text = text;
	line->source = r->path;
	line->number = r->number;
	return READING_LINE;
}

/* Reads more, and drops what was given out. */
static enum reading_result
more(struct reading *r, struct reading_line *line)
{
	enum unpack_result u;

	buf_consume(&r->bytes, r->at);
	r->seen -= r->at;
	r->at = 0;
	u = unpack_next(r->unpack, &r->bytes, &line->err);
	r->at_end = u == UNPACK_END;
	r->at_cut = u == UNPACK_CUT;
	if (u != UNPACK_FAILED)
		return READING_LINE;
	err_prefix(&line->err, "%s", r->path);
	return READING_FAILED;
}

/* Skips what is too long; keeps no more of it than tells so. */
static enum reading_result
too_long(struct reading *r, struct reading_line *line)
{
	enum reading_result result = READING_END;

	if (!r->skip) {
		result = give(r, r->bytes.len - r->at, line);
		r->number--;
	}
	r->skip = true;
	r->at = r->seen = r->bytes.len;
	return result;
}

/* The rest, which has no newline, at the end of the source or at a cut. */
static enum reading_result
give_rest(struct reading *r, struct reading_line *line)
{
	size_t n = r->bytes.len - r->at;
	bool whole = !r->skip && n > 0 && !r->at_cut &&
	    json_check(span_make(r->bytes.data + r->at, n), NULL) == 0;
	bool missing = r->at_cut || (n > 0 && !whole) || r->skip ||
	    (r->segment && r->number == 0 && n == 0);
	enum reading_result result = READING_END;

	if (whole)
		result = give(r, n, line);
	else if (missing)
		result = cut(r, line);
	line->half = line->cut && (n > 0 || r->skip);
	r->at = r->seen = r->bytes.len;
	r->skip = r->at_cut = false;
	r->segment = false;
	return result;
}

/* READING_END: nothing to give out, call again. */
static enum reading_result
step(struct reading *r, struct reading_line *line)
{
	const char *from = r->bytes.data + r->seen, *newline = NULL;
	size_t at = r->at, n;
	enum reading_result result = READING_END;

	if (r->bytes.len > r->seen)
		newline = memchr(from, '\n', r->bytes.len - r->seen);
	if (newline == NULL) {
		r->seen = r->bytes.len;
		if (r->at_cut || r->at_end)
			return give_rest(r, line);
		if (r->bytes.len - r->at > STREAM_MAX || r->skip)
			result = too_long(r, line);
		if (result == READING_END && more(r, line) == READING_FAILED)
			return READING_FAILED;
		return result;
	}
	n = (size_t)(newline - r->bytes.data) - at;
	if (r->skip)
		r->number++;
	else
		result = give(r, n, line);
	r->skip = false;
	r->at = r->seen = at + n + 1;
	return result;
}

enum reading_result
reading_next(struct reading *r, struct reading_line *line)
{
	enum reading_result result = READING_END;

	*line = (struct reading_line){.source = "", .err = ERR_INIT};
	while (result == READING_END) {
		if (r->unpack != NULL && r->at_end && r->at == r->bytes.len &&
		    !(r->segment && r->number == 0))
			close_source(r);
		if (r->unpack == NULL) {
			if (r->next == r->count)
				return READING_END;
			if (open_next(r, &line->err) < 0)
				return READING_FAILED;
			continue;
		}
		result = step(r, line);
	}
	return result;
}

bool
reading_was_cut(const struct reading *r)
{
	return r->was_cut;
}
