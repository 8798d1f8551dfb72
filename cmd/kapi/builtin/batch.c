/*
 * Jobs and CronJobs. Sources: pkg/apis/batch/v1/defaults.go,
 * pkg/apis/batch/validation, pkg/registry/batch/job/strategy.go.
 */
#include "builtin/topics.h"

#define UID_LABEL "batch.kubernetes.io/controller-uid"
#define NAME_LABEL "batch.kubernetes.io/job-name"

static void
job_spec_default(struct arena *a, struct node *spec)
{
	bool failing = given(spec, "podFailurePolicy") != NULL;

	if (given(spec, "completions") == NULL &&
	    given(spec, "parallelism") == NULL)
		default_int(a, spec, "completions", 1);
	default_int(a, spec, "parallelism", 1);
	default_int(a, spec, "backoffLimit",
	    given(spec, "backoffLimitPerIndex") != NULL ? INT32_MAX : 6);
	default_text(a, spec, "completionMode", "NonIndexed");
	default_bool(a, spec, "suspend", false);
	default_text(a, spec, "podReplacementPolicy",
	    failing ? "Failed" : "TerminatingOrFailed");
	default_bool(a, spec, "manualSelector", false);
}

static void
condition_patterns_default(struct arena *a, struct node *spec)
{
	struct node *rule, *pattern;

	for (size_t i = 0;
	     (rule = each_of(tree_path(spec, "podFailurePolicy.rules"), i)) !=
	     NULL;
	     i++)
		for (size_t k = 0;
		     (pattern = each_of(given(rule, "onPodConditions"), k)) !=
		     NULL;
		     k++)
			default_text(a, pattern, "status", "True");
}

void
job_default(struct arena *a, struct node *object)
{
	struct node *spec = default_object(a, object, "spec"), *labels;
	struct node *meta = default_object(a, object, "metadata");

	if (!tree_is(spec, NODE_OBJECT))
		return;
	job_spec_default(a, spec);
	condition_patterns_default(a, spec);
	pod_template_default(a, spec, "template");
	labels = tree_path(spec, "template.metadata.labels");
	if (tree_count(labels) > 0 && tree_count(given(meta, "labels")) == 0)
		tree_put(a, meta, "labels", tree_copy(a, labels));
}

void
cronjob_default(struct arena *a, struct node *object)
{
	struct node *spec = default_object(a, object, "spec"), *job;

	if (!tree_is(spec, NODE_OBJECT))
		return;
	default_text(a, spec, "concurrencyPolicy", "Allow");
	default_bool(a, spec, "suspend", false);
	default_int(a, spec, "successfulJobsHistoryLimit", 3);
	default_int(a, spec, "failedJobsHistoryLimit", 1);
	/* A JobTemplateSpec gets the defaults of its Pods only. */
	job = default_object(a, spec, "jobTemplate");
	default_object(a, job, "metadata");
	job = default_object(a, job, "spec");
	condition_patterns_default(a, job);
	pod_template_default(a, job, "template");
}

static void
label_unless(struct arena *a, struct node *labels, const char *key,
    const struct node *value)
{
	if (given(labels, key) == NULL)
		tree_put(a, labels, key, tree_string(a, tree_text(value)));
}

void
job_prepare(const struct change_of *x, struct node *object)
{
	struct node *spec = given(object, "spec"), *labels, *match;
	struct node *meta = tree_make(x->arena, object, "metadata");
	bool shared;

	if (x->live != NULL || !tree_is(spec, NODE_OBJECT) ||
	    tree_true(given(spec, "manualSelector")))
		return;
	labels = tree_make(x->arena,
	    tree_make(
		x->arena, tree_make(x->arena, spec, "template"), "metadata"),
	    "labels");
	/* Labels that a Job has of its template are those of its template. */
	shared = tree_count(given(meta, "labels")) == 0 ||
	    tree_equal(given(meta, "labels"), labels);
	label_unless(x->arena, labels, "job-name", given(meta, "name"));
	label_unless(x->arena, labels, NAME_LABEL, given(meta, "name"));
	label_unless(x->arena, labels, "controller-uid", given(meta, "uid"));
	label_unless(x->arena, labels, UID_LABEL, given(meta, "uid"));
	match = tree_make(
	    x->arena, tree_make(x->arena, spec, "selector"), "matchLabels");
	label_unless(x->arena, match, UID_LABEL, given(meta, "uid"));
	if (shared)
		tree_put(x->arena, meta, "labels", tree_copy(x->arena, labels));
}

