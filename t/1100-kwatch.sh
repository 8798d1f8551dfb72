#!/bin/bash
# kwatch on an API server.
# servers: kapi real: it starts again
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=kwatch.sh
. "${0%/*}/kwatch.sh"
export KAPI_OPTIONS=--authorization-mode=RBAC
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
clock_begin
cluster_start

# kwatch in the background, as admin: watch_as ARGUMENT...
watch_real() {
	: >"$T/out"
	: >"$T/err"
	start kwatch "$@" >"$T/out" 2>"$T/err"
	watcher=$!
}

# matching PATTERN: how many lines of $T/out do, in $n
matching() {
	local line lines

	n=0
	mapfile -t lines <"$T/out"
	for line in "${lines[@]}"; do
		# shellcheck disable=SC2053 # a pattern
		[[ $line != $1 ]] || n=$((n + 1))
	done
}

# told TYPE NAME: a line of that type came
told() {
	matching "{\"type\":\"$1\",*\"name\":\"$2\"*"
	[ "$n" -gt 0 ]
}

# what NAME...: the types of lines about these objects, in order
what() {
	short <"$T/out" | awk -v names=" $* " \
		'index(names, " " $2 " ") {print $1, $2 ($5 == "" ? "" : " " $5)}'
}

kubectl create namespace x >/dev/null
kubectl create configmap -n x a --from-literal=k=v >/dev/null
kubectl create secret generic -n x s --from-literal=p=hunter2 \
	--from-literal=q=hunter2 --from-literal=r=other >/dev/null
kubectl label configmap -n x a tier=front >/dev/null

# The initial state is what kubectl shows.
runs 0 "--once" kwatch --once --show-secrets cm,secrets,sa,clusterroles -A
jq -S '.object | select(.metadata.name)' <"$T/out" |
	jq -s 'sort_by(.kind, .metadata.namespace, .metadata.name)' >"$T/got"
kubectl get cm,secrets,sa,clusterroles -A -o json |
	jq -S '.items[] | .' |
	jq -s 'sort_by(.kind, .metadata.namespace, .metadata.name)' >"$T/want"
same "$T/got" "$T/want" "what --once prints is what kubectl gets"
kwatch cm -A --once --show-managed-fields |
	jq -c 'select(.object.metadata.managedFields) | .type' | sort -u >"$T/out"
is "$(<"$T/out")" '"ADDED"' "--show-managed-fields"
kwatch cm -A --once -l tier=front | short >"$T/out"
is "$(grep -c ADDED "$T/out") $(what a 2>/dev/null </dev/null; cut -d' ' -f1,2 "$T/out" | sed -n 2p)" \
	"1 ADDED a" "a selector"
is "$(audit 'select(.requestURI | test("labelSelector=tier%3Dfront")) | .verb')" \
	list "... is the server's work"
runs 1 "an invalid one" kwatch --once cm -n x -l a=b=c
is "$(<"$T/err")" \
	"kwatch: error: cannot list configmaps in namespace x with the selector \"a=b=c\": found '=', expected: ',' or 'end of string'" \
	"... is quoted where it is refused"

# Who made a change.
watch_real cm -n x --managers
ok "the state is told" wait_for 30 told ADDED a
kubectl patch configmap -n x a --field-manager=editor --type=merge \
	-p '{"data":{"k":"x"}}' >/dev/null
ok "... and a change" wait_for 30 told MODIFIED a
# Times of managers are seconds: others may have written in the same one.
is "$(jq -c 'select(.object.metadata.name == "a") | [.type, .manager,
	.object.metadata.managedFields]' "$T/out" |
	sed 's/"editor or [^"]*"/"editor"/')" '["ADDED",null,null]
["MODIFIED","editor",null]' "--managers: the change names its field manager"
kill "$watcher"
wait "$watcher"

# Secrets.
kwatch --once --redact secrets -n x 2>"$T/err" |
	jq -c 'select(.object.data).object.data' >"$T/out"
is "$(jq -c '[.p == .q, .p == .r,
	(.p | @base64d | test("^redacted-[0-9a-f]{30}$"))]' "$T/out")" \
	"[true,false,true]" "--redact: equal values stay equal"
is "$(grep -c "$(printf hunter2 | base64)" "$T/out")$(<"$T/err")" 0 \
	"... and are hidden"

# clear FILE: how often the value is in it; and what kwatch said
clear() {
	grep -c "$(printf hunter2 | base64)" "$1"
	cat "$T/err"
}
printf '%s\n' "- {version: v1, group: '', kind: ConfigMap, redact: [data.k]," \
	"  program: p.jq, related: [{apiVersion: v1, kind: Secret}]}" \
	>"$T/secrets.yaml"
