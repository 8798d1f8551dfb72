#include "process/leash.h"

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
parse(struct leash *l, const char *text, struct err *err)
{
	const char *at = parse_fd(text, &l->pipe_fd);

	if (at != NULL && *at == ',')
		at = parse_fd(at + 1, &l->page_fd);
	else
		at = NULL;
	if (at != NULL && *at == '\0')
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "%s is \"%s\", not the numbers of two open descriptors (PIPE,PAGE)",
	    LEASH_ENV, text);
}

static int
hold(struct leash *l, struct err *err)
{
	struct stat pipe, page;
	void *p;

	if (fstat(l->pipe_fd, &pipe) != 0 || !S_ISFIFO(pipe.st_mode))
		return err_set(err, ERR_PERMANENT,
		    "%s: descriptor %d is not a pipe", LEASH_ENV, l->pipe_fd);
	/* Reading behind the end of a short file would be SIGBUS. */
	if (fstat(l->page_fd, &page) != 0 ||
	    page.st_size < (off_t)sizeof(*l->until))
		return err_set(err, ERR_PERMANENT,
		    "%s: descriptor %d is not a page of memory", LEASH_ENV,
		    l->page_fd);
	p = mmap(NULL, sizeof(*l->until), PROT_READ, MAP_SHARED, l->page_fd, 0);
	if (p == MAP_FAILED)
		return err_set(err, ERR_PERMANENT,
		    "%s: descriptor %d cannot be mapped: %s", LEASH_ENV,
		    l->page_fd, strerror(errno));
	l->until = p;
	fcntl(l->pipe_fd, F_SETFD, FD_CLOEXEC);
	fcntl(l->page_fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

int
leash_from_env(struct leash *l, struct err *err)
{
	const char *text = getenv(LEASH_ENV);

	*l = (struct leash){.pipe_fd = -1, .page_fd = -1};
	if (text == NULL)
		return 0;
	if (parse(l, text, err) == 0 && hold(l, err) == 0)
		return 0;
	l->pipe_fd = l->page_fd = -1;
	return -1;
}

void
leash_release(struct leash *l)
{
	if (l->pipe_fd < 0)
		return;
	if (l->loop != NULL) {
		loop_unwatch(l->loop, l->pipe_fd);
		loop_cancel(l->loop, &l->timer);
	}
	leash_unmap(l->until);
	close(l->pipe_fd);
	close(l->page_fd);
	l->pipe_fd = l->page_fd = -1;
}

static void
say_out(void *arg)
{
	struct leash *l = arg;
	leash_out_fn *out = l->out;

	loop_unwatch(l->loop, l->pipe_fd);
	l->out = NULL;
	if (out != NULL)
		out(l->arg, &l->err);
}

/* Checks it, and reports errors. A pipe with data in it is not a leash. */
static void
look(struct leash *l)
{
	struct pollfd p = {.fd = l->pipe_fd, .events = POLLIN};
	uint64_t until = atomic_load(l->until);

	if (l->err.kind != ERR_NONE)
		return;
	if (until == LEASH_NOT_YET)
		err_set(&l->err, ERR_TRANSIENT,
		    "not the leader yet: nothing may be written");
	else if (until != LEASH_FOREVER && clock_boot_ns() >= until)
		err_set(&l->err, ERR_TRANSIENT,
		    "the leadership is over: kelect has not renewed it");
	else if (poll(&p, 1, 0) > 0)
		err_set(&l->err, ERR_TRANSIENT,
		    "the leadership is over: kelect is gone");
}

static void watch_time(struct leash *l);

static void
time_due(void *arg)
{
	struct leash *l = arg;

	look(l);
	if (l->err.kind != ERR_NONE)
		say_out(l);
	else
		watch_time(l);
}

static void
watch_time(struct leash *l)
{
	uint64_t until = atomic_load(l->until);

	if (until == LEASH_FOREVER)
		return;
	loop_at(l->loop, &l->timer, until / 1000000 + 1, time_due, l);
}

static void
pipe_ready(void *arg, int fd, int events)
{
	struct leash *l = arg;

	(void)fd;
	(void)events;
	if (l->err.kind == ERR_NONE)
		err_set(&l->err, ERR_TRANSIENT,
		    "the leadership is over: kelect is gone");
	loop_cancel(l->loop, &l->timer);
	say_out(l);
}

void
leash_watch(struct leash *l, struct loop *loop, leash_out_fn *out, void *arg)
{
	if (l->pipe_fd < 0)
		return;
	l->loop = loop;
	l->out = out;
	l->arg = arg;
	loop_watch(loop, l->pipe_fd, LOOP_READ, pipe_ready, l);
}

int
leash_check(struct leash *l, struct err *err)
{
	if (l->pipe_fd < 0)
		return 0;
	look(l);
	if (l->err.kind == ERR_NONE) {
		if (l->loop != NULL && !loop_timer_armed(&l->timer))
			watch_time(l);
		return 0;
	}
	if (l->loop != NULL && l->out != NULL)
		loop_after(l->loop, &l->timer, 0, say_out, l);
	*err = l->err;
	return -1;
}

/* ---- the side of kelect ---- */

int
leash_make(struct leash_ends *e, struct err *err)
{
	int pipe[2];

	*e = (struct leash_ends){-1, -1, -1};
	if (pipe2(pipe, O_CLOEXEC) != 0)
		return err_set(err, ERR_TRANSIENT, "cannot make a pipe: %s",
		    strerror(errno));
	e->read_fd = pipe[0];
	e->write_fd = pipe[1];
	e->page_fd =
	    memfd_create("kpipe-leash", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	/* The page cannot be truncated under its readers. */
	if (e->page_fd < 0 || ftruncate(e->page_fd, PAGE_SIZE) != 0 ||
	    fcntl(e->page_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
		err_set(err, ERR_TRANSIENT, "cannot make a page of memory: %s",
		    strerror(errno));
		leash_close(e);
		return -1;
	}
	return 0;
}

void
leash_close(struct leash_ends *e)
{
	if (e->read_fd >= 0)
		close(e->read_fd);
	if (e->write_fd >= 0)
		close(e->write_fd);
	if (e->page_fd >= 0)
		close(e->page_fd);
	*e = (struct leash_ends){-1, -1, -1};
}

void
leash_env(struct buf *b, int read_fd, int page_fd)
{
	buf_addf(b, "%s=%d,%d", LEASH_ENV, read_fd, page_fd);
}

void
leash_inherit(const struct leash_ends *e)
{
	fcntl(e->read_fd, F_SETFD, 0);
	fcntl(e->page_fd, F_SETFD, 0);
}

void
leash_unmap(const _Atomic uint64_t *page)
{
	munmap((void *)(uintptr_t)page, sizeof(*page));
}

_Atomic uint64_t *
leash_map(int page_fd, struct err *err)
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
leash_extend(_Atomic uint64_t *page, uint64_t until)
{
	uint64_t was = atomic_load(page);

	while (was != LEASH_OVER)
		if (atomic_compare_exchange_weak(page, &was, until))
			return true;
	return false;
}

bool
leash_lapse(_Atomic uint64_t *page, uint64_t until)
{
	return atomic_compare_exchange_strong(page, &until, LEASH_OVER);
}
