#include "tools.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "credential.h"
#include "environ.h"
#include "launch.h"
#include "options.h"
#include "process/file.h"
#include "process/sandbox.h"

/* ---- programs ---- */

/* "dir/name", owned, if that is a program. */
static char *
try_dir(struct span dir, const char *name)
{
	struct buf b = BUF_INIT;
	char *path;

	buf_addspan(&b, dir.n > 0 ? dir : span_str("."));
	buf_addf(&b, "/%s", name);
	path = buf_take(&b);
	if (file_check_program(path) == 0)
		return path;
	free(path);
	return NULL;
}

/* Looks in dir, or if that is NULL beside the running program, then in PATH.
 * Owned; NULL with err: there is none. */
static char *
find_program(const char *name, const char *dir, struct err *err)
{
	char self[4096], *path = NULL;
	ssize_t n;

	if (dir != NULL) {
		path = try_dir(span_str(dir), name);
		if (path == NULL)
			err_set(err, ERR_PERMANENT, "there is no %s in %s",
			    name, dir);
		return path;
	}
	n = readlink("/proc/self/exe", self, sizeof(self));
	while (n > 0 && self[n - 1] != '/')
		n--;
	if (n > 0)
		path = try_dir(span_make(self, (size_t)n - 1), name);
	if (path == NULL)
		path = file_find_program(name);
	if (path == NULL)
		err_set(err, ERR_PERMANENT,
		    "there is no %s, neither beside kpipe nor in PATH", name);
	return path;
}

/* ---- arguments of several tools ---- */

static void
watches_args(struct stage *s)
{
	stage_arg(s, "--filename=%s", options.watches);
	if (options.namespace_ != NULL)
		stage_arg(s, "--namespace=%s", options.namespace_);
	if (options.all_namespaces)
		stage_arg(s, "--all-namespaces");
}

/* Gives the stage the end of a pipe, and its number by --NAME-fd. */
static void
fd_arg(struct stage *s, const char *name, enum launch_pipe pipe,
    enum launch_end end)
{
	stage_arg(s, "--%s-fd=%d", name, launch_give(s, pipe, end));
}

/* Arguments of an ireconcile. */
static void
instance_args(struct stage *s, const struct tools *t)
{
	if (t->instance != NULL)
		stage_arg(s, "--instance=%s", t->instance);
	for (size_t i = 0; i < options.former.count; i++)
		stage_arg(
		    s, "--take-over-instance=%s", options.former.items[i]);
}

static int
init_stage(
    struct stage *s, const char *name, enum stage_role role, struct err *err)
{
	const char *dir = getenv("KPIPE_LIBEXEC");

	if (dir != NULL && *dir == '\0')
		dir = NULL;
	s->name = name;
	s->role = role;
	s->report_fd = -1;
	s->path = inside_only ? mem_strdup(name) : find_program(name, dir, err);
	if (s->path != NULL && dir == NULL)
		s->fn = inside_find(name, s->path);
	stage_arg(s, "--report-fd=%d", STAGE_REPORT_FD);
	opt_pass(opt_log_table, &s->args);
	return s->path != NULL ? 0 : -1;
}

/* NULL with err: there is no such program. */
static struct stage *
add_stage(
    struct pipeline *p, const char *name, enum stage_role role, struct err *err)
{
	struct stage *s = &p->stages[p->count++];

	return init_stage(s, name, role, err) == 0 ? s : NULL;
}

static int
add_reader(struct pipeline *p, struct err *err)
{
	struct stage *s = add_stage(p, "kwatch", STAGE_READS, err);

	if (s == NULL)
		return -1;
	watches_args(s);
	credential_pass(s);
	/* For `because`: ireconcile passes them on. */
	stage_arg(s, "--timestamps");
	stage_arg(s, "--managers");
	if (options.dry_run)
		stage_arg(s, "--once");
	return 0;
}

/* ---- filters ---- */

/* Not after their programs: two may be of one name, or have that of a tool. */
static const char *const names[PIPELINE_FILTERS_MAX] = {"filter-1", "filter-2",
    "filter-3", "filter-4", "filter-5", "filter-6", "filter-7", "filter-8"};

/* Owned: a path that is right where we are and in the folder. NULL: not in PATH,
 * or see errno. */
static char *
find_filter(const char *name, const char *folder)
{
	struct buf here = BUF_INIT;
	char *found, *full;
	int rc, reason;

	if (strchr(name, '/') == NULL) {
		found = file_find_program(name);
		if (found == NULL || *found == '/')
			return found;
		full = file_real(found);
		free(found);
		return full;
	}
	if (*name != '/' && folder != NULL)
		buf_adds(&here, folder);
	buf_adds(&here, name);
	rc = access(buf_str(&here), X_OK);
	reason = errno;
	buf_release(&here);
	errno = reason;
	return rc == 0 ? mem_strdup(name) : NULL;
}

