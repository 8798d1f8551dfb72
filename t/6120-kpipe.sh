#!/bin/bash
# kpipe with the real stages on an API server: readiness, draining, dry run,
# killed stages, no API server. Two replicas: t/5200-leader.sh.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
# shellcheck source=processes.sh
. "${0%/*}/processes.sh"
cluster_start

things_start
things_watches
cat >"$T/reconcile.jq" <<'EOF'
def desired: [range(.primary.spec.size) | {apiVersion: "v1", kind: "ConfigMap",
    metadata: {name: "thing-\(.)"}, data: {k: "v"}}];
def status: {done: (.outstanding == [] and .error == null)};
EOF
thing() {
	kubectl apply -f - <<-EOF
	{"apiVersion":"example.com/v1","kind":"Thing",
	 "metadata":{"name":"a","namespace":"default"},"spec":{"size":$1}}
	EOF
}
count() {
	kubectl get configmaps -n default -o name | grep -c thing-
}
settled() {
	[ "$(kubectl get thing a -o jsonpath='{.status.done}')" = true ] &&
		[ "$(count)" = "$1" ]
}
begin() {
	: >"$T/ready"
	: >"$T/stderr"
	start kpipe -f "$T/watches.yaml" --report-fd=9 "$@" \
		9>"$T/ready" >"$T/stdout" 2>>"$T/stderr"
	kpipe=$!
}
ready() {
	test -s "$T/ready"
}
gone() {
	! kill -0 "$1"
}
ends() {
	wait_for 30 gone "$kpipe"
	wait "$kpipe"
	is $? "$1" "$2"
}
# is_another NAME PID: there is one, and it is not that
is_another() {
	local pid

	pid=$(child "$kpipe" "$1")
	[ "${pid:-$2}" != "$2" ]
}

thing 3 >/dev/null

runs 0 "a dry run ends" kpipe -f "$T/watches.yaml" --dry-run
is "$(jq -c '[.kind, .metadata.name, .result]' "$T/out" | sort)" \
	'["ConfigMap","thing-0","created"]
["ConfigMap","thing-1","created"]
["ConfigMap","thing-2","created"]
["Thing","a","configured"]' "... and says what would be done"
is "$(<"$T/err")" "" "... without a word"
is "$(count)" 0 "... and nothing was"

begin
wait_for 20 ready
tap $? "ready" || {
	quote <"$T/stderr"
	done_testing
}
ok "the operator works" wait_for 20 settled 3
is "$(tr '\0' '\n' <"/proc/$(child "$kpipe" ireconcile)/environ" |
	grep -E 'KUBE|CLUSTER')" "" "ireconcile sees nothing of the API server"
for stage in kwatch ireconcile kapply kstatus; do
	: >"$T/stderr"
	old=$(child "$kpipe" $stage)
	kill -9 "$old"
	size=$((RANDOM % 5 + 1))
	thing $size >/dev/null
	ok "$stage killed: it goes on" wait_for 30 settled $size
	# that may come before kpipe has seen the end of the old one
	ok "... with another one" wait_for 20 is_another $stage "$old"
	# the objects may be as desired before kpipe knows that all stages are
	# ready
	wait_for 20 grep -q 'kpipe: ready' "$T/stderr"
	# a crash is forgotten only after a good run: the next start waits
	is "$(grep -cE "^kpipe: (error: $stage|warning: starting|ready)" \
		"$T/stderr")" 3 "... and says so"
done

said=$(wc -l <"$T/stderr")
kill -TERM "$kpipe"
ends 0 "SIGTERM: 0"
ok "... with nothing to complain of" \
	sh -c "! tail -n +$((said + 1)) $T/stderr | grep -E 'warning|error|killed'"

# No API server, neither at start nor later.
server_down
begin
ok "not ready without an API server" \
	sh -c "timeout 3 sh -c 'until test -s $T/ready; do sleep 0.2; done'
		test \$? = 124"
ok "... no stage gives up" \
	sh -c "! grep -E 'ended with|starting' $T/stderr"
server_up
ok "... ready when it comes" wait_for 60 ready
thing 2 >/dev/null
ok "... and it works" wait_for 30 settled 2
server_down
kill -TERM "$kpipe"
ends 0 "SIGTERM without an API server: 0"

begin --token-file=/nonexistent
ends 100 "no token file: 100"
ok "... and it says why" \
	grep -q 'fatal: cannot read /nonexistent: No such file' "$T/stderr"

done_testing
