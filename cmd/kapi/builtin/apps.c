/*
 * Deployments, ReplicaSets, StatefulSets, DaemonSets.
 * Sources: pkg/apis/apps/v1/defaults.go, pkg/apis/apps/validation.
 */
#include "builtin/topics.h"

#define NOT_MATCHED "`selector` does not match template `labels`"

void
deployment_default(struct arena *a, struct node *object)
{
	struct node *spec = default_object(a, object, "spec");
	struct node *strategy, *rolling;

	if (!tree_is(spec, NODE_OBJECT))
		return;
	default_int(a, spec, "replicas", 1);
	strategy = default_object(a, spec, "strategy");
	default_text(a, strategy, "type", "RollingUpdate");
	if (tree_text_is(given(strategy, "type"), "RollingUpdate")) {
		rolling = default_object(a, strategy, "rollingUpdate");
		default_text(a, rolling, "maxUnavailable", "25%");
		default_text(a, rolling, "maxSurge", "25%");
	}
	default_int(a, spec, "revisionHistoryLimit", 10);
	default_int(a, spec, "progressDeadlineSeconds", 600);
	pod_template_default(a, spec, "template");
}

void
replicaset_default(struct arena *a, struct node *object)
{
	struct node *spec = default_object(a, object, "spec");

	if (!tree_is(spec, NODE_OBJECT))
		return;
	default_int(a, spec, "replicas", 1);
	pod_template_default(a, spec, "template");
}

void
replicationcontroller_default(struct arena *a, struct node *object)
{
	struct node *spec = default_object(a, object, "spec");
	struct node *meta = default_object(a, object, "metadata"), *labels;

	default_int(a, spec, "replicas", 1);
	pod_template_default(a, spec, "template");
	labels = tree_path(spec, "template.metadata.labels");
	if (tree_count(labels) == 0)
		return;
	if (tree_count(given(spec, "selector")) == 0)
		tree_put(a, spec, "selector", tree_copy(a, labels));
	if (tree_count(given(meta, "labels")) == 0)
		tree_put(a, meta, "labels", tree_copy(a, labels));
}

void
statefulset_default(struct arena *a, struct node *object)
{
	struct node *spec = default_object(a, object, "spec");
	struct node *update, *retention, *claim, *n;

	if (!tree_is(spec, NODE_OBJECT))
		return;
	default_text(a, spec, "podManagementPolicy", "OrderedReady");
	update = default_object(a, spec, "updateStrategy");
	if (tree_empty(given(update, "type"))) {
		tree_put(a, update, "type", tree_str(a, "RollingUpdate"));
		default_object(a, update, "rollingUpdate");
	}
	n = given(update, "rollingUpdate");
	if (tree_text_is(given(update, "type"), "RollingUpdate") &&
	    tree_is(n, NODE_OBJECT))
		default_int(a, n, "partition", 0);
	retention =
	    default_object(a, spec, "persistentVolumeClaimRetentionPolicy");
	default_text(a, retention, "whenDeleted", "Retain");
	default_text(a, retention, "whenScaled", "Retain");
	default_int(a, spec, "replicas", 1);
	default_int(a, spec, "revisionHistoryLimit", 10);
	pod_template_default(a, spec, "template");
	for (size_t i = 0;
	     (claim = each_of(given(spec, "volumeClaimTemplates"), i)) != NULL;
	     i++) {
		tree_put_first(
		    a, claim, "kind", tree_str(a, "PersistentVolumeClaim"));
		tree_put_first(a, claim, "apiVersion", tree_str(a, "v1"));
		claim_default(a, claim);
		default_object(a, claim, "metadata");
	}
}

#define TEMPLATE_GENERATION "deprecated.daemonset.template.generation"

