#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "conf/instancename.h"
#include "conf/namespaces.h"
#include "credential.h"
#include "http/httpurl.h"
#include "httpd/local.h"
#include "kubeconfig/kubeopt.h"
#include "process/fence.h"
#include "process/sandbox.h"

struct options options = {.report_fd = -1,
    .prune_limit = -1,
    .max_writes = -1,
    .lease_duration_ms = OPTIONS_NO_TIME,
    .renew_deadline_ms = OPTIONS_NO_TIME,
    .retry_period_ms = OPTIONS_NO_TIME};

static const struct opt table[] = {
    {'f', "filename", "WATCHES", OPT_STRING, &options.watches, NULL,
	"what to watch and which programs to run"},
    {'n', "namespace", "NAMESPACES", OPT_STRING, &options.namespace_, NULL,
	"primaries of these namespaces only, whatever the file says"},
    {'A', "all-namespaces", NULL, OPT_FLAG, &options.all_namespaces, NULL,
	"primaries of all namespaces, whatever the file says"},
    {0, "dry-run", NULL, OPT_FLAG, &options.dry_run, NULL,
	"print what the server would do to each object, and end"},
    {0, "prune-limit", "N", OPT_INT, &options.prune_limit, NULL,
	"see kapply(1)"},
    {0, "marks-key-file", "FILE", OPT_STRING, &options.marks_key_file, NULL,
	"the key that proves marks; several lines: the first one does"},
    {0, "marks-key-secret", "[NAMESPACE/]NAME", OPT_STRING,
	&options.marks_key_secret, NULL,
	"else the Secret that has it (kpipe-marks-KIND.GROUP)"},
    {0, "accept-unproven-marks", NULL, OPT_FLAG, &options.accept_unproven, NULL,
	"once, after an upgrade: marks count that lack the proof"},
    {0, "take-over-instance", "NAME", OPT_LIST, &options.former, NULL,
	"what that former instance of the operator made is ours"},
    {0, "max-writes-per-second", "N", OPT_INT, &options.max_writes, NULL,
	"see kapply(1)"},
    {0, "leader-elect", NULL, OPT_FLAG, &options.leader_elect, NULL,
	"write only while this one is the leader"},
    {0, "leader-election-id", "NAME", OPT_STRING, &options.lease, NULL,
	"the lease; else $OPERATOR_NAME, or kind.group of the first primary"},
    {0, "leader-election-namespace", "NAMESPACE", OPT_STRING,
	&options.lease_namespace, NULL, "where it is; else that of the pod"},
    {0, "leader-elect-for-life", NULL, OPT_FLAG, &options.for_life, NULL,
	"lead until this pod is deleted, by a ConfigMap that it owns"},
    {0, "leader-elect-lease-duration", "TIME", OPT_DURATION,
	&options.lease_duration_ms, NULL,
	"others wait this long before they take an unrenewed lease (15s)"},
    {0, "leader-elect-renew-deadline", "TIME", OPT_DURATION,
	&options.renew_deadline_ms, NULL,
	"lead no longer than this after the last renewal (10s)"},
    {0, "leader-elect-retry-period", "TIME", OPT_DURATION,
	&options.retry_period_ms, NULL, "between two renewals (2s)"},
    {0, "health-probe-bind-address", "ADDRESS", OPT_STRING,
	&options.probe_address, NULL, "serve /healthz and /readyz (0: do not)"},
    {0, "metrics-bind-address", "ADDRESS", OPT_STRING, &options.metrics_address,
	NULL, "serve /metrics (0: do not)"},
    {0, "metrics-secure", NULL, OPT_FLAG, &options.metrics_secure, NULL,
	"serve /metrics over TLS, to users with the right to get it"},
    {0, "metrics-cert-path", "DIR", OPT_STRING, &options.metrics_certificates,
	NULL, "where tls.crt and tls.key are, instead of generated ones"},
    {0, "record", "DIR", OPT_STRING, &options.record, NULL,
	"record what is read, decided and written there"},
    {0, "record-size", "SIZE", OPT_STRING, &options.record_size, NULL,
	"the most that the recording may have (64Mi)"},
    {0, "shadow", "WATCHES", OPT_STRING, &options.shadow, NULL,
	"run this file's programs beside it, and say what differs"},
    {0, "view-bind-address", "ADDRESS", OPT_STRING, &options.view_address, NULL,
	"serve a page of all that happens, live (0: do not)"},
    {0, "otlp-endpoint", "URL", OPT_STRING, &options.otlp_endpoint, NULL,
	"send each decision as a trace to this collector"},
    {0, "report-fd", "N", OPT_INT, &options.report_fd, NULL,
	"write a newline to this descriptor when all stages are ready"},
    /* Only for the stages that talk to the API. */
    OPT_ROWS(kube_opt_server_table), OPT_ROWS(credential_table),
    OPT_ROWS(sandbox_opt_table), OPT_END};

