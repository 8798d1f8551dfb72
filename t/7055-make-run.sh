#!/bin/bash
# make run, of a folder that kgen new made and of pipeline/: the page, the
# playground, options of kpipe; what fails ends it, and nothing stays behind.
# servers: kapi
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
own_kubectl
kgen new web -o "$T/web" --group example.com --kind Web

# run LOG ARGUMENT...: make in the background, until the operator is ready
run() {
	local log=$1

	shift
	start make "$@" run >"$log" 2>&1
	make=$!
	wait_for 30 grep -q 'kpipe: ready' "$log"
}
# end: what make started ends with it
end() {
	local page

	page=$(sed -n 's/.*the page is at //p' "$T/log")
	kill "$make"
	wait "$make"
	for page in "$page" "$(sed -n 's/.*server: //p' "$KUBECONFIG")"; do
		ok "... its end leaves nothing that serves" comes 10 is_closed "$page"
	done
}
is_closed() {
	! curl -s -m 5 -o "$T/closed" "$1"
}
# deployment NAME: it has one Pod
deployment() {
	jq -cn --arg name "$1" '{apiVersion: "apps/v1", kind: "Deployment",
		metadata: {name: $name, namespace: "default"},
		spec: {selector: {matchLabels: {a: "b"}}, template: {
		metadata: {labels: {a: "b"}},
		spec: {containers: [{name: "c", image: "i"}]}}}}'
}

ok "make run" run "$T/log" -C "$T/web"
page=$(sed -n 's/.*the page is at //p' "$T/log")
ok "... prints the address of the page" curl -sSf -m 20 -o "$T/page" "$page"
ok "... which is one" grep -q '<title>kpipe, live' "$T/page"
export KUBECONFIG=$T/web/build/kubeconfig
is "$(grep 'In another' "$T/log")" \
	"In another terminal: export KUBECONFIG=$KUBECONFIG" "... and how kubectl gets there"
runs 2 "another one in this folder" make -s -C "$T/web" run
is "$(grep ^run: "$T/err")" "run: make run of . is at work: end it first, or say OUT=DIR, where this one writes its kubeconfig" \
	"... is refused"
deployment idle | kubectl apply -f - >/dev/null
is "$(kubectl get deployment idle -o json | jq -c '.status.readyReplicas')" null \
	"... Deployments are only objects there"
end

ok "make run PLAYGROUND=1 ARGS" run "$T/log" -C "$T/web" PLAYGROUND=1 \
	ARGS='--record=build/recording --log-level=debug'
deployment web | kubectl apply -f - >/dev/null
ok "... a Deployment gets its Pods" kubectl wait --timeout=120s \
	--for=condition=Available deployment/web
ok "... which are Running" kubectl wait --timeout=120s \
	--for=jsonpath='{.status.phase}'=Running pods -l a=b
ok "... options go to kpipe" grep -q 'debug: ' "$T/log"
ok "... and files are below the folder" eval \
	"ls '$T/web/build/recording' >/dev/null && test -s '$T/web/build/playground.log'"
end

echo 'def' >>"$T/web/reconcile.jq"
runs 2 "a program that does not work" make -s -C "$T/web" run
is "$(grep -v ^make "$T/err" | sed 's/reconcile.jq:[0-9]*: .*/reconcile.jq: WHY/')$(<"$T/out")" "ireconcile: fatal: ./reconcile.jq: WHY
run: the programs of . do not work. Nothing was started." "... starts nothing"
sed -i '$d' "$T/web/reconcile.jq"
runs 2 "an option that kpipe has not" make -s -C "$T/web" run ARGS=--recrod=x
ok "... ends it, and says so" grep -q "kpipe: fatal: .*recrod" "$T/err"
runs 2 "PLAYGROUND that is not a choice" make -s -C "$T/web" run PLAYGROUND=yes
ok "... is refused" grep -q 'run: PLAYGROUND is "yes"; it may be 1 or 0' "$T/err"
runs 2 "make run OPERATOR that is not there" make -s run OPERATOR=memcashed \
	BIN="$BIN"
ok "... is refused" grep -q \
	"make run: OPERATOR=NAME must be a folder in pipeline/" "$T/err"

ok "make run OPERATOR=memcached" run "$T/log" -s OPERATOR=memcached \
	OUT="$T/run" BIN="$BIN"
KUBECONFIG=$T/run/kubeconfig
kubectl apply -f pipeline/memcached/example.yaml >/dev/null
ok "... runs that one" kubectl wait --timeout=120s --for=create \
	deployment/example
end

done_testing
