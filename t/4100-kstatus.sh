#!/bin/bash
# kstatus on an API server.
# servers: kapi real: it starts again
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck disable=SC2119
export KAPI_OPTIONS=--authorization-mode=RBAC
cluster_start

kubectl apply -f - >/dev/null <<'EOF'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things, singular: thing}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status:
            type: object
            properties: {phase: {type: string}, size: {type: integer}}
EOF
wait_for 20 kubectl wait --for=condition=Established crd/things.example.com
kubectl create -f - >/dev/null <<'EOF'
{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","namespace":"default"},"spec":{"a":1}}
EOF
uid=$(kubectl get thing t -o jsonpath='{.metadata.uid}')

# line NAME UID STATUS
line() {
	printf '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"namespace":"default","name":"%s"%s},"status":%s}\n' \
		"$1" "${2:+,\"uid\":\"$2\"}" "$3"
}
status() {
	kubectl get thing t -o json | jq -c .status
}
write() {
	kstatus --timeout=60s "$@" <"$T/in"
}

echo '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t"},"status":{"phase":"A"},"spec":{"a":2}}' >"$T/in"
runs 0 "a line by hand" write
is "$(status)$(kubectl get thing t -o jsonpath='{.spec.a}')" '{"phase":"A"}1' "... writes the status and nothing else"
is "$(cat "$T/out" "$T/err")" "" "... silently"
is "$(kubectl get thing t --show-managed-fields -o json | jq -c '[.metadata.managedFields[]
	| select(.subresource == "status") | [.manager, .operation]]')" \
	'[["kpipe-thing.example.com","Apply"]]' "... under the name of the controller"

line t "$uid" '{"phase":"\ud83d\ude00 a\/b"}' >"$T/in"
runs 0 "escapes of JSON that YAML does not know" write
is "$(status)" '{"phase":"😀 a/b"}' "... are written as what they say"

line t "$uid" '{ }' >"$T/in"
runs 0 "an empty status" write
is "$(status)" null "... takes back what the last one set"

line a/b "" '{"size":3}' >"$T/in"
runs 1 "a name with a slash" write
is "$(<"$T/err")" \
	'kstatus: error: line 1: it has the name "a/b": a name is not . or .. and has no /, % or NUL' \
	"... is refused"

line t "$uid" '{"phase":null,"size":3}' >"$T/in"
runs 0 "a null in the status" write
is "$(status)" '{"size":3}' "... says nothing"
line t "$uid" '{"phase":null}' >"$T/in"
runs 0 "nothing but nulls" write
is "$(status)" null "... is an empty status"

for i in {1..100}; do line t "$uid" "{\"size\":$i}"; done >"$T/in"
audit_mark
runs 0 "a hundred lines of one object" write
is "$(status)" '{"size":100}' "... the last one wins, and what it drops is gone"
kubectl get --raw '/apis/example.com/v1/namespaces/default/things/t' >/dev/null
few() {
	local n
	n=$(audit_writes admin | grep -c things/status)
	[ "$n" -ge 1 ] && [ "$n" -le 10 ]
}
ok "... most were never sent" wait_for 5 few

kubectl patch thing t --subresource=status --field-manager=other --type=merge -p '{"status":{"size":7}}' >/dev/null
line t "$uid" '{"size":8}' >"$T/in"
runs 0 "a field that another manager wrote" write
is "$(status)" '{"size":8}' "... is forced"

# A status for the current version, and one that comes too late
seen=$(kubectl get thing t -o jsonpath='{.metadata.resourceVersion}')
for size in 21 22; do
	line t "$uid" '{"size":'$size'}' |
		jq -c --arg seen "$seen" '.metadata.resourceVersion = $seen' >"$T/in"
	runs 0 "a status for one version of the object" write
	is "$(status)" '{"size":21}' "... is written on that one only"
	is "$(cat "$T/out" "$T/err")" "" "... and dropped quietly otherwise"
done

