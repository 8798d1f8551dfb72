/*
 * Part of builtin/topics.h. The counts in the status of what keeps a number of
 * Pods. Sources: ValidateDeploymentStatus and the like in
 * pkg/apis/apps/validation and pkg/apis/core/validation.
 */
#include "builtin/topics.h"

struct counts {
	const char *const *all;	 /* none is negative; in the order of errors */
	const char *const *most; /* replicas is the most for these */
	/* Of more that are available than ready. NULL: no such rule. */
	const char *unready;
	bool collides; /* collisionCount never decreases */
};

/* Absent is less than any. */
static bool
is_less(const struct node *was, const struct node *status, const char *key)
{
	int64_t before, now;

	return tree_get_int(rule_given(was, key), &before) &&
	    (!tree_get_int(rule_given(status, key), &now) || now < before);
}

static void
check(struct causes *c, const struct change_of *x, const struct node *object,
    const struct counts *counts)
{
	const struct at *at = AT(NULL, "status");
	const struct node *status = rule_given(object, "status");
	int64_t available = rule_int(status, "availableReplicas", 0);

	for (const char *const *key = counts->all; *key != NULL; key++)
		rule_nonnegative(c, at, status, *key);
	for (const char *const *key = counts->most; *key != NULL; key++)
		if (rule_int(status, *key, 0) > rule_int(status, "replicas", 0))
			rule_fail_int(c, AT(at, *key),
			    rule_int(status, *key, 0),
			    "cannot be greater than status.replicas");
	if (counts->unready != NULL &&
	    available > rule_int(status, "readyReplicas", 0))
		rule_fail_int(
		    c, AT(at, "availableReplicas"), available, counts->unready);
	if (counts->collides &&
	    is_less(rule_given(x->live, "status"), status, "collisionCount"))
		rule_fail_int(c, AT(at, "collisionCount"),
		    rule_int(status, "collisionCount", 0),
		    "cannot be decremented");
}

void
appstatus_deployment(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	static const char *const all[] = {"observedGeneration", "replicas",
	    "updatedReplicas", "readyReplicas", "availableReplicas",
	    "unavailableReplicas", "terminatingReplicas", "collisionCount",
	    NULL};
	static const char *const most[] = {
	    "updatedReplicas", "readyReplicas", "availableReplicas", NULL};

	check(c, x, object,
	    &(const struct counts){
		all, most, "cannot be greater than readyReplicas", true});
}

void
appstatus_replicaset(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	static const char *const all[] = {"replicas", "fullyLabeledReplicas",
	    "readyReplicas", "availableReplicas", "observedGeneration",
	    "terminatingReplicas", NULL};
	static const char *const most[] = {
	    "fullyLabeledReplicas", "readyReplicas", "availableReplicas", NULL};

	check(c, x, object,
	    &(const struct counts){
		all, most, "cannot be greater than readyReplicas", false});
}

void
appstatus_statefulset(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	static const char *const all[] = {"replicas", "readyReplicas",
	    "currentReplicas", "updatedReplicas", "availableReplicas",
	    "observedGeneration", "collisionCount", NULL};
	static const char *const most[] = {"readyReplicas", "currentReplicas",
	    "updatedReplicas", "availableReplicas", NULL};

	check(c, x, object,
	    &(const struct counts){all, most,
		"cannot be greater than status.readyReplicas", true});
}

void
appstatus_daemonset(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	static const char *const all[] = {"currentNumberScheduled",
	    "numberMisscheduled", "desiredNumberScheduled", "numberReady",
	    "observedGeneration", "updatedNumberScheduled", "numberAvailable",
	    "numberUnavailable", "collisionCount", NULL};
	static const char *const most[] = {NULL};

	check(c, x, object, &(const struct counts){all, most, NULL, true});
}