void
daemonset_default(struct arena *a, struct node *object)
{
	struct node *spec = default_object(a, object, "spec");
	struct node *update, *rolling, *notes;

	/* Decoding writes it; the strategy counts from there. */
	notes = tree_make(a, tree_make(a, object, "metadata"), "annotations");
	default_text(a, notes, TEMPLATE_GENERATION, "0");
	if (!tree_is(spec, NODE_OBJECT))
		return;
	update = default_object(a, spec, "updateStrategy");
	default_text(a, update, "type", "RollingUpdate");
	if (tree_text_is(given(update, "type"), "RollingUpdate")) {
		rolling = default_object(a, update, "rollingUpdate");
		default_int(a, rolling, "maxUnavailable", 1);
		default_int(a, rolling, "maxSurge", 0);
	}
	default_int(a, spec, "revisionHistoryLimit", 10);
	pod_template_default(a, spec, "template");
}

/* A status keeps the labels, too (registry/apps/deployment/strategy.go). */
void
deployment_prepare(const struct change_of *x, struct node *object)
{
	struct node *meta = given(object, "metadata");

	if (x->live != NULL && span_is(x->subresource, "status"))
		keep_member(
		    x->arena, given(x->live, "metadata"), meta, "labels");
}

void
daemonset_prepare(const struct change_of *x, struct node *object)
{
	struct node *meta = tree_make(x->arena, object, "metadata");
	const struct node *was = x->live == NULL
	    ? NULL
	    : given(tree_path(x->live, "metadata.annotations"),
		  TEMPLATE_GENERATION);
	struct span s = tree_text(was);
	int64_t n = 0;

	for (size_t i = 0; i < s.n && i < 12; i++)
		n = n * 10 + (s.p[i] - '0');
	if (n < 1)
		n = 1;
	else if (!same_member(
		     given(x->live, "spec"), given(object, "spec"), "template"))
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
	const struct node *selector = given(spec, "selector");

	if (selector == NULL) {
		fail_required(c, AT(at, "selector"), "");
		return;
	}
	check_selector(c, AT(at, "selector"), selector);
	if (selector_empty(selector))
		fail_invalid(c, AT(at, "selector"), selector,
		    say(c, "empty selector is invalid for %s", kind));
}

/* LabelSelectorAsSelector fails for what the checks refuse. */
static bool
selector_parses(struct arena *a, const struct node *selector)
{
	struct causes c = {a, NULL, 0};

	check_selector(&c, NULL, selector);
	return c.n == 0;
}

static void
check_template_of(struct causes *c, const struct at *up,
    const struct node *spec, const char *kind)
{
	const struct at *at = AT(up, "template");
	const struct node *template = given(spec, "template");
	const struct node *selector = given(spec, "selector");
	const struct node *labels = tree_path(template, "metadata.labels");
	const struct node *pod = given(template, "spec");

	if (!selector_parses(c->arena, selector)) {
		fail_invalid(c, AT(up, "selector"), selector,
		    strcmp(kind, "StatefulSet") == 0
			? ""
			: "invalid label selector");
		return;
	}
	/* No selector at all selects nothing. */
	if (selector == NULL ||
	    (!selector_empty(selector) && !selector_matches(selector, labels)))
		fail_invalid(
		    c, AT(AT(at, "metadata"), "labels"), labels, NOT_MATCHED);
	check_pod_template(c, at, template);
	if (!tree_text_is(given(pod, "restartPolicy"), "Always"))
		fail_unsupported(c, AT(AT(at, "spec"), "restartPolicy"),
		    given(pod, "restartPolicy"), "Always", (char *)NULL);
	if (given(pod, "activeDeadlineSeconds") != NULL)
		fail_forbidden(c, AT(AT(at, "spec"), "activeDeadlineSeconds"),
		    say(c, "activeDeadlineSeconds in %s is not Supported",
			kind));
}

static void
check_percent_max(
    struct causes *c, const struct at *at, const struct node *value)
{
	if (is_percent(value) && int_or_percent(value) > 100)
		fail_invalid(c, at, value, "must not be greater than 100%");
}

static void
check_rolling(struct causes *c, const struct at *at, const struct node *r)
{
	const struct node *down = given(r, "maxUnavailable");
	const struct node *up = given(r, "maxSurge");

	check_int_or_percent(c, AT(at, "maxUnavailable"), down);
	check_int_or_percent(c, AT(at, "maxSurge"), up);
	if (int_or_percent(down) == 0 && int_or_percent(up) == 0)
		fail_invalid(c, AT(at, "maxUnavailable"), down,
		    "may not be 0 when `maxSurge` is 0");
	check_percent_max(c, AT(at, "maxUnavailable"), down);
}

