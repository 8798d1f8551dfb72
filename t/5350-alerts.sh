#!/bin/bash
# deploy/monitoring/alerts.yaml: each alert fires when it should, and not
# otherwise; what its texts name exists.
# check-all: needs prometheus
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

command -v promtool >/dev/null || skip_all "there is no promtool"
dir=deploy/monitoring

runs 0 "the alerts are rules" promtool check rules $dir/alerts.yaml
runs 0 "... that fire when they should, and only then" \
	promtool test rules $dir/alerts.test.yaml ||
	quote <"$T/out"

mkdir "$T/made"
runs 0 "the object for the Prometheus operator" $dir/generate "$T/made"
same $dir/prometheus_rule.yaml "$T/made/prometheus_rule.yaml" \
	"... is not stale (make monitoring)"
t/yaml-lines <$dir/alerts.yaml >"$T/alerts.json"
is "$(t/yaml-lines <$dir/prometheus_rule.yaml | jq -Sc .spec)" \
	"$(jq -Sc . "$T/alerts.json")" "... has the same rules"
is "$(t/yaml-lines <$dir/prometheus_rule.yaml |
	jq -r '.apiVersion, .kind, .metadata.name' | xargs)" \
	"monitoring.coreos.com/v1 PrometheusRule kpipe" "... in its kind"
for rules in deploy/*/monitoring/prometheus_rule.yaml; do
	t/yaml-lines <"$rules" | jq .spec >"$T/rules.yml"
	runs 0 "promtool has nothing against $rules" \
		promtool check rules "$T/rules.yml"
done

# ---- every alert is tested ----

jq -c '.groups[].rules[]' "$T/alerts.json" >"$T/rules"
jq -r .alert "$T/rules" | sort >"$T/names"
ok "there are alerts" test "$(wc -l <"$T/names")" -ge 12
is "$(uniq -d "$T/names")" "" "... each with its name"
is "$(jq -r 'select((.labels.severity | IN("critical", "warning") | not)
	or (.annotations | [.summary, .description, .runbook_url]
		| any(. == null or . == ""))) | .alert' "$T/rules")" "" \
	"... and severity, summary, description and runbook"

# tested MUTANT: whether the groups of $name still succeed with these rules, of
# a jq program on the whole.
t/yaml-lines <$dir/alerts.test.yaml >"$T/tests.json"
mkdir "$T/mutant"
tested() {
	jq --arg name "$name" '.tests |= map(select(.name
		| . == $name or startswith($name + ",")))' \
		"$T/tests.json" >"$T/mutant/alerts.test.yaml"
	jq --arg name "$name" "$1" "$T/alerts.json" >"$T/mutant/alerts.yaml"
	promtool test rules "$T/mutant/alerts.test.yaml"
}
while read -r name; do
	runs 0 "$name has tests that succeed" tested .
	runs 1 "... and fail without it" tested \
		'.groups[].rules |= map(select(.alert != $name))'
	runs 1 "... and if it fires always" tested '.groups[].rules |= map(
		if .alert == $name then .expr = "vector(1)" | del(.for) else . end)'
	[ -n "$(jq -r --arg name "$name" \
		'select(.alert == $name) | .for // ""' "$T/rules")" ] || continue
	runs 1 "... and if it does not wait" tested '.groups[].rules |= map(
		if .alert == $name then del(.for) else . end)'
done <"$T/names"

# ---- what they name ----

# anchors FILE: of its headings, as forges make them
anchors() {
	sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' |
		sed 's/[^a-z0-9 -]//g; s/ /-/g'
}
is "$(jq -r .annotations.runbook_url "$T/rules" | sort -u |
	while IFS='#' read -r page anchor; do
		anchors "$page" | grep -qxF -- "$anchor" || echo "$page#$anchor"
	done)" "" "runbooks are sections that exist"
is "$(sed -n '/^### Alerts/,$s/^| `\([A-Za-z]*\)` .*/\1/p' doc/operating.md |
	sort)" "$(<"$T/names")" "the page has each alert, and no other"
# The metrics of a text; what is in quotes is a value.
# shellcheck disable=SC2016
metrics='s/"[^"]*"//g; s/(_bucket|_sum|_count)\b//g'
is "$(jq -r .expr "$T/rules" | sed -E "$metrics" |
	grep -oE '\b(kpipe|controller_runtime|workqueue|rest_client|leader|process|certwatcher)_[a-z_]+' |
	sort -u | grep -vxF -f <(
		sed -n 's/^| `\([a-z_]*\)`.*/\1/p' doc/monitoring.md))" "" \
	"their metrics exist"

# ---- those of kgen, for one operator ----

t/yaml-lines <deploy/at/monitoring/prometheus_rule.yaml |
	jq .spec >"$T/mutant/alerts.yaml"
jq -r '.groups[].rules[].alert' "$T/mutant/alerts.yaml" | sort >"$T/kgen"
ok "kgen makes alerts" test "$(wc -l <"$T/kgen")" -ge 11
is "$(comm -23 "$T/kgen" "$T/names")" "" "... of the same names"
# queries FILE: name, query and duration of each, without spaces and the job
queries() {
	jq -r '.groups[].rules[] | select(.alert != "OperatorAbsent")
		| "\(.alert) \(.expr | gsub("\\s+|\\{job=[^}]*\\}"; "")) \(.for)"' \
		"$1" | sort
}
is "$(queries "$T/mutant/alerts.yaml")" \
	"$(queries "$T/alerts.json" | grep -wFf "$T/kgen")" \
	"... and with the same queries, but whether there is an operator"
jq '.rule_files = ["alerts.yaml"] | .tests |= map(del(.alert_rule_test)
	| select(.name | split(",")[0] | IN($names[]))
	| if .name | startswith("OperatorAbsent") then . else .input_series +=
		[{series: "kpipe_ready{job=\"at\",pod=\"z\"}", values: "1x200"}]
	end)' \
	--argjson names "$(jq -R . "$T/kgen" | jq -s .)" "$T/tests.json" |
	sed "s/job=\\\\\"at\\\\\"/job=\\\\\"at-operator-metrics\\\\\"/g" \
		>"$T/mutant/alerts.test.yaml"
ok "... that the same tests hold for" \
	grep -q at-operator-metrics "$T/mutant/alerts.test.yaml"
runs 0 "... and succeed with" promtool test rules \
	"$T/mutant/alerts.test.yaml"
done_testing