const struct opt_tool options_tool = {"kpipe", "-f WATCHES [OPTION]...",
    "Run kwatch | ireconcile | kapply | kstatus as one operator.", table};

bool
options_is_address(const char *address)
{
	return address != NULL && strcmp(address, "0") != 0;
}

bool
options_view_is_open(void)
{
	return options_is_address(options.view_address) &&
	    !local_is_address(options.view_address);
}

bool
options_records(void)
{
	return options.record != NULL || options.otlp_endpoint != NULL ||
	    options_is_address(options.view_address);
}

static int
check_rules(struct err *err)
{
	const struct opt_rule rules[] = {
	    {options.namespace_ != NULL, "namespace", OPT_EXCLUDES,
		options.all_namespaces, "all-namespaces"},
	    {options.marks_key_file != NULL, "marks-key-file", OPT_EXCLUDES,
		options.marks_key_secret != NULL, "marks-key-secret"},
	    {options.lease != NULL, "leader-election-id", OPT_NEEDS,
		options.leader_elect, "leader-elect"},
	    {options.lease_namespace != NULL, "leader-election-namespace",
		OPT_NEEDS, options.leader_elect, "leader-elect"},
	    {options.for_life, "leader-elect-for-life", OPT_NEEDS,
		options.leader_elect, "leader-elect"},
	    {options.lease_duration_ms != OPTIONS_NO_TIME,
		"leader-elect-lease-duration", OPT_NEEDS, options.leader_elect,
		"leader-elect"},
	    {options.renew_deadline_ms != OPTIONS_NO_TIME,
		"leader-elect-renew-deadline", OPT_NEEDS, options.leader_elect,
		"leader-elect"},
	    {options.retry_period_ms != OPTIONS_NO_TIME,
		"leader-elect-retry-period", OPT_NEEDS, options.leader_elect,
		"leader-elect"},
	    {options.record_size != NULL, "record-size", OPT_NEEDS,
		options.record != NULL, "record"},
	    {options.metrics_secure, "metrics-secure", OPT_NEEDS,
		options.metrics_address != NULL, "metrics-bind-address"},
	    {options.metrics_certificates != NULL, "metrics-cert-path",
		OPT_NEEDS, options.metrics_secure || options_view_is_open(),
		"metrics-secure"},
	};

	return opt_check_rules(rules, COUNT(rules), err);
}

/* A dry run ends on its own, and writes nothing, not even a lease. */
static int
check_dry_run(struct err *err)
{
	const struct opt_rule rules[] = {
	    {options.dry_run, "dry-run", OPT_EXCLUDES, options.leader_elect,
		"leader-elect"},
	    {options.dry_run, "dry-run", OPT_EXCLUDES, options.record != NULL,
		"record"},
	    {options.dry_run, "dry-run", OPT_EXCLUDES,
		options_is_address(options.view_address), "view-bind-address"},
	    {options.dry_run, "dry-run", OPT_EXCLUDES,
		options.otlp_endpoint != NULL, "otlp-endpoint"},
	    {options.dry_run, "dry-run", OPT_EXCLUDES, options.shadow != NULL,
		"shadow"},
	    {options.dry_run, "dry-run", OPT_EXCLUDES,
		options_is_address(options.metrics_address),
		"metrics-bind-address"},
	    {options.dry_run, "dry-run", OPT_EXCLUDES,
		options_is_address(options.probe_address),
		"health-probe-bind-address"},
	};

	return opt_check_rules(rules, COUNT(rules), err);
}

int
options_check(int operands, const char *first, struct err *err)
{
	if (operands > 0)
		return err_set(
		    err, ERR_PERMANENT, "unexpected operand %s", first);
	if (options.watches == NULL)
		return err_set(err, ERR_PERMANENT,
		    "option --filename is missing: which watches.yaml?");
	if (check_rules(err) != 0 ||
	    instancename_check_former(&options.former, err) != 0)
		return -1;
	if (options.lease != NULL && *options.lease == '\0')
		return err_set(err, ERR_PERMANENT,
		    "option --leader-election-id is empty: it is the name of "
		    "the lease");
	if (options.lease_namespace != NULL &&
	    namespaces_name("option --leader-election-namespace",
		options.lease_namespace, err) != 0)
		return -1;
	if (options.otlp_endpoint != NULL &&
	    httpurl_check(
		options.otlp_endpoint, "http://collector:4318", err) != 0)
		return err_prefix(err, "option --otlp-endpoint");
	if (check_dry_run(err) != 0 ||
	    credential_check(options.leader_elect,
		options.metrics_secure || options_view_is_open(), err) != 0)
		return -1;
	if (options.leader_elect && fence_variable() != NULL)
		return err_set(err, ERR_PERMANENT,
		    "option --leader-elect: kelect runs this kpipe already "
		    "(%s is set)",
		    fence_variable());
	return opt_check_fd("report-fd", options.report_fd, err);
}
