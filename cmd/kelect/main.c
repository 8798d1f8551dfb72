/*
 * kelect: runs a command while it leads.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/mem.h"
#include "command.h"
#include "conf/namespaces.h"
#include "election.h"
#include "kube/recorder.h"
#include "process/clock.h"
#include "process/harden.h"
#include "process/log.h"
#include "process/opt.h"
#include "report/reportfd.h"
#include "value/objref.h"

enum {
	DURATION_MS = 15000, /* defaults of controller-runtime */
	RENEW_MS = 10000,
	RETRY_MS = 2000,
	GRACE_MS = 20000
};

#define WAIT_FOREVER UINT64_MAX

static struct opts {
	bool for_life;
	uint64_t grace_ms;
	uint64_t wait_ms; /* WAIT_FOREVER: until it leads */
	long gate_fd, fence_fd, page_fd, report_fd; /* -1: not given */
	struct lease_opts lease;
} o = {
    .grace_ms = GRACE_MS,
    .wait_ms = WAIT_FOREVER,
    .gate_fd = -1,
    .fence_fd = -1,
    .page_fd = -1,
    .report_fd = -1,
    .lease = {.duration_ms = DURATION_MS,
	.renew_ms = RENEW_MS,
	.retry_ms = RETRY_MS},
};

static const struct opt table[] = {
    {0, "lease", "NAME", OPT_STRING, &o.lease.name, NULL,
	"the Lease to hold, or the ConfigMap (required)"},
    {0, "for-life", NULL, OPT_FLAG, &o.for_life, NULL,
	"lead as long as the Pod lives, by a ConfigMap that it owns"},
    {0, "wait", "TIME", OPT_DURATION, &o.wait_ms, NULL,
	"end with 1 if another still leads after this time (0: at once)"},
    {0, "lease-duration", "TIME", OPT_DURATION, &o.lease.duration_ms, NULL,
	"others wait this long before they take an unrenewed Lease (15s)"},
    {0, "renew-deadline", "TIME", OPT_DURATION, &o.lease.renew_ms, NULL,
	"lead no longer than this after the last renewal (10s)"},
    {0, "retry-period", "TIME", OPT_DURATION, &o.lease.retry_ms, NULL,
	"between two renewals, and at least between two attempts (2s)"},
    {0, "grace-period", "TIME", OPT_DURATION, &o.grace_ms, NULL,
	"from SIGTERM to SIGKILL when the command is stopped (20s)"},
    {0, "gate-fd", "N", OPT_INT, &o.gate_fd, NULL,
	"without COMMAND: write a newline to this descriptor when leading"},
    {0, "fence-fd", "N", OPT_INT, &o.fence_fd, NULL,
	"without COMMAND: the writing end of the fence's pipe"},
    {0, "leash-fd", "N", OPT_INT, &o.fence_fd, NULL, NULL},
    {0, "page-fd", "N", OPT_INT, &o.page_fd, NULL,
	"without COMMAND: the page of the fence"},
    {0, "report-fd", "N", OPT_INT, &o.report_fd, NULL,
	"write a newline when taking part, then counters, to this descriptor"},
    OPT_ROWS(kube_opt_table), OPT_END};

static const struct opt_tool tool = {"kelect",
    "--lease NAME [OPTION]... [-- COMMAND...]", "Run a command while leading.",
    table};

struct run {
	struct loop *loop;
	struct kube *kube;
	struct election *election;
	struct kube_call *call; /* the election's request; NULL: none */
	unsigned serial;	/* number of the request */
	struct timer timer;	/* when the election is due */
	char *said_leader, *said_problem; /* logged last, owned */
	bool busy;			  /* within step */
	/* Events that say who leads, about the Lease or ConfigMap. */
	struct objref about; /* borrowed; kind empty: there is no object */
	struct recorder *recorder; /* NULL: nothing was said yet */
	struct command command;	   /* argv NULL: serves kpipe instead */
	struct fence_ends ends;
	_Atomic uint64_t *page;
	struct reportfd report;
	char *what;	   /* owned; NULL: leads without a lock */
	char *identity;	   /* owned */
	bool leads;	   /* the election was won once */
	bool stopping;	   /* a signal came */
	bool releasing;	   /* all that it guards has ended */
	struct timer wait; /* until the time of --wait is over */
	bool waited;	   /* the time of --wait is over */
	unsigned outrun;   /* serial of the request that was; 0: none */
	int code;
	struct err err;
};

