#include "kinds/kinds.h"

#include "builtin/topics.h"
#include "crd/crd.h"
#include "reply/columns.h"
#include "write/convert.h"

#define BUILTIN(name) .plural = name, .steps = &kinds_builtin_steps
/* Columns that several kinds have. */
#define BINDING                                                            \
	"Name|Role={roleRef.kind}/{roleRef.name}|Age|Users+=subjects:User" \
	"|Groups+=subjects:Group|ServiceAccounts+=subjects:ServiceAccount"
#define CONTAINERS(path) "|Containers+=names:" path "|Images+=images:" path
#define WORKLOAD CONTAINERS("spec.template.spec.containers")
#define REPLICAS                                                             \
	"Name|Desired:integer=spec.replicas|Current:integer=status.replicas" \
	"|Ready:integer=status.readyReplicas|Age" WORKLOAD
#define READY "Ready={status.readyReplicas,0}/{spec.replicas,0}"
#define SELECTOR "|Selector+=selector:spec.selector?<none>"

/* ---- what a fieldSelector= may name, and what a write does not own ---- */

static const struct reset resets_status[] = {
    {"", {"status"}}, {"status", {"spec"}}, RESET_END};

static const struct reset resets_metadata[] = {
    {"", {"status"}}, {"status", {"spec", "metadata"}}, RESET_END};

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

static const struct reset deployment_resets[] = {
    {"", {"status"}},
    {"status", {"spec", "metadata.labels"}},
    RESET_END,
};

static const struct selectable event_fields[] = {
    SELECTABLE_NAME,
    SELECTABLE_NAMESPACE,
    {"regarding.kind", "involvedObject.kind", FIELD_TEXT},
    {"regarding.namespace", "involvedObject.namespace", FIELD_TEXT},
    {"regarding.name", "involvedObject.name", FIELD_TEXT},
    {"regarding.uid", "involvedObject.uid", FIELD_TEXT},
    {"regarding.apiVersion", "involvedObject.apiVersion", FIELD_TEXT},
    {"regarding.resourceVersion", "involvedObject.resourceVersion", FIELD_TEXT},
    {"regarding.fieldPath", "involvedObject.fieldPath", FIELD_TEXT},
    SELECTABLE_TEXT("reason"),
    {"reportingController", "reportingComponent", FIELD_TEXT},
    SELECTABLE_TEXT("type"),
    SELECTABLE_END,
};

static const struct selectable job_fields[] = {
    SELECTABLE_NAME,
    SELECTABLE_NAMESPACE,
    {"status.successful", "status.succeeded", FIELD_INT},
    SELECTABLE_END,
};

static const struct selectable certificate_fields[] = {
    SELECTABLE_NAME,
    SELECTABLE_TEXT("spec.signerName"),
    SELECTABLE_END,
};

static const struct reset certificate_resets[] = {
    {"", {"spec", "status"}},
    {"status", {"spec", "status.conditions"}},
    {"approval", {"spec", "status.certificate"}},
    RESET_END,
};

/* ---- the kinds ---- */

