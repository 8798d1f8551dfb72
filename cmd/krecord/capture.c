#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/mem.h"
#include "census.h"
#include "conf/watches.h"
#include "hide.h"
#include "json/json.h"
#include "json/stream.h"
#include "process/clock.h"
#include "process/log.h"
#include "process/loop.h"
#include "record/reading.h"
#include "reel.h"
#include "report/reportfd.h"
#include "segmentline.h"

/* Lines wait for more to be compressed with them, at most so long. */
enum { FLUSH_MS = 500, AGAIN_MS = 2000 };
enum { PAUSE_MS = 5, LITTLE = 64 * 1024, PIPE_ROOM = 512 * 1024 };
/* MOST: read but not recorded, while a segment is begun. */
enum { CHUNK = 256 * 1024, MOST = 4 * STREAM_MAX, AROUND_LINE = 128 };
/* Lines that are live: behind the state, or without it. */
enum { WHOLE, FLOW, LIVES };

/* The number of streams: the table in open_inlets. */
enum { STREAMS = 7 };

/* A stream of lines, from a descriptor. */
struct inlet {
	const char *name; /* in gap lines */
	enum reading_kind kind;
	const char
	    *record;	  /* "record" of the wrapped line; NULL: not wrapped */
	const char *tool; /* tool of the results; NULL: other lines */
	int fd;		  /* -1: there is no stream, or it has ended */
	struct buf in;	  /* read and not recorded yet */
	bool skip;	  /* the rest of a line that is too long */
};

struct capture {
	struct loop *loop;
	struct hide *hide;
	struct reel *reel;	  /* NULL: nothing is written to disk */
	struct live *live[LIVES]; /* each may be NULL */
	struct inlet inlets[STREAMS];
	struct reportfd report;
	struct buf facts; /* members of each segment's first line */
	struct timer timer;
	uint64_t reads;
	size_t bytes; /* read since the last pause */
};

/* ---- lines at once ---- */

/*
 * The recording on a descriptor, for a process that reads it while it
 * goes on. The lines are those of a segment, and begin as one does: with its
 * first line and, if the reader wants it, the state. It begins again when
 * live_begin says so.
 *
 * Nothing waits for the reader. Lines wait in at most LIVE_MOST bytes; when
 * that is full they are dropped until all the others are written, then it
 * begins again, with a gap line. So a reader of the state knows in the end what
 * there is.
 *
 * A reader may find the beginning of a line that never ends, of a process that
 * was killed: each beginning has a newline before it.
 *
 * Memory: with the state, the last version of each object besides.
 */
enum { LIVE_MOST = 8 * 1024 * 1024, LIVE_END_MS = 1000 };

struct live {
	struct loop *loop;
	int fd;
	struct span facts;
	struct census *census; /* NULL: without the state */
	size_t number;	       /* events so far */
	uint64_t sequence;     /* beginnings so far */
	struct buf state;      /* the last line about the pipeline */
	/* Written in this order: */
	struct buf head;
	struct census_state objects; /* borrows nothing of the census */
	struct buf tail;	     /* the rest of a beginning */
	struct buf lines;	     /* lines since the beginning */
	bool lost;		     /* lines were left out */
	bool waiting;		     /* for room in the pipe */
	bool gone;		     /* the reader is gone */
};

/* gap: lines were lost before. */
static void
live_restart(struct live *l, bool gap)
{
	char time[CLOCK_RFC3339_MAX];

	clock_format_us(clock_real_us(), time);
	buf_reset(&l->head);
	buf_reset(&l->tail);
	buf_reset(&l->lines);
	l->lost = false;
	census_state_release(&l->objects);
	buf_addc(&l->head, '\n');
	segmentline_add(&l->head, ++l->sequence, time, l->facts);
	if (gap)
		segmentline_add_gap(&l->head, time, "live");
	if (l->census == NULL)
		return;
	census_begins(l->census, span_str(time), &l->head);
	l->objects = census_state(l->census);
	census_ends(l->census, span_str(time), &l->tail);
	buf_addspan(&l->tail, buf_span(&l->state));
}

