#!/bin/bash
# The language of programs (doc/program.md): the same on every libjq. t/jq/table
# holds what each expression means. Then what happened to a cluster while `try`
# also caught errors behind it.
. "${0%/*}/lib.sh"

t/jq/run t/jq/table "$T" >"$T/table"
is "$(grep -c '^ok' "$T/table")" \
	"$(($(grep -vc '^#\|^$' t/jq/table) +
		$(grep -vc '^#\|^$\| ~ ! \| ~ refused ' t/jq/table)))" \
	"each line of t/jq/table, and those that give something traced"
grep -A2 '^not ok' "$T/table" | while read -r line; do note "$line"; done
# Another row must not be the reason for a definition.
grep '^map_values' t/jq/table >"$T/rows"
t/jq/run "$T/rows" "$T" >"$T/table"
is "$(grep -c '^ok' "$T/table")" "$(($(wc -l <"$T/rows") * 2))" \
	"map_values in a program without another update"

# operator FIELDS: watches.yaml for the program on stdin
operator() {
	cat >"$T/program.jq"
	printf '%s\n' '- group: e.com' '  version: v1' '  kind: T' \
		'  program: program.jq' '  dependents:' \
		'  - {apiVersion: v1, kind: ConfigMap, manage: true}' \
		'  related:' '  - {apiVersion: v1, kind: Secret}' \
		>"$T/watches.yaml"
}

# events SPEC: a primary, its ConfigMap port-70000 and a Secret
events() {
	jq -cn --argjson spec "$1" '
		{apiVersion: "v1", kind: "Secret", metadata: {name: "s",
			namespace: "d", uid: "s", resourceVersion: "1"},
			data: {port: "aHVudGVyMg=="}},
		{apiVersion: "v1", kind: "ConfigMap", metadata: {
			name: "port-70000", namespace: "d", uid: "c",
			resourceVersion: "1", ownerReferences: [{apiVersion:
			"e.com/v1", kind: "T", name: "t", uid: "u",
			controller: true}]}, data: {n: "3"}},
		{apiVersion: "e.com/v1", kind: "T", metadata: {name: "t",
			namespace: "d", uid: "u", resourceVersion: "1",
			generation: 1}, spec: $spec}'
}

# result: items, deletes, status
result() {
	ireconcile -f "$T/watches.yaml" --clock=input --all 2>"$T/err" |
		jq -c '[[.items[].metadata.name],
			[.reconcile.delete[]?.name],
			.reconcile.status // .reconcile.onError]'
}

operator <<'END_OF_PROGRAM'
include "operator";
def desired:
  (try (.primary.spec.size | tonumber) catch 0) as $n
  | [deployment("x"; {}; {replicas: $n})
     | need(.spec.replicas <= 10; "size is above 10")
     | config_map("x"; {}; {n: "\(.spec.replicas)"})];
def status: {failed: .error};
END_OF_PROGRAM
is "$(events '{"size": "12"}' | result)" \
	'[[],[],{"failed":"size is above 10"}]' \
	"a size that is refused makes no replicas of 0"
is "$(events '{"size": "2"}' | result | jq -c '.[0]')" '["x"]' \
	"... and a good one is taken"

operator <<'END_OF_PROGRAM'
include "operator";
def desired: [.primary.spec.ports[] | (tonumber)? | . as $p
  | config_map("port-\($p)"; {}; {p: "\($p)"})
  | need($p < 65536; "port \($p) is too large")];
def status: {phase: (if .error then "Failed: " + .error else "ok" end)};
END_OF_PROGRAM
is "$(events '{"ports": ["70000", "x"]}' | result)" \
	'[[],[],{"phase":"Failed: port 70000 is too large"}]' \
	"what fails behind a ? deletes nothing, and is not a success"
is "$(events '{"ports": ["80", "x"]}' | result)" \
	'[["port-80"],["port-70000"],{"phase":"ok"}]' \
	"... and what it holds is left out"

operator <<'END_OF_PROGRAM'
include "operator";
def size: try (.primary.spec.size | tonumber)
  catch {invalid: "spec.size: \(.)"};
def desired: size as $size
  | if ($size | type) == "object" then []
    else [config_map("x"; {}; {n: "\($size)",
      port: (.related.Secret[0].data.port + $size | tostring)})] end;
def status: size as $size
  | if ($size | type) == "object"
    then {phase: "Invalid", reason: $size.invalid}
    else {phase: "Ready", error} end;
END_OF_PROGRAM
is "$(events '{"size": "3"}' | result)" \
	'[[],[],{"error":"program.jq:7: desired: string (...) cannot be added at .related.Secret[0].data.port (string) + ... (number)","phase":"Ready"}]' \
	"a handler sees nothing of what fails elsewhere"
is "$(events '{"size": "z"}' | result)" \
	'[[],["port-70000"],{"phase":"Invalid","reason":"spec.size: tonumber: the text is not a number"}]' \
	"... but what fails in its own try"

operator <<'END_OF_PROGRAM'
include "operator";
def desired: [];
def status: {a: try (.related.Secret[0].data.port + 1) catch .,
  b: (try (.related.Secret[0].data.port | fromjson) catch .),
  c: (try (.related.Secret[0].data.port | test("(")) catch .),
  d: (label $out | try (.related.Secret[0].data | keys[0] + 1) catch .),
  e: (try first(.related.Secret[0].data.port | error) catch "own")};
END_OF_PROGRAM
is "$(events '{}' | result | grep -c aHVu)" 0 \
	"no handler gets a value of a Secret from a message of jq's"
is "$(events '{}' | result | jq -c '.[2] | [.a, .e]')" \
	'["string (...) cannot be added","own"]' "... but its words"
is "$(<"$T/err")" "" "no complaints"

# refused PROGRAM: why it is not loaded
refused() {
	printf '%s\n' "$1" | operator
	ireconcile -f "$T/watches.yaml" </dev/null 2>&1 |
		sed 's/.*program.jq:1: //'
}
is "$(refused "def desired: ['a'];")" \
	"a text is written in double quotes, not in '...'" "single quotes"
is "$(refused 'def desired: if true && false then [] else [] end;')" \
	"there is no \`&\` here: \`and\` joins two conditions" "&&"
is "$(refused 'def desired: if !true then [] else [] end;')" \
	"there is no \`!\` here: write \`CONDITION | not\`" "!"
is "$(refused $'\xef\xbb\xbfdef desired: [];')" \
	"a byte order mark, or another character beyond ASCII, means nothing here" \
	"a byte order mark"
done_testing
