#!/bin/bash
# The connections to a real API server: one for all writes in flight, and what
# happens when the server freezes, so that only the kernel answers.
# servers: real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start
server=$(<"$CLUSTER/apiserver.pid")
port=${CLUSTER_SERVER##*:}

# connections PID: how many there are to the API server
connections() {
	ss -tnHp state established "dport = :$port" | grep -c "pid=$1,"
}

# configmaps FROM TO
configmaps() {
	seq "$1" "$2" | sed 's/.*/{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"default","name":"n&"}}/'
}

# Many writes at once.
mkfifo "$T/in"
exec 8<>"$T/in"
start sh -c 'exec kapply -o result --report-fd 3 <"$T/in" 3>"$T/ready"' \
	>"$T/results" 2>"$T/kapply.err"
kapply=$!
wait_for 20 test -s "$T/ready"
configmaps 1 400 >&8
results() {
	[ "$(wc -l <"$T/results")" -ge "$1" ]
}
ok "400 objects at once" wait_for 60 results 400
is "$(jq -r .result "$T/results" | sort | uniq -c | tr -s ' ')" \
	" 400 created" "... all created"
ok "... over one connection, and one for what the server has" \
	test "$(connections $kapply)" -le 2

# A frozen server.
start kwatch cm -n default >"$T/events" 2>"$T/kwatch.err"
kwatch=$!
began() {
	grep -q initial-events-end "$T/events"
}
wait_for 20 began
kill -STOP "$server"
configmaps 401 401 >&8
ok "kwatch notices that the server went silent" \
	wait_for 75 grep -q 'went silent' "$T/kwatch.err"
is "$(<"$T/kwatch.err")" \
	"kwatch: warning: $CLUSTER_SERVER: the server went silent: waiting for the API server" \
	"... and says so once"
kill -CONT "$server"
ok "a write that was cut off is sent again" wait_for 75 results 401
seen() {
	grep -q '"name":"n401"' "$T/events"
}
ok "... and seen" wait_for 30 seen
is "$(grep -c '"name":"n401"' "$T/events")" 1 "... once"
is "$(jq -r 'select(.object.metadata.name == "n1") | .type' "$T/events")" \
	ADDED "nothing else is seen twice"
# A server that was away may end the connection it woke up with.
has_one() {
	[ "$(connections $kwatch)" = 1 ]
}
ok "kwatch has one connection again" wait_for 30 has_one

# A token that the server does not know.
echo not-a-token >"$T/token"
runs 100 "a wrong token" kwatch --once cm --server "$CLUSTER_SERVER" \
	--certificate-authority "$CLUSTER/certificates/apiserver.crt" \
	--token-file "$T/token"
is "$(<"$T/err")" \
	"kwatch: fatal: Unauthorized: $CLUSTER_SERVER does not accept the token in $T/token" \
	"... is refused, and named"
done_testing