/* The next piece, if the one before is written. False: there is nothing. */
static bool
live_fill(struct live *l)
{
	struct span line;
	struct buf *next, empty;

	if (l->head.len > 0)
		return true;
	while (l->census != NULL && l->head.len < CHUNK &&
	    census_state_next(&l->objects, &line))
		census_added(line, &l->head);
	if (l->head.len == 0) {
		next = l->tail.len > 0 ? &l->tail : &l->lines;
		empty = l->head;
		l->head = *next;
		*next = empty;
	}
	if (l->head.len == 0 && l->lost)
		live_restart(l, true);
	return l->head.len > 0;
}

static void live_room(void *arg, int fd, int events);

/* 0: all is written; EAGAIN: there is no room. */
static int
live_put(struct live *l)
{
	while (!l->gone && live_fill(l)) {
		ssize_t n = write(l->fd, l->head.data, l->head.len);

		if (n >= 0) {
			buf_consume(&l->head, (size_t)n);
		} else if (errno == EAGAIN) {
			return EAGAIN;
		} else if (errno != EINTR) {
			log_warning("cannot write to the descriptor %d: %s: "
				    "nothing is live any more",
			    l->fd, strerror(errno));
			l->gone = true;
		}
	}
	return 0;
}

static void
live_flush(struct live *l)
{
	if (l->waiting || live_put(l) != EAGAIN)
		return;
	loop_watch(l->loop, l->fd, LOOP_WRITE, live_room, l);
	l->waiting = true;
}

static void
live_room(void *arg, int fd, int events)
{
	struct live *l = arg;

	(void)events;
	loop_unwatch(l->loop, fd);
	l->waiting = false;
	live_flush(l);
}

/* The descriptor is that of this option. Borrows all. NULL: it is not open. */
static struct live *
live_new(struct loop *loop, const char *option, int fd, bool with_state,
    struct span facts, struct err *err)
{
	struct live *l;
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0) {
		err_set(err, ERR_PERMANENT,
		    "option --%s: descriptor %d is not open", option, fd);
		return NULL;
	}
	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	l = mem_zalloc(sizeof(*l));
	*l = (struct live){.loop = loop,
	    .fd = fd,
	    .facts = facts,
	    .census = with_state ? census_new(CENSUS_LINES) : NULL};
	live_restart(l, false);
	return l;
}

/* Takes a line without its newline; live_flush follows. */
static void
live_line(struct live *l, enum reading_kind kind, struct span line)
{
	if (l->gone)
		return;
	if (kind == READING_EVENT && l->census != NULL)
		census_take(l->census, line, ++l->number);
	if (kind == READING_STATE && json_path(line, "line.phase").p != NULL) {
		buf_reset(&l->state);
		buf_addspan(&l->state, line);
		buf_addc(&l->state, '\n');
	}
	if (l->lost)
		return;
	if (l->lines.len > 0 && l->lines.len + line.n >= LIVE_MOST) {
		l->lost = true;
		return;
	}
	buf_addspan(&l->lines, line);
	buf_addc(&l->lines, '\n');
}

/* A new reader: drops the lines that wait, and writes a beginning. */
static void
live_begin(struct live *l)
{
	live_restart(l, false);
	live_flush(l);
}

/* Writes what waits, for at most LIVE_END_MS. NULL is fine. */
static void
live_free(struct live *l)
{
	uint64_t end;

	if (l == NULL)
		return;
	if (l->waiting)
		loop_unwatch(l->loop, l->fd);
	end = clock_ms() + LIVE_END_MS;
	while (live_put(l) == EAGAIN && clock_ms() < end)
		clock_wait_fd(l->fd, POLLOUT, end);
	/* A page is closed; but what is sent on has a gap at its end. */
	if (!l->gone && l->census == NULL && live_fill(l))
		log_warning("nothing reads the descriptor %d: its last lines "
			    "are lost",
		    l->fd);
	census_state_release(&l->objects);
	census_free(l->census);
	buf_release(&l->state);
	buf_release(&l->head);
	buf_release(&l->tail);
	buf_release(&l->lines);
	free(l);
}

/* ---- a line ---- */

static void
put_line(struct capture *c, enum reading_kind kind, struct span line)
{
	for (size_t i = 0; i < LIVES; i++)
		if (c->live[i] != NULL)
			live_line(c->live[i], kind, line);
	if (c->reel != NULL)
		reel_line(c->reel, line);
}

