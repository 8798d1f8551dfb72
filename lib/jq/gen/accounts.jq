# The namespace of an operator, its accounts and their rights.
include "gen/deployment";

# Which Pods may run in the operator's namespace. Its own keep the strictest
# rules. Where the primaries are in the same namespace, so are the Pods that it
# makes of them: these only have to keep the rules for any application.
def pod_security: if .scope == "cluster" then "restricted" else "baseline" end;

def pod_security_labels: {"pod-security.kubernetes.io/enforce": pod_security};

def operator_namespace: {
  "#": ("The pull secret, for images that are not public:"
    + "\n  kubectl create secret docker-registry \(pull_secrets[0]) \\"
    + "\n    --namespace=\(namespace) --docker-server=... \\"
    + "\n    --docker-username=... --docker-password=..."),
  apiVersion: "v1",
  kind: "Namespace",
  metadata: {name: namespace, labels: (labels + pod_security_labels)}};

def account($name): {
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: meta($name),
  automountServiceAccountToken: false};

def token($name): {
  apiVersion: "v1",
  kind: "Secret",
  metadata: (meta($name)
    + {annotations: {"kubernetes.io/service-account.name": $name}}),
  type: "kubernetes.io/service-account-token"};

# The accounts: of the Pod, and of each stage with a token that is mounted.
def accounts: .name as $name
  | [{"#": (if by_stage then "The Pod's own account has no rights." else
        "The account of all stages." end)} + account(operator)]
  + if by_stage then [
      (pod_stages[] as $s | account("\($name)-\($s)")),
      {"#": ("A projected token is always one of the Pod's own account, so each"
        + "\nstage has its token from a Secret. To renew one, delete it and its"
        + "\naccount, and deploy again.")}
        + token("\($name)-\(pod_stages[0])"),
      (pod_stages[1:][] as $s | token("\($name)-\($s)"))]
    else [] end;

# ---- rights ----

def about_stage: {
  kwatch: "kwatch reads what watches.yaml names.",
  kapply: ("kapply makes and deletes what is managed; get proves whose an"
    + "\nobject is. Events are about the primaries."),
  kstatus: "kstatus writes the status of primaries.",
  kelect: "kelect holds the lease; Events say that it leads.",
  http: ("kpipe-http asks who a client is, and whether it may read the metrics,"
    + "\nand nothing else.")}[.];

def role($stage; $kind; $metadata; $rules):
  if $rules == [] then empty else {
    "#": ($stage | about_stage),
    apiVersion: "rbac.authorization.k8s.io/v1",
    $kind, $metadata, $rules} end;

# A Role has what a stage may do in the operator's namespace, a ClusterRole of
# the same name what it may do in all.
def stage_roles($stage): rules($stage; .scope) as $r
  | service_account($stage) as $name
  | role($stage; "Role"; meta($name); $r.namespaced + $r.operator_namespace),
    role($stage; "ClusterRole"; cluster_meta($name); $r.cluster),
    ($r.others[] as $o
      | role($stage; "Role"; meta($name) + {namespace: $o.namespace};
        $o.rules));

# To the stage's account, or to that of the Pod if all stages share it. Bindings
# of the cluster have the namespace in their name: two installations share the
# roles, and must not share the accounts.
def binding($stage; $role): {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "\($role.kind)Binding",
  metadata: ($role.metadata + if $role.kind == "Role" then {} else
    {name: "\($role.metadata.name).\(namespace)"} end),
  roleRef: {apiGroup: "rbac.authorization.k8s.io",
    kind: $role.kind, name: $role.metadata.name},
  subjects: [{kind: "ServiceAccount", namespace: namespace,
    name: (if by_stage then service_account($stage) else operator end)}]};

# kelect and kpipe-http need the same rights in every scope.
def common_stages: ["kelect", "http"];
def scoped_stages: pod_stages - common_stages;

def roles($of): [$of[] as $stage | stage_roles($stage)];

def bindings($of):
  [$of[] as $stage | stage_roles($stage) as $role | binding($stage; $role)];