static const struct strategy core_rows[] = {
    {BUILTIN("bindings"), .review = REVIEW_BINDING},
    {BUILTIN("configmaps"), .traits = TRAIT_VALIDATES_TWICE,
	.columns = "Name|Data=#data,binaryData|Age"},
    {BUILTIN("endpoints"), .traits = TRAIT_CREATE_ON_UPDATE,
	.columns = "Name|Endpoints=endpoints:|Age",
	.deprecated = "v1 Endpoints is deprecated in v1.33+; use "
		      "discovery.k8s.io/v1 EndpointSlice"},
    {BUILTIN("events"), .traits = TRAIT_CREATE_ON_UPDATE | TRAIT_NO_COLLECTION,
	.columns =
	    "Last Seen|Type|Reason|Object|Subobject+|Source+|Message|First "
	    "Seen+|Count+|Name+",
	.cells = cells_event, .fields = core_event_fields,
	.validate = misc_event_validate},
    {BUILTIN("limitranges"), .traits = TRAIT_CREATE_ON_UPDATE},
    {BUILTIN("namespaces"), .names = NAME_LABEL,
	.traits = TRAIT_RETURNS_DELETED,
	.columns = "Name|Status=status.phase|Age", .fields = namespace_fields,
	.resets = namespace_resets, .deletion = DELETION_NAMESPACE},
    {
	BUILTIN("nodes"),
	.traits = TRAIT_BRINGS_STATUS,
	.columns =
	    "Name|Status=nodestatus:|Roles=roles:|Age|Version=status.nodeInfo."
	    "kubeletVersion|Internal-IP+=nodeaddress:InternalIP|External-IP+="
	    "nodeaddress:ExternalIP|OS-Image+=status.nodeInfo.osImage?"
	    "<unknown>|Kernel-Version+=kernel:|Container-Runtime+=status."
	    "nodeInfo.containerRuntimeVersion?<unknown>",
	.fields = node_fields,
	.resets = resets_status,
    },
    {BUILTIN("persistentvolumeclaims"), .traits = TRAIT_RETURNS_DELETED,
	.columns =
	    "Name|Status=phase:|Volume=spec.volumeName|Capacity=claimcapacity:"
	    "status.capacity.storage|Access Modes=claimmodes:status."
	    "accessModes|StorageClass=class:|VolumeAttributesClass=spec."
	    "volumeAttributesClassName?<unset>|Age|VolumeMode+=spec."
	    "volumeMode?<unset>",
	.resets = resets_status, .validate_status = storage_claim_status,
	.admit = admit_claim},
    {BUILTIN("persistentvolumes"), .traits = TRAIT_RETURNS_DELETED,
	.columns =
	    "Name|Capacity=spec.capacity.storage?0|Access Modes=modes:spec."
	    "accessModes|Reclaim Policy=spec.persistentVolumeReclaimPolicy|"
	    "Status=phase:|Claim=claim:|StorageClass=class:|"
	    "VolumeAttributesClass=spec.volumeAttributesClassName?<unset>|"
	    "Reason=status.reason|Age|VolumeMode+=spec.volumeMode?<unset>",
	.resets = resets_status},
    {BUILTIN("pods"), .traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_SPEC,
	.columns = "Name|Ready|Status|Restarts|Age|IP+|Node+|Nominated "
		   "Node+|Readiness Gates+",
	.cells = cells_pod, .fields = pod_fields,
	.row_conditions = cells_pod_conditions, .resets = pod_resets,
	.prepare = pod_prepare, .deletion = DELETION_GRACEFUL,
	.admit = admit_pod},
    {BUILTIN("podtemplates"), .traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_SPEC,
	.columns = "Name|Containers=names:template.spec.containers|Images="
		   "images:template.spec.containers|Pod "
		   "Labels=labels:template.metadata.labels"},
    {BUILTIN("replicationcontrollers"), .traits = TRAIT_ORPHANS,
	.generation = GENERATION_SPEC,
	.columns = REPLICAS "|Selector+=labels:spec.selector",
	.fields = controller_fields, .resets = resets_status},
    {BUILTIN("resourcequotas"), .traits = TRAIT_RETURNS_DELETED,
	.columns = "Name|Request=quota:|Limit=quota:limits|Age",
	.resets = resets_status},
    {BUILTIN("secrets"), .traits = TRAIT_VALIDATES_TWICE,
	.columns = "Name|Type=type|Data=#data|Age", .fields = secret_fields,
	.defaults = data_secret_default},
    {BUILTIN("serviceaccounts"), .traits = TRAIT_RETURNS_DELETED,
	.columns = "Name|Age"},
    {BUILTIN("services"), .names = NAME_LABEL,
	.traits = TRAIT_CREATE_ON_UPDATE | TRAIT_RETURNS_DELETED,
	.columns =
	    "Name|Type=spec.type|Cluster-IP=first:spec.clusterIPs?<none>|"
	    "External-IP=external:|Port(s)=ports:|Age|Selector+=labels:spec."
	    "selector",
	.fields = service_fields, .resets = resets_status,
	.admit = admit_service},
};

static const struct strategy apiregistration_rows[] = {
    {BUILTIN("apiservices"), .traits = TRAIT_NEEDS_VERSION,
	.resets = resets_metadata},
};

static const struct strategy apps_rows[] = {
    {BUILTIN("controllerrevisions"),
	.columns = "Name|Controller=controller:|Revision=int:revision|Age"},
    {
	BUILTIN("daemonsets"),
	.generation = GENERATION_SPEC,
	.columns =
	    "Name|Desired:integer=status.desiredNumberScheduled|Current:"
	    "integer=status.currentNumberScheduled|Ready:integer=status."
	    "numberReady|Up-to-date:integer=status.updatedNumberScheduled|"
	    "Available:integer=status.numberAvailable|Node "
	    "Selector=labels:spec.template.spec.nodeSelector|Age" WORKLOAD
		SELECTOR,
	.resets = resets_status,
	.prepare = apps_daemonset_prepare,
    },
    {
	BUILTIN("deployments"),
	.generation = GENERATION_ANNOTATIONS,
	.columns =
	    "Name|" READY "|Up-to-date=int:status.updatedReplicas|Available="
	    "int:status.availableReplicas|Age" WORKLOAD
	    "|Selector+=selector:spec.selector",
	.resets = deployment_resets,
    },
    {
	BUILTIN("replicasets"),
	.generation = GENERATION_SPEC,
	.columns = REPLICAS SELECTOR,
	.resets = resets_status,
    },
    {
	BUILTIN("statefulsets"),
	.names = NAME_LABEL,
	.generation = GENERATION_SPEC,
	.columns = "Name|" READY "|Age" WORKLOAD,
	.resets = resets_status,
    },
};

