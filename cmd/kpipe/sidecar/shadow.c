#include "sidecar/shadow.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "json/json.h"
#include "process/log.h"

/* The sidecar's functions know their owner: it is the first member. */
static struct shadow *
owner(struct sidecar *r)
{
	return (struct shadow *)r;
}

/* ---- lines ---- */

static void
take_lines(struct shadow *s)
{
	size_t at = 0;
	const char *end;

	while (
	    (end = span_find(span_skip(buf_span(&s->in), at), '\n')) != NULL) {
		struct span line =
		    span_make(s->in.data + at, (size_t)(end - s->in.data) - at);

		at += line.n + 1;
		if (s->skip || line.n == 0) {
			s->skip = false;
			continue;
		}
		if (line.n > SHADOW_LINE_MAX || json_check(line, NULL) != 0) {
			log_warning("shadow: a line that is too long, or not "
				    "JSON, is left out");
			continue;
		}
		shadowdiff_take(&s->shadowdiff, line);
		if (s->record != NULL)
			s->record(s->arg, line);
	}
	buf_consume(&s->in, at);
	if (s->in.len <= SHADOW_LINE_MAX)
		return;
	if (!s->skip)
		log_warning("shadow: a line of more than %d bytes is left out",
		    SHADOW_LINE_MAX);
	s->skip = true;
	buf_reset(&s->in);
}

static void
close_lines(struct shadow *s)
{
	if (s->fd < 0)
		return;
	loop_unwatch(s->sidecar.loop, s->fd);
	close(s->fd);
	s->fd = -1;
	s->skip = false;
	buf_reset(&s->in);
}

/* A program that decides otherwise about everything must not keep us from the
 * pipeline: at most what a pipe holds. */
static void
read_lines(struct shadow *s)
{
	enum { CHUNK = 65536 };
	ssize_t n;

	if (s->fd < 0)
		return;
	n = read(s->fd, buf_reserve(&s->in, CHUNK), CHUNK);
	if (n > 0) {
		s->in.len += (size_t)n;
		take_lines(s);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		close_lines(s);
	}
}

static void
on_lines(void *arg, int fd, int events)
{
	(void)fd;
	(void)events;
	read_lines(arg);
}

void
shadow_tell(struct shadow *s)
{
	if (!s->started)
		return;
	if (s->sidecar.stage.ready && !s->whole) {
		s->whole = true;
		read_lines(s); /* lines written before the report */
		shadowdiff_whole(&s->shadowdiff);
	}
	shadowdiff_settle(&s->shadowdiff);
}

/* ---- reports ---- */

/* ireconcile's reports say how much differs. The metrics of the shadow's kwatch
 * are left out: they would count the cluster twice. */
static void
on_report(struct sidecar *r, struct span line)
{
	struct shadow *s = owner(r);

	if (s->pipestate != NULL &&
	    json_type(json_get(line, "metrics")) == JSON_OBJECT)
		pipestate_report(
		    s->pipestate, PIPESTATE_SHADOW, r->stage.name, line);
}

static void
take_reader_line(void *arg, struct stage *reader, struct span line)
{
	(void)arg;
	reader->ready = reader->ready || line.n == 0;
}

static void
close_reader_report(struct shadow *s)
{
	if (s->reader.report_fd < 0)
		return;
	loop_unwatch(s->sidecar.loop, s->reader.report_fd);
	stage_close_report(&s->reader);
}

static void
on_reader_report(void *arg, int fd, int events)
{
	struct shadow *s = arg;

	(void)fd;
	(void)events;
	if (!stage_read_report(&s->reader, take_reader_line, s))
		close_reader_report(s);
}

/* ---- start ---- */

static bool
is_busy(struct sidecar *r)
{
	return owner(r)->reader.pid != 0;
}