/* ---- reports ---- */

static void
count(void *arg, struct buf *b)
{
	const struct run *r = arg;
	const struct election *e = r->election;

	reportfd_count(b, "leading", e->state == ELECTION_LEADING);
	reportfd_count(b, "transitions", e->transitions);
	reportfd_count(b, "renewals", e->renewals);
	reportfd_count(b, "failures", e->failures);
}

static void
samples(void *arg, struct metric_lines *m)
{
	const struct run *r = arg;

	metric_add(m, METRIC_LEADER, METRIC_LABELS(o.lease.name),
	    r->election->state == ELECTION_LEADING);
	kube_metrics(r->kube, m);
}

/* ---- the election, with a clock and a connection ---- */

static struct instant
now(void)
{
	return (struct instant){clock_boot_ns(), clock_real_us()};
}

/* True if the text is new; it is remembered. */
static bool
is_new(char **said, const char *text)
{
	if (text == *said || (text && *said && strcmp(text, *said) == 0))
		return false;
	free(*said);
	*said = mem_strdup(text);
	return true;
}

static void
say(struct run *r)
{
	struct election *e = r->election;

	if (e->state == ELECTION_STANDBY &&
	    is_new(&r->said_leader, e->leader) && e->leader != NULL)
		log_info(
		    "standing by: the %s is held by %s", r->what, e->leader);
	if (is_new(&r->said_problem, e->problem) && e->problem != NULL)
		log_warning("%s", e->problem);
	if (e->news != NULL)
		log_warning("%s", e->news);
	free(e->news);
	e->news = NULL;
}

static void changed(struct run *r);
static void on_due(void *arg);
static void on_answer(void *arg, const struct kube_answer *a);

static void
do_what_it_wants(struct run *r)
{
	struct election *e = r->election;
	struct kube_request request = {
	    .verb = e->verb, .timeout_ms = e->timeout_ms};

	if (r->call != NULL && (!e->sending || r->serial != e->serial)) {
		kube_cancel(r->call);
		r->call = NULL;
	}
	if (e->sending && r->call == NULL) {
		request.path = buf_str(&e->path);
		if (e->body.len > 0)
			request.body = buf_span(&e->body);
		r->serial = e->serial;
		r->call = kube_start(r->kube, &request, on_answer, r);
	}
	if (e->due_ns == ELECTION_NEVER)
		loop_cancel(r->loop, &r->timer);
	else
		loop_at(r->loop, &r->timer,
		    (e->due_ns + NS_PER_MS - 1) / NS_PER_MS, on_due, r);
}

/* Before this the election was told something. changed may tell it more: then
 * the outermost call does the rest. */
static void
step(struct run *r)
{
	unsigned serial;
	enum election_state state;

	if (r->busy)
		return;
	r->busy = true;
	do {
		serial = r->election->serial;
		state = r->election->state;
		say(r);
		changed(r);
	} while (serial != r->election->serial || state != r->election->state);
	r->busy = false;
	do_what_it_wants(r);
}

static void
on_due(void *arg)
{
	struct run *r = arg;

	election_due(r->election, now());
	step(r);
}

static void
on_answer(void *arg, const struct kube_answer *a)
{
	struct run *r = arg;

	r->call = NULL;
	election_answered(r->election, a, now());
	step(r);
}

static void
end_election(struct run *r)
{
	election_release(r->election, now());
	step(r);
}

/* ---- events of the election ---- */

/*
 * Records an Event as client-go's (v0.36, leaderelection/resourcelock/
 * leaselock.go). The election never waits for it, and the process ends without
 * those that are not sent yet.
 */
static void
tell(struct run *r, const char *what)
{
	const struct objref *about = &r->about;
	const struct election *e = r->election;
	struct buf message = BUF_INIT;

	buf_addf(&message, "%s %s", r->identity, what);
	recorder_add(r->recorder,
	    &(struct recorder_event){
		.about = {about->api_version, about->kind, about->namespace_,
		    about->name, span_str(e->uid),
		    span_str(e->resource_version)},
		.component = span_str("kelect"),
		.type = RECORDER_NORMAL,
		.reason = span_str("LeaderElection"),
		.message = buf_span(&message)});
	buf_release(&message);
}

/* Closes the fence: no process writes any more, even if the pipe and the group
 * live on. */
static void
close_fence(struct run *r)
{
	if (r->leads)
		atomic_store(r->page, FENCE_OVER);
}

