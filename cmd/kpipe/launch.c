#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "child/inside.h"

/* -1: there is none. */
typedef int launch_fds[LAUNCH_PIPES][2];

int
launch_give(struct stage *s, enum launch_pipe pipe, enum launch_end end)
{
	s->shared[s->extra_count].pipe = (unsigned char)pipe;
	s->shared[s->extra_count].end = (unsigned char)end;
	return STAGE_EXTRA_FD + (int)s->extra_count++;
}

static void
share(struct stage *s, launch_fds fds)
{
	for (size_t i = 0; i < s->extra_count; i++)
		s->extra[i] = fds[s->shared[i].pipe][s->shared[i].end];
}

static int
make_shared(const struct pipeline *p, launch_fds fds, struct err *err)
{
	struct fence_ends fence;

	memset(fds, -1, sizeof(launch_fds));
	fds[LAUNCH_MARKS][0] = fds[LAUNCH_MARKS][1] = p->marks_fd;
	for (int i = LAUNCH_EVENTS; p->record != NULL && i < LAUNCH_PIPES; i++)
		if (stage_pipe(fds[i], err) != 0)
			return -1;
	if (stage_pipe(fds[LAUNCH_LINES], err) != 0 ||
	    (p->marks_fd < 0 && stage_pipe(fds[LAUNCH_MARKS], err) != 0))
		return -1;
	if (p->elect == NULL) {
		if (p->fence != NULL) {
			fds[LAUNCH_FENCE][LAUNCH_READ] = p->fence->pipe_fd;
			fds[LAUNCH_PAGE][LAUNCH_READ] = p->fence->page_fd;
		}
		return 0;
	}
	if (fence_make(&fence, err) != 0)
		return -1;
	fds[LAUNCH_FENCE][LAUNCH_READ] = fence.read_fd;
	fds[LAUNCH_FENCE][LAUNCH_WRITE] = fence.write_fd;
	fds[LAUNCH_PAGE][LAUNCH_READ] = fence.page_fd;
	return stage_pipe(fds[LAUNCH_GATE], err);
}

/* The stages have them now; only one stage has the writing ends. */
static void
close_shared(const struct pipeline *p, launch_fds fds)
{
	if (p->marks_fd >= 0)
		fds[LAUNCH_MARKS][0] = fds[LAUNCH_MARKS][1] = -1;
	if (p->elect == NULL) /* the fence of a kelect that runs us */
		fds[LAUNCH_FENCE][0] = fds[LAUNCH_PAGE][0] = -1;
	fds[LAUNCH_LINES][LAUNCH_WRITE] = -1; /* kpipe keeps these */
	fds[LAUNCH_STATES][LAUNCH_WRITE] = -1;
	fds[LAUNCH_SHADOW][LAUNCH_WRITE] = -1;
	for (int i = 0; i < LAUNCH_PIPES; i++)
		for (int end = 0; end < 2; end++)
			if (fds[i][end] >= 0)
				close(fds[i][end]);
}

static int
start_path(struct pipeline *p, launch_fds fds, struct err *err)
{
	size_t count = pipeline_path(p) - (p->record != NULL);
	int in = p->null_fd;
	int result = 0;

	for (size_t i = 0; i < count && result == 0; i++) {
		bool last = i + 1 == count;
		int out[2] = {-1, p->output_fd};

		if (!last && (result = stage_pipe(out, err)) != 0)
			break;
		if (!last && inside_relay != NULL)
			inside_relay(p->stages[i].name, out);
		share(&p->stages[i], fds);
		result = stage_start(&p->stages[i], in, out[1], err);
		if (in != p->null_fd)
			close(in);
		if (!last)
			close(out[1]);
		in = out[0];
	}
	if (in >= 0 && in != p->null_fd)
		close(in);
	return result;
}

/* A pipe takes a line of at most PIPE_BUF bytes as a whole. A reader that is
 * behind misses lines: it never holds kpipe up. */
static bool
write_line(int fd, struct span text, const char *reader, const char *what)
{
	struct buf line = BUF_INIT;
	bool taken;

	if (fd < 0)
		return false;
	buf_addspan(&line, text);
	buf_addc(&line, '\n');
	taken = write(fd, line.data, line.len) >= 0;
	if (!taken)
		log_debug("%s takes no %s: %s", reader, what, strerror(errno));
	buf_release(&line);
	return taken;
}

bool
launch_line(struct pipeline *p, struct span text)
{
	return write_line(p->lines_fd, text, "ireconcile", "line");
}

void
launch_state(struct pipeline *p, struct span line)
{
	write_line(p->states_fd, line, "krecord", "state");
}

void
launch_tell(struct pipeline *p)
{
	if (p->oom->notice.len > 0)
		launch_line(p, buf_span(&p->oom->notice));
}

void
launch_hang_up(struct pipeline *p)
{
	int *const fds[] = {&p->lines_fd, &p->states_fd, &p->shadow_fd};

	for (size_t i = 0; i < COUNT(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
	buf_reset(&p->shadow_rest);
}

static void
write_rest(struct pipeline *p)
{
	struct buf *rest = &p->shadow_rest;
	ssize_t n = 0;

	if (rest->len > 0)
		n = write(p->shadow_fd, rest->data, rest->len);
	if (n > 0)
		buf_consume(rest, (size_t)n);
	else if (n < 0 && errno != EAGAIN)
		buf_reset(rest); /* krecord is ending */
	if (rest->len == 0)
		p->shadow_gap = false;
}

/* Lines may be longer than what a pipe takes as a whole: what it did not take is
 * kept, and further lines are left out until it was taken. */
void
launch_shadow(struct pipeline *p, struct span line)
{
	struct buf *rest = &p->shadow_rest;

	if (p->shadow_fd < 0)
		return;
	write_rest(p);
	if (line.n == 0)
		return;
	if (rest->len == 0) {
		buf_addspan(rest, line);
		buf_addc(rest, '\n');
	} else if (!p->shadow_gap) {
		buf_adds(rest, "{\"record\":\"gap\"}\n");
		p->shadow_gap = true;
	}
	write_rest(p);
}

/* Takes the writing end of a pipe of which kpipe never waits for the reader. */
static int
keep_end(launch_fds fds, enum launch_pipe pipe)
{
	int fd = fds[pipe][LAUNCH_WRITE];

	if (fd >= 0)
		fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

int
launch(struct pipeline *p, struct err *err)
{
	launch_fds fds;
	int result = make_shared(p, fds, err);

	launch_hang_up(p);
	p->lines_fd = keep_end(fds, LAUNCH_LINES);
	p->states_fd = keep_end(fds, LAUNCH_STATES);
	p->shadow_fd = keep_end(fds, LAUNCH_SHADOW);
	/* The notice of the last generation comes before all else. */
	launch_tell(p);
	if (result == 0 && p->record != NULL) {
		share(p->record, fds);
		result = stage_start(p->record,
		    p->flow_fd >= 0 ? p->flow_fd : p->null_fd,
		    p->live_fd >= 0 ? p->live_fd : p->null_fd, err);
	}
	if (result == 0)
		result = start_path(p, fds, err);
	if (result == 0 && p->elect != NULL) {
		share(p->elect, fds);
		result = stage_start(p->elect, p->null_fd, p->null_fd, err);
	}
	close_shared(p, fds);
	return result;
}
