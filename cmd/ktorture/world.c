#include "world.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "process/file.h"

/* Linked in, as kpipe and its tools are (README). */
int kapi_main(int argc, char **argv);

enum {
	PIPE_BYTES = 1 << 20,
	AT_ONCE_MAX = 5000, /* lines of the journal */
	LINES_MAX = 100000
};
#define PATIENCE_NS INT64_C(5000000000)

/* ---- time ---- */

int64_t
world_now(const struct world *w)
{
	return w->page->boot_ns;
}

int64_t
world_real_us(const struct world *w)
{
	return (w->page->boot_ns + w->page->ahead_ns) / 1000;
}

static void
read_some(int fd, struct buf *b)
{
	ssize_t n;

	do {
		char *room = buf_reserve(b, 65536);

		n = fd >= 0 ? read(fd, room, 65536) : 0;
		b->len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
}

static void
kill_operator(struct world *w)
{
	bool asleep, ran;

	still_look(&w->still, STILL_ALL, &asleep, &ran);
	for (size_t i = 0; i < w->still.count; i++)
		if (w->still.tasks[i].pid != w->kapi)
			kill(w->still.tasks[i].pid, SIGKILL);
}

/* Time moves only while all rest, so an operator that does not would never end. */
static void
end_loop(struct world *w, enum world_loop loop)
{
	if (w->loop == WORLD_LOOP_NONE)
		w->loop = loop;
	kill_operator(w);
}

static void
read_journal(struct world *w)
{
	size_t from = w->journal.len;

	read_some(w->journal_fd, &w->journal);
	for (; from < w->journal.len; from++)
		if (w->journal.data[from] == '\n') {
			w->lines++;
			w->lines_at_once++;
		}
	if (w->lines_at_once > AT_ONCE_MAX)
		end_loop(w, WORLD_LOOP_AT_ONCE);
	else if (w->lines > LINES_MAX)
		end_loop(w, WORLD_LOOP_LONG);
}

void
world_still(struct world *w)
{
	size_t before;
	bool rest;

	/* One that waited for us to read goes on. */
	do {
		rest = still_wait(&w->still);
		if (!rest)
			end_loop(w, WORLD_LOOP_BUSY);
		before = w->journal.len + w->log.len;
		read_journal(w);
		read_some(w->log_fd, &w->log);
	} while (
	    !rest || w->journal.len + w->log.len >= before + PIPE_BYTES / 2);
}

static void
move(struct world *w, int64_t to)
{
	if (to > w->page->boot_ns)
		w->lines_at_once = 0;
	still_move(&w->still, to);
	world_still(w);
}

bool
world_step(struct world *w, int64_t end_ns)
{
	const struct clock_slot *next = still_next(&w->still);
	bool is_near = next != NULL && still_due(&w->still, next) < end_ns;

	move(w, is_near ? still_due(&w->still, next) : end_ns);
	return is_near;
}

/* ---- processes ---- */

/* A process of the nursery begins. */
static void
begin(void *arg)
{
	const struct world *w = arg;
	int null_fd = open("/dev/null", O_RDWR);
	sigset_t none;

	dup2(null_fd, 0);
	dup2(null_fd, 1);
	dup2(w->log_to, 2);
	close_range(3, ~0u, 0);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	relay_use(w->relay);
	page_use(w->page);
}

pid_t
world_fork(struct world *w, int (*main)(int, char **), const char *const *argv,
    const char *setting)
{
	pid_t pid = nursery_fork(w->nursery, main, argv, setting);

	if (pid > 0)
		still_add(&w->still, pid);
	return pid;
}

bool
world_has_ended(struct world *w, pid_t pid, int *status)
{
	return !still_lives(&w->still, pid) &&
	    nursery_has_ended(w->nursery, pid, status);
}

/* All below it have ended, too: they are not the next one's. */
static void
wait_gone(struct world *w)
{
	size_t most;

	do {
		int status;

		kill_operator(w);
		most = w->still.count;
		/* It reaps all of them. */
		nursery_has_ended(w->nursery, 0, &status);
	} while (most > 1);
}

int
world_end_one(struct world *w, pid_t pid, int signo, int64_t limit_ns)
{
	int64_t end = world_now(w) + limit_ns;
	int status = 0;

	kill(pid, signo);
	world_still(w);
	while (!world_has_ended(w, pid, &status))
		if (!world_step(w, end)) {
			kill(pid, SIGKILL);
			while (!nursery_has_ended(w->nursery, pid, &status))
				sched_yield();
			break;
		}
	return status;
}

int
world_end(struct world *w, pid_t pid, int signo, int64_t limit_ns)
{
	int status = world_end_one(w, pid, signo, limit_ns);

	read_some(w->log_fd, &w->log);
	wait_gone(w);
	read_some(w->log_fd, &w->log);
	return status;
}

/* In place of the C library's: the tools give memory back when they are idle,
 * which they are between any two moments of a virtual clock. */
int
malloc_trim(size_t pad)
{
	(void)pad;
	return 0;
}

/* ---- the API server ---- */

static void
be_still(void *arg)
{
	world_still(arg);
}

static void
step_on(void *arg)
{
	struct world *w = arg;

	world_step(w, world_now(w) + INT64_C(1000000000));
}

/* Slots of processes that are gone are free again: only kapi's is in use. */
static void
forget_slots(struct world *w)
{
	for (uint32_t i = 1; i < w->page->used; i++)
		w->page->slots[i] = (struct clock_slot){0};
	w->page->used = w->page->used > 0;
	if (w->still.slots > 1)
		w->still.slots = 1;
}

int
world_reset(struct world *w, struct span objects, uint64_t seed,
    int64_t start_us, struct err *err)
{
	struct buf path = BUF_INIT;
	struct span answer;
	int status;

	forget_slots(w);
	w->page->seed = seed;
	w->page->ahead_ns = start_us * 1000 - w->page->boot_ns;
	w->loop = WORLD_LOOP_NONE;
	buf_addf(&path, "/kapi/load?number=0&seed=%llu&version=1000",
	    (unsigned long long)seed);
	status = kapiclient_ask(w->client, "POST", buf_str(&path),
	    KAPICLIENT_JSON, objects, &answer, err);
	buf_release(&path);
	world_still(w);
	buf_reset(&w->journal);
	buf_reset(&w->log);
	w->lines = w->lines_at_once = 0;
	if (status > 0 && status != 200)
		err_set(err, ERR_BUG, "kapi refuses to load: %.*s",
		    SPAN_ARG(answer));
	return status == 200 ? 0 : -1;
}

static char *
in_dir(const struct world *w, const char *name)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s/%s", w->dir, name);
	return buf_take(&b);
}

