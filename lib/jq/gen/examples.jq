# What an object of a kind of Kubernetes has at least, beside its name. Their
# schemas do not say it: the API server checks them by code.

def _labels_of_example: {app: "example"};
def _selector_of_example: {matchLabels: _labels_of_example};
def _container_of_example: {name: "main", image: "registry.example.com/main:1"};
def _pod_spec_of_example: {containers: [_container_of_example]};
def _template_of_example:
  {metadata: {labels: _labels_of_example}, spec: _pod_spec_of_example};
def _job_of_example:
  {template: {spec: (_pod_spec_of_example + {restartPolicy: "Never"})}};
def _claim_of_example: {accessModes: ["ReadWriteOnce"],
  resources: {requests: {storage: "1Gi"}}};
def _workload_of_example: {spec: {selector: _selector_of_example,
  template: _template_of_example}};
def _webhook_of_example: {webhooks: [{name: "example.example.com",
  admissionReviewVersions: ["v1"], sideEffects: "None",
  clientConfig: {url: "https://webhook.example.com/"}}]};
def _policy_of_example: {validations: [{expression: "true"}],
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: ["v1"],
    operations: ["CREATE"], resources: ["services"]}]}};
def _role_of_example: {rules: [{apiGroups: [""], resources: ["services"],
  verbs: ["get"]}]};

# Members beside apiVersion and kind; `metadata` only for another name than
# example. null: none is known, and the schema has to do.
def example_of_builtin: {
  Endpoints: {subsets: [{addresses: [{ip: "192.0.2.1"}], ports: [{port: 80}]}]},
  Event: {metadata: {name: "example", namespace: "default"}, type: "Normal",
    reason: "Example", involvedObject: {kind: "Pod", name: "example",
      namespace: "default"}},
  LimitRange: {spec: {limits: [{type: "Container", default: {cpu: "1"}}]}},
  Namespace: {},
  Node: {spec: {unschedulable: true}},
  PersistentVolume: {spec: {capacity: {storage: "1Gi"},
    accessModes: ["ReadWriteOnce"], hostPath: {path: "/example"}}},
  PersistentVolumeClaim: {spec: _claim_of_example},
  Pod: {spec: _pod_spec_of_example},
  PodTemplate: {template: _template_of_example},
  ReplicationController: {spec: {replicas: 1, selector: _labels_of_example,
    template: _template_of_example}},
  ResourceQuota: {spec: {hard: {pods: "10"}}},
  Secret: {type: "Opaque", data: {example: "ZXhhbXBsZQ=="}},
  Service: {spec: {type: "ClusterIP", selector: _labels_of_example,
    ports: [{port: 80}]}},
  ServiceAccount: {automountServiceAccountToken: false},
  "MutatingWebhookConfiguration.admissionregistration.k8s.io":
    _webhook_of_example,
  "ValidatingWebhookConfiguration.admissionregistration.k8s.io":
    _webhook_of_example,
  "ValidatingAdmissionPolicy.admissionregistration.k8s.io":
    {spec: _policy_of_example},
  "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io":
    {spec: {policyName: "example", validationActions: ["Deny"]}},
  "APIService.apiregistration.k8s.io": {metadata: {name: "v1.example.com"},
    spec: {group: "example.com", version: "v1", groupPriorityMinimum: 100,
      versionPriority: 10, service: {name: "example", namespace: "default"}}},
  "ControllerRevision.apps": {revision: 1, data: {}},
  "DaemonSet.apps": _workload_of_example,
  "Deployment.apps": (_workload_of_example | .spec.replicas = 1),
  "ReplicaSet.apps": (_workload_of_example | .spec.replicas = 1),
  "StatefulSet.apps": (_workload_of_example | .spec.replicas = 1
    | .spec.serviceName = "example"),
  "HorizontalPodAutoscaler.autoscaling": {spec: {minReplicas: 1, maxReplicas: 3,
    scaleTargetRef: {apiVersion: "apps/v1", kind: "Deployment",
      name: "example"}}},
  "CronJob.batch": {spec: {schedule: "0 3 * * *",
    jobTemplate: {spec: _job_of_example}}},
  "Job.batch": {spec: _job_of_example},
  "Lease.coordination.k8s.io": {spec: {leaseDurationSeconds: 15,
    holderIdentity: "example"}},
  "EndpointSlice.discovery.k8s.io": {addressType: "IPv4",
    endpoints: [{addresses: ["192.0.2.1"]}], ports: [{port: 80}]},
  "FlowSchema.flowcontrol.apiserver.k8s.io":
    {spec: {priorityLevelConfiguration: {name: "global-default"}}},
  "PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io":
    {spec: {type: "Limited", limited: {limitResponse: {type: "Reject"}}}},
  "IPAddress.networking.k8s.io": {metadata: {name: "192.0.2.1"},
    spec: {parentRef: {resource: "services", name: "example",
      namespace: "default"}}},
  "Ingress.networking.k8s.io": {spec: {rules: [{host: "example.com",
    http: {paths: [{path: "/", pathType: "Prefix",
      backend: {service: {name: "example", port: {number: 80}}}}]}}]}},
  "IngressClass.networking.k8s.io": {spec: {controller: "example.com/ingress"}},
  "NetworkPolicy.networking.k8s.io": {spec: {podSelector: {},
    policyTypes: ["Ingress"]}},
  "ServiceCIDR.networking.k8s.io": {spec: {cidrs: ["192.0.2.0/24"]}},
  "RuntimeClass.node.k8s.io": {handler: "example"},
  "PodDisruptionBudget.policy": {spec: {minAvailable: 1,
    selector: _selector_of_example}},
  "ClusterRole.rbac.authorization.k8s.io": _role_of_example,
  "Role.rbac.authorization.k8s.io": _role_of_example,
  "ClusterRoleBinding.rbac.authorization.k8s.io": {roleRef: {
    apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view"}},
  "RoleBinding.rbac.authorization.k8s.io": {roleRef: {
    apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "example"}},
  "PriorityClass.scheduling.k8s.io": {value: 1000},
  "CSIDriver.storage.k8s.io": {spec: {attachRequired: false}},
  "StorageClass.storage.k8s.io": {provisioner: "example.com/storage"},
  "VolumeAttachment.storage.k8s.io": {spec: {attacher: "example.com",
    nodeName: "example", source: {persistentVolumeName: "example"}}}
}[.];
