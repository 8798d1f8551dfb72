#!/bin/bash
# kapply --generate-name: objects with metadata.generateName and no name are
# created, and the name is told.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start

says() { # TEXT WHAT
	is "$(<"$T/err")" "$@"
}

# named GENERATENAME [MORE]: a ConfigMap
named() {
	jq -cn --arg name "$1" '{apiVersion: "v1", kind: "ConfigMap",
		metadata: {generateName: $name, labels: {by: "test"}},
		data: {k: "v"}} * '"${2:-{\}}"
}
drawn='[bcdfghjklmnpqrstvwxz2456789]{10}'
there() {
	kubectl get cm -l by=test -o name | sed 's,configmap/,,' | sort
}

named job- >"$T/in"
runs 1 "without the option" kapply --timeout=20s "$T/in"
says "kapply: error: $T/in: line 1: it has metadata.generateName and no name: with --generate-name it is created, under a name that is made each time" \
	"... the error names it"
is "$(there)" "" "... and nothing is made"
named job- >>"$T/in"
runs 0 "with it" kapply --timeout=60s --generate-name -o result "$T/in"
is "$(jq -r .result "$T/out" | sort | uniq -c | tr -s ' ')" " 2 created" \
	"... each object is created, also two of one name"
is "$(jq -r .metadata.name "$T/out" | grep -cE "^job-$drawn\$")" 2 \
	"... under names with ten letters more"
is "$(jq -r .metadata.name "$T/out" | sort)" "$(there)" "... which are told"
is "$(jq -rs 'map(.metadata.namespace) | unique[]' "$T/out")" default \
	"... in the namespace of the context"
one=$(there | head -n 1)
is "$(kubectl get cm "$one" --show-managed-fields -o json | jq -c '[.metadata.generateName, .data.k,
	(.metadata.managedFields | map([.manager, .operation]))]')" \
	'["job-","v",[["kpipe","Update"]]]' "... it is the object"
runs 0 "again" kapply --timeout=60s --generate-name -o result "$T/in"
is "$(there | wc -l)" 4 "... others are created"
runs 0 "where no result is printed" \
	kapply --timeout=60s --generate-name -o none "$T/in"
is "$(sed -nE "s/^kapply: (created ConfigMap )job-$drawn\$/\1/p" "$T/err" | uniq -c | tr -s ' ')" \
	" 2 created ConfigMap " "... the log has the names"

kubectl delete cm -l by=test >/dev/null
runs 0 "a dry run" kapply --timeout=60s --generate-name --dry-run=server \
	-o result "$T/in"
is "$(jq -r .result "$T/out" | uniq)" created "... tells what it would do"
is "$(there)" "" "... and does nothing"
named x '{"metadata": {"name": "given"}}' >"$T/in"
runs 0 "an object with both" kapply --timeout=60s --generate-name -o result "$T/in"
is "$(there)" given "... has its name"
runs 0 "... again" kapply --timeout=60s --generate-name -o result "$T/in"
is "$(jq -r .result "$T/out")" unchanged "... and is applied"

long=$(printf 'x%.0s' {1..60})
named "$long" '{"metadata": {"namespace": "default", "name": ""}}' >"$T/in"
runs 0 "a long one" kapply --timeout=60s --generate-name -o result "$T/in"
is "$(jq -r .metadata.name "$T/out" | grep -cE "^x{53}$drawn\$")" 1 "... is cut"
named "bad_" >"$T/in"
runs 1 "what the server refuses" kapply --timeout=20s --generate-name -o result "$T/in"
is "$(jq -r '"\(.result) \(.message)"' "$T/out" | grep -c 'failed.*Invalid\|failed.*invalid')" 1 \
	"... fails, by its message"
is "$(grep -cE "error: cannot create ConfigMap bad_$drawn: " "$T/err")" 1 \
	"... and its name"
named a- '{"kind": "Service", "data": null, "date": {"k": "v"}}' >"$T/in"
runs 1 "a field that does not exist" kapply --timeout=20s --generate-name "$T/in"
is "$(grep -c 'unknown field "date"' "$T/err")" 1 "... is refused"
named a- '{"metadata": {"namespace": "late"}}' >"$T/in"
printf '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"late"}}\n' >>"$T/in"
runs 0 "before its namespace" kapply --timeout=60s --generate-name "$T/in"
is "$(kubectl get cm -n late -l by=test -o name | wc -l)" 1 "... it is created once"
named '' >"$T/in"
runs 1 "an empty one" kapply --timeout=20s --generate-name "$T/in"
says "kapply: error: $T/in: line 1: it has no metadata.name" "... does not count"
runs 100 "with an apply set" kapply --generate-name --applyset=a "$T/in"
says "kapply: fatal: options --generate-name and --applyset exclude each other" "... is refused"
kubectl delete cm -l by=test >/dev/null
kubectl delete ns late >/dev/null
done_testing