/* Its address, from the kubeconfig that it writes. */
static char *
read_server(const char *kubeconfig)
{
	struct buf text = BUF_INIT, url = BUF_INIT;
	const char *at, *end;
	struct err err;

	if (file_read(kubeconfig, 1, &text, &err) == 0 &&
	    (at = strstr(buf_str(&text), "server: ")) != NULL) {
		at += strlen("server: ");
		end = at + strcspn(at, "\n\"");
		buf_add(&url, at, (size_t)(end - at));
	}
	buf_release(&text);
	return url.len > 0 ? buf_take(&url) : NULL;
}

static int
start_kapi(struct world *w, uint64_t seed, struct err *err)
{
	struct buf out = BUF_INIT, journal = BUF_INIT, seed_arg = BUF_INIT;
	char *file = in_dir(w, "journal"), *server = NULL;
	int status;

	(void)seed;
	buf_addf(&out, "--kubeconfig-out=%s", w->kubeconfig);
	buf_addf(&journal, "--journal=%s", file);
	mkfifo(file, 0600);
	w->journal_fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	fcntl(w->journal_fd, F_SETPIPE_SZ, PIPE_BYTES);
	w->kapi = world_fork(w, kapi_main,
	    (const char *[]){"kapi", buf_str(&out), buf_str(&journal),
		"--journal-changes", "--bookmark-interval=0", NULL},
	    NULL);
	while (w->kapi > 0 && access(w->kubeconfig, R_OK) != 0 &&
	    !world_has_ended(w, w->kapi, &status))
		world_still(w);
	server = read_server(w->kubeconfig);
	free(file);
	buf_release(&out);
	buf_release(&journal);
	buf_release(&seed_arg);
	if (server == NULL)
		return err_set(err, ERR_TRANSIENT, "kapi does not start: %s",
		    buf_str(&w->log));
	w->client = kapiclient_new(server, "client");
	w->cluster = kapiclient_new(server, "cluster");
	kapiclient_on_wait(w->client, be_still, step_on, w);
	kapiclient_on_wait(w->cluster, be_still, step_on, w);
	free(server);
	return 0;
}

void
world_settle(struct world *w)
{
	w->still.beside = nursery_settle(w->number);
}

/* Lines that the processes of the world write, in a pipe. */
static bool
open_log(struct world *w)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) != 0)
		return false;
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	fcntl(fds[0], F_SETPIPE_SZ, PIPE_BYTES);
	w->log_fd = fds[0];
	w->log_to = fds[1];
	return true;
}

struct world *
world_new(uint64_t seed, unsigned n, struct err *err)
{
	struct world *w = mem_zalloc(sizeof(*w));
	char dir[] = "/tmp/ktorture-XXXXXX";
	void *page = mmap(NULL, sizeof(*w->page), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	w->number = n;
	w->relay = relay_new();
	w->page = page;
	w->journal_fd = w->log_fd = w->log_to = -1;
	if (page == MAP_FAILED || mkdtemp(dir) == NULL || !open_log(w) ||
	    (w->nursery = nursery_new(n, begin, w)) == NULL) {
		err_set(
		    err, ERR_TRANSIENT, "cannot begin: %s", strerror(errno));
		free(w);
		return NULL;
	}
	w->page->seed = seed;
	/* As if the machine had started a day ago. */
	w->page->boot_ns = INT64_C(86400) * 1000000000;
	w->dir = mem_strdup(dir);
	w->kubeconfig = in_dir(w, "kubeconfig");
	deeds_init(&w->deeds);
	still_begin(&w->still, w->page);
	w->still.pause = page_acknowledge;
	w->still.patience_ns = PATIENCE_NS;
	if (start_kapi(w, seed, err) == 0)
		return w;
	world_free(w);
	return NULL;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

void
world_free(struct world *w)
{
	nursery_free(w->nursery);
	nftw(w->dir, remove_one, 4, FTW_DEPTH | FTW_PHYS);
	relay_free(w->relay);
	deeds_release(&w->deeds);
	free(w->dir);
	free(w->kubeconfig);
	buf_release(&w->journal);
	buf_release(&w->log);
	if (w->client != NULL)
		kapiclient_free(w->client);
	if (w->cluster != NULL)
		kapiclient_free(w->cluster);
	munmap(w->page, sizeof(*w->page));
	free(w);
}
