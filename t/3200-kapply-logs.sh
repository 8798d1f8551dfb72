#!/bin/bash
# kapply logs each object that it writes, and why (reconcile.because). The words
# for each reason: test-because.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start
thing t >/dev/null

about='kapply: thing.example.com default/t:'
key=Deployment.apps/default/d
deployment='[{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"default"},
"spec":{"replicas":0,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
"spec":{"containers":[{"name":"main","image":"i:1"}]}}}}]'
# Its first members are those of the field that differs.
reason() {
	jq -c '{differs: [del(.repair, .version)]}
		+ with_entries(select(.key == "repair" or .key == "version"))'
}
# because REASON [KEY [ITEMS]]: a line with an item that exists, and the reason
because() {
	local k=${2:-$key} kind name

	kind=${k%%/*} name=${k##*/}
	set_line "${3:-$deployment}" '{"known":{"'"$k"'":"'"$(uid "$kind" "$name")"'"},
		"because":{"events":[{"timer":"a deadline"}],"items":{"'"$k"'":'"$(reason <<<"$1")"'}}}' >"$T/in"
}
requests() {
	kapply_line --report-fd=8 8>"$T/report" 2>"$T/err"
	jq -s '[.[].counters.requests | select(. != null)] | last' \
		<(tail -n +2 "$T/report")
}
scaled() {
	kubectl patch deployment d --field-manager=scaler --type=merge \
		-p '{"spec":{"replicas":0}}' >/dev/null
	kubectl patch deployment d --field-manager=scaler --type=merge \
		-p '{"spec":{"replicas":1}}' >/dev/null
}
set_line "$deployment" >"$T/in"
runs 0 "a new object" kapply_line
is "$(<"$T/err")" "$about created Deployment.apps default/d" "... is logged"
is "$(<"$T/out")" "" "... and nothing is printed"
echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"plain"}}' >"$T/in"
runs 0 "an object without a primary" kapply_line -o status
is "$(<"$T/err")" "" "... is not logged: no operator made it"

# --- a repair: which field, the values, the field manager
repair='{"path":".spec.replicas","observed":"1","wanted":"0","repair":true}'
scaled
because "$repair"
is "$(requests)" 2 "a repair: one request more"
is "$(<"$T/err")" \
	"$about configured Deployment.apps default/d: .spec.replicas 1, wanted 0; set by scaler" \
	"... the field and its manager are logged"
is "$(kubectl get deployment d -o jsonpath='{.spec.replicas}')" 0 "... it is applied"
scaled
because "$repair"
runs 0 "the same as a result" kapply_line -o result
is "$(jq -c '[.result, .because]' "$T/out")" \
	'["configured",".spec.replicas 1, wanted 0; set by scaler"]' "... says it there"
is "$(<"$T/err")" "" "... and not in the log"
# The line is older than the last apply, which took the field back.
because "$repair"
deployment_rests
runs 0 "it is as desired by now" kapply_line
is "$(<"$T/err")" "" "... nothing was changed, and nothing is logged"
because "$repair"
runs 0 "... as a result" kapply_line -o result
is "$(jq -c '[.result, .because]' "$T/out")" '["unchanged",null]' "... says that"
scaled
because "$repair"
runs 0 "less is logged" kapply_line --log-level=warning
is "$(<"$T/err")" "" "... nothing"
is "$(requests)" 2 "... the next repair asks"
scaled
is "$(kapply_line --log-level=warning --report-fd=8 8>"$T/report"
	jq -s '[.[].counters.requests | select(. != null)] | last' \
		<(tail -n +2 "$T/report"))" 1 "... that one did not"

# --- what is not a repair asks nobody
because '{"path":".spec.replicas","observed":"1","wanted":"0"}'
is "$(requests)" 1 "a change: no request more"
is "$(<"$T/err")" \
	"$about configured Deployment.apps default/d: .spec.replicas 1, wanted 0" \
	"... the field is logged"
