#include "instance.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "play.h"

int kpipe_main(int argc, char **argv);

static const int64_t s = 1000000000;
static const int64_t patience = 120;

/* The User-Agent of a tool has the name of its machine (lib/kube). Each instance is
 * on a machine of its own. */
#define SETTING "KTORTURE_MACHINE"
static const char *const machines[INSTANCES] = {"first", "second"};

/* In place of the C library's. */
int
uname(struct utsname *u)
{
	int rc = (int)syscall(SYS_uname, u);
	const char *machine = getenv(SETTING);

	if (rc == 0 && machine != NULL)
		snprintf(u->machine, sizeof(u->machine), "%s", machine);
	return rc;
}

/* ---- life ---- */

void
instance_start(struct play *p, size_t n)
{
	struct instance *o = &p->operators[n];
	struct buf watches = BUF_INIT, config = BUF_INIT, dir = BUF_INIT;
	struct buf setting = BUF_INIT;
	const char *argv[8] = {"kpipe"};
	int i = 1;

	buf_addf(&watches, "--filename=%s",
	    o->old && !p->t->new_only ? p->t->folder->old_watches
				      : p->t->folder->watches_path);
	buf_addf(&config, "--kubeconfig=%s", p->w->kubeconfig);
	argv[i++] = buf_str(&watches);
	argv[i++] = buf_str(&config);
	argv[i++] = "--sandbox=off";
	if (p->t->instances > 0)
		argv[i++] = "--leader-elect";
	if (p->t->recording != NULL && n == 0) {
		buf_addf(&dir, "--record=%s", p->t->recording);
		argv[i++] = buf_str(&dir);
	}
	buf_addf(&setting, "%s=%s", SETTING, machines[n]);
	o->pid = world_fork(p->w, kpipe_main, argv, buf_str(&setting));
	o->died_ns = 0;
	if (p->operator_count <= n)
		p->operator_count = n + 1;
	buf_release(&watches);
	buf_release(&config);
	buf_release(&dir);
	buf_release(&setting);
}

static bool
runs(const struct instance *o)
{
	return o->pid != 0 && o->died_ns == 0 && !o->over;
}

static void
look_at(struct play *p, struct instance *o)
{
	int status;

	if (!runs(o) || !world_has_ended(p->w, o->pid, &status))
		return;
	play_note_end(p, span_str("kpipe"),
	    WIFSIGNALED(status) ? WTERMSIG(status) : 0,
	    WIFEXITED(status) ? WEXITSTATUS(status) : 0);
	if (o->retired) {
		o->over = true;
		return;
	}
	o->died_ns = world_now(p->w);
	if (o->updating)
		o->died_ns -= s; /* the new Pod is there already */
	else
		o->deaths++;
	o->updating = false;
}

void
instance_look(struct play *p)
{
	for (size_t i = 0; i < p->operator_count && !p->ending; i++)
		look_at(p, &p->operators[i]);
}

static int64_t
restart_ns(const struct instance *o)
{
	int64_t pause = s;

	if (o->died_ns == 0)
		return INT64_MAX;
	for (unsigned i = 1; i < o->deaths && pause < 60 * s; i++)
		pause *= 2;
	return o->died_ns + pause;
}

bool
instance_restart(struct play *p)
{
	bool any = false;

	for (size_t i = 0; i < p->operator_count && !p->ending; i++)
		if (restart_ns(&p->operators[i]) <= world_now(p->w)) {
			instance_start(p, i);
			any = true;
		}
	return any;
}

int64_t
instance_due(const struct play *p, int64_t end)
{
	for (size_t i = 0; i < p->operator_count && !p->ending; i++)
		if (restart_ns(&p->operators[i]) < end)
			end = restart_ns(&p->operators[i]);
	return end;
}

static void
tell_to_end(struct play *p, size_t n)
{
	p->killed = span_str("kpipe");
	if (runs(&p->operators[n]))
		kill(p->operators[n].pid, SIGTERM);
}

void
instance_update(struct play *p, size_t n)
{
	p->operators[n].updating = runs(&p->operators[n]);
	tell_to_end(p, n);
}

void
instance_retire(struct play *p, size_t n)
{
	struct instance *o = &p->operators[n];

	tell_to_end(p, n);
	o->retired = true;
	if (!runs(o)) { /* it does not come back */
		o->died_ns = 0;
		o->over = true;
	}
}

void
instance_replace(struct play *p, struct span by)
{
	size_t last = runs(&p->operators[1]) ? 1 : 0, next = 1 - last;

	p->operators[next] = (struct instance){.old = span_is(by, "old")};
	instance_start(p, next);
	play_come(p, REPLACE_MS * (s / 1000), COMING_RETIRE,
	    jv_number((double)last), 0);
}

static void
stop_stage(struct play *p, size_t n)
{
	pid_t pid = instance_process(p, n, p->stopped_at_end);

	if (pid != 0)
		kill(pid, SIGSTOP);
}

/* The others first, the last one with all that is left. */
int
instance_end_all(struct play *p)
{
	int64_t end = world_now(p->w) + patience * s;
	struct instance *last = NULL;
	int worst = 0, status;

	for (size_t i = 0; i < p->operator_count; i++)
		if (runs(&p->operators[i]))
			last = &p->operators[i];
	if (last != NULL && p->stopped_at_end.n > 0)
		stop_stage(p, (size_t)(last - p->operators));
	for (size_t i = 0; last != NULL && i < p->operator_count; i++) {
		struct instance *o = &p->operators[i];

		if (!runs(o))
			continue;
		if (o == last)
			status = world_end(
			    p->w, o->pid, SIGTERM, end - world_now(p->w));
		else
			status = world_end_one(
			    p->w, o->pid, SIGTERM, end - world_now(p->w));
		if (worst == 0)
			worst = WIFEXITED(status) ? WEXITSTATUS(status)
						  : 128 + WTERMSIG(status);
	}
	return worst;
}

/* ---- processes ---- */

size_t
instance_of(jv request)
{
	struct span agent = play_text(request, "userAgent");

	return agent.n > 0 && span_has(agent, machines[1]) ? 1 : 0;
}

/* 0: it is gone. */
static pid_t
parent_of(pid_t pid)
{
	char path[64], text[256], *at;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	at = strrchr(text, ')'); /* "PID (NAME) STATE PARENT": proc(5) */
	return at != NULL && at[1] != '\0' && at[2] != '\0'
	    ? (pid_t)strtol(at + 3, NULL, 10)
	    : 0;
}

static bool
is_below(pid_t pid, pid_t top)
{
	while (pid > 1 && pid != top)
		pid = parent_of(pid);
	return pid == top;
}

pid_t
instance_process(const struct play *p, size_t n, struct span name)
{
	bool worker = span_is(name, "evaluator");
	pid_t found = 0;

	for (size_t i = 0; i < p->w->still.count; i++) {
		const struct still_task *t = &p->w->still.tasks[i];

		if (!span_is(worker ? span_str("ireconcile") : name, t->name) ||
		    !is_below(t->pid, p->operators[n].pid))
			continue;
		found = t->pid;
		if (!worker)
			break;
	}
	return found;
}

size_t
instance_processes(const struct play *p, size_t n, pid_t *pids, size_t max)
{
	size_t count = 0;

	for (size_t i = 0; i < p->w->still.count && count < max; i++)
		if (is_below(p->w->still.tasks[i].pid, p->operators[n].pid))
			pids[count++] = p->w->still.tasks[i].pid;
	return count;
}
