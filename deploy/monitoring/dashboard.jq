# The dashboard: jq -n -f dashboard.jq >dashboard.json (make monitoring).
# For Grafana 9 to 11. Which metric means what: doc/monitoring.md.

# A query; $legend is in Grafana's spelling: {{label}}.
def query($expr; $legend): {expr: $expr, legendFormat: $legend};

# The chosen operators, and the chosen controllers of them.
def of: "{job=~\"$job\",namespace=~\"$namespace\"}";
def of($more): (of | rtrimstr("}")) + "," + $more + "}";
def by_controller: of("controller=~\"$controller\"");

def per_second($series): "rate(\($series)[$__rate_interval])";
def summed($labels; $series): "sum by (\($labels)) (\($series))";
def summed_rate($labels; $series): summed($labels; per_second($series));
# What is rare is a number in each step of the graph, not a rate.
def counted($labels; $series):
  summed($labels; "increase(\($series)[$__rate_interval])");

def quantiles($metric): (0.5, 0.9, 0.99) as $q
  | query("histogram_quantile(\($q), "
      + summed_rate("le, controller"; "\($metric)_bucket\(by_controller)")
      + ")";
    "{{controller}} \($q * 100 | floor) %");

# ---- panels ----

def panel($type; $title; $unit; $queries; $description): {
  type: $type,
  title: $title,
  description: $description,
  datasource: {type: "prometheus", uid: "${datasource}"},
  fieldConfig: {defaults: {unit: $unit, min: 0}, overrides: []},
  targets: [$queries | to_entries[] | .value + {
    refId: ([65 + .key] | implode),
    datasource: {type: "prometheus", uid: "${datasource}"}}]};

def graph($title; $unit; $queries; $description):
  panel("timeseries"; $title; $unit; $queries; $description)
  | .size = {w: 8, h: 8}
  | .fieldConfig.defaults.custom = {fillOpacity: 10, showPoints: "never"}
  | .options = {
      legend: {
        calcs: [], displayMode: "list", placement: "bottom", showLegend: true},
      tooltip: {mode: "multi", sort: "desc"}};

# One number. $steps: its colours, from which value on.
def number($title; $unit; $query; $steps; $description):
  panel("stat"; $title; $unit; [$query]; $description)
  | .size = {w: 4, h: 4}
  | .targets[].instant = true
  | .fieldConfig.defaults.thresholds = {mode: "absolute", steps: $steps}
  | .options = {
      colorMode: "background", graphMode: "none", justifyMode: "auto",
      orientation: "auto", wideLayout: true,
      showPercentChange: false, percentChangeColorMode: "standard",
      reduceOptions: {calcs: ["lastNotNull"], fields: "", values: false},
      textMode: "auto"};

def good_from($value): [
  {color: "red", value: null}, {color: "green", value: $value}];
def bad_from($value; $colour): [
  {color: "green", value: null}, {color: $colour, value: $value}];
def plain: [{color: "blue", value: null}];

# ---- the rows ----

def well: [
  number("Ready"; "percentunit"; query("avg(kpipe_ready\(of))"; "");
    good_from(1); "The part of the replicas that are ready. /readyz?verbose of"
      + " the others says which check fails."),
  number("Leaders"; "none";
    query("sum(leader_election_master_status\(of))"; "");
    plain; "One for each operator with --leader-elect."),
  number("Primaries"; "none";
    query("sum(max by (job, namespace, controller) "
      + "(kpipe_primaries\(by_controller)))"; "");
    plain; "Instances of the kinds that the operators serve."),
  number("Restarts of stages"; "none";
    query("sum(increase(kpipe_stage_starts_total\(of)[$__range]))"; "");
    bad_from(1; "red"); "In the chosen time."),
  number("OOM kills"; "none";
    query("sum(increase(kpipe_stage_oom_kills_total\(of)[$__range]))"; "");
    bad_from(1; "red"); "In the chosen time. The memory limit is too low."),
  number("Deletions held back"; "none";
    query("sum(kpipe_prunes_held\(of))"; "");
    bad_from(1; "red"); "The prune limit is reached: look at the change first."),
  graph("Ready replicas"; "none"; [
      query(summed("job, namespace"; "kpipe_ready\(of)");
        "{{job}} {{namespace}} ready"),
      query("count by (job, namespace) (kpipe_ready\(of))";
        "{{job}} {{namespace}} replicas")];
    "Below the number of replicas something is wrong with one."),
  graph("Stages not ready"; "none"; [
      query(summed("job, namespace, stage"; "1 - kpipe_stage_ready\(of)");
        "{{job}} {{namespace}} {{stage}}")];
    "A stage is not ready also while a right or a kind is missing."),
  graph("Leader"; "none"; [
      query(summed("job, namespace, name";
          "leader_election_master_status\(of)");
        "{{namespace}} {{name}}")];
    "1, or for seconds 0 while the lease changes hands.")];

