/*
 * kwatch: prints the cluster as a stream of watch events. See kwatch.1.
 */
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "conf/namespaces.h"
#include "conf/watches.h"
#include "kind.h"
#include "process/clock.h"
#include "process/log.h"
#include "process/opt.h"
#include "watchspec.h"

static struct opts {
	struct opt_list watches;
	const char *namespaces;
	bool all_namespaces;
	const char *selector, *field_selector;
	bool once, objects, timestamps, managers, redact, show_secrets;
	bool show_managed_fields;
	long report_fd;
} o = {.report_fd = -1};

static const struct opt table[] = {
    {'f', "filename", "WATCHES", OPT_LIST, &o.watches, NULL,
	"watch the kinds that this watches.yaml names; several: of all"},
    {'A', "all-namespaces", NULL, OPT_FLAG, &o.all_namespaces, NULL,
	"watch all namespaces"},
    {'l', "selector", "SELECTOR", OPT_STRING, &o.selector, NULL,
	"only objects with these labels (operands only)"},
    {0, "field-selector", "SELECTOR", OPT_STRING, &o.field_selector, NULL,
	"only objects with these fields (operands only)"},
    {0, "once", NULL, OPT_FLAG, &o.once, NULL, "end after the initial state"},
    {0, "objects", NULL, OPT_FLAG, &o.objects, NULL,
	"print objects instead of events; deletions are left out"},
    {0, "timestamps", NULL, OPT_FLAG, &o.timestamps, NULL,
	"say in each line when it was printed"},
    {0, "managers", NULL, OPT_FLAG, &o.managers, NULL,
	"say in the line of each change which field manager made it"},
    {0, "redact", NULL, OPT_FLAG, &o.redact, NULL,
	"replace secret values by keyed digests, also for a pipe"},
    {0, "show-secrets", NULL, OPT_FLAG, &o.show_secrets, NULL,
	"print Secrets as they are, also to a file or a terminal"},
    {0, "show-managed-fields", NULL, OPT_FLAG, &o.show_managed_fields, NULL,
	"do not cut metadata.managedFields"},
    {0, "report-fd", "N", OPT_INT, &o.report_fd, NULL,
	"write a newline when ready, then counters, to descriptor N"},
    {'n', "namespace", "NAMESPACES", OPT_STRING, &o.namespaces, NULL,
	"watch these namespaces (a,b)"},
    OPT_ROWS(kube_opt_server_table), OPT_END};

static const struct opt_tool tool = {.name = "kwatch",
    .synopsis = "[-f WATCHES]... [RESOURCE[/NAME]]... [-n NAMESPACES | -A]",
    .summary = "print what happens to objects of a cluster, as JSON lines",
    .table = table};

/* For the callbacks; one per process, like signals. */
struct run {
	struct kwatch app;
	struct out out;
	struct watchspecs specs;
	struct watches **watches; /* array and elements owned */
	size_t watches_count;
	struct textlist namespaces; /* for operands; empty: all */
	int hangup_fd;
};

static void
on_signal(void *arg, int signo)
{
	(void)signo;
	app_finish(arg, 0);
}

/* The reader has ended: a pipeline ends from its tail, so this is not an
 * error. */
static void
on_hangup(void *arg, int fd, int events)
{
	(void)events;
	(void)fd;
	app_finish(arg, 0);
}

static void
on_idle(void *arg)
{
	struct run *r = arg;

	/* on_room does not report room that is made here. */
	while (out_flush(&r->out) == 0 && !deltafifo_empty(r->app.deltafifo) &&
	    !out_full(&r->out))
		deltafifo_pump(r->app.deltafifo);
	/* The body of a list, and the lines that were made of it, are
	 * scattered. */
	if (r->app.listed && r->app.ready &&
	    deltafifo_empty(r->app.deltafifo) && out_empty(&r->out)) {
		r->app.listed = false;
		malloc_trim(0);
	}
	if (!r->out.failed || r->app.ending)
		return;
	if (r->out.err.kind == ERR_GONE) {
		app_finish(&r->app, 0);
		return;
	}
	log_fatal("%s", r->out.err.message);
	app_finish(&r->app, EXIT_TRANSIENT);
}

