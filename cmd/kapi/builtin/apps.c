/*
 * Part of builtin/topics.h. Deployments, ReplicaSets, StatefulSets,
 * DaemonSets. Sources: pkg/apis/apps/v1/defaults.go,
 * pkg/apis/apps/validation.
 */
#include "builtin/topics.h"

#define NOT_MATCHED "`selector` does not match template `labels`"

void
apps_deployment_default(struct arena *a, struct node *object)
{
	struct node *spec = builtin_default_object(a, object, "spec");
	struct node *strategy, *rolling;

	if (!tree_is(spec, NODE_OBJECT))
		return;
	builtin_default_int(a, spec, "replicas", 1);
	strategy = builtin_default_object(a, spec, "strategy");
	builtin_default_text(a, strategy, "type", "RollingUpdate");
	if (tree_text_is(rule_given(strategy, "type"), "RollingUpdate")) {
		rolling = builtin_default_object(a, strategy, "rollingUpdate");
		builtin_default_text(a, rolling, "maxUnavailable", "25%");
		builtin_default_text(a, rolling, "maxSurge", "25%");
	}
	builtin_default_int(a, spec, "revisionHistoryLimit", 10);
	builtin_default_int(a, spec, "progressDeadlineSeconds", 600);
	poddefault_template(a, spec, "template");
}

void
apps_replicaset_default(struct arena *a, struct node *object)
{
	struct node *spec = builtin_default_object(a, object, "spec");

	if (!tree_is(spec, NODE_OBJECT))
		return;
	builtin_default_int(a, spec, "replicas", 1);
	poddefault_template(a, spec, "template");
}

void
apps_replicationcontroller_default(struct arena *a, struct node *object)
{
	struct node *spec = builtin_default_object(a, object, "spec");
	struct node *meta = builtin_default_object(a, object, "metadata"),
		    *labels;

	builtin_default_int(a, spec, "replicas", 1);
	poddefault_template(a, spec, "template");
	labels = tree_path(spec, "template.metadata.labels");
	if (tree_count(labels) == 0)
		return;
	if (tree_count(rule_given(spec, "selector")) == 0)
		tree_put(a, spec, "selector", tree_copy(a, labels));
	if (tree_count(rule_given(meta, "labels")) == 0)
		tree_put(a, meta, "labels", tree_copy(a, labels));
}

void
apps_statefulset_default(struct arena *a, struct node *object)
{
	struct node *spec = builtin_default_object(a, object, "spec");
	struct node *update, *retention, *claim, *n;

	if (!tree_is(spec, NODE_OBJECT))
		return;
	builtin_default_text(a, spec, "podManagementPolicy", "OrderedReady");
	update = builtin_default_object(a, spec, "updateStrategy");
	if (tree_empty(rule_given(update, "type"))) {
		tree_put(a, update, "type", tree_str(a, "RollingUpdate"));
		builtin_default_object(a, update, "rollingUpdate");
	}
	n = rule_given(update, "rollingUpdate");
	if (tree_text_is(rule_given(update, "type"), "RollingUpdate") &&
	    tree_is(n, NODE_OBJECT))
		builtin_default_int(a, n, "partition", 0);
	retention = builtin_default_object(
	    a, spec, "persistentVolumeClaimRetentionPolicy");
	builtin_default_text(a, retention, "whenDeleted", "Retain");
	builtin_default_text(a, retention, "whenScaled", "Retain");
	builtin_default_int(a, spec, "replicas", 1);
	builtin_default_int(a, spec, "revisionHistoryLimit", 10);
	poddefault_template(a, spec, "template");
	for (size_t i = 0;
	     (claim = builtin_item(
		  rule_given(spec, "volumeClaimTemplates"), i)) != NULL;
	     i++) {
		tree_put_first(
		    a, claim, "kind", tree_str(a, "PersistentVolumeClaim"));
		tree_put_first(a, claim, "apiVersion", tree_str(a, "v1"));
		storage_claim_default(a, claim);
		builtin_default_object(a, claim, "metadata");
	}
}

#define TEMPLATE_GENERATION "deprecated.daemonset.template.generation"

