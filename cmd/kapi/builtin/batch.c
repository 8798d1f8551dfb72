/*
 * Part of builtin/topics.h. Jobs and CronJobs. Sources:
 * pkg/apis/batch/v1/defaults.go, pkg/apis/batch/validation,
 * pkg/registry/batch/job/strategy.go.
 */
#include "builtin/topics.h"

#define UID_LABEL "batch.kubernetes.io/controller-uid"
#define NAME_LABEL "batch.kubernetes.io/job-name"

static void
job_spec_default(struct arena *a, struct node *spec)
{
	bool failing = rule_given(spec, "podFailurePolicy") != NULL;

	if (rule_given(spec, "completions") == NULL &&
	    rule_given(spec, "parallelism") == NULL)
		builtin_default_int(a, spec, "completions", 1);
	builtin_default_int(a, spec, "parallelism", 1);
	builtin_default_int(a, spec, "backoffLimit",
	    rule_given(spec, "backoffLimitPerIndex") != NULL ? INT32_MAX : 6);
	builtin_default_text(a, spec, "completionMode", "NonIndexed");
	builtin_default_bool(a, spec, "suspend", false);
	builtin_default_text(a, spec, "podReplacementPolicy",
	    failing ? "Failed" : "TerminatingOrFailed");
	builtin_default_bool(a, spec, "manualSelector", false);
}

static void
condition_patterns_default(struct arena *a, struct node *spec)
{
	struct node *rule, *pattern;

	for (size_t i = 0;
	     (rule = builtin_item(
		  tree_path(spec, "podFailurePolicy.rules"), i)) != NULL;
	     i++)
		for (size_t k = 0;
		     (pattern = builtin_item(
			  rule_given(rule, "onPodConditions"), k)) != NULL;
		     k++)
			builtin_default_text(a, pattern, "status", "True");
}

void
batch_job_default(struct arena *a, struct node *object)
{
	struct node *spec = builtin_default_object(a, object, "spec"), *labels;
	struct node *meta = builtin_default_object(a, object, "metadata");

	if (!tree_is(spec, NODE_OBJECT))
		return;
	job_spec_default(a, spec);
	condition_patterns_default(a, spec);
	poddefault_template(a, spec, "template");
	labels = tree_path(spec, "template.metadata.labels");
	if (tree_count(labels) > 0 &&
	    tree_count(rule_given(meta, "labels")) == 0)
		tree_put(a, meta, "labels", tree_copy(a, labels));
}

void
batch_cronjob_default(struct arena *a, struct node *object)
{
	struct node *spec = builtin_default_object(a, object, "spec"), *job;

	if (!tree_is(spec, NODE_OBJECT))
		return;
	builtin_default_text(a, spec, "concurrencyPolicy", "Allow");
	builtin_default_bool(a, spec, "suspend", false);
	builtin_default_int(a, spec, "successfulJobsHistoryLimit", 3);
	builtin_default_int(a, spec, "failedJobsHistoryLimit", 1);
	/* A JobTemplateSpec gets the defaults of its Pods only. */
	job = builtin_default_object(a, spec, "jobTemplate");
	builtin_default_object(a, job, "metadata");
	job = builtin_default_object(a, job, "spec");
	condition_patterns_default(a, job);
	poddefault_template(a, job, "template");
}

static void
label_unless(struct arena *a, struct node *labels, const char *key,
    const struct node *value)
{
	if (rule_given(labels, key) == NULL)
		tree_put(a, labels, key, tree_string(a, tree_text(value)));
}

void
batch_job_prepare(const struct change_of *x, struct node *object)
{
	struct node *spec = rule_given(object, "spec"), *labels, *match;
	struct node *meta = tree_make(x->arena, object, "metadata");
	bool shared;

	if (x->live != NULL || !tree_is(spec, NODE_OBJECT) ||
	    tree_true(rule_given(spec, "manualSelector")))
		return;
	labels = tree_make(x->arena,
	    tree_make(
		x->arena, tree_make(x->arena, spec, "template"), "metadata"),
	    "labels");
	/* Labels that a Job has of its template are those of its template. */
	shared = tree_count(rule_given(meta, "labels")) == 0 ||
	    tree_equal(rule_given(meta, "labels"), labels);
	label_unless(x->arena, labels, "job-name", rule_given(meta, "name"));
	label_unless(x->arena, labels, NAME_LABEL, rule_given(meta, "name"));
	label_unless(
	    x->arena, labels, "controller-uid", rule_given(meta, "uid"));
	label_unless(x->arena, labels, UID_LABEL, rule_given(meta, "uid"));
	match = tree_make(
	    x->arena, tree_make(x->arena, spec, "selector"), "matchLabels");
	label_unless(x->arena, match, UID_LABEL, rule_given(meta, "uid"));
	if (shared)
		tree_put(x->arena, meta, "labels", tree_copy(x->arena, labels));
}