static void
start_leading(struct run *r)
{
	r->leads = true;
	if (r->what != NULL)
		log_info("became leader: holds the %s", r->what);
	else
		log_info("leading without a lock: outside of a cluster there "
			 "is no Pod to own it, and other instances lead, too");
	if (r->command.argv == NULL) {
		if (write((int)o.gate_fd, "\n", 1) != 1)
			err_set(&r->err, ERR_TRANSIENT,
			    "cannot write to --gate-fd %ld: nobody reads it",
			    o.gate_fd);
		close((int)o.gate_fd);
	} else {
		command_start(&r->command, &r->ends, &r->err);
	}
	if (r->err.kind != ERR_NONE) {
		close_fence(r);
		loop_stop(r->loop);
	} else if (r->about.kind.n > 0) {
		r->recorder = recorder_new(r->loop, r->kube);
		tell(r, "became leader");
	}
	reportfd_send(&r->report);
}

static void
end_command(struct run *r)
{
	if (r->command.pid == 0 || r->command.over)
		loop_stop(r->loop);
	else
		command_kill(&r->command); /* calls command_gone at the end */
}

static void
lost(struct run *r)
{
	close_fence(r);
	if (r->releasing) { /* the lease will expire */
		log_warning("%s", r->election->err.message);
		loop_stop(r->loop);
		return;
	}
	r->err = r->election->err;
	end_command(r);
}

/* The watchdog was first: it has closed the fence, and the command. */
static void
lapsed(struct run *r)
{
	if (r->err.kind != ERR_NONE)
		return;
	err_set(&r->err, ERR_TRANSIENT, "lost the %s: not renewed in time",
	    r->what);
	end_command(r);
}

/* The client that was faster probably leads: one more attempt tells. */
static bool
was_outrun(struct run *r)
{
	const struct election *e = r->election;

	if (!e->outrun || (r->outrun != 0 && r->outrun != e->serial))
		return false;
	r->outrun = e->serial;
	return true;
}

/* The result of an attempt counts, also of one that takes longer. */
static void
check_wait(struct run *r)
{
	const struct election *e = r->election;

	if (!r->waited || e->state != ELECTION_STANDBY || e->sending ||
	    r->stopping || (e->leader == NULL && e->problem == NULL) ||
	    was_outrun(r))
		return;
	if (e->failing)
		err_set(&r->err, ERR_TRANSIENT, "%s", e->problem);
	else
		log_error("not leading: the %s is held by %s", r->what,
		    e->leader != NULL ? e->leader : "another");
	r->code = 1;
	r->stopping = true;
	r->releasing = true;
	end_election(r);
}

static void
wait_is_over(void *arg)
{
	struct run *r = arg;

	r->waited = true;
	check_wait(r);
}

static void
changed(struct run *r)
{
	struct election *e = r->election;

	if (e->in_contact)
		reportfd_ready(&r->report);
	reportfd_unready(
	    &r->report, "leadership", e->failing ? e->problem : NULL);
	switch (e->state) {
	case ELECTION_LEADING:
		if (r->leads) {
			if (!fence_extend(r->page, e->until_ns))
				lapsed(r);
			break;
		}
		atomic_store(r->page, e->until_ns);
		if (!r->stopping)
			start_leading(r);
		break;
	case ELECTION_RELEASED:
		loop_stop(r->loop);
		break;
	case ELECTION_OVER:
		if (r->err.kind == ERR_NONE)
			lost(r);
		else if (r->releasing)
			loop_stop(r->loop);
		break;
	case ELECTION_STANDBY:
		check_wait(r);
		break;
	case ELECTION_RELEASING:
		break;
	}
}

/* ---- events of the command, and signals ---- */

static void
give_back(struct run *r)
{
	close_fence(r);
	r->releasing = true;
	/* A lock for life ends with the Pod, and says nothing. */
	if (r->recorder != NULL && !o.for_life &&
	    r->election->state == ELECTION_LEADING)
		tell(r, "stopped leading");
	end_election(r);
}

static void
command_gone(void *arg)
{
	struct run *r = arg;
	struct instant t = now();

	/* Whether we still lead, before a decision that relies on it. */
	if (t.ns >= r->election->due_ns)
		election_due(r->election, t);
	step(r);
	if (r->err.kind != ERR_NONE) {
		loop_stop(r->loop);
		return;
	}
	r->code = r->command.code;
	if (r->stopping && r->code == 128 + SIGTERM)
		r->code = 0; /* an end by our own SIGTERM is a success */
	log_info("%s has ended with %d", r->command.argv[0], r->command.code);
	give_back(r);
}

