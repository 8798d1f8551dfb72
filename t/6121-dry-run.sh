#!/bin/bash
# kpipe --dry-run from outside the cluster, on some of its namespaces: it says
# what the server would do, and changes nothing.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start

things_start
things_watches 'finalizer: example.com/thing' \
	'dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]'
# program TEXT: one ConfigMap for each member of spec.data, an Event
program() {
	cat >"$T/reconcile.jq" <<-END
	def desired: .primary.metadata.name as \$name | [
	    .primary.spec.data // {} | to_entries[] | {
	        apiVersion: "v1", kind: "ConfigMap",
	        metadata: {name: "\(\$name)-\(.key)"}, data: {k: "\(.value)$1"}}];
	def status: {done: (.outstanding == [] and .error == null)};
	def events: [{type: "Normal", reason: "Seen$1",
	    message: "of \(.primary.metadata.name)"}];
	def finalize: {items: [], delete: .owned.ConfigMap,
	    done: (.owned.ConfigMap == [])};
	END
}
# thing NAMESPACE NAME DATA
thing() {
	kubectl apply -f - >/dev/null <<-END
	{"apiVersion":"example.com/v1","kind":"Thing",
	 "metadata":{"name":"$2","namespace":"$1"},"spec":{"data":$3}}
	END
}
# dry CODE WHAT [OPTION]...: a dry run as admin, with its kubeconfig
dry() {
	local code=$1 what=$2

	shift 2
	snapshot >"$T/before"
	audit_mark
	runs "$code" "$what" env -u KUBECONFIG timeout 300 kpipe \
		-f "$T/watches.yaml" --kubeconfig "$(config admin)" --dry-run "$@"
	jq -r '"\(.metadata.namespace)/\(.metadata.name) \(.result)" +
		((.finalizers // .status) | if . then " " + tojson else "" end)' "$T/out" |
		sort >"$T/results"
}
# A controller makes kube-root-ca.crt in each namespace, at its time.
snapshot() {
	kubectl get things,configmaps,events -A --sort-by=.metadata.uid -o \
		jsonpath='{range .items[*]}{.kind}{.metadata}{"\n"}{end}' |
		grep -v '"name": *"kube-root-ca.crt"'
}
# written: what a dry run has changed, and every writing request without dryRun
# (of deletes it is in the body, which no audit log shows)
written() {
	snapshot | diff "$T/before" -
	audit 'select(.user.username == "admin" and
		(.verb | IN("get", "list", "watch", "delete") | not) and
		(.requestURI | contains("dryRun=All") | not)) |
		"\(.verb) \(.requestURI)"'
}
settled() {
	[ "$(kubectl get things -A -o jsonpath='{.items[*].status.done}')" = \
		"true true" ]
}

for ns in a b c; do
	kubectl create namespace "$ns" >/dev/null
done
program ""
thing a x '{"one":1,"two":2,"three":3}'
thing b y '{"one":1}'
thing c z '{"one":1}'
dry 0 "a dry run on two namespaces" --namespace a,b
is "$(<"$T/results")" 'a/x configured {"add":["example.com/thing"]}
a/x configured {"done":false}
a/x-one created
a/x-three created
a/x-two created
b/y configured {"add":["example.com/thing"]}
b/y configured {"done":false}
b/y-one created' "... says what would be created, there only"
is "$(<"$T/err")" "" "... without a word"
is "$(written)" "" "... and writes nothing, no finalizer and no Event either"

kubectl delete thing -n c z >/dev/null
outside() {
	start env -u KUBECONFIG kpipe -f "$T/watches.yaml" \
		--kubeconfig "$(config admin)" --namespace a,b 2>>"$T/kpipe.err"
	operator=$!
}
outside
ok "the operator works outside the cluster" wait_for 20 settled
things_stop
is $? 0 "... and ends"
dry 0 "a dry run when all is as it should be" -n a,b
is "$(cat "$T/results" "$T/err")" "" "... has nothing to say"
is "$(written)" "" "... and writes nothing"

# A dry run is beside what is installed: it needs its name.
OPERATOR_NAME=prod outside
named() {
	[ "$(kubectl get configmaps -A -o json | jq -r '.items[].metadata.annotations["kpipe.dev/instance"] // empty' | sort | uniq -c | tr -s ' ')" = " 4 prod" ]
}
ok "an instance with a name gives it to all" wait_for 20 named
# Statuses follow: that something is outstanding, and that nothing is.
ok "... and comes to rest" rests 2 snapshot
ok "... with all done" wait_for 20 settled
things_stop
dry 1 "a dry run beside another instance: 1" -n a,b
is "$(<"$T/results")" "" "... says nothing of objects"
is "$(grep -c ': left alone: instance "prod" of' "$T/err") $(grep -o \
	"warning: 2 of 2 primaries are other instances'" "$T/err")" \
	"2 warning: 2 of 2 primaries are other instances'" \
	"... it names the primaries, and how many"
is "$(written)" "" "... and writes nothing"
export OPERATOR_NAME=prod
dry 0 "a dry run with its name" -n a,b
is "$(cat "$T/results" "$T/err")" "" "... decides about all of them"

thing a x '{"one":1,"two":22,"four":4}'
kubectl delete thing -n b y --wait=false >/dev/null
dry 0 "a dry run of a change" -n a,b
is "$(<"$T/results")" 'a/x configured {"done":false}
a/x-four created
a/x-three deleted
a/x-two configured
b/y configured {"done":false}
b/y-one deleted' "... says what would be created, changed and deleted"
is "$(<"$T/err")" "" "... without a word"
is "$(written)" "" "... and writes nothing"
is "$(kubectl get thing -n b y -o jsonpath='{.metadata.finalizers}')" \
	'["example.com/thing"]' "... the finalizer is still there"

program new
dry 0 "a dry run of another program" -n a,b
is "$(<"$T/results")" 'a/x configured {"done":false}
a/x-four created
a/x-one configured
a/x-three deleted
a/x-two configured
b/y configured {"done":false}
b/y-one deleted' "... says what it would change"

kubectl create configmap -n a x-five >/dev/null
thing a x '{"one":1,"five":5,"BAD":6}'
dry 1 "a dry run in which something fails: 1" -n a,b
is "$(<"$T/results")" 'a/x configured {"done":false}
a/x-BAD failed
a/x-five failed
a/x-one configured
b/y configured {"done":false}
b/y-one deleted' "... says what; nothing is pruned then"
is "$(jq -r 'select(.metadata.name == "x-five").message' "$T/out")" \
	"it exists and is not part of Thing.example.com a/x; delete it, or give it a label for \"adopt\" in watches.yaml" "... and why"
is "$(written)" "" "... and writes nothing"
echo 'def desired: [nothing];' >"$T/reconcile.jq"
dry 100 "a program that does not compile: 100" -n a,b
is "$(<"$T/results")" "" "... says nothing of objects"

done_testing