static void
on_room(void *arg)
{
	struct run *r = arg;

	deltafifo_pump(r->app.deltafifo);
}

static void
count(void *arg, struct buf *b)
{
	const struct run *r = arg;
	const struct deltafifo_counters *c =
	    deltafifo_counters(r->app.deltafifo);

	reportfd_count(b, "events", c->events);
	reportfd_count(b, "lines", c->lines);
	reportfd_count(b, "coalesced", c->coalesced);
	reportfd_count(b, "synthetic", c->made_up);
	reportfd_count(b, "objects", c->objects);
	reportfd_count(b, "relists", r->app.relists);
	reportfd_count(b, "reconnects", r->app.reconnects);
}

static void
samples(void *arg, struct metric_lines *m)
{
	const struct run *r = arg;
	const struct kwatch *app = &r->app;

	for (size_t i = 0; i < app->kind_count; i++)
		kind_metrics(app->kinds[i], m);
	metric_add(m, METRIC_WATCH_RELISTS, NULL, (double)app->relists);
	metric_add(m, METRIC_WATCH_RECONNECTS, NULL, (double)app->reconnects);
	metric_add(m, METRIC_WATCH_COALESCED, NULL,
	    (double)deltafifo_counters(app->deltafifo)->coalesced);
	kube_metrics(app->kube, m);
}

static int
read_specs(struct run *r, int operands, char **operand, struct err *err)
{
	struct watches_scope scope = {o.namespaces, o.all_namespaces};
	struct watchspec_opts wo = {.selector = o.selector,
	    .field_selector = o.field_selector,
	    .namespaces = &r->namespaces};
	int rc = 0;

	if (o.watches.count == 0 && operands == 0)
		return err_set(err, ERR_PERMANENT,
		    "nothing to watch: name a resource, or a file with -f");
	/* All files are kept: errors name them. */
	r->watches = mem_array(NULL, o.watches.count, sizeof(*r->watches));
	for (size_t i = 0; i < o.watches.count; i++) {
		struct watches *w =
		    watches_load(o.watches.items[i], &scope, err);

		if (w == NULL)
			return -1;
		r->watches[r->watches_count++] = w;
		if (watchspecs_add_watches(&r->specs, w, err) != 0)
			return -1;
	}
	if (operands > 0 && o.namespaces != NULL)
		rc = namespaces_option(&r->namespaces, o.namespaces, err);
	else if (operands > 0 && !o.all_namespaces)
		rc = namespaces_parse(&r->namespaces,
		    "the namespace of the context", kube_namespace(r->app.kube),
		    err);
	for (int i = 0; i < operands && rc == 0; i++)
		rc = watchspecs_add_operand(&r->specs, operand[i], &wo, err);
	return rc;
}

/* A pipe may lead to ireconcile, which has to have the values. All else is kept
 * or looked at: files, which become tests in git, terminals, journals. */