static const struct strategy events_rows[] = {
    {BUILTIN("events"), .traits = TRAIT_CREATE_ON_UPDATE | TRAIT_NO_COLLECTION,
	.columns =
	    "Last Seen|Type|Reason|Object|Subobject+|Source+|Message|First "
	    "Seen+|Count+|Name+",
	.cells = cells_event, .fields = event_fields,
	.validate = misc_event_validate, .convert_to = convert_event_to,
	.convert_from = convert_event_from},
};

static const struct strategy authentication_rows[] = {
    {BUILTIN("selfsubjectreviews"), .review = REVIEW_SELF},
    {BUILTIN("tokenreviews"), .review = REVIEW_TOKEN},
};

static const struct strategy authorization_rows[] = {
    {BUILTIN("localsubjectaccessreviews"), .review = REVIEW_ACCESS},
    {BUILTIN("selfsubjectaccessreviews"), .review = REVIEW_SELF_ACCESS},
    {BUILTIN("selfsubjectrulesreviews"), .review = REVIEW_RULES},
    {BUILTIN("subjectaccessreviews"), .review = REVIEW_ACCESS},
};

static const struct strategy autoscaling_rows[] = {
    {BUILTIN("horizontalpodautoscalers"),
	.columns =
	    "Name|Reference={spec.scaleTargetRef.kind}/{spec.scaleTargetRef."
	    "name}|Targets=metrics:|MinPods={spec.minReplicas,<unset>}|MaxPods="
	    "int:spec.maxReplicas|Replicas=int:status.currentReplicas|Age",
	.resets = resets_status, .convert_to = convert_scaler_to_v1,
	.convert_from = convert_scaler_from_v1},
};

static const struct strategy batch_rows[] = {
    {BUILTIN("cronjobs"), .generation = GENERATION_SPEC,
	.columns = "Name|Schedule=spec.schedule|Timezone=spec.timeZone?<none>|"
		   "Suspend:boolean={spec.suspend,<unset>}|Active:integer=#"
		   "status.active|Last "
		   "Schedule=since:status.lastScheduleTime?<none>|"
		   "Age" CONTAINERS("spec.jobTemplate.spec.template.spec."
				    "containers") "|Selector+=selector:spec."
						  "jobTemplate.spec.selector?<"
						  "none>",
	.resets = resets_status},
    {BUILTIN("jobs"), .traits = TRAIT_ORPHANS, .generation = GENERATION_SPEC,
	.columns = "Name|Status=jobstatus:|Completions=completions:|Duration="
		   "duration:|Age" WORKLOAD SELECTOR,
	.fields = job_fields, .fields_named = "Job", .resets = resets_status,
	.orphan_warning =
	    "child pods are preserved by default when jobs are deleted; set "
	    "propagationPolicy=Background to remove them or set "
	    "propagationPolicy=Orphan to suppress this warning"},
};

static const struct strategy certificates_rows[] = {
    {BUILTIN("certificatesigningrequests"), .traits = TRAIT_NAMES_REQUESTOR,
	.columns =
	    "Name|Age|SignerName=spec.signerName?<none>|Requestor=spec."
	    "username|RequestedDuration=seconds:spec.expirationSeconds?<none>|"
	    "Condition=signing:",
	.fields = certificate_fields, .resets = certificate_resets,
	.prepare_status = misc_signing_status_prepare},
};

static const struct strategy networking_rows[] = {
    {BUILTIN("ingressclasses"), .generation = GENERATION_SPEC,
	.columns = "Name=default:ingressclass.kubernetes.io/is-default-class|"
		   "Controller=spec.controller|Parameters=parameters:|Age"},
    {BUILTIN("ingresses"), .generation = GENERATION_SPEC,
	.columns = "Name|Class=spec.ingressClassName?<none>|Hosts=hosts:|"
		   "Address=balancer:|Ports=tlsports:|Age",
	.resets = resets_status},
    {BUILTIN("ipaddresses"), .names = NAME_ADDRESS, .columns = "Name|ParentRef",
	.cells = cells_ipaddress},
    {BUILTIN("networkpolicies"), .generation = GENERATION_SPEC,
	.columns = "Name|Pod-Selector=selector:spec.podSelector?<none>|Age"},
    {BUILTIN("servicecidrs"), .columns = "Name|CIDRs=list:spec.cidrs|Age",
	.resets = resets_metadata},
};

