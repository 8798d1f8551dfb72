/*
 * kpipe: runs kwatch | ireconcile | kapply | kstatus as one operator, also as
 * process 1 of a container.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/mem.h"
#include "sidecar/listener.h"
#include "sidecar/server.h"
#include "sidecar/shadow.h"
#include "child/inside.h"
#include "conf/instancename.h"
#include "conf/watches.h"
#include "kube/proof.h"
#include "launch.h"
#include "options.h"
#include "pipeline.h"
#include "process/clock.h"
#include "process/file.h"
#include "process/harden.h"
#include "process/fence.h"
#include "process/log.h"
#include "process/notify.h"
#include "process/version.h"
#include "tools.h"

enum { SIDECARS_MAX = 4 };
/* Readers of the recording as it comes: kview; krecord, which sends traces. */
enum { LISTENER_VIEW, LISTENER_TRACES, LISTENERS };

static const int signals[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP};

struct app {
	struct loop *loop;
	struct pipeline pipeline;
	struct server server;
	struct shadow shadow; /* only with options.shadow */
	struct listener listeners[LISTENERS];
	bool serves;
	struct sidecar *sidecars[SIDECARS_MAX]; /* borrowed */
	size_t sidecars_count, sidecars_ended;
	bool ended;		 /* the pipeline has */
	struct notify notify;	 /* tells the service manager (systemd) */
	struct timer watchdog;	 /* feeds its watchdog */
	const char *told_status; /* static: what it was told last */
	struct fence fence;	 /* from a kelect that runs this kpipe */
	char *lease;	     /* owned: the name; NULL: no leader is elected */
	char *instance;	     /* owned: or NULL */
	char *marks_secret;  /* owned: NULL: the key of marks is ours */
	char *field_manager; /* owned: of Events about our pod */
	char *greeting;	     /* owned: the first lines of the log */
	struct watches *watches; /* owned */
	struct tools tools;
	struct oom oom;
	struct buf state; /* told last */
	int null_fd;
};

/* ---- names that no option gives ---- */

/* Borrowed: OPERATOR_NAME, or the name of the first entry. */
static const char *
operator_name(const struct watches *w)
{
	const char *name = getenv("OPERATOR_NAME");

	return name != NULL && *name != '\0' ? name : w->entries[0].name;
}

/*
 * If no object can have marks and no text is made of the key, it need not be
 * kept: a random one is used, so that forged marks do not count.
 */
static char *
operator_secret(const struct watches *w)
{
	struct buf name = BUF_INIT;

	if (options.marks_key_file != NULL)
		return NULL;
	if (options.marks_key_secret != NULL)
		return mem_strdup(options.marks_key_secret);
	/* Entries that only retain come last, and then those that only prove:
	 * one more must not be another key. */
	for (size_t i = 0; i < 3 * w->count; i++) {
		const struct watch_entry *e = &w->entries[i % w->count];

		if (e->marks || e->random || (i >= w->count && e->retains) ||
		    (i >= 2 * w->count && e->proves)) {
			buf_addf(&name, "kpipe-marks-%s", e->name);
			return buf_take(&name);
		}
	}
	return NULL;
}

/* The name of this instance of the operator, if the file does not say it: by
 * its installation. Owned, or NULL: it has no name. -1 with err: a name that
 * cannot be one. */
static int
operator_instance(char **name, struct err *err)
{
	const char *operator_ = getenv("OPERATOR_NAME");
	const char *pod = getenv("POD_NAMESPACE");
	struct buf b = BUF_INIT;

	*name = NULL;
	if (operator_ == NULL || *operator_ == '\0')
		return 0;
	if (pod != NULL && *pod != '\0')
		buf_addf(&b, "%s/", pod);
	buf_adds(&b, operator_);
	*name = buf_take(&b);
	return instancename_check("OPERATOR_NAME", *name, err);
}

/* ---- the first lines of the log ---- */

static void
add_scope(struct buf *b, const struct watch_kind *k)
{
	const struct textlist *names = &k->namespaces;

	if (k->scope == WATCH_CLUSTER) {
		buf_adds(b, " in the whole cluster");
		return;
	}
	if (names->count == 0) {
		buf_adds(b,
		    k->namespace_selector != NULL ? " in namespaces"
						  : " in all namespaces");
		if (k->namespace_selector != NULL)
			buf_addf(
			    b, " with the labels %s", k->namespace_selector);
		return;
	}
	buf_adds(b, names->count > 1 ? " in namespaces " : " in namespace ");
	for (size_t i = 0; i < names->count; i++)
		buf_addf(b, "%s%s", i > 0 ? ", " : "", names->items[i]);
	if (k->namespace_selector != NULL)
		buf_addf(b, " with the labels %s", k->namespace_selector);
}

