#include "reel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "census.h"
#include "process/clock.h"
#include "process/log.h"
#include "record/reading.h"
#include "record/segments.h"
#include "segmentline.h"
#include "squeeze.h"

/* After a failure; and how often `busy` is called. */
enum { AGAIN_MS = 2000, BUSY_LINES = 256 };

struct reel {
	struct reel_opts o;
	struct squeeze *squeeze; /* NULL: not now */
	uint64_t sequence;	 /* of its last segment; 0: none yet */
	uint64_t limit;		 /* bytes at which the next one begins */
	/* The segment before, which the state is read from: open, since its
	 * name may be removed. -1: none. */
	int before;
	bool lost; /* since the last failure */
	uint64_t failed_ms;
	struct buf scratch;
};

static void
add_path(const struct reel *s, uint64_t sequence, struct buf *b)
{
	char name[SEGMENT_NAME_SIZE];

	segments_name(sequence, name);
	buf_adds(b, s->o.dir);
	buf_addc(b, '/');
	buf_adds(b, name);
}

/* Nothing is written to the segment any more. */
static void
leave(struct reel *s)
{
	if (s->squeeze == NULL)
		return;
	if (s->before >= 0)
		close(s->before);
	s->before = squeeze_leave(s->squeeze);
	s->squeeze = NULL;
}

/* Said once: everything until it works again has the same reason. */
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
	uint64_t size = 0;

	add_path(s, sequence, &path);
	if (lstat(buf_str(&path), &st) == 0 && S_ISREG(st.st_mode))
		size = (uint64_t)st.st_size;
	buf_release(&path);
	return size;
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
	struct segments all;
	struct err err;
	uint64_t total = room;

	if (segments_list(s->o.dir, &all, &err) != 0)
		return;
	for (size_t i = 0; i < all.count; i++)
		total += size_of(s, all.sequences[i]);
	for (size_t i = 0; i + 1 < all.count && total > s->o.size; i++) {
		total -= size_of(s, all.sequences[i]);
		drop(s, all.sequences[i]);
	}
	segments_release(&all);
}

/* ---- the state at the start of a segment ---- */

/* By its descriptor; without /proc by its name. */
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

static void
take_census(struct reel *s, struct census *c, struct reading *r)
{
	struct reading_line line;
	size_t number = 0;

	while (next_line(s, r, &line, &number))
		if (line.kind == READING_EVENT)
			census_take(c, line.text, number);
	census_close(c);
}

static int
copy_state(
    struct reel *s, const struct census *c, struct reading *r, struct err *err)
{
	struct reading_line line;
	size_t number = 0;

	while (next_line(s, r, &line, &number)) {
		if (!census_has(c, number))
			continue;
		buf_reset(&s->scratch);
		census_added(line.text, &s->scratch);
		if (squeeze_add(s->squeeze, buf_span(&s->scratch), err) != 0)
			return -1;
	}
	return 0;
}

/* Of the segment before, which is read twice instead of being remembered. */
static int
add_state(struct reel *s, struct span time, struct err *err)
{
	struct census *c = census_new(CENSUS_NUMBERS);
	struct reading *r = open_before(s);
	int rc = 0;

	if (r != NULL) {
		take_census(s, c, r);
		reading_free(r);
		buf_reset(&s->scratch);
		census_begins(c, time, &s->scratch);
		rc = squeeze_add(s->squeeze, buf_span(&s->scratch), err);
		r = open_before(s);
	}
	if (r != NULL && rc == 0)
		rc = copy_state(s, c, r, err);
	if (r != NULL && rc == 0) {
		buf_reset(&s->scratch);
		census_ends(c, time, &s->scratch);
		rc = squeeze_add(s->squeeze, buf_span(&s->scratch), err);
	}
	reading_free(r);
	census_free(c);
	return rc;
}

/* ---- segments ---- */

static int
add_header(struct reel *s, uint64_t sequence, const char *time, struct err *err)
{
	buf_reset(&s->scratch);
	segmentline_add(&s->scratch, sequence, time, s->o.facts);
	return squeeze_add(s->squeeze, buf_span(&s->scratch), err);
}

