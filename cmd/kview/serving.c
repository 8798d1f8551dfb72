#include "serving.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "httpd/local.h"
#include "process/log.h"
#include "process/loop.h"
#include "record/intake.h"
#include "report/reportfd.h"
#include "showing.h"
#include "showing_calls.h"
#include "story.h"

struct serving {
	const struct serving_opts *o;
	struct loop *loop;
	struct story story;
	struct intake intake;
	struct showing showing;
	struct gate gate;
	struct reportfd report;
	bool begun; /* a segment was seen, or none is needed */
	bool complained;
};

int
serving_check(const struct serving_opts *o, struct err *err)
{
	if (o->cert_path != NULL && !o->secure)
		return err_set(
		    err, ERR_PERMANENT, "option --cert-path needs --secure");
	if (!o->secure && !local_is_address(o->address))
		return err_set(err, ERR_PERMANENT,
		    "option --serve=%s: without --secure the page is for this "
		    "machine only: 127.0.0.1:PORT, [::1]:PORT or "
		    "localhost:PORT, which kubectl port-forward and ssh -L "
		    "reach from elsewhere",
		    o->address);
	if (o->report_fd >= 0 && fcntl((int)o->report_fd, F_GETFD) < 0)
		return err_set(err, ERR_PERMANENT,
		    "option --report-fd: descriptor %ld is not open",
		    o->report_fd);
	return 0;
}

/* ---- input ---- */

static void
take_row(void *arg, const struct viewrow *row)
{
	struct serving *s = arg;

	showing_row(&s->showing, row);
}

/* Logged once: it is in the page, too. */
static void
take_bad(struct serving *s, const struct reading_line *line)
{
	struct reading_line bad = *line;

	if (!s->complained)
		log_warning(
		    "%s; further ones are not mentioned", line->err.message);
	s->complained = true;
	/* The process that wrote it was killed. */
	bad.cut = bad.cut || s->o->attached;
	story_bad(&s->story, &bad);
}

static void
take_line(void *arg, const struct reading_line *line, bool bad)
{
	struct serving *s = arg;

	if (!bad && line->kind == READING_SEGMENT)
		s->begun = true;
	if (!s->begun)
		return;
	if (bad)
		take_bad(s, line);
	else
		story_line(&s->story, line);
	showing_line(&s->showing);
}

static void
on_input(void *arg, int fd, int events)
{
	struct serving *s = arg;

	(void)events;
	if (intake_read(&s->intake))
		return;
	if (s->intake.err.kind != ERR_NONE)
		log_warning("%s", s->intake.err.message);
	loop_unwatch(s->loop, fd);
	if (s->o->attached) {
		loop_stop(s->loop);
		return;
	}
	log_info("the input has ended; the page stays");
	showing_end(&s->showing);
}

/* ---- start and end ---- */

static void
stop(void *arg, int signo)
{
	(void)signo;
	loop_stop(arg);
}

static void
say_where(const struct serving *s)
{
	const char *colon = strrchr(s->o->address, ':');

	log_info("the page is at http%s://%.*s:%d/", s->o->secure ? "s" : "",
	    (int)(colon - s->o->address), s->o->address,
	    httpd_port(s->showing.httpd));
}

static int
start(struct serving *s, struct err *err)
{
	const struct gate_opts gate = {.tool = "kview",
	    .path = SHOWING_RIGHT,
	    .cert_path = s->o->cert_path,
	    .cert_option = "cert-path"};

	loop_signal(s->loop, SIGTERM, stop, s->loop);
	loop_signal(s->loop, SIGINT, stop, s->loop);
	if (s->o->secure && gate_open(&s->gate, s->loop, &gate, err) != 0)
		return -1;
	if (showing_open(&s->showing, s->loop, &s->story, s->o->address,
		s->o->secure ? &s->gate : NULL, err) != 0)
		return err_prefix(err, "option --serve");
	loop_watch(s->loop, STDIN_FILENO, LOOP_READ, on_input, s);
	reportfd_init(
	    &s->report, s->loop, "kview", (int)s->o->report_fd, NULL, NULL);
	if (gate_sandbox(&s->gate, showing_calls, showing_calls_ask, err) != 0)
		return -1;
	say_where(s);
	reportfd_ready(&s->report);
	return 0;
}

int
serving_run(const struct serving_opts *o, struct err *err)
{
	struct serving s = {.o = o, .begun = !o->attached};
	int rc;

	s.loop = loop_new();
	s.intake =
	    (struct intake){.fd = STDIN_FILENO, .fn = take_line, .arg = &s};
	s.report.fd = -1;
	story_init(&s.story, take_row, &s);
	rc = start(&s, err);
	if (rc == 0)
		loop_run(s.loop);
	reportfd_release(&s.report);
	showing_close(&s.showing);
	gate_release(&s.gate);
	story_release(&s.story);
	intake_release(&s.intake);
	loop_free(s.loop);
	return rc;
}
