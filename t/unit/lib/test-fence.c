#include "process/fence.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "process/clock.h"
#include "tap.h"

static struct fence_ends ends;
static struct fence fence;
static _Atomic uint64_t *page;
static struct loop *loop;
static struct err err;
static char said[1024];
static int outs;

static void
out(void *arg, const struct err *why)
{
	(void)arg;
	outs++;
	snprintf(said, sizeof(said), "%s", why->message);
	loop_stop(loop);
}

static int
from_env(const char *text)
{
	err = (struct err)ERR_INIT;
	if (text != NULL)
		setenv(FENCE_ENV, text, 1);
	else
		unsetenv(FENCE_ENV);
	return fence_from_env(&fence, &err);
}

/* A writer with a fence whose page says `until`. */
static void
begin(uint64_t until)
{
	struct buf b = BUF_INIT;

	fence_make(&ends, &err);
	page = fence_map(ends.page_fd, &err);
	atomic_store(page, until);
	fence_inherit(&ends);
	fence_env(&b, FENCE_ENV, ends.read_fd, ends.page_fd);
	from_env(buf_str(&b) + sizeof(FENCE_ENV));
	buf_release(&b);
	loop = loop_new();
	outs = 0;
	said[0] = '\0';
	fence_watch(&fence, loop, out, NULL);
}

static void
end(void)
{
	fence_release(&fence);
	fence_unmap(page);
	ends.read_fd = ends.page_fd = -1; /* the writer had them */
	fence_close(&ends);
	loop_free(loop);
}

static const char *
check(void)
{
	err = (struct err)ERR_INIT;
	return fence_check(&fence, &err) == 0 ? "allowed" : err.message;
}

#define OVER "the leadership is over: kelect has not renewed it"
#define GONE "the leadership is over: kelect is gone"

TEST(time)
{
	begin(clock_boot_ns() + 60000000000u);
	is(check(), "allowed", "the time is not over");
	ok(fcntl(ends.read_fd, F_GETFD) == FD_CLOEXEC &&
		fcntl(ends.page_fd, F_GETFD) == FD_CLOEXEC,
	    "its own children do not inherit it");
	atomic_store(page, clock_boot_ns() - 1);
	is(check(), OVER, "the time is over");
	ok(err.kind == ERR_TRANSIENT && outs == 0, "... in a word");
	atomic_store(page, FENCE_FOREVER);
	is(check(), OVER, "it stays so");
	loop_run(loop);
	loop_once(loop, 0);
	is(said, OVER, "the owner is called from the loop");
	ok(outs == 1, "... once");
	end();
	begin(FENCE_NOT_YET);
	is(check(), "not the leader yet: nothing may be written", "not yet");
	end();
	begin(FENCE_OVER);
	is(check(), OVER, "kelect says itself that it is over");
	end();
}

TEST(first)
{
	uint64_t until = clock_boot_ns() + 60000000000u;

	begin(until);
	ok(fence_extend(page, until + 1), "kelect makes it longer");
	ok(!fence_lapse(page, until), "... then the watchdog does not end it");
	is(check(), "allowed", "... and it lasts");
	ok(fence_lapse(page, until + 1), "the watchdog ends it");
	ok(!fence_extend(page, until + 2), "... then it does not get longer");
	is(check(), OVER, "... and is over");
	end();
}

TEST(timer)
{
	begin(FENCE_NOT_YET);
	loop_once(loop, 0);
	ok(outs == 0, "a leader to be is not over");
	atomic_store(page, clock_boot_ns() + 1000000000);
	is(check(), "allowed", "the first request");
	atomic_store(page, clock_boot_ns() + 1200000000);
	loop_run(loop);
	is(said, OVER, "a writer that is idle is called when the time is over");
	ok(clock_boot_ns() >= atomic_load(page), "... as it was moved");
	end();
	begin(FENCE_FOREVER);
	is(check(), "allowed", "for ever");
	ok(!loop_timer_armed(&fence.timer), "... needs no timer");
	end();
}

TEST(pipe)
{
	begin(FENCE_FOREVER);
	close(ends.write_fd);
	ends.write_fd = -1;
	is(check(), GONE, "a request finds the end of the pipe");
	end();
	begin(FENCE_FOREVER);
	close(ends.write_fd);
	ends.write_fd = -1;
	loop_run(loop);
	loop_once(loop, 0);
	is(said, GONE, "so does the loop");
	ok(outs == 1, "... once");
	is(check(), GONE, "... for ever");
	end();
}

TEST(bad)
{
	static const char *const bad[] = {"", "3", "3,", ",4", "a,b", "0,1x",
	    "0 ,1", "-1,0", "0,99999", "99999999999999999999,0", "0,1,2"};
	int two[2], memory;
	char text[64];
	size_t refused = 0;

	for (size_t i = 0; i < COUNT(bad); i++)
		refused += from_env(bad[i]) == -1 && err.kind == ERR_PERMANENT;
	ok(refused == COUNT(bad), "malformed values");
	is(err.message,
	    "KPIPE_FENCE is \"0,1,2\", not the numbers of two open "
	    "descriptors (PIPE,PAGE)",
	    "... are named");
	memory = memfd_create("short", 0);
	snprintf(text, sizeof(text), "%d,%d", memory, memory);
	from_env(text);
	snprintf(said, sizeof(said), "KPIPE_FENCE: descriptor %d is not a pipe",
	    memory);
	is(err.message, said, "something else than a pipe");
	if (pipe(two) != 0)
		abort();
	snprintf(text, sizeof(text), "%d,%d", two[0], memory);
	from_env(text);
	snprintf(said, sizeof(said),
	    "KPIPE_FENCE: descriptor %d is not a page of memory", memory);
	is(err.message, said, "a page without memory");
	ok(fence_map(memory, &err) == NULL, "... for kelect, too");
	is(check(), "allowed", "what was refused is not a fence");
	setenv(FENCE_ENV_OLD, "3,x", 1);
	ok(from_env(NULL) == -1, "the old name of the variable counts, too");
	is(err.message,
	    "KPIPE_LEASH is \"3,x\", not the numbers of two open descriptors "
	    "(PIPE,PAGE)",
	    "... and is named");
	from_env("3,y");
	is(err.message,
	    "KPIPE_FENCE is \"3,y\", not the numbers of two open descriptors "
	    "(PIPE,PAGE)",
	    "... but not if both are set");
	unsetenv(FENCE_ENV_OLD);
	ok(from_env(NULL) == 0, "no variable: no fence");
	is(check(), "allowed", "... everything is allowed");
	fence_watch(&fence, NULL, out, NULL);
	fence_release(&fence);
	close(two[0]);
	close(two[1]);
	close(memory);
}
