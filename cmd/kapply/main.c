/*
 * kapply: makes the cluster what its input says: desired sets of ireconcile,
 * or plain objects and Lists.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "apply.h"
#include "applyset.h"
#include "input.h"
#include "keyring.h"
#include "kube/reach.h"
#include "opponent.h"
#include "process/file.h"
#include "process/harden.h"
#include "process/leash.h"
#include "process/log.h"
#include "process/opt.h"
#include "report/reportfd.h"
#include "unseen.h"

enum { IN_FLIGHT = 64, TIMEOUT_MS = 60000, PRUNE_LIMIT = 100 };

static struct apply_opts o = {
    .output = -1,
    .max_in_flight = IN_FLIGHT,
    .timeout_ms = TIMEOUT_MS,
    .failed_after_ms = RETRY_FAILED_MS,
    .prune_limit = PRUNE_LIMIT,
    .max_writes = CEILING_DEFAULT,
    .report_fd = -1,
    .marks_key_fd = -1,
    .marks_key_out_fd = -1,
};

static const char *const dry_runs[] = {"none", "server", NULL};
static const char *const outputs[] = {"status", "result", "none", NULL};

static const struct opt table[] = {
    {0, "field-manager", "NAME", OPT_STRING, &o.field_manager, NULL,
	"own the fields under this name, whatever a set says"},
    {0, "force-conflicts", NULL, OPT_FLAG, &o.force_conflicts, NULL,
	"plain objects: take over fields that others own"},
    {0, "dry-run", "none|server", OPT_CHOICE, &o.dry_run, dry_runs,
	"server: the server checks everything and keeps nothing"},
    {0, "applyset", "[RESOURCE/]NAME", OPT_STRING, &o.applyset, NULL,
	"plain objects: delete what this parent had and the input lacks"},
    {0, "timeout", "TIME", OPT_DURATION, &o.timeout_ms, NULL,
	"how long to retry after the end of the input (60s)"},
    {'o', "output", "status|result|none", OPT_CHOICE, &o.output, outputs,
	"what to print (result on a terminal, else status)"},
    {0, "max-in-flight", "N", OPT_INT, &o.max_in_flight, NULL,
	"requests under way at a time (64)"},
    {0, "fail-after", "TIME", OPT_DURATION, &o.failed_after_ms, NULL,
	"a passing failure counts as failed after this time (30s)"},
    {0, "prune-limit", "N", OPT_INT, &o.prune_limit, NULL,
	"deletions in a minute for primaries that stay (100; 0: no limit)"},
    {0, "marks-key-fd", "N", OPT_INT, &o.marks_key_fd, NULL,
	"marks of members are proven by the key on this descriptor"},
    {0, "marks-key-secret", "[NAMESPACE/]NAME", OPT_STRING, &o.marks_key_secret,
	NULL, "... or by the key in this Secret, made if it is not there"},
    {0, "marks-key-out-fd", "N", OPT_INT, &o.marks_key_out_fd, NULL,
	"hand that key on to this descriptor"},
    {0, "accept-unproven-marks", NULL, OPT_FLAG, &o.accept_unproven, NULL,
	"once, after an upgrade: marks count that lack the proof"},
    {0, "max-writes-per-second", "N", OPT_INT, &o.max_writes, NULL,
	"sets: writes in a second, beyond a burst (500; 0: no limit)"},
    {0, "report-fd", "N", OPT_INT, &o.report_fd, NULL,
	"write a newline when ready, then counters, to this descriptor"},
    {0, NULL, NULL, OPT_TABLE, (void *)kube_opt_table, NULL, NULL},
    {0, NULL, NULL, OPT_TABLE, (void *)opt_log_table, NULL, NULL},
    OPT_END,
};

static const struct opt_tool tool = {"kapply", "[OPTION]...",
    "Apply desired sets, or plain objects, from standard input.", table};

struct run {
	struct apply apply; /* first */
	struct input *input;
	struct applyset *applyset; /* NULL: none */
	struct reach reach;
	struct keyring keyring;
	bool reached, has_key;
	struct reportfd report;
	struct timer deadline;
	struct leash leash;
	bool ending, timed_out;
	struct err err;
};

static void
fail(struct run *r, const struct err *err)
{
	r->err = *err;
	loop_stop(r->apply.loop);
}

