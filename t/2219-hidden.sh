#!/bin/bash
# A replay of a recording without secrets decides what was decided with them,
# also about Secrets that the program makes itself.
. "${0%/*}/lib.sh"

cat >"$T/program.jq" <<'END'
include "operator";
def secret($name): {apiVersion: "v1", kind: "Secret", metadata: {name: $name}};
def desired: .primary as $p
	| (named(.related.Secret; "source").data.p // "") as $in
	| [secret("copy") | .data = {p: $in}]
	+ [secret("written") | .stringData = {p: ($in | @base64d)}]
	+ [secret("made") | .stringData = {
		url: "https://u:\($in | @base64d)@\($p.spec.host)", constant: "c"}]
	+ [secret("random") | .data = {p: (random("p"; 20) | @base64)}];
END
cat >"$T/watches.yaml" <<'END'
- version: v1
  group: example.com
  kind: Thing
  program: program.jq
  random: true
  dependents:
  - {apiVersion: v1, kind: Secret, manage: true}
  related:
  - {apiVersion: v1, kind: Secret}
END
second=0
# event OBJECT: what is seen, a second later than the one before
event() {
	second=$((second + 1))
	printf '{"type":"%s","time":"2026-01-01T00:%02d:%02d.000000Z","object":%s}\n' \
		"${2:-MODIFIED}" $((second / 60)) $((second % 60)) "$1"
}
kinds="Secret Thing"
mark() {
	local kind

	for kind in $kinds; do
		event "$(jq -nc --arg k "$kind" --arg m "$1" '{kind: $k,
			apiVersion: (if $k | IN("Thing", "Box")
				then "example.com/v1" else "v1" end),
			metadata: {annotations: {($m): "true"}}}')" BOOKMARK
	done
}
thing() { # HOST VERSION
	printf '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"namespace":"ns","name":"t","uid":"u","resourceVersion":"%s"},"spec":{"host":"%s"}}' \
		"$2" "$1"
}
source_() { # VALUE VERSION
	printf '{"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"ns","name":"source","uid":"us","resourceVersion":"%s"},"data":{"p":"%s"}}' \
		"$2" "$(printf %s "$1" | base64)"
}
# asked NAME: the Secret that was asked for last, as the server stores it
asked() {
	second=$((second + 1))
	ireconcile -f "$T/watches.yaml" --clock=input <"$T/clear" |
		jq -sc --arg n "$1" --arg v "$second" '[.[].items[]
			| select(.metadata.name == $n)][-1]
			| .data += (.stringData // {} | map_values(@base64))
			| del(.stringData) | .metadata += {namespace: "ns",
				uid: "u-\($n)", resourceVersion: $v}'
}
# answer NAME...: what was asked for is observed
answer() {
	local name

	for name in "$@"; do
		event "$(asked "$name")" >>"$T/clear"
	done
}
# drift NAME JQ: another client changes it
drift() {
	event "$(asked "$1" | jq -c "$2")" >>"$T/clear"
}
names="copy written made random"

{
	mark kpipe.dev/initial-events-begin
	event "$(thing one 1)" ADDED
	event "$(source_ hunter2 2)" ADDED
	mark k8s.io/initial-events-end
} >"$T/clear"
# shellcheck disable=SC2086
answer $names
event "$(thing one 3)" >>"$T/clear"
drift made '.data.url = "b3RoZXI="'
answer made
drift made '.data.url = "b3RoZXI=" | .data.constant = "eA=="'
answer made
drift random '.data.p = "b3RoZXI="'
answer random
drift copy '.data.p = "b3RoZXI="'
answer copy
drift written '.data.p = "b3RoZXI="'
answer written
event "$(thing two 40)" >>"$T/clear"
answer made
event "$(source_ hunter3 41)" >>"$T/clear"
answer copy written made
drift made 'del(.data.constant)'
answer made
drift made '.data.more = "eA=="'

# decided FILE: of each line what is asked for, and why
decided() {
	ireconcile -f "$T/watches.yaml" --clock=input <"$1" | jq -c '[
		[.items[].metadata.name], .reconcile.delete,
		(.reconcile.because.items // {} | map_values(
			[.differs[]?.path, .repair]))]'
}
runs 0 "the recording is redacted" krecord redact "$T/clear"
cp "$T/out" "$T/hidden"
is "$(grep -Ec "hunter|$(printf hunter | base64 | cut -c1-7)" "$T/hidden")" 0 \
	"... without the values"
decided "$T/clear" >"$T/want"
is "$(wc -l <"$T/want") $(grep -c true "$T/want")" "9 6" \
	"there is something to decide"
decided "$T/hidden" >"$T/got"
same "$T/got" "$T/want" "the decisions are the same"

# Recorded again, so by another key: nothing is told from one to the other.
drift made 'del(.data.more)'
jq -sc '[.[] | select(.object.metadata.name)]
	| group_by(.object.metadata.name)[] | last.object' "$T/clear" >"$T/last"
{
	mark kpipe.dev/initial-events-begin
	while read -r object; do
		event "$object" ADDED
	done <"$T/last"
	mark k8s.io/initial-events-end
} >"$T/state"
krecord redact "$T/clear" >"$T/hidden"
decided "$T/hidden" >"$T/want"
krecord redact "$T/state" >>"$T/hidden"
decided "$T/hidden" >"$T/got"
same "$T/got" "$T/want" "... also in a second recording of the same"

# Secrets within other objects, and as texts.
cat >"$T/program.jq" <<'END'
def secret: {apiVersion: "v1", kind: "Secret", metadata: {name: "x"},
	data: {a: ("hunter2" | @base64), b: ("constant" | @base64)},
	stringData: {c: "hunter3\(.primary.spec.host)"}};
def desired: [{apiVersion: "example.com/v1", kind: "Box",
		metadata: {name: "box"}, spec: {template: secret, n: 1}},
	{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "map"},
		data: {json: (secret | tojson)}}];
END
cat >"$T/watches.yaml" <<'END'
- version: v1
  group: example.com
  kind: Thing
  program: program.jq
  dependents:
  - {apiVersion: example.com/v1, kind: Box, manage: true}
  - {apiVersion: v1, kind: ConfigMap, manage: true}
END
kinds="Thing Box ConfigMap"
{
	mark kpipe.dev/initial-events-begin
	event "$(thing one 1)" ADDED
	mark k8s.io/initial-events-end
} >"$T/clear"
answer box map
drift box '.spec.template.data.a = "b3RoZXI="'
answer box
drift box '.spec.template.stringData.c = "other" | .spec.n = 2'
answer box
drift map '.data.json |= (fromjson | .data.a = "b3RoZXI=" | tojson)'
answer map
event "$(thing two 40)" >>"$T/clear"
answer box map
krecord redact "$T/clear" >"$T/hidden"
is "$(grep -Ec "hunter|$(printf hunter | base64 | cut -c1-7)" "$T/hidden")" 0 \
	"Secrets in other objects are hidden"
decided "$T/clear" >"$T/want"
is "$(wc -l <"$T/want") $(grep -c true "$T/want")" "5 3" \
	"... there is something to decide"
decided "$T/hidden" >"$T/got"
same "$T/got" "$T/want" "... the decisions are the same"
ireconcile -f "$T/watches.yaml" --clock=input <"$T/clear" |
	jq -c '.reconcile.because.items // {} | .[]' >"$T/reasons"
is "$(grep -Ec 'aHVudGVyM|b3RoZXI|hunter|other' "$T/reasons")" 0 \
	"... no reason tells values of an object with one"
done_testing
