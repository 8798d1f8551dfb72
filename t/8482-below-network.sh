#!/bin/bash
# Each call of the tools that ask an API server fails in turn (below.sh), on a
# virtual clock: what is right afterwards is what the server has.
# servers: kapi
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=below.sh
. "${0%/*}/below.sh"
real=$BIN
clock_begin --at 2026-03-01T00:00:00Z
cluster_start
kubectl apply -f pipeline/memcached/crd.yaml >/dev/null
maps=/api/v1/namespaces/below/configmaps
primary=/apis/cache.example.com/v1alpha1/namespaces/below/memcacheds/m
leases=/apis/coordination.k8s.io/v1/namespaces/below/leases
kapply >/dev/null 2>"$T/err" <<'EOF2'
{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"below"}}
{"apiVersion":"cache.example.com/v1alpha1","kind":"Memcached","metadata":{"name":"m","namespace":"below"},"spec":{"size":1}}
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"below","labels":{"listed":"yes"}}}
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b","namespace":"below","labels":{"listed":"yes"}}}
EOF2

# timed COMMAND...: as an attempt, from $T/in
timed() {
	clock run 1h timeout -s KILL "$(patience 60)" "${tool[@]}" "$@" \
		<"$T/in" >"$T/out" 2>"$T/err"
	code=$?
}
# waiting COMMAND...: of a tool that waits for the server: it is told to end
waiting() {
	start timeout -s KILL "$(patience 60)" "${tool[@]}" "$@" \
		<"$T/in" >"$T/out" 2>"$T/err"
	clock pass 2m
	kill "$!" 2>/dev/null
	wait "$!"
	code=$?
}
# Then it has said for what it waits, if it has not done its work.
said() {
	grep -Eq "${cause[$error]}" "$T/err"
}
: >"$T/in"

calls="memory:ENOMEM memory:ENOMEM:ever map:ENOMEM
	read:EINTR read:EAGAIN read:ECONNRESET read:EIO
	write:EINTR write:EAGAIN write:ECONNRESET write:EPIPE write:ENOSPC
	connect:ECONNREFUSED connect:ETIMEDOUT connect:ENETUNREACH
	socket:EMFILE wait:EINTR fork:EAGAIN fork:EAGAIN:ever
	open:EMFILE open:ENFILE:ever pipe:EMFILE pipe:EMFILE:ever"
lasting="read:ECONNRESET:ever write:ECONNRESET:ever connect:ECONNREFUSED:ever
	socket:ENOBUFS:ever"

# ---- kwatch ----

attempt() {
	timed kwatch configmaps -n below -l listed=yes --once --objects
}
right() {
	[ "$(jq -r .metadata.name "$T/out")" = $'a\nb' ]
}
# shellcheck disable=SC2086
below kwatch $calls
# A virtual clock has an epoll of its own.
attempt() {
	limited "${tool[@]}" "$real/kwatch" configmaps -n below -l listed=yes \
		--once --objects >"$T/out" 2>"$T/err"
	code=$?
}
below kwatch epoll:ENOMEM epoll:ENOSPC
attempt() {
	waiting kwatch configmaps -n below -l listed=yes --once --objects
}
right() {
	[ "$(jq -r .metadata.name "$T/out")" = $'a\nb' ] || said
}
# shellcheck disable=SC2086
below "kwatch waits" $lasting

# ---- kapply ----

map() {
	echo "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m$1\",\"namespace\":\"below\"},\"data\":{\"run\":\"$1\"}}"
}
attempt() {
	map "$turn" >"$T/in"
	timed kapply -o result
}
right() {
	[ "$(api "$maps/m$turn" | jq -r .data.run)" = "$turn" ]
}
again=() first=$turn
# shellcheck disable=SC2086
below kapply $calls $lasting
last=$turn
for n in "${again[@]}"; do
	map "$n"
done >"$T/in"
runs 0 "without a fault: what was not applied is" kapply <"$T/in"
is "$(api "$maps" | jq -r '.items[] | select(.data.run).metadata.name' | wc -l)" \
	"$((last - first))" "... nothing is missing, and nothing else was made"

# ---- kstatus ----

attempt() {
	echo "{\"apiVersion\":\"cache.example.com/v1alpha1\",\"kind\":\"Memcached\",\"metadata\":{\"name\":\"m\",\"namespace\":\"below\"},\"status\":{\"nodes\":[\"$turn\"]}}" \
		>"$T/in"
	timed kstatus -o result
}
right() {
	[ "$(api "$primary" | jq -r '.status.nodes[]')" = "$turn" ]
}
# shellcheck disable=SC2086
below kstatus $calls $lasting

# ---- kelect ----

: >"$T/in"
attempt() {
	timed kelect -n below --lease="l$turn" -- echo led
}
right() {
	[ "$(<"$T/out")" = led ] &&
		[ -z "$(api "$leases/l$turn" | jq -r .spec.holderIdentity)" ]
}
# shellcheck disable=SC2086
below kelect $calls
attempt() {
	waiting kelect -n below --lease="l$turn" -- echo led
}
right() {
	[ "$(<"$T/out")" = led ] || said
}
# shellcheck disable=SC2086
below "kelect waits" $lasting
done_testing