echo 'def desired: [];' >"$T/p.jq"
hidden="kwatch: warning: values of Secrets are digests in this output: --show-secrets prints them"
runs 0 "to a file" kwatch --once -f "$T/secrets.yaml" -n x
is "$(clear "$T/out")" "0
$hidden" "... Secrets are hidden without an option, which is said once"
is "$(jq -r 'select(.object.metadata.name == "a").object.data.k' "$T/out" |
	grep -c ^redacted-)" 1 "... and what watches.yaml wants hidden"
runs 0 "--show-secrets" kwatch --once --show-secrets secrets -n x
is "$(clear "$T/out")" 1 "... prints them, without a word"
kwatch --once secrets -n x 2>"$T/err" | cat >"$T/out"
is "$(clear "$T/out")" "1
kwatch: warning: values of Secrets are not hidden in this pipe: --redact hides them, --show-secrets says that they are needed" \
	"what reads a pipe may need them: a word"
kwatch --once --show-secrets secrets -n x 2>"$T/err" | cat >"$T/out"
is "$(clear "$T/out")" 1 "... unless an option says so"
kwatch --once --report-fd=9 secrets -n x 2>"$T/err" 9>/dev/null |
	cat >"$T/out"
is "$(clear "$T/out")" 1 "... or kwatch is a stage of kpipe"
script -qec "kwatch --once secrets -n x" "$T/typescript" </dev/null >/dev/null
is "$(grep -c "$(printf hunter2 | base64)" "$T/typescript"
	grep -c "$hidden" "$T/typescript")" "0
1" "a terminal"
kwatch --once cm -n x >"$T/out" 2>"$T/err"
is "$(jq -r 'select(.object.metadata.name == "a").object.data.k' "$T/out"
	cat "$T/err")" x "other objects are as they are"
kubectl create configmap -n x text \
	--from-literal=y=$'kind: Secret\ndata: {k: aHVudGVyMg==}' >/dev/null
kwatch --once cm -n x >"$T/out" 2>"$T/err"
is "$(jq -r 'select(.object.metadata.name == "text").object.data.y' "$T/out" |
	grep -Ec '^redacted-') $(clear "$T/out")" "1 0" \
	"... but one with a Secret in it"
runs 100 "both options" kwatch --redact --show-secrets secrets
is "$(<"$T/err")" \
	"kwatch: fatal: --redact and --show-secrets exclude each other" \
	"... are refused"

# Events as they happen; 20 kinds over one connection.
watch_real -A pods,svc,cm,secrets,sa,pvc,endpoints,deploy,sts,ds,rs,jobs,cronjobs,ingresses,netpol,roles,rolebindings,pdb,leases,hpa
ended() {
	matching '*"k8s.io/initial-events-end"*'
	[ "$n" -ge "$1" ]
}
ok "20 kinds are listed" wait_for 20 ended 20
is "$(ss -tnHp state established "dport = :${CLUSTER_SERVER##*:}" |
	grep -c "pid=$watcher,")" 1 "... over one connection"
kubectl patch cm -n x a -p '{"data":{"k":"w"}}' >/dev/null
kubectl create cm -n x b >/dev/null
kubectl delete cm -n x a >/dev/null
wait_for 10 told DELETED a
is "$(what a b)" "ADDED a
MODIFIED a
ADDED b
DELETED a" "events as they happen"

# The API server dies and comes back: no event is lost or comes twice.
server_down
wait_for 30 grep -q 'waiting for the API server' "$T/err"
server_up
kubectl delete cm -n x b >/dev/null
kubectl create cm -n x c >/dev/null
wait_for 30 told ADDED c
wait_for 30 told DELETED b
is "$(what a b c | sort)" "ADDED a
ADDED b
ADDED c
DELETED a
DELETED b
MODIFIED a" "across a restart of the API server"
is "$(grep -c 'waiting for the API server' "$T/err")" 1 "... said once"
stop 0

# More watches than the server takes on one connection (100).
: >"$T/p.jq"
printf -- '- {group: "", version: v1, kind: ConfigMap, program: p.jq, namespaces: [%s]}\n' \
	"$(seq -s, -f 'n%g' 1 110)" >"$T/w.yaml"
watch_real -f "$T/w.yaml"
ok "110 namespaces" wait_for 20 ended 1
is "$(ss -tnHp state established "dport = :${CLUSTER_SERVER##*:}" |
	grep -c "pid=$watcher,")" 2 "... over two connections"
stop 0

# Fields, metadata only, a kind that comes later, one that may be missing.
cat >"$T/w.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: p.jq
  namespaces: [x, y]
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: false, map: {label: thing}, fields: [data.k]}
  - {apiVersion: v1, kind: Secret, manage: false, map: {label: thing}, fields: [metadata.labels]}