deployment_rests
because '{"path":".spec.replicas","version":"'"$(deployment_version)"'"}'
is "$(requests)" 1 "an apply that changes nothing: no request more"
is "$(<"$T/err")" "" "... nothing is logged"
runs 0 "... as a result" kapply_line -o result
is "$(jq -c '[.result, .because]' "$T/out")" '["unchanged",null]' "... says that"
because '{"path":".spec.replicas","version":"1"}'
runs 0 "... of an object that was changed meanwhile" kapply_line
is "$(<"$T/err")" \
	"$about configured Deployment.apps default/d: .spec.replicas differs" \
	"... is logged"
because '{"path":".metadata.annotations[\"kpipe.dev/paths\"]"}'
runs 0 "other fields are desired" kapply_line
is "$(<"$T/err")" \
	"$about configured Deployment.apps default/d: fields were added or are no longer desired" \
	"... is said in words"
# --- values of Secrets and ConfigMaps are never logged, whatever the line has
for kind in ConfigMap Secret; do
	object=$(cm hidden 1 | jq -c '.[0].kind = "'$kind'" | .[0].data.k = "c2VjcmV0"')
	set_line "$object" >"$T/in"
	runs 0 "a $kind" kapply_line
	kubectl patch $kind hidden --field-manager=editor --type=merge -p '{"data":{"k":"b3RoZXI="}}' >/dev/null
	because '{"path":".data.k","observed":"\"other\"","wanted":"\"c2VjcmV0\"","repair":true}' \
		$kind/default/hidden "$object"
	runs 0 "... is repaired" kapply_line
	is "$(<"$T/err")" \
		"$about configured $kind default/hidden: .data.k differs; set by editor" \
		"... its values are not logged"
done

# --- finalizers of the primary
finalizers() {
	set_line '[]' '{"finalizers":{"'"$1"'":["example.com/f"]}}' >"$T/in"
}
finalizers add
runs 0 "a finalizer, dry" kapply_line --dry-run=server
is "$(<"$T/err")" "$about added finalizer example.com/f (dry run)" "... is logged as such"
runs 0 "a finalizer" kapply_line
is "$(<"$T/err")" "$about added finalizer example.com/f" "... is logged"
runs 0 "... that is there" kapply_line
is "$(<"$T/err")" "" "... is not"
finalizers remove
runs 0 "... that goes" kapply_line
is "$(<"$T/err")" "$about removed finalizer example.com/f" "... is logged"
runs 0 "... that is gone" kapply_line
is "$(<"$T/err")" "" "... is not"
finalizers add
runs 0 "a finalizer as a result" kapply_line -o result
is "$(<"$T/err")" "" "... is not logged as well"

# --- deletions
set_line '[]' '{"delete":[{"apiVersion":"v1","kind":"ConfigMap","namespace":"default","name":"hidden","uid":"'"$(uid cm hidden)"'"}]}' >"$T/in"
runs 0 "a deletion" kapply_line
is "$(<"$T/err")" "$about deleted ConfigMap default/hidden" "... is logged"
set_line "$(cm dry 1)" >"$T/in"
runs 0 "a dry run" kapply_line --dry-run=server
is "$(<"$T/err")" "$about created ConfigMap default/dry (dry run)" "... says so"

# --- the events that made the line
events='[{"type":"MODIFIED","apiVersion":"v1","kind":"ConfigMap","namespace":"default","name":"settings","resourceVersion":"7","manager":"kubectl-edit","time":"2026-01-01T00:00:00.000000Z"}]'
set_line "$(cm caused 1)" '{"because":{"events":'"$events"'}}' >"$T/in"
runs 0 "a new object, because of an event" kapply_line
is "$(<"$T/err")" \
	"$about created ConfigMap default/caused: after MODIFIED ConfigMap default/settings by kubectl-edit" \
	"... which the log names"
set_line "$(cm caused 2)" '{"known":{"ConfigMap/default/caused":"'"$(uid cm caused)"'"},
	"because":{"events":'"$events"'}}' >"$T/in"
runs 0 "a result" kapply_line -o result
is "$(jq -c '[.primary, .because, .events]' "$T/out")" \
	'["Thing.example.com/default/t","after MODIFIED ConfigMap default/settings by kubectl-edit",'"$events"']' \
	"... has the primary and the events"

set_line '[]' '{"because":[]}' >"$T/in"
runs 1 "a because that is not an object" kapply_line
is "$(<"$T/err")" "kapply: error: line 1: reconcile.because is not an object" \
	"... is named"
done_testing