/* Structs of the server's own have names of their own when they are said. */
static const struct node *
go_strategy(struct arena *a, const struct node *strategy)
{
	struct node *n = tree_object(a), *r;
	const struct node *rolling = given(strategy, "rollingUpdate");

	tree_put(
	    a, n, "Type", tree_string(a, tree_text(given(strategy, "type"))));
	r = tree_null(a);
	if (rolling != NULL) {
		r = tree_object(a);
		tree_put(a, r, "MaxUnavailable",
		    given_or_null(a, rolling, "maxUnavailable"));
		tree_put(
		    a, r, "MaxSurge", given_or_null(a, rolling, "maxSurge"));
	}
	tree_put(a, n, "RollingUpdate", r);
	return n;
}

static void
check_strategy(struct causes *c, const struct at *at, const struct node *s)
{
	const struct node *type = given(s, "type");
	const struct node *rolling = given(s, "rollingUpdate");

	if (tree_text_is(type, "Recreate")) {
		if (rolling != NULL)
			fail_forbidden(c, AT(at, "rollingUpdate"),
			    "may not be specified when strategy `type` is "
			    "'Recreate'");
	} else if (tree_text_is(type, "RollingUpdate")) {
		check_rolling(c, AT(at, "rollingUpdate"), rolling);
	} else {
		fail_unsupported(c, at, go_strategy(c->arena, s), "Recreate",
		    "RollingUpdate", (char *)NULL);
	}
}

void
deployment_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = given(object, "spec");
	int64_t deadline = int_or(spec, "progressDeadlineSeconds", 0);

	check_nonnegative(c, at, spec, "replicas");
	check_own_selector(c, at, spec, "deployment");
	check_template_of(c, at, spec, "ReplicaSet");
	check_strategy(c, AT(at, "strategy"), given(spec, "strategy"));
	check_nonnegative(c, at, spec, "minReadySeconds");
	check_nonnegative(c, at, spec, "revisionHistoryLimit");
	check_nonnegative(c, at, spec, "progressDeadlineSeconds");
	if (deadline <= int_or(spec, "minReadySeconds", 0))
		fail_int(c, AT(at, "progressDeadlineSeconds"), deadline,
		    "must be greater than minReadySeconds");
	if (x->live != NULL)
		check_immutable(
		    c, at, given(x->live, "spec"), spec, "selector");
}

void
replicaset_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = given(object, "spec");

	check_nonnegative(c, at, spec, "replicas");
	check_nonnegative(c, at, spec, "minReadySeconds");
	check_own_selector(c, at, spec, "deployment");
	check_template_of(c, at, spec, "ReplicaSet");
	if (x->live != NULL)
		check_immutable(
		    c, at, given(x->live, "spec"), spec, "selector");
}

void
replicationcontroller_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = given(object, "spec"), *label;
	const struct node *selector = given(spec, "selector");
	const struct node *labels = tree_path(spec, "template.metadata.labels");

	(void)x;
	check_nonnegative(c, at, spec, "minReadySeconds");
	if (tree_count(selector) == 0)
		fail_required(c, AT(at, "selector"), "");
	check_nonnegative(c, at, spec, "replicas");
	for (size_t i = 0; i < tree_count(selector); i++) {
		label = tree_get_span(labels, selector->members[i].key);
		if (label == NULL ||
		    !tree_equal(label, selector->members[i].value)) {
			fail_invalid(c,
			    AT(AT(AT(at, "template"), "metadata"), "labels"),
			    labels, NOT_MATCHED);
			break;
		}
	}
	check_pod_template(c, AT(at, "template"), given(spec, "template"));
}

