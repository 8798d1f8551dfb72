# deploy/NAME/chart: the manifests as a chart of Helm 3. Its templates are the
# same objects, with expressions of Helm (gen/helm) in the description that they
# are made of. See doc/packaging.md.
include "gen/yaml";
include "gen/rights";
include "gen/deployment";
include "gen/accounts";
include "gen/monitoring";
include "gen/manifests";
include "gen/helm";
include "gen/values";

# From here on .Values are the values, and $ is for the inside of a block.
def parametrized: . + {
  namespace: helm("{{ $.Release.Namespace }}"),
  version: helm("{{ $.Chart.AppVersion | quote }}"),
  imagePullPolicy: helm("{{ .Values.image.pullPolicy }}"),
  replicas: helm("{{ .Values.replicas }}"),
  resources: helm("{{- toYaml .Values.resources | nindent 10 }}")};

# A release may be in the namespace 123, which is a number without quotes; a
# part of a longer name needs no quotes.
def quoted_namespace: (.metadata, .subjects[]?) |=
  if .namespace == helm("{{ $.Release.Namespace }}")
  then .namespace = helm("{{ $.Release.Namespace | quote }}") else . end;

# What else the environment has is in .Values.
def without_settings: . + {env: {},
  variables: [.variables[]? | select(.name == "OPERATOR_NAME")]};

def in_scope($scope): . + {scope: $scope};

# ---- what every object has ----

# Releases cannot share objects of the cluster, as two of them might: their
# names end with the namespace.
def of_release: ".\(helm("{{ $.Release.Namespace }}"))" as $suffix
  | (if .kind == "ClusterRole" then .metadata.name += $suffix else . end)
  | (if .roleRef.kind == "ClusterRole" then .roleRef.name += $suffix else . end);

# The labels of all objects are in _helpers.tpl; a few objects have more.
def own_labels: del(.["app.kubernetes.io/name", "app.kubernetes.io/version",
  "app.kubernetes.io/part-of"]);

def of_chart($operator): .metadata.labels |=
  {(line("{{- include \"\($operator).labels\" $ | nindent 4 }}")): null}
    + own_labels;

def in_chart($operator):
  map(of_release | quoted_namespace | of_chart($operator));
def text($operator): in_chart($operator) | documents;
def more_text($operator): in_chart($operator) | more_documents;

# ---- files ----

