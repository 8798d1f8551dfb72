#include "tools.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "credential.h"
#include "environ.h"
#include "find.h"
#include "launch.h"
#include "options.h"
#include "process/sandboxopt.h"

static void
watches_args(struct stage *s)
{
	stage_arg(s, "--filename=%s", options.watches);
	if (options.namespace_ != NULL)
		stage_arg(s, "--namespace=%s", options.namespace_);
	if (options.all_namespaces)
		stage_arg(s, "--all-namespaces");
}

static int
init_stage(
    struct stage *s, const char *name, enum stage_role role, struct err *err)
{
	const char *dir = getenv("KPIPE_LIBEXEC");

	s->name = name;
	s->role = role;
	s->report_fd = -1;
	s->path =
	    find_program(name, dir != NULL && *dir != '\0' ? dir : NULL, err);
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
add_readers(struct pipeline *p, const struct tools *t, struct err *err)
{
	struct stage *s = add_stage(p, "kwatch", STAGE_READS, err);

	if (s == NULL)
		return -1;
	watches_args(s);
	credential_pass(s);
	if (options.dry_run)
		stage_arg(s, "--once");

	s = add_stage(p, "ireconcile", STAGE_DECIDES, err);
	if (s == NULL)
		return -1;
	watches_args(s);
	if (options.leader_elect)
		stage_arg(s, "--gate-fd=%d", LAUNCH_GATE);
	stage_arg(
	    s, "--marks-key-fd=%d", STAGE_EXTRA_FD + options.leader_elect);
	stage_arg(
	    s, "--lines-fd=%d", STAGE_EXTRA_FD + options.leader_elect + 1);
	if (options.accept_unproven)
		stage_arg(s, "--accept-unproven-marks");
	opt_pass(sandbox_opt_table, &s->args);
	s->env = t->program_env;
	return 0;
}

/* Behind the leash, if there is one. */
static void
marks_args(struct stage *s, const struct tools *t)
{
	int fd = STAGE_EXTRA_FD + (t->writers_env != NULL ? LAUNCH_HELD : 0);

	if (t->marks_secret != NULL) {
		stage_arg(s, "--marks-key-secret=%s", t->marks_secret);
		stage_arg(s, "--marks-key-out-fd=%d", fd);
	} else {
		stage_arg(s, "--marks-key-fd=%d", fd);
	}
	if (options.accept_unproven)
		stage_arg(s, "--accept-unproven-marks");
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
	s->env = t->writers_env;
	credential_pass(s);
	marks_args(s, t);
	if (options.prune_limit >= 0)
		stage_arg(s, "--prune-limit=%ld", options.prune_limit);
	ceiling_arg(s);
	/* After the end of the input; both, before draining is over. */
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
	s->env = t->writers_env;
	credential_pass(s);
	stage_arg(s, "--output=none");
	stage_arg(s, "--timeout=3s");
	ceiling_arg(s);
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
	stage_arg(s, "--gate-fd=%d", LAUNCH_GATE);
	stage_arg(s, "--leash-fd=%d", LAUNCH_LEASH);
	stage_arg(s, "--page-fd=%d", LAUNCH_PAGE);
	p->elect = s;
	return 0;
}

int
tools_pipeline(struct tools *t, struct pipeline *p, const char *lease,
    bool on_leash, struct err *err)
{
	extern char **environ;

	t->program_env = environ_for_program(environ, options.watches, err);
	if (t->program_env == NULL)
		return -1;
	if (on_leash) {
		leash_env(&t->leash, LAUNCH_HELD_LEASH, LAUNCH_HELD_PAGE);
		t->writers_env = environ_with(environ, buf_str(&t->leash));
	}
	if (add_readers(p, t, err) != 0 || add_writers(p, t, err) != 0)
		return -1;
	return lease != NULL ? add_elect(p, lease, err) : 0;
}

/* It gets a credential only if it must ask who may read the metrics. */
int
tools_server(struct tools *t, struct stage *s, struct err *err)
{
	extern char **environ;

	if (init_stage(s, "kpipe-http", STAGE_SERVES, err) != 0)
		return -1;
	opt_pass(sandbox_opt_table, &s->args);
	t->server_env = environ_select(environ, SPAN_NONE);
	s->env = t->server_env;
	if (options_is_address(options.probe_address))
		stage_arg(
		    s, "--health-probe-bind-address=%s", options.probe_address);
	if (!options_is_address(options.metrics_address))
		return 0;
	stage_arg(s, "--metrics-bind-address=%s", options.metrics_address);
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

void
tools_release(struct tools *t)
{
	free(t->program_env);
	free(t->writers_env);
	free(t->server_env);
	buf_release(&t->leash);
}
