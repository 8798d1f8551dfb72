#include "capture.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "conf/watches.h"
#include "digestkey.h"
#include "hide.h"
#include "inlet.h"
#include "json/json.h"
#include "outlet.h"
#include "process/clock.h"
#include "process/log.h"
#include "process/loop.h"
#include "programversion.h"
#include "report/reportfd.h"

/* Lines wait for more to be compressed with them, at most so long. */
enum { FLUSH_MS = 500, AGAIN_MS = 2000 };
enum { PAUSE_MS = 5, LITTLE = 64 * 1024, ROOM = 512 * 1024 };
enum { STREAMS = 7 };

struct capture {
	struct loop *loop;
	struct hide *hide;
	struct outlet outlet;
	struct inlet inlets[STREAMS];
	struct reportfd report;
	struct buf facts; /* of the first line of each segment */
	struct timer timer;
	uint64_t reads;
	size_t bytes; /* read since the last pause */
};

static void
count(void *arg, struct buf *b)
{
	const struct capture *c = arg;

	reportfd_count(b, "reads", c->reads);
}

/* While a segment is begun nothing is recorded, but what comes is kept. */
static void
keep_reading(void *arg)
{
	struct capture *c = arg;

	for (size_t i = 0; i < STREAMS; i++)
		if (c->inlets[i].fd >= 0)
			inlet_read(&c->inlets[i]);
}

static bool
has_ended(const struct capture *c)
{
	size_t open = 0;

	for (size_t i = 0; i < STREAMS; i++)
		open += c->inlets[i].fd >= 0 &&
		    c->inlets[i].kind != READING_STATE &&
		    c->inlets[i].kind != READING_SHADOW;
	return open == 0;
}

/* Recorded lines become readable; a failure is tried again. */
static void
on_time(void *arg)
{
	struct capture *c = arg;

	if (c->outlet.reel == NULL)
		return;
	reel_flush(c->outlet.reel);
	if (reel_fails(c->outlet.reel))
		loop_after(c->loop, &c->timer, AGAIN_MS, on_time, c);
}

static void
on_readable(void *arg, int fd, int events)
{
	struct capture *c = arg;
	struct inlet *t = NULL;
	size_t before;
	bool more;

	(void)events;
	for (size_t i = 0; i < STREAMS; i++)
		if (c->inlets[i].fd == fd)
			t = &c->inlets[i];
	if (t == NULL)
		return;
	c->reads++;
	before = t->in.len;
	more = inlet_read(t);
	c->bytes += t->in.len - before;
	inlet_record(t, &c->outlet, c->hide);
	if (!loop_timer_armed(&c->timer))
		loop_after(c->loop, &c->timer, FLUSH_MS, on_time, c);
	if (!more)
		inlet_end(t, &c->outlet);
	outlet_flush(&c->outlet);
	if (more)
		return;
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

		if (teed && t->fd >= 0 && fcntl(t->fd, F_GETPIPE_SZ) < ROOM)
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

	(void)signo;
	loop_stop(c->loop);
}

/* Another process reads what is live, and needs the state. */
static void
on_reader(void *arg, int signo)
{
	struct capture *c = arg;

	(void)signo;
	live_begin(c->outlet.live[OUTLET_WHOLE]);
}

static int
open_inlet(struct capture *c, struct inlet *t, struct err *err)
{
	int flags;

	if (t->fd < 0)
		return 0;
	flags = fcntl(t->fd, F_GETFL);
	if (flags < 0)
		return err_set(err, ERR_PERMANENT,
		    "the descriptor %d of %s is not open", t->fd, t->stream);
	fcntl(t->fd, F_SETFL, flags | O_NONBLOCK);
	loop_watch(c->loop, t->fd, LOOP_READ, on_readable, c);
	return 0;
}

static int
open_inlets(struct capture *c, const struct capture_opts *o, struct err *err)
{
	const struct inlet inlets[STREAMS] = {
	    {"events", READING_EVENT, NULL, (int)o->events_fd, BUF_INIT, false},
	    {"sets", READING_SET, NULL, (int)o->sets_fd, BUF_INIT, false},
	    {"statuses", READING_STATUS, NULL, (int)o->statuses_fd, BUF_INIT,
		false},
	    {"results", READING_RESULT, "kapply", (int)o->results_fd, BUF_INIT,
		false},
	    {"results", READING_RESULT, "kstatus", (int)o->kstatus_results_fd,
		BUF_INIT, false},
	    {"states", READING_STATE, NULL, (int)o->states_fd, BUF_INIT, false},
	    {"shadow", READING_SHADOW, NULL, (int)o->shadow_fd, BUF_INIT,
		false}};

	for (size_t i = 0; i < COUNT(inlets); i++) {
		c->inlets[i] = inlets[i];
		if (open_inlet(c, &c->inlets[i], err) != 0)
			return -1;
	}
	if (has_ended(c))
		return err_set(err, ERR_PERMANENT,
		    "there is nothing to record: see the options --events-fd, "
		    "--sets-fd, --statuses-fd and --results-fd");
	return 0;
}