def chart_file: . as $d | {
  apiVersion: "v2",
  name: operator,
  version,
  appVersion: .version,
  type: "application",
  description,
  kubeVersion: ">=1.27.0-0",
  keywords: (.keywords // [.name, "operator", "kpipe"]),
  home: (.links[0]?.url // null),
  sources: [.links[]?.url],
  maintainers,
  # Helm takes only an address here.
  icon: (.icon | if type == "string" and test("^(https?|data):") then .
    else null end)}
  | with_entries(select(.value != null and .value != []));

def helpers: "{{- define \"\(operator).labels\" -}}
\(parametrized | labels | yaml | template)app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace \"+\" \"_\" }}
{{- end -}}

{{- define \"\(operator).image\" -}}
{{- with .Values.image -}}
{{ .repository }}
{{- if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end -}}
";

# ---- rights: arrays of {stage, role} ----

def pair($stage; role): role as $role | {$stage, $role};

def common_pairs: [common_stages[] as $stage
  | pair($stage; stage_roles($stage))];

def cluster_pairs: in_scope("cluster")
  | [scoped_stages[] as $stage | pair($stage; stage_roles($stage))];

# In each namespace that is watched. The operator's own may be another one, in
# which its stages need more.
def watched_pairs: [scoped_stages[] as $stage | pair($stage;
  role($stage; "Role";
    meta(service_account($stage)) | .namespace = helm("{{ . | quote }}");
    rules($stage; "namespace").namespaced))];

def fixed_pairs: [scoped_stages[] as $stage
  | rules($stage; "namespace") as $r
  | service_account($stage) as $name
  | pair($stage;
    role($stage; "Role"; meta("\($name)-operator"); $r.operator_namespace),
    role($stage; "ClusterRole"; cluster_meta($name); $r.cluster),
    ($r.others[] as $o | role($stage; "Role";
      meta($name) | .namespace = $o.namespace; $o.rules)))];

def scoped($of_cluster; $of_each; $fixed):
  ("{{- range .Values.watchNamespaces | default (list .Release.Namespace) }}\n"
    + $of_each + "{{- end }}\n" + $fixed) as $of_namespaces
  | if in_namespace | not then $of_cluster
    elif in_cluster | not then $of_namespaces
    else "{{- if eq .Values.scope \"cluster\" }}\n" + $of_cluster
      + "{{- else }}\n" + $of_namespaces + "{{- end }}\n" end;

# objects: of the array $pairs, with the description as input
def rights_text(objects): . as $description
  | operator as $operator
  | def part($pairs): [$pairs[] as $pair | $pair + {$description} | objects]
      | more_text($operator);
    part(common_pairs)[4:]
    + scoped(part(cluster_pairs); part(watched_pairs); part(fixed_pairs));

def roles_text: rights_text(.role);
def bindings_text: rights_text(. as {$stage, $role}
  | .description | binding($stage; $role));

# ---- the Deployment ----

def watch_environment:
  [in_scope("cluster") | watch_namespace] as $all
  | [in_scope("namespace") | watch_namespace] as $own
  | if in_namespace | not then $all
    else [
      (if in_cluster then line("{{- if eq .Values.scope \"cluster\" }}"),
          $all[], line("{{- else if .Values.watchNamespaces }}")
        else line("{{- if .Values.watchNamespaces }}") end),
      {name: $own[0].name,
        value: helm("{{ join \",\" .Values.watchNamespaces | quote }}")},
      line("{{- else }}"), $own[], line("{{- end }}")] end;

def more_environment: [
  line("{{- range $name, $value := .Values.env }}"),
  {name: helm("{{ $name | quote }}"), value: helm("{{ $value | quote }}")},
  line("{{- end }}")];

def image_expression: helm("{{ include \"\(operator).image\" . | quote }}");

def operator_pod: without_settings | watch_environment as $environment
  | image_expression as $image
  | deployment.spec.template.spec
  | del(.imagePullSecrets)
  | .containers[0] |= (.image = $image
      | .env += $environment + more_environment
      | .args += more_of(".Values.extraArgs"; 8))
  | . + with_value("imagePullSecrets"; ".Values.imagePullSecrets"; 8)
    + between("{{- with .Values.priorityClassName }}";
        {priorityClassName: helm("{{ . | quote }}")})
    + with_value("nodeSelector"; ".Values.nodeSelector"; 8)
    + with_value("affinity"; ".Values.affinity"; 8)
    + with_value("tolerations"; ".Values.tolerations"; 8);

def operator_template: operator_pod as $pod
  | deployment
  | .spec.template.metadata.labels += more_keys(".Values.podLabels"; 8)
  | .spec.template.metadata.annotations += more_keys(".Values.podAnnotations"; 8)
  | .spec.template.spec = $pod;

# The API server's ports are the first rule out.
def network_policy_template: network_policy
  | .spec.egress[0].ports = [
      line("{{- range .Values.networkPolicy.apiServerPorts }}"),
      tcp(helm("{{ . }}")), line("{{- end }}")];

def labelled($value): .metadata.labels += more_keys($value; 4);

# Of kpipe's options: not those of a process that stays.
def is_of_one_run: startswith("--filename") or startswith("--kwatch")
  or startswith("--kapply") or startswith("--kstatus");

# helm test: what the operator would do now, with its image, its accounts and its
# rights. It fails where it could not. Helm prints what the Pod says, and then
# deletes it, because helm uninstall leaves such Pods; one that fails stays for a
# look.
def dry_run: operator as $operator
  | [operator_pod] as [$pod]
  | {"#": ("kpipe --dry-run reads what the operator reads, and asks the API server"
      + "\nwhether it would accept what the operator writes."),
    apiVersion: "v1",
    kind: "Pod",
    metadata: (meta("\($operator)-dry-run")
      | .labels["app.kubernetes.io/name"] = "\($operator)-test"
      | .annotations = {"helm.sh/hook": "test",
          "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
          "helm.sh/hook-output-log-policy": "hook-succeeded,hook-failed"}),
    spec: ($pod + {restartPolicy: "Never"}
      | del(.topologySpreadConstraints, .terminationGracePeriodSeconds)
      | .containers[0] |= (
          del(.ports, .startupProbe, .livenessProbe, .readinessProbe)
          | .args |= ["--dry-run", (.[] | select(is_of_one_run))]))};

# A CRD has no label or name that depends on the release: any release may own it.
def crd_text: [.metadata.annotations += {"helm.sh/resource-policy": "keep"}]
  | documents | when(".Values.crds.install");

def notes:
  [.crds[] | .spec.names.plural + "." + .spec.group] as $kinds
  | [unset[] as $name | .variables[] | select(.name == $name and .required)
    | .name] as $required
  | "\(operator) {{ .Chart.AppVersion }} is in the namespace {{ .Release.Namespace }}.

When it is up, one of its Pods holds the lease:

  kubectl -n {{ .Release.Namespace }} rollout status deployment/\(deployment.metadata.name)
  kubectl -n {{ .Release.Namespace }} get lease

What it would do now, with its rights; nothing is changed:

  helm test {{ .Release.Name }} -n {{ .Release.Namespace }}

Create objects of \($kinds | join(", ")), and read what it does with them:

  kubectl -n {{ .Release.Namespace }} logs deployment/\(deployment.metadata.name) -f
{{- range .Values.imagePullSecrets }}
{{- if not (lookup \"v1\" \"Secret\" $.Release.Namespace .name) }}

There is no Secret {{ .name }} in the namespace: images that are not public
cannot be pulled.
{{- end }}
{{- end }}

helm uninstall leaves the kinds and their objects. Delete the objects first,
while the operator is there to clean up.
";

def templates: [
  (.crds[] | {path: "crds/\(.spec.names.plural).yaml", text: crd_text}),
  (operator as $operator | parametrized
    | {path: "service_account.yaml", text: (accounts | text($operator))},
    {path: "role.yaml", text: roles_text},
    {path: "role_binding.yaml", text: bindings_text},
    (select(.program) | {path: "program.yaml",
      text: ([program_configmap] | text($operator)), warnings: program_warnings}),
    {path: "operator.yaml", text: ([operator_template] | text($operator))},
    {path: "service.yaml", text: ([metrics_service] | text($operator))},
    {path: "poddisruptionbudget.yaml", text: ([disruption_budget] | text($operator)
      | when(".Values.podDisruptionBudget.enabled"))},
    {path: "networkpolicy.yaml", text: ([network_policy_template] | text($operator)
      | when(".Values.networkPolicy.enabled"))},
    {path: "users.yaml", text: ([viewer, editor] | text($operator)
      | when(".Values.userRoles.install"))},
    {path: "service_monitor.yaml", text: (
      [metrics_reader, (service_monitor
        | labelled(".Values.serviceMonitor.labels"))] | text($operator)
      | when(".Values.serviceMonitor.enabled"))},
    {path: "prometheus_rule.yaml", text: (
      [prometheus_rule | labelled(".Values.prometheusRule.labels")] | text($operator)
      | when(".Values.prometheusRule.enabled"))},
    {path: "tests/dry_run.yaml", text: ([dry_run | quoted_namespace] | documents)})];

def chart: checked | checked_program | [
  {path: "Chart.yaml", objects: [chart_file]},
  {path: "values.yaml", objects: [values_file]},
  {path: "values.schema.json", text: (values_schema | pretty_json)},
  {path: ".helmignore", text: "*.tgz\n"},
  {path: "templates/_helpers.tpl", text: helpers},
  {path: "templates/NOTES.txt", text: notes},
  (templates[] | .path |= "templates/\(.)")];
