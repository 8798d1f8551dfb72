#!/bin/bash
# The right to list members is missing in one of the operator's namespaces:
# primaries of the others are served, those there wait and lose nothing. With it
# all are.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
export KAPI_OPTIONS=--authorization-mode=RBAC
cluster_start

things_start

# The operator makes as many ConfigMaps as a Thing says.
cat >"$T/w.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: p.jq
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
END
cat >"$T/p.jq" <<'END'
def desired: [range(.primary.spec.n) |
    {apiVersion: "v1", kind: "ConfigMap", metadata: {name: "part-\(.)"}}];
def status: {parts: [.owned.ConfigMap[].metadata.name]};
END
for ns in a b; do
	kubectl create namespace "$ns" >/dev/null
	kubectl create role operator -n "$ns" --verb=list,watch,patch \
		--resource=things.example.com,things.example.com/status >/dev/null
	kubectl create role members -n "$ns" \
		--verb=get,list,watch,create,patch,delete \
		--resource=configmaps >/dev/null
	kubectl create rolebinding operator -n "$ns" --role=operator \
		--user=user1 >/dev/null
	kubectl create rolebinding members -n "$ns" --role=members \
		--user=user1 >/dev/null
done
wanted() { # NAMESPACE N
	printf '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","namespace":"%s"},"spec":{"n":%d}}' \
		"$1" "$2" | kubectl apply -f - >/dev/null
}
wait_for 10 wanted a 2
wanted b 2

operate() {
	start kpipe -f "$T/w.yaml" --namespace=a,b --kubeconfig "$(config user1)" \
		--health-probe-bind-address 127.0.0.1:0 2>"$T/kpipe.log"
	operator=$!
}
# has NAMESPACE TEXT: the parts in its status, and those that are there
has() {
	[ "$(api "/apis/example.com/v1/namespaces/$1/things/t" |
		jq -r '.status.parts // [] | join(" ")')" = "$2" ] &&
		[ "$(parts "$1")" = "$2" ]
}
parts() {
	api "/api/v1/namespaces/$1/configmaps" |
		jq -r '[.items[].metadata.name | select(test("part"))] |
			sort | join(" ")'
}
gets() {
	wait_for 40 has "$1" "$2" || {
		quote <"$T/kpipe.log"
		return 1
	}
}
operate
ok "an operator in two namespaces" gets a "part-0 part-1"
ok "... serves both" gets b "part-0 part-1"
kill "$operator"
wait "$operator"

kubectl delete rolebinding -n b members >/dev/null
may_not() {
	[ "$(kubectl auth can-i list configmaps --as=user1 -n b)" = no ]
}
ok "the right to list members is taken away in one" wait_for 10 may_not
wanted a 1
wanted b 3
operate
ok "... primaries of the other are served" gets a part-0
is "$(grep -o 'cannot watch .* in namespace b\|nothing is decided.*' "$T/kpipe.log")" \
	"cannot watch configmaps in namespace b
nothing is decided for Thing.example.com until this works, but for those that see nothing there: all of ConfigMap must be known" \
	"... the log says what is missing, and for which primaries"
kubectl delete configmap -n a part-0 >/dev/null
ok "... what they lose is repaired" gets a part-0
ok "... those there keep what they have" has b "part-0 part-1"
wanted b 1
kubectl create rolebinding members -n b --role=members --user=user1 >/dev/null
ok "with the right they are served, too" gets b part-0
is "$(grep -c 'watching configmaps in namespace b now' "$T/kpipe.log")" 1 \
	"... which is logged"
done_testing