def reconciles: [
  graph("Reconciles by result"; "ops"; [
      query(summed_rate("controller, result";
          "controller_runtime_reconcile_total\(by_controller)");
        "{{controller}} {{result}}")];
    "Evaluations of primaries. Each write that failed is one more error."),
  graph("Errors"; "none"; [
      query(counted("controller";
          "controller_runtime_reconcile_errors_total\(by_controller)");
        "{{controller}} errors"),
      query(counted("controller";
          "controller_runtime_terminal_reconcile_errors_total\(by_controller)");
        "{{controller}} program failed"),
      query(counted("controller";
          "controller_runtime_reconcile_timeouts_total\(by_controller)");
        "{{controller}} limit"),
      query(counted("controller";
          "controller_runtime_reconcile_panics_total\(by_controller)");
        "{{controller}} jq crashed")];
    "In each step. Statuses, Events and the log name the error."),
  graph("Duration of an evaluation"; "s";
    [quantiles("controller_runtime_reconcile_time_seconds")];
    "Without the writes that follow."),
  graph("Queue depth"; "none"; [
      query(summed("controller"; "workqueue_depth\(by_controller)");
        "{{controller}}")];
    "Primaries that wait for their evaluation."),
  graph("Waiting in the queue"; "s";
    [quantiles("workqueue_queue_duration_seconds")];
    "From the event to the evaluation."),
  graph("Requests under way"; "s"; [
      query("max by (controller) (workqueue_longest_running_processor_seconds"
        + "\(by_controller))"; "{{controller}} longest"),
      query(summed("controller";
          "workqueue_unfinished_work_seconds\(by_controller)");
        "{{controller}} all together")];
    "If it grows, the API server or a webhook does not answer.")];

