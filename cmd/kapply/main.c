/*
 * kapply: makes the cluster what its input says: desired sets of ireconcile,
 * or plain objects, Lists and watch events.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "apply.h"
#include "applyset.h"
#include "base/mem.h"
#include "keyring.h"
#include "kube/writer.h"
#include "opponent.h"
#include "plain/manifests.h"
#include "process/file.h"
#include "process/harden.h"
#include "process/log.h"
#include "process/opt.h"
#include "set/unwrap.h"
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
    .marks_key_check_ms = 60000,
    .tap_fd = -1,
    .results_fd = -1,
};

static const char *const dry_runs[] = {"none", "server", NULL};
static const char *const outputs[] = {"status", "result", "none", NULL};

static const struct opt table[] = {
    {'f', "filename", "FILE", OPT_LIST, &o.files, NULL,
	"apply what is in this file, JSON or YAML (-: standard input)"},
    {'R', "recursive", NULL, OPT_FLAG, &o.recursive, NULL,
	"... and of a folder that is named, in folders below it, too"},
    {0, "field-manager", "NAME", OPT_STRING, &o.field_manager, NULL,
	"own the fields under this name, whatever a set says"},
    {0, "force-conflicts", NULL, OPT_FLAG, &o.force_conflicts, NULL,
	"plain objects: take over fields that others own"},
    {0, "dry-run", "none|server", OPT_CHOICE, &o.dry_run, dry_runs,
	"server: the server checks everything and keeps nothing"},
    {0, "applyset", "[RESOURCE/]NAME", OPT_STRING, &o.applyset, NULL,
	"plain objects: delete what this parent had and the input lacks"},
    {0, "allow-empty", NULL, OPT_FLAG, &o.allow_empty, NULL,
	"... all of it, if the input has no object"},
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
    {0, "marks-key-check", "TIME", OPT_DURATION, &o.marks_key_check_ms, NULL,
	"how often that Secret is looked at (60s)"},
    {0, "marks-key-out-fd", "N", OPT_INT, &o.marks_key_out_fd, NULL,
	"hand that key on to this descriptor"},
    {0, "accept-unproven-marks", NULL, OPT_FLAG, &o.accept_unproven, NULL,
	"once, after an upgrade: marks count that lack the proof"},
    {0, "max-writes-per-second", "N", OPT_INT, &o.max_writes, NULL,
	"sets: writes in a second, beyond a burst (500; 0: no limit)"},
    {0, "results-fd", "N", OPT_INT, &o.results_fd, NULL,
	"print results to this descriptor, too, for krecord"},
    {0, "tap-fd", "N", OPT_INT, &o.tap_fd, NULL,
	"what is read goes to this pipe as well, for krecord"},
    {0, "report-fd", "N", OPT_INT, &o.report_fd, NULL,
	"write a newline when ready, then counters, to this descriptor"},
    {0, NULL, NULL, OPT_TABLE, (void *)kube_opt_table, NULL, NULL},
    {0, NULL, NULL, OPT_TABLE, (void *)opt_log_table, NULL, NULL},
    OPT_END,
};

static const struct opt_tool tool = {"kapply", "[OPTION]... [FILE]...",
    "Apply desired sets, or plain objects, from files or standard input.",
    table};

/* Passes the documents from the reader to the engine. */
struct input {
	struct apply *apply; /* borrowed */
	/* If set, it gets each plain object's set instead of the engine (an
	 * apply set collects them first). */
	void (*take)(void *arg, struct set *s);
	void *take_arg;
	struct set *held; /* owned: waits behind a barrier; or NULL */
};

struct run {
	struct writer writer;
	struct apply apply;
	struct input input;
	struct applyset *applyset; /* NULL: none */
	struct keyring keyring;
	bool reached, has_key;
};

static void
check_ready(struct run *r)
{
	if (!r->reached || !r->has_key)
		return;
	r->apply.ready = true;
	reportfd_ready(&r->writer.report);
}

static void
reached(void *arg)
{
	struct run *r = arg;

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
		writer_fail(&r->writer, err != NULL ? err : &mine);
		return;
	}
	r->has_key = true;
	check_ready(r);
}

static void
key_trouble(void *arg, const char *text)
{
	struct run *r = arg;

	reportfd_unready(&r->writer.report, "key of marks", text);
}

