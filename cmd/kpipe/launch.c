#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Descriptors that a generation shares besides its pipes; -1: none. */
struct shared {
	struct leash_ends leash;
	int gate[2];
	int lines[2]; /* kpipe keeps the writing end */
	int marks[2]; /* both are one file, if kpipe has the key */
	/* To krecord: the reading ends are its own. */
	int taps[LAUNCH_TAPS][2];
};

static int
make_shared(struct pipeline *p, struct shared *s, struct err *err)
{
	*s = (struct shared){.leash = {-1, -1, -1},
	    .gate = {-1, -1},
	    .lines = {-1, -1},
	    .marks = {p->marks_fd, p->marks_fd}};
	for (size_t i = 0; i < LAUNCH_TAPS; i++)
		s->taps[i][0] = s->taps[i][1] = -1;
	for (size_t i = 0; p->record != NULL && i < LAUNCH_TAPS; i++)
		if (stage_pipe(s->taps[i], err) != 0)
			return -1;
	if (stage_pipe(s->lines, err) != 0 ||
	    (p->marks_fd < 0 && stage_pipe(s->marks, err) != 0))
		return -1;
	if (p->elect == NULL) {
		if (p->leash != NULL) {
			s->leash.read_fd = p->leash->pipe_fd;
			s->leash.page_fd = p->leash->page_fd;
		}
		return 0;
	}
	return leash_make(&s->leash, err) == 0 ? stage_pipe(s->gate, err) : -1;
}

static void
close_pipe(const int fds[2])
{
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* The stages have them now; only one stage has the writing ends. */
static void
close_shared(struct pipeline *p, struct shared *s)
{
	if (s->lines[0] >= 0)
		close(s->lines[0]);
	if (p->marks_fd < 0)
		close_pipe(s->marks);
	for (size_t i = 0; i < LAUNCH_TAPS; i++) {
		if (i == LAUNCH_STATES || i == LAUNCH_SHADOW)
			s->taps[i][1] = -1; /* kpipe keeps the writing end */
		close_pipe(s->taps[i]);
	}
	if (p->elect == NULL)
		return;
	leash_close(&s->leash);
	close_pipe(s->gate);
}

static void
add_extra(struct stage *stage, int fd)
{
	if (fd >= 0)
		stage->extra[stage->extra_count++] = fd;
}

/* In the order of the numbers that main gives the stage. */
static void
share(struct stage *stage, const struct shared *s)
{
	stage->extra_count = 0;
	switch (stage->role) {
	case STAGE_DECIDES:
		add_extra(stage, s->gate[0]);
		add_extra(stage, s->marks[0]);
		add_extra(stage, s->lines[0]);
		add_extra(stage, s->taps[LAUNCH_EVENTS][1]);
		break;
	case STAGE_APPLIES:
	case STAGE_WRITES:
		add_extra(stage, s->leash.read_fd);
		add_extra(stage, s->leash.page_fd);
		if (stage->role == STAGE_APPLIES) {
			add_extra(stage, s->marks[1]);
			add_extra(stage, s->taps[LAUNCH_SETS][1]);
			add_extra(stage, s->taps[LAUNCH_RESULTS][1]);
		} else {
			add_extra(stage, s->taps[LAUNCH_STATUSES][1]);
			add_extra(stage, s->taps[LAUNCH_WRITTEN][1]);
		}
		break;
	case STAGE_RECORDS:
		for (size_t i = 0; i < LAUNCH_TAPS; i++)
			add_extra(stage, s->taps[i][0]);
		break;
	case STAGE_ELECTS:
		add_extra(stage, s->gate[1]);
		add_extra(stage, s->leash.write_fd);
		add_extra(stage, s->leash.page_fd);
		break;
	case STAGE_READS:
	case STAGE_FILTERS:
	case STAGE_SERVES:
	case STAGE_SHOWS:
		break;
	}
}

static int
start_path(struct pipeline *p, const struct shared *shared, struct err *err)
{
	size_t count = pipeline_path(p) - (p->record != NULL);
	int in = p->null_fd;
	int result = 0;

	for (size_t i = 0; i < count && result == 0; i++) {
		bool last = i + 1 == count;
		int fds[2] = {-1, p->output_fd};

		if (!last && (result = stage_pipe(fds, err)) != 0)
			break;
		share(&p->stages[i], shared);
		result = stage_start(&p->stages[i], in, fds[1], err);
		if (in != p->null_fd)
			close(in);
		if (!last)
			close(fds[1]);
		in = fds[0];
	}
	if (in >= 0 && in != p->null_fd)
		close(in);
	return result;
}

/* A pipe takes a line of at most PIPE_BUF bytes as a whole. */
bool
launch_line(struct pipeline *p, struct span text)
{
	struct buf line = BUF_INIT;
	bool taken;

	if (p->lines_fd < 0)
		return false;
	buf_addspan(&line, text);
	buf_addc(&line, '\n');
	taken = write(p->lines_fd, line.data, line.len) >= 0;
	if (!taken)
		log_debug("ireconcile takes no line: %s", strerror(errno));
	buf_release(&line);
	return taken;
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
	if (p->lines_fd >= 0)
		close(p->lines_fd);
	if (p->states_fd >= 0)
		close(p->states_fd);
	if (p->shadow_fd >= 0)
		close(p->shadow_fd);
	p->lines_fd = p->states_fd = p->shadow_fd = -1;
	buf_reset(&p->shadow_rest);
}

/* A reader that is behind misses states: it never holds kpipe up. */
void
launch_state(struct pipeline *p, struct span line)
{
	struct buf b = BUF_INIT;

	if (p->states_fd < 0)
		return;
	buf_addspan(&b, line);
	buf_addc(&b, '\n');
	if (write(p->states_fd, b.data, b.len) < 0)
		log_debug("krecord takes no state: %s", strerror(errno));
	buf_release(&b);
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
		buf_reset(rest); /* it is ending */
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

static int
start_recorder(struct pipeline *p, struct shared *shared, struct err *err)
{
	p->states_fd = shared->taps[LAUNCH_STATES][1];
	p->shadow_fd = shared->taps[LAUNCH_SHADOW][1];
	if (p->record == NULL)
		return 0;
	fcntl(p->states_fd, F_SETFL, O_NONBLOCK);
	fcntl(p->shadow_fd, F_SETFL, O_NONBLOCK);
	share(p->record, shared);
	return stage_start(p->record, p->flow_fd >= 0 ? p->flow_fd : p->null_fd,
	    p->live_fd >= 0 ? p->live_fd : p->null_fd, err);
}

/* The notice of the last generation comes before all else. */
int
launch(struct pipeline *p, struct err *err)
{
	struct shared shared;
	int result = make_shared(p, &shared, err);

	launch_hang_up(p);
	p->lines_fd = shared.lines[1];
	if (p->lines_fd >= 0)
		fcntl(p->lines_fd, F_SETFL, O_NONBLOCK);
	launch_tell(p);
	if (result == 0)
		result = start_recorder(p, &shared, err);
	if (result == 0)
		result = start_path(p, &shared, err);
	if (result == 0 && p->elect != NULL) {
		share(p->elect, &shared);
		result = stage_start(p->elect, p->null_fd, p->null_fd, err);
	}
	close_shared(p, &shared);
	return result;
}