static void
add_kinds(struct buf *b, const char *what, const struct watch_kind *kinds,
    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i == 0)
			buf_addf(b, "; %s ", what);
		else
			buf_adds(b, ", ");
		watch_kind_name(&kinds[i], b);
	}
}

/*
 * Appends the first lines of the log, for each primary kind:
 *
 *	VERSION (COMMIT) runs memcached for Memcached.cache.example.com in
 *	namespace default; dependents Deployment.apps, Pod; filters ./weather
 *
 * name: of the operator; instance: of entries that name none, or NULL.
 */
static void
operator_describe(struct buf *b, const struct watches *w, const char *name,
    const char *instance)
{
	for (size_t i = 0; i < w->count; i++) {
		const struct watch_entry *e = &w->entries[i];

		buf_adds(b, KPIPE_VERSION " (");
		version_add_commit(b);
		buf_addf(b, ") runs %s for ", name);
		watch_kind_name(&e->primary, b);
		add_scope(b, &e->primary);
		if (e->instance != NULL || instance != NULL)
			buf_addf(b, " as instance %s",
			    e->instance != NULL ? e->instance : instance);
		add_kinds(b, "dependents", e->dependents, e->dependent_count);
		add_kinds(b, "related", e->related, e->related_count);
		for (size_t j = 0; j < e->filter_count; j++)
			buf_addf(b, "%s%s", j == 0 ? "; filters " : ", ",
			    e->filters[j].command.items[0]);
		buf_addc(b, '\n');
	}
}

/* ---- before the start ---- */

/* A file that no stage would accept is refused before any stage is started. */
static int
check_watches(struct app *a, struct err *err)
{
	struct watches_scope scope = {
	    options.namespace_, options.all_namespaces};
	struct watches *w = watches_load(options.watches, &scope, err);
	struct buf greeting = BUF_INIT, manager = BUF_INIT;

	a->tools.watches = a->watches = w;
	if (w == NULL || operator_instance(&a->instance, err) != 0)
		return -1;
	a->tools.instance = a->instance;
	if (options.leader_elect)
		a->lease = mem_strdup(
		    options.lease != NULL ? options.lease : operator_name(w));
	a->marks_secret = operator_secret(w);
	/* The first of those that the stages use (doc/protocol.md). */
	buf_addf(&manager, "kpipe-%s", w->entries[0].name);
	a->field_manager = buf_take(&manager);
	operator_describe(&greeting, w, operator_name(w), a->instance);
	a->greeting = buf_take(&greeting);
	return tools_check_shadow(&a->tools, &scope, err);
}

/*
 * Takes the numbers up to the last that a stage uses (by descriptors that can
 * neither be read nor written), so that no pipe of ours gets one of them;
 * stages inherit no other descriptor.
 */
static int
prepare_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd < STAGE_EXTRA_FD + STAGE_EXTRA_MAX);
	close_range(STAGE_REPORT_FD, ~0u, CLOSE_RANGE_CLOEXEC);
	return fd;
}

/* Moves the fence of a kelect that runs us away from the numbers of stages. */
static int
take_fence(struct app *a, struct err *err)
{
	int *fds[] = {&a->fence.pipe_fd, &a->fence.page_fd};

	if (fence_from_env(&a->fence, err) != 0)
		return -1;
	unsetenv(FENCE_ENV);
	unsetenv(FENCE_ENV_OLD);
	for (size_t i = 0; a->fence.pipe_fd >= 0 && i < 2; i++) {
		int fd = fcntl(
		    *fds[i], F_DUPFD_CLOEXEC, STAGE_EXTRA_FD + STAGE_EXTRA_MAX);

		if (fd < 0)
			return err_set(err, ERR_TRANSIENT,
			    "cannot keep the fence: %s", strerror(errno));
		close(*fds[i]);
		*fds[i] = fd;
	}
	return 0;
}