static int
find_key(struct run *r, struct err *err)
{
	struct apply *a = &r->apply;

	a->proof.accept_unproven = o.accept_unproven;
	r->keyring.proof = &a->proof;
	r->keyring.dry_run = o.dry_run != 0;
	r->keyring.check_ms = o.marks_key_check_ms;
	r->keyring.trouble = key_trouble;
	if (o.marks_key_secret != NULL)
		return keyring_start(&r->keyring, r->writer.loop,
		    o.marks_key_secret, got_key, r, err);
	if (o.marks_key_fd >= 0) {
		if (proof_read(&a->proof, (int)o.marks_key_fd, err) != 0)
			return -1;
		close((int)o.marks_key_fd);
	}
	r->has_key = true;
	return 0;
}

static bool
submit_held(struct input *in)
{
	struct set *s = in->held;

	if (s == NULL)
		return true;
	if (s->plain && in->apply->barriers > 0 &&
	    s->items[0].phase != PHASE_SCOPES)
		return false;
	in->held = NULL;
	engine_submit(in->apply, s);
	return true;
}

/*
 * Only as fast as the engine works: not while twice its limit of keys can run,
 * or that many plain objects wait for an earlier one of their name, nor while
 * the reader of our output is behind, nor (plain objects) before a Namespace or
 * CRD that came earlier is there.
 */
static bool
has_room(void *arg)
{
	struct run *r = arg;
	const struct apply *a = &r->apply;

	return !workqueue_full(&a->queue) && !out_full(&a->out) &&
	    a->lined_up < 2 * (size_t)a->o->max_in_flight &&
	    submit_held(&r->input);
}

static int
take(void *arg, const struct stream_doc *doc, struct err *err)
{
	struct run *r = arg;
	struct input *in = &r->input;
	struct span object = doc->text;
	struct set *s = NULL;

	switch (unwrap(&object, err)) {
	case UNWRAP_BAD:
		return -1;
	case UNWRAP_NOTHING:
		return 0;
	case UNWRAP_OBJECT:
		s = set_parse_plain(object, doc->line, err);
		break;
	case UNWRAP_DOCUMENT:
		s = doc->item ? set_parse_plain(object, doc->line, err)
			      : set_parse(object, doc->line, err);
		break;
	}
	if (s == NULL)
		return -1;
	if (in->take != NULL && s->plain)
		in->take(in->take_arg, s);
	else
		in->held = s;
	return 0;
}

static void
bad_line(void *arg)
{
	struct run *r = arg;
	struct apply_counters *c = &r->apply.counters;

	c->bad_lines++;
	r->apply.failed = true;
}

static int
work(void *arg, struct err *err)
{
	struct run *r = arg;
	struct apply *a = &r->apply;

	if (a->ready)
		workqueue_pump(&a->queue);
	resultfd_flush(&a->results);
	if (out_flush(&a->out) >= 0)
		return 0;
	*err = a->out.err;
	return -1;
}

static bool
settled(void *arg)
{
	struct run *r = arg;
	struct apply *a = &r->apply;
	bool done = r->applyset != NULL ? applyset_step(r->applyset)
					: engine_settled(a) &&
		(a->recorder == NULL || recorder_idle(a->recorder));

	/* The process that waits for the key gets it, also if there is
	 * nothing to apply. */
	return done && r->has_key;
}

/* Who names files wants them applied; a stage of a pipeline may have nothing to
 * do. An apply set has a rule of its own. */
static void
check_empty(struct run *r)
{
	struct apply *a = &r->apply;

	if (r->writer.file_count == 0 || r->applyset != NULL ||
	    a->counters.lines + a->counters.bad_lines > 0)
		return;
	log_error("no object to apply: there is none in what is named");
	a->failed = true;
}

static void
end(void *arg, bool done)
{
	struct run *r = arg;
	struct apply *a = &r->apply;

	if (!done && !a->ready)
		log_error(
		    "%s could not be reached in time", kube_server(a->kube));
	else if (!done && r->applyset != NULL)
		log_error("apply set %s: not finished in time", o.applyset);
	engine_give_up(a);
	check_empty(r);
	a->failed = a->failed || !done || a->keys.count > 0;
}

static void
count(void *arg, struct buf *b)
{
	struct run *r = arg;

	report_counters(&r->apply, b);
}

static void
samples(void *arg, struct metric_lines *m)
{
	struct run *r = arg;

	samples_add(&r->apply, m);
}

static const struct writer_tool writer_tool = {
    .name = "kapply",
    .count = count,
    .samples = samples,
    .reached = reached,
    .has_room = has_room,
    .take = take,
    .bad_line = bad_line,
    .work = work,
    .settled = settled,
    .end = end,
};

