# What a cluster with the Prometheus operator needs to watch an operator, by the
# metrics of doc/metrics.md.
include "gen/deployment";

# Prometheus' own account is bound to this by the administrator.
def metrics_reader: {
  "#": ("For the account of Prometheus:"
    + "\n  kubectl create clusterrolebinding \(operator)-metrics-reader \\"
    + "\n    --clusterrole=\(operator)-metrics-reader \\"
    + "\n    --serviceaccount=monitoring:prometheus-k8s"),
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: cluster_meta("\(operator)-metrics-reader"),
  rules: [{nonResourceURLs: ["/metrics"], verbs: ["get"]}]};

def service_monitor: {
  apiVersion: "monitoring.coreos.com/v1",
  kind: "ServiceMonitor",
  metadata: meta("\(operator)-metrics"),
  spec: {
    selector: {matchLabels: pod_labels},
    endpoints: [{
      port: "metrics",
      scheme: "https",
      path: "/metrics",
      bearerTokenFile: "\(credentials_dir)/token",
      tlsConfig: {
        "#": ("Each replica makes its own certificate. With one of your own"
          + "\n(--metrics-cert-path) write ca and serverName here."),
        insecureSkipVerify: true}}]}};

# for: "" fires at once
def alert($name; $severity; $expr; $for; $summary; $description):
  {alert: $name, expr: $expr}
  + (if $for == "" then {} else {for: $for} end)
  + {labels: {severity: $severity},
    annotations: {summary: $summary, description: $description}};

def alerts: operator as $operator
  | "{job='\($operator)-metrics'}" as $in
  | "{{ $labels.namespace }}/{{ $labels.pod }}" as $pod
  | "{{ $labels.controller }}" as $kind
  | [
    alert("OperatorAbsent"; "critical";
      "absent(kpipe_ready\($in))"; "10m";
      "\($operator) has no metrics";
      "No replica runs, or Prometheus may not read its metrics."),
    alert("OperatorNotReady"; "warning";
      "kpipe_ready\($in) == 0"; "5m";
      "\($operator) is not ready";
      "\($pod): /readyz?verbose says which check fails, the log says why."),
    alert("OperatorWithoutLeader"; "critical";
      "sum by (namespace) (leader_election_master_status\($in)) == 0"; "2m";
      "\($operator) has no leader";
      "Nothing is written in {{ $labels.namespace }}: see the log of kelect."),
    alert("OperatorRestarts"; "warning";
      "increase(kpipe_stage_starts_total\($in)[15m]) > 3"; "";
      "A stage of \($operator) keeps crashing";
      "{{ $labels.stage }} of \($pod): the log has its last words."),
    alert("MemoryLimitTooLow"; "warning";
      "increase(kpipe_stage_oom_kills_total\($in)[15m]) > 0"; "";
      "A stage of \($operator) was killed for memory";
      "{{ $labels.stage }} of \($pod) needs more than resources.limits has."),
    alert("ReconcileErrors"; "warning";
      "rate(controller_runtime_reconcile_errors_total\($in)[5m]) > 0"; "10m";
      "\($operator) fails for some objects";
      "\($kind): their status, Events and the log name the error."),
    alert("ForeignChanges"; "warning";
      "increase(kpipe_loops_total\($in)[15m]) > 0"; "";
      "Another client changes objects of \($operator)";
      "\($kind): the log names the objects and the field manager."),
    alert("ProgramNeverSettles"; "warning";
      "increase(kpipe_unsettled_total\($in)[15m]) > 0"; "";
      "The program of \($operator) never stops changing an object";
      "\($kind): the log names the object and the field."),
    alert("TooManyDeletions"; "critical";
      "kpipe_prunes_held\($in) > 0"; "";
      "Deletions of \($operator) are held back";
      "\($pod): more than --prune-limit at once. Look at the change first."),
    alert("WritesAreStuck"; "warning";
      "workqueue_longest_running_processor_seconds\($in) > 60"; "";
      "Writes of \($operator) hang";
      "\($kind): the API server or a webhook does not answer.")];

def prometheus_rule: {
  apiVersion: "monitoring.coreos.com/v1",
  kind: "PrometheusRule",
  metadata: meta(operator),
  spec: {groups: [{name: operator, rules: alerts}]}};
