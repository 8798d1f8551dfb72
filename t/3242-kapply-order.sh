#!/bin/bash
# kapply: `after` and `independent` of a line: an item waits for others, whatever
# their kinds; one that is independent neither waits for items that fail, nor
# holds up others when it fails.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
things_start
thing t >/dev/null

service() { # NAME
	cm "$1" "" | jq -c '[.[] | del(.data) + {kind: "Service", spec: {ports: [{port: 80}]}}]'
}
blocked() { # NAME: a ConfigMap of that name is not ours
	kubectl create configmap "$1" >/dev/null
}
# set_of ITEMS MORE: one line, of what cm and service print
set_of() {
	set_line "$(jq -cs add <<<"$1")" "$2" >"$T/in"
}
results() {
	jq -r '"\(.metadata.name) \(.result)"' "$T/out"
}
gone() {
	kubectl delete cm,svc --all >/dev/null
}
why_of() { # NAME
	jq -r --arg name "$1" 'select(.metadata.name == $name) | .message' "$T/out"
}

# ---- after ----

set_of "$(cm a 1)$(cm b 1)$(service s)" \
	'{"after":{"ConfigMap/default/a":["Service/default/s"],"ConfigMap/default/b":["ConfigMap/default/a","ConfigMap/default/none"]}}'
runs 0 "items in another order than their kinds" kapply_line -o result
is "$(results)" "s created
a created
b created" "... and what is not in the line is not waited for"
set_of "$(cm a 2)$(cm b 2)$(service s)" \
	'{"after":{"ConfigMap/default/a":["ConfigMap/default/b"]}}'
runs 0 "with one request at a time" kapply_line -o result --max-in-flight=1
is "$(results)" "b configured
a configured
s unchanged" "... the one that waits lets others by, of its phase; the next waits for it"

gone
blocked x
set_of "$(cm x 1)$(cm b 1)$(cm c 1)$(service s)" \
	'{"after":{"ConfigMap/default/b":["ConfigMap/default/x"],"Service/default/s":["ConfigMap/default/b"]},"status":{"ok":true},"onError":{"why":"${error}"}}'
cp "$T/in" "$T/waits"
runs 1 "an item that fails" kapply_line -o result
is "$(results)" "c created
x failed
b failed
s failed" "... and those that are after it"
is "$(why_of b)" "it waits for ConfigMap default/x, which failed" \
	"... which say what they wait for"
is "$(why_of s)" "it waits for ConfigMap default/x, which failed" \
	"... also over another one"
is "$(kubectl get cm,svc -o name | grep -c '/[bs]$')" 0 "... and are not made"
kubectl delete cm c >/dev/null
runs 1 "the same, for a status" kapply_line -o status
is "$(jq -r .status.why "$T/out")" \
	"cannot apply ConfigMap default/x: it exists and is not part of Thing.example.com default/t; delete it, or give it a label for \"adopt\" in watches.yaml; ConfigMap default/b waits for ConfigMap default/x (and 1 more)" \
	"... it says so, too"
is "$(grep -c 'error:.*it waits for' "$T/err")" 2 "... and the log, once for each"

# What was in the way goes while kapply runs.
mkfifo "$T/lines"
exec 8<>"$T/lines"
start from 8 kapply -o result >"$T/out" 2>"$T/err"
at_work=$!
cat "$T/waits" >&8
wait_for 20 grep -q '"name":"s".*"failed"' "$T/out"
jq -c '.reconcile.guardStatus = true' "$T/waits" >&8
kubectl delete cm x >/dev/null
jq -c '.reconcile.vacated = ["ConfigMap/default/x"]' "$T/waits" >&8
wait_for 20 grep -q '"name":"s".*"created"' "$T/out"
is "$(results | sed -n '/created/p' | tail -n 3 | tr '\n' ' ')" \
	"x created b created s created " "what waits is made when it can be, in order"
is "$(results | grep -c '[bs] failed')" 2 "... and newer lines do not say again that it waits"
exec 8>&-
kill "$at_work"

# ---- independent ----

gone
blocked x
set_of "$(cm x 1)$(service s)$(service i)" \
	'{"independent":["Service/default/i"]}'
runs 1 "an item of an earlier kind that fails" kapply_line -o result
is "$(results | sort)" "i created
x failed" "... does not hold up what is independent"

gone
blocked x
set_of "$(cm a 1)" '{}'
runs 0 "a member" kapply_line -o none
set_of "$(cm x 1)$(service s)" \
	"{\"independent\":[\"ConfigMap/default/x\"],\"status\":{},\"onError\":{\"why\":\"\${error}\"},\"delete\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"namespace\":\"default\",\"name\":\"a\",\"uid\":\"$(uid cm a)\"}]}"
cp "$T/in" "$T/alone"
runs 1 "what is independent and fails" kapply_line -o result
is "$(results)" "s created
x failed" "... holds up no later kind, but what would be deleted"
runs 1 "the same, for a status" kapply_line -o status
is "$(jq -c .status "$T/out")" \
	'{"why":"cannot apply ConfigMap default/x: it exists and is not part of Thing.example.com default/t; delete it, or give it a label for \"adopt\" in watches.yaml"}' \
	"... which has failed"
kubectl delete cm x >/dev/null
runs 0 "when it can be made" kapply_line -o result
is "$(results | sort | tr '\n' ' ')" "a deleted s unchanged x created " "... all is done"

gone
blocked x
set_of "$(cm x 1)$(service s)$(service i)$(service k)" \
	'{"independent":["Service/default/i","Service/default/k"],"after":{"Service/default/i":["Service/default/s"],"Service/default/k":["Service/default/i"]}}'
runs 1 "what is independent, and after what is not" kapply_line -o result
is "$(results)" "x failed" "... waits with it"
gone
blocked x
set_of "$(cm x 1)$(service i)$(cm k 1)" \
	'{"independent":["Service/default/i","ConfigMap/default/k"],"after":{"ConfigMap/default/k":["Service/default/i"]}}'
runs 1 "... and after what is independent, too" kapply_line -o result
is "$(results)" "i created
k created
x failed" "... is made"

# ---- bad lines ----

# refused MORE MESSAGE
refused() {
	set_of "$(cm a 1)$(cm b 1)" "$1"
	runs 1 "$1" kapply_line -o result
	is "$(<"$T/err")" "kapply: error: line 1: $2" "... is refused"
}
refused '{"after":{"ConfigMap/default/a":["ConfigMap/default/b"],"ConfigMap/default/b":["ConfigMap/default/a"]}}' \
	"reconcile.after: ConfigMap/default/a is after itself, by way of ConfigMap/default/b"
refused '{"after":[]}' "reconcile.after is not an object"
refused '{"after":{"ConfigMap/default/a":"ConfigMap/default/b"}}' \
	'reconcile.after["ConfigMap/default/a"] is not a list of texts'
refused '{"after":{"ConfigMap/default/a":[7]}}' \
	'reconcile.after["ConfigMap/default/a"] is not a list of texts'
refused '{"independent":{}}' "reconcile.independent is not a list"
gone
done_testing
