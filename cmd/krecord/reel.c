#include "reel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "census.h"
#include "process/clock.h"
#include "process/file.h"
#include "process/log.h"
#include "record/reading.h"
#include "segmentline.h"

/* AGAIN_MS: delay after a failure. BUSY_LINES: how often `busy` is called. */
enum { AGAIN_MS = 2000, BUSY_LINES = 256 };
/* Level 1 costs a third of level 3, for a tenth more bytes. */
enum { LEVEL = 1, CHUNK = 128 * 1024, WRITE_AT = 64 * 1024 };

struct reel {
	struct reel_opts o;
	/* The segment that is written, compressed. A reader gets everything up
	 * to the last flush, whatever happens to this process then. */
	int fd; /* -1: there is none now */
	ZSTD_CCtx *zstd;
	struct buf packed;
	uint64_t written;  /* bytes of it */
	uint64_t sequence; /* number of the last segment; 0: none yet */
	uint64_t limit;	   /* bytes at which the next segment begins */
	/* The segment before, which the state is read from: open, since its
	 * name may be removed. -1: none. */
	int before;
	bool lost; /* lines are lost since the last failure */
	uint64_t failed_ms;
	struct buf scratch;
};

static void
add_path(const struct reel *s, uint64_t sequence, struct buf *b)
{
	char name[READING_NAME_SIZE];

	reading_segment_name(sequence, name);
	buf_adds(b, s->o.dir);
	buf_addc(b, '/');
	buf_adds(b, name);
}

/* ---- a segment, compressed as it is written ---- */

/* The size of the segment so far. */
static uint64_t
size(const struct reel *s)
{
	return s->written + s->packed.len;
}

static int
pack(struct reel *s, struct span text, ZSTD_EndDirective end, struct err *err)
{
	ZSTD_inBuffer in = {text.p, text.n, 0};
	size_t left;

	do {
		ZSTD_outBuffer out = {buf_reserve(&s->packed, CHUNK), CHUNK, 0};

		left = ZSTD_compressStream2(s->zstd, &out, &in, end);
		if (ZSTD_isError(left))
			return err_set(
			    err, ERR_BUG, "zstd: %s", ZSTD_getErrorName(left));
		s->packed.len += out.pos;
	} while (end == ZSTD_e_continue ? in.pos < in.size : left > 0);
	if (s->packed.len < WRITE_AT && end == ZSTD_e_continue)
		return 0;
	if (file_write(s->fd, buf_span(&s->packed)) != 0)
		return err_set(
		    err, ERR_TRANSIENT, "cannot write: %s", strerror(errno));
	s->written += s->packed.len;
	buf_reset(&s->packed);
	return 0;
}

static int
pack_scratch(struct reel *s, struct err *err)
{
	return pack(s, buf_span(&s->scratch), ZSTD_e_continue, err);
}