static void
on_signal(void *arg, int signo)
{
	struct run *r = arg;
	bool again = r->stopping;

	(void)signo;
	r->stopping = true;
	if (r->command.pid == 0) {
		give_back(r);
	} else if (again) {
		command_kill(&r->command);
	} else {
		command_stop(&r->command);
	}
}

/* ---- the start ---- */

static bool
is_set(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && *value != '\0';
}

static char *
make_identity(void)
{
	const char *pod = getenv("POD_NAME");
	char host[256] = "";
	uint64_t n[2] = {0, 0};
	struct buf b = BUF_INIT;

	if (!is_set("POD_NAME")) {
		gethostname(host, sizeof(host) - 1);
		pod = host;
	}
	while (getrandom(n, sizeof(n), 0) != (ssize_t)sizeof(n))
		; /* a signal came, early in the life of the machine */
	buf_addf(&b, "%s_%016llx%016llx", pod, (unsigned long long)n[0],
	    (unsigned long long)n[1]);
	return buf_take(&b);
}

/* Whether kelect runs outside of a Pod: manifests set POD_NAME, and a kubelet
 * KUBERNETES_SERVICE_HOST. */
static bool
is_outside(void)
{
	return !is_set("POD_NAME") && !is_set("KUBERNETES_SERVICE_HOST");
}

static void
set_what(struct run *r, const char *kind, const char *ns)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s %s/%s", kind, ns, o.lease.name);
	r->what = buf_take(&b);
}

static int
make_lock(struct run *r, struct err *err)
{
	const char *ns = kube_namespace(r->kube);
	const char *pod = getenv("POD_NAME"), *pod_ns = getenv("POD_NAMESPACE");

	if (!is_set("POD_NAME") || !is_set("POD_NAMESPACE"))
		return err_set(err, ERR_PERMANENT,
		    "--for-life needs to know its Pod: set POD_NAME "
		    "and POD_NAMESPACE");
	if (kube_opts.namespace_ != NULL && strcmp(ns, pod_ns) != 0)
		return err_set(err, ERR_PERMANENT,
		    "--namespace is %s, but a lock for life lives in "
		    "the namespace of its Pod, %s",
		    ns, pod_ns);
	set_what(r, "lock", pod_ns);
	r->identity = mem_strdup(pod);
	r->about = (struct objref){.api_version = span_str("v1"),
	    .kind = span_str("ConfigMap"),
	    .namespace_ = span_str(pod_ns),
	    .name = span_str(o.lease.name)};
	r->election = lock_new(pod_ns, o.lease.name, pod);
	return 0;
}

static int
make_election(struct run *r, struct err *err)
{
	if (o.for_life && is_outside()) {
		r->election = lock_new(NULL, NULL, NULL);
		return 0;
	}
	if (o.for_life)
		return make_lock(r, err);
	o.lease.namespace_ = kube_namespace(r->kube);
	o.lease.identity = r->identity = make_identity();
	set_what(r, "lease", o.lease.namespace_);
	r->about =
	    (struct objref){.api_version = span_str("coordination.k8s.io/v1"),
		.kind = span_str("Lease"),
		.namespace_ = span_str(o.lease.namespace_),
		.name = span_str(o.lease.name)};
	r->election = lease_new(&o.lease);
	return 0;
}

static int
run(struct run *r)
{
	r->loop = loop_new();
	r->command.loop = r->loop;
	r->command.grace_ms = o.grace_ms;
	r->command.gone = command_gone;
	r->command.arg = r;
	r->kube = kube_open(r->loop, &kube_opts, "kelect", &r->err);
	if (r->kube == NULL ||
	    (r->command.argv != NULL && fence_make(&r->ends, &r->err) != 0))
		return -1;
	r->page = fence_map(
	    r->command.argv != NULL ? r->ends.page_fd : (int)o.page_fd,
	    &r->err);
	if (r->page == NULL || make_election(r, &r->err) != 0)
		return -1;
	reportfd_init(
	    &r->report, r->loop, "kelect", (int)o.report_fd, count, r);
	reportfd_metrics(&r->report, samples);
	loop_signal(r->loop, SIGTERM, on_signal, r);
	loop_signal(r->loop, SIGINT, on_signal, r);
	loop_signal(r->loop, SIGHUP, on_signal, r);
	if (o.wait_ms == 0)
		r->waited = true;
	else if (o.wait_ms != WAIT_FOREVER)
		loop_after(r->loop, &r->wait, o.wait_ms, wait_is_over, r);
	loop_after(r->loop, &r->timer, 0, on_due, r);
	loop_run(r->loop);
	reportfd_send(&r->report);
	return r->err.kind == ERR_NONE ? 0 : -1;
}