static int
add_filter(struct stage *s, const struct watch_filter *f, const char *path,
    const char *folder, struct err *err)
{
	const char *name = f->command.items[0];

	s->path = find_filter(name, folder);
	if (s->path == NULL)
		return err_set(err, ERR_PERMANENT, "%s:%d: filter %s: %s", path,
		    f->line, name,
		    strchr(name, '/') != NULL ? strerror(errno)
					      : "not in PATH");
	s->role = STAGE_FILTERS;
	s->report_fd = -1;
	s->called = name;
	s->folder = folder;
	for (size_t i = 1; i < f->command.count; i++)
		stage_arg(s, "%s", f->command.items[i]);
	return 0;
}

/* Adds the filters of all entries, in the order of the file. */
static int
add_filters(struct pipeline *p, const struct watches *w, const char *folder,
    char *const *env, struct err *err)
{
	size_t count = 0;

	for (size_t i = 0; i < w->count; i++)
		for (size_t j = 0; j < w->entries[i].filter_count; j++) {
			const struct watch_filter *f =
			    &w->entries[i].filters[j];
			struct stage *s;

			if (count == PIPELINE_FILTERS_MAX)
				return err_set(err, ERR_PERMANENT,
				    "%s:%d: more than %d filters", w->path,
				    f->line, PIPELINE_FILTERS_MAX);
			s = &p->stages[p->count++];
			s->name = names[count++];
			s->env = env;
			if (add_filter(s, f, w->path, folder, err) != 0)
				return -1;
		}
	return 0;
}

/* ---- tools behind them ---- */

static int
add_decider(struct pipeline *p, const struct tools *t, struct err *err)
{
	struct stage *s = add_stage(p, "ireconcile", STAGE_DECIDES, err);

	if (s == NULL)
		return -1;
	watches_args(s);
	if (options.leader_elect)
		fd_arg(s, "gate", LAUNCH_GATE, LAUNCH_READ);
	fd_arg(s, "marks-key", LAUNCH_MARKS, LAUNCH_READ);
	fd_arg(s, "lines", LAUNCH_LINES, LAUNCH_READ);
	if (options_records())
		fd_arg(s, "tap", LAUNCH_EVENTS, LAUNCH_WRITE);
	if (options.accept_unproven)
		stage_arg(s, "--accept-unproven-marks");
	instance_args(s, t);
	opt_pass(sandbox_opt_table, &s->args);
	s->env = t->program_env;
	return 0;
}

/* The arguments that all stages have which write. */
static void
writer_args(struct stage *s, const struct tools *t)
{
	s->env = t->writers_env;
	credential_pass(s);
	if (t->writers_env != NULL) { /* KPIPE_FENCE has their numbers */
		launch_give(s, LAUNCH_FENCE, LAUNCH_READ);
		launch_give(s, LAUNCH_PAGE, LAUNCH_READ);
	}
}

static void
ceiling_arg(struct stage *s)
{
	if (options.max_writes >= 0)
		stage_arg(s, "--max-writes-per-second=%ld", options.max_writes);
}

static int
add_writers(struct pipeline *p, const struct tools *t, struct err *err)
{
	struct stage *s = add_stage(p, "kapply", STAGE_APPLIES, err);

	if (s == NULL)
		return -1;
	writer_args(s, t);
	if (t->marks_secret != NULL) {
		stage_arg(s, "--marks-key-secret=%s", t->marks_secret);
		fd_arg(s, "marks-key-out", LAUNCH_MARKS, LAUNCH_WRITE);
	} else {
		fd_arg(s, "marks-key", LAUNCH_MARKS, LAUNCH_WRITE);
	}
	if (options.accept_unproven)
		stage_arg(s, "--accept-unproven-marks");
	if (options_records()) {
		fd_arg(s, "tap", LAUNCH_SETS, LAUNCH_WRITE);
		fd_arg(s, "results", LAUNCH_RESULTS, LAUNCH_WRITE);
	}
	if (options.prune_limit >= 0)
		stage_arg(s, "--prune-limit=%ld", options.prune_limit);
	ceiling_arg(s);
	/* Timeouts begin at the end of the input. Those of kapply and kstatus
	 * end before draining is over. */
	stage_arg(s, "--timeout=%ds", options.dry_run ? 60 : 6);
	if (options.dry_run) {
		stage_arg(s, "--dry-run=server");
		stage_arg(s, "--output=result");
		return 0;
	}
	stage_arg(s, "--output=status");

	s = add_stage(p, "kstatus", STAGE_WRITES, err);
	if (s == NULL)
		return -1;
	writer_args(s, t);
	stage_arg(s, "--output=none");
	if (options_records()) {
		fd_arg(s, "tap", LAUNCH_STATUSES, LAUNCH_WRITE);
		fd_arg(s, "results", LAUNCH_WRITTEN, LAUNCH_WRITE);
	}
	stage_arg(s, "--timeout=3s");
	ceiling_arg(s);
	return 0;
}

