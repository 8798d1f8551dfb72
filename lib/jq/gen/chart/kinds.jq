# Which kinds of objects the templates of a chart make, for watches.yaml.
include "gen/kinds";

# The text of a list, with \u0001 where something is printed: all branches, each
# between \u0002 and \u0003 unless it is words of a line.
def _flat:
  [.[] | if type == "string" then .
    elif .t == "print" then "\u0001" + (.x | if .e == "chain" and .f[0] == "Values"
        then .f | join(".") else "" end) + "\u0001"
      + ([.x | .. | objects | select(.e == "lit") | .v | strings | " \(.) "]
        | add // "")
    elif .t == "template" then "\u0001\u0001"
    elif .t == "if" or .t == "with" or .t == "range" then
      (.then | _flat) as $a | (.else | _flat) as $b
      | if $a + $b | contains("\n") then "\u0002" + $a + "\u0003\u0002" + $b + "\u0003"
        else $a + " " + $b + " " end
    else "" end] | add // "";

def _versions: {apps: "apps/v1", batch: "batch/v1",
  autoscaling: "autoscaling/v2", policy: "policy/v1"};

# What Kubernetes itself has of a kind: {apiVersion, kind, cluster}, or null.
def _builtin($api):
  . as $kind
  | (if ($api // "") | contains("/") then $api | split("/")[0] else "" end) as $group
  | [builtin_kinds | to_entries[] | select(.key | split(".")[0] == $kind)
      | (.key | split(".")[1:] | join(".")) as $g
      | select($api == null or $g == $group)
      | {apiVersion: (if $g == "" then "v1" else _versions[$g] // "\($g)/v1" end),
          kind: $kind, cluster: (.value.cluster // false)}]
  | .[0];

def _old_groups: {extensions: null};

# Kinds of well-known operators that have no namespace, and versions of those
# whose version a template computes.
def _others: {
  ServiceMonitor: "monitoring.coreos.com/v1", PodMonitor: "monitoring.coreos.com/v1",
  PrometheusRule: "monitoring.coreos.com/v1", Probe: "monitoring.coreos.com/v1",
  ScrapeConfig: "monitoring.coreos.com/v1alpha1",
  Certificate: "cert-manager.io/v1", Issuer: "cert-manager.io/v1",
  ClusterIssuer: "cert-manager.io/v1",
  VerticalPodAutoscaler: "autoscaling.k8s.io/v1",
  HTTPRoute: "gateway.networking.k8s.io/v1", Gateway: "gateway.networking.k8s.io/v1",
  GatewayClass: "gateway.networking.k8s.io/v1", GRPCRoute: "gateway.networking.k8s.io/v1",
  TLSRoute: "gateway.networking.k8s.io/v1alpha2",
  TCPRoute: "gateway.networking.k8s.io/v1alpha2",
  UDPRoute: "gateway.networking.k8s.io/v1alpha2",
  BackendTLSPolicy: "gateway.networking.k8s.io/v1",
  ScaledObject: "keda.sh/v1alpha1"
};
def _without_namespace: ["ClusterIssuer", "GatewayClass", "PodSecurityPolicy",
  "SecurityContextConstraints", "ClusterSecretStore", "ClusterExternalSecret",
  "ClusterPodMonitoring", "CiliumClusterwideNetworkPolicy", "ClusterGenerator",
  "ClusterPushSecret"];

def _default_at($instances): split(".")[1:] as $p
  | [$instances[] | .chart.values | try getpath($p) catch null | select(. != null)][0];

# The documents of a text, {apis, kinds}: what stands behind these keys. A kind
# is left out whose objects are hooks of Helm, which are not made: by an
# annotation in the same branch, or in one around it.
def _documents:
  {apis: [], kinds: [], hooks: []} as $none
  | reduce (gsub("(?<c>[\u0002\u0003])"; "\n\(.c)\n") | split("\n")[]) as $line
      ({documents: [$none], depth: 0};
        if $line == "\u0002" then .depth += 1
        elif $line == "\u0003" then .depth -= 1
        elif $line | startswith("---") then .documents += [$none]
        elif $line | startswith("kind:") then
          .documents[-1].kinds += [{text: $line[5:], depth}]
        elif $line | startswith("apiVersion:") then
          .documents[-1].apis += [$line[11:]]
        elif $line | test("helm\\.sh/hook[\"']?:") then
          .documents[-1].hooks += [.depth]
        else . end)
  | .documents
  | map((.hooks | min) as $hook
      | .kinds |= map(select($hook == null or $hook > .depth) | .text));

# One of them: which versions, and which kinds; a null: not known.
def _of_document($instances):
  {
    versions: [.apis[] | match("[a-z][a-z0-9.-]*(?:/v[0-9][a-z0-9]*)|\\bv1\\b"; "g")
      | .string],
    kinds: [.kinds[]
      | [gsub("\\x{1}[^\\x{1}]*\\x{1}"; "")
          | match("\\b[A-Z][A-Za-z0-9]+"; "g") | .string] as $words
      | if $words != [] then $words[]
        else [match("\\x{1}(?<v>Values[^\\x{1}]+)\\x{1}"; "g")
            | .captures[0].string | _default_at($instances) | strings]
          | if . != [] then .[] else null end end]
  };

# {kinds: [{apiVersion, kind, cluster, optional}], unknown: [where]}
def kinds_of_templates($instances):
  [.templates[] | select(.body != null) as $t
    | $t.body | _flat | _documents[]
    | _of_document($instances)
    | .versions as $versions
    | .kinds[]
    | if . == null then {unknown: "\($t.path):\($t.line)"}
      else . as $kind
        | ([$versions[] as $v | $kind | _builtin($v) | values][0]
            // (if $versions == [] or ($versions | all(.[]; startswith("extensions/")))
              then $kind | _builtin(null) else null end)) as $own
        | if $own != null then $own
          elif $versions != [] then
            # The last one is the newest in the habit of charts.
            {apiVersion: ($versions | sort_by(test("alpha|beta")) | .[0]), kind: $kind, optional: true,
              cluster: ($kind | IN(_without_namespace[]))}
          elif _others[$kind] != null then
            {apiVersion: _others[$kind], kind: $kind, optional: true,
              cluster: ($kind | IN(_without_namespace[]))}
          elif $kind == "List" then empty
          else {unknown: "\($t.path):\($t.line): kind \($kind)"} end
      end] as $all
  | {
      kinds: ([$all[] | select(.unknown == null)]
        | group_by([.kind, (.apiVersion | split("/") | if length > 1 then .[0] else "" end)])
        | map(sort_by(.apiVersion | test("alpha|beta"))[0])
        | sort_by(.optional // false, .kind)),
      unknown: [$all[] | .unknown // empty] | unique
    };