static void
check_indexed(struct causes *c, const struct at *at, const struct node *spec)
{
	const struct node *mode = rule_given(spec, "completionMode");
	int64_t n;

	if (mode != NULL &&
	    !rule_text_is_any(mode, "NonIndexed", "Indexed", (char *)NULL))
		rule_fail_unsupported(c, AT(at, "completionMode"), mode,
		    "NonIndexed", "Indexed", (char *)NULL);
	if (tree_text_is(mode, "Indexed")) {
		if (rule_given(spec, "completions") == NULL)
			rule_fail_required(c, AT(at, "completions"),
			    "when completion mode is Indexed");
	} else if (mode == NULL || tree_text_is(mode, "NonIndexed")) {
		if (tree_get_int(rule_given(spec, "backoffLimitPerIndex"), &n))
			rule_fail_int(c, AT(at, "backoffLimitPerIndex"), n,
			    "requires indexed completion mode");
		if (tree_get_int(rule_given(spec, "maxFailedIndexes"), &n))
			rule_fail_int(c, AT(at, "maxFailedIndexes"), n,
			    "requires indexed completion mode");
	}
}

static void
check_job_spec(struct causes *c, const struct at *at, const struct node *spec)
{
	static const char *const counts[] = {"parallelism", "completions",
	    "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished",
	    "backoffLimitPerIndex", "maxFailedIndexes"};
	const struct node *restart =
	    tree_path(spec, "template.spec.restartPolicy");
	const struct at *here =
	    AT(AT(AT(at, "template"), "spec"), "restartPolicy");

	for (size_t i = 0; i < 7; i++)
		rule_nonnegative(c, at, spec, counts[i]);
	check_indexed(c, at, spec);
	if (rule_given(spec, "podReplacementPolicy") != NULL &&
	    !rule_text_is_any(rule_given(spec, "podReplacementPolicy"),
		"Failed", "TerminatingOrFailed", (char *)NULL))
		rule_fail_unsupported(c, AT(at, "podReplacementPolicy"),
		    rule_given(spec, "podReplacementPolicy"), "Failed",
		    "TerminatingOrFailed", (char *)NULL);
	podspec_check_template(
	    c, AT(at, "template"), rule_given(spec, "template"));
	if (tree_empty(restart) || tree_text_is(restart, "Always"))
		rule_fail_required(
		    c, here, "valid values: \"OnFailure\", \"Never\"");
	else if (!rule_text_is_any(restart, "OnFailure", "Never", (char *)NULL))
		rule_fail_unsupported(
		    c, here, restart, "OnFailure", "Never", (char *)NULL);
	else if (rule_given(spec, "podFailurePolicy") != NULL &&
	    !tree_text_is(restart, "Never"))
		rule_fail_invalid(c, here, restart,
		    "only \"Never\" is supported when podFailurePolicy is "
		    "specified");
}

static void
check_has_label(struct causes *c, const struct node *labels, const char *key,
    struct span want)
{
	const struct at *at = AT_KEY(
	    AT(AT(AT(AT(NULL, "spec"), "template"), "metadata"), "labels"),
	    span_str(key));
	const struct node *label = rule_given(labels, key);

	if (label == NULL)
		rule_fail_required(
		    c, at, rule_say(c, "must be '%.*s'", SPAN_ARG(want)));
	else if (!span_eq(tree_text(label), want))
		rule_fail_invalid(c, at, labels,
		    rule_say(c, "must be '%.*s'", SPAN_ARG(want)));
}

