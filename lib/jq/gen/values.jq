# The values of a chart: a table, of which values.yaml and its schema are made.
include "gen/deployment";
include "gen/manifests";

# The parts that Helm and OLM refuse, if they are not as they should be.
def complain($key; $what): error("operator.yaml: \($key): \($what)");

def checked:
  if .version | test("^[0-9]+\\.[0-9]+\\.[0-9]+([-+][0-9A-Za-z.+-]+)?$") | not
  then complain("version"; "\(.version) is not a semantic version, like 1.2.3")
  elif any(.maintainers[]?; .name == null or .email == null) then
    complain("maintainers"; "each needs a name and an email")
  elif any(.links[]?; .name == null or .url == null) then
    complain("links"; "each needs a name and a url")
  else . end;

def at($path; $value; $about; $schema):
  {path: ($path / "."), value: $value, about: $about, schema: $schema};

def switch($path; $value; $about): at($path; $value; $about; {type: "boolean"});
def object($path; $about): at($path; {}; $about; {type: "object"});

def strings: {type: "object", additionalProperties: {type: "string"}};
def port: {type: "integer", minimum: 1, maximum: 65535};
def name_of_namespace:
  {type: "string", maxLength: 63, pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"};

# An image's reference without tag and digest, its tag, its digest
def image_repository: (.image / "@")[0] as $named | ($named / "/") as $parts
  | $parts[:-1] + [($parts[-1] / ":")[0]] | join("/");
def image_tag: (if .program then .kpipe.version else "" end) as $version
  | (.image / "@")[0] / "/" | .[-1] / ":" | .[1] // $version;
def image_digest: .image / "@" | .[1] // "";

def settings: [variables | {(.name): .value}] | add // {};

def unset: settings as $set
  | [.variables[]?.name | select(in($set) or . == "OPERATOR_NAME"
      or . == "WATCH_NAMESPACE" | not)];

def in_namespace: scopes | index("namespace") != null;
def in_cluster: scopes | index("cluster") != null;

def settable: [
  # What stands in templates without quotes may not be more YAML.
  at("image.repository"; image_repository; "Without tag and digest.";
    {type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9._:/-]*$"}),
  at("image.tag"; image_tag; "Empty: the version of the operator.";
    {type: "string", pattern: "^([A-Za-z0-9_][A-Za-z0-9_.-]*)?$"}),
  at("image.digest"; image_digest; "As sha256:...; it counts instead of the tag.";
    {type: "string", pattern: "^(sha256:[0-9a-f]{64})?$"}),
  at("image.pullPolicy"; .imagePullPolicy // "IfNotPresent"; null;
    {enum: ["Always", "IfNotPresent", "Never"]}),
  at("imagePullSecrets"; [pull_secrets[] | {name: .}];
    "Secrets of the namespace; those that are missing do no harm.";
    {type: "array", items: {type: "object", required: ["name"],
      additionalProperties: false, properties: {name: {type: "string"}}}}),
  at("replicas"; .replicas // 2;
    "One leads, the others are standbys. 0 stops the operator.";
    {type: "integer", minimum: 0}),
  (select(in_namespace and in_cluster) | at("scope"; .scope;
    "namespace: objects of some namespaces; cluster: of all.";
    {enum: ["namespace", "cluster"]})),
  (select(in_namespace) | at("watchNamespaces"; [];
    "The namespaces, for the scope namespace. Empty: that of the release.";
    {type: "array", uniqueItems: true, items: name_of_namespace})),
  at("env"; settings; "Settings, by environment."
      + (unset | if . == [] then "" else " Also: \(join(", "))." end);
    {type: "object",
      propertyNames: {pattern: "^[A-Za-z_][A-Za-z0-9_]*$", not: {enum:
        ["POD_NAME", "POD_NAMESPACE", "POD_UID", "OPERATOR_NAME",
          "WATCH_NAMESPACE"]}},
      additionalProperties: {type: ["string", "number", "boolean"]}}),
  at("extraArgs"; []; "More options of kpipe, as in [--log-format=json].";
    {type: "array", items: {type: "string", pattern: "^-"}}),
  at("resources"; .resources // default_resources; null; {type: "object",
    additionalProperties: false, properties: {
      requests: {type: "object"}, limits: {type: "object"},
      claims: {type: "array"}}}),
  at("podAnnotations"; {}; "More annotations of the Pods."; strings),
  at("podLabels"; {}; "More labels of the Pods."; strings),
  object("nodeSelector"; "Where the Pods may run."),
  at("tolerations"; []; null; {type: "array", items: {type: "object"}}),
  object("affinity"; null),
  at("priorityClassName"; ""; null;
    {type: "string", pattern: "^([a-z0-9][a-z0-9.-]*)?$"}),
  switch("crds.install"; true;
    "Install and upgrade the kinds. They stay when the release is uninstalled."),
  switch("userRoles.install"; true;
    "Users with the roles view, edit and admin may use the kinds."),
  switch("podDisruptionBudget.enabled"; true;
    "A drain of nodes moves one replica at a time."),
  switch("networkPolicy.enabled"; true;
    "In: metrics. Out: the API server and DNS."),
  at("networkPolicy.apiServerPorts"; [443, 6443]; null;
    {type: "array", minItems: 1, items: port}),
  switch("serviceMonitor.enabled"; false;
    "For clusters with the Prometheus operator."),
  at("serviceMonitor.labels"; {}; "Labels by which a Prometheus selects it.";
    strings),
  switch("prometheusRule.enabled"; false; "Alerts."),
  at("prometheusRule.labels"; {}; null; strings)];

# JSON for people
def pretty_json:
  def pretty($indent):
    if type == "object" and length > 0 then
      "{\n" + ([keys_unsorted[] as $key | "\($indent)  \($key | tojson): "
          + (.[$key] | pretty($indent + "  "))] | join(",\n"))
        + "\n\($indent)}"
    elif type == "array" and any(.[]; type == "object") then
      "[\n" + ([.[] | "\($indent)  " + pretty($indent + "  ")]
        | join(",\n")) + "\n\($indent)]"
    elif type == "array" then "[" + (map(tojson) | join(", ")) + "]"
    else tojson end;
  pretty("") + "\n";

# Comments and values, two levels deep.
def values_file:
  "Values of this chart; values.schema.json says what each may be." as $head
  | reduce settable[] as $v ({"#": $head};
      (if $v.about == null then . else
        setpath($v.path[:-1] + ["#" + $v.path[-1]]; $v.about) end)
      | setpath($v.path; $v.value));

def schema_object($required): {type: "object", additionalProperties: false}
  + (if $required == [] then {} else {required: $required} end);

def values_schema: settable as $values
  | {"$schema": "http://json-schema.org/draft-07/schema#",
    title: "Values of the chart \(operator)"}
    + schema_object(["image", "replicas"])
  # A chart of charts adds global.
  | .properties.global = {type: "object"}
  | (select(any($values[]; .path == ["scope"])) | . + {
      if: {properties: {scope: {const: "cluster"}}},
      then: {properties: {watchNamespaces: {maxItems: 0}}}}) // .
  | reduce $values[] as $v (.;
      if ($v.path | length) == 1 then .properties[$v.path[0]] = $v.schema
      else
        .properties[$v.path[0]] |= (. // schema_object([]))
        | .properties[$v.path[0]].properties[$v.path[1]] = $v.schema end);