static int
add_recorder(struct pipeline *p, const struct tools *t, struct err *err)
{
	static const char *const taps[LAUNCH_PIPES] = {
	    [LAUNCH_EVENTS] = "events",
	    [LAUNCH_SETS] = "sets",
	    [LAUNCH_STATUSES] = "statuses",
	    [LAUNCH_RESULTS] = "results",
	    [LAUNCH_WRITTEN] = "kstatus-results",
	    [LAUNCH_STATES] = "states",
	    [LAUNCH_SHADOW] = "shadow"};
	struct stage *s;

	if (!options_records())
		return 0;
	s = add_stage(p, "krecord", STAGE_RECORDS, err);
	if (s == NULL)
		return -1;
	s->env = t->program_env;
	stage_arg(s, "write");
	stage_arg(s, "--filename=%s", options.watches);
	if (options.record_size != NULL)
		stage_arg(s, "--size=%s", options.record_size);
	for (unsigned i = LAUNCH_EVENTS; i < LAUNCH_PIPES; i++)
		fd_arg(s, taps[i], i, LAUNCH_READ);
	if (options_is_address(options.view_address))
		stage_arg(s, "--live-fd=%d", STDOUT_FILENO);
	if (options.otlp_endpoint != NULL)
		stage_arg(s, "--flow-fd=%d", STDIN_FILENO);
	if (options.record != NULL) {
		stage_arg(s, "--");
		stage_arg(s, "%s", options.record);
	}
	p->record = s;
	return 0;
}

static void
duration_arg(struct stage *s, const char *name, uint64_t ms)
{
	if (ms != OPTIONS_NO_TIME)
		stage_arg(s, "--%s=%llums", name, (unsigned long long)ms);
}

static int
add_elect(struct pipeline *p, const char *lease, struct err *err)
{
	struct stage *s = add_stage(p, "kelect", STAGE_ELECTS, err);

	if (s == NULL)
		return -1;
	credential_pass(s);
	stage_arg(s, "--lease=%s", lease);
	if (options.lease_namespace != NULL)
		stage_arg(s, "--namespace=%s", options.lease_namespace);
	if (options.for_life)
		stage_arg(s, "--for-life");
	duration_arg(s, "lease-duration", options.lease_duration_ms);
	duration_arg(s, "renew-deadline", options.renew_deadline_ms);
	duration_arg(s, "retry-period", options.retry_period_ms);
	fd_arg(s, "gate", LAUNCH_GATE, LAUNCH_WRITE);
	fd_arg(s, "fence", LAUNCH_FENCE, LAUNCH_WRITE);
	fd_arg(s, "page", LAUNCH_PAGE, LAUNCH_READ);
	p->elect = s;
	return 0;
}

int
tools_pipeline(struct tools *t, struct pipeline *p, const char *lease,
    bool fenced, struct err *err)
{
	extern char **environ;
	const char *slash;

	t->program_env =
	    environ_for_program(environ, options.watches, NULL, err);
	if (t->program_env == NULL)
		return -1;
	t->bare_env = environ_select(environ, SPAN_NONE);
	if (fenced) {
		fence_env(
		    &t->fence, FENCE_ENV, STAGE_EXTRA_FD, STAGE_EXTRA_FD + 1);
		t->writers_env = environ_with(environ, buf_str(&t->fence));
	}
	slash = strrchr(options.watches, '/');
	if (slash != NULL)
		t->folder = mem_dup(
		    options.watches, (size_t)(slash - options.watches) + 1);
	if (add_reader(p, err) != 0 ||
	    add_filters(p, t->watches, t->folder, t->program_env, err) != 0 ||
	    add_decider(p, t, err) != 0 || add_writers(p, t, err) != 0 ||
	    add_recorder(p, t, err) != 0)
		return -1;
	return lease != NULL ? add_elect(p, lease, err) : 0;
}

