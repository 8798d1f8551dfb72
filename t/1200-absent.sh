#!/bin/bash
# kwatch --once says what operands name and the server does not have.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck disable=SC2119
export KAPI_OPTIONS=--authorization-mode=RBAC
cluster_start

kubectl create namespace x >/dev/null
kubectl create namespace y >/dev/null
kubectl create secret generic -n x here --from-literal=k=v >/dev/null

# names ARGUMENT...: of the objects that are printed
names() {
	kwatch --once --show-secrets "$@" 2>"$T/said" >"$T/lines"
	echo $? >"$T/code"
	jq -r '.object.metadata.name // empty' "$T/lines"
}

is "$(names -n x secrets/here) $(cat "$T/code" "$T/said")" "here 0" \
	"an object that is there: nothing is said"
is "$(names -n x secrets/gone) $(cat "$T/code" "$T/said")" \
	' 1
kwatch: error: secrets "gone" not found in namespace x' \
	"one that is not there: it is named, and the exit code is 1"
is "$(names -n x,y deploy/gone) $(cat "$T/code" "$T/said")" \
	' 1
kwatch: error: deployments.apps "gone" not found in namespaces x, y' \
	"... with its group, and all namespaces that were searched"
is "$(names namespace/gone) $(cat "$T/code" "$T/said")" \
	' 1
kwatch: error: namespaces "gone" not found' \
	"... an object without a namespace"
is "$(names -n x secrets/gone secrets/here) $(cat "$T/code" "$T/said")" \
	'here 1
kwatch: error: secrets "gone" not found in namespace x' \
	"... beside one that is there"
is "$(names -n x secrets secrets/gone secrets/here) $(cat "$T/code" "$T/said")" \
	'here 1
kwatch: error: secrets "gone" not found in namespace x' \
	"... and within a whole kind"
is "$(names -A secrets/here) $(cat "$T/code" "$T/said")" "here 0" \
	"a name in any namespace"

is "$(names -n y secrets) $(cat "$T/code" "$T/said")" \
	' 0
kwatch: no secrets found in namespace y' \
	"a namespace without such objects: a line, no error"
is "$(names -n nowhere pods,deploy) $(cat "$T/code" "$T/said")" \
	' 0
kwatch: no pods, deployments.apps found in namespace nowhere' \
	"... several kinds"
is "$(names -A pods -l is=not) $(cat "$T/code" "$T/said")" \
	' 0
kwatch: no pods found' "... all namespaces"
is "$(names -n x pods,secrets) $(cat "$T/code" "$T/said")" "here 0" \
	"one of two kinds: nothing is said"
# What may not be read is refused, and not absent.
for named in "" gone; do
	denied="secrets ${named:+\"$named\" }is forbidden: User \"user1\" cannot list resource \"secrets\" in API group \"\" in the namespace \"y\""
	is "$(names -n y --kubeconfig "$(config user1)" "secrets${named:+/$named}") $(cat "$T/code" "$T/said")" \
		" 1
kwatch: error: cannot list secrets in namespace y: $denied" \
		"${named:-a kind} that may not be read: the refusal alone"
done

names -n y secrets >/dev/null
is "$(jq -c .type "$T/lines" | sort -u)" '"BOOKMARK"' \
	"standard output has only lines of the protocol"

# The kinds of a file may well have no objects.
: >"$T/p.jq"
cat >"$T/watches.yaml" <<'END'
- {group: "", version: v1, kind: ConfigMap, program: p.jq, namespaces: [nowhere]}
END
is "$(names -f "$T/watches.yaml") $(cat "$T/code" "$T/said")" " 0" \
	"watches.yaml: nothing is said"

# Without --once: a namespace in which nothing is, because it may be misspelt.
cat >"$T/watches.yaml" <<'END'
- group: ""
  version: v1
  kind: Secret
  program: p.jq
  namespaces: [x]
  related:
  - {apiVersion: v1, kind: ConfigMap, namespaces: [nowhere]}
  - {apiVersion: v1, kind: Pod, namespaces: [nowhere]}
  - {apiVersion: v1, kind: Service, namespaces: []}
END
start kwatch -f "$T/watches.yaml" --show-secrets >"$T/lines" 2>"$T/said"
ok "a live kwatch is ready" wait_for 60 grep -qs found "$T/said"
is "$(<"$T/said")" \
	"kwatch: no configmaps, pods found in namespace nowhere" \
	"... the namespace is named, and the one with an object is not"
done_testing
