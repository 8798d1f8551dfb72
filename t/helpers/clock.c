/*
 * clock: moves the virtual clock of a test (t/clock/README).
 *
 *	KPIPE_CLOCK=FILE clock VERB [OPTION]... [ARGUMENT]...
 *
 * DURATION is spelt as "1h30m", "300ms".
 *
 *	new [--seed N] [--at TIME] [--root PID]
 *				makes the page; --root: looks at all processes
 *				below that one, too
 *	idle			waits until all are idle
 *	step [DURATION]		then goes to the next timer, and prints the time;
 *				exit code 1: there is none, or none in that time,
 *				which has passed
 *	pass DURATION		goes from timer to timer, so far
 *	settle DURATION [MOST]	until no timer is so near; exit code 1: after MOST
 *				(24h) one still is, and it says whose
 *	run DURATION COMMAND...	so far, but not longer than COMMAND runs; its exit
 *				code
 *	ended PID		until that process has ended, or no timer is left
 *	jump DURATION		the time of day is set, "-1h": back
 *	suspend DURATION	the machine sleeps
 *	now			the time of day
 *	ms			the time, in milliseconds
 *	show			the processes, and what they wait for
 */
// needs cmd/ktorture/clock/still.c

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "clock/still.h"
#include "process/clock.h"
#include "value/duration.h"

static struct clock_page *page;
static int page_fd;
static struct still all;

_Noreturn static void
wrong(const char *what, const char *arg)
{
	fprintf(stderr, "clock: %s%s\n", what, arg);
	exit(EXIT_PERMANENT);
}

static int64_t
duration(const char *text)
{
	int64_t ns;

	if (text == NULL ||
	    duration_parse(span_str(text + (*text == '+')), &ns, NULL) != 0)
		wrong("not a duration: ", text != NULL ? text : "(none)");
	return ns;
}

/* ---- time ---- */

static void
move(int64_t to)
{
	still_move(&all, to);
	still_wait(&all);
}

/* To the next timer; false: none until then. */
static bool
step(int64_t end)
{
	struct clock_slot *first;

	first = still_next(&all);
	if (first == NULL || still_due(&all, first) > end)
		return false;
	move(still_due(&all, first));
	return true;
}

static int64_t
after(int64_t ns)
{
	return page->boot_ns > CLOCK_NO_TIME - ns ? CLOCK_NO_TIME - 1
						  : page->boot_ns + ns;
}

/* ---- verbs ---- */

static int
verb_new(char **argv)
{
	const char *name = getenv("KPIPE_CLOCK");
	struct timespec now;
	int64_t us;

	page_fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (page_fd < 0 || ftruncate(page_fd, sizeof(*page)) != 0)
		wrong("cannot make ", name);
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED,
	    page_fd, 0);
	if (page == MAP_FAILED)
		wrong("cannot map ", name);
	/* As if the machine had started a day ago. */
	page->boot_ns = INT64_C(86400) * 1000000000;
	clock_gettime(CLOCK_REALTIME, &now);
	us = now.tv_sec * INT64_C(1000000);
	for (; *argv != NULL; argv += 2) {
		if (argv[1] == NULL)
			wrong("no value: ", *argv);
		if (strcmp(*argv, "--seed") == 0)
			page->seed = strtoull(argv[1], NULL, 10);
		else if (strcmp(*argv, "--root") == 0)
			page->root = (int32_t)strtol(argv[1], NULL, 10);
		else if (strcmp(*argv, "--at") != 0 ||
		    clock_parse_us(span_str(argv[1]), &us) != 0)
			wrong("not an option of new, or not a value: ", *argv);
	}
	page->ahead_ns = us * 1000 - page->boot_ns;
	return 0;
}

static int
verb_idle(char **argv)
{
	(void)argv;
	return 0;
}

static int
verb_ms(char **argv)
{
	(void)argv;
	printf("%" PRId64 "\n", page->boot_ns / 1000000);
	return 0;
}

static int
verb_step(char **argv)
{
	int64_t end = *argv != NULL ? after(duration(*argv)) : CLOCK_NO_TIME;
	bool moved = step(end);

	if (!moved && end != CLOCK_NO_TIME)
		move(end);
	verb_ms(argv);
	return !moved;
}

static int
verb_pass(char **argv)
{
	int64_t end = after(duration(*argv));

	while (step(end))
		;
	move(end);
	return 0;
}