static int
refuse_filters(const struct watches *w, struct err *err)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->entries[i].filter_count > 0)
			return err_set(err, ERR_PERMANENT,
			    "%s:%d: filters do not run with --shadow: start "
			    "without one of them",
			    w->path, w->entries[i].filters[0].line);
	return 0;
}

int
tools_check_shadow(
    struct tools *t, const struct watches_scope *scope, struct err *err)
{
	struct watches *w;
	int rc;

	if (options.shadow == NULL)
		return 0;
	w = watches_load(options.shadow, scope, err);
	if (w == NULL)
		return -1;
	rc = refuse_filters(t->watches, err);
	if (rc == 0)
		rc = refuse_filters(w, err);
	t->shadow_has_variables = w->has_variables;
	watches_free(w);
	return rc;
}

int
tools_shadow(struct tools *t, struct stage *reader, struct stage *decider,
    struct err *err)
{
	extern char **environ;

	t->shadow_env =
	    environ_for_program(environ, options.watches, options.shadow, err);
	if (t->shadow_env == NULL ||
	    init_stage(reader, "kwatch", STAGE_READS, err) != 0 ||
	    init_stage(decider, "ireconcile", STAGE_DECIDES, err) != 0)
		return -1;
	watches_args(reader);
	stage_arg(reader, "--filename=%s", options.shadow);
	credential_pass(reader);
	stage_arg(reader, "--timestamps");
	stage_arg(reader, "--managers");
	watches_args(decider);
	stage_arg(decider, "--against=%s", options.shadow);
	stage_arg(decider, "--output=json");
	instance_args(decider, t);
	opt_pass(sandbox_opt_table, &decider->args);
	decider->env = t->shadow_env;
	reader->name = INSIDE_ASIDE "kwatch";
	decider->name = INSIDE_ASIDE "ireconcile";
	reader->expendable = decider->expendable = true;
	return 0;
}

/* kpipe-http gets a credential only if it must ask who may read the metrics. */
int
tools_server(struct tools *t, struct stage *s, struct err *err)
{
	if (init_stage(s, "kpipe-http", STAGE_SERVES, err) != 0)
		return -1;
	/* kpipe-http gets no variables of the file, so it must not have our
	 * memory, either. */
	if (t->watches->has_variables || t->shadow_has_variables)
		s->fn = NULL;
	opt_pass(sandbox_opt_table, &s->args);
	s->env = t->bare_env;
	if (options_is_address(options.probe_address))
		stage_arg(
		    s, "--health-probe-bind-address=%s", options.probe_address);
	if (!options_is_address(options.metrics_address))
		return 0;
	stage_arg(s, "--metrics-bind-address=%s", options.metrics_address);
	if (options.otlp_endpoint != NULL)
		stage_arg(s, "--openmetrics");
	if (!options.metrics_secure)
		return 0;
	s->env = NULL;
	stage_arg(s, "--metrics-secure");
	if (options.metrics_certificates != NULL)
		stage_arg(
		    s, "--metrics-cert-path=%s", options.metrics_certificates);
	credential_pass(s);
	return 0;
}

/* On this machine it gets neither a credential nor a variable: all comes by its
 * pipe. Elsewhere it asks who may look, as kpipe-http does. */
int
tools_viewer(struct tools *t, struct stage *s, struct err *err)
{
	if (init_stage(s, "kview", STAGE_SHOWS, err) != 0)
		return -1;
	opt_pass(sandbox_opt_table, &s->args);
	s->fn = NULL;
	stage_arg(s, "--serve=%s", options.view_address);
	stage_arg(s, "--attached");
	if (!options_view_is_open()) {
		s->env = t->bare_env;
		return 0;
	}
	stage_arg(s, "--secure");
	if (options.metrics_certificates != NULL)
		stage_arg(s, "--cert-path=%s", options.metrics_certificates);
	credential_pass(s);
	return 0;
}

int
tools_tracer(struct tools *t, struct stage *s, struct err *err)
{
	if (init_stage(s, "krecord", STAGE_SHOWS, err) != 0)
		return -1;
	s->called = "krecord";
	s->name = "krecord-spans";
	s->env = t->bare_env;
	s->fn = NULL;
	opt_pass(sandbox_opt_table, &s->args);
	stage_arg(s, "spans");
	stage_arg(s, "--endpoint=%s", options.otlp_endpoint);
	return 0;
}

void
tools_release(struct tools *t)
{
	free(t->folder);
	free(t->program_env);
	free(t->shadow_env);
	free(t->writers_env);
	free(t->bare_env);
	buf_release(&t->fence);
}
