#!/bin/bash
# ireconcile: exactly(OBJECT), a ConfigMap or Secret without keys of others.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

write_program
sed -i 's/kind: Pod, .*/kind: Secret, manage: true}/' "$T/watches.yaml"
program() { # ITEM
	cat >"$T/program.jq" <<END
include "operator";
def cm: {apiVersion: "v1", kind: "ConfigMap", metadata: {name: "a-0"}, data: {k: "v"}};
def secret: {apiVersion: "v1", kind: "Secret", metadata: {name: "s"},
	stringData: {k: "v"}, data: {l: "dg=="}};
def desired: [$1];
def status: {error: .error};
END
}
# outcome OBJECT...: keys in the line for the Thing with these observed objects
outcome() {
	printf '%s\n' "$(thing a 1 "" '"status":{"error":null}')" "$@" >"$T/in"
	decide
	jq -c '[.items[].metadata.name, .reconcile.exactly[]?,
		.reconcile.status.error?]' "$T/out"
}
# seen DATA: the ConfigMap as the server has it
seen() {
	observed a-0 a v 2 | jq -c "$1"
}

program 'exactly(cm)'
is "$(outcome)" '["a-0","ConfigMap/ns/a-0",null]' "a new one is named"
is "$(outcome "$(seen .)")" "" "without keys of others it agrees"
is "$(outcome "$(seen '.data.x = "y"')")" '["a-0","ConfigMap/ns/a-0",null]' \
	"another key is a difference"
is "$(outcome "$(seen '.binaryData.x = "eQ=="')")" \
	'["a-0","ConfigMap/ns/a-0",null]' "... in binaryData, too"
is "$(outcome "$(seen '.data.x = ""')")" '["a-0","ConfigMap/ns/a-0",null]' \
	"... and if it is empty"
is "$(outcome "$(seen '.metadata.labels.x = "y" | .immutable = false')")" "" \
	"labels that others set are fine"
program 'cm'
is "$(outcome "$(seen '.data.x = "y"')")" "" \
	"a key beside an item that is not exact is not a difference"

program 'exactly(secret)'
outcome >/dev/null
secret=$(jq -nc --arg paths "$(ireconcile -f "$T/watches.yaml" <"$T/in" |
	jq -r '.items[0].metadata.annotations["kpipe.dev/paths"]')" '{
	apiVersion: "v1", kind: "Secret", metadata: {name: "s", namespace: "ns",
	uid: "s", resourceVersion: "3", annotations: {"kpipe.dev/paths": $paths},
	ownerReferences: [{apiVersion: "example.com/v1", kind: "Thing", name: "a",
	uid: "uid-a", controller: true}]}, data: {k: "dg==", l: "dg=="}}')
is "$(outcome "$secret")" "" "stringData of a Secret are its data"
is "$(outcome "$(jq -c '.data.x = "c2VjcmV0"' <<<"$secret")")" \
	'["s","Secret/ns/s",null]' "another key of a Secret"

# An item that becomes exact is compared again.
program 'if .primary.spec.x then exactly(cm) else cm end'
given initially \
	"$(thing a 1 "" '"status":{"error":null},"spec":{"x":false}')" \
	"$(seen '.data.x = "y"')"
and event MODIFIED "$(thing a 2 "" '"status":{"error":null},"spec":{"x":true}')"
decided 0 "an item that becomes exact"
is "$(jq -c .reconcile.exactly "$T/out")" '["ConfigMap/ns/a-0"]' \
	"... is compared again"

# Keys that come again and again are a loop, which names them.
given initially "$(thing a 1 "" '"status":{"error":null},"spec":{"x":true}')"
for n in 1 2 3 4 5 6; do
	and event MODIFIED "$(seen '.metadata.resourceVersion = "'$n'1"')" \
		"2026-01-01T00:0$n:00Z"
	and event MODIFIED "$(seen '.data.x = "y" | .metadata.resourceVersion = "'$n'2"')" \
		"2026-01-01T00:0$n:01Z"
done
decided 0 "keys that come again and again"
is "$(jq -c '.reconcile.loops // empty' "$T/out" | sort -u)" \
	'{"ConfigMap/ns/a-0":".data.x"}' "... are a loop"

program 'exactly(cm | .kind = "Service")'
is "$(outcome)" \
	'["program.jq:5: desired: item 0 (Service a-0) is exactly, which is for ConfigMaps and Secrets"]' \
	"another kind is an error"
program 'exactly(keep(cm))'
is "$(outcome)" '["program.jq:5: desired: item 0 (ConfigMap a-0) is keep and something else, too"]' \
	"... and keep"
done_testing