static bool
is_pipe(void)
{
	struct stat st;

	return fstat(STDOUT_FILENO, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* A stage of kpipe has a descriptor for reports. */
static int
set_redaction(struct kwatch *app, struct err *err)
{
	bool pipe = is_pipe();

	if (o.redact && o.show_secrets)
		return err_set(err, ERR_PERMANENT,
		    "--redact and --show-secrets exclude each other");
	if (!o.redact && (o.show_secrets || (pipe && o.report_fd >= 0)))
		return 0;
	app->redact_all = o.redact;
	if (!o.redact)
		app->on_secret = pipe
		    ? "values of Secrets are not hidden in this pipe: --redact "
		      "hides them, --show-secrets says that they are needed"
		    : "values of Secrets are digests in this output: "
		      "--show-secrets prints them";
	if (pipe && !o.redact)
		return 0;
	app->redact = redact_new(err);
	return app->redact != NULL ? 0 : -1;
}

static int
set_up(struct run *r, int operands, char **operand, struct err *err)
{
	struct kwatch *app = &r->app;

	if (o.all_namespaces && o.namespaces != NULL)
		return err_set(
		    err, ERR_PERMANENT, "-n and -A exclude each other");
	if (o.objects && o.managers)
		return err_set(err, ERR_PERMANENT,
		    "--objects and --managers exclude each other");
	if (o.objects && o.timestamps)
		return err_set(err, ERR_PERMANENT,
		    "--objects and --timestamps exclude each other");
	textlist_init(&r->namespaces);
	app->kube = kube_open(app->loop, &kube_opts, "kwatch", err);
	if (app->kube == NULL || read_specs(r, operands, operand, err) != 0)
		return -1;
	if (set_redaction(app, err) != 0)
		return -1;
	app->discovery = discovery_new(app->loop, app->kube);
	app->specs = &r->specs;
	app->once = o.once;
	app->show_managed_fields = o.show_managed_fields;
	app->managers = o.managers;
	out_init(&r->out, app->loop, STDOUT_FILENO);
	app->deltafifo = deltafifo_new(&r->out,
	    o.objects	       ? DELTAFIFO_OBJECTS
		: o.timestamps ? DELTAFIFO_TIMESTAMPS
			       : DELTAFIFO_PLAIN);
	for (size_t i = 0; i < r->specs.count; i++)
		app_add_kind(app, r->specs.items[i]);
	rooms_init(app);
	return 0;
}

static void
watch(struct run *r)
{
	struct kwatch *app = &r->app;

	out_on_room(&r->out, on_room, r);
	loop_idle(app->loop, on_idle, r);
	loop_signal(app->loop, SIGTERM, on_signal, app);
	loop_signal(app->loop, SIGINT, on_signal, app);
	/* A descriptor of its own: out watches its own for room. */
	r->hangup_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (r->hangup_fd >= 0)
		loop_watch(app->loop, r->hangup_fd, 0, on_hangup, app);
	reportfd_init(
	    &r->app.report, app->loop, "kwatch", (int)o.report_fd, count, r);
	reportfd_metrics(&r->app.report, samples);
	for (size_t i = 0; i < app->kind_count; i++)
		kind_announce(app->kinds[i]);
	app_discover(app, 0);
	loop_run(app->loop);
}

/* Prints what waits; after a signal only if the reader takes it soon. */
static void
drain(struct run *r)
{
	enum { PATIENCE_MS = 2000 };
	uint64_t end = clock_ms() + PATIENCE_MS;

	if (r->app.exit_code > 1)
		return;
	if (!r->app.once || !r->app.ready) {
		while (out_flush(&r->out) == 0 && !out_empty(&r->out) &&
		    clock_ms() < end)
			clock_wait_fd(r->out.fd, POLLOUT, end);
		return;
	}
	while (out_drain(&r->out) == 0 && !deltafifo_empty(r->app.deltafifo))
		deltafifo_pump(r->app.deltafifo);
	if (r->out.failed && r->out.err.kind != ERR_GONE) {
		log_fatal("%s", r->out.err.message);
		r->app.exit_code = EXIT_TRANSIENT;
	}
}

static void
tear_down(struct run *r)
{
	struct kwatch *app = &r->app;

	reportfd_release(&r->app.report);
	deltafifo_free(app->deltafifo);
	for (size_t i = 0; i < app->kind_count; i++)
		kind_free(app->kinds[i]);
	free(app->kinds);
	rooms_release(&app->rooms);
	discovery_free(app->discovery);
	kube_free(app->kube);
	redact_free(app->redact);
	watchspecs_release(&r->specs);
	textlist_release(&r->namespaces);
	for (size_t i = 0; i < r->watches_count; i++)
		watches_free(r->watches[i]);
	free(r->watches);
	free(o.watches.items);
	if (app->deltafifo != NULL)
		out_release(&r->out);
	if (r->hangup_fd >= 0)
		close(r->hangup_fd);
	app_release(app);
	loop_free(app->loop);
}

static int
run(int operands, char **operand, struct err *err)
{
	struct run r = {.hangup_fd = -1};
	int code = -1;

	r.app.loop = loop_new();
	if (set_up(&r, operands, operand, err) == 0) {
		watch(&r);
		drain(&r);
		code = r.app.exit_code;
	}
	tear_down(&r);
	return code;
}

int
main(int argc, char **argv)
{
	return opt_main(&tool, argc, argv, run);
}