static void
prepare(struct run *r)
{
	struct apply *a = &r->apply;

	a->o = &o;
	a->loop = r->writer.loop;
	a->kube = r->writer.kube;
	a->discovery = r->writer.discovery;
	a->report = &r->writer.report;
	workqueue_init(
	    &a->queue, a->loop, (size_t)o.max_in_flight, engine_run, a);
	workqueue_limit(&a->queue, o.max_writes, report_ceiling);
	out_init(&a->out, a->loop, STDOUT_FILENO);
	resultfd_init(&a->results, a->loop, (int)o.results_fd);
	stream_tap(r->writer.stream, (int)o.tap_fd, "sets");
	if (!o.dry_run)
		a->recorder = recorder_new(a->loop, a->kube);
	a->unseen = unseen_new(a->loop);
	denials_init(&a->denials, a->report);
	brake_init(&a->brake, (size_t)o.prune_limit);
	opponents_init(&a->opponents, &a->repairs);
	r->input.apply = a;
	if (o.applyset == NULL)
		return;
	r->applyset = applyset_new(a, o.applyset);
	r->input.take = applyset_take;
	r->input.take_arg = r->applyset;
}

static void
release(struct run *r)
{
	struct apply *a = &r->apply;

	set_free(r->input.held);
	applyset_free(r->applyset);
	engine_free(a);
	denials_release(&a->denials);
	recorder_free(a->recorder);
	unseen_free(a->unseen);
	brake_release(&a->brake);
	lru_release(&a->opponents);
	lru_release(&a->repairs);
	workqueue_release(&a->queue);
	efforts_release(&a->efforts);
	out_release(&a->out);
	resultfd_release(&a->results);
}

/* The loop, and what is still to be printed after it. */
static int
run_prepared(struct run *r, const struct opt_list *files, struct err *err)
{
	struct apply *a = &r->apply;
	const struct err *failed;
	int code;

	prepare(r);
	writer_files(&r->writer, files->items, files->count);
	if (o.tap_fd < 0)
		writer_yaml(&r->writer);
	writer_run(&r->writer);
	failed = writer_error(&r->writer);
	if (r->writer.err.kind == ERR_NONE && out_drain(&a->out) < 0)
		failed = &a->out.err;
	if (failed != NULL)
		*err = *failed;
	code = failed != NULL ? -1 : a->failed;
	release(r);
	return code;
}

/* Returns the exit code, or -1 with err. */
static int
run(const struct opt_list *files, struct err *err)
{
	struct run r = {0};
	int code = -1;

	if (writer_open(
		&r.writer, &writer_tool, o.report_fd, o.timeout_ms, &r) != 0)
		*err = *writer_error(&r.writer);
	else if (find_key(&r, err) == 0)
		code = run_prepared(&r, files, err);
	keyring_release(&r.keyring);
	proof_release(&r.apply.proof);
	writer_release(&r.writer);
	return code;
}

/* Those of folders in their place. */
static int
find_files(struct opt_list *found, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < o.files.count && rc == 0; i++)
		rc = manifests_add(found, o.files.items[i], o.recursive, err);
	return rc;
}

static int
check_options(struct err *err)
{
	if (writer_check_options(
		0, NULL, "objects", o.max_in_flight, o.max_writes, err) != 0)
		return -1;
	if (o.prune_limit < 0 || o.prune_limit > BRAKE_LIMIT_MAX)
		return err_set(err, ERR_PERMANENT,
		    "option --prune-limit: from 0 to %d", BRAKE_LIMIT_MAX);
	if (o.allow_empty && o.applyset == NULL)
		return err_set(err, ERR_PERMANENT,
		    "option --allow-empty needs --applyset");
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
	if (o.output < 0)
		o.output =
		    isatty(STDOUT_FILENO) ? OUTPUT_RESULT : OUTPUT_STATUS;
	return 0;
}

static void
add_files(int count, char **names)
{
	struct opt_list *l = &o.files;

	for (int i = 0; i < count; i++) {
		l->items = mem_grow(l->items, l->count, sizeof(*l->items));
		l->items[l->count++] = names[i];
	}
}

int
main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct opt_list files = {0};
	int first, code;

	harden_process();
	code = opt_begin(&tool, argc, argv, &first);
	if (code >= 0)
		return code;
	signal(SIGPIPE, SIG_IGN);
	add_files(argc - first, argv + first);
	if (check_options(&err) == 0 && find_files(&files, &err) == 0)
		code = run(&files, &err);
	manifests_free(&files);
	free(o.files.items);
	return code >= 0 ? code : opt_fatal(&err);
}
