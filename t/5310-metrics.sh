#!/bin/bash
# kpipe-http: metrics from lines, and of a pipeline; what Prometheus reads.
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

command -v promtool >/dev/null || skip_all "there is no promtool"

# page [PATTERN]: samples that are not about processes
page() {
	get /metrics | grep -v -e '^#' -e '^process_' -e '^kpipe_tool_' |
		grep -e "${1:-.}"
}

# ---- lines ----

http_up --metrics-bind-address 127.0.0.1:0
is "$(page)" "" "nothing is known, nothing is said"
is "$(<"$T/http.code")" "200 text/plain; version=0.0.4; charset=utf-8" \
	"... in Prometheus' text format"
tell "$(state running)" \
	'{"tool":"kwatch","counters":{"events":7}}' \
	'{"tool":"kwatch","metrics":{"rest_client_requests_total{code=\"200\",method=\"GET\",host=\"h\"}":2,"kpipe_watch_relists_total":1}}' \
	'{"tool":"kapply","metrics":{"rest_client_requests_total{code=\"200\",method=\"GET\",host=\"h\"}":3,"rest_client_requests_total{code=\"<error>\",method=\"PATCH\",host=\"h\"}":1}}' \
	'{"tool":"ireconcile","metrics":{"kpipe_objects{kind=\"Pod\"}":5,"controller_runtime_reconcile_time_seconds_count{controller=\"a\\\"b\\\\c\\nd\"}":2,"controller_runtime_reconcile_time_seconds_bucket{controller=\"a\\\"b\\\\c\\nd\",le=\"+Inf\"}":2,"controller_runtime_reconcile_time_seconds_sum{controller=\"a\\\"b\\\\c\\nd\"}":0.25,"controller_runtime_reconcile_time_seconds_bucket{controller=\"a\\\"b\\\\c\\nd\",le=\"0.005\"}":1}}'
is "$(page)" 'controller_runtime_reconcile_time_seconds_bucket{controller="a\"b\\c\nd",le="0.005"} 1
controller_runtime_reconcile_time_seconds_bucket{controller="a\"b\\c\nd",le="+Inf"} 2
controller_runtime_reconcile_time_seconds_sum{controller="a\"b\\c\nd"} 0.25
controller_runtime_reconcile_time_seconds_count{controller="a\"b\\c\nd"} 2
rest_client_requests_total{code="200",method="GET",host="h"} 5
rest_client_requests_total{code="<error>",method="PATCH",host="h"} 1
kpipe_ready 1
kpipe_stage_running{stage="ireconcile"} 1
kpipe_stage_running{stage="kapply"} 1
kpipe_stage_running{stage="kstatus"} 1
kpipe_stage_running{stage="kwatch"} 1
kpipe_stage_ready{stage="ireconcile"} 1
kpipe_stage_ready{stage="kapply"} 1
kpipe_stage_ready{stage="kstatus"} 1
kpipe_stage_ready{stage="kwatch"} 1
kpipe_stage_starts_total{stage="ireconcile"} 1
kpipe_stage_starts_total{stage="kapply"} 1
kpipe_stage_starts_total{stage="kstatus"} 1
kpipe_stage_starts_total{stage="kwatch"} 1
kpipe_stage_oom_kills_total{stage="ireconcile"} 0
kpipe_stage_oom_kills_total{stage="kapply"} 0
kpipe_stage_oom_kills_total{stage="kstatus"} 0
kpipe_stage_oom_kills_total{stage="kwatch"} 0
kpipe_watch_relists_total 1
kpipe_objects{kind="Pod"} 5' "what the stages said, added up, in order"
get /metrics >"$T/page"
is "$(grep -c '^# HELP ' "$T/page")" "$(grep -c '^# TYPE ' "$T/page")" \
	"HELP and TYPE for each"
is "$(grep '^# TYPE controller' "$T/page")" \
	"# TYPE controller_runtime_reconcile_time_seconds histogram" "... once"
ok "promtool has nothing against it" promtool check metrics <"$T/page"
is "$(grep -c '^process_[a-z_]* [0-9.e+]*$' "$T/page")" 6 \
	"CPU, memory and descriptors of processes"
ok "... the start is not in the future" awk -v now="$(date +%s)" \
	'/^process_start_time_seconds/ { ok = $2 <= now + 1 && $2 > now - 900 }
	END { exit !ok }' "$T/page"

tell '{"tool":"kwatch","metrics":{"rest_client_requests_total{code=\"200\",method=\"GET\",host=\"h\"}":4}}'
is "$(page '"GET"')" \
	'rest_client_requests_total{code="200",method="GET",host="h"} 7' \
	"a newer sample takes the place of the older one"
tell "$(state running '.stages.kwatch.starts = 2 | .stages.ireconcile.running = false')"
is "$(page '"GET"')" \
	'rest_client_requests_total{code="200",method="GET",host="h"} 7' \
	"a counter does not fall when its stage is started again"
tell '{"tool":"kwatch","metrics":{"rest_client_requests_total{code=\"200\",method=\"GET\",host=\"h\"}":1}}'
is "$(page '"GET"')" \
	'rest_client_requests_total{code="200",method="GET",host="h"} 8' \
	"... and goes on from there"
is "$(page kpipe_objects)" "" "a gauge of a stage that does not run is left out"
is "$(page kpipe_ready)" "kpipe_ready 0" "... which is not ready"
is "$(page 'stage_starts_total{stage="kwatch"')" \
	'kpipe_stage_starts_total{stage="kwatch"} 2' "... and was started twice"