static void
close_ends(int fds[2])
{
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static int
start_both(struct shadow *s, const int events[2], int out, struct err *err)
{
	if (stage_start(&s->reader, s->null_fd, events[1], err) != 0)
		return -1;
	loop_watch(s->sidecar.loop, s->reader.report_fd, LOOP_READ,
	    on_reader_report, s);
	if (stage_start(&s->sidecar.stage, events[0], out, err) == 0)
		return 0;
	stage_kill(&s->reader, SIGKILL);
	return -1;
}

static int
launch_pair(struct sidecar *r, struct err *err)
{
	struct shadow *s = owner(r);
	int events[2] = {-1, -1}, lines[2] = {-1, -1};
	int rc = -1;

	s->whole = false;
	if (stage_pipe(events, err) == 0 && stage_pipe(lines, err) == 0)
		rc = start_both(s, events, lines[1], err);
	if (rc == 0) {
		s->fd = lines[0];
		lines[0] = -1;
		fcntl(s->fd, F_SETFL, O_NONBLOCK);
		loop_watch(r->loop, s->fd, LOOP_READ, on_lines, s);
	}
	close_ends(events);
	close_ends(lines);
	return rc;
}

/* ---- end ---- */

static void
on_stop(struct sidecar *r)
{
	struct shadow *s = owner(r);

	loop_cancel(r->loop, &s->timer);
	read_lines(s);
	close_lines(s);
	shadowdiff_again(&s->shadowdiff);
	if (s->pipestate != NULL)
		pipestate_forget(s->pipestate, PIPESTATE_SHADOW);
	stage_kill(&s->reader, SIGKILL);
}

static void
end_if_gone(struct shadow *s)
{
	if (s->sidecar.ending && s->sidecar.stage.pid == 0 &&
	    s->reader.pid == 0)
		s->on_end(s->arg);
}

static void
on_sidecar_end(void *arg)
{
	end_if_gone(arg);
}

struct stage *
shadow_stage(struct shadow *s, pid_t pid)
{
	if (s->reader.pid == pid)
		return &s->reader;
	return s->sidecar.stage.pid == pid ? &s->sidecar.stage : NULL;
}

static void
kill_decider(void *arg)
{
	struct shadow *s = arg;

	stage_kill(&s->sidecar.stage, SIGKILL);
}

void
shadow_take(struct shadow *s, struct stage *stage, int status)
{
	bool told = s->reader.told_to_end || status == 0;

	if (stage != &s->reader) {
		sidecar_take(&s->sidecar, status);
		return;
	}
	close_reader_report(s);
	stage_ended(&s->reader, status);
	if (!told)
		oom_take(s->sidecar.oom, &s->reader);
	oom_log_end(s->sidecar.oom, &s->reader, told ? LOG_DEBUG : LOG_ERROR);
	/* kwatch ends with 0 if nothing reads its pipe: then ireconcile ends
	 * for a reason of its own, which is to be logged. */
	if (status != 0)
		kill_decider(s);
	else if (s->sidecar.stage.pid != 0)
		loop_after(s->sidecar.loop, &s->timer, SIDECAR_END_MS,
		    kill_decider, s);
	end_if_gone(s);
}

void
shadow_end(struct shadow *s)
{
	if (s->sidecar.ending)
		return;
	if (!s->started) {
		s->sidecar.ending = true;
		s->on_end(s->arg);
		return;
	}
	stage_kill(&s->reader, SIGTERM);
	sidecar_end(&s->sidecar);
}

/* ---- the rest ---- */

void
shadow_describe(const struct shadow *s, struct buf *line)
{
	buf_adds(line, ",\"shadow\":{");
	stage_describe(&s->reader, line);
	stage_describe(&s->sidecar.stage, line);
	buf_addc(line, '}');
}

void
shadow_start(struct shadow *s)
{
	if (s->started || s->sidecar.ending)
		return;
	s->started = true;
	s->fd = -1;
	s->sidecar.needed = false;
	s->sidecar.is_busy = is_busy;
	s->sidecar.launch = launch_pair;
	s->sidecar.on_line = on_report;
	s->sidecar.on_stop = on_stop;
	s->sidecar.on_end = on_sidecar_end;
	s->sidecar.arg = s;
	sidecar_start(&s->sidecar);
}

void
shadow_release(struct shadow *s)
{
	if (s->started)
		close_lines(s);
	shadowdiff_release(&s->shadowdiff);
	stage_release(&s->reader);
	sidecar_release(&s->sidecar);
	buf_release(&s->in);
}
