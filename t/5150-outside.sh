#!/bin/bash
# Leader for life outside of a cluster, where there is no Pod to own the lock:
# kelect and kpipe lead at once, and say so.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
# shellcheck source=leader.sh
. "${0%/*}/leader.sh"
unset POD_NAME POD_NAMESPACE KUBERNETES_SERVICE_HOST

leader_up
alone="leading without a lock: outside of a cluster there is no Pod to own it, and other instances lead, too"

runs 3 "kelect --for-life runs its command" kelect --for-life --lease x \
	--kubeconfig "$T/r1.kubeconfig" -- sh -c 'echo leads; exit 3'
is "$(<"$T/out")" leads "... which ran"
is "$(head -n 1 "$T/err")" "kelect: $alone" "... and says what it did"
runs 0 "a command that asks whether it may write" kelect --for-life --lease x \
	--kubeconfig "$T/r1.kubeconfig" -- kapply --kubeconfig "$T/r1.kubeconfig" \
	-o result <<'END'
{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "written", "namespace": "default"}}
END
is "$(jq -r .result "$T/out")" created "... may"
POD_NAME=none POD_NAMESPACE=default runs 111 "a Pod that is named and is not there" \
	kelect --for-life --lease x --kubeconfig "$T/r1.kubeconfig" -- true
ok "... is an error" grep -q "there is no Pod default/none" "$T/err"
KUBERNETES_SERVICE_HOST=127.0.0.1 runs 100 "in a cluster without POD_NAME" \
	kelect --for-life --lease x --kubeconfig "$T/r1.kubeconfig" -- true
is "$(grep -c 'leading without a lock' "$T/err")" 0 "... it does not lead alone"

start kpipe -f "$T/watches.yaml" --kubeconfig "$T/r1.kubeconfig" \
	--leader-elect --leader-elect-for-life 2>"$T/log"
kpipe=$!
made() {
	[ "$(as_admin GET /api/v1/namespaces/default/configmaps/thing |
		jq -r .kind)" = ConfigMap ]
}
ok "kpipe reconciles" wait_for 20 made
ok "... and says so, too" grep -qxF "kelect: $alone" "$T/log"
told_to_end "$kpipe" "... it ends when it is told to"
is "$(jq -Rr 'fromjson? | select(.user == "r1" and (.resource == "leases"
	or .resource == "pods" or .name == "x"
	or .name == "thing.example.com")) | .path' "$T/journal" |
	grep -v customresourcedefinitions)" \
	"/api/v1/namespaces/default/pods/none" "neither asks for a Pod or a lock"
is "$(sed '/^kelect: leading /d' "$T/log" | grep -iE 'warning|error')" "" \
	"... and nothing is wrong"
kapi_down
done_testing
