/*
 * kpipe: runs kwatch | ireconcile | kapply | kstatus as one operator, also as
 * process 1 of a container.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "environ.h"
#include "kubeopt.h"
#include "log.h"
#include "opt.h"
#include "pipeline.h"
#include "watches.h"

static struct opts {
	const char *watches;
	const char *namespace_;
	bool all_namespaces;
	bool dry_run;
	bool leader_elect;
	const char *metrics_address;
	const char *probe_address;
	long report_fd;
} opts = {.report_fd = -1};

static const struct opt table[] = {
    {'f', "filename", "WATCHES", OPT_STRING, &opts.watches, NULL,
	"what to watch and which programs to run"},
    {'n', "namespace", "NAMESPACES", OPT_STRING, &opts.namespace_, NULL,
	"primaries of these namespaces only, whatever the file says"},
    {'A', "all-namespaces", NULL, OPT_FLAG, &opts.all_namespaces, NULL,
	"primaries of all namespaces, whatever the file says"},
    {0, "dry-run", NULL, OPT_FLAG, &opts.dry_run, NULL,
	"print what the server would do to each object, and end"},
    {0, "leader-elect", NULL, OPT_FLAG, &opts.leader_elect, NULL,
	"not available yet"},
    {0, "metrics-bind-address", "ADDRESS", OPT_STRING, &opts.metrics_address,
	NULL, "not available yet (0: none)"},
    {0, "health-probe-bind-address", "ADDRESS", OPT_STRING, &opts.probe_address,
	NULL, "not available yet (0: none)"},
    {0, "report-fd", "N", OPT_INT, &opts.report_fd, NULL,
	"write a newline to this descriptor when all stages are ready"},
    /* For the three stages that talk to the API, and them alone. */
    {.type = OPT_TABLE, .value = (void *)kube_opt_server_table},
    {0, NULL, NULL, OPT_TABLE, (void *)opt_log_table, NULL, NULL}, OPT_END};

static const struct opt_tool tool = {"kpipe", "-f WATCHES [OPTION]...",
    "Run kwatch | ireconcile | kapply | kstatus as one operator.", table};

static bool
is_address(const char *address)
{
	return address != NULL && strcmp(address, "0") != 0;
}

static int
check_options(int operands, const char *first, struct err *err)
{
	const char *absent = NULL;

	if (opts.leader_elect)
		absent = "leader-elect";
	else if (is_address(opts.metrics_address))
		absent = "metrics-bind-address";
	else if (is_address(opts.probe_address))
		absent = "health-probe-bind-address";
	if (absent != NULL)
		return err_set(err, ERR_PERMANENT,
		    "option --%s is not available yet", absent);
	if (operands > 0)
		return err_set(
		    err, ERR_PERMANENT, "unexpected operand %s", first);
	if (opts.watches == NULL)
		return err_set(err, ERR_PERMANENT,
		    "option --filename is missing: which watches.yaml?");
	if (opts.namespace_ != NULL && opts.all_namespaces)
		return err_set(err, ERR_PERMANENT,
		    "options --namespace and --all-namespaces exclude each "
		    "other");
	if (opts.report_fd >= 0 && fcntl((int)opts.report_fd, F_GETFD) < 0)
		return err_set(err, ERR_PERMANENT,
		    "option --report-fd: descriptor %ld is not open",
		    opts.report_fd);
	return 0;
}

/* A file that no stage would accept is refused before one is started. */
static int
check_watches(struct err *err)
{
	struct watches_scope scope = {opts.namespace_, opts.all_namespaces};
	struct watches *w = watches_load(opts.watches, &scope, err);
	int result = w == NULL ? -1 : 0;

	watches_free(w);
	return result;
}

/*
 * 0 to 3 are taken (what is closed reads and writes nothing), so that no pipe
 * of ours gets one of these numbers; all others stay out of the stages.
 */
static int
prepare_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STAGE_REPORT_FD);
	close_range(STAGE_REPORT_FD, ~0u, CLOSE_RANGE_CLOEXEC);
	return fd;
}