/* kpipe says that it ends, and its stages end before that is read. */
static void
record_rest(struct capture *c)
{
	keep_reading(c);
	for (size_t i = 0; i < STREAMS; i++)
		if (c->inlets[i].fd >= 0)
			inlet_record(&c->inlets[i], &c->outlet, c->hide);
}

static void
run(struct capture *c)
{
	loop_idle(c->loop, pause_a_little, c);
	loop_signal(c->loop, SIGTERM, on_signal, c);
	loop_signal(c->loop, SIGINT, on_signal, c);
	if (c->outlet.live[OUTLET_WHOLE] != NULL)
		loop_signal(c->loop, SIGUSR1, on_reader, c);
	outlet_flush(&c->outlet);
	loop_after(c->loop, &c->timer, FLUSH_MS, on_time, c);
	reportfd_ready(&c->report);
	reportfd_send(&c->report);
	loop_run(c->loop);
	record_rest(c);
	reportfd_send(&c->report);
}

static int
open_live(
    struct capture *c, size_t i, const char *option, long fd, struct err *err)
{
	if (fd < 0)
		return 0;
	c->outlet.live[i] = live_new(c->loop, option, (int)fd,
	    i == OUTLET_WHOLE, buf_span(&c->facts), err);
	return c->outlet.live[i] != NULL ? 0 : -1;
}

/* Lines go to one of them at least. */
static int
open_outlet(struct capture *c, const struct capture_opts *o, struct err *err)
{
	struct reel_opts reel = {.dir = o->dir,
	    .size = o->size,
	    .facts = buf_span(&c->facts),
	    .busy = keep_reading,
	    .arg = c};

	if (open_live(c, OUTLET_WHOLE, "live-fd", o->live_fd, err) != 0 ||
	    open_live(c, OUTLET_FLOW, "flow-fd", o->flow_fd, err) != 0)
		return -1;
	if (o->dir != NULL && (c->outlet.reel = reel_new(&reel, err)) == NULL)
		return -1;
	return 0;
}

/* By the key of the directory, so that digests stay what they are when the
 * operator starts again. */
static int
open_hide(struct capture *c, const struct capture_opts *o,
    const struct watches *w, struct err *err)
{
	unsigned char key[REDACT_KEY_SIZE];
	struct redact *r;

	if (o->dir == NULL) {
		r = redact_new(err);
	} else if (digestkey_get(o->dir, key, err) == 0) {
		r = redact_new_keyed(key);
		explicit_bzero(key, sizeof(key));
	} else if (err->kind == ERR_PERMANENT) {
		return -1;
	} else {
		log_warning("%s: digests will compare only until krecord ends",
		    err->message);
		r = redact_new(err);
	}
	if (r == NULL)
		return -1;
	buf_adds(&c->facts, "\"digests\":\"");
	redact_add_name(r, &c->facts);
	buf_addc(&c->facts, '"');
	if (w != NULL) {
		json_add_key(&c->facts, "programs");
		programversion_add(&c->facts, w);
	}
	c->hide = hide_new(r, w);
	return 0;
}

int
capture_run(const struct capture_opts *o, struct err *err)
{
	struct capture c = {0};
	struct watches *w = NULL;
	int rc = -1;

	signal(SIGPIPE, SIG_IGN);
	/* A segment that grows beyond a limit fails like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	if (o->watches != NULL &&
	    (w = watches_load(o->watches, NULL, err)) == NULL)
		return -1;
	c.loop = loop_new();
	reportfd_init(
	    &c.report, c.loop, "krecord", (int)o->report_fd, count, &c);
	if (open_inlets(&c, o, err) == 0 && open_hide(&c, o, w, err) == 0)
		rc = open_outlet(&c, o, err);
	if (rc == 0)
		run(&c);
	outlet_release(&c.outlet);
	hide_free(c.hide);
	buf_release(&c.facts);
	for (size_t i = 0; i < STREAMS; i++)
		inlet_release(&c.inlets[i]);
	reportfd_release(&c.report);
	loop_free(c.loop);
	watches_free(w);
	return rc;
}