void
apps_daemonset_default(struct arena *a, struct node *object)
{
	struct node *spec = builtin_default_object(a, object, "spec");
	struct node *update, *rolling, *notes;

	/* Decoding writes it; the strategy counts from there. */
	notes = tree_make(a, tree_make(a, object, "metadata"), "annotations");
	builtin_default_text(a, notes, TEMPLATE_GENERATION, "0");
	if (!tree_is(spec, NODE_OBJECT))
		return;
	update = builtin_default_object(a, spec, "updateStrategy");
	builtin_default_text(a, update, "type", "RollingUpdate");
	if (tree_text_is(rule_given(update, "type"), "RollingUpdate")) {
		rolling = builtin_default_object(a, update, "rollingUpdate");
		builtin_default_int(a, rolling, "maxUnavailable", 1);
		builtin_default_int(a, rolling, "maxSurge", 0);
	}
	builtin_default_int(a, spec, "revisionHistoryLimit", 10);
	poddefault_template(a, spec, "template");
}

/* A status keeps the labels, too (registry/apps/deployment/strategy.go). */
void
apps_deployment_prepare(const struct change_of *x, struct node *object)
{
	struct node *meta = rule_given(object, "metadata");

	if (x->live != NULL && span_is(x->subresource, "status"))
		builtin_keep_member(
		    x->arena, rule_given(x->live, "metadata"), meta, "labels");
}

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

static void
check_own_selector(struct causes *c, const struct at *at,
    const struct node *spec, const char *kind)
{
	const struct node *selector = rule_given(spec, "selector");

	if (selector == NULL) {
		rule_fail_required(c, AT(at, "selector"), "");
		return;
	}
	rule_selector(c, AT(at, "selector"), selector);
	if (rule_selector_is_empty(selector))
		rule_fail_invalid(c, AT(at, "selector"), selector,
		    rule_say(c, "empty selector is invalid for %s", kind));
}

/* LabelSelectorAsSelector fails for what the checks refuse. */
static bool
selector_parses(struct arena *a, const struct node *selector)
{
	struct causes c = {a, NULL, 0};

	rule_selector(&c, NULL, selector);
	return c.n == 0;
}

static void
check_template_of(struct causes *c, const struct at *up,
    const struct node *spec, const char *kind)
{
	const struct at *at = AT(up, "template");
	const struct node *template = rule_given(spec, "template");
	const struct node *selector = rule_given(spec, "selector");
	const struct node *labels = tree_path(template, "metadata.labels");
	const struct node *pod = rule_given(template, "spec");

	if (!selector_parses(c->arena, selector)) {
		rule_fail_invalid(c, AT(up, "selector"), selector,
		    strcmp(kind, "StatefulSet") == 0
			? ""
			: "invalid label selector");
		return;
	}
	/* No selector at all selects nothing. */
	if (selector == NULL ||
	    (!rule_selector_is_empty(selector) &&
		!rule_selector_matches(selector, labels)))
		rule_fail_invalid(
		    c, AT(AT(at, "metadata"), "labels"), labels, NOT_MATCHED);
	podspec_check_template(c, at, template);
	if (!tree_text_is(rule_given(pod, "restartPolicy"), "Always"))
		rule_fail_unsupported(c, AT(AT(at, "spec"), "restartPolicy"),
		    rule_given(pod, "restartPolicy"), "Always", (char *)NULL);
	if (rule_given(pod, "activeDeadlineSeconds") != NULL)
		rule_fail_forbidden(c,
		    AT(AT(at, "spec"), "activeDeadlineSeconds"),
		    rule_say(c, "activeDeadlineSeconds in %s is not Supported",
			kind));
}

static void
check_percent_max(
    struct causes *c, const struct at *at, const struct node *value)
{
	if (rule_is_percent(value) && rule_amount(value) > 100)
		rule_fail_invalid(
		    c, at, value, "must not be greater than 100%");
}

static void
check_rolling(struct causes *c, const struct at *at, const struct node *r)
{
	const struct node *down = rule_given(r, "maxUnavailable");
	const struct node *up = rule_given(r, "maxSurge");

	rule_int_or_percent(c, AT(at, "maxUnavailable"), down);
	rule_int_or_percent(c, AT(at, "maxSurge"), up);
	if (rule_amount(down) == 0 && rule_amount(up) == 0)
		rule_fail_invalid(c, AT(at, "maxUnavailable"), down,
		    "may not be 0 when `maxSurge` is 0");
	check_percent_max(c, AT(at, "maxUnavailable"), down);
}

/* Structs of the server's own have names of their own when they are said. */
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

