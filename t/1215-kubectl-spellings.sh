#!/bin/bash
# kwatch: a category, and a name behind its type as kubectl has it.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck disable=SC2119
cluster_start

kubectl create namespace x >/dev/null
kubectl create -f - >/dev/null <<'EOF'
{"apiVersion":"v1","kind":"Service","metadata":{"name":"s","namespace":"x"},"spec":{"ports":[{"port":80}]}}
EOF
kubectl create configmap -n x c >/dev/null
kubectl create -f - >/dev/null <<'EOF'
{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"x"},"spec":{"replicas":0,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
EOF

runs 0 "all" kwatch --once --objects -n x all
# The real server has a controller that adds a ReplicaSet.
is "$(jq -r '"\(.kind) \(.metadata.name)"' "$T/out" | grep -v ReplicaSet |
	sort)" "Deployment d
Service s" "... is kubectl's category"
kwatch --once -n x all | jq -r .object.kind | sort -u >"$T/kinds"
is "$(grep -cxE 'Pod|Service|Deployment|Job|CronJob|StatefulSet' "$T/kinds")" 6 \
	"... each of its kinds is announced"
runs 0 "... beside a resource" kwatch --once --objects -n x svc,all cm/c
is "$(jq -r .kind "$T/out" | grep -vE 'ConfigMap|ReplicaSet' | sort)" "Deployment
Service" "... each object comes once"
runs 100 "a name behind a category" kwatch --once -n x all/s
is "$(<"$T/err")" 'kwatch: fatal: the server has no resource type "all"' \
	"... is refused"

runs 100 "TYPE NAME" kwatch --once -n x svc s1
is "$(<"$T/err")" 'kwatch: fatal: the server has no resource type "s1"; an object of this name is spelled services/s1' \
	"... is told how to write it"
runs 100 "a type that is not there, alone" kwatch --once -n x s1
is "$(<"$T/err")" 'kwatch: fatal: the server has no resource type "s1"' \
	"... names itself"
done_testing