/* A random key in memory, sealed: no stage can change it for another. */
static int
make_key(struct err *err)
{
	enum {
		SEALS = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL
	};
	int fd = memfd_create("kpipe-marks", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct buf key = BUF_INIT;
	int rc = -1;

	if (fd >= 0)
		rc = proof_make_key(&key, err);
	if (fd < 0 ||
	    (rc == 0 &&
		(file_write(fd, buf_span(&key)) != 0 ||
		    fcntl(fd, F_ADD_SEALS, SEALS) != 0)))
		rc = err_set(err, ERR_TRANSIENT,
		    "cannot keep the key of marks: %s", strerror(errno));
	buf_wipe(&key);
	if (rc == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* A descriptor of the key of marks (doc/protocol.md, Marks), if kpipe has the
 * key. */
static int
find_key(struct app *a, struct err *err)
{
	const char *file = options.marks_key_file;
	int *fd = &a->pipeline.marks_fd;

	a->tools.marks_secret = a->marks_secret;
	if (a->marks_secret != NULL)
		return 0;
	*fd = file == NULL ? make_key(err) : open(file, O_RDONLY | O_CLOEXEC);
	if (*fd < 0 && file != NULL)
		err_set(err, ERR_PERMANENT, "option --marks-key-file: %s: %s",
		    file, strerror(errno));
	return *fd < 0 ? -1 : 0;
}

static int
build(struct app *a, struct err *err)
{
	bool fenced = options.leader_elect || a->fence.pipe_fd >= 0;
	struct listener *view = &a->listeners[LISTENER_VIEW];
	struct listener *traces = &a->listeners[LISTENER_TRACES];

	if (find_key(a, err) != 0)
		return -1;
	a->serves = options_is_address(options.probe_address) ||
	    options_is_address(options.metrics_address);
	if (tools_pipeline(&a->tools, &a->pipeline, a->lease, fenced, err) != 0)
		return -1;
	if (a->serves &&
	    tools_server(&a->tools, &a->server.sidecar.stage, err) != 0)
		return -1;
	if (options.shadow != NULL &&
	    tools_shadow(&a->tools, &a->shadow.reader, &a->shadow.sidecar.stage,
		err) != 0)
		return -1;
	if (options_is_address(options.view_address) &&
	    (tools_viewer(&a->tools, &view->sidecar.stage, err) != 0 ||
		listener_open(view, err) != 0))
		return -1;
	if (options.otlp_endpoint != NULL &&
	    (tools_tracer(&a->tools, &traces->sidecar.stage, err) != 0 ||
		listener_open(traces, err) != 0))
		return -1;
	a->pipeline.live_fd = view->pipe[1];
	a->pipeline.flow_fd = traces->pipe[1];
	return oom_start(&a->oom,
	    a->pipeline.count + a->serves + (a->pipeline.live_fd >= 0) +
		(a->pipeline.flow_fd >= 0) + 2 * (options.shadow != NULL),
	    err);
}

/* ---- while it runs ---- */

static void
feed_watchdog(void *arg)
{
	struct app *a = arg;

	notify_send(&a->notify, "WATCHDOG=1");
	loop_after(
	    a->loop, &a->watchdog, a->notify.watchdog_ms, feed_watchdog, a);
}

static void
say_ready(void *arg)
{
	struct app *a = arg;

	notify_send(&a->notify, "READY=1");
	if (options.shadow != NULL)
		shadow_start(&a->shadow);
	if (options.report_fd >= 0 &&
	    write((int)options.report_fd, "\n", 1) != 1)
		log_warning(
		    "option --report-fd: cannot write: %s", strerror(errno));
}

/* All children that ended, our own and orphans. */
static void
reap(struct app *a)
{
	for (;;) {
		siginfo_t info = {0};
		struct sidecar *sidecar = NULL;
		struct rusage usage;
		struct stage *s, *shadow;
		int status;

		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
		    info.si_pid == 0)
			break;
		for (size_t i = 0; i < a->sidecars_count; i++)
			if (a->sidecars[i]->stage.pid == info.si_pid)
				sidecar = a->sidecars[i];
		shadow = shadow_stage(&a->shadow, info.si_pid);
		s = sidecar != NULL ? &sidecar->stage
		    : shadow != NULL
		    ? shadow
		    : pipeline_stage(&a->pipeline, info.si_pid);
		if (s != NULL)
			stage_kill_helpers(s);
		if (wait4(info.si_pid, &status, 0, &usage) != info.si_pid ||
		    s == NULL)
			continue;
		s->peak_kib = (uint64_t)usage.ru_maxrss;
		if (sidecar != NULL)
			sidecar_take(sidecar, status);
		else if (shadow != NULL)
			shadow_take(&a->shadow, s, status);
		else
			pipeline_take(&a->pipeline, s, status);
	}
	pipeline_settle(&a->pipeline);
}

static void
end_shadow(struct app *a)
{
	if (options.shadow != NULL)
		shadow_end(&a->shadow);
}

static void
on_signal(void *arg, int signo)
{
	struct app *a = arg;

	if (signo == SIGCHLD)
		reap(a);
	else {
		notify_send(&a->notify, "STOPPING=1");
		end_shadow(a);
		pipeline_end(&a->pipeline);
	}
}

static void
describe(struct app *a, struct buf *line)
{
	pipeline_describe(&a->pipeline, line);
	line->len--; /* the brace */
	if (options.shadow != NULL)
		shadow_describe(&a->shadow, line);
	if (options.otlp_endpoint != NULL) {
		buf_adds(line, ",\"traces\":{");
		stage_describe(
		    &a->listeners[LISTENER_TRACES].sidecar.stage, line);
		buf_addc(line, '}');
	}
	buf_addc(line, '}');
}

/* An Event comes from the process that leads. */
static bool
tell_event(void *arg, struct span line)
{
	struct app *a = arg;
	const struct pipeline *p = &a->pipeline;

	return (p->elect == NULL || p->rank == PIPELINE_LEADER) &&
	    launch_line(&a->pipeline, line);
}

static void
record_shadow(void *arg, struct span line)
{
	struct app *a = arg;

	launch_shadow(&a->pipeline, line);
}

/* Before each wait: tells other processes what has changed. */
static void
tell_others(void *arg)
{
	struct app *a = arg;
	const char *status = pipeline_status(&a->pipeline);
	struct buf line = BUF_INIT, told = BUF_INIT;

	if (strcmp(a->told_status, status) != 0) {
		a->told_status = status;
		buf_addf(&told, "STATUS=%s", status);
		notify_send(&a->notify, buf_str(&told));
		buf_release(&told);
	}
	if (options.shadow != NULL) {
		shadow_tell(&a->shadow);
		launch_shadow(&a->pipeline, SPAN_NONE);
	}
	describe(a, &line);
	if (a->serves) {
		pipestate_set(&a->server.pipestate, buf_span(&line));
		server_tell(&a->server);
	}
	if (!span_eq(buf_span(&line), buf_span(&a->state))) {
		launch_state(&a->pipeline, buf_span(&line));
		buf_reset(&a->state);
		buf_addspan(&a->state, buf_span(&line));
	}
	buf_release(&line);
}

static void
on_fence_closed(void *arg, const struct err *err)
{
	struct app *a = arg;

	log_error("%s", err->message);
	pipeline_give_up(&a->pipeline, EXIT_TRANSIENT);
}

static void
on_refusal(void *arg)
{
	struct app *a = arg;

	pipeline_give_up(&a->pipeline, EXIT_PERMANENT);
}

static void
stop_if_gone(struct app *a)
{
	if (a->ended &&
	    a->sidecars_ended == a->sidecars_count + (options.shadow != NULL))
		loop_stop(a->loop);
}

static void
on_pipeline_end(void *arg)
{
	struct app *a = arg;

	a->ended = true;
	for (size_t i = 0; i < a->sidecars_count; i++)
		sidecar_end(a->sidecars[i]);
	end_shadow(a);
	stop_if_gone(a);
}

static void
on_sidecar_end(void *arg)
{
	struct app *a = arg;

	a->sidecars_ended++;
	stop_if_gone(a);
}

/* The shadow starts when the pipeline is ready, so as not to slow its start. */
static void
set_up_shadow(struct app *a)
{
	struct shadow *s = &a->shadow;

	if (options.shadow == NULL)
		return;
	s->sidecar.loop = s->shadowdiff.loop = a->loop;
	s->sidecar.oom = &a->oom;
	s->shadowdiff.watches = a->watches;
	s->shadowdiff.path = options.shadow;
	s->shadowdiff.tell = tell_event;
	s->shadowdiff.arg = s->arg = a;
	s->pipestate = a->serves ? &a->server.pipestate : NULL;
	s->null_fd = a->null_fd;
	s->record = options_records() ? record_shadow : NULL;
	s->on_end = on_sidecar_end;
}

/* The caller starts it. */
static void
add_sidecar(struct app *a, struct sidecar *r, loop_fn *refused)
{
	r->loop = a->loop;
	r->oom = &a->oom;
	r->on_refusal = refused;
	r->on_end = on_sidecar_end;
	r->arg = a;
	a->sidecars[a->sidecars_count++] = r;
}

static void
start_listener(struct app *a, size_t i)
{
	struct listener *l = &a->listeners[i];

	if (l->pipe[0] < 0)
		return;
	l->record = a->pipeline.record;
	l->null_fd = a->null_fd;
	l->needs_state = i == LISTENER_VIEW;
	if (i == LISTENER_TRACES && a->serves)
		l->pipestate = &a->server.pipestate;
	l->number = PIPESTATE_TRACES;
	add_sidecar(a, &l->sidecar, NULL);
	listener_start(l);
}

static void
start(struct app *a)
{
	struct pipeline *p = &a->pipeline;
	struct err err;

	/* Orphans of a stage become our children, not those of process 1. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGPIPE, SIG_IGN);
	a->loop = loop_new();
	for (size_t i = 0; i < COUNT(signals); i++)
		loop_signal(a->loop, signals[i], on_signal, a);
	p->loop = a->oom.loop = a->loop;
	p->started_us = clock_real_us();
	p->oom = &a->oom;
	a->oom.field_manager = a->field_manager;
	p->mode = options.dry_run ? PIPELINE_ONCE : PIPELINE_SUPERVISE;
	p->null_fd = a->null_fd;
	p->output_fd = options.dry_run ? STDOUT_FILENO : a->null_fd;
	p->on_ready = say_ready;
	p->on_end = on_pipeline_end;
	p->arg = a;
	if (a->fence.pipe_fd >= 0) {
		p->fence = &a->fence;
		fence_watch(&a->fence, a->loop, on_fence_closed, a);
		fence_check(&a->fence, &err); /* watches the time, too */
	}
	if (a->serves) {
		p->pipestate = &a->server.pipestate;
		a->server.null_fd = a->null_fd;
		add_sidecar(a, &a->server.sidecar, on_refusal);
		server_start(&a->server);
	}
	set_up_shadow(a);
	for (size_t i = 0; i < LISTENERS; i++)
		start_listener(a, i);
	if (a->notify.watchdog_ms > 0)
		feed_watchdog(a);
	loop_idle(a->loop, tell_others, a);
	pipeline_start(p);
}

static int
run(struct app *a, struct err *err)
{
	int code = -1;

	a->told_status = "";
	notify_from_env(&a->notify); /* read before any child is started */
	code = take_fence(a, err);   /* the fence may have such a number */
	a->null_fd = prepare_fds();
	if (code == 0)
		code = build(a, err);
	for (char *at = a->greeting;
	     code == 0 && !options.dry_run && at != NULL && *at != '\0';)
		log_info("%s", strsep(&at, "\n"));
	if (code == 0) {
		start(a);
		loop_run(a->loop);
		code = pipeline_exit_code(&a->pipeline);
	}
	fence_release(&a->fence);
	launch_hang_up(&a->pipeline);
	for (size_t i = 0; i < a->pipeline.count; i++)
		stage_release(&a->pipeline.stages[i]);
	server_release(&a->server);
	shadow_release(&a->shadow);
	buf_release(&a->pipeline.shadow_rest);
	for (size_t i = 0; i < LISTENERS; i++)
		listener_release(&a->listeners[i]);
	loop_free(a->loop);
	tools_release(&a->tools);
	oom_release(&a->oom);
	buf_release(&a->state);
	if (a->pipeline.marks_fd >= 0)
		close(a->pipeline.marks_fd);
	return code;
}

int
main(int argc, char **argv)
{
	struct app a = {.fence = {.pipe_fd = -1, .page_fd = -1},
	    .listeners = {{.pipe = {-1, -1}}, {.pipe = {-1, -1}}},
	    .pipeline = {.marks_fd = -1,
		.lines_fd = -1,
		.states_fd = -1,
		.shadow_fd = -1,
		.live_fd = -1,
		.flow_fd = -1}};
	struct err err = ERR_INIT;
	sigset_t held;
	inside_fn *tool = argc > 0 ? inside_called(argv[0]) : NULL;
	int first, code;

	if (tool != NULL)
		return tool(argc, argv);
	inside_begin(argv);
	harden_process();
	/* From the first moment on a signal waits for the loop: process 1 would
	 * lose one that has no handler yet. */
	sigemptyset(&held);
	for (size_t i = 0; i < COUNT(signals); i++)
		sigaddset(&held, signals[i]);
	sigprocmask(SIG_BLOCK, &held, NULL);
	code = opt_begin(&options_tool, argc, argv, &first);
	if (code >= 0)
		return code;
	if (options_check(argc - first, argv[first], &err) == 0 &&
	    check_watches(&a, &err) == 0)
		code = run(&a, &err);
	free(a.lease);
	free(a.instance);
	free(a.marks_secret);
	free(a.field_manager);
	free(a.greeting);
	watches_free(a.watches);
	if (code < 0)
		oom_last_words(err.message);
	return code >= 0 ? code : opt_fatal(&err);
}
