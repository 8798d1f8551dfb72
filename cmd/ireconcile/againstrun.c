#include "againstrun.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "against.h"
#include "confine.h"
#include "json/stream.h"
#include "librarydirs.h"
#include "process/log.h"
#include "process/loop.h"
#include "process/out.h"
#include "program/evaluator.h"
#include "recordline.h"
#include "report/reportfd.h"

/* The real clock: reading goes first, so that events of an object come
 * together, but not for longer than this. */
enum { AHEAD_MAX = 4 * 1024 * 1024 };
/* There is no event when the clock was set: it is checked this often. */
enum { LOOK_MS = 10000 };

struct runner {
	struct against against;
	struct loop *loop;
	struct stream *stream;
	struct out out;
	struct proof proof;
	struct watches *watches[AGAINST_SIDES];
	struct timer timer;
	struct reportfd report;
	size_t bad_lines;
	bool eof, unreadable, gone, refused;
};

/* ---- reports ---- */

static void
count(void *arg, struct buf *b)
{
	const struct runner *r = arg;

	reportfd_count(b, "bad_lines", r->bad_lines);
	reportfd_count(b, "compared", r->against.compared);
	reportfd_count(b, "differed", r->against.differed);
}

static void
samples(void *arg, struct metric_lines *m)
{
	const struct runner *r = arg;

	against_metrics(&r->against, m);
}

static void
say_ready(struct runner *r)
{
	if (r->report.ready || !against_ready(&r->against))
		return;
	reportfd_ready(&r->report);
	reportfd_send(&r->report);
}

/* ---- input ---- */

static void
document(struct runner *r, const struct stream_doc *doc)
{
	struct err err = ERR_INIT;

	if (against_document(&r->against, doc->text, &err) == 0)
		return;
	r->bad_lines++;
	if (!recordline_say_bad(doc->line, &err))
		return;
	r->refused = true;
	loop_stop(r->loop);
}

static void
documents(struct runner *r)
{
	struct stream_doc doc;

	while (!r->refused) {
		switch (stream_next(r->stream, &doc)) {
		case STREAM_DOC:
			document(r, &doc);
			break;
		case STREAM_BAD:
			r->bad_lines++;
			log_error("%s", doc.err.message);
			break;
		default:
			return;
		}
	}
}

static void
end_of_input(struct runner *r)
{
	r->eof = true;
	loop_unwatch(r->loop, STDIN_FILENO);
	recordline_say_gaps(r->against.sides[AGAINST_BEFORE].counters.gaps);
	against_end(&r->against);
}

static void
on_events(void *arg, int fd, int events)
{
	struct runner *r = arg;
	struct pollfd pfd = {fd, POLLIN, 0};
	struct err err = ERR_INIT;
	size_t ahead = 0;

	(void)events;
	while (!r->eof && ahead < AHEAD_MAX && poll(&pfd, 1, 0) > 0) {
		long n = stream_read(r->stream, fd, &err);

		if (n < 0 && err.kind == ERR_TRANSIENT)
			return;
		documents(r);
		if (r->refused)
			return;
		if (n < 0) {
			log_error("cannot read the input: %s", err.message);
			r->unreadable = true;
		}
		if (n <= 0)
			end_of_input(r);
		else
			ahead += (size_t)n;
	}
}

static void
on_due(void *arg)
{
	struct runner *r = arg;

	against_timers(&r->against);
}

static void
set_timer(struct runner *r)
{
	const struct sched *s = &r->against.sides[AGAINST_BEFORE].sched;
	int64_t due = against_next(&r->against);
	int64_t latest = sched_ticks(s) + LOOK_MS * INT64_C(1000);

	if (s->clock == SCHED_INPUT || due == 0)
		loop_cancel(r->loop, &r->timer);
	else
		loop_at(r->loop, &r->timer,
		    (uint64_t)((due < latest ? due : latest) + 999) / 1000,
		    on_due, r);
}