for sample in '"nobody_knows":1' '"kpipe_objects{kind=\"Pod\"}":"1"' \
	'"kpipe_objects{kind=\"x\"} 1\nevil":1' '"kpipe_objects":1' \
	'"kpipe_watch_relists_total":NaN' '"kpipe_watch_relists_total":null'; do
	tell "{\"tool\":\"kwatch\",\"metrics\":{$sample}}"
done
is "$(page 'nobody\|evil\|kpipe_watch_relists\|kpipe_objects')" \
	"kpipe_watch_relists_total 1" "invalid samples are left out"
is "$(grep -c 'unknown series "nobody_knows"' "$T/http.err")" 1 "... and named"
python3 - >&8 <<'END'
import json
for i in range(0, 12000, 40):
    print(json.dumps({"tool": "kwatch", "metrics":
        {'kpipe_objects{kind="K%d"}' % j: 1 for j in range(i, i + 40)}}))
END
get /metrics | grep -vc '^#' >"$T/count"
ok "10000 series, and no more" \
	test "$(<"$T/count")" -gt 9900 -a "$(<"$T/count")" -le 10000
is "$(grep -c 'more than 10000 series' "$T/http.err")" 0 \
	"... one complaint was enough"
ok "... $(awk '/VmRSS/ { print $2 }' "/proc/$http/status") kB then" \
	promtool check metrics < <(get /metrics)
http_down 0 "its input ends"

# ---- the metrics of controller-runtime, from a recording ----

recorded=t/metrics/controller-runtime.txt
# "name type label,label" of each row, the labels sorted
sed -n 's/^| `\([a-z_]*\)` | \([a-z]*\) |\([^|]*\)|.*/\1 \2 \3/p' \
	doc/monitoring.md | while read -r name type labels; do
	echo "$name $type $(tr -d ' `' <<<"$labels" | tr ',' '\n' | sort |
		paste -sd,)"
done | sed 's/ *$//' | sort >"$T/ours"
grep -v '^#' "$recorded" | cut -d' ' -f1-3 | sort >"$T/theirs"
is "$(comm -13 "$T/ours" "$T/theirs")" "controller_runtime_conversion_webhook_panics_total counter
controller_runtime_webhook_panics_total counter
process_network_receive_bytes_total counter
process_network_transmit_bytes_total counter
process_virtual_memory_max_bytes gauge" \
	"same names, types and labels, but for what is not here"

# ---- a pipeline, and Prometheus ----

kapi_up
export KUBECONFIG=$T/kubeconfig
own_kubectl
things_start
things_watches
cat >"$T/reconcile.jq" <<'EOF2'
def desired: if .primary.spec.fail then error("so it is wanted") else
	[{apiVersion: "v1", kind: "ConfigMap", metadata: {name: .primary.metadata.name},
	  data: {a: "b"}}] end;
def status: {ready: (.outstanding == [])};
EOF2
things_operator

cat >"$T/prometheus.yml" <<EOF2
global: {scrape_interval: 500ms, scrape_timeout: 500ms}
scrape_configs:
- job_name: kpipe
  static_configs:
  - targets: ["$metrics"]
EOF2
prometheus_up

thing a >/dev/null
thing b '{"fail": true}' >/dev/null
ok "Prometheus finds it" wait_for 30 says 'up{job="kpipe"}' 1
c='controller="thing.example.com"'
while IFS='|' read -r what query value; do
	ok "... $what" wait_for 30 says "$query" "$value"
done <<END
an object was created|kpipe_applied_total{result="created"}|1
a program has failed|controller_runtime_reconcile_errors_total{$c} > bool 0|1
... for good|controller_runtime_terminal_reconcile_errors_total{$c} > bool 0|1
errors have their result|controller_runtime_reconcile_total{$c,result="error"} - on(controller) controller_runtime_reconcile_errors_total|0
successes, too|controller_runtime_reconcile_total{$c,result="success"} > bool 0|1
no panic|controller_runtime_reconcile_panics_total{$c}|0
both objects were queued|workqueue_adds_total{$c,name="thing.example.com"} >= bool 2|1
... and none is any more|sum(workqueue_depth{$c})|0
a quantile of times can be asked for|histogram_quantile(0.9, sum by (le) (controller_runtime_reconcile_time_seconds_bucket{$c})) < bool 60|1
buckets, sum and count belong together|controller_runtime_reconcile_time_seconds_count{$c} - on(controller) controller_runtime_reconcile_time_seconds_bucket{le="+Inf"}|0
requests by code and method|sum by (code) (rest_client_requests_total{method="PATCH",code="201"}) >= bool 1|1
objects by kind|kpipe_objects{kind="ConfigMap"} >= bool 1|1
primaries|kpipe_primaries{$c}|2
the status is written|kpipe_status_total{result="written"} >= bool 1|1
memory of all tools|process_resident_memory_bytes > bool 10000000|1
... and of each|count(kpipe_tool_resident_memory_bytes)|7
who leads|leader_election_master_status{name="things"}|1
no orphans, no deletions held back|kpipe_orphans + ignoring(controller) group_left kpipe_prunes_held|0
END
# bounds NAME: of the first label set
bounds() {
	get /metrics | sed -n "s/^$1_bucket{.*le=\"\([^\"]*\)\".*/\1/p" |
		sed '/+Inf/q' | grep -v Inf | paste -sd' '
}
while read -r name _ _ want; do
	[ -z "$want" ] || is "$(bounds "$name")" "$want" \
		"the buckets of $name are controller-runtime's"
done < <(grep ' histogram ' "$recorded")
ok "promtool has nothing against the whole page" \
	promtool check metrics < <(get /metrics)
is "$(get /metrics | grep -c -e '"default' -e 'so it is wanted')" 0 \
	"no names of objects, no messages"
prometheus_down
told_to_end "$kpipe" "kpipe ends"
kapi_down

done_testing