static const struct strategy policy_rows[] = {
    {BUILTIN("poddisruptionbudgets"), .traits = TRAIT_NEEDS_VERSION,
	.generation = GENERATION_SPEC,
	.columns = "Name|Min Available={spec.minAvailable,N/A}|Max "
		   "Unavailable={spec.maxUnavailable,N/A}|Allowed "
		   "Disruptions:integer=status.disruptionsAllowed|Age",
	.resets = resets_status},
};

static const struct strategy rbac_rows[] = {
    {BUILTIN("clusterrolebindings"), .names = NAME_SEGMENT,
	.traits = TRAIT_CREATE_ON_UPDATE, .columns = BINDING},
    {BUILTIN("clusterroles"), .names = NAME_SEGMENT,
	.traits = TRAIT_CREATE_ON_UPDATE},
    {BUILTIN("rolebindings"), .names = NAME_SEGMENT,
	.traits = TRAIT_CREATE_ON_UPDATE, .columns = BINDING},
    {BUILTIN("roles"), .names = NAME_SEGMENT, .traits = TRAIT_CREATE_ON_UPDATE},
};

static const struct strategy storage_rows[] = {
    {BUILTIN("csidrivers"),
	.traits = TRAIT_NEEDS_VERSION | TRAIT_RETURNS_DELETED,
	.generation = GENERATION_CHANGES},
    {BUILTIN("csinodes"), .traits = TRAIT_NEEDS_VERSION | TRAIT_RETURNS_DELETED,
	.columns = "Name|Drivers:integer=#spec.drivers|Age"},
    {BUILTIN("csistoragecapacities"), .traits = TRAIT_NEEDS_VERSION},
    {BUILTIN("storageclasses"), .traits = TRAIT_RETURNS_DELETED,
	.columns =
	    "Name=default:storageclass.kubernetes.io/is-default-class,"
	    "storageclass.beta.kubernetes.io/is-default-class|Provisioner="
	    "provisioner|ReclaimPolicy=reclaimPolicy?Delete|VolumeBindingMode="
	    "volumeBindingMode?Immediate|AllowVolumeExpansion=bool:"
	    "allowVolumeExpansion|Age"},
    {BUILTIN("volumeattachments"),
	.traits = TRAIT_NEEDS_VERSION | TRAIT_RETURNS_DELETED,
	.columns =
	    "Name|Attacher=spec.attacher|PV=spec.source.persistentVolumeName|"
	    "Node=spec.nodeName|Attached:boolean=status.attached|Age",
	.resets = resets_metadata},
    {BUILTIN("volumeattributesclasses"), .traits = TRAIT_RETURNS_DELETED,
	.columns = "Name|DriverName=driverName|Age"},
};

static const struct strategy admissionregistration_rows[] = {
    {BUILTIN("mutatingadmissionpolicies"), .traits = TRAIT_NEEDS_VERSION,
	.generation = GENERATION_SPEC},
    {BUILTIN("mutatingadmissionpolicybindings"), .traits = TRAIT_NEEDS_VERSION,
	.generation = GENERATION_SPEC},
    {BUILTIN("mutatingwebhookconfigurations"), .traits = TRAIT_NEEDS_VERSION,
	.generation = GENERATION_SPEC,
	.columns = "Name|Webhooks:integer=#webhooks|Age"},
    {BUILTIN("validatingadmissionpolicies"), .traits = TRAIT_NEEDS_VERSION,
	.generation = GENERATION_SPEC, .resets = resets_metadata},
    {BUILTIN("validatingadmissionpolicybindings"),
	.traits = TRAIT_NEEDS_VERSION, .generation = GENERATION_SPEC},
    {BUILTIN("validatingwebhookconfigurations"), .traits = TRAIT_NEEDS_VERSION,
	.generation = GENERATION_SPEC,
	.columns = "Name|Webhooks:integer=#webhooks|Age"},
};

static const struct strategy apiextensions_rows[] = {
    {.plural = "customresourcedefinitions",
	.steps = &kinds_definition_steps,
	.traits = TRAIT_NEEDS_VERSION,
	.generation = GENERATION_SPEC,
	.resets = resets_status,
	.defaults = crd_definition_default,
	.deletion = DELETION_DEFINITION},
};

