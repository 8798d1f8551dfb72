#!/bin/bash
# An object that is in the way of an item is deleted: the item is created at once,
# though the next try of kapply would be minutes later.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
things_start
things_watches
cat >"$T/reconcile.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "c"},
	data: {k: "ours"}}];
def status: {error: .error, outstanding: (.outstanding | length)};
END
kubectl create configmap c --from-literal=k=theirs >/dev/null
thing t >/dev/null

# The pipeline, with a way to write lines to kapply
mkfifo "$T/events" "$T/sets" "$T/lines" "$T/statuses"
exec 4<>"$T/events" 5<>"$T/sets" 7<>"$T/lines" 8<>"$T/statuses"
audit_mark
start kwatch -f "$T/watches.yaml" >&4
start from 4 ireconcile -f "$T/watches.yaml" >&5
start from 5 tee "$T/copy" >&7
start from 7 kapply --log-level=warning >&8 2>"$T/err"
start from 8 kstatus

error() {
	kubectl get thing t -o jsonpath='{.status.error}' | grep -q "$1"
}
ok "an object is in the way" wait_for 60 error "it exists and is not part of"
looks() {
	[ "$(audit 'select(.verb == "get" and .objectRef.name == "c"
		and .objectRef.resource == "configmaps") | 1' | wc -l)" -ge "$1" ]
}
jq -c '.reconcile.vacated = ["ConfigMap/default/c"]' "$T/copy" | head -n 1 \
	>"$T/line"
for n in {2..8}; do
	cat "$T/line" >&7
	ok "kapply is told to try, and backs off longer ($n)" \
		wait_for 60 looks "$n"
done
kubectl delete configmap c >/dev/null
created() {
	[ "$(kubectl get configmap c -o jsonpath='{.data.k}')" = ours ]
}
ok "the object is deleted: ours is created, ten minutes before its time" \
	wait_for 60 created
fine() {
	[ "$(kubectl get thing t -o json | jq -c .status)" = \
		'{"outstanding":0}' ]
}
ok "... the status says so" wait_for 60 fine
is "$(jq -c 'select(.reconcile.vacated) | .reconcile.vacated' "$T/copy")" \
	'["ConfigMap/default/c"]' "... by one line"
is "$(grep -c . "$T/err")" 1 "... and one error before"
is "$(kubectl get events -o json | grep -c "came and went")" 0 \
	"... no Event says that it came and went"
done_testing
