#include "clock/still.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"

enum { TURNS_MIN = 64, TURNS_MAX = 1024 };

_Noreturn static void
too_many(void)
{
	fprintf(stderr, "clock: too many processes\n");
	exit(EXIT_PERMANENT);
}

/* A file of a thread; the first of a process has the number of that. */
static int
open_proc(pid_t pid, const char *name)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)pid,
	    name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == EMFILE)
		too_many();
	return fd;
}

/* A string; false: the process is gone. */
static bool
read_again(int fd, char *text, size_t size)
{
	ssize_t n = fd >= 0 ? pread(fd, text, size - 1, 0) : -1;

	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* "PID (NAME) STATE", 16 others, the number of threads: proc(5) */
static bool
read_state(struct still_task *t)
{
	char text[512], *name, *at;

	if (!read_again(t->state_fd, text, sizeof(text)) ||
	    (name = strchr(text, '(')) == NULL ||
	    (at = strrchr(text, ')')) == NULL || at[1] != ' ')
		return false;
	*at = '\0';
	snprintf(t->name, sizeof(t->name), "%s", name + 1);
	t->state = at[2];
	at += 2;
	for (int i = 0; i < 17 && at != NULL; i++)
		at = strchr(at + 1, ' ');
	t->threads = at != NULL ? (int)strtol(at, NULL, 10) : 1;
	return true;
}

static void
forget(struct still_task *t)
{
	close(t->state_fd);
	close(t->turns_fd);
	close(t->below_fd);
}

static void add_below(struct still *s, const struct still_task *t);

void
still_add(struct still *s, pid_t pid)
{
	struct still_task *t = &s->tasks[s->count];

	if (pid == getpid())
		return;
	for (size_t i = 0; i < s->count; i++)
		if (s->tasks[i].pid == pid)
			return;
	if (s->count == CLOCK_TASKS)
		too_many();
	*t = (struct still_task){.pid = pid,
	    .state_fd = open_proc(pid, "stat"),
	    .turns_fd = open_proc(pid, "schedstat"),
	    .below_fd = open_proc(pid, "children")};
	if (!read_again(t->turns_fd, t->turns, sizeof(t->turns)) ||
	    !read_state(t)) {
		forget(t);
		return;
	}
	s->count++;
	add_below(s, t);
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
add_below(struct still *s, const struct still_task *t)
{
	char text[4096], *at = text, *end;
	long child;

	read_again(t->below_fd, text, sizeof(text));
	if (t->threads > 1)
		add_threads(s, t->pid);
	while ((child = strtol(at, &end, 10)) > 0) {
		still_add(s, (pid_t)child);
		at = end;
	}
}

/* Whether it has run. One that has not, and was not running either, has nothing
 * new below it, and its state is what it was, unless it is to run by now. */
static bool
look_at(struct still *s, size_t i, enum still_how how)
{
	struct still_task *t = &s->tasks[i];
	char turns[STILL_TURNS_MAX];
	bool running = t->state == 'R', ran;
	bool skip = how == STILL_NEWS || t->pid == s->page->root;
	bool there = skip || read_state(t);

	there = there && read_again(t->turns_fd, turns, sizeof(turns));
	ran = !there || strcmp(turns, t->turns) != 0;
	if (there && (ran || running)) {
		memcpy(t->turns, turns, sizeof(turns));
		there = read_state(t);
	}
	if (!there)
		t->pid = 0;
	else if (ran || running)
		add_below(s, t);
	return ran;
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

/* Whether the process of a slot is there, and not stopped, so that what it says
 * there is true. */
static bool
goes(const struct still *s, const struct clock_slot *slot)
{
	const struct still_task *t = still_find(s, slot);

	return t != NULL && t->state != 'T';
}

/* A process that is stopped reads nothing, and that holds nothing up. (Whose it
 * is, is not looked for.) */
static bool
sends(const struct still *s, const struct clock_slot *slot)
{
	return slot->in_flight == CLOCK_FLIGHT_SENT ||
	    (slot->in_flight == CLOCK_FLIGHT_BLOCKED && !s->stopped);
}

/* By what is known of them. */
static bool
all_sleep(struct still *s)
{
	bool asleep = true;

	s->stopped = false;
	for (size_t i = 0; i < s->count; i++) {
		s->stopped = s->stopped || s->tasks[i].state == 'T';
		if (strchr("RD", s->tasks[i].state) != NULL &&
		    s->tasks[i].pid != s->page->root)
			asleep = false;
	}
	for (uint32_t i = 0; i < s->slots && asleep; i++)
		if (sends(s, &s->page->slots[i]) && goes(s, &s->page->slots[i]))
			asleep = false;
	/* One has taken a slot, and not yet said whose it is. */
	return asleep && s->slots == used_slots(s->page);
}

void
still_look(struct still *s, enum still_how how, bool *asleep, bool *ran)
{
	size_t known = s->count;

	s->forks = s->page->forks;
	*ran = false;
	for (size_t i = 0; i < known; i++)
		*ran = look_at(s, i, how) || *ran;
	while (
	    s->slots < used_slots(s->page) && s->page->slots[s->slots].pid != 0)
		still_add(s, s->page->slots[s->slots++].pid);
	*ran = *ran || s->count != known;
	drop_gone(s);
	*asleep = all_sleep(s);
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

/* ---- time ---- */

int64_t
still_due(const struct still *s, const struct clock_slot *slot)
{
	int64_t boot = slot->boot_ns, awake = slot->awake_ns;

	if (awake != CLOCK_NO_TIME)
		awake += s->page->asleep_ns;
	return boot < awake ? boot : awake;
}

struct clock_slot *
still_next(const struct still *s)
{
	struct clock_slot *first = NULL;

	for (uint32_t i = 0; i < used_slots(s->page); i++) {
		struct clock_slot *slot = &s->page->slots[i];

		if (!goes(s, slot) || !slot->waits ||
		    still_due(s, slot) == CLOCK_NO_TIME)
			continue;
		if (first == NULL || still_due(s, slot) < still_due(s, first))
			first = slot;
	}
	return first;
}

/* One that is woken works, until it says that it waits again. */
void
still_move(const struct still *s, int64_t to)
{
	if (to > s->page->boot_ns)
		s->page->boot_ns = to;
	for (uint32_t i = 0; i < used_slots(s->page); i++) {
		struct clock_slot *slot = &s->page->slots[i];

		if (!slot->waits || still_find(s, slot) == NULL ||
		    still_due(s, slot) > s->page->boot_ns)
			continue;
		slot->waits = 0;
		kill(slot->pid, CLOCK_SIGNAL);
	}
}

/* ---- waiting ---- */

/* Whether the process of a slot says that it works. It may be gone since, or wait
 * for something else: only a look shows it. */
static bool
one_works(const struct still *s)
{
	for (uint32_t i = 0; i < s->slots; i++) {
		const struct clock_slot *slot = &s->page->slots[i];

		if ((!slot->waits || sends(s, slot)) && goes(s, slot))
			return true;
	}
	return false;
}

/* Others are on this processor, which does not go to sleep itself meanwhile:
 * waking it takes longer than their work. */
static void
let_run(const struct still *s, uint32_t waits, int turns)
{
	for (int i = 0; i < turns && s->page->waits == waits; i++)
		sched_yield();
	if (s->pause != NULL)
		s->pause();
}

/* Until one begins to wait; false: none did, for some time. Processes without a
 * slot say nothing when they sleep. */
static bool
nap(const struct still *s, uint32_t waits, int *turns)
{
	struct timespec t = {.tv_nsec = *turns * 4000L};

	if (s->beside)
		let_run(s, waits, *turns);
	else
		syscall(SYS_futex, &s->page->waits, FUTEX_WAIT, waits, &t);
	if (s->page->waits != waits)
		*turns = TURNS_MIN;
	else if (*turns < TURNS_MAX)
		*turns *= 2;
	return s->page->waits != waits;
}

/* How often this process has left its processor. */
static long
switches(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_nvcsw + u.ru_nivcsw;
}

/* Whether all sleep, of those that share this processor: none of them runs as
 * long as this one does. */
static bool
all_sleep_beside(struct still *s)
{
	long before = switches();

	for (size_t i = 0; i < s->count; i++)
		if (s->tasks[i].pid != s->page->root &&
		    !read_state(&s->tasks[i]))
			s->tasks[i].pid = 0;
	drop_gone(s);
	return all_sleep(s) && switches() == before;
}

/* None is there that is not known. */
static bool
knows_all(const struct still *s)
{
	return s->forks == s->page->forks && s->slots == used_slots(s->page);
}

/* Processor time of all, as far as they are known. */
static int64_t
used_ns(const struct still *s)
{
	char turns[STILL_TURNS_MAX];
	int64_t sum = 0;

	for (size_t i = 0; i < s->count; i++)
		if (read_again(s->tasks[i].turns_fd, turns, sizeof(turns)))
			sum += strtoll(turns, NULL, 10);
	return sum;
}

static int64_t
machine_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Most waits are so short that their work is not looked at. */
struct patience {
	int64_t look_ns; /* by the clock of the machine */
	int64_t used_ns; /* at the first look */
};

static bool
is_over(const struct still *s, struct patience *p)
{
	const int64_t pause = 1000000000;
	int64_t now, used;
	bool first = p->look_ns == 0;

	if (s->patience_ns == 0 || (now = machine_ns()) < p->look_ns)
		return false;
	p->look_ns = now + pause;
	if (first)
		return false;
	used = used_ns(s);
	if (p->used_ns == 0)
		p->used_ns = used;
	return used - p->used_ns > s->patience_ns;
}

bool
still_wait(struct still *s)
{
	enum still_how how = STILL_NEWS;
	int turns = TURNS_MIN;
	bool asleep, ran;
	struct patience patience = {0, 0};

	while (!is_over(s, &patience)) {
		uint32_t waits = s->page->waits;

		if (one_works(s) && nap(s, waits, &turns))
			continue;
		waits = s->page->waits;
		if (s->beside && knows_all(s)) {
			asleep = all_sleep_beside(s);
			if (asleep && knows_all(s))
				return true;
			/* One that has no slot works, for a short time. */
			sched_yield();
			continue;
		}
		still_look(s, how, &asleep, &ran);
		if (asleep && how == STILL_ALL && !ran)
			return true;
		if (!asleep)
			nap(s, waits, &turns);
		how = asleep ? STILL_ALL : STILL_NEWS;
	}
	return false;
}
