/* Part of builtin/ruleline.h. The functions that lines of rules.txt call. */
#include "builtin/ruleline.h"

#include "base/array.h"
#include "builtin/topics.h"

#define FUNCTION(name)      \
	{                   \
#name, name \
	}

static const struct {
	const char *name;
	rule_fn *fn;
} all[] = {
    FUNCTION(apps_bad_strategy),
    FUNCTION(apps_claim_template),
    FUNCTION(apps_controller_selects),
    FUNCTION(apps_template),
    FUNCTION(batch_generated_labels),
    FUNCTION(batch_selects),
    FUNCTION(cidr_changed),
    FUNCTION(cidr_ranges),
    FUNCTION(cidr_segment),
    FUNCTION(container_device),
    FUNCTION(container_downward),
    FUNCTION(container_env_name),
    FUNCTION(container_field_ref),
    FUNCTION(container_file_path),
    FUNCTION(container_host_ports),
    FUNCTION(container_image),
    FUNCTION(container_mounts),
    FUNCTION(container_no_dotdot),
    FUNCTION(container_resource_ref),
    FUNCTION(container_resources),
    FUNCTION(container_search_path),
    FUNCTION(cron_schedule),
    FUNCTION(cron_zone),
    FUNCTION(data_configmap_size),
    FUNCTION(data_finalizer),
    FUNCTION(data_key),
    FUNCTION(data_secret_size),
    FUNCTION(data_text_key),
    FUNCTION(jobstatus_indexes),
    FUNCTION(jobstatus_overlap),
    FUNCTION(limits_container_default),
    FUNCTION(limits_quota),
    FUNCTION(misc_condition_reason),
    FUNCTION(misc_hook_client),
    FUNCTION(misc_webhook_name),
    FUNCTION(net_controller),
    FUNCTION(net_endpoint_ip),
    FUNCTION(net_host),
    FUNCTION(net_ingress_path),
    FUNCTION(net_not_address),
    FUNCTION(pod_tolerations),
    FUNCTION(poddefault_ips),
    FUNCTION(poddefault_pull_policy),
    FUNCTION(poddefault_requests),
    FUNCTION(poddefault_volume),
    FUNCTION(podstatus_addresses),
    FUNCTION(podstatus_host),
    FUNCTION(podstatus_states),
    FUNCTION(resize_check),
    FUNCTION(service_cluster_ips),
    FUNCTION(service_external_name),
    FUNCTION(service_ports_differ),
    FUNCTION(service_target_port),
    FUNCTION(storage_capacity),
};

rule_fn *
ruleline_function(struct span name)
{
	for (size_t i = 0; i < COUNT(all); i++)
		if (span_is(name, all[i].name))
			return all[i].fn;
	return NULL;
}