/* Some lines of the stream were lost. */
static void
put_gap(struct capture *c, const struct inlet *t)
{
	char time[CLOCK_RFC3339_MAX];
	struct buf b = BUF_INIT;

	clock_format_us(clock_real_us(), time);
	segmentline_add_gap(&b, time, t->name);
	put_line(c, READING_GAP, span_make(b.data, b.len - 1));
	buf_release(&b);
}

/* Whether the line begins as an event of kwatch does. */
static bool
is_event(struct span text)
{
	struct span head = text;

	if (head.n > 128)
		head.n = 128;
	return span_starts(head, "{\"type\":\"") &&
	    span_has(head, ",\"object\":{");
}

/* The event with its object changed, in the line as it is. A line that is not
 * an event is left out. */
static void
add_event(struct hide *h, struct span text, struct buf *out)
{
	struct json_frame f;
	size_t before;

	if (hide_is_needless(h, text) && is_event(text)) {
		buf_addspan(out, text);
		return;
	}
	if (json_frame(text, &f) != 0)
		return;
	before = (size_t)(f.object.p - text.p);
	buf_add(out, text.p, before);
	hide_framed(h, &f, out);
	buf_addspan(out, span_skip(text, before + f.object.n));
}

static void
add_wrapped(
    struct hide *h, const struct inlet *t, struct span text, struct buf *out)
{
	char time[CLOCK_RFC3339_MAX];

	clock_format_us(clock_real_us(), time);
	buf_adds(out, "{\"record\":\"");
	buf_adds(out, t->record);
	buf_adds(out, "\",\"time\":\"");
	buf_adds(out, time);
	buf_addc(out, '"');
	if (t->tool != NULL) {
		buf_adds(out, ",\"tool\":\"");
		buf_adds(out, t->tool);
		buf_addc(out, '"');
	}
	json_add_key(out, "line");
	hide_body(h, t->kind, text, out);
	buf_addc(out, '}');
}

static void
record_line(struct capture *c, struct inlet *t, struct span text)
{
	struct buf out = BUF_INIT, plain = BUF_INIT;
	struct err err;

	if (span_trim(text, SPAN_BLANKS).n == 0)
		return;
	/* A stage that has lost lines writes a gap line into its stream. */
	if (span_starts(text, "{\"record\":\"gap\"") ||
	    json_check(text, &err) != 0) {
		put_gap(c, t);
		return;
	}
	/* Kinds and keys are compared raw. */
	if (json_plain(text, &plain))
		text = buf_span(&plain);
	buf_reserve(&out, text.n + AROUND_LINE);
	if (t->record == NULL)
		add_event(c->hide, text, &out);
	else
		add_wrapped(c->hide, t, text, &out);
	if (out.len > 0)
		put_line(c, t->kind, buf_span(&out));
	buf_release(&out);
	buf_release(&plain);
}

/* ---- a stream ---- */

/* Reads once, at most so much that memory stays bounded. False: the end. */
static bool
read_inlet(struct inlet *t)
{
	ssize_t n;

	if (t->in.len >= MOST)
		return true;
	do
		n = read(t->fd, buf_reserve(&t->in, CHUNK), CHUNK);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN;
	t->in.len += (size_t)n;
	return n > 0;
}

/* Records the whole lines that have come. Meanwhile more may be read behind
 * them (keep_reading): so nothing points into the buffer then. */
static void
record_lines(struct capture *c, struct inlet *t)
{
	size_t at = 0;
	const char *end;

	while (
	    (end = span_find(span_skip(buf_span(&t->in), at), '\n')) != NULL) {
		size_t n = (size_t)(end - t->in.data) - at;

		if (!t->skip && n <= STREAM_MAX)
			record_line(c, t, span_make(t->in.data + at, n));
		else if (!t->skip)
			put_gap(c, t);
		t->skip = false;
		at += n + 1;
	}
	buf_consume(&t->in, at);
	if (t->in.len <= STREAM_MAX)
		return;
	if (!t->skip)
		put_gap(c, t);
	t->skip = true;
	buf_reset(&t->in);
}