static void
check_ready(struct run *r)
{
	if (!r->reached || !r->has_key)
		return;
	r->apply.ready = true;
	reportfd_ready(&r->report);
}

static void
reached(void *arg, const struct err *err)
{
	struct run *r = arg;

	if (err != NULL) {
		fail(r, err);
		return;
	}
	r->reached = true;
	check_ready(r);
}

/* The process at the other end reads until end of file. */
static int
hand_on(struct run *r, struct err *err)
{
	int fd = (int)o.marks_key_out_fd, rc;

	if (fd < 0)
		return 0;
	rc = file_write(fd, buf_span(&r->apply.proof.text));
	if (rc != 0)
		err_set(err, ERR_TRANSIENT,
		    "option --marks-key-out-fd: cannot write: %s",
		    strerror(errno));
	close(fd);
	return rc;
}

static void
got_key(void *arg, const struct err *err)
{
	struct run *r = arg;
	struct err mine = ERR_INIT;

	if (err != NULL || hand_on(r, &mine) != 0) {
		fail(r, err != NULL ? err : &mine);
		return;
	}
	r->has_key = true;
	check_ready(r);
}

static int
find_key(struct run *r)
{
	struct apply *a = &r->apply;

	a->proof.accept_unproven = o.accept_unproven;
	r->keyring.proof = &a->proof;
	r->keyring.dry_run = o.dry_run != 0;
	if (o.marks_key_secret != NULL)
		return keyring_start(&r->keyring, a->loop, o.marks_key_secret,
		    got_key, r, &r->err);
	if (o.marks_key_fd >= 0) {
		if (proof_read(&a->proof, (int)o.marks_key_fd, &r->err) != 0)
			return -1;
		close((int)o.marks_key_fd);
	}
	r->has_key = true;
	return 0;
}

static void
deadline(void *arg)
{
	struct run *r = arg;

	r->timed_out = true;
}

static void
end(struct run *r, bool done)
{
	struct apply *a = &r->apply;

	if (!done && !a->ready)
		log_error(
		    "%s could not be reached in time", kube_server(a->kube));
	else if (!done && r->applyset != NULL)
		log_error("apply set %s: not finished in time", o.applyset);
	engine_give_up(a);
	a->failed = a->failed || !done || a->keys.count > 0;
	loop_stop(a->loop);
}

/* Before each wait: everything that was ready has been handled. */
static void
idle(void *arg)
{
	struct run *r = arg;
	struct apply *a = &r->apply;
	bool done;

	input_pump(r->input);
	if (a->ready)
		workqueue_pump(&a->queue);
	if (out_flush(&a->out) < 0) {
		r->err = a->out.err;
		loop_stop(a->loop);
		return;
	}
	if (!input_ended(r->input))
		return;
	if (!r->ending)
		loop_after(a->loop, &r->deadline, o.timeout_ms, deadline, r);
	r->ending = true;
	done = r->applyset != NULL ? applyset_step(r->applyset)
				   : engine_settled(a) &&
		(a->recorder == NULL || recorder_idle(a->recorder));
	/* The reader of the key gets it, even if there is nothing to apply. */
	done = done && r->has_key;
	if (done || r->timed_out)
		end(r, done);
}

static void
release(struct run *r)
{
	struct apply *a = &r->apply;

	reportfd_release(&r->report);
	input_free(r->input);
	applyset_free(r->applyset);
	engine_free(a);
	denials_release(&a->denials);
	recorder_free(a->recorder);
	unseen_free(a->unseen);
	brake_release(&a->brake);
	lru_release(&a->opponents);
	workqueue_release(&a->queue);
	efforts_release(&a->efforts);
	discovery_free(a->discovery);
	keyring_release(&r->keyring);
	kube_free(a->kube);
	proof_release(&a->proof);
	out_release(&a->out);
	loop_free(a->loop);
}

/* Also what is under way ends with us: its connection is closed. */
static void
leash_out(void *arg, const struct err *err)
{
	fail(arg, err);
}