static void
watches_args(struct stage *s)
{
	stage_arg(s, "--filename=%s", opts.watches);
	if (opts.namespace_ != NULL)
		stage_arg(s, "--namespace=%s", opts.namespace_);
	if (opts.all_namespaces)
		stage_arg(s, "--all-namespaces");
}

static struct stage *
add_stage(struct pipeline *p, const char *name)
{
	struct stage *s = &p->stages[p->count++];

	s->name = name;
	s->report_fd = -1;
	stage_arg(s, "--report-fd=%d", STAGE_REPORT_FD);
	opt_pass(opt_log_table, &s->args);
	return s;
}

static int
build(struct pipeline *p, char **program_env, struct err *err)
{
	const char *dir = getenv("KPIPE_LIBEXEC");
	struct stage *s;

	if (dir != NULL && *dir == '\0')
		dir = NULL;
	s = add_stage(p, "kwatch");
	watches_args(s);
	opt_pass(kube_opt_server_table, &s->args);
	if (opts.dry_run)
		stage_arg(s, "--once");

	s = add_stage(p, "ireconcile");
	watches_args(s);
	s->env = program_env;

	s = add_stage(p, "kapply");
	opt_pass(kube_opt_server_table, &s->args);
	/* After the end of the input; both, before draining is over. */
	stage_arg(s, "--timeout=%ds", opts.dry_run ? 60 : 6);
	if (opts.dry_run) {
		stage_arg(s, "--dry-run=server");
		stage_arg(s, "--output=result");
	} else {
		stage_arg(s, "--output=status");
		s = add_stage(p, "kstatus");
		opt_pass(kube_opt_server_table, &s->args);
		stage_arg(s, "--timeout=3s");
	}
	for (size_t i = 0; i < p->count; i++)
		if (stage_find(&p->stages[i], dir, err) != 0)
			return -1;
	return 0;
}

static void
say_ready(void *arg)
{
	(void)arg;
	if (opts.report_fd >= 0 && write((int)opts.report_fd, "\n", 1) != 1)
		log_warning(
		    "option --report-fd: cannot write: %s", strerror(errno));
}

/*
 * From the first moment on a signal waits for the loop: process 1 would lose
 * one that has no handler yet.
 */
static void
hold_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static void
on_signal(void *arg, int signo)
{
	if (signo == SIGCHLD)
		pipeline_reap(arg);
	else
		pipeline_end(arg);
}

static int
run(struct err *err)
{
	extern char **environ;
	struct pipeline p = {.on_ready = say_ready, .output_fd = 1};
	char **program_env = environ_for_program(environ, opts.watches, err);
	int code = -1;

	p.null_fd = prepare_fds();
	if (!opts.dry_run)
		p.output_fd = p.null_fd;
	p.mode = opts.dry_run ? PIPELINE_ONCE : PIPELINE_SUPERVISE;
	if (program_env == NULL || build(&p, program_env, err) != 0)
		goto out;
	/* What a dead stage leaves behind comes to us, not to process 1. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGPIPE, SIG_IGN);
	p.loop = loop_new();
	loop_signal(p.loop, SIGCHLD, on_signal, &p);
	loop_signal(p.loop, SIGTERM, on_signal, &p);
	loop_signal(p.loop, SIGINT, on_signal, &p);
	loop_signal(p.loop, SIGHUP, on_signal, &p);
	pipeline_start(&p);
	loop_run(p.loop);
	loop_free(p.loop);
	code = pipeline_exit_code(&p);
out:
	for (size_t i = 0; i < p.count; i++)
		stage_release(&p.stages[i]);
	free(program_env);
	return code;
}

int
main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	int first, code = -1;

	hold_signals();
	switch (opt_parse(&tool, argc, argv, &first, &err)) {
	case OPT_EXIT_0:
		return 0;
	case OPT_BAD:
		break;
	case OPT_RUN:
		if (check_options(argc - first, argv[first], &err) == 0 &&
		    check_watches(&err) == 0)
			code = run(&err);
	}
	if (code >= 0)
		return code;
	log_fatal("%s", err.message);
	return err_exit_code(&err);
}