{ line t 0123 '{"size":9}'; line gone 0123 '{"size":9}'; } >"$T/in"
runs 0 "objects that are gone, or others by now" write
is "$(cat "$T/out" "$T/err")" "" "... are dropped quietly"
is "$(status)" null "... what went to a successor is taken back"
runs 1 "... none is made" kubectl get thing gone

# Errors, each with its message; the rest is written.
{
	line t "$uid" '{"sze":1}'
	echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"status":{}}'
	echo '{"apiVersion":"v1","kind":"Nothing","metadata":{"name":"c"},"status":{}}'
	echo 'nonsense'
	echo '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"c"}}'
	echo '{"apiVersion":"v1","metadata":{"name":"c"}}'
} >"$T/in"
runs 1 "lines that cannot be written" write
is "$(sort "$T/err")" 'kstatus: error: cannot write the status of ConfigMap c: ConfigMap has no status subresource
kstatus: error: cannot write the status of Nothing c: no matches for kind "Nothing" in version "v1"
kstatus: error: cannot write the status of Thing.example.com default/t: failed to create typed patch object (default/t; example.com/v1, Kind=Thing): .status.sze: field not declared in schema
kstatus: error: line 4: unexpected byte at byte 2
kstatus: error: line 5: it has no status, or one that is not an object
kstatus: error: line 6: it has no kind' "... are named"
events() {
	api /api/v1/namespaces/default/events | jq -r '.items[] |
		select(.involvedObject.kind == "Thing" and
			.reason == "FailedStatus") |
		[.type, .involvedObject.uid, .source.component, .count,
			.message] | map(tostring) | join(" ")'
}
is "$(events)" "Warning $uid kpipe-thing.example.com 1 cannot write the status: failed to create typed patch object (default/t; example.com/v1, Kind=Thing): .status.sze: field not declared in schema" \
	"... the one of a primary in an Event"
line t "$uid" '{"siz":1}' >"$T/in"
runs 1 "nothing else to do" write
is "$(events | grep -c "\.status\.siz: field not declared")" 1 \
	"... it ends when its Event is sent"

line t "$uid" '{"size":1}' >"$T/in"
runs 1 "a user without rights" write --kubeconfig "$(config user1)"
is "$(<"$T/err")" 'kstatus: error: cannot write the status of Thing.example.com default/t: things.example.com "t" is forbidden: User "user1" cannot patch resource "things/status" in API group "example.com" in the namespace "default"
kstatus: warning: an Event was refused: events is forbidden: User "user1" cannot create resource "events" in API group "" in the namespace "default"' \
	"... is told what is missing"
kubectl create role -n default events --verb=create,patch --resource=events \
	>/dev/null
kubectl create rolebinding -n default events --role=events --user=user1 \
	>/dev/null
may_tell() {
	[ "$(kubectl auth can-i patch events --as=user1)" = yes ]
}
wait_for 10 may_tell
runs 1 "... with the right to Events" write --kubeconfig "$(config user1)"
ok "... in one as well" eval 'events | grep -q "user1.*cannot patch"'

# The server dies and comes back.
mkfifo "$T/pipe"
kstatus <"$T/pipe" 2>"$T/log" &
started+=($!)
writer=$!
exec 7>"$T/pipe"
line t "$uid" '{"size":11}' >&7
has() {
	[ "$(status)" = "$1" ]
}
ok "a kstatus that runs" wait_for 5 has '{"size":11}'
server_down
for i in {12..20}; do line t "$uid" "{\"size\":$i}"; done >&7
ok "... says that the API server is gone" \
	wait_for 20 grep -q 'cannot reach' "$T/log"
server_up
ok "... goes on after the API server was gone" wait_for 20 has '{"size":20}'
exec 7>&-
wait "$writer"
is "$?" 0 "... and ends well"
is "$(grep -c 'cannot reach\|answers again' "$T/log")$(grep -c error: "$T/log")" 20 "... it said so once" || quote <"$T/log"
done_testing