/* Creates the file; one that is there already, or a link, is an error. */
static int
create(struct reel *s, const char *path, struct err *err)
{
	if (s->zstd == NULL && (s->zstd = ZSTD_createCCtx()) == NULL)
		return err_set(err, ERR_TRANSIENT, "out of memory");
	ZSTD_CCtx_reset(s->zstd, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, LEVEL);
	s->fd = open(
	    path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (s->fd < 0)
		return err_set(err, ERR_TRANSIENT, "cannot create %s: %s", path,
		    strerror(errno));
	buf_reset(&s->packed);
	s->written = 0;
	return 0;
}

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Nothing is written to the segment any more. */
static void
leave(struct reel *s)
{
	if (s->fd < 0)
		return;
	close_fd(&s->before);
	s->before = s->fd;
	s->fd = -1;
}

/* Logged once: everything until it works again has the same reason. */
static void
fail(struct reel *s, const struct err *err)
{
	if (!s->lost)
		log_error("%s: %s: lines are lost until it can be written "
			  "again",
		    s->o.dir, err->message);
	s->lost = true;
	s->failed_ms = clock_ms();
	leave(s);
}

/* ---- room ---- */

static uint64_t
size_of(const struct reel *s, uint64_t sequence)
{
	struct buf path = BUF_INIT;
	struct stat st;
	uint64_t bytes = 0;

	add_path(s, sequence, &path);
	if (lstat(buf_str(&path), &st) == 0 && S_ISREG(st.st_mode))
		bytes = (uint64_t)st.st_size;
	buf_release(&path);
	return bytes;
}

static void
drop(const struct reel *s, uint64_t sequence)
{
	struct buf path = BUF_INIT;
	struct stat st;

	add_path(s, sequence, &path);
	if (lstat(buf_str(&path), &st) == 0 && S_ISREG(st.st_mode))
		unlink(buf_str(&path));
	buf_release(&path);
}

/* Removes the oldest until there is room for so many bytes; never the last. */
static void
make_room(const struct reel *s, uint64_t room)
{
	struct reading_segments all;
	struct err err;
	uint64_t total = room;

	if (reading_list_segments(s->o.dir, &all, &err) != 0)
		return;
	for (size_t i = 0; i < all.count; i++)
		total += size_of(s, all.sequences[i]);
	for (size_t i = 0; i + 1 < all.count && total > s->o.size; i++) {
		total -= size_of(s, all.sequences[i]);
		drop(s, all.sequences[i]);
	}
	free(all.sequences);
}

/* ---- the state at the start of a segment ---- */

/* Opens the segment before by its descriptor; without /proc, by its name. */
static struct reading *
open_before(struct reel *s)
{
	struct buf path = BUF_INIT;
	const char *paths[1];
	struct reading *r;
	struct err err;

	buf_addf(&path, "/proc/self/fd/%d", s->before);
	if (access(buf_str(&path), R_OK) != 0) {
		buf_reset(&path);
		add_path(s, s->sequence, &path);
	}
	paths[0] = buf_str(&path);
	r = reading_new(paths, 1, &err);
	if (r == NULL)
		log_warning("%s", err.message);
	buf_release(&path);
	return r;
}

/* The next line of the segment, counted; its own end may be missing. */
static bool
next_line(struct reel *s, struct reading *r, struct reading_line *line,
    size_t *number)
{
	enum reading_result result;

	do {
		result = reading_next(r, line);
		if (++*number % BUSY_LINES == 0 && s->o.busy != NULL)
			s->o.busy(s->o.arg);
	} while (result == READING_BAD);
	return result == READING_LINE;
}

/* The segment before is read twice, instead of being remembered: first to find
 * the lines that are part of the state, then to copy them. */
static int
add_state(struct reel *s, struct span time, struct err *err)
{
	struct census *c = census_new(CENSUS_NUMBERS);
	struct reading *r = open_before(s);
	struct reading_line line;
	size_t number = 0;
	int rc = 0;

	if (r != NULL) {
		while (next_line(s, r, &line, &number))
			if (line.kind == READING_EVENT)
				census_take(c, line.text, number);
		census_close(c);
		reading_free(r);
		buf_reset(&s->scratch);
		census_begins(c, time, &s->scratch);
		rc = pack_scratch(s, err);
		r = open_before(s);
	}
	number = 0;
	while (r != NULL && rc == 0 && next_line(s, r, &line, &number)) {
		if (!census_has(c, number))
			continue;
		buf_reset(&s->scratch);
		census_added(line.text, &s->scratch);
		rc = pack_scratch(s, err);
	}
	if (r != NULL && rc == 0) {
		buf_reset(&s->scratch);
		census_ends(c, time, &s->scratch);
		rc = pack_scratch(s, err);
	}
	reading_free(r);
	census_free(c);
	return rc;
}

/* ---- segments ---- */

/* Another process may write segments there as well, or have removed all. */
static int
next_sequence(const struct reel *s, uint64_t *sequence, struct err *err)
{
	struct reading_segments all;

	if (mkdir(s->o.dir, 0700) != 0 && errno != EEXIST)
		return err_set(err, ERR_TRANSIENT, "cannot make %s: %s",
		    s->o.dir, strerror(errno));
	if (reading_list_segments(s->o.dir, &all, err) != 0)
		return -1;
	*sequence = s->sequence + 1;
	if (all.count > 0 && all.sequences[all.count - 1] >= *sequence)
		*sequence = all.sequences[all.count - 1] + 1;
	free(all.sequences);
	if (*sequence > READING_SEQUENCE_MAX)
		return err_set(err, ERR_TRANSIENT,
		    "%d.jsonl.zst has the last number there is: move the "
		    "segments to another directory",
		    READING_SEQUENCE_MAX);
	return 0;
}

/* All that a segment begins with. */
static int
add_start(struct reel *s, uint64_t sequence, struct err *err)
{
	char time[CLOCK_RFC3339_MAX];
	int rc;

	clock_format_us(clock_real_us(), time);
	buf_reset(&s->scratch);
	segmentline_add(&s->scratch, sequence, time, s->o.facts);
	rc = pack_scratch(s, err);
	if (rc == 0 && s->before >= 0)
		rc = add_state(s, span_str(time), err);
	if (rc == 0 && s->lost) {
		buf_reset(&s->scratch);
		segmentline_add_gap(&s->scratch, time, "all");
		rc = pack_scratch(s, err);
	}
	return rc == 0 ? pack(s, SPAN_NONE, ZSTD_e_flush, err) : rc;
}

/* The next segment; one that could not be begun is removed again. */
static int
begin(struct reel *s, uint64_t sequence, struct err *err)
{
	struct buf path = BUF_INIT;
	int rc;

	add_path(s, sequence, &path);
	rc = create(s, buf_str(&path), err);
	buf_release(&path);
	if (rc != 0)
		return -1;
	if (add_start(s, sequence, err) != 0) {
		close_fd(&s->fd);
		drop(s, sequence);
		return -1;
	}
	close_fd(&s->before);
	if (s->lost)
		log_info("%s: it can be written again", s->o.dir);
	s->lost = false;
	s->sequence = sequence;
	s->limit = size(s) + s->o.size / REEL_PARTS / 2;
	if (s->limit < s->o.size / REEL_PARTS)
		s->limit = s->o.size / REEL_PARTS;
	return 0;
}

static void
try_begin(struct reel *s)
{
	struct err err = ERR_INIT;
	uint64_t sequence = 0;

	if (next_sequence(s, &sequence, &err) == 0) {
		make_room(s, s->o.size / REEL_PARTS);
		if (begin(s, sequence, &err) == 0)
			return;
	}
	fail(s, &err);
}

static void
rotate(struct reel *s)
{
	struct err err = ERR_INIT;

	if (pack(s, SPAN_NONE, ZSTD_e_end, &err) != 0) {
		fail(s, &err);
		return;
	}
	leave(s);
	try_begin(s);
}

struct reel *
reel_new(const struct reel_opts *o, struct err *err)
{
	struct reel *s;
	struct stat st;

	if (stat(o->dir, &st) == 0 && !S_ISDIR(st.st_mode)) {
		err_set(err, ERR_PERMANENT, "%s is not a directory", o->dir);
		return NULL;
	}
	s = mem_zalloc(sizeof(*s));
	*s = (struct reel){.o = *o, .fd = -1, .before = -1};
	try_begin(s);
	return s;
}

void
reel_line(struct reel *s, struct span line)
{
	struct err err = ERR_INIT;

	if (s->fd < 0)
		return;
	if (pack(s, line, ZSTD_e_continue, &err) != 0 ||
	    pack(s, span_str("\n"), ZSTD_e_continue, &err) != 0)
		fail(s, &err);
	else if (size(s) >= s->limit)
		rotate(s);
}

void
reel_flush(struct reel *s)
{
	struct err err = ERR_INIT;
	struct stat st;

	if (s->fd < 0) {
		if (clock_ms() - s->failed_ms >= AGAIN_MS)
			try_begin(s);
		return;
	}
	if (pack(s, SPAN_NONE, ZSTD_e_flush, &err) != 0) {
		fail(s, &err);
		return;
	}
	if (fstat(s->fd, &st) == 0 && st.st_nlink == 0) {
		err_set(&err, ERR_TRANSIENT, "the last segment was removed");
		fail(s, &err);
		try_begin(s);
		return;
	}
	if (size(s) >= s->limit)
		rotate(s);
	else
		make_room(s, 0);
}

bool
reel_fails(const struct reel *s)
{
	return s->fd < 0;
}

void
reel_free(struct reel *s)
{
	struct err err = ERR_INIT;

	if (s == NULL)
		return;
	if (s->fd >= 0 && pack(s, SPAN_NONE, ZSTD_e_end, &err) != 0)
		fail(s, &err);
	close_fd(&s->fd);
	close_fd(&s->before);
	ZSTD_freeCCtx(s->zstd);
	buf_release(&s->packed);
	buf_release(&s->scratch);
	free(s);
}
