#!/bin/bash
# Two versions of one operator run at once, without leader election: each says
# that another one may be what changes its items back.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
things_start
things_watches 'operator: {version: "${V}"}' \
	'dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]'
cat >"$T/reconcile.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "c"},
	data: {version: .operator.version}}];
def status: {conditions: []};
END
thing t >/dev/null
# version V: an instance; its pid is in $!
version() {
	V=$1 start kpipe -f "$T/watches.yaml" 2>"$T/err$1"
}
version 1
one=$!
version 2
two=$!
told() {
	grep -q "ConfigMap default/c: .data.version is changed back again and again, last by the same field manager (kpipe-thing.example.com), perhaps another instance of this operator" \
		"$T/err$1"
}
ok "one of them names the other" wait_for 60 eval 'told 1 || told 2'
events() {
	kubectl get events -o json | jq -e '.items[] | select(.reason == "RepairLoop"
		and (.message | test("by the same field manager .*, perhaps another instance")))'
}
ok "... and an Event does" wait_for 60 events
kill "$one" "$two"
wait "$one" "$two"
is "$(cat "$T"/err? | grep -c 'by an admission webhook')" 0 \
	"... and nothing that does not exist"
done_testing
