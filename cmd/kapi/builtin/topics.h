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

/* Pods: poddefault.c, pod.c, container.c,
 * volume.c, podspec.c */
default_fn pod_default, poddefault_template_object;
prepare_fn pod_prepare, pod_status_prepare;
validate_fn pod_validate;
/* resize.c: of pods/resize. */
prepare_fn resize_prepare;
validate_fn resize_validate;
/* The class of service that a spec gives a Pod: a text. */
const struct node *pod_qos(struct arena *a, const struct node *spec);
/* metadata and spec of the template at key. */
void poddefault_template(struct arena *a, struct node *object, const char *key);

enum pod_rules { RULES_OF_POD, RULES_OF_TEMPLATE };
void podspec_check(struct causes *c, const struct at *at,
    const struct node *spec, enum pod_rules rules);
void podspec_check_template(
    struct causes *c, const struct at *at, const struct node *template);
/* placing.c */
void placing_affinity(
    struct causes *c, const struct at *at, const struct node *affinity);
void placing_dns(
    struct causes *c, const struct at *at, const struct node *spec);
void placing_hosts(
    struct causes *c, const struct at *at, const struct node *aliases);
void placing_spread(
    struct causes *c, const struct at *at, const struct node *constraints);
void placing_toleration(
    struct causes *c, const struct at *at, const struct node *toleration);
/* security.c */
void security_container(
    struct causes *c, const struct at *at, const struct node *context);
void security_pod(
    struct causes *c, const struct at *at, const struct node *spec);
void container_list(struct causes *c, const struct at *at,
    const struct node *spec, enum pod_rules rules);
void volume_list(
    struct causes *c, const struct at *at, const struct node *volumes);
#define FIELD_PATHS                                                      \
	"metadata.name", "metadata.namespace", "metadata.uid",           \
	    "spec.nodeName", "spec.serviceAccountName", "status.hostIP", \
	    "status.hostIPs", "status.podIP", "status.podIPs"
#define METADATA_PATHS                                              \
	"metadata.annotations", "metadata.labels", "metadata.name", \
	    "metadata.namespace", "metadata.uid"
void container_resource_ref(
    struct causes *c, const struct at *at, const struct node *ref);
void volume_resources(
    struct causes *c, const struct at *at, const struct node *resources);

/* admit.c */
admit_fn admit_pod, admit_claim, admit_service;

/* Workloads: apps.c, batch.c */
default_fn apps_deployment_default, apps_replicaset_default,
    apps_statefulset_default, apps_daemonset_default,
    apps_replicationcontroller_default, batch_job_default,
    batch_cronjob_default;
prepare_fn apps_deployment_prepare, apps_daemonset_prepare, batch_job_prepare,
    misc_lease_prepare;
validate_fn apps_deployment_validate, apps_replicaset_validate,
    apps_statefulset_validate, apps_daemonset_validate,
    apps_replicationcontroller_validate, batch_job_validate,
    batch_cronjob_validate;
default_fn apps_daemonset_bookmark, apps_replicas_bookmark;

/* Statuses: appstatus.c, jobstatus.c, podstatus.c, otherstatus.c */
validate_fn podstatus_validate, otherstatus_service, otherstatus_ingress,
    otherstatus_claim, otherstatus_budget;
validate_fn appstatus_deployment, appstatus_replicaset, appstatus_statefulset,
    appstatus_daemonset, jobstatus_validate;

/* cron.c */
void cron_schedule(struct causes *c, const struct at *at, struct span schedule);
void cron_zone(struct causes *c, const struct at *at, struct span name);

/* Services: service.c, clusterip.c */
default_fn service_default;
prepare_fn service_prepare;
validate_fn service_validate;
/* Addresses and node ports that the service has none of yet. */
void clusterip_allocate(struct arena *a, struct store *store,
    const struct node *live, struct node *service);

/* Whether a Service (not the one with the key self) holds this piece of JSON.
 */
bool clusterip_holds(struct store *store, struct span self, struct span text);

/* Data: data.c */
default_fn data_configmap_default, data_secret_default, data_namespace_default;
prepare_fn data_namespace_prepare;
validate_fn data_configmap_validate, data_secret_validate,
    data_namespace_validate;

/* Storage: storage.c */
default_fn storage_claim_default, storage_volume_default,
    storage_limitrange_default, storage_storageclass_default,
    storage_csidriver_default;
prepare_fn storage_claim_prepare, storage_volume_prepare;
validate_fn storage_claim_validate, persistent_volume_validate,
    storage_storageclass_validate;
void storage_claim_spec_default(struct arena *a, struct node *spec);
void storage_claim_spec(
    struct causes *c, const struct at *at, const struct node *spec);

/* limits.c, webhook.c */
validate_fn limits_quota_validate, limits_limitrange_validate,
    limits_runtimeclass_validate, webhooks_validate;

/* Network: net.c */
default_fn net_endpoints_default, net_endpointslice_default,
    net_networkpolicy_default, net_ingressclass_default;
validate_fn net_ingress_validate, net_ingressclass_validate,
    net_endpoints_validate, net_networkpolicy_validate,
    net_endpointslice_validate;

/* cidr.c */
validate_fn cidr_address_validate, cidr_range_validate;

/* The rest: misc.c */
default_fn misc_rolebinding_default, misc_autoscaler_default,
    misc_priorityclass_default, misc_node_default, misc_webhooks_default;
prepare_fn misc_node_prepare, misc_signing_status_prepare;
validate_fn misc_role_validate, misc_rolebinding_validate,
    misc_autoscaler_validate, misc_controllerrevision_validate,
    misc_budget_validate, misc_lease_validate, misc_priorityclass_validate;

/* Events: event.c. The names that one group has for fields to the other's. */
validate_fn event_validate;
void event_rename(struct node *event, bool to_core);

#endif
