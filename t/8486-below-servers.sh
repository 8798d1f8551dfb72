#!/bin/bash
# Each call of what serves fails in turn (below.sh): kapi, kpipe-http and kview.
# A client may lose its connection; the next one gets its answer.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
few=5 first=12 growth=60
# shellcheck source=below.sh
. "${0%/*}/below.sh"
clock_begin --at 2026-03-01T00:00:00Z
mkfifo "$T/lines"

# serve INPUT COMMAND...: until it says where, or has ended
serve() {
	: >"$T/err"
	start reading "$1" timeout -s KILL "$(patience 60)" "${tool[@]}" \
		"${@:2}" >"$T/out" 2>"$T/err"
	server=$!
}
# The process itself opens a pipe, which waits for the other end.
reading() {
	trap - EXIT
	exec "${@:2}" <"$1"
}
serves() {
	grep -q ' at .*[0-9]' "$T/err" || ! is_child "$server"
}

# asked PATH WORD: one of three answers has it
asked() {
	local address _

	address=$(sed -nE 's|^.* at (http://)?([0-9.:]+)/?$|\2|p' "$T/err" | head -n 1)
	[ -n "$address" ] || return
	for _ in 1 2 3; do
		! clock run 10s curl -s -m 5 "http://$address$1" |
			grep -q "$2" || return 0
	done
	return 1
}

all="memory:ENOMEM memory:ENOMEM:ever map:ENOMEM read:EINTR read:EAGAIN
	read:ECONNRESET write:EINTR write:EAGAIN write:ECONNRESET write:EPIPE
	accept:ECONNABORTED accept:EINTR accept:EMFILE accept:ENFILE
	wait:EINTR socket:EMFILE open:EMFILE pipe:EMFILE pipe:EMFILE:ever
	fork:EAGAIN"

right() {
	[ "$answered" -eq 0 ]
}

# ---- kapi ----

echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"served","namespace":"default"}}' \
	>"$T/map"
attempt() {
	rm -f "$T/kubeconfig" "$T/saved"
	serve /dev/null kapi --tls=on --kubeconfig-out "$T/kubeconfig" \
		--save "$T/saved" --journal "$T/journal"
	comes 10 eval 'test -s "$T/kubeconfig" || ! is_child "$server"'
	# With one it has always written all of it.
	[ ! -s "$T/kubeconfig" ] || clock run 10m kapply --kubeconfig \
		"$T/kubeconfig" -o none --timeout=30s <"$T/map" 2>"$T/kapply.err"
	applied=$?
	kill "$server" 2>/dev/null
	wait "$server"
	code=$?
	[ "$applied" -eq 0 ] && [ -s "$T/saved" ] && grep -q '"served"' "$T/saved"
	answered=$?
}
# shellcheck disable=SC2086
below kapi $all write:ENOSPC open:ENFILE:ever

# ---- kpipe-http ----

attempt() {
	serve "$T/lines" kpipe-http --metrics-bind-address=127.0.0.1:0
	exec 8>"$T/lines"
	echo '{"tool":"kwatch","counters":{"events":7}}' >&8
	comes 10 serves
	asked /metrics kpipe_
	answered=$?
	exec 8>&-
	wait "$server"
	code=$?
}
# shellcheck disable=SC2086
below kpipe-http $all

# ---- kview --serve ----

attempt() {
	serve "$T/lines" kview --serve=127.0.0.1:0
	exec 8>"$T/lines"
	head -n 9 pipeline/memcached/t/life.jsonl >&8
	comes 10 serves
	asked / '"live":true'
	answered=$?
	kill "$server" 2>/dev/null
	exec 8>&-
	wait "$server"
	code=$?
}
# shellcheck disable=SC2086
below "kview --serve" $all
done_testing
