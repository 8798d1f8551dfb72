/*
 * topics: the rules of each built-in kind, by topic. The rows of kinds/ name
 * the entries; the rest is shared between topics (a Deployment holds the
 * template of a Pod).
 */
#ifndef TOPICS_H
#define TOPICS_H

#include "builtin/builtin.h"
#include "builtin/rules.h"
#include "type/strategy.h"

/* Absent (or "", or null): becomes the value. */
void default_text(
    struct arena *a, struct node *object, const char *key, const char *value);
void default_int(
    struct arena *a, struct node *object, const char *key, int64_t value);
void default_bool(
    struct arena *a, struct node *object, const char *key, bool value);
/* The same where 0 is as good as absent. */
void default_nonzero(
    struct arena *a, struct node *object, const char *key, int64_t value);
struct node *default_object(
    struct arena *a, struct node *object, const char *key);
/* For objects that may not be there. */
struct node *each_of(const struct node *array, size_t i);

/* metadata.generation: one more than live's. */
void bump_generation(const struct change_of *x, struct node *object);
/* Both specs (and what else counts) are the same. */
bool same_member(const struct node *x, const struct node *y, const char *key);
/* The member of object becomes live's (absent if live has none). */
void keep_member(struct arena *a, const struct node *live, struct node *object,
    const char *key);

/* Pods: poddefault.c, pod.c, container.c,
 * volume.c, podspec.c */
default_fn pod_default, pod_template_object_default;
prepare_fn pod_prepare, pod_status_prepare;
validate_fn pod_validate, pod_status_validate;
/* metadata and spec of the template at key. */
void pod_template_default(
    struct arena *a, struct node *object, const char *key);

enum pod_rules { RULES_OF_POD, RULES_OF_TEMPLATE };
void check_pod_spec(struct causes *c, const struct at *at,
    const struct node *spec, enum pod_rules rules);
void check_pod_template(
    struct causes *c, const struct at *at, const struct node *template);
/* placing.c */
void check_affinity(
    struct causes *c, const struct at *at, const struct node *affinity);
void check_dns(struct causes *c, const struct at *at, const struct node *spec);
void check_hosts(
    struct causes *c, const struct at *at, const struct node *aliases);
void check_spread(
    struct causes *c, const struct at *at, const struct node *constraints);
void check_toleration(
    struct causes *c, const struct at *at, const struct node *toleration);
/* security.c */
void check_container_security(
    struct causes *c, const struct at *at, const struct node *context);
void check_pod_security(
    struct causes *c, const struct at *at, const struct node *spec);
void check_containers(struct causes *c, const struct at *at,
    const struct node *spec, enum pod_rules rules);
void check_volumes(
    struct causes *c, const struct at *at, const struct node *volumes);
#define FIELD_PATHS                                                      \
	"metadata.name", "metadata.namespace", "metadata.uid",           \
	    "spec.nodeName", "spec.serviceAccountName", "status.hostIP", \
	    "status.hostIPs", "status.podIP", "status.podIPs"
#define METADATA_PATHS                                              \
	"metadata.annotations", "metadata.labels", "metadata.name", \
	    "metadata.namespace", "metadata.uid"
void check_resource_ref(
    struct causes *c, const struct at *at, const struct node *ref);
void check_resources(
    struct causes *c, const struct at *at, const struct node *resources);

/* admit.c */
admit_fn pod_admit, claim_admit, service_admit;

/* Workloads: apps.c, batch.c */
default_fn deployment_default, replicaset_default, statefulset_default,
    daemonset_default, replicationcontroller_default, job_default,
    cronjob_default;
prepare_fn deployment_prepare, daemonset_prepare, job_prepare, lease_prepare;
validate_fn deployment_validate, replicaset_validate, statefulset_validate,
    daemonset_validate, replicationcontroller_validate, job_validate,
    cronjob_validate;
default_fn daemonset_bookmark, replicas_bookmark;
validate_fn deployment_status_validate, replicaset_status_validate,
    statefulset_status_validate;

/* cron.c */
void check_schedule(
    struct causes *c, const struct at *at, struct span schedule);

/* Services: service.c, clusterip.c */
default_fn service_default;
prepare_fn service_prepare;
validate_fn service_validate;
/* Addresses and node ports that the service has none of yet. */
void service_allocate(struct arena *a, struct store *store,
    const struct node *live, struct node *service);

/* Whether a Service (not the one with the key self) holds this piece of JSON.
 */
bool service_holds(struct store *store, struct span self, struct span text);

/* Data: data.c */
default_fn configmap_default, secret_default, namespace_default;
prepare_fn namespace_prepare;
validate_fn configmap_validate, secret_validate, namespace_validate;

/* Storage: storage.c */
default_fn claim_default, volume_default, limitrange_default,
    storageclass_default, csidriver_default;
prepare_fn claim_prepare, volume_prepare;
validate_fn claim_validate, volume_validate, storageclass_validate;
void claim_spec_default(struct arena *a, struct node *spec);
void check_claim_spec(
    struct causes *c, const struct at *at, const struct node *spec);

/* limits.c, webhook.c */
validate_fn quota_validate, limitrange_validate, runtimeclass_validate,
    webhooks_validate;

/* Network: net.c */
default_fn endpoints_default, endpointslice_default, networkpolicy_default,
    ingressclass_default;
validate_fn ingress_validate, ingressclass_validate, endpoints_validate,
    networkpolicy_validate, endpointslice_validate;

/* The rest: misc.c */
default_fn rolebinding_default, autoscaler_default, priorityclass_default,
    node_default, webhooks_default;
prepare_fn node_prepare, signing_status_prepare;
validate_fn role_validate, rolebinding_validate, autoscaler_validate,
    controllerrevision_validate, budget_validate, lease_validate,
    priorityclass_validate, event_validate;

#endif