static int
run(struct run *r)
{
	struct apply *a = &r->apply;
	const struct err *input_err;

	a->o = &o;
	a->loop = loop_new();
	reportfd_init(&r->report, a->loop, "kapply", (int)o.report_fd,
	    report_counters, a);
	reportfd_metrics(&r->report, samples_add);
	a->kube = kube_open(a->loop, &kube_opts, "kapply", &r->err);
	if (a->kube == NULL)
		return -1;
	if (find_key(r) != 0)
		return -1;
	leash_watch(&r->leash, a->loop, leash_out, r);
	kube_hold(a->kube, &r->leash);
	a->discovery = discovery_new(a->loop, a->kube);
	workqueue_init(
	    &a->queue, a->loop, (size_t)o.max_in_flight, engine_run, a);
	workqueue_limit(&a->queue, o.max_writes, report_ceiling);
	out_init(&a->out, a->loop, STDOUT_FILENO);
	if (!o.dry_run)
		a->recorder = recorder_new(a->loop, a->kube);
	a->unseen = unseen_new(a->loop);
	a->report = &r->report;
	denials_init(&a->denials, &r->report);
	brake_init(&a->brake, (size_t)o.prune_limit);
	opponents_init(&a->opponents);
	if (o.applyset != NULL)
		r->applyset = applyset_new(a, o.applyset);
	r->input = input_new(a, STDIN_FILENO,
	    r->applyset != NULL ? applyset_take : NULL, r->applyset);
	loop_idle(a->loop, idle, r);
	reach_start(&r->reach, a->loop, a->kube, a->discovery, reached, r);
	loop_run(a->loop);
	reportfd_send(&r->report);
	if (r->err.kind == ERR_NONE && out_drain(&a->out) < 0)
		r->err = a->out.err;
	input_err = input_error(r->input);
	if (r->err.kind == ERR_NONE && input_err != NULL)
		r->err = *input_err;
	return r->err.kind == ERR_NONE ? 0 : -1;
}

static int
check_options(int operands, const char *first, struct err *err)
{
	if (operands > 0)
		return err_set(err, ERR_PERMANENT,
		    "unexpected operand \"%s\": objects come on standard input",
		    first);
	if (o.max_in_flight < 1)
		return err_set(
		    err, ERR_PERMANENT, "option --max-in-flight: at least 1");
	if (o.prune_limit < 0 || o.prune_limit > BRAKE_LIMIT_MAX)
		return err_set(err, ERR_PERMANENT,
		    "option --prune-limit: from 0 to %d", BRAKE_LIMIT_MAX);
	if (o.marks_key_fd >= 0 && o.marks_key_secret != NULL)
		return err_set(err, ERR_PERMANENT,
		    "options --marks-key-fd and --marks-key-secret exclude "
		    "each other");
	if (o.marks_key_out_fd >= 0 && o.marks_key_secret == NULL)
		return err_set(err, ERR_PERMANENT,
		    "option --marks-key-out-fd needs --marks-key-secret");
	if (o.accept_unproven && o.marks_key_fd < 0 &&
	    o.marks_key_secret == NULL)
		return err_set(err, ERR_PERMANENT,
		    "option --accept-unproven-marks needs a key: "
		    "--marks-key-fd or --marks-key-secret");
	if (o.max_writes < 0 || o.max_writes > CEILING_MAX)
		return err_set(err, ERR_PERMANENT,
		    "option --max-writes-per-second: from 0 to %d",
		    CEILING_MAX);
	if (o.output < 0)
		o.output =
		    isatty(STDOUT_FILENO) ? OUTPUT_RESULT : OUTPUT_STATUS;
	return 0;
}

int
main(int argc, char **argv)
{
	struct run r = {.err = ERR_INIT};
	int first, code = -1;

	harden_process();
	switch (opt_parse(&tool, argc, argv, &first, &r.err)) {
	case OPT_EXIT_0:
		return 0;
	case OPT_BAD:
		break;
	case OPT_RUN:
		signal(SIGPIPE, SIG_IGN);
		if (check_options(argc - first, argv[first], &r.err) == 0 &&
		    leash_from_env(&r.leash, &r.err) == 0 && run(&r) == 0)
			code = r.apply.failed ? 1 : 0;
		if (r.apply.loop != NULL)
			release(&r);
	}
	if (code >= 0)
		return code;
	log_fatal("%s", r.err.message);
	return err_exit_code(&r.err);
}
