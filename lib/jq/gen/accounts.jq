# The namespace of an operator, its accounts and their rights.
include "gen/rights";
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
      (stages[] as $s | account("\($name)-\($s)")),
      {"#": ("A projected token is always one of the Pod's own account, so each"
        + "\nstage has its token from a Secret. Delete one to revoke it; it is"
        + "\nmade again with the next deployment.")}
        + token("\($name)-\(stages[0])"),
      (stages[1:][] as $s | token("\($name)-\($s)"))]
    else [] end;

# ---- rights ----

# Leading by a lease needs no more than the first of the roles of kelect.
def is_role: (.kind | endswith("Role"))
  and (.metadata.name | endswith("-for-life") or endswith("-nodes") | not);

# The roles of one scope, of those that kgen rights makes for both.
def roles: . as $description
  | [rights_objects[] | select(is_role)
    | select(.metadata.labels["kpipe.dev/scope"] // "any"
      | . == "any" or . == $description.scope
        or . == "leader" or . == "metrics")
    | . as $role
    | .metadata = ($description | if $role.kind == "Role"
        then meta($role.metadata.name)
        else cluster_meta($role.metadata.name) end)];

# A role NAME-kwatch or NAME-kwatch-operator is bound to the stage's account, or
# to that of the Pod if all stages share it.
def account_of($role): .name as $name
  | if by_stage then $role | rtrimstr("-operator") else operator end;

# In the operator's namespace: a Role, or a ClusterRole whose name says so.
def is_local: .kind == "Role" or (.metadata.name | endswith("-operator"));

# Bindings of the cluster have the namespace in their name: two installations
# share the roles, and must not share the accounts.
def binding($role): . as $description
  | ($role | is_local) as $local
  | $role.metadata.name as $name
  | {apiVersion: "rbac.authorization.k8s.io/v1",
    kind: (if $local then "RoleBinding" else "ClusterRoleBinding" end),
    metadata: (if $local then meta($name)
      else cluster_meta("\($name).\(namespace)") end),
    roleRef: {apiGroup: "rbac.authorization.k8s.io",
      kind: $role.kind, name: $name},
    subjects: [{kind: "ServiceAccount", name: account_of($name),
      namespace: namespace}]};

def bindings: . as $description | [roles[] as $r | $description | binding($r)];