static void
check_generated(struct causes *c, const struct node *object)
{
	const struct node *spec = rule_given(object, "spec");
	const struct node *labels = tree_path(spec, "template.metadata.labels");
	struct node *generated;
	struct span uid = tree_path_text(object, "metadata.uid");
	struct span name = tree_path_text(object, "metadata.name");

	if (tree_true(rule_given(spec, "manualSelector")) ||
	    rule_given(spec, "selector") == NULL)
		return;
	check_has_label(c, labels, "controller-uid", uid);
	check_has_label(c, labels, "job-name", name);
	check_has_label(c, labels, UID_LABEL, uid);
	check_has_label(c, labels, NAME_LABEL, name);
	generated = tree_object(c->arena);
	tree_put(c->arena, generated, UID_LABEL, tree_string(c->arena, uid));
	tree_put(c->arena, generated, NAME_LABEL, tree_string(c->arena, name));
	tree_put(
	    c->arena, generated, "controller-uid", tree_string(c->arena, uid));
	tree_put(c->arena, generated, "job-name", tree_string(c->arena, name));
	if (!rule_selector_matches(rule_given(spec, "selector"), generated))
		rule_fail_invalid(c, AT(AT(NULL, "spec"), "selector"),
		    rule_given(spec, "selector"),
		    "`selector` not auto-generated");
}

static void
check_job_update(struct causes *c, const struct at *at, const struct node *was,
    const struct node *spec)
{
	static const char *const fixed[] = {"selector", "template",
	    "completionMode", "podFailurePolicy", "backoffLimitPerIndex",
	    "managedBy", "successPolicy"};
	const struct node *completions = rule_given(spec, "completions");

	if (!builtin_same_member(was, spec, "completions") &&
	    !(tree_text_is(rule_given(spec, "completionMode"), "Indexed") &&
		completions != NULL &&
		rule_int(spec, "completions", 0) ==
		    rule_int(spec, "parallelism", 0)))
		rule_immutable(c, at, was, spec, "completions");
	for (size_t i = 0; i < 7; i++)
		rule_immutable(c, at, was, spec, fixed[i]);
}

void
batch_job_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = rule_given(object, "spec");
	const struct node *selector = rule_given(spec, "selector");
	const struct node *labels = tree_path(spec, "template.metadata.labels");

	if (x->live == NULL)
		check_generated(c, object);
	check_job_spec(c, at, spec);
	if (selector == NULL)
		rule_fail_required(c, AT(at, "selector"), "");
	else
		rule_selector(c, AT(at, "selector"), selector);
	if (selector == NULL || !rule_selector_matches(selector, labels))
		rule_fail_invalid(c,
		    AT(AT(AT(at, "template"), "metadata"), "labels"), labels,
		    "`selector` does not match template `labels`");
	if (x->live != NULL)
		check_job_update(c, at, rule_given(x->live, "spec"), spec);
}

void
batch_cronjob_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = rule_given(object, "spec");
	const struct node *schedule = rule_given(spec, "schedule");
	const struct node *zone = rule_given(spec, "timeZone");
	const struct node *job = tree_path(spec, "jobTemplate.spec");
	const struct at *here = AT(AT(at, "jobTemplate"), "spec");
	const struct node *name = tree_path(object, "metadata.name");

	if (tree_empty(schedule))
		rule_fail_required(c, AT(at, "schedule"), "");
	else
		cron_schedule(c, AT(at, "schedule"), tree_text(schedule));
	if (zone != NULL &&
	    !tree_equal(zone, tree_path(x->live, "spec.timeZone")))
		cron_zone(c, AT(at, "timeZone"), tree_text(zone));
	rule_nonnegative(c, at, spec, "startingDeadlineSeconds");
	check_enum(
	    c, at, spec, "concurrencyPolicy", "Allow", "Forbid", "Replace");
	check_job_spec(c, here, job);
	if (rule_given(job, "selector") != NULL)
		rule_fail_invalid(c, AT(here, "selector"),
		    rule_given(job, "selector"),
		    "`selector` will be auto-generated");
	rule_nonnegative(c, at, spec, "successfulJobsHistoryLimit");
	rule_nonnegative(c, at, spec, "failedJobsHistoryLimit");
	if (x->live == NULL && tree_text(name).n > 52)
		rule_fail_invalid(c, AT(AT(NULL, "metadata"), "name"), name,
		    "must be no more than 52 characters");
}
