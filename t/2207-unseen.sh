#!/bin/bash
# What a function of a program certainly does not see is neither given to it
# nor a reason to call it again. The lines are the same as of a program that may
# see everything: in all recordings of the operators, and in random streams.
. "${0%/*}/lib.sh"

export OPERATOR_NAME=dev # of pipeline/iotservice

# everything FOLDER: the folder again, in $T/everything, with a program whose
# functions may see all of their input
everything() {
	rm -rf "$T/everything"
	mkdir "$T/everything"
	cp "$1"/*.jq "$1/watches.yaml" "$T/everything"
	# What may print something is always called.
	awk -F '[ :]' '/^def (status|events|requeue|settled|finalize):/ {
			wide = wide "def " $2 ": [.] | .[0] |" \
				" (\"wide\" | debug | empty), narrow_" $2 ";\n"
			sub(/^def /, "def narrow_")
		}
		{ print }
		END { printf "%s", wide }' "$1/reconcile.jq" \
		>"$T/everything/reconcile.jq"
}

# lines FOLDER OUT: for the stream on stdin; and what is told, without places
lines() {
	ireconcile --clock=input -f "$1/watches.yaml" >"$2" 2>"$T/err"
	sed '/"wide"/d; s,reconcile.jq:[0-9]*,reconcile.jq,; s,[^ ]*/,,g' "$T/err" >>"$2"
}

# alike WHAT FOLDER STREAM: and some lines
alike() {
	lines "$2" "$T/narrow" <"$3"
	lines "$T/everything" "$T/wide" <"$3"
	if grep -q '^{' "$T/wide" && cmp -s "$T/narrow" "$T/wide"; then
		tap 0 "$1"
	else
		tap 1 "$1"
		diff "$T/narrow" "$T/wide" | cut -c 1-1000 | sed 's/^/# /' | head -n 6
	fi
}

for folder in pipeline/*/; do
	folder=${folder%/}
	everything "$folder"
	for stream in "$folder"/t/*.jsonl; do
		[ ! -e "$stream" ] || alike "$stream" "$folder" "$stream"
	done
done

# ---- a random stream ----

mkdir "$T/op"
cat >"$T/op/watches.yaml" <<'END'
- group: e.com
  version: v1
  kind: T
  program: reconcile.jq
  dependents:
  - {apiVersion: apps/v1, kind: Deployment, manage: true}
  - {apiVersion: v1, kind: ConfigMap, manage: true}
  - {apiVersion: v1, kind: Pod, manage: false, map: {label: t}}
END
# One that makes nothing, so that nothing is outstanding.
mkdir "$T/watching"
sed 's/manage: true/manage: false/' "$T/op/watches.yaml" >"$T/watching/watches.yaml"

# Five primaries of each seed, whose objects come, change, differ from what is
# desired, and go; pods with phases
jq -nc '
	def marks($mark): ("e.com/v1 T", "apps/v1 Deployment",
		"v1 ConfigMap", "v1 Pod") | split(" ") | {type: "BOOKMARK",
		object: {apiVersion: .[0], kind: .[1],
		metadata: {annotations: {($mark): "true"}}}};
	def next: (. * 1103515245 + 12345) % 2147483648;
	def owner($n): {apiVersion: "e.com/v1", kind: "T", name: "t\($n)",
		uid: "uid-\($n)", controller: true};
	marks("kpipe.dev/initial-events-begin"), marks("k8s.io/initial-events-end"),
	(range(3) as $seed | foreach range(100) as $i ({r: ($seed + 1)};
		.r |= (next | next); (.r / 64 | floor) as $x
		| ($seed * 5 + $x % 5) as $n | ($x / 5 | floor % 4) as $size
		| ($x / 20 | floor % 9) as $what | ($x / 180 | floor % 5) as $how
		| {type: (if $how == 0 and $what > 1 then "DELETED" else "MODIFIED" end),
		time: (1767225600 + $seed * 2000 + $i * ($how + 1) | todate), object: ({
			metadata: {namespace: "default", resourceVersion: "\($i + 10)",
				generation: $i, creationTimestamp: "2026-01-01T00:00:00Z"}}
			* if $what < 3 then {apiVersion: "e.com/v1", kind: "T",
				metadata: ({name: "t\($n)", uid: "uid-\($n)",
					finalizers: ["e.com/f"]}
					+ if $how + $size == 4 then
						{deletionTimestamp: "2026-01-01T00:00:02Z"}
					else {} end),
				spec: {size: $size, note: "\($how)"},
				status: ([null, {ready: 1}, {ready: 0}, {parts: $size},
					{ready: 0, parts: 2}, {parts: 0}]
					[$x / 900 | floor % 6])}
			elif $what < 5 then {apiVersion: "apps/v1", kind: "Deployment",
				metadata: {name: "t\($n)", uid: "d-\($n)",
					ownerReferences: [owner($n)]},
				spec: {replicas: $size}, status: {readyReplicas: $how}}
			elif $what < 7 then {apiVersion: "v1", kind: "ConfigMap",
				metadata: {name: "t\($n)", uid: "c-\($n)",
					ownerReferences: [owner($n)]},
				data: {size: "\($size)", note: "\($how)"}}
			else {apiVersion: "v1", kind: "Pod", metadata: {uid: "p-\($n)",
				name: "t\($n)-\($size % 2)", labels: {t: "t\($n)"}},
				status: {phase: (if $how > 2 then "Running" else "Failed" end)}}
			end)}))' >"$T/random"

# try WHAT: with the functions on stdin behind `desired`
try() {
	{
		cat <<'END'
include "operator";
def desired: [
  deployment(.primary.metadata.name; {}; {replicas: .primary.spec.size,
    containers: [{name: "main", image: "x"}]}),
  config_map(.primary.metadata.name; {}; {size: "\(.primary.spec.size)",
    note: .primary.spec.note})];
END
		cat
	} >"$T/op/reconcile.jq"
	sed '2,/];$/d; 1a def desired: [];' "$T/op/reconcile.jq" \
		>"$T/watching/reconcile.jq"
	for folder in "$T/op" "$T/watching"; do
		everything "$folder"
		alike "$1, ${folder##*/}" "$folder" "$T/random"
	done
}