/* Another process may write segments there as well, or have removed all. */
static int
next_sequence(const struct reel *s, uint64_t *sequence, struct err *err)
{
	struct segments all;

	if (mkdir(s->o.dir, 0700) != 0 && errno != EEXIST)
		return err_set(err, ERR_TRANSIENT, "cannot make %s: %s",
		    s->o.dir, strerror(errno));
	if (segments_list(s->o.dir, &all, err) != 0)
		return -1;
	*sequence = s->sequence + 1;
	if (all.count > 0 && all.sequences[all.count - 1] >= *sequence)
		*sequence = all.sequences[all.count - 1] + 1;
	segments_release(&all);
	if (*sequence > SEGMENT_SEQUENCE_MAX)
		return err_set(err, ERR_TRANSIENT,
		    "%d.jsonl.zst has the last number there is: move the "
		    "segments to another directory",
		    SEGMENT_SEQUENCE_MAX);
	return 0;
}

/* All that a segment begins with. */
static int
add_start(struct reel *s, uint64_t sequence, struct err *err)
{
	char time[CLOCK_RFC3339_MAX];
	int rc;

	clock_format_us(clock_real_us(), time);
	rc = add_header(s, sequence, time, err);
	if (rc == 0 && s->before >= 0)
		rc = add_state(s, span_str(time), err);
	if (rc == 0 && s->lost) {
		buf_reset(&s->scratch);
		segmentline_add_gap(&s->scratch, time, "all");
		rc = squeeze_add(s->squeeze, buf_span(&s->scratch), err);
	}
	return rc == 0 ? squeeze_flush(s->squeeze, err) : rc;
}

/* The next segment; what could not be begun is removed again. */
static int
begin(struct reel *s, uint64_t sequence, struct err *err)
{
	struct buf path = BUF_INIT;

	add_path(s, sequence, &path);
	s->squeeze = squeeze_new(buf_str(&path), err);
	buf_release(&path);
	if (s->squeeze == NULL)
		return -1;
	if (add_start(s, sequence, err) != 0) {
		squeeze_free(s->squeeze);
		s->squeeze = NULL;
		drop(s, sequence);
		return -1;
	}
	if (s->before >= 0)
		close(s->before);
	s->before = -1;
	if (s->lost)
		log_info("%s: it can be written again", s->o.dir);
	s->lost = false;
	s->sequence = sequence;
	s->limit = squeeze_size(s->squeeze) + s->o.size / REEL_PARTS / 2;
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

	if (squeeze_end(s->squeeze, &err) != 0) {
		fail(s, &err);
		return;
	}
	leave(s);
	try_begin(s);
}

struct reel *
reel_new(const struct reel_opts *o, struct err *err)
{
	struct reel *s = mem_zalloc(sizeof(*s));
	struct stat st;

	*s = (struct reel){.o = *o, .before = -1};
	if (stat(o->dir, &st) == 0 && !S_ISDIR(st.st_mode)) {
		err_set(err, ERR_PERMANENT, "%s is not a directory", o->dir);
		free(s);
		return NULL;
	}
	try_begin(s);
	return s;
}

void
reel_line(struct reel *s, struct span line)
{
	struct err err = ERR_INIT;

	if (s->squeeze == NULL)
		return;
	if (squeeze_add(s->squeeze, line, &err) != 0 ||
	    squeeze_add(s->squeeze, span_str("\n"), &err) != 0)
		fail(s, &err);
	else if (squeeze_size(s->squeeze) >= s->limit)
		rotate(s);
}

void
reel_flush(struct reel *s)
{
	struct err err = ERR_INIT;

	if (s->squeeze == NULL) {
		if (clock_ms() - s->failed_ms >= AGAIN_MS)
			try_begin(s);
		return;
	}
	if (squeeze_flush(s->squeeze, &err) != 0) {
		fail(s, &err);
		return;
	}
	if (squeeze_is_removed(s->squeeze)) {
		err_set(&err, ERR_TRANSIENT, "the last segment was removed");
		fail(s, &err);
		try_begin(s);
		return;
	}
	if (squeeze_size(s->squeeze) >= s->limit)
		rotate(s);
	else
		make_room(s, 0);
}

bool
reel_fails(const struct reel *s)
{
	return s->squeeze == NULL;
}

void
reel_free(struct reel *s)
{
	struct err err = ERR_INIT;

	if (s == NULL)
		return;
	if (s->squeeze != NULL && squeeze_end(s->squeeze, &err) != 0)
		fail(s, &err);
	squeeze_free(s->squeeze);
	if (s->before >= 0)
		close(s->before);
	buf_release(&s->scratch);
	free(s);
}
