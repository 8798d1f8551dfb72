#!/bin/bash
# The control plane of the tests: it starts, survives a kill, and leaves nothing
# behind.
# servers: real
. "${0%/*}/lib.sh"
. "${0%/*}/cluster/lib.sh"
cluster_start -- --max-requests-inflight=321

is "$(kubectl get namespaces -o name | sort)" "namespace/default
namespace/kube-node-lease
namespace/kube-public
namespace/kube-system" "a fresh control plane"
ok "kubectl knows nothing of another test's" test -d "$T/.kube-cache/discovery"
ok "arguments reach the API server" \
	grep -qzFx -- --max-requests-inflight=321 \
	"/proc/$(<"$CLUSTER/apiserver.pid")/cmdline"

runs 1 "a user may do nothing at first" \
	kubectl --kubeconfig "$(config kapply)" create namespace a
is "$(<"$T/err")" 'Error from server (Forbidden): namespaces is forbidden: '\
'User "kapply" cannot create resource "namespaces" in API group "" at the '\
'cluster scope' "... and is known by name"

kubectl create clusterrolebinding all --clusterrole=cluster-admin \
	--user=kapply --user=kstatus >/dev/null
allowed() {
	[ "$(kubectl auth can-i '*' '*' --as kstatus)" = yes ]
}
wait_for 5 allowed
audit_mark
kubectl --kubeconfig "$(config kapply)" create namespace a >/dev/null
kubectl --kubeconfig "$(config kstatus)" create configmap b -n a >/dev/null
kubectl --kubeconfig "$(config kstatus)" get configmaps -n a >/dev/null
kubectl --kubeconfig "$(config kapply)" delete configmap b -n a >/dev/null
is "$(audit_writes)" "kapply create namespaces /a 201
kstatus create configmaps a/b 201
kapply delete configmaps a/b 200" "the audit log says who wrote what"
is "$(audit_created kapply kstatus)" "1 configmaps a/b
1 namespaces /a" "... and how often a name was created"
is "$(audit_writes kstatus)" "kstatus create configmaps a/b 201" \
	"... of one user"

# shellcheck disable=SC2016
runs 0 "env: what README says, in a fresh shell" env -i bash -c \
	'. "$1/env"; "$KUBECTL" get namespace default -o name' - "$CLUSTER"
is "$(<"$T/out")" "namespace/default" "... asks this cluster"
# shellcheck disable=SC2016
is "$(env -i bash -c '. "$1/env"; env | grep -c "^CLUSTER\|^KUBE"' - \
	"$CLUSTER")" 5 "... and all variables are for commands"

t/cluster/kill-apiserver "$CLUSTER"
runs 1 "kill-apiserver: no answer" kubectl get namespace a
t/cluster/start-apiserver "$CLUSTER"
runs 0 "start-apiserver: the same state again" kubectl get namespace a
t/cluster/kill-apiserver "$CLUSTER"
rm "$CLUSTER/apiserver.pid"
t/cluster/start-apiserver "$CLUSTER" 2>"$T/started" &
starter=$!
wait_for 20 test -s "$CLUSTER/apiserver.pid"
t/cluster/kill-apiserver "$CLUSTER"
ok "start-apiserver: one that ends before it is ready" wait "$starter"
ok "... is started again" grep -q 'it ended; again' "$T/started"

kubectl create deployment web --image=web -n a >/dev/null
replica_sets() {
	kubectl get replicasets -n a -l app=web -o name | grep -q .
}
ok "the controller manager works" wait_for 20 replica_sets

# A second cluster, whose owner is killed.
cat >"$T/owner" <<'END'
t/cluster/up --owner $$ >"$T/second" && kill -9 $$
END
{ bash "$T/owner"; } 2>"$T/owner.err"
second=$(<"$T/second")
keeper_gone() {
	[ ! -e "$second" ]
}
ok "a second cluster ends with its owner" wait_for 20 keeper_gone
runs 0 "... and the first does not care" kubectl get namespace a

# shellcheck disable=SC2016
runs 3 "run: the exit code of the command" t/cluster/run --- bash -c \
	'kubectl get namespace default -o name && echo "$CLUSTER" >&2 && exit 3'
is "$(<"$T/out")" "namespace/default" "... its output"
ok "... and nothing left" test ! -e "$(tail -n 1 "$T/err")"

mkdir "$T/no-go"
ln -s "$(command -v bash)" "$(command -v dirname)" "$T/no-go"
runs 100 "build without Go" env PATH="$T/no-go" t/cluster/build
is "$(<"$T/err")" "t/cluster/build: the control plane needs Go >= 1.26 to \
build; no go in PATH" "... says what is missing"
printf '#!/bin/bash\necho go1.25.3\n' >"$T/no-go/go"
chmod +x "$T/no-go/go"
runs 100 "build with an old Go" env PATH="$T/no-go:$PATH" t/cluster/build
is "$(<"$T/err")" "t/cluster/build: the control plane needs Go >= 1.26 to \
build; this is go1.25.3" "... says what is missing"
done_testing
