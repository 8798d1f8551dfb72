#!/bin/bash
# What a hundred objects cost, in units that a busy machine does not change:
# instructions (valgrind counts them), allocations, requests and evaluations. None
# is more than a tenth above what t/costs has. (How many system calls there are
# depends on how much a call finds.) COSTS_OUT=FILE
# writes what was counted there, to take the place of t/costs.
# check-all: valgrind
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
# shellcheck source=readme.sh
. "${0%/*}/readme.sh"

# What instructions an object costs depends on the libraries, too.
release=$(sed -n 's/^VERSION_ID="\(.*\)"/\1/p' /etc/os-release)
[ "$release $(uname -m)" = "12 x86_64" ] ||
	skip_all "t/costs is of Debian 12 on x86_64"

out=${COSTS_OUT:-$T/costs}
grep '^#' t/costs >"$out"

# cost NAME N: the next line of t/costs
cost() {
	local limit

	limit=$(sed -n "s/^$1: //p" t/costs)
	echo "$1: $2" >>"$out"
	[ "$2" -gt 0 ] && [ "$(($2 * 10))" -le "$((${limit:-0} * 11))" ]
	tap $? "$1: $2 (t/costs: ${limit:-nothing})"
}

# counted COMMAND...: how many instructions all its processes take. A process
# that is killed at the end counts as well: it dumps as it goes.
counted() {
	rm -rf "$T/callgrind" && mkdir "$T/callgrind"
	valgrind -q --tool=callgrind --dump-every-bb=1000000 \
		--callgrind-out-file="$T/callgrind/%p" \
		--log-file="$T/valgrind" "$@" >"$T/counted" 2>"$T/counted.err" ||
		flaw "$*: $(head -n 3 "$T/counted.err")"
	cat "$T"/callgrind/* | awk '/^totals: / { n += $2 } END { print n }'
}

# allocated COMMAND...: how often its first process asks for memory
allocated() {
	valgrind --log-file="$T/valgrind.%p" "$@" <&0 >"$T/counted" 2>"$T/counted.err" &
	wait $!
	sed -n 's/.*total heap usage: \([0-9,]*\) allocs.*/\1/p' "$T/valgrind.$!" |
		tr -d ,
	rm -f "$T"/valgrind.*
}

# each MEASURE COMMAND...: what a hundred more objects cost. {N} in the command
# stands for 100 objects, then for 300.
each() {
	local measure=$1 few many

	shift
	few=$($measure "${@//\{N\}/100}")
	many=$($measure "${@//\{N\}/300}")
	echo $(((many - few) / 2))
}

# ---- recordings of README's operator ----

readme_blocks ""
readme_files
watches=$T/watches.yaml
kinds='{"apiVersion":"cache.example.com/v1alpha1","kind":"Memcached"}
{"apiVersion":"apps/v1","kind":"Deployment"}
{"apiVersion":"v1","kind":"Pod"}'

marks() {
	jq -c --arg mark "$1" '{type: "BOOKMARK", object:
		(.metadata.annotations[$mark] = "true")}' <<<"$kinds"
}

# primaries N SIZE VERSION
primaries() {
	jq -ncS --argjson n "$1" --argjson size "$2" --argjson version "$3" 'range($n) |
		{type: "ADDED", object: {apiVersion: "cache.example.com/v1alpha1",
		kind: "Memcached", spec: {size: $size}, status: {nodes: []},
		metadata: {name: "p\(.)", namespace: "default", uid: "uid-\(.)",
			generation: 1, resourceVersion: "\(. + $version)",
			creationTimestamp: "2026-01-01T00:00:00Z"}}}'
}

made() {
	jq -cS '.items[] | {type: "ADDED", object: (.metadata += {
		uid: "\(.kind)-\(.metadata.name)", resourceVersion: "7",
		creationTimestamp: "2026-01-01T00:00:01Z"})}'
}

# stream N: primaries that are new; with FILE: whose objects exist
stream() {
	marks kpipe.dev/initial-events-begin
	primaries "$1" 3 1
	cat "${@:2}"
	marks k8s.io/initial-events-end
}

# timed PACE: each line so many seconds after the one before
timed() {
	jq -c --argjson pace "$1" '.time = (1767225600 + input_line_number * $pace | todate)'
}

decide() { # from standard input
	"$BIN/ireconcile" --sandbox=off --clock=input -f "$watches"
}

