#!/bin/bash
# kapi and a real API server, in one run: the time to start; the memory of kapi
# with 1,000 and with 100,000 objects (MEMORY_OF); the writes per second of 16
# writers, alone and with 1,000 watchers that each see every write. Medians of
# ROUNDS (3), the two taken in turn. Without Go: kapi alone.
set -eu

cd "$(dirname "$0")/../.."
rounds=${ROUNDS:-3}
seconds=${SECONDS_EACH:-4}
watchers=${WATCHERS:-1000}
memory_of=${MEMORY_OF:-1000 100000}
T=$(mktemp -d)
pid=
cleanup() {
	[ -z "$pid" ] || kill "$pid" 2>/dev/null || :
	[ ! -e "$T/cluster" ] || t/cluster/down "$T/cluster"
	rm -rf "$T"
}
trap cleanup EXIT
ulimit -n 8192
make -s bin/kapi bin/kapply
${CC:-cc} -O2 -D_GNU_SOURCE -o "$T/load" t/bench/kapi-load.c \
	-lssl -lcrypto -lpthread

median() {
	sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'
}

start_kapi() {
	rm -f "$T/kubeconfig"
	bin/kapi --kubeconfig-out "$T/kubeconfig" 2>"$T/log" &
	pid=$!
	until [ -s "$T/kubeconfig" ]; do sleep 0.005; done
	url=$(sed -n 's,^ *server: ,,p' "$T/kubeconfig")
}

stop_kapi() {
	kill "$pid"
	wait "$pid" || :
	pid=
}

# From exec to the newline that says ready, in ms.
up() {
	local start end

	for ((i = 0; i < 11; i++)); do
		start=${EPOCHREALTIME//[!0-9]/}
		exec 3< <(exec bin/kapi --report-fd 1 2>/dev/null)
		pid=$!
		read -r -u 3
		end=${EPOCHREALTIME//[!0-9]/}
		stop_kapi
		exec 3<&-
		echo "$((end - start))" >>"$T/up"
	done
	median <"$T/up" | awk '{printf "%.1f\n", $1 / 1000}'
}

# memory N: resident memory in MB, with N Deployments as clients make them, and
# how much that is for one, in KB.
memory() {
	local empty

	start_kapi
	empty=$(awk '/^VmRSS/ {print $2}' "/proc/$pid/status")
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "%s%d%s\n",
		"{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\"," \
		"\"metadata\":{\"name\":\"d", i, "\",\"namespace\":" \
		"\"default\"},\"spec\":{\"selector\":{\"matchLabels\":" \
		"{\"app\":\"d\"}},\"template\":{\"metadata\":{\"labels\":" \
		"{\"app\":\"d\"}},\"spec\":{\"containers\":[{\"name\":\"a\"," \
		"\"image\":\"example.com/a:1\"}]}}}}" }' |
		KUBECONFIG=$T/kubeconfig bin/kapply -o none --max-in-flight=32
	awk -v n="$1" -v empty="$empty" '/^VmRSS/ { printf "%.1f MB, %.1f KB each",
		$2 / 1024, ($2 - empty) / n }' "/proc/$pid/status"
	stop_kapi
}

# load SERVER-NAME URL TOKEN WATCHERS: writes per second
load() {
	"$T/load" "$2" "$3" "$4" 16 "$seconds" >"$T/out" || {
		echo "$1: a round with $4 watchers is left out" >&2
		return 0
	}
	jq -r '.writes / .seconds | round' "$T/out" >>"$T/$1.$4"
	[ "$4" = 0 ] || jq -e '.events == .writes * ('"$4"')' "$T/out" >/dev/null ||
		echo "$1: not every watcher saw every write: $(<"$T/out")" >&2
}

real=
if t/cluster/build >/dev/null 2>&1; then
	t/cluster/up --dir "$T/cluster" --owner $$ >/dev/null
	real=$(sed -n 's/^ *server: //p' "$T/cluster/admin.kubeconfig")
	token=$(sed 's/.*Bearer //' "$T/cluster/admin.header")
fi
echo "kapi up: $(up) ms"
for n in $memory_of; do
	echo "kapi with $n Deployments: $(memory "$n")"
done
for ((round = 0; round < rounds; round++)); do
	for n in 0 "$watchers"; do
		start_kapi
		load kapi "$url" none "$n"
		stop_kapi
		[ -z "$real" ] || load real "$real" "$token" "$n"
	done
done
for n in 0 "$watchers"; do
	kapi=$(median <"$T/kapi.$n")
	printf '%d watchers: kapi %d writes/s' "$n" "$kapi"
	[ -z "$real" ] || awk -v k="$kapi" -v r="$(median <"$T/real.$n")" \
		'BEGIN {printf ", kube-apiserver %d: %.1f times", r, k / r}'
	echo
done