/* While a segment is begun nothing is recorded, but what comes is kept. */
static void
keep_reading(void *arg)
{
	struct capture *c = arg;

	for (size_t i = 0; i < STREAMS; i++)
		if (c->inlets[i].fd >= 0)
			read_inlet(&c->inlets[i]);
}

/* The streams that kpipe itself writes do not count. */
static bool
has_ended(const struct capture *c)
{
	for (size_t i = 0; i < STREAMS; i++)
		if (c->inlets[i].fd >= 0 &&
		    c->inlets[i].kind != READING_STATE &&
		    c->inlets[i].kind != READING_SHADOW)
			return false;
	return true;
}

/* ---- events of the loop ---- */

/* Recorded lines become readable; a failure is tried again. */
static void
on_time(void *arg)
{
	struct capture *c = arg;

	if (c->reel == NULL)
		return;
	reel_flush(c->reel);
	if (reel_fails(c->reel))
		loop_after(c->loop, &c->timer, AGAIN_MS, on_time, c);
}

static void
flush_lives(struct capture *c)
{
	for (size_t i = 0; i < LIVES; i++)
		if (c->live[i] != NULL)
			live_flush(c->live[i]);
}

static void
on_readable(void *arg, int fd, int events)
{
	struct capture *c = arg;
	struct inlet *t = c->inlets;
	size_t before;
	bool more;

	(void)events;
	while (t < c->inlets + STREAMS && t->fd != fd)
		t++;
	if (t == c->inlets + STREAMS)
		return;
	c->reads++;
	before = t->in.len;
	more = read_inlet(t);
	c->bytes += t->in.len - before;
	record_lines(c, t);
	if (!loop_timer_armed(&c->timer))
		loop_after(c->loop, &c->timer, FLUSH_MS, on_time, c);
	/* A line without its end is a gap. */
	if (!more && t->in.len > 0)
		put_gap(c, t);
	flush_lives(c);
	if (more)
		return;
	buf_reset(&t->in);
	loop_unwatch(c->loop, fd);
	t->fd = -1;
	if (has_ended(c))
		loop_stop(c->loop);
}

/* Each read of a stage takes a place in a pipe that tee(2) fills: a large one
 * has some hundreds. */
static bool
have_room(const struct capture *c)
{
	for (size_t i = 0; i < STREAMS; i++) {
		const struct inlet *t = &c->inlets[i];
		bool teed = t->kind == READING_EVENT ||
		    t->kind == READING_SET || t->kind == READING_STATUS;

		if (teed && t->fd >= 0 &&
		    fcntl(t->fd, F_GETPIPE_SZ) < PIPE_ROOM)
			return false;
	}
	return true;
}

/* Lines that come one by one would each wake this process. When little has
 * come, more is there a moment later. */
static void
pause_a_little(void *arg)
{
	struct capture *c = arg;

	if (c->bytes > 0 && c->bytes < LITTLE && have_room(c))
		clock_wait_fd(-1, 0, clock_ms() + PAUSE_MS);
	c->bytes = 0;
}

static void
on_signal(void *arg, int signo)
{
	struct capture *c = arg;

	/* A new process reads the live stream, and needs the state. */
	if (signo == SIGUSR1)
		live_begin(c->live[WHOLE]);
	else
		loop_stop(c->loop);
}

static void
count(void *arg, struct buf *b)
{
	const struct capture *c = arg;

	reportfd_count(b, "reads", c->reads);
}

/* ---- start ---- */

