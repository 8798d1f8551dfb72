#!/bin/bash
# Traces of an operator at an OpenTelemetry Collector: as they come, by kpipe
# --otlp-endpoint; and of its recording, as doc/recording.md says.
# check-all: an OpenTelemetry Collector needs Go
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

collector=$(t/collector/build 2>"$T/build.err") ||
	skip_all "$(tail -n 1 "$T/build.err")"

# ---- the collector ----

cat >"$T/collector.yaml" <<'END'
receivers:
  otlp: {protocols: {http: {endpoint: "127.0.0.1:0"}}}
exporters:
  debug: {verbosity: detailed}
service:
  telemetry: {metrics: {level: none}}
  pipelines:
    traces: {receivers: [otlp], exporters: [debug]}
END
start "$collector" --config "$T/collector.yaml" >"$T/collector.log" 2>&1
is_up() {
	address=$(sed -nE 's/.*HTTP server.*(127\.0\.0\.1:[0-9]+).*/\1/p' \
		"$T/collector.log")
	[ -n "$address" ] && [ "${address##*:}" != 0 ]
}
wait_for 60 is_up || quote <"$T/collector.log"

# ---- a recording: one that works, one that is refused ----

kapi_up
export KUBECONFIG=$T/kubeconfig
cat >"$T/watches.yaml" <<'END'
- group: apps
  version: v1
  kind: Deployment
  program: program.jq
  dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]
END
cat >"$T/program.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap",
	metadata: {name: .primary.metadata.name},
	data: {(.primary.metadata.annotations.key): "v"}}];
END
thing() {
	jq -cn --arg name "$1" --arg key "$2" '{apiVersion: "apps/v1",
		kind: "Deployment", metadata: {name: $name, namespace: "default",
			annotations: {key: $key}},
		spec: {selector: {matchLabels: {a: "b"}},
		template: {metadata: {labels: {a: "b"}},
		spec: {containers: [{name: "c", image: "i"}]}}}}' |
		kapply -o none
}
start kpipe -f "$T/watches.yaml" --record "$T/recording" -A \
	--otlp-endpoint="http://$address" \
	--metrics-bind-address=127.0.0.1:0 2>"$T/log"
kpipe=$!
recorded() {
	krecord cat "$T/recording" 2>/dev/null |
		jq -c "select(.record == \"result\" and $1)" | grep -q .
}
thing works good
ok "an object is written" wait_for 60 recorded '.line.result == "created"'
thing refused 'not good'
ok "... and one is refused" wait_for 60 recorded '.line.result == "failed"'

# ---- as they come ----

# received: "TRACE PARENT ID NAME" of each span
received() {
	awk '/^ *Trace ID *:/ { trace = $4 }
	/^ *Parent ID *:/ { parent = $4 }
	/^ *ID *:/ { id = $3 }
	/^ *Name *:/ { sub(/^ *Name *: /, ""); print trace, parent, id, $0 }' \
		"$T/collector.log" | sort
}
came() {
	received | grep -q "$1"
}
ok "a trace comes by itself" wait_for 60 came 'apply ConfigMap'
wait_for 60 grep -q 'metrics at' "$T/log"
metrics=$(sed -n 's/.*metrics at //p' "$T/log")
exemplars() {
	curl -sS -m 20 -H 'Accept: application/openmetrics-text' \
		"http://$metrics/metrics" |
		sed -n 's/^kpipe_decision_seconds_bucket{controller="deployment.apps".*trace_id="\([0-9a-f]*\)".*/\1/p' |
		sort -u
}
has_exemplars() {
	[ -n "$(exemplars)" ]
}
ok "the metrics have exemplars" wait_for 60 has_exemplars
is "$(exemplars | while read -r id; do
	received | grep -q "^$id .*reconcile" || echo "$id"
done)" "" "... each is a trace that came"
krecord=$(pgrep -P "$kpipe" -f 'krecord.*--endpoint')
kill -9 "$krecord"
ok "krecord spans is killed: started again, alone" wait_for 60 grep -q \
	'starting krecord-spans again' "$T/log"
thing another good
another() {
	grep -q 'kpipe.primary: Str(Deployment.apps/default/another)' \
		"$T/collector.log"
}
ok "... and goes on" wait_for 60 another
told_to_end "$kpipe" "it ends"
is "$(grep -c 'starting the pipeline again' "$T/log")" 0 \
	"... the pipeline was not started again"

# ---- sent ----

code=$(sed -n '/^## Traces/,/^## /p' doc/recording.md | sed -n 's/^    //p' |
	sed "s,DIR,$T/recording,; s,127.0.0.1:4318,$address,")
ok "the page says how" test -n "$code"
runs 0 "the collector takes all" bash -euo pipefail -c "$code"
is "$(sort -u "$T/out")" '{"partialSuccess":{}}' "... wholly"
krecord spans "$T/recording" | jq -r '.resourceSpans[].scopeSpans[].spans[] |
	"\(.traceId) \(.parentSpanId // "") \(.spanId) \(.name)"' |
	sort >"$T/sent"
has_all() {
	received | sort -u | comm -13 - "$T/sent" >"$T/missing"
	[ ! -s "$T/missing" ]
}
ok "every span has arrived" wait_for 30 has_all || quote <"$T/missing"
received >"$T/received"
ok "... in traces of the two" test \
	"$(grep -c 'reconcile Deployment' "$T/received")" -ge 2
ok "... of the operator" grep -q \
	'service.name: Str(kpipe-deployment.apps)' "$T/collector.log"
ok "... a refusal is an error" grep -qE \
	'Status message *: .*not good' "$T/collector.log"
done_testing
