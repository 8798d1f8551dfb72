#!/bin/bash
# deploy/monitoring/dashboard.json: its structure; its queries, and those of the
# alerts, in a Prometheus that reads a kpipe.
# servers: kapi
# check-all: needs prometheus
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=http.sh
. "${0%/*}/http.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
# shellcheck source=prometheus.sh
. "${0%/*}/prometheus.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
prometheus_needed
dashboard=deploy/monitoring/dashboard.json

mkdir "$T/made"
runs 0 "the dashboard is made" deploy/monitoring/generate "$T/made"
same $dashboard "$T/made/dashboard.json" "... is not stale (make monitoring)"

# ---- structure ----

cat >"$T/faults.jq" <<'END'
# The names of variables in a text: $job, ${job}; not those of Grafana.
def variables: [match("\\$\\{?([a-z]\\w*)"; "g").captures[0].string];
def twice: group_by(.)[] | select(length > 1) | .[0];

([.templating.list[].name]) as $known
| (if .schemaVersion < 36 or .schemaVersion > 39 then "schemaVersion" else empty end),
  (if .uid | type == "string" and test("^[-a-z]{1,40}$") then empty else "uid" end),
  (if .id != null then "id must be null" else empty end),
  ([.panels[].id] | twice | "two panels \(.)"),
  (.panels[] | select(.id | type != "number") | "no id: \(.title)"),
  ([.panels[].title] | twice | "two panels \(.)"),
  (.panels[] | select(.gridPos | .x < 0 or .x + .w > 24 or .w < 1 or .h < 1)
    | "outside: \(.title)"),
  ([.panels[].gridPos as {$x, $y, $w, $h} | range($x; $x + $w) as $i
    | range($y; $y + $h) as $j | "\($i) \($j)"] | twice | "overlap at \(.)"),
  (.panels[] | select(.type != "row")
    | . as $panel
    | (select(.type | IN("stat", "timeseries") | not) | "type of \(.title)"),
      (select(.targets == []) | "no target: \(.title)"),
      (select((.fieldConfig.defaults.unit // "") == "") | "no unit: \(.title)"),
      ([.targets[].refId // "(absent)"] | twice | "two targets \(.): \($panel.title)"),
      (.targets[]
        | (select((.expr // "") == "") | "no expr: \($panel.title)"),
          (select((.refId // "") == "") | "no refId: \($panel.title)")),
      (.. | .datasource? // empty | select(.uid != "${datasource}")
        | "datasource of \($panel.title)")),
  (([.panels[], .templating.list[] | .. | strings | variables[]] | unique) - $known
    | .[] | "no variable \(.)"),
  ($known - [.panels[], .templating.list[] | .. | strings | variables[]]
    | .[] | "unused variable \(.)")
END
# the faults of a changed dashboard
faults() {
	jq "$1" $dashboard | jq -r -f "$T/faults.jq"
}
is "$(faults .)" "" "the dashboard is as Grafana wants it"
while IFS='|' read -r change want; do
	is "$(faults "$change" | head -n 1)" "$want" "... not with ${want%%:*}"
done <<'END'
.schemaVersion = 30|schemaVersion
.uid = "a b"|uid
.panels[2].id = 2|two panels 2
.panels[2].gridPos.x = 21|outside: Leaders
.panels[2].gridPos.x = 1|overlap at 1 1
.panels[2].gridPos.h = 5|overlap at 4 5
.panels[2].targets = []|no target: Leaders
.panels[2].type = "graph"|type of Leaders
del(.panels[2].targets[0].expr)|no expr: Leaders
del(.panels[2].targets[0].refId)|no refId: Leaders
.panels[7].targets[].refId = "A"|two targets A: Ready replicas
.panels[2].targets[0].datasource.uid = "x"|datasource of Leaders
.panels[2].targets[0].expr = "up{job=~\"$jobs\"}"|no variable jobs
.templating.list += [{name: "more"}]|unused variable more
END
is "$(jq -r '.panels[] | select(.type == "row").title' $dashboard)" \
	"Is it well
Reconciles
Writes
Watch
API requests
Processes
Shadow
Traces" "its rows"

# ---- an operator, and Prometheus ----

kapi_up
export KUBECONFIG=$T/kubeconfig
own_kubectl
things_start
things_watches
cat >"$T/reconcile.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap",
	metadata: {name: .primary.metadata.name}, data: {a: "b"}}];
def status: {ready: (.outstanding == [])};
END
mkdir "$T/new"
cp "$T/watches.yaml" "$T/new"
sed 's/a: "b"/a: "c"/' "$T/reconcile.jq" >"$T/new/reconcile.jq"
# No collector is there: what it is for is counted all the same.
things_operator --shadow "$T/new/watches.yaml" \
	--otlp-endpoint http://127.0.0.1:1

cp deploy/monitoring/alerts.yaml "$T"
cat >"$T/prometheus.yml" <<END
global:
  {scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 500ms}
rule_files: [alerts.yaml]
scrape_configs:
- job_name: kpipe
  static_configs:
  - targets: ["$metrics"]
    labels: {namespace: ops}
END
prometheus_up

# count_of PROMQL: how many series it gives; or the error
count_of() {
	prometheus_api query --data-urlencode "query=$1" |
		jq -r '.error // (.data.result | length)'
}
has_data() {
	[ "$(count_of "$1")" -gt 0 ] 2>/dev/null
}
thing a >/dev/null
ok "Prometheus has its metrics" wait_for 30 has_data \
	'kpipe_applied_total{result="created"} >= 1'
thing b >/dev/null
ok "... and of a second object" wait_for 30 has_data \
	'kpipe_applied_total{result="created"} >= 2 and increase(kpipe_applied_total{result="created"}[1m]) > 0'

# ---- the queries ----

# chosen VALUE CONTROLLER: the queries, with what Grafana fills in
chosen() {
	jq -r --arg all "$1" --arg controller "$2" \
		'.panels[].targets[]?.expr
		| gsub("\\$(job|namespace)\\b"; $all)
		| gsub("\\$controller\\b"; $controller)
		| gsub("\\$__(rate_interval|range)\\b"; "1m")' $dashboard
}
# What a healthy operator lacks: series of answers that it never got.
lacks='code="403"|code!~'
# unanswered: those queries of standard input that have an error, or no data
unanswered() {
	local query n

	while IFS= read -r query; do
		n=$(count_of "$query")
		case $n in
		0) grep -qE "$lacks" <<<"$query" || echo "no data: $query" ;;
		*[!0-9]* | '') echo "$n: $query" ;;
		esac
	done
}
chosen '.*' '.*' >"$T/queries"
ok "there are queries" test "$(wc -l <"$T/queries")" -gt 40
is "$(grep -F "\$" "$T/queries")" "" "... without variables"
# none WHAT COMMAND...: it comes to print nothing. When a scrape has failed,
# because it took too long, nothing has data until the next one.
none() {
	comes "$(patience 30)" prints_nothing "${@:2}"
	is "$(<"$T/printed")" "" "$1"
}
prints_nothing() {
	"$@" >"$T/printed"
	[ ! -s "$T/printed" ]
}
of_all() {
	unanswered <"$T/queries"
}
of_one() {
	chosen kpipe 'thing\\.example\\.com' |
		sed 's/namespace=~"kpipe"/namespace=~"ops"/g' | unanswered
}
none "each has data, if everything is chosen" of_all # rates need two samples
none "... and if one operator is" of_one
is "$(printf '%s\n' 'sum(kpipe_ready' 'kpipe_nothing' | unanswered |
	sed 's/^invalid.*: /error: /')" "error: sum(kpipe_ready
no data: kpipe_nothing" "... which an error or a wrong name has not"
choices() {
	jq -r '.templating.list[] | select(.type == "query").query.query' \
		"$dashboard" | sed -E 's/^label_values\((.*), [a-z]+\)$/\1/;
			s/\$[a-z]+/.*/g' | unanswered
}
none "the choices have data" choices
is "$(jq -r '.templating.list[] | select(.type == "query")
	| "\(.name) " + (.query.query | capture(", (?<l>[a-z]+)\\)$").l)' \
	$dashboard | awk '$1 != $2')" "" "... and their labels"
for label in job namespace controller; do
	ok "... $label is one" test "$(prometheus_api "label/$label/values" |
		jq '.data | length')" -gt 0
done

# ---- names ----

sed -n 's/^| `\([a-z_]*\)`.*/\1/p' doc/monitoring.md >"$T/documented"
# named: the metrics of queries
named() {
	sed -E 's/"[^"]*"//g' |
		grep -oE '\b(kpipe|controller_runtime|workqueue|rest_client|leader|process|certwatcher)_[a-z_]+' |
		sed 's/_bucket$//' | sort -u
}
is "$(named <"$T/queries" | grep -vxF -f "$T/documented")" "" \
	"every metric is one of doc/monitoring.md"
ok "... and they are most of ours" test "$(named <"$T/queries" |
	grep -c ^kpipe_)" -gt 20
is "$(grep '^kpipe_' "$T/documented" | grep -vxF -f <(named <"$T/queries") |
	xargs)" "kpipe_stage_running" "... all but what another one says"

# ---- the alerts ----

all_ran() {
	[ "$(prometheus_api rules | jq '[.data.groups[].rules[]
		| select(.health != "unknown")] | length')" = \
		"$(grep -c ' - alert: ' deploy/monitoring/alerts.yaml)" ]
}
ok "Prometheus has evaluated the alerts" wait_for 30 all_ran
firing() {
	prometheus_api rules >"$T/states" || echo "no answer"
	jq -r '.data.groups[].rules[]
		| select(.health != "ok" or .state != "inactive")
		| "\(.name): \(.state) \(.lastError)"' "$T/states"
}
none "... and none fires" firing
# Parts of their queries: every series that they look at is there.
lacking() {
	local metric

	t/yaml-lines <deploy/monitoring/alerts.yaml |
		jq -r '.groups[].rules[].expr' | named |
		while read -r metric; do
			has_data "$metric" || echo "$metric"
		done
}
none "... although what they look at is there" lacking

told_to_end "$kpipe" "kpipe ends"
ok "without it the alert is pending" wait_for 30 has_data \
	'ALERTS{alertname="OperatorAbsent",alertstate="pending"}'
is "$(prometheus_api rules | jq -r '.data.groups[].rules[] | select(.alerts != [])
	| .alerts[0].annotations.description')" \
	"kpipe ops: no replica runs, or Prometheus may not read its metrics." \
	"... and says so"
prometheus_down
kapi_down
done_testing