static const struct node *
go_partition(struct arena *a, const struct node *rolling)
{
	struct node *n = tree_object(a), *v = given(rolling, "maxUnavailable");

	tree_put(
	    a, n, "Partition", tree_int(a, int_or(rolling, "partition", 0)));
	tree_put(a, n, "MaxUnavailable", v != NULL ? v : tree_null(a));
	return n;
}

static void
check_statefulset_update(
    struct causes *c, const struct at *up, const struct node *spec)
{
	const struct at *at = AT(up, "updateStrategy");
	const struct node *s = given(spec, "updateStrategy");
	const struct node *type = given(s, "type");
	const struct node *rolling = given(s, "rollingUpdate");

	if (tree_text_is(type, "OnDelete")) {
		if (rolling != NULL)
			fail_invalid(c, AT(at, "rollingUpdate"),
			    go_partition(c->arena, rolling),
			    "only allowed for updateStrategy "
			    "'RollingUpdate'");
	} else if (tree_text_is(type, "RollingUpdate")) {
		check_nonnegative(
		    c, AT(at, "rollingUpdate"), rolling, "partition");
	} else {
		struct node *n = tree_object(c->arena);
		tree_put(c->arena, n, "Type",
		    tree_string(c->arena, tree_text(type)));
		tree_put(c->arena, n, "RollingUpdate", tree_null(c->arena));
		fail_invalid(c, at, n, "must be 'RollingUpdate' or 'OnDelete'");
	}
}

/* Claim templates are volumes of the Pods, too. */
static const struct node *
with_claims(struct arena *a, const struct node *spec)
{
	struct node *claims = given(spec, "volumeClaimTemplates"), *claim;
	struct node *copy, *pod, *volumes, *volume, *source;

	if (tree_count(claims) == 0)
		return spec;
	copy = tree_copy(a, spec);
	pod = tree_make(a, tree_make(a, copy, "template"), "spec");
	volumes = tree_array(a);
	for (size_t i = 0; (claim = each_of(claims, i)) != NULL; i++) {
		volume = tree_object(a);
		source = tree_object(a);
		tree_put(a, volume, "name",
		    tree_string(a, tree_path_text(claim, "metadata.name")));
		tree_put(a, source, "claimName",
		    tree_string(a, tree_path_text(claim, "metadata.name")));
		tree_put(a, volume, "persistentVolumeClaim", source);
		tree_append(a, volumes, volume);
	}
	for (size_t i = 0; (volume = each_of(given(pod, "volumes"), i)) != NULL;
	     i++) {
		bool ours = false;
		for (size_t k = 0; k < tree_count(claims); k++)
			ours = ours ||
			    tree_equal(given(volume, "name"),
				given(volumes->items[k], "name"));
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
		keep_member(c->arena, was, copy, may_change[i]);
	if (!tree_equal(copy, was))
		fail_forbidden(c, AT(NULL, "spec"),
		    "updates to statefulset spec for fields other than "
		    "'replicas', 'ordinals', 'template', 'updateStrategy', "
		    "'revisionHistoryLimit', "
		    "'persistentVolumeClaimRetentionPolicy' and "
		    "'minReadySeconds' are forbidden");
}

void
statefulset_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = given(object, "spec"), *claim;
	const struct node *name = given(spec, "serviceName");
	const struct node *policy = given(spec, "podManagementPolicy");

	if (!text_is_any(policy, "OrderedReady", "Parallel", (char *)NULL))
		fail_invalid(c, AT(at, "podManagementPolicy"), policy,
		    "must be 'OrderedReady' or 'Parallel'");
	check_statefulset_update(c, at, spec);
	for (size_t i = 0; x->live == NULL &&
	     (claim = each_of(given(spec, "volumeClaimTemplates"), i)) != NULL;
	     i++)
		check_claim_spec(c,
		    AT(AT_INDEX(AT(at, "volumeClaimTemplates"), i), "spec"),
		    given(claim, "spec"));
	check_nonnegative(c, at, spec, "replicas");
	check_nonnegative(c, at, spec, "minReadySeconds");
	check_nonnegative(
	    c, AT(at, "ordinals"), given(spec, "ordinals"), "start");
	if (x->live == NULL && !tree_empty(name))
		check_dns_label(c, AT(at, "serviceName"), tree_text(name));
	check_own_selector(c, at, spec, "statefulset");
	check_template_of(c, at, with_claims(c->arena, spec), "StatefulSet");
	if (x->live != NULL)
		check_statefulset_unchanged(c, given(x->live, "spec"), spec);
}

