#!/bin/bash
# A real operator under real memory limits: what the kernel kills is named,
# counted, seen and recorded, and too low a limit ends kpipe.
# check-all: needs root
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

# shellcheck source=cgroup.sh
. "${0%/*}/cgroup.sh"
cgroup_up

# limited LIMIT [OPTION]...: kpipe in the cgroup.
limited() {
	cgroup_run "$1" -f pipeline/memcached/watches.yaml --all-namespaces \
		"${@:2}"
}
logged() {
	grep -Eq -- "$1" "$T/kpipe.err"
}
ends() {
	wait "$kpipe"
	is "$?" "$1" "$2"
}
kapi_up
export KUBECONFIG=$T/kubeconfig
own_kubectl
ok "the CRD" kubectl apply -f pipeline/memcached/crd.yaml

# ---- a limit that is too low ----

limited 8M
ends 100 "8 MiB: 100"
ok "... says so" logged '^kpipe: fatal: the memory limit of 8 MiB is below the 10 MiB'

# ---- one that is enough ----

limited 16M
ok "16 MiB: ready" wait_for 20 logged '^kpipe: ready'
kill "$kpipe"
ends 0 "... ends"
is "$(grep -c 'for memory' "$T/kpipe.err")" 0 "... nothing was killed"
wait_for 10 cgroup_empty

# ---- an object that is too large ----

# A page of configuration maps in 40 MiB: kwatch and ireconcile hold them. They
# are random, so that they cannot be packed.
config_maps() {
	for ((i = 0; i < 45; i++)); do
		head -c 675000 /dev/urandom | base64 -w 0 |
			jq -Rc --arg name "big-$i" '{apiVersion: "v1",
				kind: "ConfigMap", data: {x: .},
				metadata: {$name, namespace: "default"}}'
	done
}
cat >"$T/watches.yaml" <<'END'
- group: cache.example.com
  version: v1alpha1
  kind: Memcached
  program: program.jq
  related: [{apiVersion: v1, kind: ConfigMap}]
END
echo 'def desired: []; def status: {};' >"$T/program.jq"
export POD_NAME=operator-0 POD_NAMESPACE=default POD_UID=6d3f
limited 40M -f "$T/watches.yaml" --health-probe-bind-address 127.0.0.1:0 \
	--metrics-bind-address 127.0.0.1:0
ok "40 MiB: ready" wait_for 20 logged '^kpipe: ready'
wait_for 20 logged '^kpipe-http: metrics at' # kpipe does not wait for it
wait_for 20 logged '^kpipe-http: probes at'
address=$(sed -n 's/^kpipe-http: probes at //p' "$T/kpipe.err")
metrics=$(sed -n 's/^kpipe-http: metrics at //p' "$T/kpipe.err")
config_maps >"$T/big"
cat >"$T/fill.sh" <<'END'
while read -r map; do
	printf %s "$map" >"$T/map"
	curl -sS -o /dev/null --cacert "$T/ca.pem" --data-binary @"$T/map" \
		-H 'Content-Type: application/json' \
		"$url/api/v1/namespaces/default/configmaps" || exit
done <"$T/big"
END
export url
start bash "$T/fill.sh"
ok "more objects than it can hold: a stage is killed for memory" wait_for 60 \
	logged '(kwatch|ireconcile) \(pid [0-9]+\) was killed for memory: it had at most [0-9]+ MiB, all processes together may have 40 MiB'
ok "... not ready, and why" wait_for 30 bash -c "
	curl -sS http://$address/readyz | grep -q 'kpipe failed:.* was killed for memory'"
ok "... counted" wait_for 30 bash -c "
	curl -sS http://$metrics/metrics | grep -Eq '^kpipe_stage_oom_kills_total.* [1-9]'"
ends 100 "... again and again right after the start: 100"
ok "... says what to do" logged \
	'^kpipe: fatal: .* 5 in a row; .*raise it \(resources.limits.memory'
ok "... its last words" grep -q fatal <(tail -n 1 "$T/kpipe.err")
ask GET /api/v1/namespaces/default/events |
	jq -r '.items[] | select(.involvedObject.kind == "Pod") |
		"\(.involvedObject.name) \(.involvedObject.uid) \(.reason) \(.message)"' >"$T/events"
ok "... the pod has Events" grep -Eq \
	'^operator-0 6d3f OutOfMemory (kwatch|ireconcile) was killed for memory' \
	"$T/events"

# ---- a program that needs too much ----

# One that wants 100 MiB for the primary "large", and gets there in a small part
# of the CPU time that it may use, however slow the machine is.
cat >"$T/hungry.jq" <<'END'
def desired:
  if .primary.metadata.name == "large"
  then reduce range(26) as $i ("x"; . + .) | empty else [] end;
def status: {replicas: (if .error == null then 7 else 0 end)};
END
sed 's/program.jq/hungry.jq/; /related/d' "$T/watches.yaml" >"$T/hungry.yaml"
primary() {
	cat <<-END | kubectl apply -n default -f - >"$T/out"
		{"apiVersion": "cache.example.com/v1alpha1", "kind": "Memcached",
		 "metadata": {"name": "$1"}, "spec": {"size": 1}}
	END
}
POD_NAME=operator-1 limited 60M -f "$T/hungry.yaml" \
	--metrics-bind-address 127.0.0.1:0
wait_for 30 logged '^kpipe: ready'
wait_for 20 logged '^kpipe-http: metrics at'
metrics=$(sed -n 's/^kpipe-http: metrics at //p' "$T/kpipe.err")
primary large
ok "a worker is killed for memory" wait_for 60 logged \
	'^kpipe: error: a worker of ireconcile was killed for memory; it had at most [0-9]+ MiB, all processes together may have 60 MiB'
ok "... counted" wait_for 30 bash -c "
	curl -sS http://$metrics/metrics | grep -Eq '^kpipe_stage_oom_kills_total.stage=.ireconcile.. [1-9]'"
ok "... the primary fails" wait_for 60 logged \
	'desired of Memcached.* was killed twice, as the kernel does when memory is out'
pod_event() {
	ask GET /api/v1/namespaces/default/events |
		jq -r '.items[] | select(.involvedObject.name == "operator-1") |
			"\(.reason) \(.message)"' |
		grep -q '^OutOfMemory a worker of ireconcile was killed'
}
ok "... the pod has an Event" wait_for 30 pod_event
primary small
seen() {
	[ "$(ask GET /apis/cache.example.com/v1alpha1/namespaces/default/memcacheds/small |
		jq .status.replicas)" = 7 ]
}
ok "... other primaries go on" wait_for 60 seen
is "$(grep -c 'starting the pipeline' "$T/kpipe.err")" 0 \
	"... and no stage is started again"
kubectl delete memcached -n default large small >"$T/out"
kill "$kpipe"
ends 0 "... ends"
wait_for 10 cgroup_empty

# ---- ... and afterwards ----

limited 200M -f "$T/watches.yaml"
ok "a higher limit: ready" wait_for 30 logged '^kpipe: ready'
kill "$kpipe"
ends 0 "... ends"
done_testing