static int
verb_settle(char **argv)
{
	int64_t near = duration(*argv);
	int64_t end = after(duration(argv[1] != NULL ? argv[1] : "24h"));
	struct clock_slot *first;

	do {
		first = still_next(&all);
		if (first == NULL ||
		    still_due(&all, first) - page->boot_ns >= near)
			return 0;
	} while (step(end));
	fprintf(stderr, "clock: %s (%d) has a timer in %" PRId64 " ms\n",
	    first->name, (int)first->pid,
	    (still_due(&all, first) - page->boot_ns) / 1000000);
	return 1;
}

static int
verb_run(char **argv)
{
	static const struct timespec nap = {.tv_nsec = 1000000};
	int64_t end = after(duration(*argv));
	pid_t pid;
	int status;

	if (argv[1] == NULL)
		wrong("run: no command", "");
	pid = fork();
	if (pid == 0) {
		execvp(argv[1], argv + 1);
		wrong("cannot run ", argv[1]);
	}
	still_add(&all, pid);
	still_wait(&all);
	while (waitpid(pid, &status, WNOHANG) == 0)
		if (!step(end)) {
			nanosleep(&nap, NULL);
			move(end);
		}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int
verb_ended(char **argv)
{
	pid_t pid = *argv != NULL ? (pid_t)strtol(*argv, NULL, 10) : 0;

	while (still_lives(&all, pid) && step(CLOCK_NO_TIME))
		;
	return 0;
}

static int
verb_jump(char **argv)
{
	int64_t ns = duration(*argv);

	page->ahead_ns += ns;
	return 0;
}

static int
verb_suspend(char **argv)
{
	int64_t ns = duration(*argv);

	page->asleep_ns += ns;
	move(page->boot_ns + ns);
	return 0;
}

static int
verb_now(char **argv)
{
	char text[CLOCK_RFC3339_MAX];

	(void)argv;
	clock_format_us((page->boot_ns + page->ahead_ns) / 1000, text);
	puts(text);
	return 0;
}

static int
verb_show(char **argv)
{
	bool asleep, ran;

	verb_now(argv);
	still_look(&all, STILL_ALL, &asleep, &ran);
	for (size_t i = 0; i < all.count; i++) {
		const struct still_task *t = &all.tasks[i];

		printf("%d %s %c", (int)t->pid, t->name, t->state);
		for (uint32_t j = 0; j < page->used && j < CLOCK_SLOTS; j++) {
			struct clock_slot *s = &page->slots[j];

			if (s->pid != t->pid || strcmp(s->name, t->name) != 0)
				continue;
			printf(" %s%s", s->waits ? "waits" : "works",
			    s->in_flight ? " in flight" : "");
			if (s->waits && still_due(&all, s) != CLOCK_NO_TIME)
				printf(" %" PRId64 " ms",
				    (still_due(&all, s) - page->boot_ns) /
					1000000);
		}
		putchar('\n');
	}
	return 0;
}

static const struct verb {
	const char *name;
	int (*act)(char **argv);
} verbs[] = {{"idle", verb_idle}, {"step", verb_step}, {"pass", verb_pass},
    {"settle", verb_settle}, {"run", verb_run}, {"ended", verb_ended},
    {"jump", verb_jump}, {"suspend", verb_suspend}, {"now", verb_now},
    {"ms", verb_ms}, {"show", verb_show}};

static void
open_page(void)
{
	const char *name = getenv("KPIPE_CLOCK");
	void *p;

	page_fd = open(name, O_RDWR | O_CLOEXEC);
	p = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED,
	    page_fd, 0);
	if (p == MAP_FAILED)
		wrong("not a page: ", name);
	page = p;
}

static int
act(const struct verb *v, char **argv)
{
	int code;

	/* These say why the others hang. */
	if (v->act != verb_show && v->act != verb_now)
		still_wait(&all);
	code = v->act(argv);
	still_end(&all);
	return code;
}

int
main(int argc, char **argv)
{
	if (getenv("KPIPE_CLOCK") == NULL)
		wrong("KPIPE_CLOCK is not set", "");
	if (argc < 2)
		wrong("no verb: see t/helpers/clock.c", "");
	if (strcmp(argv[1], "new") == 0)
		return verb_new(argv + 2);
	open_page();
	still_begin(&all, page);
	for (size_t i = 0; i < COUNT(verbs); i++)
		if (strcmp(argv[1], verbs[i].name) == 0)
			return act(&verbs[i], argv + 2);
	wrong("not a verb: ", argv[1]);
}
