#!/bin/bash
# The virtual clock of tests (clock/README): kapi, what waits on it, and a clock
# that goes when all are idle.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"

# ---- which tools have it ----

has_clock() {
	grep -lq KPIPE_CLOCK "$1"
}
with=
for tool in bin/*; do
	! has_clock "$tool" || with+=" $tool"
done
is "$with" "" "no tool that is installed has a virtual clock"
ok "those in build/virtual have" has_clock build/virtual/bin/kapi
runs 100 "without a page they do not start" \
	env -u KPIPE_CLOCK build/virtual/bin/kelect --version
runs 100 "nor does clock" clock now

# ---- time ----

clock_begin --at 2026-03-01T00:00:00Z --seed 1
is "$(clock now)" 2026-03-01T00:00:00.000000Z "it stands at the time that is said"
runs 1 "nothing waits: no step" clock step
clock pass 90m
is "$(clock now)" 2026-03-01T01:30:00.000000Z "time passes"
kapi_up --faults <(echo '{"resource":"configmaps","verb":"list","delayMs":600000,"count":2}')
maps=/api/v1/namespaces/default/configmaps

# took COMMAND...: virtual milliseconds
took() {
	local ms

	ms=$(clock ms)
	"$@" >"$T/took.out" 2>&1
	echo $(($(clock ms) - ms))
}
get=(curl -sS --cacert "$T/ca.pem")
is "$(took "${get[@]}" "$url/version")" 0 "an answer takes no time"
is "$(took clock run 1h "${get[@]}" "$url$maps")" 600000 \
	"a server that waits for ten minutes"
is "$(jq -r .kind "$T/took.out")" ConfigMapList "... then answers"
watch=$(took clock run 2h "${get[@]}" \
	"$url$maps?watch=1&timeoutSeconds=3600&allowWatchBookmarks=true&resourceVersion=1")
is "$watch" 3600000 "a watch of an hour"
is "$(grep -c '"type":"BOOKMARK"' "$T/took.out")" 60 \
	"... has a bookmark every minute"
is "$(took clock run 1s "${get[@]}" --max-time 1 "$url$maps")" \
	1000 "time goes no further than is said"

# ---- what is under way ----

{
	printf '{"metadata":{"name":"large"},"data":{"k":"'
	head -c 1000000 /dev/zero | tr '\0' x
	printf '"}}'
} >"$T/body"
ask POST "$maps" "@$T/body" >/dev/null
exec 9<>"/dev/tcp/127.0.0.1/${url##*:}" # which does not read
printf 'GET %s/large HTTP/1.0\r\n\r\n' "$maps" >&9
timeout .4 clock pass 1ms
is "$?" 124 "time stands while bytes are under way"
cat <&9 >"$T/large"
runs 0 "... and goes when they have arrived" clock pass 1ms
exec 9>&-
start python3 -c 'import threading
def work():
	while True:
		pass
threading.Thread(target=work).start()'
timeout .4 clock pass 1ms
is "$?" 124 "time stands while a second thread computes"
kill_now $!

"${CC:-cc}" -D_GNU_SOURCE -iquote lib -iquote cmd/ktorture -o "$T/flight" t/stub/flight.c \
	build/t/clock/map.o build/cmd/ktorture/clock/virtual.o build/libkpipe.a || exit
mkfifo "$T/held"
exec 9<>"$T/held"
start "$T/flight" >&9
read -r _ <&9
exec 9>&-
timeout 20 clock pass 1ms
is "$?" 0 "what it sent before something else held it up does not count"
kill_now $!

# ---- what waits ----

export KUBECONFIG=$T/kubeconfig
start kwatch configmaps --namespace default >"$T/events" 2>"$T/err"
kwatch=$!
mentions() {
	grep -q "\"name\":\"$1\"" "$T/events"
}
ok "kwatch reads what is there" wait_for 20 mentions large
ask POST "$maps" "$(config_map one)" >/dev/null
clock idle
ok "idle: what was written has arrived" mentions one
is "$(clock show | awk -v pid="$kwatch" '$1 == pid { print $2, $3, $4 }')" \
	"kwatch S waits" "... and it says what kwatch does"
runs 1 "kwatch looks after its connection: never silent for an hour" \
	clock settle 1h
ok "... it says so" grep -qE '^clock: (kwatch|kapi) \(' "$T/err"
kill -STOP "$kwatch"
ask POST "$maps" "$(config_map two)" >/dev/null
sed 's/"large"/"more"/' "$T/body" >"$T/more"
ask POST "$maps" "@$T/more" >/dev/null # more than fits into a socket
is "$(took clock pass 1h)" 3600000 "time passes without a process that is stopped"
ok "... which has read nothing" test "$(grep -c '"name":"two"' "$T/events")" = 0
kill -CONT "$kwatch"
ok "... it goes on" wait_for 20 mentions two
kill -9 "$kwatch"
wait "$kwatch" 2>/dev/null
is "$(took clock pass 1h)" 3600000 "... and without one that is gone"

# Woken, it does not run at once where others compute, of which the clock does
# not know.
kinds=(pods secrets services endpoints limitranges replicationcontrollers)
for i in 1 2 3 4 5; do
	echo "{\"resource\":\"${kinds[i]}\",\"verb\":\"watch\",\"delayMs\":${i}000}"
done >"$T/late"
"${get[@]}" --data-binary "@$T/late" "$url/kapi/faults"
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
busy=$(
	taskset -c "$cpu" t/busy $$ >"$T/busy" 2>&1 &
	echo $!
)
from=$(clock now)
start taskset -c "$cpu" chrt --idle 0 kwatch "${kinds[@]}" --namespace default \
	--timestamps >"$T/events" 2>"$T/err"
clock pass 10s
kill "$busy"
is "$(jq -r 'select(.object.metadata.annotations["k8s.io/initial-events-end"])
	.time' "$T/events")" "$(for i in 0 1 2 3 4 5; do
	date -u -d "${from%.*}Z + $i seconds" "+%FT%T.${from#*.}"
done)" "what is kept from its processor reads each answer at its time"
told_to_end $! "... and ends"

# ---- jumps ----

at=$(clock ms)
clock jump 1h
before=$(clock now)
clock jump -2h
is "$(clock ms)" "$at" "the time of day is set: no time passes"
ask POST "$maps" "$(config_map three)" >/dev/null
is "$(ask GET "$maps/three" | jq -r .metadata.creationTimestamp)" \
	"$(date -u -d "${before%.*}Z - 2 hours" +%FT%TZ)" "... and kapi goes by it"
is "$(took clock suspend 10m)" 600000 "a suspended machine: time passes"
sleeps() {
	start "${get[@]}" -o "$T/watch" \
		"$url$maps?watch=1&timeoutSeconds=60&resourceVersion=1"
	wait_for 1 test -s "$T/watch"
	clock suspend 10m
	wait $!
}
is "$(took sleeps)" 600000 "... and what is due meanwhile comes at its end"
kapi_down

# ---- no bookmarks ----

kapi_up --bookmark-interval=0
start "${get[@]}" -o "$T/watch" \
	"$url$maps?watch=1&timeoutSeconds=7200&allowWatchBookmarks=true&resourceVersion=1"
watcher=$!
runs 0 "without bookmarks an hour may be silent" clock settle 1h
wait "$watcher"
is "$(grep -c '"type":"BOOKMARK"' "$T/watch")" 1 "... until a watch ends"
kapi_down

# ---- jitter ----

# pauses SEED: of a kwatch whose server is not there
pauses() {
	clock new --root $$ --seed "$1"
	start kwatch pods --server http://127.0.0.1:1 >"$T/out" 2>"$T/err"
	for _ in 1 2 3 4 5 6; do
		clock step
	done >"$T/pauses"
	kill $! && wait $!
	cat "$T/pauses"
}
pauses 7 >"$T/first"
pauses 7 >"$T/second"
pauses 8 >"$T/other"
same "$T/first" "$T/second" "the same seed: the same times"
ok "... another one: others" test "$(sort -u "$T/first" "$T/other" | wc -l)" -gt 6
done_testing