static void
check_daemonset_rolling(
    struct causes *c, const struct at *at, const struct node *r)
{
	const struct node *down = given(r, "maxUnavailable");
	const struct node *up = given(r, "maxSurge");

	check_int_or_percent(c, AT(at, "maxUnavailable"), down);
	check_int_or_percent(c, AT(at, "maxSurge"), up);
	check_percent_max(c, AT(at, "maxUnavailable"), down);
	check_percent_max(c, AT(at, "maxSurge"), up);
	if (int_or_percent(down) != 0 && int_or_percent(up) != 0)
		fail_invalid(c, AT(at, "maxSurge"), up,
		    "may not be set when maxUnavailable is non-zero");
	else if (int_or_percent(down) == 0 && int_or_percent(up) == 0)
		fail_required(c, AT(at, "maxUnavailable"),
		    "cannot be 0 when maxSurge is 0");
}

void
daemonset_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = given(object, "spec");
	const struct node *update = given(spec, "updateStrategy");

	check_own_selector(c, at, spec, "daemonset");
	check_template_of(c, at, spec, "DaemonSet");
	check_nonnegative(c, at, spec, "minReadySeconds");
	if (tree_text_is(given(update, "type"), "RollingUpdate"))
		check_daemonset_rolling(c,
		    AT(AT(at, "updateStrategy"), "rollingUpdate"),
		    given(update, "rollingUpdate"));
	else if (!tree_text_is(given(update, "type"), "OnDelete"))
		fail_unsupported(c, AT(at, "updateStrategy"),
		    go_strategy(c->arena, update), "RollingUpdate", "OnDelete",
		    (char *)NULL);
	check_nonnegative(c, at, spec, "revisionHistoryLimit");
	if (x->live != NULL)
		check_immutable(
		    c, at, given(x->live, "spec"), spec, "selector");
}

static void
check_counts(struct causes *c, const struct node *status,
    const char *const *keys, size_t n)
{
	const struct at *at = AT(NULL, "status");

	check_nonnegative(c, at, status, "replicas");
	for (size_t i = 0; i < n; i++)
		check_nonnegative(c, at, status, keys[i]);
	for (size_t i = 0; i < n; i++)
		if (int_or(status, keys[i], 0) > int_or(status, "replicas", 0))
			fail_int(c, AT(at, keys[i]), int_or(status, keys[i], 0),
			    "cannot be greater than status.replicas");
	if (int_or(status, "availableReplicas", 0) >
	    int_or(status, "readyReplicas", 0))
		fail_int(c, AT(at, "availableReplicas"),
		    int_or(status, "availableReplicas", 0),
		    "cannot be greater than readyReplicas");
}

void
deployment_status_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	static const char *const keys[] = {
	    "updatedReplicas", "readyReplicas", "availableReplicas"};

	(void)x;
	check_counts(c, given(object, "status"), keys, 3);
}

void
replicaset_status_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	static const char *const keys[] = {
	    "fullyLabeledReplicas", "readyReplicas", "availableReplicas"};

	(void)x;
	check_counts(c, given(object, "status"), keys, 3);
}

void
statefulset_status_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	static const char *const keys[] = {"readyReplicas", "currentReplicas",
	    "updatedReplicas", "availableReplicas"};

	(void)x;
	check_counts(c, given(object, "status"), keys, 4);
}

void
daemonset_bookmark(struct arena *a, struct node *object)
{
	tree_put(a, tree_make(a, tree_get(object, "metadata"), "annotations"),
	    "deprecated.daemonset.template.generation", tree_str(a, "0"));
}

void
replicas_bookmark(struct arena *a, struct node *object)
{
	tree_put(a, tree_make(a, object, "spec"), "replicas", tree_int(a, 0));
}
