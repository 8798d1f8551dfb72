#!/bin/bash
# kelect --for-life: the process whose Pod owns the lock leads; and what happens
# to the lock of a Pod that is evicted, unreachable or gone.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
clock_begin
cluster_start

kubectl create namespace ops >/dev/null
kubectl create serviceaccount default -n ops >/dev/null 2>&1

# node NAME READY
node() {
	printf '{"apiVersion":"v1","kind":"Node","metadata":{"name":"%s"}}' "$1" |
		kubectl create -f - >/dev/null
	ready "$@"
}

ready() {
	kubectl patch node "$1" --subresource status --type merge -p "{\"status\":\
{\"conditions\":[{\"type\":\"Ready\",\"status\":\"$2\"}]}}" >/dev/null
}

# pod NAME [NODE]
pod() {
	printf '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s"},
		"spec":{"nodeName":"%s","containers":[{"name":"c","image":"i"}],
		"tolerations":[{"operator":"Exists"}]}}' "$1" "${2-}" |
		kubectl create -n ops -f - >/dev/null
}

# put_out NAME REASON: evicts it as the kubelet or the scheduler would
put_out() {
	kubectl patch pod "$1" -n ops --subresource status --type merge \
		-p "{\"status\":{\"phase\":\"Failed\",\"reason\":\"$2\"}}" >/dev/null
}

# elect POD TAG COMMAND...: kelect in that Pod, in the background
elect() {
	local pod=$1 tag=$2

	shift 2
	POD_NAME=$pod POD_NAMESPACE=ops kelect --for-life --lease "$lock" -- "$@" \
		>"$T/$tag.out" 2>"$T/$tag.err" &
	started+=($!)
	kelect=$!
	disown $!
}

says() {
	grep -qF "$2" "$T/$1.err"
}

leads() {
	says "$1" "became leader: holds the lock ops/$lock"
}

# leave: the process ends, as when its Pod ends
leave() {
	kill -9 "$kelect"
}

owner() {
	kubectl get configmap "$lock" -n ops \
		-o jsonpath='{.metadata.ownerReferences[0].name}'
}

node good True
node bad Unknown

lock=life
pod a good
elect a first sleep 300
ok "the first one leads" wait_for 10 leads first
is "$(kubectl get configmap life -n ops -o json | jq -c \
	'.metadata.ownerReferences[] | .uid = "UID"')" \
	'{"apiVersion":"v1","kind":"Pod","name":"a","uid":"UID"}' \
	"... its Pod owns the lock"
first=$kelect
pod b good
elect b second sleep 300
second=$kelect
ok "the second stands by" wait_for 10 says second "held by a"
kill -TERM "$first"
first_gone() {
	! kill -0 "$first" 2>/dev/null
}
ok "SIGTERM ends the first" wait_for 10 first_gone
is "$(owner)" a "... and leaves the lock"
elect a again sleep 300
ok "a restart in the same Pod leads on" wait_for 10 leads again
leave
kubectl delete pod a -n ops --grace-period=0 --force >/dev/null 2>&1
ok "without its Pod the lock passes" wait_for 30 leads second
is "$(owner)" b "... to the Pod of the second"
kill -9 "$second"

# A new Pod of the same name is another candidate.
lock=name
pod c good
printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"name",
	"finalizers":["example.com/stays"],"ownerReferences":[{"apiVersion":"v1",
	"kind":"Pod","name":"c","uid":"0-0-0"}]}}' |
	kubectl create -n ops -f - >/dev/null
elect c name sleep 300
ok "a Pod of that name with another uid does not lead" wait_for 10 \
	says name "its Pod is gone, the garbage collector will follow"
kubectl patch configmap name -n ops --type merge \
	-p '{"metadata":{"finalizers":null}}' >/dev/null
ok "... until the collector was there" wait_for 30 leads name
leave

# held POD: it holds the lock, without a process
held() {
	printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s",
		"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"%s",
		"uid":"%s"}]}}' "$lock" "$1" "$(kubectl get pod "$1" -n ops \
		-o jsonpath='{.metadata.uid}')" |
		kubectl create -n ops -f - >/dev/null
}

for reason in Evicted Preempting; do
	lock=${reason,,}
	pod "$lock" good
	held "$lock"
	put_out "$lock" "$reason"
	elect c "$lock" sleep 300
	ok "$reason: the Pod is deleted" wait_for 20 \
		says "$lock" "deleted Pod ops/$lock, which has the lock $lock and was put out"
	ok "... and the lock passes" wait_for 30 leads "$lock"
	leave
done

lock=failed
pod failed good
held failed
put_out failed Error
elect c failed sleep 300
ok "one that failed otherwise keeps it" wait_for 10 says failed "held by failed"
leave

lock=unreachable
pod unreachable bad
held unreachable
elect c unreachable sleep 300
ok "a node that is not ready: the lock passes" wait_for 30 leads unreachable
is "$(owner)" c "... without the kubelet"
ok "... and the old Pod is to end" test -n "$(kubectl get pod unreachable \
	-n ops -o jsonpath='{.metadata.deletionTimestamp}')"
kubectl delete configmap "$lock" -n ops >/dev/null
ok "a leader without its lock no longer leads" wait_for 30 says unreachable \
	"fatal: lost the lock ops/unreachable: it is gone"

lock=strange
kubectl create configmap strange -n ops >/dev/null
elect c strange true
ok "a ConfigMap of another owner is not a lock" wait_for 10 says strange \
	"waiting for the lock ops/strange: it must have exactly one owner reference"
kill -TERM "$kelect"
POD_NAME=nobody POD_NAMESPACE=ops runs 111 "without a Pod" \
	kelect --for-life --lease "$lock" -- true
is "$(<"$T/err")" "kelect: fatal: there is no Pod ops/nobody \
(POD_NAMESPACE, POD_NAME), which could own the lock" "... says so"

done_testing