static int
open_inlets(struct capture *c, const struct capture_opts *o, struct err *err)
{
	const struct {
		const char *name;
		enum reading_kind kind;
		const char *record, *tool;
		long fd;
	} streams[STREAMS] = {
	    {"events", READING_EVENT, NULL, NULL, o->events_fd},
	    {"sets", READING_SET, "set", NULL, o->sets_fd},
	    {"statuses", READING_STATUS, "status", NULL, o->statuses_fd},
	    {"results", READING_RESULT, "result", "kapply", o->results_fd},
	    {"results", READING_RESULT, "result", "kstatus",
		o->kstatus_results_fd},
	    {"states", READING_STATE, "state", NULL, o->states_fd},
	    {"shadow", READING_SHADOW, "shadow", NULL, o->shadow_fd}};

	for (size_t i = 0; i < STREAMS; i++) {
		int fd = (int)streams[i].fd;
		int flags = fd < 0 ? 0 : fcntl(fd, F_GETFL);

		c->inlets[i] = (struct inlet){.name = streams[i].name,
		    .kind = streams[i].kind,
		    .record = streams[i].record,
		    .tool = streams[i].tool,
		    .fd = fd};
		if (flags < 0)
			return err_set(err, ERR_PERMANENT,
			    "the descriptor %d of %s is not open", fd,
			    streams[i].name);
		if (fd < 0)
			continue;
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
		loop_watch(c->loop, fd, LOOP_READ, on_readable, c);
	}
	if (has_ended(c))
		return err_set(err, ERR_PERMANENT,
		    "there is nothing to record: see the options --events-fd, "
		    "--sets-fd, --statuses-fd and --results-fd");
	return 0;
}

/* Lines go to the directory or a descriptor at least. */
static int
open_outputs(struct capture *c, const struct capture_opts *o, struct err *err)
{
	struct reel_opts reel = {.dir = o->dir,
	    .size = o->size,
	    .facts = buf_span(&c->facts),
	    .busy = keep_reading,
	    .arg = c};

	if (o->live_fd >= 0 &&
	    (c->live[WHOLE] = live_new(c->loop, "live-fd", (int)o->live_fd,
		 true, reel.facts, err)) == NULL)
		return -1;
	if (o->flow_fd >= 0 &&
	    (c->live[FLOW] = live_new(c->loop, "flow-fd", (int)o->flow_fd,
		 false, reel.facts, err)) == NULL)
		return -1;
	if (o->dir != NULL && (c->reel = reel_new(&reel, err)) == NULL)
		return -1;
	return 0;
}

static int
start(struct capture *c, const struct capture_opts *o, const struct watches *w,
    struct err *err)
{
	if (open_inlets(c, o, err) != 0 ||
	    (c->hide = hide_new(o->dir, w, err)) == NULL)
		return -1;
	buf_adds(&c->facts, "\"digests\":\"");
	hide_add_key_name(c->hide, &c->facts);
	buf_addc(&c->facts, '"');
	if (w != NULL) {
		json_add_key(&c->facts, "programs");
		segmentline_add_programs(&c->facts, w);
	}
	return open_outputs(c, o, err);
}

static void
run(struct capture *c)
{
	loop_idle(c->loop, pause_a_little, c);
	loop_signal(c->loop, SIGTERM, on_signal, c);
	loop_signal(c->loop, SIGINT, on_signal, c);
	if (c->live[WHOLE] != NULL)
		loop_signal(c->loop, SIGUSR1, on_signal, c);
	flush_lives(c);
	loop_after(c->loop, &c->timer, FLUSH_MS, on_time, c);
	reportfd_ready(&c->report);
	reportfd_send(&c->report);
	loop_run(c->loop);
	/* kpipe writes that it ends, and its stages end before that is read. */
	keep_reading(c);
	for (size_t i = 0; i < STREAMS; i++)
		if (c->inlets[i].fd >= 0)
			record_lines(c, &c->inlets[i]);
	reportfd_send(&c->report);
}

int
capture_run(const struct capture_opts *o, struct err *err)
{
	struct capture c = {0};
	struct watches *w = NULL;
	int rc;

	signal(SIGPIPE, SIG_IGN);
	/* A segment that grows beyond a limit fails like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	if (o->watches != NULL &&
	    (w = watches_load(o->watches, NULL, err)) == NULL)
		return -1;
	c.loop = loop_new();
	reportfd_init(
	    &c.report, c.loop, "krecord", (int)o->report_fd, count, &c);
	rc = start(&c, o, w, err);
	if (rc == 0)
		run(&c);
	for (size_t i = 0; i < LIVES; i++)
		live_free(c.live[i]);
	reel_free(c.reel);
	hide_free(c.hide);
	buf_release(&c.facts);
	for (size_t i = 0; i < STREAMS; i++)
		buf_release(&c.inlets[i].in);
	reportfd_release(&c.report);
	loop_free(c.loop);
	watches_free(w);
	return rc;
}
