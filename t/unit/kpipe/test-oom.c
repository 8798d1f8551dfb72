#include "failure/oom.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

enum { DAYS_MS = 200000000 };

static char kills[] = "/tmp/test-oom.XXXXXX";
static struct loop *loop;

/* The kernel's count. */
static void
killed(int n)
{
	FILE *f = fopen(kills, "w");

	if (f == NULL || fprintf(f, "oom_kill %d\n", n) < 0 || fclose(f) != 0)
		ok(false, kills);
}

static struct oom
limited(uint64_t bytes)
{
	return (struct oom){.limit = {.kills = kills, .bytes = bytes},
	    .loop = loop,
	    .field_manager = "m"};
}

static void
forget(struct oom *o)
{
	loop_cancel(loop, &o->calm);
	o->limit.kills = NULL;
	oom_release(o);
}

static bool
starved(struct oom *o, struct stage *s, int status)
{
	s->status = status;
	oom_take(o, s);
	return s->starved;
}

static void
test_take(void)
{
	struct oom o = limited(1 << 26);
	struct stage s = {.name = "kapply"};

	killed(0);
	ok(!starved(&o, &s, SIGKILL), "killed by another process");
	killed(2);
	ok(!starved(&o, &s, SIGTERM), "another signal");
	ok(!starved(&o, &s, 1 << 8), "an exit code");
	ok(s.oom_kills == 0, "... none is counted");
	ok(starved(&o, &s, SIGKILL), "killed for memory");
	ok(starved(&o, &s, EXIT_TRANSIENT << 8), "... a child of it");
	ok(s.oom_kills == 2, "... counted");
	ok(!starved(&o, &s, EXIT_TRANSIENT << 8), "111 for another reason");
	ok(s.oom_kills == 2, "... is not counted");
	forget(&o);
}

/* How often it goes on after kills right after the start; at most 9. */
static int
goes_on(struct oom *o)
{
	struct stage s = {.name = "kapply"};
	int n = 0;

	while (n < 9 && oom_judge(o, &s, OOM_SOON_MS - 1) == OOM_GO_ON)
		n++;
	return n;
}

static void
test_judge(void)
{
	struct oom o = limited(1 << 26);
	struct stage s = {.name = "kapply"};

	ok(goes_on(&o) == OOM_ROW_MAX - 1, "the last of the row ends it");
	forget(&o);
	o = limited(1 << 26);
	oom_judge(&o, &s, 0);
	oom_judge(&o, &s, 0);
	ok(oom_judge(&o, &s, DAYS_MS) == OOM_GO_ON && o.row == 1,
	    "one that ran for long begins a row");
	ok(goes_on(&o) == OOM_ROW_MAX - 2, "... of which it is the first");
	forget(&o);
	o = limited(0);
	ok(goes_on(&o) == 9, "without a limit it goes on");
	forget(&o);
}

static void
test_calm(void)
{
	struct oom o = limited(1 << 26);
	struct stage s = {.name = "kapply"};

	oom_judge(&o, &s, 0);
	ok(o.reason.len > 0, "a reason not to be ready");
	oom_ready(&o);
	ok(o.reason.len == 0 && o.row == 1, "... until the stages are ready");
	oom_judge(&o, &s, 0);
	oom_ready(&o);
	ok(o.reason.len > 0 && loop_timer_armed(&o.calm),
	    "after two in a row it stays for a while");
	oom_judge(&o, &s, 0);
	ok(!loop_timer_armed(&o.calm), "... and longer after a third one");
	forget(&o);
}

static void
test_notice(void)
{
	struct oom o = limited(1 << 26);
	struct stage s = {.name = "kapply"};

	unsetenv("POD_NAME");
	oom_judge(&o, &s, 0);
	ok(o.notice.len == 0, "no Event outside of a pod");
	setenv("POD_NAME", "p", 1);
	setenv("POD_NAMESPACE", "n", 1);
	oom_judge(&o, &s, 0);
	ok(strstr(buf_str(&o.notice), "\"name\":\"p\"") != NULL, "an Event");
	oom_recorded(&o);
	ok(o.notice.len == 0, "... which is recorded once");
	forget(&o);
}

int
main(void)
{
	int fd = mkstemp(kills);

	ok(fd >= 0, "a file");
	close(fd);
	loop = loop_new();
	test_take();
	test_judge();
	test_calm();
	test_notice();
	loop_free(loop);
	unlink(kills);
	return tap_done();
}
