#include "clock/still.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int
open_proc(pid_t pid, const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

#define SKIP_8 " %*s %*s %*s %*s %*s %*s %*s %*s"

/* A string; false: the process is gone. */
static bool
read_again(int fd, char *text, size_t size)
{
	ssize_t n = fd >= 0 ? pread(fd, text, size - 1, 0) : -1;

	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static bool
refresh(struct still_task *t)
{
	char text[512], *name, *end;

	if (!read_again(t->stat_fd, text, sizeof(text)) ||
	    (name = strchr(text, '(')) == NULL ||
	    (end = strrchr(text, ')')) == NULL)
		return false;
	/* state, 16 others (proc(5)), num_threads */
	if (sscanf(end + 2, "%c" SKIP_8 SKIP_8 " %d", &t->state, &t->threads) !=
	    2)
		return false;
	*end = '\0';
	snprintf(t->name, sizeof(t->name), "%s", name + 1);
	return read_again(t->turns_fd, text, sizeof(text)) &&
	    sscanf(text, "%*s %*s %llu", &t->turns) == 1;
}

static void
forget(struct still_task *t)
{
	close(t->stat_fd);
	close(t->turns_fd);
}

static void add_below(struct still *s, pid_t pid, int threads);

void
still_add(struct still *s, pid_t pid)
{
	struct still_task *t = &s->tasks[s->count];

	if (pid == getpid())
		return;
	for (size_t i = 0; i < s->count; i++)
		if (s->tasks[i].pid == pid)
			return;
	if (s->count == CLOCK_TASKS) {
		fprintf(stderr, "clock: more than %d processes\n", CLOCK_TASKS);
		exit(100);
	}
	*t = (struct still_task){.pid = pid,
	    .stat_fd = open_proc(pid, "stat"),
	    .turns_fd = open_proc(pid, "schedstat")};
	if (!refresh(t)) {
		forget(t);
		return;
	}
	s->count++;
	add_below(s, pid, t->threads);
}

static void
add_threads(struct still *s, pid_t pid)
{
	char path[64];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	d = opendir(path);
	while (d != NULL && (e = readdir(d)) != NULL)
		if (e->d_name[0] != '.')
			still_add(s, (pid_t)strtol(e->d_name, NULL, 10));
	if (d != NULL)
		closedir(d);
}

/* Its children, and the other threads of its process, which have others. */
static void
add_below(struct still *s, pid_t pid, int threads)
{
	char name[64], text[4096], *at = text, *end;
	long child;
	int fd;

	snprintf(name, sizeof(name), "task/%d/children", (int)pid);
	fd = open_proc(pid, name);
	if (!read_again(fd, text, sizeof(text)))
		*text = '\0';
	close(fd);
	if (threads > 1)
		add_threads(s, pid);
	while ((child = strtol(at, &end, 10)) > 0) {
		still_add(s, (pid_t)child);
		at = end;
	}
}

/* Whether it has run. One that has not, and was not running either, has nothing
 * new below it. */
static bool
look_at(struct still *s, size_t i)
{
	struct still_task *t = &s->tasks[i];
	unsigned long long before = t->turns;
	bool ran_then = t->state == 'R';

	if (!refresh(t))
		t->pid = 0;
	else if (ran_then || t->turns != before)
		add_below(s, t->pid, t->threads);
	return t->pid == 0 || t->turns != before;
}

static void
drop_gone(struct still *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++)
		if (s->tasks[i].pid != 0)
			s->tasks[kept++] = s->tasks[i];
		else
			forget(&s->tasks[i]);
	s->count = kept;
}

static uint32_t
used_slots(const struct clock_page *page)
{
	return page->used < CLOCK_SLOTS ? page->used : CLOCK_SLOTS;
}

void
still_look(struct still *s, bool *asleep, bool *ran)
{
	size_t known = s->count;

	*asleep = true;
	*ran = false;
	for (size_t i = 0; i < known; i++)
		*ran = look_at(s, i) || *ran;
	while (
	    s->slots < used_slots(s->page) && s->page->slots[s->slots].pid != 0)
		still_add(s, s->page->slots[s->slots++].pid);
	*ran = *ran || s->count != known;
	drop_gone(s);
	for (size_t i = 0; i < s->count; i++)
		if (strchr("RD", s->tasks[i].state) != NULL &&
		    s->tasks[i].pid != s->page->root)
			*asleep = false;
	for (uint32_t i = 0; i < s->slots && *asleep; i++)
		if (s->page->slots[i].in_flight &&
		    still_find(s, &s->page->slots[i]) != NULL)
			*asleep = false;
	/* One has taken a slot, and not yet said whose it is. */
	if (s->slots != used_slots(s->page))
		*asleep = false;
}

static const struct still_task *
find(const struct still *s, pid_t pid)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->tasks[i].pid == pid &&
		    strchr("ZX", s->tasks[i].state) == NULL)
			return &s->tasks[i];
	return NULL;
}

bool
still_lives(const struct still *s, pid_t pid)
{
	return find(s, pid) != NULL;
}

const struct still_task *
still_find(const struct still *s, const struct clock_slot *slot)
{
	const struct still_task *t = find(s, slot->pid);

	return t != NULL && strcmp(t->name, slot->name) == 0 ? t : NULL;
}

void
still_begin(struct still *s, struct clock_page *page)
{
	*s = (struct still){.page = page};
	if (page->root != 0)
		still_add(s, page->root);
	for (int i = 0; i < CLOCK_TASKS && page->known[i] != 0; i++)
		still_add(s, page->known[i]);
}

void
still_end(const struct still *s)
{
	for (size_t i = 0; i < CLOCK_TASKS; i++)
		s->page->known[i] = i < s->count ? s->tasks[i].pid : 0;
}

/* Processes without a slot say nothing when they sleep. */
static void
nap(const struct clock_page *page, uint32_t waits, long *ns)
{
	struct timespec t = {.tv_nsec = *ns};

	syscall(SYS_futex, &page->waits, FUTEX_WAIT, waits, &t);
	if (page->waits != waits)
		*ns = 250000;
	else if (*ns < 4000000)
		*ns *= 2;
}

void
still_wait(struct still *s)
{
	bool slept = false, asleep, ran;
	long ns = 250000;

	for (;;) {
		uint32_t waits = s->page->waits;

		still_look(s, &asleep, &ran);
		if (asleep && slept && !ran)
			return;
		if (!asleep)
			nap(s->page, waits, &ns);
		slept = asleep;
	}
}
