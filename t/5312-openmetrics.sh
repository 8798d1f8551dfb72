#!/bin/bash
# kpipe-http --openmetrics: the format for clients that want it, with exemplars,
# and what Prometheus makes of it.
# check-all: needs prometheus
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=http.sh
. "${0%/*}/http.sh"
# shellcheck source=prometheus.sh
. "${0%/*}/prometheus.sh"
prometheus_needed

open='application/openmetrics-text; version=1.0.0; charset=utf-8'
text='text/plain; version=0.0.4; charset=utf-8'
trace=4bf92f3577b34da6a3ce929d0e0e4736
now=$(date +%s)
# decisions TRACE-ID: a report
decisions() {
	jq -nc --arg id "$1" --argjson time "$now.5" '
		def part($name; $le): "kpipe_decision_seconds_" + $name +
			"{controller=\"thing\"" + $le + "}";
		{tool: "krecord-spans", metrics: {
			(part("bucket"; ",le=\"0.005\"")): 0,
			(part("bucket"; ",le=\"1\"")):
				[2, {trace_id: $id, value: 0.25, time: $time}],
			(part("bucket"; ",le=\"+Inf\"")): 2,
			(part("sum"; "")): 0.5, (part("count"; "")): 2}}'
}
decisions=$(decisions $trace)
# type ACCEPT: of the answer
type() {
	get /metrics ${1:+-H "Accept: $1"} >"$T/page"
	cut -d' ' -f2- "$T/http.code"
}

http_up --metrics-bind-address 127.0.0.1:0
tell "$(state running)" "$decisions"
is "$(type application/openmetrics-text)" "$text" \
	"without the option there is one format"
ok "... which has no exemplar" grep -qxF \
	'kpipe_decision_seconds_bucket{controller="thing",le="1"} 2' "$T/page"
http_down 0 "it ends"

http_up --metrics-bind-address 127.0.0.1:0 --openmetrics
tell "$(state running)" "$decisions"
while IFS='|' read -r want accept; do
	[ "$want" = text ] && is "$(type "$accept")" "$text" \
		"${accept:-no word} is text"
	[ "$want" = text ] || is "$(type "$accept")" "$open" \
		"${accept:-no word} is OpenMetrics"
done <<'END'
text|
text|*/*
text|text/plain
open|application/openmetrics-text
open|application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1
text|text/plain;version=0.0.4;q=0.5, application/openmetrics-text;version=1.0.0; Q=0.4
open|text/plain, Application/OpenMetrics-Text
text|application/openmetrics-text;q=0
text|application/openmetrics-text;q=none
text|application/openmetrics-text2, ,;,=,;q
END
is "$(grep -c '^# EOF' "$T/page")" 0 "the text format has no end"
type application/openmetrics-text >/dev/null
is "$(grep decision "$T/page")" "# HELP kpipe_decision_seconds From the first event that led to a decision to the last answer of the API server, by controller.
# TYPE kpipe_decision_seconds histogram
kpipe_decision_seconds_bucket{controller=\"thing\",le=\"0.005\"} 0
kpipe_decision_seconds_bucket{controller=\"thing\",le=\"1.0\"} 2 # {trace_id=\"$trace\"} 0.25 $now.5
kpipe_decision_seconds_bucket{controller=\"thing\",le=\"+Inf\"} 2
kpipe_decision_seconds_sum{controller=\"thing\"} 0.5
kpipe_decision_seconds_count{controller=\"thing\"} 2" "a histogram"
is "$(grep -A1 'TYPE kpipe_stage_starts' "$T/page")" \
	'# TYPE kpipe_stage_starts counter
kpipe_stage_starts_total{stage="ireconcile"} 1' "a counter"
is "$(tail -n 1 "$T/page")" "# EOF" "the end"

for bad in "" 4bf92f3577b34da6a3ce929d0e0e473 "${trace%?}G" "${trace}0" \
	"${trace%?}\""; do
	tell "$(decisions "$bad")"
done
tell '{"tool":"krecord-spans","metrics":{"kpipe_traces_total{result=\"sent\"}":[1],"kpipe_traces_total{result=\"dropped\"}":[]}}'
type application/openmetrics-text >/dev/null
ok "a bad one is an error" grep -qF 'the value of series "kpipe_decision_seconds_bucket{controller="thing",le="1"}" is not a number' \
	"$T/http.err" || quote <"$T/http.err"
is "$(grep -c trace_id "$T/page")" 1 "... the former one stays"

# ---- Prometheus ----

cat >"$T/prometheus.yml" <<END
global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
- job_name: kpipe
  static_configs: [{targets: ["$metrics"]}]
END
prometheus_up --enable-feature=exemplar-storage
exemplars() {
	prometheus_api query_exemplars \
		--data-urlencode 'query=kpipe_decision_seconds_bucket' \
		--data-urlencode "start=$((now - 60))" \
		--data-urlencode "end=$((now + 60))" |
		jq -r '.data[].exemplars[] | "\(.labels.trace_id) \(.value)"'
}
has_exemplar() {
	[ "$(exemplars)" = "$trace 0.25" ]
}
ok "Prometheus keeps the exemplar" wait_for 30 has_exemplar
ok "... and finds no fault" wait_for 30 says up 1
prometheus_down
http_down 0 "it ends"
done_testing
