/* Part of kinds/kinds.h: the kinds of the core group. */
#include "builtin/topics.h"
#include "kinds/kinds.h"
#include "reply/columns.h"

#define WORKLOAD "|Containers+|Images+"

static const struct selectable core_event_fields[] = {
    SELECTABLE_NAME,
    SELECTABLE_NAMESPACE,
    SELECTABLE_TEXT("involvedObject.kind"),
    SELECTABLE_TEXT("involvedObject.namespace"),
    SELECTABLE_TEXT("involvedObject.name"),
    SELECTABLE_TEXT("involvedObject.uid"),
    SELECTABLE_TEXT("involvedObject.apiVersion"),
    SELECTABLE_TEXT("involvedObject.resourceVersion"),
    SELECTABLE_TEXT("involvedObject.fieldPath"),
    SELECTABLE_TEXT("reason"),
    SELECTABLE_TEXT("reportingComponent"),
    {"source", "", FIELD_EVENT_SOURCE},
    SELECTABLE_TEXT("type"),
    SELECTABLE_END,
};

static const struct selectable namespace_fields[] = {
    SELECTABLE_NAME,
    SELECTABLE_TEXT("status.phase"),
    SELECTABLE_END,
};

static const struct reset namespace_resets[] = {
    {"", {"status"}},
    {"status", {"spec"}},
    {"finalize", {"status"}},
    RESET_END,
};

static const struct selectable node_fields[] = {
    SELECTABLE_NAME,
    {"spec.unschedulable", "spec.unschedulable", FIELD_BOOL},
    SELECTABLE_END,
};

static const struct selectable pod_fields[] = {
    SELECTABLE_NAME,
    SELECTABLE_NAMESPACE,
    SELECTABLE_TEXT("spec.nodeName"),
    SELECTABLE_TEXT("spec.restartPolicy"),
    SELECTABLE_TEXT("spec.schedulerName"),
    SELECTABLE_TEXT("spec.serviceAccountName"),
    {"spec.hostNetwork", "spec.hostNetwork", FIELD_BOOL},
    SELECTABLE_TEXT("status.phase"),
    {"status.podIP", "", FIELD_POD_IP},
    {"status.podIPs", "", FIELD_NONE},
    SELECTABLE_TEXT("status.nominatedNodeName"),
    {"spec.host", "spec.nodeName", FIELD_TEXT},
    SELECTABLE_END,
};

static const struct reset pod_resets[] = {
    {"", {"status"}},
    {"status",
	{"spec", "metadata.deletionTimestamp", "metadata.ownerReferences"}},
    RESET_END,
};

static const struct selectable controller_fields[] = {
    SELECTABLE_NAME,
    SELECTABLE_NAMESPACE,
    {"status.replicas", "status.replicas", FIELD_INT},
    SELECTABLE_END,
};

static const struct selectable secret_fields[] = {
    SELECTABLE_NAME,
    SELECTABLE_NAMESPACE,
    SELECTABLE_TEXT("type"),
    SELECTABLE_END,
};

static const struct selectable service_fields[] = {
    SELECTABLE_NAME,
    SELECTABLE_NAMESPACE,
    SELECTABLE_TEXT("spec.clusterIP"),
    SELECTABLE_TEXT("spec.type"),
    SELECTABLE_END,
};