static void
release(struct run *r)
{
	command_release(&r->command);
	if (r->call != NULL)
		kube_cancel(r->call);
	if (r->loop != NULL) {
		loop_cancel(r->loop, &r->wait);
		loop_cancel(r->loop, &r->timer);
	}
	if (r->election != NULL)
		reportfd_release(&r->report);
	election_free(r->election);
	recorder_free(r->recorder);
	kube_free(r->kube);
	fence_close(&r->ends);
	loop_free(r->loop);
	free(r->what);
	free(r->identity);
	free(r->said_leader);
	free(r->said_problem);
}

/* ---- options ---- */

static int
check_fd(const char *name, long fd, struct err *err)
{
	if (fd < 0)
		return err_set(err, ERR_PERMANENT,
		    "without a command to run, --gate-fd, --fence-fd and "
		    "--page-fd are needed");
	if (opt_check_fd(name, fd, err) != 0)
		return -1;
	/* The descriptors are not for children, such as a credential plugin. */
	fcntl((int)fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

static int
check_mode(char **command, struct err *err)
{
	bool fds = o.gate_fd >= 0 || o.fence_fd >= 0 || o.page_fd >= 0;

	if (*command != NULL && fds)
		return err_set(err, ERR_PERMANENT,
		    "--gate-fd, --fence-fd and --page-fd are for kelect "
		    "without a command");
	if (*command == NULL && !fds)
		return err_set(err, ERR_PERMANENT,
		    "there is no command to run (kelect --lease NAME -- "
		    "COMMAND...)");
	if (*command != NULL)
		return 0;
	if (o.wait_ms != WAIT_FOREVER)
		return err_set(
		    err, ERR_PERMANENT, "option --wait needs a command");
	if (check_fd("gate-fd", o.gate_fd, err) != 0 ||
	    check_fd("fence-fd", o.fence_fd, err) != 0)
		return -1;
	return check_fd("page-fd", o.page_fd, err);
}

static int
check_options(struct run *r, char **command, struct err *err)
{
	if (o.lease.name == NULL || *o.lease.name == '\0')
		return err_set(
		    err, ERR_PERMANENT, "option --lease NAME is needed");
	if (!objref_name_fits(span_str(o.lease.name)))
		return err_set(err, ERR_PERMANENT, "option --lease: \"%s\": %s",
		    o.lease.name, OBJREF_NAME_RULE);
	if (o.for_life &&
	    (o.lease.duration_ms != DURATION_MS ||
		o.lease.renew_ms != RENEW_MS || o.lease.retry_ms != RETRY_MS))
		return err_set(err, ERR_PERMANENT,
		    "--lease-duration, --renew-deadline and --retry-period "
		    "mean nothing with --for-life");
	if (lease_check_opts(&o.lease, err) != 0 ||
	    check_mode(command, err) != 0)
		return -1;
	if (kube_opts.namespace_ != NULL &&
	    namespaces_name("option --namespace", kube_opts.namespace_, err) !=
		0)
		return -1;
	if (o.for_life && is_set("POD_NAMESPACE") &&
	    namespaces_name("POD_NAMESPACE", getenv("POD_NAMESPACE"), err) != 0)
		return -1;
	if (o.report_fd >= 0 && check_fd("report-fd", o.report_fd, err) != 0)
		return -1;
	if (*command == NULL) {
		harden_process(); /* no command needs more */
		return 0;
	}
	r->command.argv = command;
	return command_find(&r->command, err);
}

int
main(int argc, char **argv)
{
	struct run r = {.ends = {-1, -1, -1}, .err = ERR_INIT};
	int first, code;

	harden_parent(&r.command.limits);
	code = opt_begin(&tool, argc, argv, &first);
	if (code >= 0)
		return code;
	signal(SIGPIPE, SIG_IGN);
	if (check_options(&r, argv + first, &r.err) == 0 && run(&r) == 0)
		code = r.code;
	release(&r);
	return code >= 0 ? code : opt_fatal(&r.err);
}
