#include "process/fence.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/clock.h"

enum { PAGE_SIZE = 4096 };

/* ---- the writer's side ---- */

static const char *
parse_fd(const char *text, int *fd)
{
	char *end;
	long n;

	if (!span_is_digit(*text))
		return NULL;
	errno = 0;
	n = strtol(text, &end, 10);
	if (errno != 0 || n > INT_MAX || fcntl((int)n, F_GETFD) < 0)
		return NULL;
	*fd = (int)n;
	return end;
}

static int
parse(struct fence *f, const char *name, struct err *err)
{
	const char *text = getenv(name);
	const char *at = parse_fd(text, &f->pipe_fd);

	if (at != NULL && *at == ',')
		at = parse_fd(at + 1, &f->page_fd);
	else
		at = NULL;
	if (at != NULL && *at == '\0')
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "%s is \"%s\", not the numbers of two open descriptors (PIPE,PAGE)",
	    name, text);
}

static int
hold(struct fence *f, const char *name, struct err *err)
{
	struct stat pipe, page;
	void *p;

	if (fstat(f->pipe_fd, &pipe) != 0 || !S_ISFIFO(pipe.st_mode))
		return err_set(err, ERR_PERMANENT,
		    "%s: descriptor %d is not a pipe", name, f->pipe_fd);
	/* Reading behind the end of a short file would be SIGBUS. */
	if (fstat(f->page_fd, &page) != 0 ||
	    page.st_size < (off_t)sizeof(*f->until))
		return err_set(err, ERR_PERMANENT,
		    "%s: descriptor %d is not a page of memory", name,
		    f->page_fd);
	p = mmap(NULL, sizeof(*f->until), PROT_READ, MAP_SHARED, f->page_fd, 0);
	if (p == MAP_FAILED)
		return err_set(err, ERR_PERMANENT,
		    "%s: descriptor %d cannot be mapped: %s", name, f->page_fd,
		    strerror(errno));
	f->until = p;
	fcntl(f->pipe_fd, F_SETFD, FD_CLOEXEC);
	fcntl(f->page_fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

const char *
fence_variable(void)
{
	if (getenv(FENCE_ENV) != NULL)
		return FENCE_ENV;
	return getenv(FENCE_ENV_OLD) != NULL ? FENCE_ENV_OLD : NULL;
}

int
fence_from_env(struct fence *f, struct err *err)
{
	const char *name = fence_variable();

	*f = (struct fence){.pipe_fd = -1, .page_fd = -1};
	if (name == NULL)
		return 0;
	if (parse(f, name, err) == 0 && hold(f, name, err) == 0)
		return 0;
	f->pipe_fd = f->page_fd = -1;
	return -1;
}

void
fence_release(struct fence *f)
{
	if (f->pipe_fd < 0)
		return;
	if (f->loop != NULL) {
		loop_unwatch(f->loop, f->pipe_fd);
		loop_cancel(f->loop, &f->timer);
	}
	fence_unmap(f->until);
	close(f->pipe_fd);
	close(f->page_fd);
	f->pipe_fd = f->page_fd = -1;
}

static void
say_out(void *arg)
{
	struct fence *f = arg;
	fence_closed_fn *out = f->out;

	loop_unwatch(f->loop, f->pipe_fd);
	f->out = NULL;
	if (out != NULL)
		out(f->arg, &f->err);
}

/* Checks it, and reports errors. A pipe with data in it is not a fence. */
static void
look(struct fence *f)
{
	struct pollfd p = {.fd = f->pipe_fd, .events = POLLIN};
	uint64_t until = atomic_load(f->until);

	if (f->err.kind != ERR_NONE)
		return;
	if (until == FENCE_NOT_YET)
		err_set(&f->err, ERR_TRANSIENT,
		    "not the leader yet: nothing may be written");
	else if (until != FENCE_FOREVER && clock_boot_ns() >= until)
		err_set(&f->err, ERR_TRANSIENT,
		    "the leadership is over: kelect has not renewed it");
	else if (poll(&p, 1, 0) > 0)
		err_set(&f->err, ERR_TRANSIENT,
		    "the leadership is over: kelect is gone");
}

static void watch_time(struct fence *f);

static void
time_due(void *arg)
{
	struct fence *f = arg;

	look(f);
	if (f->err.kind != ERR_NONE)
		say_out(f);
	else
		watch_time(f);
}

static void
watch_time(struct fence *f)
{
	uint64_t until = atomic_load(f->until);

	if (until == FENCE_FOREVER)
		return;
	loop_at(f->loop, &f->timer, until / 1000000 + 1, time_due, f);
}

static void
pipe_ready(void *arg, int fd, int events)
{
	struct fence *f = arg;

	(void)fd;
	(void)events;
	if (f->err.kind == ERR_NONE)
		err_set(&f->err, ERR_TRANSIENT,
		    "the leadership is over: kelect is gone");
	loop_cancel(f->loop, &f->timer);
	say_out(f);
}

void
fence_watch(struct fence *f, struct loop *loop, fence_closed_fn *out, void *arg)
{
	if (f->pipe_fd < 0)
		return;
	f->loop = loop;
	f->out = out;
	f->arg = arg;
	loop_watch(loop, f->pipe_fd, LOOP_READ, pipe_ready, f);
}

int
fence_check(struct fence *f, struct err *err)
{
	if (f->pipe_fd < 0)
		return 0;
	look(f);
	if (f->err.kind == ERR_NONE) {
		if (f->loop != NULL && !loop_timer_armed(&f->timer))
			watch_time(f);
		return 0;
	}
	if (f->loop != NULL && f->out != NULL)
		loop_after(f->loop, &f->timer, 0, say_out, f);
	*err = f->err;
	return -1;
}

/* ---- the side of kelect ---- */

int
fence_make(struct fence_ends *e, struct err *err)
{
	int pipe[2];

	*e = (struct fence_ends){-1, -1, -1};
	if (pipe2(pipe, O_CLOEXEC) != 0)
		return err_set(err, ERR_TRANSIENT, "cannot make a pipe: %s",
		    strerror(errno));
	e->read_fd = pipe[0];
	e->write_fd = pipe[1];
	e->page_fd =
	    memfd_create("kpipe-fence", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	/* The page cannot be truncated under its readers. */
	if (e->page_fd < 0 || ftruncate(e->page_fd, PAGE_SIZE) != 0 ||
	    fcntl(e->page_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
		err_set(err, ERR_TRANSIENT, "cannot make a page of memory: %s",
		    strerror(errno));
		fence_close(e);
		return -1;
	}
	return 0;
}

void
fence_close(struct fence_ends *e)
{
	if (e->read_fd >= 0)
		close(e->read_fd);
	if (e->write_fd >= 0)
		close(e->write_fd);
	if (e->page_fd >= 0)
		close(e->page_fd);
	*e = (struct fence_ends){-1, -1, -1};
}

void
fence_env(struct buf *b, const char *name, int read_fd, int page_fd)
{
	buf_addf(b, "%s=%d,%d", name, read_fd, page_fd);
}

void
fence_inherit(const struct fence_ends *e)
{
	fcntl(e->read_fd, F_SETFD, 0);
	fcntl(e->page_fd, F_SETFD, 0);
}

void
fence_unmap(const _Atomic uint64_t *page)
{
	munmap((void *)(uintptr_t)page, sizeof(*page));
}

_Atomic uint64_t *
fence_map(int page_fd, struct err *err)
{
	struct stat st;
	void *p = MAP_FAILED;

	if (fstat(page_fd, &st) != 0 || st.st_size < (off_t)sizeof(uint64_t)) {
		err_set(err, ERR_PERMANENT,
		    "descriptor %d is not a page of memory", page_fd);
		return NULL;
	}
	p = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED,
	    page_fd, 0);
	if (p != MAP_FAILED)
		return p;
	err_set(err, ERR_PERMANENT, "descriptor %d cannot be mapped: %s",
	    page_fd, strerror(errno));
	return NULL;
}

bool
fence_extend(_Atomic uint64_t *page, uint64_t until)
{
	uint64_t was = atomic_load(page);

	while (was != FENCE_OVER)
		if (atomic_compare_exchange_weak(page, &was, until))
			return true;
	return false;
}

bool
fence_lapse(_Atomic uint64_t *page, uint64_t until)
{
	return atomic_compare_exchange_strong(page, &until, FENCE_OVER);
}
