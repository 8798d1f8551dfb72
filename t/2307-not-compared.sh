#!/bin/bash
# ireconcile --against as a gate: what was not compared is not known to agree.
# It is counted and said, and the exit code is 2.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

cat >"$T/old.yaml" <<'END'
- group: e.com
  version: v1
  kind: T
  program: old.jq
  random: true
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
  - {apiVersion: v1, kind: Secret, manage: true}
END
sed 's/old/new/' "$T/old.yaml" >"$T/new.yaml"
cat >"$T/old.jq" <<'END'
include "operator";
def desired: [config_map("a"; {}; {v: "old"}),
  {apiVersion: "v1", kind: "Secret", metadata: {name: "pw"},
    data: {p: (random("p"; 20) | @base64)}}];
def status: {error};
END
# object NAME [SPEC]
object() {
	jq -cn '{apiVersion: "e.com/v1", kind: "T", metadata: {name: $n,
		namespace: "d", uid: $n, resourceVersion: "1"}, spec: $s}' \
		--arg n "$1" --argjson s "${2:-{\}}"
}
# complete: all kinds are
complete() {
	jq -cn '{T: "e.com/v1", ConfigMap: "v1", Secret: "v1"} | to_entries[]
		| {type: "BOOKMARK", object: {apiVersion: .value, kind: .key,
		metadata: {annotations: {("kpipe.dev/initial-events-begin",
		"k8s.io/initial-events-end"): "true"}}}}'
}
change() {
	sed "$@" "$T/old.jq" >"$T/new.jq"
}
# against CODE WHAT [OPTION]...
against() {
	runs "$1" "$2" ireconcile -f "$T/old.yaml" --against "$T/new.yaml" \
		--clock=input "${@:3}" <"$T/in"
}
told() {
	jq -r '[.part, .object, .change, (.differs // [])[].path] | join(" ")' \
		"$T/out"
}
object t >"$T/in"

# ---- random, without the operator's key ----

change ''
against 0 "the same program with random agrees"
says "ireconcile: primaries compared: 1, of which differed: 0" \
	"... and was compared"
change 's/"old"/"new"/'
against 1 "another value differs"
is "$(told)" "item ConfigMap/d/a differs .data.v" "... and only that"
change 's/random("p"/random("q"/'
against 1 "another seed differs"
is "$(told)" "item Secret/d/pw differs .data.p" "... and only that"
change ''
runs 0 "by the real clock, as beside an operator" ireconcile \
	-f "$T/old.yaml" --against "$T/new.yaml" <"$T/in"

# ---- what was not compared ----

: >"$T/in"
against 2 "an empty input"
says "ireconcile: warning: no primary of t.e.com was compared: the input has none
ireconcile: primaries compared: 0, of which differed: 0" "... shows nothing"

sed -i 's/^def desired: /&if .primary.spec.bad then error("no") else . end | /' \
	"$T/old.jq"
change ''
given object t
and object u '{"bad": true}'
against 2 "one of two fails with both"
is "$(told)" "failure T.e.com/d/u not-compared" "... is a line"
is "$(jq -r .message "$T/out")" "no" "... with the message"
says "ireconcile: warning: primaries that were not compared, because both programs fail: 1
ireconcile: primaries compared: 1, of which differed: 0" "... and is counted"
against 2 "... as text" -o text
is "$(<"$T/out")" "T.e.com d/u
? is not compared, both programs fail: no" "... reads so"
change 's/"old"/"new"/'
against 1 "one differs, one fails: exit 1"

change ''
{
	complete
	object t '{"bad": true}'
	object t | sed 's/"1"/"2"/'
} >"$T/in"
against 0 "one that fails for a while was compared afterwards"
is "$(told)" "failure T.e.com/d/t not-compared
failure T.e.com/d/t agrees" "... and both is told"
{
	complete
	object t '{"bad": true}'
	object t | jq -c '{type: "DELETED", object: .}'
	object u
} >"$T/in"
against 2 "one that was deleted before it could be compared"
is "$(tail -n 1 "$T/err")" \
	"ireconcile: primaries compared: 1, of which differed: 0" \
	"... beside one that was"

# ---- a bad input that agrees ----

given object t
and echo '{"type":"ADDED","object":7}'
against 2 "a bad line, and nothing differs"

