#!/bin/bash
# .outstanding names what is not as desired yet, and has no data of it: statuses
# and Events are made of it.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

cat >"$T/program.jq" <<'END'
include "operator";
def desired: [{apiVersion: "v1", kind: "Secret", metadata: {name: "made"},
		stringData: {p: "hunter2"}},
	{apiVersion: "v1", kind: "Secret", metadata: {name: "differs"},
		data: {p: "aHVudGVyMg=="}},
	{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "as-desired"},
		data: {p: "hunter2"}}];
def status: {pending: [.outstanding[] | tojson]};
def events: [.outstanding[] | {type: "Normal", reason: "Wait",
	message: tojson}];
END
cat >"$T/watches.yaml" <<'END'
- version: v1
  group: example.com
  kind: Thing
  program: program.jq
  dependents:
  - {apiVersion: v1, kind: Secret, manage: true}
  - {apiVersion: v1, kind: ConfigMap, manage: true}
END
# object KIND NAME MORE: of Thing t
below() {
	printf '{"type":"ADDED","object":{"apiVersion":"v1","kind":"%s","metadata":{"namespace":"ns","name":"%s","uid":"u-%s","resourceVersion":"3","ownerReferences":[{"apiVersion":"example.com/v1","kind":"Thing","name":"t","uid":"u","controller":true}]},%s}}\n' \
		"$1" "$2" "$2" "$3"
}
given echo '{"type":"ADDED","object":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"namespace":"ns","name":"t","uid":"u","resourceVersion":"1"}}}'
and below Secret differs '"data":{"p":"b3RoZXI="}'
and below ConfigMap old '"data":{"p":"hunter2"}'
and below ConfigMap as-desired '"data":{"p":"hunter2"}'
ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" >"$T/out"
is "$(jq -c '.reconcile.status.pending[] | fromjson' "$T/out")" \
	'{"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"ns","name":"made"}}
{"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"ns","name":"differs"},"path":".data.p"}
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns","name":"as-desired"},"path":".metadata.annotations"}
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns","name":"old","uid":"u-old"}}' \
	"identities, and the field that differs"
is "$(jq -c '.reconcile | del(.manager)' "$T/out" |
	grep -Ec 'hunter2|aHVudGVyMg')" 0 "... no data, in status and Events"
done_testing
