#include "live.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "census.h"
#include "json/json.h"
#include "process/clock.h"
#include "process/log.h"
#include "segmentline.h"

enum { CHUNK = 256 * 1024 };

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
begin(struct live *l, bool gap)
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
fill(struct live *l)
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
		begin(l, true);
	return l->head.len > 0;
}

static void on_room(void *arg, int fd, int events);

/* 0: all is written; EAGAIN: there is no room. */
static int
put(struct live *l)
{
	while (!l->gone && fill(l)) {
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

void
live_flush(struct live *l)
{
	if (l->waiting || put(l) != EAGAIN)
		return;
	loop_watch(l->loop, l->fd, LOOP_WRITE, on_room, l);
	l->waiting = true;
}

static void
on_room(void *arg, int fd, int events)
{
	struct live *l = arg;

	(void)events;
	loop_unwatch(l->loop, fd);
	l->waiting = false;
	live_flush(l);
}

struct live *
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
	begin(l, false);
	return l;
}

void
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

void
live_begin(struct live *l)
{
	begin(l, false);
	live_flush(l);
}

void
live_free(struct live *l)
{
	uint64_t end;

	if (l == NULL)
		return;
	if (l->waiting)
		loop_unwatch(l->loop, l->fd);
	end = clock_ms() + LIVE_END_MS;
	while (put(l) == EAGAIN && clock_ms() < end)
		clock_wait_fd(l->fd, POLLOUT, end);
	/* A page is closed; but what is sent on has a gap at its end. */
	if (!l->gone && l->census == NULL && fill(l))
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
