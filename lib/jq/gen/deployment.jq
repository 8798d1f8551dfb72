# The Deployment of an operator, and what belongs to its Pods. The input of
# each function is the description (kgen describe).
include "gen/rights";
include "gen/program";

def operator: "\(.name)-operator";
def namespace: .namespace // "\(operator)-system";

# The labels of every object, and those that select the Pods.
def pod_labels: {"app.kubernetes.io/name": operator};
def labels: pod_labels + {
  "app.kubernetes.io/version": .version,
  "app.kubernetes.io/part-of": "kpipe"};

# metadata of an object in the operator's namespace; of the cluster
def meta($name): {name: $name, namespace: namespace, labels: labels};
def cluster_meta($name): {name: $name, labels: labels};

# The version is the tag, unless the image has a tag or a digest: that of kpipe,
# if the image is kpipe's.
def image_reference:
  (if .program then .kpipe.version else .version end) as $version
  | .image | if contains("@") or (split("/")[-1] | contains(":")) then .
    else "\(.):\($version)" end;

# The tools that have a credential of their own, by the names of kpipe's options
# and of the accounts.
def pod_stages: ["kwatch", "kapply", "kstatus", "kelect", "http"];
def by_stage: (.credentials // "stages") == "stages";

# Where every tool looks for an account's files: the certificate, the namespace.
def credentials_dir: "/var/run/secrets/kubernetes.io/serviceaccount";

# They may be missing: then images are pulled without.
def pull_secrets: .imagePullSecrets // ["image-pull-secret"];

# Where kpipe records, if operator.yaml says so.
def recording_dir: "/recording";

def arguments: [
  "--filename=/operator/watches.yaml",
  "--leader-elect",
  "--leader-election-id=\(lease_name)",
  "--health-probe-bind-address=:8081",
  "--metrics-bind-address=:8443",
  "--metrics-secure",
  (select(by_stage) | pod_stages[]
    | "--\(.)-token-file=\(credentials_dir)/\(.)"),
  (.record // empty | "--record=\(recording_dir)", "--record-size=\(.)")];

def from_pod($name; $path):
  {name: $name, valueFrom: {fieldRef: {fieldPath: $path}}};

# For an operator that names it in watches.yaml, OPERATOR_NAME is the namespace
# in which the operator is.
def operator_name:
  if any(.variables[]?; .name == "OPERATOR_NAME")
  then from_pod("OPERATOR_NAME"; "metadata.namespace")
  else {name: "OPERATOR_NAME", value: operator} end;

# A variable of watches.yaml: what operator.yaml says, or its default. One that
# must be set, and is not, is the namespace.
def variable($env): .name as $name
  | if $env[$name] == null and .required and (.default // "") == ""
    then from_pod($name; "metadata.namespace")
    else {name: $name,
      value: (if $env[$name] != null then $env[$name] else .default // "" end
        | tostring)} end;

# More of operator.yaml comes last.
def variables: (.env // {}) as $env
  | ["POD_NAME", "POD_NAMESPACE", "POD_UID", "OPERATOR_NAME",
    "WATCH_NAMESPACE"] as $ours
  | [.variables[]? | variable($env)] as $read
  | ($ours + [$read[].name]) as $known
  | ($read[] | select(.name as $n | $ours | index($n) | not)),
    ($env | keys_unsorted[] | select(. as $n | $known | index($n) | not)
      | {name: ., value: ($env[.] | tostring)});

# The namespaces of the primaries: that of the Pod, or all.
def watch_namespace: if .scope == "cluster"
  then {name: "WATCH_NAMESPACE", value: ""}
  else from_pod("WATCH_NAMESPACE"; "metadata.namespace") end;

def environment: [
  from_pod("POD_NAME"; "metadata.name"),
  from_pod("POD_NAMESPACE"; "metadata.namespace"),
  from_pod("POD_UID"; "metadata.uid"),
  operator_name,
  variables];

def credentials: {
  name: "credentials",
  projected: {
    "#defaultMode": "0440: for the group of the container",
    defaultMode: 288,
    sources: ([
      {configMap: {name: "kube-root-ca.crt",
        items: [{key: "ca.crt", path: "ca.crt"}]}},
      {downwardAPI: {items: [
        {path: "namespace", fieldRef: {fieldPath: "metadata.namespace"}}]}}]
      + if by_stage then [.name as $name | pod_stages[]
          | {secret: {name: "\($name)-\(.)",
              items: [{key: "token", path: .}]}}]
        else [{serviceAccountToken: {path: "token", expirationSeconds: 3600}}]
        end)}};

def probe($path; $more): {httpGet: {path: $path, port: "health"}} + $more;

# Measured: see "Sizing" in doc/operating.md.
def default_resources: {
  requests: {cpu: "10m", memory: "64Mi"}, limits: {memory: "256Mi"}};

def container: {
  name: "kpipe",
  image: image_reference,
  imagePullPolicy: (.imagePullPolicy // "IfNotPresent"),
  args: arguments,
  env: environment,
  ports: [{name: "health", containerPort: 8081},
    {name: "metrics", containerPort: 8443}],
  startupProbe: probe("/healthz"; {
    periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 60}),
  livenessProbe: probe("/healthz"; {
    periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3}),
  readinessProbe: probe("/readyz"; {
    periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 2}),
  resources: (.resources // default_resources),
  securityContext: {allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true, capabilities: {drop: ["ALL"]}},
  volumeMounts: [{name: "credentials", mountPath: credentials_dir,
    readOnly: true}, program_mounts,
    (select(.record) | {name: "recording", mountPath: recording_dir})]};

# Apart if the cluster can, so that a node or a zone takes no standby with it.
def spread: pod_labels as $labels
  | ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]
  | map({maxSkew: 1, topologyKey: ., whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: {matchLabels: $labels}});

def pod: {
  serviceAccountName: operator,
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  imagePullSecrets: [pull_secrets[] | {name: .}],
  securityContext: {runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532,
    fsGroup: 65532, seccompProfile: {type: "RuntimeDefault"}},
  terminationGracePeriodSeconds: 30,
  topologySpreadConstraints: spread,
  containers: [container],
  volumes: [credentials, program_volumes,
    (select(.record) | {name: "recording", emptyDir: {}})]};

def deployment: {
  "#": ("One replica leads. The other one holds the same objects in memory, and"
    + "\ntakes over as soon as the lease is released."),
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: meta("\(operator)-controller-manager"),
  spec: {
    replicas: (.replicas // 2),
    revisionHistoryLimit: 5,
    progressDeadlineSeconds: 300,
    minReadySeconds: 5,
    strategy: {
      "#": ("A new replica is a ready standby before an old one ends, and the"
        + "\nleader releases the lease when it ends."),
      type: "RollingUpdate",
      rollingUpdate: {maxUnavailable: 0, maxSurge: 1}},
    selector: {matchLabels: pod_labels},
    template: {
      metadata: {labels: labels,
        annotations: {"kubectl.kubernetes.io/default-container": "kpipe"}},
      spec: pod}}};

# The same, for one scope: the Deployment above is for an overlay.
def deployment_in_scope: [watch_namespace] as $more
  | deployment | .spec.template.spec.containers[0].env += $more;

def program_configmap: program_map(meta(program_name));

# A drain moves one replica at a time, also one that is not ready.
def disruption_budget: {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: meta("\(operator)-controller-manager"),
  spec: {maxUnavailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow",
    selector: {matchLabels: pod_labels}}};

def tcp($port): {protocol: "TCP", port: $port};

def network_policy: {
  "#": ("In: the metrics. Probes come from the node, which no policy keeps out."
    + "\nOut: the API server and DNS. An API server with another port than 443"
    + "\nor 6443 needs a line here."),
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: meta("\(operator)-controller-manager"),
  spec: {
    podSelector: {matchLabels: pod_labels},
    policyTypes: ["Ingress", "Egress"],
    ingress: [{ports: [tcp(8443)]}],
    egress: [
      {ports: [tcp(443), tcp(6443)]},
      {ports: [{protocol: "UDP", port: 53}, tcp(53)]}]}};

def metrics_service: {
  apiVersion: "v1",
  kind: "Service",
  metadata: meta("\(operator)-metrics"),
  spec: {
    selector: pod_labels,
    ports: [{name: "metrics", port: 8443, targetPort: "metrics",
      protocol: "TCP"}]}};
