/*
 * topics: the rules of built-in kinds that are not in rules.txt. The rows of
 * kinds/ name the entries; the rule_fn are what lines of rules.txt call.
 */
#ifndef TOPICS_H
#define TOPICS_H

#include "builtin/builtin.h"
#include "builtin/rules.h"
#include "builtin/ruletable.h"
#include "type/strategy.h"

/* Pods: pod.c, resize.c, podstatus.c, container.c */
prepare_fn pod_prepare, resize_prepare;
/* The class of service that a spec gives a Pod: a text. */
const struct node *pod_qos(struct arena *a, const struct node *spec);

/* Workloads: apps.c, batch.c, cron.c */
prepare_fn apps_daemonset_prepare;

/* Services: service.c, clusterip.c */
/* Whether a Service (not the one with the key self) holds this piece of
 * JSON. */
bool clusterip_holds(struct store *store, struct span self, struct span text);

/* admit.c. admit_object: one without a namespace; NULL: there is none. */
struct node *admit_object(const struct change_of *x, const char *group,
    const char *plural, struct span name);
admit_fn admit_pod, admit_claim, admit_service;

/* Data: data.c */
default_fn data_secret_default;

/* Storage and limits: storage.c, limits.c */
validate_fn storage_claim_status;
/* Checks the name of a resource, of a container or of a quota. */
void limits_check_name(
    struct causes *c, const struct at *at, struct span name, bool of_container);

/* The rest: misc.c */
prepare_fn misc_signing_status_prepare;

/* Events: misc.c. misc_event_rename gives fields the names of the other group. */
validate_fn misc_event_validate;
void misc_event_rename(struct node *event, bool to_core);

/* Functions that lines of rules.txt call, by the table of ruleline.c: FILE_NAME
 * is in FILE.c. */
rule_fn apps_bad_strategy, apps_controller_selects, apps_template,
    batch_generated_selector, batch_indexes, batch_overlap, batch_selects,
    clusterip_allocate, container_device, container_env_name,
    container_host_ports, container_image, container_resources,
    container_search_path, cron_schedule, cron_zone, data_configmap_size,
    data_key, data_secret_size, data_text_key, limits_item, limits_quota,
    misc_condition_reason, misc_hook_client, misc_webhook_name, net_controller,
    net_host, net_ranges, net_ranges_changed, net_segment, pod_tolerations,
    podstatus_addresses, podstatus_states, resize_check, service_cluster_ips,
    service_drop_ports, service_external_name, service_follow_address,
    service_keep_ports, service_ports_differ, storage_capacity,
    storage_default_class;

#endif
