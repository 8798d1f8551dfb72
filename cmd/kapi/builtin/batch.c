/*
 * Part of builtin/topics.h. Jobs and CronJobs: what rules.txt calls, and what
 * the server adds. Sources: pkg/apis/batch/validation,
 * pkg/registry/batch/job/strategy.go.
 */
#include "builtin/topics.h"

#define UID_LABEL "batch.kubernetes.io/controller-uid"
#define NAME_LABEL "batch.kubernetes.io/job-name"

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

void
batch_generated_labels(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	const struct node *object = p->n;
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

void
batch_selects(const struct rule_run *run, const struct rule_place *p)
{
	const struct node *selector = rule_given(p->n, "selector");
	const struct node *labels = tree_path(p->n, "template.metadata.labels");

	if (selector == NULL || !rule_selector_matches(selector, labels))
		rule_fail_invalid(run->causes,
		    AT(AT(AT(p->at, "template"), "metadata"), "labels"), labels,
		    "`selector` does not match template `labels`");
}
