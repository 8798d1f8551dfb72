#!/bin/bash
# A key that a program drops from stringData is gone, and so are keys that an
# earlier version of kapply left behind. On both servers.
# servers: kapi real
. "${0%/*}/lib.sh"
. "${0%/*}/cluster/lib.sh"
cluster_start

owner='"apiVersion":"v1","kind":"ConfigMap","name":"o"'
ok "an owner" kapply -o none <<<'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"o","namespace":"default"}}'
uid() { api "/api/v1/namespaces/default/$1" | jq -r .metadata.uid; }
owner_uid=$(uid configmaps/o)
secrets=/api/v1/namespaces/default/secrets
# secret NAME MEMBERS: the line of a set with that Secret; KNOWN is its uid
secret() {
	printf '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"%s","namespace":"default","ownerReferences":[{%s,"uid":"%s","controller":true}]},%s}],"reconcile":{"primary":{%s,"namespace":"default","uid":"%s"},"known":{"Secret/default/%s":%s},"manager":"us"}}\n' \
		"$1" "$owner" "$owner_uid" "$2" "$owner" "$owner_uid" "$1" \
		"${KNOWN:-null}"
}
apply() { secret "$@" | kapply -o none; }
data() { api "$secrets/$1" | jq -Sc .data; }
owned() {
	api "$secrets/$1" | jq -Sc '[.metadata.managedFields[]
		| select(.manager == "us").fieldsV1 | keys[]]'
}

ok "a Secret with stringData" apply a '"data":{"x":"AAH/","bob":"eA=="},"stringData":{"alice":"one","bob":"two\n\u00e9","no":null}'
is "$(data a)" '{"alice":"b25l","bob":"dHdvCsOp","x":"AAH/"}' \
	"has the data that the server would make of it"
is "$(owned a)" '["f:data","f:metadata"]' "... as what we own"
KNOWN="\"$(uid secrets/a)\""
ok "two keys less" apply a '"stringData":{"alice":"one"}'
is "$(data a)" '{"alice":"b25l"}' "... are gone"
ok "another client adds a key" kapply -o none --field-manager=other \
	<<<'{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","namespace":"default"},"stringData":{"theirs":"x"}}'
ok "data instead" apply a '"data":{"alice":"b25l"}'
is "$(data a)" '{"alice":"b25l","theirs":"eA=="}' \
	"... keeps what others have written, as stringData, too"

# As kapply wrote them before: plain objects still are.
KNOWN=null
plain() {
	secret b "$1" | jq -c '.items[0]' | kapply -o none --field-manager=us
}
ok "an earlier version" plain '"stringData":{"alice":"one","bob":"two"}'
ok "... dropped a key" plain '"stringData":{"alice":"one"}'
is "$(data b)" '{"alice":"b25l","bob":"dHdv"}' "... which stayed"
KNOWN="\"$(uid secrets/b)\""
ok "the same now" apply b '"stringData":{"alice":"one"}'
is "$(data b)" '{"alice":"b25l"}' "... removes it"

# An operator.
ok "a CRD" kapply -o none <<'END'
{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
 "metadata":{"name":"logins.example.com"},"spec":{"group":"example.com",
 "names":{"kind":"Login","plural":"logins","singular":"login"},"scope":"Namespaced",
 "versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
 "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}
END
wait_for 30 api /apis/example.com/v1/logins
cat >"$T/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Login
  program: program.jq
  dependents:
  - {apiVersion: v1, kind: Secret, manage: true}
END
cat >"$T/program.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "Secret", metadata: {name: "creds"},
	stringData: .primary.spec.users}];
def status: {done: (.outstanding == []), users: .primary.spec.users | keys};
END
login() {
	printf '{"apiVersion":"example.com/v1","kind":"Login","metadata":{"name":"l","namespace":"default"},"spec":{"users":%s}}\n' "$1" |
		kapply -o none --field-manager=user
}
holds() { [ "$(data creds)" = "$1" ]; }
status_is() {
	[ "$(api /apis/example.com/v1/namespaces/default/logins/l |
		jq -Sc .status)" = "$1" ]
}
start kpipe -f "$T/watches.yaml" 2>"$T/log"
login '{"alice":"one","bob":"two"}'
wait_for 30 holds '{"alice":"b25l","bob":"dHdv"}'
login '{"alice":"one"}'
ok "an operator revokes a password" wait_for 30 holds '{"alice":"b25l"}'
ok "... and says so" wait_for 30 status_is '{"done":true,"users":["alice"]}'
is "$(grep -c configured "$T/log")" 1 "... with one apply"
done_testing