static void
check_strategy(struct causes *c, const struct at *at, const struct node *s)
{
	const struct node *type = rule_given(s, "type");
	const struct node *rolling = rule_given(s, "rollingUpdate");

	if (tree_text_is(type, "Recreate")) {
		if (rolling != NULL)
			rule_fail_forbidden(c, AT(at, "rollingUpdate"),
			    "may not be specified when strategy `type` is "
			    "'Recreate'");
	} else if (tree_text_is(type, "RollingUpdate")) {
		check_rolling(c, AT(at, "rollingUpdate"), rolling);
	} else {
		rule_fail_unsupported(c, at, go_strategy(c->arena, s),
		    "Recreate", "RollingUpdate", (char *)NULL);
	}
}

void
apps_deployment_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = rule_given(object, "spec");
	int64_t deadline = rule_int(spec, "progressDeadlineSeconds", 0);

	rule_nonnegative(c, at, spec, "replicas");
	check_own_selector(c, at, spec, "deployment");
	check_template_of(c, at, spec, "ReplicaSet");
	check_strategy(c, AT(at, "strategy"), rule_given(spec, "strategy"));
	rule_nonnegative(c, at, spec, "minReadySeconds");
	rule_nonnegative(c, at, spec, "revisionHistoryLimit");
	rule_nonnegative(c, at, spec, "progressDeadlineSeconds");
	if (deadline <= rule_int(spec, "minReadySeconds", 0))
		rule_fail_int(c, AT(at, "progressDeadlineSeconds"), deadline,
		    "must be greater than minReadySeconds");
	if (x->live != NULL)
		rule_immutable(
		    c, at, rule_given(x->live, "spec"), spec, "selector");
}

void
apps_replicaset_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = rule_given(object, "spec");

	rule_nonnegative(c, at, spec, "replicas");
	rule_nonnegative(c, at, spec, "minReadySeconds");
	check_own_selector(c, at, spec, "deployment");
	check_template_of(c, at, spec, "ReplicaSet");
	if (x->live != NULL)
		rule_immutable(
		    c, at, rule_given(x->live, "spec"), spec, "selector");
}

void
apps_replicationcontroller_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = rule_given(object, "spec"), *label;
	const struct node *selector = rule_given(spec, "selector");
	const struct node *labels = tree_path(spec, "template.metadata.labels");

	(void)x;
	rule_nonnegative(c, at, spec, "minReadySeconds");
	if (tree_count(selector) == 0)
		rule_fail_required(c, AT(at, "selector"), "");
	rule_nonnegative(c, at, spec, "replicas");
	for (size_t i = 0; i < tree_count(selector); i++) {
		label = tree_get_span(labels, selector->members[i].key);
		if (label == NULL ||
		    !tree_equal(label, selector->members[i].value)) {
			rule_fail_invalid(c,
			    AT(AT(AT(at, "template"), "metadata"), "labels"),
			    labels, NOT_MATCHED);
			break;
		}
	}
	podspec_check_template(
	    c, AT(at, "template"), rule_given(spec, "template"));
}

static const struct node *
go_partition(struct arena *a, const struct node *rolling)
{
	struct node *n = tree_object(a),
		    *v = rule_given(rolling, "maxUnavailable");

	tree_put(
	    a, n, "Partition", tree_int(a, rule_int(rolling, "partition", 0)));
	tree_put(a, n, "MaxUnavailable", v != NULL ? v : tree_null(a));
	return n;
}

static void
check_statefulset_update(
    struct causes *c, const struct at *up, const struct node *spec)
{
	const struct at *at = AT(up, "updateStrategy");
	const struct node *s = rule_given(spec, "updateStrategy");
	const struct node *type = rule_given(s, "type");
	const struct node *rolling = rule_given(s, "rollingUpdate");

	if (tree_text_is(type, "OnDelete")) {
		if (rolling != NULL)
			rule_fail_invalid(c, AT(at, "rollingUpdate"),
			    go_partition(c->arena, rolling),
			    "only allowed for updateStrategy "
			    "'RollingUpdate'");
	} else if (tree_text_is(type, "RollingUpdate")) {
		rule_nonnegative(
		    c, AT(at, "rollingUpdate"), rolling, "partition");
	} else {
		struct node *n = tree_object(c->arena);
		tree_put(c->arena, n, "Type",
		    tree_string(c->arena, tree_text(type)));
		tree_put(c->arena, n, "RollingUpdate", tree_null(c->arena));
		rule_fail_invalid(
		    c, at, n, "must be 'RollingUpdate' or 'OnDelete'");
	}
}

/* Claim templates are volumes of the Pods, too. */
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

static void
check_statefulset_unchanged(
    struct causes *c, const struct node *was, const struct node *spec)
{
	static const char *const may_change[] = {"replicas", "ordinals",
	    "template", "updateStrategy",
	    "persistentVolumeClaimRetentionPolicy", "minReadySeconds",
	    "revisionHistoryLimit"};
	struct node *copy = tree_copy(c->arena, spec);