static void
check_indexed(struct causes *c, const struct at *at, const struct node *spec)
{
	const struct node *mode = given(spec, "completionMode");
	int64_t n;

	if (mode != NULL &&
	    !text_is_any(mode, "NonIndexed", "Indexed", (char *)NULL))
		fail_unsupported(c, AT(at, "completionMode"), mode,
		    "NonIndexed", "Indexed", (char *)NULL);
	if (tree_text_is(mode, "Indexed")) {
		if (given(spec, "completions") == NULL)
			fail_required(c, AT(at, "completions"),
			    "when completion mode is Indexed");
	} else if (mode == NULL || tree_text_is(mode, "NonIndexed")) {
		if (tree_get_int(given(spec, "backoffLimitPerIndex"), &n))
			fail_int(c, AT(at, "backoffLimitPerIndex"), n,
			    "requires indexed completion mode");
		if (tree_get_int(given(spec, "maxFailedIndexes"), &n))
			fail_int(c, AT(at, "maxFailedIndexes"), n,
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
		check_nonnegative(c, at, spec, counts[i]);
	check_indexed(c, at, spec);
	if (given(spec, "podReplacementPolicy") != NULL &&
	    !text_is_any(given(spec, "podReplacementPolicy"), "Failed",
		"TerminatingOrFailed", (char *)NULL))
		fail_unsupported(c, AT(at, "podReplacementPolicy"),
		    given(spec, "podReplacementPolicy"), "Failed",
		    "TerminatingOrFailed", (char *)NULL);
	check_pod_template(c, AT(at, "template"), given(spec, "template"));
	if (tree_empty(restart) || tree_text_is(restart, "Always"))
		fail_required(
		    c, here, "valid values: \"OnFailure\", \"Never\"");
	else if (!text_is_any(restart, "OnFailure", "Never", (char *)NULL))
		fail_unsupported(
		    c, here, restart, "OnFailure", "Never", (char *)NULL);
	else if (given(spec, "podFailurePolicy") != NULL &&
	    !tree_text_is(restart, "Never"))
		fail_invalid(c, here, restart,
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
	const struct node *label = given(labels, key);

	if (label == NULL)
		fail_required(c, at, say(c, "must be '%.*s'", SPAN_ARG(want)));
	else if (!span_eq(tree_text(label), want))
		fail_invalid(
		    c, at, labels, say(c, "must be '%.*s'", SPAN_ARG(want)));
}

static void
check_generated(struct causes *c, const struct node *object)
{
	const struct node *spec = given(object, "spec");
	const struct node *labels = tree_path(spec, "template.metadata.labels");
	struct node *generated;
	struct span uid = tree_path_text(object, "metadata.uid");
	struct span name = tree_path_text(object, "metadata.name");

	if (tree_true(given(spec, "manualSelector")) ||
	    given(spec, "selector") == NULL)
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
	if (!selector_matches(given(spec, "selector"), generated))
		fail_invalid(c, AT(AT(NULL, "spec"), "selector"),
		    given(spec, "selector"), "`selector` not auto-generated");
}

static void
check_job_update(struct causes *c, const struct at *at, const struct node *was,
    const struct node *spec)
{
	static const char *const fixed[] = {"selector", "template",
	    "completionMode", "podFailurePolicy", "backoffLimitPerIndex",
	    "managedBy", "successPolicy"};
	const struct node *completions = given(spec, "completions");

	if (!same_member(was, spec, "completions") &&
	    !(tree_text_is(given(spec, "completionMode"), "Indexed") &&
		completions != NULL &&
		int_or(spec, "completions", 0) ==
		    int_or(spec, "parallelism", 0)))
		check_immutable(c, at, was, spec, "completions");
	for (size_t i = 0; i < 7; i++)
		check_immutable(c, at, was, spec, fixed[i]);
}

void
job_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = given(object, "spec");
	const struct node *selector = given(spec, "selector");
	const struct node *labels = tree_path(spec, "template.metadata.labels");

	if (x->live == NULL)
		check_generated(c, object);
	check_job_spec(c, at, spec);
	if (selector == NULL)
		fail_required(c, AT(at, "selector"), "");
	else
		check_selector(c, AT(at, "selector"), selector);
	if (selector == NULL || !selector_matches(selector, labels))
		fail_invalid(c,
		    AT(AT(AT(at, "template"), "metadata"), "labels"), labels,
		    "`selector` does not match template `labels`");
	if (x->live != NULL)
		check_job_update(c, at, given(x->live, "spec"), spec);
}

void
cronjob_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = given(object, "spec");
	const struct node *schedule = given(spec, "schedule");
	const struct node *job = tree_path(spec, "jobTemplate.spec");
	const struct at *here = AT(AT(at, "jobTemplate"), "spec");
	const struct node *name = tree_path(object, "metadata.name");

	if (tree_empty(schedule))
		fail_required(c, AT(at, "schedule"), "");
	else
		check_schedule(c, AT(at, "schedule"), tree_text(schedule));
	check_nonnegative(c, at, spec, "startingDeadlineSeconds");
	check_enum(
	    c, at, spec, "concurrencyPolicy", "Allow", "Forbid", "Replace");
	check_job_spec(c, here, job);
	if (given(job, "selector") != NULL)
		fail_invalid(c, AT(here, "selector"), given(job, "selector"),
		    "`selector` will be auto-generated");
	check_nonnegative(c, at, spec, "successfulJobsHistoryLimit");
	check_nonnegative(c, at, spec, "failedJobsHistoryLimit");
	if (x->live == NULL && tree_text(name).n > 52)
		fail_invalid(c, AT(AT(NULL, "metadata"), "name"), name,
		    "must be no more than 52 characters");
}
