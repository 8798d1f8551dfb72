#!/bin/bash
# The memory of a whole operator (pipeline/memcached, all seven tools), in a
# cgroup of its own: the least limit with which it becomes ready, and what it
# uses for many objects. The cgroup counts memory that is the operator's own,
# not the pages of programs that other processes have read before.
# usage: t/bench/memory-limit.sh [OBJECTS]...	(0 1000 10000), as root
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../kapi.sh
. t/kapi.sh
# shellcheck source=../cgroup.sh
. t/cgroup.sh
finished=1 # no TAP
cgroup_up
[ $# -gt 0 ] || set -- 0 1000 10000

cp -r pipeline/memcached "$T/operator"
cat >>"$T/operator/watches.yaml" <<'END'
  related: [{apiVersion: v1, kind: ConfigMap}]
END
operator=$T/operator
all=(--leader-elect --leader-election-namespace=default --metrics-secure
	--metrics-bind-address=127.0.0.1:0
	--health-probe-bind-address=127.0.0.1:0)

# ready LIMIT [OPTION]...: whether the operator becomes ready with it.
ready() {
	cgroup_run "$1" -f "$operator/watches.yaml" --all-namespaces "${@:2}"
	comes 20 grep -Eq '^kpipe: (ready|fatal)' "$T/kpipe.err"
	comes 2 false # and stays so
	! grep -Eq 'for memory|fatal' "$T/kpipe.err"
}
ended() {
	kill "$kpipe"
	wait "$kpipe"
	wait_for 10 cgroup_empty
} 2>/dev/null

# least [OPTION]...: MiB
least() {
	local mib=24

	while ready "${mib}M" "$@"; do
		ended
		mib=$((mib - 1))
	done
	ended
	echo $((mib + 1))
}

# maps N: of about 4 KB each
maps() {
	jq -nc --argjson n "$1" 'range($n) as $i | {apiVersion: "v1",
		kind: "ConfigMap", metadata: {name: "map-\($i)",
		namespace: "default"}, data: ([range(20) | {key: "setting-\(.)",
		value: ("value \($i) of a setting " * 7)}] | from_entries)}'
}
primaries() {
	jq -nc --argjson n "$1" 'range($n) as $i | {
		apiVersion: "cache.example.com/v1alpha1", kind: "Memcached",
		metadata: {name: "memcached-\($i)", namespace: "default"},
		spec: {size: 1}}'
}

# uses WHAT [SECONDS]: what it holds so long after a start, and the most until
# then
uses() {
	cgroup_run max -f "$operator/watches.yaml" --all-namespaces "${all[@]}"
	wait_for 100 grep -q '^kpipe: ready' "$T/kpipe.err"
	comes "${2:-5}" false
	printf '| %s | %s | %s |\n' "$1" "$(cgroup_mib now)" "$(cgroup_mib peak)"
	ended
}

kapi_up
export KUBECONFIG=$T/kubeconfig
own_kubectl
kubectl apply -f pipeline/memcached/crd.yaml >/dev/null
echo "the least limit, without any object: four stages $(least) MiB," \
	"with kelect and kpipe-http $(least "${all[@]}") MiB"
echo "| objects | at rest, MiB | peak of the start, MiB |"
echo "|---|---|---|"
for n in "$@"; do
	maps "$n" | kapply -o none
	uses "$n ConfigMaps of 4 KB"
done
# What is related to every primary would be the input of each evaluation.
n=1000 operator=pipeline/memcached
primaries "$n" | kapply -o none
uses "... and $n Memcacheds, created" 30
uses "... and $n Memcacheds, a Deployment each"
