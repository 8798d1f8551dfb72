# What a cluster with the Prometheus operator needs to watch an operator, by the
# metrics of doc/monitoring.md.
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

# The same query of one job: the metrics, which it names by what they begin
# with, get the label.
def of_job($job):
  gsub("\\b(?<metric>(kpipe|controller_runtime|workqueue|leader_election|process)_\\w+)";
    "\(.metric){job='\($job)'}");

# Those of deploy/monitoring/alerts.yaml, of the same names and with the same
# queries, that say more of one operator; t/5350-alerts.sh compares them. Of one
# operator it is known that it should be there.
def alerts: operator as $operator
  | "{{ $labels.namespace }}/{{ $labels.pod }}" as $pod
  | "{{ $labels.controller }}" as $kind
  | [
    alert("OperatorAbsent"; "critical";
      "absent(kpipe_ready)"; "10m";
      "\($operator) has no metrics";
      "No replica runs, or Prometheus may not read its metrics."),
    alert("OperatorNotReady"; "warning";
      "kpipe_ready == 0"; "5m";
      "\($operator) is not ready";
      "\($pod): /readyz?verbose says which check fails, the log says why."),
    alert("OperatorWithoutLeader"; "critical";
      "sum by (job, namespace, name) (leader_election_master_status) == 0";
      "2m";
      "\($operator) has no leader";
      "Nothing is written in {{ $labels.namespace }}: see the log of kelect."),
    alert("OperatorRestarts"; "warning";
      "increase(kpipe_stage_starts_total[15m]) > 3"
      + " or changes(process_start_time_seconds[30m]) > 2"
      + " and on (job, instance) present_over_time(kpipe_ready[30m])"; "";
      "\($operator), or a stage of it, keeps crashing";
      "{{ or $labels.stage \"kpipe\" }} of \($pod): the log has its last words."),
    alert("MemoryLimitTooLow"; "warning";
      "increase(kpipe_stage_oom_kills_total[15m]) > 0"; "";
      "A stage of \($operator) was killed for memory";
      "{{ $labels.stage }} of \($pod) needs more than resources.limits has."),
    # What fails for good is tried every 10 to 20 minutes: a rate over minutes
    # would be 0 between the tries.
    alert("ReconcileErrors"; "warning";
      "count_over_time((sum by (job, namespace, controller)"
      + " (increase(controller_runtime_reconcile_errors_total[5m])) > 0)"
      + "[1h:5m]) >= 3"; "";
      "\($operator) fails for some objects, again and again";
      "\($kind): their status, Events and the log name the error."),
    alert("ProgramFails"; "warning";
      "controller_runtime_terminal_reconcile_errors_total" as $errors
      | "sum by (job, namespace, controller) (increase(\($errors)[15m]) > 0"
      + " or (\($errors) > 0 unless \($errors) offset 15m))"; "";
      "The program of \($operator) fails for some objects";
      "\($kind): their status, Events and the log name the error."),
    alert("ForeignChanges"; "warning";
      "sum by (job, namespace, controller)"
      + " (increase(kpipe_loops_total[15m])) > 0"; "";
      "Another client changes objects of \($operator)";
      "\($kind): the log names the objects and the field manager."),
    alert("ProgramNeverSettles"; "warning";
      "sum by (job, namespace, controller)"
      + " (increase(kpipe_unsettled_total[15m])) > 0"; "";
      "The program of \($operator) never stops changing an object";
      "\($kind): the log names the object and the field."),
    alert("TooManyDeletions"; "critical";
      "kpipe_prunes_held > 0"; "";
      "Deletions of \($operator) are held back";
      "\($pod): more than --prune-limit at once. Look at the change first."),
    alert("WritesAreStuck"; "warning";
      "workqueue_longest_running_processor_seconds > 60"; "1m";
      "Writes of \($operator) hang";
      "\($kind): the API server or a webhook does not answer.")]
  | map(.expr |= of_job("\($operator)-metrics"));

def prometheus_rule: {
  apiVersion: "monitoring.coreos.com/v1",
  kind: "PrometheusRule",
  metadata: meta(operator),
  spec: {groups: [{name: operator, rules: alerts}]}};
