#!/bin/bash
# A key that a program drops from stringData is gone, and so are keys that an
# earlier version of kapply left behind. On both servers.
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
# secret NAME MEMBERS: a set with that Secret is in $T/in; KNOWN: its uid
secret() {
	set_line '[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"'"$1"'","namespace":"default"},'"$2}]" \
		"{\"manager\":\"us\",\"known\":{\"Secret/default/$1\":${KNOWN:-null}}}" >"$T/in"
}
apply() {
	secret "$@"
	kapply_line -o none
}
known() {
	KNOWN="\"$(uid secret "$1")\""
}
data() {
	kubectl get secret "$1" -o json | jq -Sc .data
}
ok "a Secret with stringData" apply a '"data":{"x":"AAH/","bob":"eA=="},"stringData":{"alice":"one","bob":"two\n\u00e9","no":null}'
is "$(data a)" '{"alice":"b25l","bob":"dHdvCsOp","x":"AAH/"}' \
	"has the data that the server would make of it"
is "$(kubectl get secret a -o json --show-managed-fields | jq -Sc '[.metadata.managedFields[]
	| select(.manager == "us").fieldsV1 | keys[]]')" '["f:data","f:metadata"]' \
	"... as what we own"
known a
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
	secret b "$1"
	jq -c '.items[0]' "$T/in" | kapply -o none --field-manager=us
}
ok "an earlier version" plain '"stringData":{"alice":"one","bob":"two"}'
ok "... dropped a key" plain '"stringData":{"alice":"one"}'
is "$(data b)" '{"alice":"b25l","bob":"dHdv"}' "... which stayed"
known b
ok "the same now" apply b '"stringData":{"alice":"one"}'
is "$(data b)" '{"alice":"b25l"}' "... removes it"

# An operator
kubectl delete thing t >/dev/null
things_watches 'dependents: [{apiVersion: v1, kind: Secret, manage: true}]'
cat >"$T/reconcile.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "Secret", metadata: {name: "creds"},
	stringData: .primary.spec.users}];
def status: {done: (.outstanding == []), users: .primary.spec.users | keys};
END
holds() {
	[ "$(data creds)" = "$1" ]
}
status_is() {
	[ "$(kubectl get thing l -o json | jq -Sc .status)" = "$1" ]
}
things_run
thing l '{"users":{"alice":"one","bob":"two"}}' >/dev/null
wait_for 30 holds '{"alice":"b25l","bob":"dHdv"}'
kubectl patch thing l --type=merge -p '{"spec":{"users":{"bob":null}}}' >/dev/null
ok "an operator revokes a password" wait_for 30 holds '{"alice":"b25l"}'
ok "... and says so" wait_for 30 status_is '{"done":true,"users":["alice"]}'
is "$(grep -c configured "$T/err")" 1 "... with one apply"
done_testing
