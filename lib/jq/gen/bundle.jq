# deploy/NAME/bundle: the operator for the Operator Lifecycle Manager: a bundle
# of the format registry+v1, a catalog with it, and the objects that install it.
# See doc/packaging.md. Sources of the format: operator-framework/operator-registry,
# docs/design/operator-bundle.md; operator-framework/olm-docs,
# content/en/docs: Tasks/creating-operator-manifests.md,
# Reference/file-based-catalogs.md, Concepts/crds.
include "gen/yaml";
include "gen/rights";
include "gen/deployment";
include "gen/accounts";
include "gen/monitoring";
include "gen/manifests";
include "gen/values";

# OLM makes the accounts that a CSV names, after the objects of the bundle: a
# Secret for a token would be deleted before its account is there. So all stages
# share the account of the Pod and its projected token.
def for_olm: . + {credentials: "pod"} | del(.namespace);

# ---- words for people ----

def capital: (.[:1] | ascii_upcase) + .[1:];

# watchNamespaces, instance_owner: Watch Namespaces, Instance Owner
def title: [explode[] | if 65 <= . and . <= 90 then 32, . else . end] | implode
  | split("_") | map(split(" ")) | add | map(select(. != "") | capital)
  | join(" ");

def display_name: .displayName // "\(.name | capital) operator";
def first_kind: .crds[0].spec.names.kind;

# ---- what it installs ----

def package: operator;
def csv_name: "\(package).v\(.version)";
def channel: .channel // "candidate";
def bundle_image: "\(image_repository)-bundle:v\(.version)";
def catalog_image: "\(image_repository)-catalog:v\(.version)";