def writes: [
  graph("Objects by what became of them"; "ops"; [
      query(summed_rate("result"; "kpipe_applied_total\(of)"); "{{result}}")];
    "Failed counts each try."),
  graph("Statuses by what became of them"; "ops"; [
      query(summed_rate("result"; "kpipe_status_total\(of)"); "{{result}}")];
    ""),
  graph("Failed, denied"; "none"; [
      query(counted("job, namespace";
          "kpipe_applied_total\(of("result=\"failed\""))");
        "{{job}} {{namespace}} objects failed"),
      query(counted("job, namespace";
          "kpipe_status_total\(of("result=\"failed\""))");
        "{{job}} {{namespace}} statuses failed"),
      query(counted("job, namespace";
          "rest_client_requests_total\(of("code=\"403\""))");
        "{{job}} {{namespace}} denied")];
    "In each step. Denied: a right is missing, or a quota or a webhook"
      + " refuses the object."),
  graph("Desired sets, dropped items"; "ops"; [
      query(summed_rate("controller"; "kpipe_sets_total\(by_controller)");
        "{{controller}} sets"),
      query("sum(\(per_second("kpipe_stale_total\(of)")))"; "stale")];
    "A converged cluster needs no sets. Stale: a newer set follows."),
  graph("Waiting for the ceiling of writes"; "percentunit"; [
      query(summed_rate("job, namespace, tool";
          "kpipe_writes_held_seconds_total\(of)");
        "{{job}} {{namespace}} {{tool}}")];
    "The part of the time in which --max-writes-per-second held writes back."),
  graph("Prune limit, orphans, other instances"; "none"; [
      query(summed("job, namespace"; "kpipe_prunes_held\(of)");
        "{{job}} {{namespace}} deletions held"),
      query("max by (controller) (kpipe_orphans\(by_controller))";
        "{{controller}} orphans"),
      query("max by (controller) (kpipe_primaries_of_other_instances\(by_controller))";
        "{{controller}} another instance has")];
    "Orphans: members whose primary does not exist. What another instance has is left alone."),
  graph("Loops, unsettled, tolerated"; "none"; [
      query(counted("controller"; "kpipe_loops_total\(by_controller)");
        "{{controller}} loops"),
      query(counted("controller"; "kpipe_unsettled_total\(by_controller)");
        "{{controller}} unsettled"),
      query(counted("controller"; "kpipe_tolerated_total\(by_controller)");
        "{{controller}} tolerated"),
      query(counted("controller"; "kpipe_evaluations_delayed_total\(by_controller)");
        "{{controller}} delayed")];
    "In each step. A loop: another client changes a field back."
      + " Unsettled: the program never stops changing something."
      + " Delayed: evaluations, by evaluationsPerMinute."),
  graph("Events sent"; "ops"; [
      query(summed_rate("result"; "kpipe_events_total\(of)"); "{{result}}")];
    "Dropped: refused, too many, or without an answer."),
  graph("Bad lines, unproven marks"; "none"; [
      query(counted("tool"; "kpipe_bad_lines_total\(of)");
        "{{tool}} bad lines"),
      query("sum(kpipe_unproven_marks\(of))"; "unproven marks")];
    "A bad line is a bug, or a filter between the stages.")];

def watching: [
  graph("Events by kind"; "ops"; [
      query(summed_rate("kind, type"; "kpipe_watch_events_total\(of)");
        "{{kind}} {{type}}")];
    "Of watches, without the objects of lists."),
  graph("Objects in memory"; "none"; [
      query("max by (kind) (kpipe_objects\(of))"; "{{kind}}"),
      query("max by (kind) (kpipe_objects_too_large\(of))";
        "{{kind}} too large")];
    "Of one replica: each holds the same. Too large: it cannot be read,"
      + " and its primaries fail."),
  graph("Watches that began again"; "none"; [
      query(counted("job, namespace"; "kpipe_watch_relists_total\(of)");
        "{{job}} {{namespace}} relists"),
      query(counted("job, namespace"; "kpipe_watch_reconnects_total\(of)");
        "{{job}} {{namespace}} reconnects"),
      query(counted("job, namespace"; "kpipe_watch_coalesced_total\(of)");
        "{{job}} {{namespace}} merged events")];
    "In each step. Merged events: ireconcile does not keep up.")];

def requests: [
  graph("Requests by code"; "reqps"; [
      query(summed_rate("code"; "rest_client_requests_total\(of)");
        "{{code}}")];
    "<error>: no answer came. A watch counts when it begins."),
  graph("Requests by method"; "reqps"; [
      query(summed_rate("method"; "rest_client_requests_total\(of)");
        "{{method}}")];
    ""),
  graph("Requests that failed"; "percentunit"; [
      query("sum by (job, namespace) (\(per_second(
          "rest_client_requests_total\(of("code!~\"[123].*\""))"))) / "
        + summed_rate("job, namespace"; "rest_client_requests_total\(of)");
        "{{job}} {{namespace}}")];
    "The part without a good answer. Conflicts (409) are normal.")];

