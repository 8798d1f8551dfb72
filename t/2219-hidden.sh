#!/bin/bash
# A replay of a recording without secrets decides what was decided with them,
# also about Secrets that the program makes itself.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

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
watches 'random: true' \
	'dependents: [{apiVersion: v1, kind: Secret, manage: true}]' \
	'related: [{apiVersion: v1, kind: Secret}]'
second=0
# seen OBJECT [TYPE]: a second later than what was seen before
seen() {
	second=$((second + 1))
	event "${2:-MODIFIED}" "$1" \
		"2026-01-01T00:$(printf %02d:%02d $((second / 60)) $((second % 60))).000000Z"
}
host() { # HOST VERSION
	thing t "$2" "" "\"spec\":{\"host\":\"$1\"}"
}
source_() { # VALUE VERSION
	object Secret source "$2" "" "\"data\":{\"p\":\"$(printf %s "$1" | base64)\"}"
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
		seen "$(asked "$name")" >>"$T/clear"
	done
}
# drift NAME JQ: another client changes it
drift() {
	seen "$(asked "$1" | jq -c "$2")" >>"$T/clear"
}
names="copy written made random"

{
	begin_all
	seen "$(host one 1)" ADDED
	seen "$(source_ hunter2 2)" ADDED
	end_all
} >"$T/clear"
# shellcheck disable=SC2086
answer $names
seen "$(host one 3)" >>"$T/clear"
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
seen "$(host two 40)" >>"$T/clear"
answer made
seen "$(source_ hunter3 41)" >>"$T/clear"
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
	begin_all
	while read -r object; do
		seen "$object" ADDED
	done <"$T/last"
	end_all
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
watches dependents: '- {apiVersion: example.com/v1, kind: Box, manage: true}' \
	'- {apiVersion: v1, kind: ConfigMap, manage: true}'
{
	begin_all
	seen "$(host one 1)" ADDED
	end_all
} >"$T/clear"
answer box map
drift box '.spec.template.data.a = "b3RoZXI="'
answer box
drift box '.spec.template.stringData.c = "other" | .spec.n = 2'
answer box
drift map '.data.json |= (fromjson | .data.a = "b3RoZXI=" | tojson)'
answer map
seen "$(host two 40)" >>"$T/clear"
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
