#!/bin/bash
# The node of the tests of Pods goes without a trace, however its test ends.
# check-all: a kubelet
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

why=$(t/node/missing && t/node/build 2>&1 && t/cluster/build 2>&1) ||
	skip_all "$(tail -n 1 <<<"$why")"
runs 100 "no command" t/node/run -- x
ok "... and it says so" grep -q '^usage: run' "$T/err"

# node COMMAND...: starts a node, with a folder in $T; its pid is in $node
node() {
	rm -f "$T/up"
	start env TMPDIR="$T" t/node/run --- "$@" >"$T/node.out" 2>&1
	node=$!
}
folder() {
	folder=$(echo "$T"/kpipe-node.*)
	[ -d "$folder" ]
}
# traces FOLDER: processes, cgroups, files
traces() {
	pgrep -af "$1" | grep -v "^$$ "
	find /sys/fs/cgroup -maxdepth 2 -name "${1##*/}"
	[ ! -e "$1" ] || echo "$1"
}
no_traces() {
	[ -z "$(traces "$1")" ]
}

sysctl kernel.panic vm.overcommit_memory >"$T/sysctl"
# shellcheck disable=SC2016
node bash -c '
	t/node/push "$NODE/workload.tar" busybox
	kubectl run one --image=busybox -- sleep 3600
	kubectl wait --for=condition=Ready --timeout=240s pod/one >"$1"
	while [ -e "$1" ]; do sleep 0.2; done' - "$T/up"
ok "a Pod runs" wait_for 120 test -s "$T/up" || quote <"$T/node.out"
folder
ok "... in processes, cgroups and files" test "$(traces "$folder" | wc -l)" -gt 6
kill -9 "$node"
wait "$node" 2>/dev/null
rm "$T/up"
ok "after kill -9 nothing is left" wait_for 60 no_traces "$folder" ||
	traces "$folder" | quote

node true
wait_for 60 folder
wait_for 60 test -S "$folder/cluster/c"
kill "$node"
wait "$node"
ok "after SIGTERM, while it starts, neither" no_traces "$folder" ||
	traces "$folder" | quote
same <(sysctl kernel.panic vm.overcommit_memory) "$T/sysctl" \
	"the kernel is set as before"
done_testing