# How long the writes of a primary take is in "Requests under way", and in
# "Traces".
def processes: [
  graph("Memory of a replica"; "bytes"; [
      query("process_resident_memory_bytes\(of) and kpipe_ready\(of)";
        "{{instance}}")];
    "All tools together; shared pages count once for each process."),
  graph("Memory by tool"; "bytes"; [
      query("max by (tool) (kpipe_tool_resident_memory_bytes\(of))";
        "{{tool}}")];
    "Of the replica in which it is largest."),
  graph("Processor by tool"; "percentunit"; [
      query(summed_rate("tool"; "kpipe_tool_cpu_seconds_total\(of)");
        "{{tool}}")];
    "1 is one processor.")];

def shadow: [
  graph("Primaries that would differ"; "none"; [
      query("max by (controller) (kpipe_shadow_differences\(by_controller))";
        "{{controller}}"),
      query("max by (controller) (kpipe_shadow_failures\(by_controller))";
        "{{controller}}, not compared")];
    "With the program of --shadow, now. The log and Events say in what."),
  graph("Comparisons"; "ops"; [
      query(summed_rate("controller";
          "kpipe_shadow_compared_total\(by_controller)");
        "{{controller}}")];
    "How often both programs decided about a primary.")];

def traces: [
  graph("From event to answer"; "s";
    [quantiles("kpipe_decision_seconds") + {exemplar: true}];
    "The writes included; each exemplar is a trace. With --otlp-endpoint."),
  graph("Traces sent"; "ops"; [
      query(summed_rate("result"; "kpipe_traces_total\(of)"); "{{result}}")];
    "Dropped: the collector refused them, or did not answer for long.")];

# Panels go from left to right into lines as high as their first panel.
def placed:
  reduce .[] as $p ({x: 0, y: 0, h: 0, panels: []};
    (if .x + $p.size.w > 24 or (.x > 0 and .h != $p.size.h)
     then .y += .h | .x = 0 else . end)
    | .h = $p.size.h
    | .panels += [$p + {gridPos: ($p.size + {x, y})} | del(.size)]
    | .x += $p.size.w)
  | {panels, height: (.y + .h)};

def row($title): {
  type: "row", title: $title, collapsed: false, panels: []};

def panels: reduce (
    ["Is it well", well], ["Reconciles", reconciles], ["Writes", writes],
    ["Watch", watching], ["API requests", requests], ["Processes", processes],
    ["Shadow", shadow], ["Traces", traces])
    as [$title, $panels]
  ({y: 0, panels: []};
    .y as $y
    | ($panels | placed) as $placed
    | .panels += [row($title) + {gridPos: {x: 0, y: $y, w: 24, h: 1}}]
      + [$placed.panels[] | .gridPos.y += $y + 1]
    | .y = $y + 1 + $placed.height)
  | [.panels | to_entries[] | .value + {id: (.key + 1)}];

# A choice among the values that $label has; ".*" also fits where it is absent,
# as `namespace` is without a Kubernetes around.
def choice($name; $metric): "label_values(\($metric), \($name))" as $query | {
  name: $name,
  label: $name,
  type: "query",
  datasource: {type: "prometheus", uid: "${datasource}"},
  definition: $query,
  query: {query: $query, refId: "variable"},
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue: ".*",
  current: {selected: true, text: ["All"], value: ["$__all"]},
  options: [],
  hide: 0};

{
  uid: "kpipe-operators",
  title: "Operators (kpipe)",
  description: "Operators made with kpipe. Names: doc/monitoring.md.",
  tags: ["kpipe", "kubernetes"],
  schemaVersion: 36,
  version: 1,
  id: null,
  editable: true,
  graphTooltip: 1,
  refresh: "30s",
  time: {from: "now-1h", to: "now"},
  timepicker: {},
  timezone: "",
  annotations: {list: []},
  links: [],
  templating: {list: [
    {name: "datasource", label: "datasource", type: "datasource",
      query: "prometheus", refresh: 1, regex: "", multi: false,
      includeAll: false, options: [], hide: 0},
    choice("job"; "kpipe_ready"),
    choice("namespace"; "kpipe_ready{job=~\"$job\"}"),
    choice("controller"; "kpipe_primaries\(of)")]},
  panels: panels}
