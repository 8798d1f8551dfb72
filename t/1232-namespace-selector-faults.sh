#!/bin/bash
# kwatch: namespaceSelector, when rights are missing in one namespace, when the
# Namespaces have to be listed again, and when a listing never comes.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
# shellcheck source=rooms.sh
. "${0%/*}/rooms.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
clock_begin

plan() {
	ask DELETE /kapi/faults >/dev/null
	ask POST /kapi/faults "$(printf '%s\n' "$@")" >/dev/null
}
complete() {
	seen 1 "end Thing" && seen 1 "end ConfigMap" && seen 1 "end Namespace"
}
rooms_up
namespace a a
namespace b a
put a x
put b x

# One right is missing.
plan '{"verb":"watch","resource":"configmaps","namespace":"b","code":403,"count":0}'
watching --report-fd 3 3>"$T/report"
ok "a kind cannot be watched in one namespace: the others are complete" \
	wait_for 30 complete
ok "... the other namespace is there" seen 1 "ADDED Namespace a"
ok "... that one is not" eval '! seen 1 "ADDED Namespace b"'
is "$(grep -v selected "$T/err")" "kwatch: error: cannot watch configmaps in namespace b: forbidden: a fault of the plan
kwatch: warning: nothing is decided in namespace b until ConfigMap can be watched there; other namespaces go on" \
	"... which the log says"
is "$(jq -rR 'fromjson? | select(.unready != null and .unready != {}) | .unready | tojson' "$T/report")" "" \
	"... and it is ready"
ask DELETE /kapi/faults >/dev/null
ok "the right is given" wait_for 60 seen 1 "ADDED Namespace b"
what="and that namespace comes with what is in it"
before "ADDED ConfigMap b/x" "ADDED Namespace b"
is "$(short "$T/out" | grep -c '^end')" 3 "... and nothing ends twice"
kill "$kwatch"
wait "$kwatch"

plan '{"verb":"list","resource":"configmaps","namespace":"b","code":403,"count":0}'
runs 1 "--once says so by its exit code" kwatch \
	--kubeconfig "$T/kubeconfig" -f "$T/watches.yaml" --once
is "$(short "$T/out" | grep -c "Namespace b")" 0 "... without that namespace"
ok "... with the other" grep -qx "ADDED Namespace a" <(short "$T/out")

# The stream of the Namespaces breaks, and has to begin again, while one loses
# the label.
plan '{"verb":"watch","resource":"namespaces","event":4,"fault":"cut"}' \
	'{"verb":"watch","resource":"namespaces","nth":2,"fault":"compact"}'
watching
ok "it is complete" wait_for 30 complete
team b null
ok "a namespace that a new listing does not have" wait_for 60 \
	seen 1 "DELETED Thing b/x"
what="is left"
before "DELETED Namespace b" "DELETED Thing b/x"
before "DELETED Namespace b" "DELETED ConfigMap b/x"
put a y
ok "... the other one goes on" wait_for 30 seen 1 "ADDED Thing a/y"
team b '"a"'
ok "... and it comes again" wait_for 30 seen 2 "ADDED Namespace b"
kill "$kwatch"
wait "$kwatch"

# A listing that never comes holds up the end; a label that goes lets it go.
plan '{"verb":"watch","resource":"configmaps","namespace":"b","fault":"hold","event":1}'
watching
ok "a listing that does not come" wait_for 30 seen 1 "ADDED Namespace a"
ok "... holds up the end" eval '! complete'
team b null
ok "... until the namespace loses the label" wait_for 30 complete
is "$(short "$T/out" | grep -c '^ADDED Namespace b')" 0 "... which never came"
kill "$kwatch"
wait "$kwatch"
is "$?" 0 "it ends"

kapi_down
done_testing
