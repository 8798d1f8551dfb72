# deploy/NAME: the manifests of an operator, for kubectl and kustomize.
#
# `manifests` is the folder; `manifests_stream` is for kubectl apply, in the
# order in which its objects need each other.
include "gen/deployment";
include "gen/accounts";
include "gen/monitoring";

# ---- the kinds of the operator, and who may use them ----

def crd_path: "crds/\(.spec.group)_\(.spec.names.plural)_crd.yaml";

# The example of a CRD's kind; {} if there is none.
def example_of($examples): . as $crd
  | first($examples[]
      | select(.kind == $crd.spec.names.kind
        and (.apiVersion | split("/")[0]) == $crd.spec.group)) // {};

def crds: [.crds[] | {path: crd_path, objects: [.]}];

def examples: .examples as $examples
  | [.crds[] | {path: (crd_path | rtrimstr("_crd.yaml") + "_cr.yaml"),
      objects: [example_of($examples) | select(. != {})]}
    | select(.objects != [])];

# An aggregated role becomes part of Kubernetes' own view, edit and admin.
def user_role($verb; $aggregate; $verbs; $comment):
  [.crds[].spec | {group, plural: .names.plural}] as $kinds
  | {"#": $comment,
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: (cluster_meta("\(.name)-\($verb)") | .labels += ($aggregate
      | map({key: "rbac.authorization.k8s.io/aggregate-to-\(.)", value: "true"})
      | from_entries)),
    rules: [$kinds[] |
      {apiGroups: [.group], resources: [.plural], verbs: $verbs},
      {apiGroups: [.group], resources: ["\(.plural)/status"],
        verbs: ["get"]}]};

def viewer: user_role("viewer"; ["view"];
  ["get", "list", "watch"];
  "For users who may look. All with the role view have it.");

def editor: user_role("editor"; ["edit", "admin"];
  ["get", "list", "watch", "create", "update", "patch", "delete",
    "deletecollection"];
  "For users who may change. All with the role edit or admin have it.");

# ---- files ----

def file($path; $objects): {path: $path, objects: $objects};

def in_folder($folder): map(.path = "\($folder)/\(.path)");

def kustomization($comment; $content): file("kustomization.yaml";
  [{"#": $comment, apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization"} + $content]);

# The programs, if they are in no image.
def program_file: select(.program)
  | file("program.yaml"; [program_configmap]) + {warnings: program_warnings};

# All but what depends on the scope.
def base: checked_program | [
    file("namespace.yaml"; [operator_namespace]),
    crds[],
    file("service_account.yaml"; accounts),
    file("role.yaml"; roles(common_stages)),
    file("role_binding.yaml"; bindings(common_stages)),
    program_file,
    file("operator.yaml"; [deployment]),
    file("service.yaml"; [metrics_service]),
    file("poddisruptionbudget.yaml"; [disruption_budget]),
    file("networkpolicy.yaml"; [network_policy])] as $files
  | [$files[], examples[], kustomization(
      "What both scopes share. Apply the folder of a scope, not this one.";
      {namespace: namespace, resources: ($files | map(.path))})];

# Parts of objects of base, to be merged into them.
def operator_patch: {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {name: deployment.metadata.name, namespace: namespace},
  spec: {template: {spec: {containers: [
    {name: "kpipe", env: [watch_namespace]}]}}}};

def namespace_patch: {
  "#": ("The Pods that the operator makes are here, too. They are not made for"
    + "\nrules as strict as those of its own."),
  apiVersion: "v1",
  kind: "Namespace",
  metadata: {name: namespace, labels: pod_security_labels}};

def overlay($comment): [
    file("role.yaml"; roles(scoped_stages)),
    file("role_binding.yaml"; bindings(scoped_stages))] as $files
  | [file("operator_patch.yaml"; [operator_patch]),
    (select(.scope != "cluster")
      | file("namespace_patch.yaml"; [namespace_patch]))] as $patches
  | [$files[], $patches[], kustomization($comment;
      {resources: (["../base"] + ($files | map(.path))),
      patches: [$patches[] | {path}]})];

# watches.yaml may leave no choice.
def scopes: [.watches[].requireScope] as $required
  | if is_for_namespaces | not then ["cluster"]
    elif $required | index("namespace") then ["namespace"]
    else ["namespace", "cluster"] end;

def overlays: . as $description
  | scopes | map(. as $scope
    | $description + {scope: $scope}
    | if $scope == "cluster"
      then overlay("Primaries in all namespaces.") | in_folder("cluster")
      else overlay("Primaries in the operator's namespace.")
        | in_folder("namespaced") end)
  | add;

def monitoring: [
    file("metrics_reader.yaml"; [metrics_reader]),
    file("service_monitor.yaml"; [service_monitor]),
    file("prometheus_rule.yaml"; [prometheus_rule])]
  | . + [kustomization("For clusters with the Prometheus operator.";
      {resources: map(.path)})];

def users: [file("viewer.yaml"; [viewer]), file("editor.yaml"; [editor])]
  | . + [kustomization("For an administrator to apply: rights of users.";
      {resources: map(.path)})];

# ---- all ----

# For the scope of the description.
def manifests_stream: checked_program | [
    file("namespace.yaml"; [operator_namespace]),
    crds[],
    file("service_account.yaml"; accounts),
    file("role.yaml"; roles(pod_stages)),
    file("role_binding.yaml"; bindings(pod_stages)),
    file("service.yaml"; [metrics_service]),
    file("poddisruptionbudget.yaml"; [disruption_budget]),
    file("networkpolicy.yaml"; [network_policy]),
    program_file,
    file("operator.yaml"; [deployment_in_scope])];

# The same with a placeholder for the image, as operator-sdk 0.x wrote it, and
# the Deployment called as there: for sed and kubectl apply -f.
def flat: (.deployment // operator) as $name
  | manifests_stream + examples
  | map(select(.path == "operator.yaml").objects[0] |= (
      ."#" = ("The image goes in here:"
        + "\n  sed -i s,REPLACE_IMAGE,registry.example.com/\($name):TAG, operator.yaml"
        + "\nAnother namespace goes into every file in the same way.")
      | .metadata.name = $name
      | .spec.template.spec.containers[0].image = "REPLACE_IMAGE"));

# The folder.
def manifests:
  ((. + {scope: "cluster"} | base | in_folder("base")) + overlays
    + (flat | in_folder("flat"))
    + (monitoring | in_folder("monitoring")) + (users | in_folder("users")));