static const struct strategy scheduling_rows[] = {
    {BUILTIN("priorityclasses"), .generation = GENERATION_ONCE,
	.columns = "Name|Value:integer=value|Global-Default:boolean="
		   "globalDefault|Age|PreemptionPolicy=preemptionPolicy"},
};

static const struct strategy coordination_rows[] = {
    {BUILTIN("leases"), .traits = TRAIT_CREATE_ON_UPDATE | TRAIT_NEEDS_VERSION,
	.columns = "Name|Holder=spec.holderIdentity|Age"},
};

static const struct strategy node_rows[] = {
    {BUILTIN("runtimeclasses"),
	.traits = TRAIT_CREATE_ON_UPDATE | TRAIT_NEEDS_VERSION,
	.columns = "Name|Handler=handler|Age"},
};

static const struct strategy discovery_rows[] = {
    {BUILTIN("endpointslices"), .generation = GENERATION_SPEC,
	.columns = "Name|AddressType=addressType|Ports=sliceports:|Endpoints="
		   "sliceaddresses:|Age"},
};

static const struct strategy resource_rows[] = {
    {BUILTIN("deviceclasses"), .traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_SPEC, .columns = "Name|Age"},
    {BUILTIN("resourceclaims"), .traits = TRAIT_RETURNS_DELETED,
	.resets = resets_metadata},
    {BUILTIN("resourceclaimtemplates"), .traits = TRAIT_RETURNS_DELETED,
	.columns = "Name|Age"},
    {BUILTIN("resourceslices"), .traits = TRAIT_RETURNS_DELETED,
	.generation = GENERATION_SPEC},
};

static const struct strategy flowcontrol_rows[] = {
    {BUILTIN("flowschemas"), .generation = GENERATION_SPEC,
	.resets = resets_metadata},
    {BUILTIN("prioritylevelconfigurations"), .generation = GENERATION_SPEC,
	.resets = resets_metadata},
};

/* In the order of discovery. */
static const struct kind_group groups[] = {
    {"", core_rows, COUNT(core_rows)},
    {"apiregistration.k8s.io", apiregistration_rows,
	COUNT(apiregistration_rows)},
    {"apps", apps_rows, COUNT(apps_rows)},
    {"events.k8s.io", events_rows, COUNT(events_rows)},
    {"authentication.k8s.io", authentication_rows, COUNT(authentication_rows)},
    {"authorization.k8s.io", authorization_rows, COUNT(authorization_rows)},
    {"autoscaling", autoscaling_rows, COUNT(autoscaling_rows)},
    {"batch", batch_rows, COUNT(batch_rows)},
    {"certificates.k8s.io", certificates_rows, COUNT(certificates_rows)},
    {"networking.k8s.io", networking_rows, COUNT(networking_rows)},
    {"policy", policy_rows, COUNT(policy_rows)},
    {"rbac.authorization.k8s.io", rbac_rows, COUNT(rbac_rows)},
    {"storage.k8s.io", storage_rows, COUNT(storage_rows)},
    {"admissionregistration.k8s.io", admissionregistration_rows,
	COUNT(admissionregistration_rows)},
    {"apiextensions.k8s.io", apiextensions_rows, COUNT(apiextensions_rows)},
    {"scheduling.k8s.io", scheduling_rows, COUNT(scheduling_rows)},
    {"coordination.k8s.io", coordination_rows, COUNT(coordination_rows)},
    {"node.k8s.io", node_rows, COUNT(node_rows)},
    {"discovery.k8s.io", discovery_rows, COUNT(discovery_rows)},
    {"resource.k8s.io", resource_rows, COUNT(resource_rows)},
    {"flowcontrol.apiserver.k8s.io", flowcontrol_rows, COUNT(flowcontrol_rows)},
};

/* Custom resources: the fields besides those that the definition names. */
static const struct selectable custom_fields[] = {
    SELECTABLE_NAME, SELECTABLE_NAMESPACE, SELECTABLE_END};

const struct strategy kinds_custom = {
    .steps = &kinds_custom_steps,
    .traits = TRAIT_NEEDS_VERSION,
    .cells = columns_custom_cells,
    .fields = custom_fields,
    .resets = resets_metadata,
};

const struct kind_group *
kinds_group(size_t i)
{
	return i < COUNT(groups) ? &groups[i] : NULL;
}

const struct strategy *
kinds_find(struct span group, struct span plural)
{
	const struct kind_group *g;

	for (size_t i = 0; (g = kinds_group(i)) != NULL; i++)
		for (size_t j = 0; span_is(group, g->group) && j < g->n; j++)
			if (span_is(plural, g->rows[j].plural))
				return &g->rows[j];
	return NULL;
}