for n in 0 100 300; do
	stream "$n" | timed 0 >"$T/new.$n"
	decide <"$T/new.$n" >"$T/lines.$n"
	made <"$T/lines.$n" >"$T/made.$n"
	stream "$n" "$T/made.$n" | timed 0 >"$T/settled.$n"
	# Then each changes, and its Deployment, a second apart.
	{
		timed 0 <"$T/settled.$n"
		{
			primaries "$n" 4 1000 # sorts before its Deployment
			sed 's/"replicas":3/"replicas":4/
				s/"resourceVersion":"7"/"resourceVersion":"2000"/' \
				"$T/made.$n"
		} | jq -cs 'sort_by(.object.metadata.name)[] | .type = "MODIFIED"' |
			timed 1
	} >"$T/changed.$n"
	is "$(decide <"$T/settled.$n" | wc -l)" 0 "$n that are settled: no line"
	is "$(decide <"$T/changed.$n" | wc -l)" "$n" "... a line for each change"
done

# run_calls: how often run_program was called while that was counted. callgrind's
# lines are a call of it, by its name or its number in this file, and then how
# many there were.
run_calls() {
	awk 'FNR == 1 { number = "" }
		match($0, /\([0-9]+\) run_program$/) {
			number = substr($0, RSTART, RLENGTH)
			sub(/ .*/, "", number)
		}
		/^calls=/ && called { n += substr($1, 7) }
		{ called = number != "" && index($0, "cfn=" number) == 1 }
		END { print n + 0 }' "$T"/callgrind/*
}

instructions() { # FILE
	counted "$BIN/ireconcile" --sandbox=off --clock=input -f "$watches" <"$1"
	run_calls >"$1.calls"
}

allocations() {
	allocated "$BIN/ireconcile" --sandbox=off --clock=input -f "$watches" <"$1"
}

# calls FILE: how often a function of the program is called, as the instructions
# of the same file were counted
calls() {
	cat "$1.calls"
}

evaluations() {
	"$BIN/ireconcile" --sandbox=off --clock=input -v -f "$watches" <"$1" 2>&1 >"$T/counted" |
		grep -c ' outstanding'
}

cost "ireconcile, start: instructions" "$(instructions "$T/new.0")"
for what in new settled changed; do
	cost "ireconcile, $what: instructions" "$(each instructions "$T/$what.{N}")"
	cost "ireconcile, $what: allocations" "$(each allocations "$T/$what.{N}")"
	cost "ireconcile, $what: calls" "$(each calls "$T/$what.{N}")"
done
cost "ireconcile, changed 300: evaluations" "$(evaluations "$T/changed.300")"

# ---- what talks to an API server ----

kapi_up --journal "$T/journal"
export KUBECONFIG=$T/kubeconfig
kapply -o none -f "$T/crd.yaml" >"$T/out" 2>&1 ||
	flaw "$(<"$T/out")"

applying() { # MEASURE N: Deployments that are not there yet
	sed "s/\"name\":\"p/&$1-/g" "$T/lines.$2" >"$T/apply"
	"$1" "$BIN/kapply" --max-in-flight=1 -o none --max-writes-per-second=0 <"$T/apply"
}

requests() {
	local before

	before=$(wc -l <"$T/journal")
	"$@" >"$T/counted" 2>"$T/counted.err"
	echo $(($(wc -l <"$T/journal") - before))
}

# ConfigMaps and primaries in namespaces n100 and n300
for n in 100 300; do
	{
		echo "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"n$n\"}}"
		jq -nc --argjson n "$n" 'range($n) |
			{apiVersion: "v1", kind: "ConfigMap", data: {key: "value"},
			metadata: {name: "map-\(.)", namespace: "n\($n)"}},
			{apiVersion: "cache.example.com/v1alpha1", kind: "Memcached",
			spec: {size: 3}, metadata: {name: "p\(.)", namespace: "n\($n)"}}'
	} | kapply -o none 2>"$T/err" || flaw "$(<"$T/err")"
done

listing() { # MEASURE N
	"$1" "$BIN/kwatch" --once -n "n$2" configmaps
}

# The status of each, with a node more than the last time
nodes=
reporting() { # MEASURE N
	nodes=$nodes,\"node\"
	kwatch --once --objects -n "n$2" memcacheds.cache.example.com |
		jq -c --argjson nodes "[${nodes#,}]" '{apiVersion, kind,
			metadata: (.metadata | {name, namespace, uid}), status: {$nodes}}' \
			>"$T/statuses"
	"$1" "$BIN/kstatus" <"$T/statuses"
}

declare -A called=([counted]=instructions [allocated]=allocations
	[requests]=requests)
for measure in counted allocated; do
	cost "kwatch, list: ${called[$measure]}" \
		"$(each listing "$measure" '{N}')"
done
for measure in counted allocated requests; do
	cost "kapply: ${called[$measure]}" "$(each applying "$measure" '{N}')"
	cost "kstatus: ${called[$measure]}" "$(each reporting "$measure" '{N}')"
done

done_testing
