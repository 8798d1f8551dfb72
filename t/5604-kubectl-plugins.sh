#!/bin/bash
# kubectl finds kwhy, kview and kapply as plugins, and asks them what their words
# may become.
# servers: real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start
recording=$ROOT/t/cases/5600/incident.jsonl

kubectl plugin list >"$T/list" 2>&1
is "$(grep -cE '/kubectl-(kwhy|kview|kapply)$' "$T/list")" 3 \
	"kubectl plugin list has them"
is "$(grep -c 'warning.*kubectl-k\(why\|view\|apply\)' "$T/list")" 0 \
	"... without a warning"
runs 0 "kubectl kwhy" kubectl kwhy deploy/example -n default --spec --changes \
	"$recording"
ok "... tells a story" grep -q "by kubectl-scale): .spec.replicas 3 -> 7$" \
	"$T/out"
runs 0 "kubectl kview" kubectl kview "$recording"
ok "... makes a page" grep -q "</html>" "$T/out"
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plugin, namespace: default}\ndata: {a: b}\n' \
	>"$T/map.yaml"
runs 0 "kubectl kapply" kubectl kapply -f "$T/map.yaml" -o none
is "$(kubectl get cm plugin -o 'jsonpath={.data.a}')" b "... applies"
runs 100 "kubectl kapply --bad" kubectl kapply --bad
ok "... is refused by that name" grep -q "^kubectl-kapply: fatal: unknown option" \
	"$T/err"

# completed WORD...: what kubectl offers, without what it writes for the shell
completed() {
	(cd "$T/folder" && kubectl __complete "$@" 2>/dev/null | sed '/^:/d' |
		xargs)
}
mkdir "$T/folder"
cp "$recording" "$T/folder"
ok "their names are completed" eval 'completed kw | grep -q ^kwhy'
is "$(completed kwhy deploy "")" default/example "... names of objects"
is "$(completed kwhy "D")" Deployment.apps "... kinds"
is "$(completed kwhy --si)" "--since=" "... options"
is "$(completed kapply --field-)" "--field-manager=" "... of kapply, too"
done_testing
