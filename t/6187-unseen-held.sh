#!/bin/bash
# A primary is deleted while the operator was not told for long of an object that
# it made, and that has a finalizer of its own: the primary stays until it was.
# servers: kapi real: the collector
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
things_start
things_watches 'finalizer: e/f' 'marks: false' \
	'dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]'
cat >"$T/reconcile.jq" <<'END'
include "operator";
def c($finalizers): {apiVersion: "v1", kind: "ConfigMap",
	metadata: {name: "c", finalizers: $finalizers}};
def desired: [c(["e/g"])];
def finalize: {items: [.owned.ConfigMap[] | if_exists(c([]))],
	delete: .owned.ConfigMap, done: (.owned.ConfigMap == [])};
END

# The pipeline, in which news of c wait while there is $T/hold
cat >"$T/filter" <<'END'
kept=
while read -r line; do
	if [ ! -e "$1" ]; then
		printf '%s%s\n' "$kept" "$line"
		kept=
	elif [[ $line == *'"ConfigMap"'*'"name":"c"'* ]]; then
		kept+=$line$'\n'
	else
		printf '%s\n' "$line"
	fi
done
END
: >"$T/hold"
mkfifo "$T/events" "$T/told" "$T/sets" "$T/statuses"
exec 4<>"$T/events" 5<>"$T/told" 6<>"$T/sets" 8<>"$T/statuses"
start kwatch -f "$T/watches.yaml" >&4
start from 4 bash "$T/filter" "$T/hold" >&5
start from 5 ireconcile -f "$T/watches.yaml" >&6
start from 6 kapply --log-level=warning >&8 2>"$T/err"
start from 8 kstatus

is_there() {
	kubectl get configmap c -o name >/dev/null 2>&1
}
thing t >/dev/null
ok "an object was made" wait_for 60 is_there
audit_mark
kubectl delete thing t --wait=false >/dev/null
looked() {
	[ "$(audit 'select(.verb == "get"
		and .objectRef.resource == "configmaps" and .objectRef.name == "c")
		| 1' | wc -l)" -ge 2 ]
}
ok "the primary is deleted, and ten seconds later it is looked at" \
	wait_for 60 looked
is "$(kubectl get thing t -o jsonpath='{.metadata.finalizers[*]}')" e/f \
	"... the primary stays"
rm "$T/hold"
kubectl annotate thing t news=1 >/dev/null
ok "the news come: the object goes" wait_for 60 absent configmap c
ok "... and the primary" wait_for 60 absent thing t
done_testing
