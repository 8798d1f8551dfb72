/*
 * Part of builtin/topics.h. Deployments, ReplicaSets, StatefulSets, DaemonSets:
 * what rules.txt calls, and what changes with a write. Sources:
 * pkg/apis/apps/validation, pkg/registry/apps.
 */
#include "builtin/topics.h"

#define NOT_MATCHED "`selector` does not match template `labels`"
#define TEMPLATE_GENERATION "deprecated.daemonset.template.generation"

void
apps_daemonset_prepare(const struct change_of *x, struct node *object)
{
	struct node *meta = tree_make(x->arena, object, "metadata");
	const struct node *was = x->live == NULL
	    ? NULL
	    : rule_given(tree_path(x->live, "metadata.annotations"),
		  TEMPLATE_GENERATION);
	struct span s = tree_text(was);
	int64_t n = 0;

	for (size_t i = 0; i < s.n && i < 12; i++)
		n = n * 10 + (s.p[i] - '0');
	if (n < 1)
		n = 1;
	else if (!builtin_same_member(rule_given(x->live, "spec"),
		     rule_given(object, "spec"), "template"))
		n++;
	tree_put(x->arena, tree_make(x->arena, meta, "annotations"),
	    TEMPLATE_GENERATION,
	    tree_string(
		x->arena, arena_printf(x->arena, "%lld", (long long)n)));
}

/* The spec with its claim templates as volumes of the Pods. */
static const struct node *
with_claims(struct arena *a, const struct node *spec)
{
	struct node *claims = rule_given(spec, "volumeClaimTemplates"), *claim;
	struct node *copy, *pod, *volumes, *volume, *source;

	if (tree_count(claims) == 0)
		return spec;
	copy = tree_copy(a, spec);
	pod = tree_make(a, tree_make(a, copy, "template"), "spec");
	volumes = tree_array(a);
	for (size_t i = 0; (claim = builtin_item(claims, i)) != NULL; i++) {
		volume = tree_object(a);
		source = tree_object(a);
		tree_put(a, volume, "name",
		    tree_string(a, tree_path_text(claim, "metadata.name")));
		tree_put(a, source, "claimName",
		    tree_string(a, tree_path_text(claim, "metadata.name")));
		tree_put(a, volume, "persistentVolumeClaim", source);
		tree_append(a, volumes, volume);
	}
	for (size_t i = 0;
	     (volume = builtin_item(rule_given(pod, "volumes"), i)) != NULL;
	     i++) {
		bool ours = false;
		for (size_t k = 0; k < tree_count(claims); k++)
			ours = ours ||
			    tree_equal(rule_given(volume, "name"),
				rule_given(volumes->items[k], "name"));
		if (!ours)
			tree_append(a, volumes, volume);
	}
	tree_put(a, pod, "volumes", volumes);
	tree_remove(pod, "hostname");
	tree_remove(pod, "subdomain");
	return copy;
}

/* Whether LabelSelectorAsSelector takes the selector: it fails where the checks
 * do. */
static bool
selector_parses(struct arena *a, const struct node *selector)
{
	struct causes c = {a, NULL, 0};

	rule_selector(&c, NULL, selector);
	return c.n == 0;
}

/* Checks the template of a spec. run->arg: the kind of the controller. */
void
apps_template(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	const struct at *up = p->at, *at = AT(up, "template");
	const struct node *spec = p->n, *template, *labels;
	const struct node *selector = rule_given(spec, "selector");
	bool stateful = strcmp(run->arg, "StatefulSet") == 0;

	if (!selector_parses(c->arena, selector)) {
		rule_fail_invalid(c, AT(up, "selector"), selector,
		    stateful ? "" : "invalid label selector");
		return;
	}
	if (stateful)
		spec = with_claims(c->arena, spec);
	template = rule_given(spec, "template");
	labels = tree_path(template, "metadata.labels");
	/* No selector at all selects nothing. */
	if (selector == NULL ||
	    (!rule_selector_is_empty(selector) &&
		!rule_selector_matches(selector, labels)))
		rule_fail_invalid(
		    c, AT(AT(at, "metadata"), "labels"), labels, NOT_MATCHED);
	ruletable_part(c, run->x, at, template, ".workload", run->arg);
}

/* The strategy as errors print it: the server's internal type, with the names
 * that Go has for its members. */
static const struct node *
go_strategy(struct arena *a, const struct node *strategy)
{
	struct node *n = tree_object(a), *r;
	const struct node *rolling = rule_given(strategy, "rollingUpdate");

	tree_put(a, n, "Type",
	    tree_string(a, tree_text(rule_given(strategy, "type"))));
	r = tree_null(a);
	if (rolling != NULL) {
		r = tree_object(a);
		tree_put(a, r, "MaxUnavailable",
		    rule_given_or_null(a, rolling, "maxUnavailable"));
		tree_put(a, r, "MaxSurge",
		    rule_given_or_null(a, rolling, "maxSurge"));
	}
	tree_put(a, n, "RollingUpdate", r);
	return n;
}

void
apps_bad_strategy(const struct rule_run *run, const struct rule_place *p)
{
	bool daemon = strcmp(run->arg, "OnDelete") == 0;

	rule_fail_unsupported(run->causes, p->at,
	    go_strategy(run->causes->arena, p->n),
	    daemon ? "RollingUpdate" : "Recreate",
	    daemon ? "OnDelete" : "RollingUpdate", (char *)NULL);
}

void
apps_controller_selects(const struct rule_run *run, const struct rule_place *p)
{
	const struct node *selector = rule_given(p->n, "selector"), *label;
	const struct node *labels = tree_path(p->n, "template.metadata.labels");

	for (size_t i = 0; i < tree_count(selector); i++) {
		label = tree_get_span(labels, selector->members[i].key);
		if (label == NULL ||
		    !tree_equal(label, selector->members[i].value)) {
			rule_fail_invalid(run->causes,
			    AT(AT(AT(p->at, "template"), "metadata"), "labels"),
			    labels, NOT_MATCHED);
			break;
		}
	}
}