static const struct strategy rows[] = {
    KINDS_REVIEW("bindings", REVIEW_BINDING),
    {
	.plural = "configmaps",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_VALIDATES_TWICE,
	.generation = GENERATION_NONE,
	.columns = "Name|Data|Age",
	.cells = cells_configmap,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = data_configmap_default,
	.prepare = strategy_no_preparation,
	.validate = data_configmap_validate,
    },
    {
	.plural = "endpoints",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_CREATE_ON_UPDATE,
	.generation = GENERATION_NONE,
	.columns = "Name|Endpoints|Age",
	.cells = cells_endpoints,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = net_endpoints_default,
	.prepare = strategy_no_preparation,
	.validate = net_endpoints_validate,
	.deprecated = "v1 Endpoints is deprecated in v1.33+; use "
		      "discovery.k8s.io/v1 EndpointSlice",
    },
    {
	.plural = "events",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_CREATE_ON_UPDATE | TRAIT_NO_COLLECTION,
	.generation = GENERATION_NONE,
	.columns =
	    "Last Seen|Type|Reason|Object|Subobject+|Source+|Message|First "
	    "Seen+|"
	    "Count+|Name+",
	.cells = cells_event,
	.fields = core_event_fields,
	.resets = strategy_no_resets,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = misc_event_validate,
    },
    {
	.plural = "limitranges",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_CREATE_ON_UPDATE,
	.generation = GENERATION_NONE,
	.columns = COLUMNS_NONE,
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = storage_limitrange_default,
	.prepare = strategy_no_preparation,
	.validate = limits_limitrange_validate,
    },
    {
	.plural = "namespaces",
	.steps = &kinds_builtin_steps,
	.names = NAME_LABEL,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.columns = "Name|Status=status.phase|Age",
	.cells = columns_cells,
	.fields = namespace_fields,
	.resets = namespace_resets,
	.defaults = data_namespace_default,
	.prepare = data_namespace_prepare,
	.validate = data_namespace_validate,
	.validate_status = data_namespace_validate,
	.deletion = DELETION_NAMESPACE,
    },
    {
	.plural = "nodes",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_BRINGS_STATUS,
	.generation = GENERATION_NONE,
	.columns =
	    "Name|Status|Roles|Age|Version|Internal-IP+|External-IP+|OS-Image+|"
	    "Kernel-Version+|Container-Runtime+",
	.cells = cells_node,
	.fields = node_fields,
	.resets = strategy_resets_status,
	.defaults = misc_node_default,
	.prepare = misc_node_prepare,
	.validate = strategy_no_rules,
    },
    {
	.plural = "persistentvolumeclaims",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.columns = "Name|Status|Volume|Capacity|Access Modes|StorageClass|"
		   "VolumeAttributesClass|Age|VolumeMode+",
	.cells = cells_pvc,
	.fields = strategy_any_fields,
	.resets = strategy_resets_status,
	.defaults = storage_claim_default,
	.prepare = storage_claim_prepare,
	.validate = storage_claim_validate,
	.admit = admit_claim,
    },
    {
	.plural = "persistentvolumes",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.columns = "Name|Capacity|Access Modes|Reclaim "
		   "Policy|Status|Claim|StorageClass|"
		   "VolumeAttributesClass|Reason|Age|VolumeMode+",
	.cells = cells_pv,
	.fields = strategy_any_fields,
	.resets = strategy_resets_status,
	.defaults = storage_volume_default,
	.prepare = storage_volume_prepare,
	.validate = persistent_volume_validate,
    },
    {
	.plural = "pods",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_SPEC,
	.columns = "Name|Ready|Status|Restarts|Age|IP+|Node+|Nominated Node+|"
		   "Readiness Gates+",
	.cells = cells_pod,
	.fields = pod_fields,
	.row_conditions = cells_pod_conditions,
	.resets = pod_resets,
	.defaults = pod_default,
	.prepare = pod_prepare,
	.validate = pod_validate,
	.prepare_status = pod_status_prepare,
	.validate_status = pod_status_validate,
	.admit = admit_pod,
	.deletion = DELETION_GRACEFUL,
    },
    {
	.plural = "podtemplates",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_SPEC,
	.columns = "Name|Containers|Images|Pod Labels",
	.cells = cells_podtemplate,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = poddefault_template_object,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "replicationcontrollers",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_ORPHANS,
	.generation = GENERATION_SPEC,
	.columns =
	    "Name|Desired:integer|Current:integer|Ready:integer|Age" WORKLOAD
	    "|Selector+",
	.cells = cells_replicationcontroller,
	.fields = controller_fields,
	.resets = strategy_resets_status,
	.defaults = apps_replicationcontroller_default,
	.prepare = strategy_no_preparation,
	.validate = apps_replicationcontroller_validate,
    },
    {
	.plural = "resourcequotas",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.columns = "Name|Request|Limit|Age",
	.cells = cells_quota,
	.fields = strategy_any_fields,
	.resets = strategy_resets_status,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = limits_quota_validate,
    },
    {
	.plural = "secrets",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_VALIDATES_TWICE,
	.generation = GENERATION_NONE,
	.columns = "Name|Type=type|Data=#data|Age",
	.cells = columns_cells,
	.fields = secret_fields,
	.resets = strategy_no_resets,
	.defaults = data_secret_default,
	.prepare = strategy_no_preparation,
	.validate = data_secret_validate,
    },
    {
	.plural = "serviceaccounts",
	.steps = &kinds_builtin_steps,
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.columns = "Name|Age",
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "services",
	.steps = &kinds_builtin_steps,
	.names = NAME_LABEL,
	.traits = TRAIT_CREATE_ON_UPDATE | TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.columns = "Name|Type|Cluster-IP|External-IP|Port(s)|Age|Selector+",
	.cells = cells_service,
	.fields = service_fields,
	.resets = strategy_resets_status,
	.defaults = service_default,
	.prepare = service_prepare,
	.validate = service_validate,
	.admit = admit_service,
    },
};

const struct kind_group kinds_core = {"", rows, COUNT(rows)};