try "a status of one kind" <<'END'
def status: {ready: (.owned.Pod | length)};
END
try "... of the primary alone, without errors" <<'END'
def status: {parts: .primary.spec.size};
END
try "... that is a constant" <<'END'
def status: {ready: 0, parts: 2};
END
try "... with the error" <<'END'
def status: {ready: ([.owned.Pod[]] | length), error: .error};
END
try "... with what is outstanding" <<'END'
def status: {ready: (.owned.ConfigMap | length), parts: (.outstanding | length)};
END
try "... with that alone" <<'END'
def status: {parts: (.outstanding | length)};
END
try "... with the time" <<'END'
def status: {ready: (.now / 8 | floor % 2)};
END
try "... with a condition" <<'END'
def status: {conditions: [condition("Ready";
  .owned.Deployment[0].status.readyReplicas > 2; "Counted"; null)]};
END
try "no status for some" <<'END'
def status: if .primary.spec.size > 1 then empty else {parts: 1} end;
END
try "a status that fails for some" <<'END'
def status: if .primary.spec.size > 2 then error("too large: \(.owned.Pod | length)")
  else {ready: 1} end;
END
try "events, requeue, settled" <<'END'
def status: {ready: (.owned.Pod | length)};
def events: [{type: "Normal", reason: "Counted",
  message: "\(.owned.ConfigMap | length) and \(.outstanding | length)"}];
def requeue: if .primary.spec.size == 3 then 30 else null end;
def settled: .owned.Deployment != [];
END
sed -i 's,^  program:,  finalizer: e.com/f\n&,' "$T"/{op,watching}/watches.yaml
try "finalize" <<'END'
def status: {ready: (.owned.Pod | length)};
def finalize: {items: [], delete: .owned.ConfigMap,
  done: (.owned.Deployment == [])};
END
# ---- a change that only the outcome shows ----

# outcome STATUS: the lines' statuses when an object that is outstanding is made
outcome() {
	{
		echo 'include "operator"; def desired: [config_map("c"; {}; {k: "v"})];'
		echo "def status: $1;"
	} >"$T/op/reconcile.jq"
	head -n 8 "$T/random" >"$T/begin"
	jq -nc '{type: "ADDED", time: "2026-01-01T00:00:00Z", object: {
		apiVersion: "e.com/v1", kind: "T", metadata: {name: "t", uid: "t",
		namespace: "default", resourceVersion: "1", finalizers: ["e.com/f"],
		creationTimestamp: "2026-01-01T00:00:00Z"}, status: {parts: 1}}}' \
		>>"$T/begin"
	ireconcile --clock=input -f "$T/op/watches.yaml" <"$T/begin" >"$T/line"
	{
		cat "$T/begin"
		jq -c '.items[] | select(.kind == "ConfigMap") | {type: "ADDED",
			time: "2026-01-01T00:00:01Z", object: (.metadata += {uid: "c",
			resourceVersion: "2"})}' "$T/line"
	} >"$T/stream"
	ireconcile --clock=input -f "$T/op/watches.yaml" <"$T/stream" |
		jq -c .reconcile.status
}
is "$(outcome '{parts: (.outstanding | length)}')" "$(printf 'null\n{"parts":0}')" \
	"what is outstanding is made, which a status sees"
is "$(outcome '{parts: 1}')" null "... and this one does not"

# What is asked for shows the whole input.
try "a program of which --input-of is asked" <<'END'
def status: {parts: .primary.spec.size};
END
is "$(ireconcile -f "$T/op/watches.yaml" --clock=input --input-of T.e.com/default/t9 \
	<"$T/random" 2>"$T/err" | jq -c '[(.owned[] | length), (.outstanding | length)]')" \
	'[1,1,2,2]' "--input-of shows all of it"
done_testing
