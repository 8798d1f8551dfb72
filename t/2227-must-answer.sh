#!/bin/bash
# A replay that is a test: `random` without the operator's key, and inputs that
# show nothing: of programs that only fail, without a primary, cut, bad, or with
# a gap.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

watches 'random: true' \
	'dependents: [{apiVersion: v1, kind: Secret, manage: true, retain: true}]'
# program EXPRESSION: of an item
program() {
	printf 'include "operator"; def desired: [%s]; def status: {error};\n' \
		"$1" >"$T/program.jq"
}
secret='{apiVersion: "v1", kind: "Secret", metadata: {name: "s"},
	data: {p: (random("p"; 12) | @base64)}}'
# password OPTION...: of the last replay
password() {
	ireconcile -f "$T/watches.yaml" "$@" <"$T/in" 2>"$T/err" |
		jq -r '.items[0].data.p // .reconcile.status.error'
}

# ---- random ----

program "$secret"
thing a 1 >"$T/in"
first=$(password --clock=input)
ok "a replay needs no key for random" test "${#first}" = 16
is "$(password --clock=input)" "$first" "... and is the same each time"
case $(password) in *"random needs a key"*) got=refused ;; *) got=made ;; esac
is "$got" refused "without --clock=input there is no key that everybody knows"
head -c 40 /dev/zero | tr '\0' k >"$T/key"
ok "a key that is given counts" test \
	"$(password --clock=input --marks-key-fd=9 9<"$T/key")" != "$first"

# What was recorded with a key counts as it stands: a retained Secret of an
# operator is a member, and agrees.
program "retain($secret | immutable(.data))"
ireconcile -f "$T/watches.yaml" --marks-key-fd=9 9<"$T/key" <"$T/in" |
	jq -c '.items[0] | .metadata.uid = "u" | .metadata.resourceVersion = "2"' \
	>"$T/member"
ok "... it has a proof" grep -q 'kpipe.dev/proof' "$T/member"
cat "$T/in" "$T/member" >"$T/both"
runs 0 "a replay with a retained member" ireconcile -f "$T/watches.yaml" \
	--clock=input --must-answer --all <"$T/both"
is "$(jq -c '.reconcile.known' "$T/out")" '{"Secret/ns/s":"u"}' \
	"... it is one without the key"
runs 0 "... as a replay of differences" ireconcile -f "$T/watches.yaml" \
	--clock=input <"$T/both"
is "$(jq -c '[.items[].kind]' "$T/out")" '' "... and nothing differs"

# ---- no answer ----

answer() { # CODE WHAT [TEXT]
	runs "$1" "$2" ireconcile -f "$T/watches.yaml" --clock=input \
		--must-answer <"$T/in"
	[ $# -lt 3 ] || ok "... says why" grep -qF "$3" "$T/err"
}
answer 0 "a program that answers"
program '("kaputt" | error)'
answer 2 "one that never does: exit 2" \
	'program.jq never gave an answer for a thing.example.com: each of its evaluations failed'
program 'if .primary.metadata.name == "b" then error("no") else empty end'
given thing a 1
and thing b 1
answer 1 "one that fails for one primary: exit 1"
: >"$T/in"
answer 2 "an empty input" 'the input has no primary of the watches file'
decided 0 "... without --must-answer"
given thing a 1
and printf '\n{"type":"ADDED","object":7}\n'
answer 2 "a bad line" 'line 2: an event without object'
given begin v1 Secret
and thing a 1
answer 2 "an input that is cut" 'the input ends before it is complete'
program ""
for stream in events all sets; do
	given thing a 1
	and echo '{"record":"gap","stream":"'"$stream"'"}'
	code=2
	[ "$stream" != sets ] || code=0
	answer "$code" "a gap in: $stream"
	is "$(grep -c 'in which events are missing: 1' "$T/err")" \
		$((code / 2)) "... which the log has, if it is of events"
done
done_testing
