/* The kinds of the core group. */
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
    {
	.plural = "bindings",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_NONE,
	.columns = COLUMNS_NONE,
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "configmaps",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_VALIDATES_TWICE,
	.generation = GENERATION_NONE,
	.columns = "Name|Data|Age",
	.cells = cells_configmap,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = configmap_default,
	.prepare = strategy_no_preparation,
	.validate = configmap_validate,
    },
    {
	.plural = "endpoints",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_CREATE_ON_UPDATE,
	.generation = GENERATION_NONE,
	.columns = "Name|Endpoints|Age",
	.cells = cells_endpoints,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = endpoints_default,
	.prepare = strategy_no_preparation,
	.validate = endpoints_validate,
    },
    {
	.plural = "events",
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
	.validate = event_validate,
    },
    {
	.plural = "limitranges",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_CREATE_ON_UPDATE,
	.generation = GENERATION_NONE,
	.columns = COLUMNS_NONE,
	.cells = columns_cells,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = limitrange_default,
	.prepare = strategy_no_preparation,
	.validate = limitrange_validate,
    },
    {
	.plural = "namespaces",
	.names = NAME_LABEL,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.columns = "Name|Status=status.phase|Age",
	.cells = columns_cells,
	.fields = namespace_fields,
	.resets = namespace_resets,
	.defaults = namespace_default,
	.prepare = namespace_prepare,
	.validate = namespace_validate,
	.validate_status = namespace_validate,
    },
    {
	.plural = "nodes",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_NONE,
	.generation = GENERATION_NONE,
	.columns =
	    "Name|Status|Roles|Age|Version|Internal-IP+|External-IP+|OS-Image+|"
	    "Kernel-Version+|Container-Runtime+",
	.cells = cells_node,
	.fields = node_fields,
	.resets = strategy_resets_status,
	.defaults = node_default,
	.prepare = node_prepare,
	.validate = strategy_no_rules,
    },
    {
	.plural = "persistentvolumeclaims",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.columns = "Name|Status|Volume|Capacity|Access Modes|StorageClass|"
		   "VolumeAttributesClass|Age|VolumeMode+",
	.cells = cells_pvc,
	.fields = strategy_any_fields,
	.resets = strategy_resets_status,
	.defaults = claim_default,
	.prepare = claim_prepare,
	.validate = claim_validate,
    },
    {
	.plural = "persistentvolumes",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.columns = "Name|Capacity|Access Modes|Reclaim "
		   "Policy|Status|Claim|StorageClass|"
		   "VolumeAttributesClass|Reason|Age|VolumeMode+",
	.cells = cells_pv,
	.fields = strategy_any_fields,
	.resets = strategy_resets_status,
	.defaults = volume_default,
	.prepare = volume_prepare,
	.validate = volume_validate,
    },
    {
	.plural = "pods",
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
    },
    {
	.plural = "podtemplates",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_SPEC,
	.columns = "Name|Containers|Images|Pod Labels",
	.cells = cells_podtemplate,
	.fields = strategy_any_fields,
	.resets = strategy_no_resets,
	.defaults = pod_template_object_default,
	.prepare = strategy_no_preparation,
	.validate = strategy_no_rules,
    },
    {
	.plural = "replicationcontrollers",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_ORPHANS,
	.generation = GENERATION_SPEC,
	.columns =
	    "Name|Desired:integer|Current:integer|Ready:integer|Age" WORKLOAD
	    "|Selector+",
	.cells = cells_replicationcontroller,
	.fields = controller_fields,
	.resets = strategy_resets_status,
	.defaults = replicationcontroller_default,
	.prepare = strategy_no_preparation,
	.validate = replicationcontroller_validate,
    },
    {
	.plural = "resourcequotas",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_NONE,
	.columns = "Name|Request|Limit|Age",
	.cells = cells_quota,
	.fields = strategy_any_fields,
	.resets = strategy_resets_status,
	.defaults = strategy_no_defaults,
	.prepare = strategy_no_preparation,
	.validate = quota_validate,
    },
    {
	.plural = "secrets",
	.names = NAME_SUBDOMAIN,
	.traits = TRAIT_VALIDATES_TWICE,
	.generation = GENERATION_NONE,
	.columns = "Name|Type=type|Data=#data|Age",
	.cells = columns_cells,
	.fields = secret_fields,
	.resets = strategy_no_resets,
	.defaults = secret_default,
	.prepare = strategy_no_preparation,
	.validate = secret_validate,
    },
    {
	.plural = "serviceaccounts",
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
    },
};

const struct kind_group kinds_core = {"", rows, COUNT(rows)};