	for (size_t i = 0; i < 7; i++)
		builtin_keep_member(c->arena, was, copy, may_change[i]);
	if (!tree_equal(copy, was))
		rule_fail_forbidden(c, AT(NULL, "spec"),
		    "updates to statefulset spec for fields other than "
		    "'replicas', 'ordinals', 'template', 'updateStrategy', "
		    "'revisionHistoryLimit', "
		    "'persistentVolumeClaimRetentionPolicy' and "
		    "'minReadySeconds' are forbidden");
}

void
apps_statefulset_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = rule_given(object, "spec"), *claim;
	const struct node *name = rule_given(spec, "serviceName");
	const struct node *policy = rule_given(spec, "podManagementPolicy");

	if (!rule_text_is_any(policy, "OrderedReady", "Parallel", (char *)NULL))
		rule_fail_invalid(c, AT(at, "podManagementPolicy"), policy,
		    "must be 'OrderedReady' or 'Parallel'");
	check_statefulset_update(c, at, spec);
	for (size_t i = 0; x->live == NULL &&
	     (claim = builtin_item(
		  rule_given(spec, "volumeClaimTemplates"), i)) != NULL;
	     i++)
		storage_claim_spec(c,
		    AT(AT_INDEX(AT(at, "volumeClaimTemplates"), i), "spec"),
		    rule_given(claim, "spec"));
	rule_nonnegative(c, at, spec, "replicas");
	rule_nonnegative(c, at, spec, "minReadySeconds");
	rule_nonnegative(
	    c, AT(at, "ordinals"), rule_given(spec, "ordinals"), "start");
	if (x->live == NULL && !tree_empty(name))
		rule_dns_label(c, AT(at, "serviceName"), tree_text(name));
	check_own_selector(c, at, spec, "statefulset");
	check_template_of(c, at, with_claims(c->arena, spec), "StatefulSet");
	if (x->live != NULL)
		check_statefulset_unchanged(
		    c, rule_given(x->live, "spec"), spec);
}

static void
check_daemonset_rolling(
    struct causes *c, const struct at *at, const struct node *r)
{
	const struct node *down = rule_given(r, "maxUnavailable");
	const struct node *up = rule_given(r, "maxSurge");

	rule_int_or_percent(c, AT(at, "maxUnavailable"), down);
	rule_int_or_percent(c, AT(at, "maxSurge"), up);
	check_percent_max(c, AT(at, "maxUnavailable"), down);
	check_percent_max(c, AT(at, "maxSurge"), up);
	if (rule_amount(down) != 0 && rule_amount(up) != 0)
		rule_fail_invalid(c, AT(at, "maxSurge"), up,
		    "may not be set when maxUnavailable is non-zero");
	else if (rule_amount(down) == 0 && rule_amount(up) == 0)
		rule_fail_required(c, AT(at, "maxUnavailable"),
		    "cannot be 0 when maxSurge is 0");
}

void
apps_daemonset_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = rule_given(object, "spec");
	const struct node *update = rule_given(spec, "updateStrategy");

	check_own_selector(c, at, spec, "daemonset");
	check_template_of(c, at, spec, "DaemonSet");
	rule_nonnegative(c, at, spec, "minReadySeconds");
	if (tree_text_is(rule_given(update, "type"), "RollingUpdate"))
		check_daemonset_rolling(c,
		    AT(AT(at, "updateStrategy"), "rollingUpdate"),
		    rule_given(update, "rollingUpdate"));
	else if (!tree_text_is(rule_given(update, "type"), "OnDelete"))
		rule_fail_unsupported(c, AT(at, "updateStrategy"),
		    go_strategy(c->arena, update), "RollingUpdate", "OnDelete",
		    (char *)NULL);
	rule_nonnegative(c, at, spec, "revisionHistoryLimit");
	if (x->live != NULL)
		rule_immutable(
		    c, at, rule_given(x->live, "spec"), spec, "selector");
}

void
apps_daemonset_bookmark(struct arena *a, struct node *object)
{
	tree_put(a, tree_make(a, tree_get(object, "metadata"), "annotations"),
	    "deprecated.daemonset.template.generation", tree_str(a, "0"));
}

void
apps_replicas_bookmark(struct arena *a, struct node *object)
{
	tree_put(a, tree_make(a, object, "spec"), "replicas", tree_int(a, 0));
}