END
: >"$T/p.jq"
kubectl create cm -n x d --from-literal=k=v --from-literal=z=z >/dev/null
kubectl create cm -n default e >/dev/null
watch_real -f "$T/w.yaml" --report-fd 3 3>"$T/report"
wait_for 20 ended 2
is "$(jq -c 'select(.object.metadata.name == "d").object | .data, .metadata.managedFields' "$T/out")" \
	'{"k":"v"}
null' "fields"
is "$(jq -c 'select(.object.metadata.name == "s").object | .apiVersion, .kind, .data, .type' "$T/out")" \
	'"v1"
"Secret"
null
null' "metadata only: the type is the real one"
is "$(what e)" "" "nothing of other namespaces"
is "$(short <"$T/out" | sort | grep -E '^(begin|end)')" "begin ConfigMap
begin Secret
begin Thing
end ConfigMap
end Secret" "begin and end once a kind, for all its namespaces"
cat >"$T/crd.yaml" <<'END'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing, singular: thing}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
END
kubectl apply -f "$T/crd.yaml" >/dev/null
ok "a kind that comes later" wait_for 30 ended 3
ok "... then kwatch is ready" wait_for 5 test -s "$T/report"
printf '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","namespace":"x"}}' |
	kubectl create -f - >/dev/null
ok "... and tells of its objects" wait_for 10 told ADDED t
kubectl delete crd things.example.com >/dev/null
lost() {
	matching '*"Thing"*initial-events-begin*'
	[ "$n" -eq 2 ]
}
ok "a kind that goes is open again" wait_for 60 lost
is "$(what t)" "ADDED t
DELETED t" "... and its objects are gone"
stop 0

# An optional kind comes and goes.
cat >"$T/w.yaml" <<'END'
- group: ""
  version: v1
  kind: ConfigMap
  program: p.jq
  related:
  - {apiVersion: example.com/v1, kind: Thing, optional: true}
END
things() { # N: so many lines are about the kind
	matching '*"Thing"*'
	[ "$n" -eq "$1" ]
}
watch_real -f "$T/w.yaml" -n x
wait_for 20 things 3
kubectl apply -f "$T/crd.yaml" >/dev/null
wait_for 60 things 5
kubectl delete crd things.example.com >/dev/null
wait_for 60 things 6
is "$(short <"$T/out" | grep Thing)" "begin Thing
absent Thing
end Thing
begin Thing
end Thing
absent Thing" "an optional kind that comes and goes is marked while it is absent"
stop 0

# A slow reader: it gets as many lines as there are objects.
mkfifo "$T/fifo"
exec 4<>"$T/fifo" # read and write, so that opening does not block
# has_events N: kwatch has had as many, which it reports now and then
has_events() {
	[ "$(jq -s 'map(.counters.events // empty) | last // 0' "$T/report")" -ge "$1" ]
}
events=$(kubectl get cm -n x -o name | wc -l)
start kwatch cm -n x --report-fd 5 >&4 2>"$T/err" 5>"$T/report"
watcher=$!
wait_for 20 test -s "$T/report"
big=$(head -c 60000 /dev/zero | tr '\0' x)
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	kubectl create cm -n x "big$i" --from-literal="k=$big" >/dev/null
done
for i in 1 2 3 4 5 6 7 8 9 10; do
	kubectl label --overwrite cm -n x big12 "n=$i" >/dev/null
done
kubectl delete cm -n x big11 >/dev/null
kubectl create cm -n x last >/dev/null
wait_for 20 has_events $((events + 12 + 10 + 2))
start sh -c 'exec cat <&4' >"$T/out"
exec 4<&-
wait_for 20 told ADDED last
is "$(what big11 big12)" "DELETED big11
ADDED big12" "a slow reader gets the newest of each object, once"
is "$(jq -r 'select(.object.metadata.name == "big12").object.metadata.labels.n' "$T/out")" \
	10 "... and it is the newest"
stop 0

# 403, and rights that come later.
watch_real cm -n x --kubeconfig "$(config user1)"
wait_for 10 grep -q . "$T/err"
kubectl create role r -n x --verb=list,watch --resource=configmaps >/dev/null
kubectl create rolebinding r -n x --role=r --user=user1 >/dev/null
ok "rights that come later" wait_for 40 ended 1
stop 0
is "$(<"$T/err")" 'kwatch: error: cannot watch configmaps in namespace x: configmaps is forbidden: User "user1" cannot watch resource "configmaps" in API group "" in the namespace "x"
kwatch: watching configmaps in namespace x now' "403 names user, verb and resource"

done_testing