# An operator that needs the whole cluster, and has its primaries in its own
# namespace, is one of several: OLM must not take it for that of all namespaces.
def is_of_own_namespace: scopes == ["cluster"]
  and all(.watches[]; (.namespaces // []) | . != []);

def install_modes:
  scopes as $scopes
  | {OwnNamespace: (($scopes | index("namespace") != null)
      or is_of_own_namespace)}
    + {SingleNamespace: ($scopes | index("namespace") != null)}
    + {MultiNamespace: ($scopes | index("namespace") != null)}
    + {AllNamespaces: (($scopes | index("cluster") != null)
        and (is_of_own_namespace | not))}
  | . as $modes | [keys_unsorted[] | {type: ., supported: $modes[.]}];

# OLM says in an annotation of the Pod which namespaces its group has.
def target_namespaces: if scopes | index("namespace")
  then from_pod("WATCH_NAMESPACE"; "metadata.annotations['olm.targetNamespaces']")
  else watch_namespace end;

def strategy_deployment: [target_namespaces] as $more
  | deployment
  | {name: .metadata.name, label: .metadata.labels,
    spec: (.spec | .template.spec.containers[0].env += $more)};

# The rights of the account in the namespaces of the group; in the cluster. OLM
# makes the first ones rights of the cluster for a group of all namespaces. It
# knows no namespace by name.
def rules_of(place): scopes[0] as $scope
  | [rules(pod_stages[]; $scope) | place]
  | reduce .[] as $rule ([]; if index([$rule]) then . else . + [$rule] end);

def permission($rules): [{serviceAccountName: operator, $rules}
  | select($rules != [])];

def permissions: permission(rules_of(.namespaced[], .operator_namespace[]));
def cluster_permissions: permission(rules_of(.cluster[], .others[].rules[]));

# ---- the kinds, for consoles ----

# Source of the descriptors: openshift/console,
# frontend/packages/operator-lifecycle-manager/src/components/descriptors.
def spec_descriptor($name): . as $schema
  | (if .type == "boolean" then "booleanSwitch"
    elif (.type == "integer" or .type == "number")
      and ($name | . == "size" or . == "replicas" or endswith("Replicas"))
      then "podCount"
    elif .type == "integer" or .type == "number" then "number"
    elif .type == "string" then "text"
    else null end) as $control
  | {path: $name, displayName: ($name | title)}
    + (if .description then {description} else {} end)
    + (if $control then {"x-descriptors": [
        "urn:alm:descriptor:com.tectonic.ui:\($control)"]} else {} end);

def status_descriptor($name):
  {path: $name, displayName: ($name | title)}
  + (if .description then {description} else {} end)
  + (if $name == "conditions" then {"x-descriptors":
        ["urn:alm:descriptor:io.kubernetes.conditions"]}
    elif $name == "phase" then {"x-descriptors":
        ["urn:alm:descriptor:io.kubernetes.phase"]}
    else {} end);

def properties_of($part):
  .schema.openAPIV3Schema.properties[$part].properties // {} | to_entries[];

# The kinds below a kind, as an entry of watches.yaml names them.
def kinds_below($crd): [.watches[]
  | select(.group == $crd.spec.group and .kind == $crd.spec.names.kind)
  | .dependents[]? | {kind, version: (.apiVersion / "/")[-1], name: ""}];

def owned: . as $description
  | [.crds[] | . as $crd | .spec.versions[] | select(.served)
    | {name: $crd.metadata.name, version: .name, kind: $crd.spec.names.kind,
      displayName: ($crd.spec.names.kind | title),
      description: (.schema.openAPIV3Schema.description
        // "\($crd.spec.names.kind) of \($crd.spec.group)."),
      resources: ($description | kinds_below($crd)),
      specDescriptors: [properties_of("spec") | .key as $name
        | .value | spec_descriptor($name)],
      statusDescriptors: [properties_of("status") | .key as $name
        | .value | status_descriptor($name)]}];

def alm_examples: [.crds[].spec as $spec | .examples[]
  | select(.kind == $spec.names.kind
    and (.apiVersion / "/")[0] == $spec.group)];

# ---- about the operator ----

def provider_link: {name: (.provider // "kpipe")};

# A circle with the first letter, for operators without an icon
def drawn_icon: (.name[:1] | ascii_upcase) as $letter
  | {mediatype: "image/svg+xml", base64data: (
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\">"
      + "<circle cx=\"32\" cy=\"32\" r=\"30\" fill=\"#326ce5\"/>"
      + "<text x=\"32\" y=\"44\" font-size=\"36\" font-family=\"sans-serif\""
      + " text-anchor=\"middle\" fill=\"#fff\">\($letter)</text></svg>\n"
      | @base64)};

# data:image/png;base64,...
def bundle_icon: (.icon // "") as $icon
  | if $icon | startswith("data:") then
      {mediatype: ($icon[5:] / ";")[0], base64data: ($icon / "base64,")[1]}
    else drawn_icon end;

def long_description: .longDescription // "\(.description)

An operator that is a pipeline: one process watches, one decides, one applies
and one writes the status. The logic is a program in jq.";

def keyword_list: .keywords // [.name, "kpipe"];
def min_kube_version: "1.27.0";

# The edges to older versions; as versions in the description.
def edges: package as $package
  | (if .replaces then {replaces: "\($package).v\(.replaces)"} else {} end)
    + (if .skips then {skips: [.skips[] | "\($package).v\(.)"]} else {} end);

# The image of the operator, and those that it makes Pods of, by settings that
# are called X_IMAGE: a mirror of a registry needs to know them.
def related_images: [{name: "operator", image: image_reference}]
  + (settings | [to_entries[] | select(.key | endswith("_IMAGE"))
    | select(.value != "") | {name: (.key | ascii_downcase), image: .value}]);

def cluster_service_version: {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: {
    name: csv_name,
    annotations: {
      "alm-examples": (alm_examples | pretty_json),
      capabilities: (.capabilities // "Basic Install"),
      categories: (.categories // ["Developer Tools"] | join(", ")),
      containerImage: image_reference,
      description,
      support: provider_link.name,
      "operatorframework.io/suggested-namespace": namespace}},
  spec: ({
    displayName: display_name,
    description: long_description,
    version,
    maturity: (.maturity // "alpha"),
    minKubeVersion: min_kube_version,
    keywords: keyword_list,
    provider: provider_link,
    maintainers: (.maintainers // []),
    links: (.links // []),
    icon: [bundle_icon | {base64data, mediatype}],
    installModes: install_modes,
    install: {
      strategy: "deployment",
      spec: {
        permissions: permissions,
        clusterPermissions: cluster_permissions,
        deployments: [strategy_deployment]}},
    customresourcedefinitions: {owned: owned},
    relatedImages: related_images} + edges)};

# ---- what describes the bundle ----

def bundle_annotations: {
  "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
  "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
  "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
  "operators.operatorframework.io.bundle.package.v1": package,
  "operators.operatorframework.io.bundle.channels.v1": channel,
  "operators.operatorframework.io.bundle.channel.default.v1": channel,
  "operators.operatorframework.io.test.mediatype.v1": "scorecard+v1",
  "operators.operatorframework.io.test.config.v1": "tests/scorecard/"};

def containerfile: bundle_annotations as $labels
  | "# The image \(bundle_image)
FROM scratch
"
  + ([$labels | keys_unsorted[] | "LABEL \(.)=\($labels[.])\n"] | add)
  + "COPY manifests /manifests/
COPY metadata /metadata/
COPY tests/scorecard /tests/scorecard/
";

def scorecard_test($name; $suite): {
  image: "quay.io/operator-framework/scorecard-test:v1.41.1",
  entrypoint: ["scorecard-test", $name],
  labels: {suite: $suite, test: "\($name)-test"}};

def scorecard: {
  apiVersion: "scorecard.operatorframework.io/v1alpha3",
  kind: "Configuration",
  metadata: {name: "config"},
  stages: [{parallel: true, tests: [
    scorecard_test("basic-check-spec"; "basic"),
    (["olm-bundle-validation", "olm-crds-have-validation",
      "olm-crds-have-resources", "olm-spec-descriptors",
      "olm-status-descriptors"][] | scorecard_test(.; "olm"))]}]};

# ---- the catalog ----

def csv_metadata: cluster_service_version | .spec as $spec | {
  annotations: .metadata.annotations,
  crdDescriptions: $spec.customresourcedefinitions}
  + ($spec | {description, displayName, installModes, keywords, links,
      maintainers, maturity, minKubeVersion, provider});

def catalog: [
  {schema: "olm.package", name: package, defaultChannel: channel,
    description: long_description, icon: bundle_icon},
  {schema: "olm.channel", package: package, name: channel,
    entries: [{name: csv_name} + edges]},
  {schema: "olm.bundle", package: package, name: csv_name, image: bundle_image,
    relatedImages: ([{name: "bundle", image: bundle_image}] + related_images),
    properties: [
      (.crds[] | .spec as $spec | $spec.versions[] | select(.served)
        | {type: "olm.gvk", value: {group: $spec.group,
            kind: $spec.names.kind, version: .name}}),
      {type: "olm.package", value: {packageName: package, version}},
      {type: "olm.csv.metadata", value: csv_metadata}]}];

def catalog_containerfile: "# The image \(catalog_image); its context is this folder.
FROM scratch
LABEL operators.operatorframework.io.index.configs.v1=/configs
COPY \(package) /configs/\(package)/
";

# ---- what installs it, for kubectl ----

def catalog_source: {
  "#": "In the namespace of OLM, or that of the operator.",
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "CatalogSource",
  metadata: {name: "\(package)-catalog", namespace: namespace},
  spec: {
    displayName: display_name,
    publisher: provider_link.name,
    sourceType: "grpc",
    image: catalog_image,
    grpcPodConfig: {
      securityContextConfig: "restricted",
      "#extractContent": "The image has nothing but the catalog.",
      extractContent: {catalogDir: "/configs"}},
    updateStrategy: {registryPoll: {interval: "1h"}}}};

def operator_group: any(install_modes[]; .type == "OwnNamespace" and .supported)
  as $own
  | {apiVersion: "operators.coreos.com/v1",
    kind: "OperatorGroup",
    metadata: {name: package, namespace: namespace},
    spec: (if $own then {
        "#targetNamespaces": "The operator's own namespace; see doc/packaging.md for others.",
        targetNamespaces: [namespace]} else {} end)};

def subscription: {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "Subscription",
  metadata: {name: package, namespace: namespace},
  spec: {
    name: package,
    channel: channel,
    source: "\(package)-catalog",
    sourceNamespace: namespace,
    installPlanApproval: "Automatic",
    startingCSV: csv_name}};

# ---- files ----

# OLM chooses the namespace.
def manifest: del(.metadata.namespace);

def bundle: checked | for_olm
  | deployment.metadata.name as $name
  | [
  file("manifests/\(package).clusterserviceversion.yaml";
    [cluster_service_version]),
  (.crds[] | file("manifests/\(.spec.group)_\(.spec.names.plural).yaml"; [.])),
  file("manifests/\(operator)-metrics_v1_service.yaml";
    [metrics_service | manifest]),
  file("manifests/\(operator)-metrics-reader_rbac_v1_clusterrole.yaml";
    [metrics_reader]),
  file("manifests/\($name)_policy_v1_poddisruptionbudget.yaml";
    [disruption_budget | manifest]),
  file("metadata/annotations.yaml"; [{annotations: bundle_annotations}]),
  file("tests/scorecard/config.yaml"; [scorecard]),
  {path: "Containerfile", text: containerfile},
  file("catalog/\(package)/catalog.yaml"; catalog),
  {path: "catalog/Containerfile", text: catalog_containerfile},
  file("install/namespace.yaml"; [operator_namespace]),
  file("install/catalog_source.yaml"; [catalog_source]),
  file("install/operator_group.yaml"; [operator_group]),
  file("install/subscription.yaml"; [subscription])];