/* Before each wait. */
static void
on_idle(void *arg)
{
	struct runner *r = arg;

	against_compare(&r->against);
	evaluator_roam();
	for (size_t i = 0; i < AGAINST_SIDES; i++)
		reconciler_rest(&r->against.sides[i]);
	out_flush(&r->out);
	set_timer(r);
	say_ready(r);
	if (r->eof && !r->out.failed)
		out_drain(&r->out);
	if (r->out.failed)
		log_error("%s", r->out.err.message);
	if (r->eof || r->out.failed)
		loop_stop(r->loop);
}

static void
on_programs(void *arg, int fd, int events)
{
	struct runner *r = arg;

	(void)events;
	if (evaluator_look())
		return;
	loop_unwatch(r->loop, fd);
	log_fatal("the process that starts evaluations is gone");
	r->gone = true;
	loop_stop(r->loop);
}

static int
load(struct runner *r, const struct againstrun *o, struct err *err)
{
	const char *const paths[] = {o->before, o->after};

	for (size_t i = 0; i < AGAINST_SIDES; i++) {
		r->watches[i] = watches_load(paths[i], &o->scope, err);
		if (r->watches[i] == NULL)
			return -1;
	}
	program_init();
	return 0;
}

static int
compile(struct runner *r, const struct againstrun *o, struct err *err)
{
	struct textlist dirs;
	int rc;

	r->proof.replays = true;
	r->against.out = &r->out;
	r->against.format = o->format >= 0 ? (enum telling_format)o->format
	    : isatty(STDOUT_FILENO)	   ? TELLING_TEXT
					   : TELLING_JSON;
	for (size_t i = 0; i < AGAINST_SIDES; i++) {
		r->against.sides[i].sched.clock = o->clock;
		r->against.sides[i].es.proof = &r->proof; /* without a key */
		r->against.sides[i].es.debugs = o->debugs;
		r->against.sides[i].es.instances = o->instances;
	}
	librarydirs_find(&dirs, o->library_dirs);
	rc =
	    against_init(&r->against, (const struct watches *const *)r->watches,
		(const char *const *)dirs.items, err);
	textlist_release(&dirs);
	return rc;
}

/* Everything that needs a file, then the sandboxes. */
static int
begin(struct runner *r, const struct againstrun *o, struct err *err)
{
	if (load(r, o, err) != 0)
		return -1;
	signal(SIGPIPE, SIG_IGN);
	r->loop = loop_new();
	reportfd_init(
	    &r->report, r->loop, "ireconcile", o->report_fd, count, r);
	reportfd_metrics(&r->report, samples);
	r->stream = stream_new();
	out_init(&r->out, r->loop, STDOUT_FILENO);
	if (compile(r, o, err) != 0 || confine_programs(err) != 0)
		return -1;
	loop_watch(r->loop, evaluator_fd(), LOOP_READ, on_programs, r);
	loop_watch(r->loop, STDIN_FILENO, LOOP_READ, on_events, r);
	loop_idle(r->loop, on_idle, r);
	return confine_self(err);
}

static int
exit_code(const struct runner *r)
{
	int code;

	if (r->refused)
		return EXIT_PERMANENT;
	if (r->gone || (r->out.failed && r->out.err.kind != ERR_GONE))
		return EXIT_TRANSIENT;
	if (r->out.failed)
		return VERDICT_NO;
	code = against_verdict(&r->against);
	return code == VERDICT_YES && (r->unreadable || r->bad_lines > 0)
	    ? VERDICT_UNKNOWN
	    : code;
}

/* After a start that failed as well: the rest is NULL then. */
static void
release(struct runner *r)
{
	against_release(&r->against);
	proof_release(&r->proof);
	if (r->loop != NULL) {
		reportfd_release(&r->report);
		out_release(&r->out);
		stream_free(r->stream);
		loop_free(r->loop);
	}
	for (size_t i = 0; i < AGAINST_SIDES; i++)
		watches_free(r->watches[i]);
}

int
againstrun(const struct againstrun *o, struct err *err)
{
	struct runner r = {.eof = false};
	int code = -1;

	if (begin(&r, o, err) == 0) {
		loop_run(r.loop);
		reportfd_send(&r.report);
		code = exit_code(&r);
	}
	release(&r);
	return code;
}