# Another controller of the file, of which nothing is complete.
cat >>"$T/old.yaml" <<'END'
- {group: f.com, version: v1, kind: U, program: old.jq}
END
sed 's/old/new/' "$T/old.yaml" >"$T/new.yaml"
{
	object t
	complete | jq -c 'if .object.kind == "T" then .object.kind = "U"
		| .object.apiVersion = "f.com/v1"
		| del(.object.metadata.annotations["k8s.io/initial-events-end"])
		else empty end'
} >"$T/in"
against 2 "an input that is cut, beside a primary that agrees"
ok "... says so" grep -q 'primaries compared: 1, of which differed: 0' "$T/err"
sed -i '/^- {group: f.com/d' "$T/old.yaml"
sed 's/old/new/' "$T/old.yaml" >"$T/new.yaml"
object t >"$T/in"
echo '  related: [{apiVersion: v1, kind: Node}]' >>"$T/new.yaml"
jq -cn '{type: "BOOKMARK", object: {apiVersion: "v1", kind: $k, metadata:
	{annotations: {("kpipe.dev/initial-events-begin",
	"k8s.io/initial-events-end"): "true"}}}}' --arg k ConfigMap >>"$T/in"
against 2 "a kind that only the new program reads, and the input lacks"
ok "... is named" grep -q 'the input does not have these kinds.*: Node' "$T/err"

# ---- values that the input hides ----

sed -i '/related/d' "$T/old.yaml"
cat >>"$T/old.yaml" <<'END'
  redact: [spec.password]
  related:
  - {apiVersion: v1, kind: Secret, map: {field: spec.ref}}
END
sed 's/old/new/' "$T/old.yaml" >"$T/new.yaml"
# decides EXPRESSION: of the ConfigMap's value
decides() {
	printf 'include "operator";
def secret: .related.Secret[0];
def plan: {mode: secret.data.mode};
def desired: [config_map("a"; {}; {v: %s})];
def status: {error};\n' "$1" >"$T/old.jq"
	change 's/"3"/"0"/'
}
{
	object t '{"ref":"s","password":"prod"}' |
		jq -c '.metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"] = "{}"'
	jq -cn '{apiVersion: "v1", kind: "Secret", metadata: {name: "s",
		namespace: "d", uid: "s", resourceVersion: "1"},
		data: {mode: ("prod" | @base64)}}'
} | jq -c '{type: "ADDED", object: .}' >"$T/clear"
krecord redact -f "$T/old.yaml" "$T/clear" >"$T/hidden"
why="ireconcile: warning: primaries of which it is not known whether they differ, because a program looks into values that the input hides: 1; record them with kwatch --show-secrets, of values that may be shown"
for looks in 'if secret.data.mode == "cHJvZA==" then "3" else "1" end' \
	'(secret.data.mode | @base64d | if . == "prod" then "3" else "1" end)' \
	'if .primary.spec.password == "prod" then "3" else "1" end' \
	'(.primary.spec as {password: $p} | {prod: "3"}[$p] // "1")' \
	'if .plan.mode == "cHJvZA==" then "3" else "1" end' \
	'if "x\(.primary.spec.password)" == "xprod" then "3" else "1" end' \
	'if .primary.spec | tojson | test("prod") then "3" else "1" end' \
	'if secret | contains({data: {mode: "cHJvZA=="}}) then "3" else "1" end' \
	'if [.. | strings] | index("cHJvZA==") then "3" else "1" end'; do
	decides "$looks"
	cp "$T/clear" "$T/in"
	against 1 "a program that looks into a value: $looks"
	cp "$T/hidden" "$T/in"
	against 2 "... which the input hides: exit 2"
	is "$(head -n 1 "$T/err")" "$why" "... and says so"
	runs 2 "... so does a replay that must answer" ireconcile \
		-f "$T/old.yaml" --clock=input --must-answer <"$T/in"
	is "$(grep -c 'with the values they may decide otherwise' "$T/err")$(
		grep -c 'each answer of .*old.jq for a t.e.com is of values that the input hides' "$T/err")" \
		11 "... and says so"
	runs 0 "... not one that need not" ireconcile -f "$T/old.yaml" \
		--clock=input <"$T/in"
	ok "... which says so" grep -q 'input hides: 1;' "$T/err"
done
for passes in 'secret.data.mode' '"ftp://\(.primary.spec.password)@h"' \
	'.primary.spec.ref' '.plan.mode' '(.primary.metadata.annotations.a // "x")' \
	'({k: secret.data} | .k.mode)'; do
	decides "$passes"
	against 0 "one that only passes it on: $passes"
	is "$(<"$T/err")" \
		"ireconcile: primaries compared: 1, of which differed: 0" \
		"... agrees"
done
decides '"3"'
against 1 "one that differs all the same: exit 1"
done_testing
