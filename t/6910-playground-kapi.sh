#!/bin/bash
# kapi, and the playground with its controllers: a Deployment steps through
# ReplicaSets, a StatefulSet through ordinals, Jobs end. Only our own tools run;
# the events and their order are read from a recording.
. "${0%/*}/lib.sh"

export KUBECONFIG=$T/kubeconfig
start kapi --kubeconfig-out "$KUBECONFIG" 2>"$T/kapi.log"
wait_for 10 test -s "$KUBECONFIG" || {
	quote <"$T/kapi.log"
	exit 1
}
start kpipe -f pipeline/playground/watches.yaml 2>"$T/playground.log"
start kpipe -f pipeline/playground/controllers.yaml 2>"$T/controllers.log"
# A recording for each kind: there is no defined order between kinds.
for kind in deployments replicasets statefulsets jobs pods \
	persistentvolumeclaims controllerrevisions; do
	start kwatch "$kind" -n default >"$T/$kind" 2>"$T/kwatch.$kind.log"
done

# events KIND FILTER: the recorded events of a kind, through jq
events() {
	jq -r "select(.type != \"BOOKMARK\") | .object as \$o | $2" "$T/$1"
}

# now KIND NAME FILTER: the last state of an object, through jq
now() {
	events "$1" "select(\$o.metadata.name == \"$2\") | \$o | $3" | tail -n 1
}

# recorded KIND...: waits until the recordings have what the server has by now
recorded() {
	local kind

	for kind; do
		wait_for 20 has_all "$kind"
	done
}
has_all() {
	[ "$(kwatch --once "$1" -n default | versions)" = \
		"$(versions <"$T/$1")" ]
}
# versions: "NAME VERSION" of each object that events leave there, in one line
versions() {
	jq -nr 'reduce (inputs | select(.type != "BOOKMARK")) as $e ({};
		$e.object.metadata as $m
		| if $e.type == "DELETED" then del(.[$m.name])
		else .[$m.name] = $m.resourceVersion end)
		| to_entries | sort_by(.key) | map("\(.key) \(.value)")
		| join(", ")'
}

# becomes KIND NAME FILTER WANT: waits until the last state is so
becomes() {
	last_is() {
		[ "$(now "$1" "$2" "$3")" = "$4" ]
	}
	wait_for 20 last_is "$@" && return
	now "$1" "$2" . | quote
	tail -n 5 "$T"/*.log | quote
	return 1
}

apply() {
	kapply -o none --field-manager test
}

workload() { # KIND NAME IMAGE SPEC
	jq -cn --arg kind "$1" --arg name "$2" --arg image "$3" --argjson spec "$4" '
		{apiVersion: "apps/v1", kind: $kind,
		 metadata: {name: $name, namespace: "default"},
		 spec: ({selector: {matchLabels: {app: $name}},
			template: {metadata: {labels: {app: $name}},
			spec: {containers: [{name: "a", image: $image}]}}}
			+ $spec)}'
}

# --- a Deployment

workload Deployment web one '{"replicas":3}' | apply
status='.status | del(.conditions[]?.lastTransitionTime,
	.conditions[]?.lastUpdateTime) | tojson'
ok "a Deployment becomes complete" becomes deployments web \
	'[.status.availableReplicas, .status.observedGeneration] | tojson' '[3,1]'
recorded replicasets
first=$(events replicasets '$o.metadata.name' | head -n 1)
is "$(now deployments web "$status" | jq -S .)" "$(jq -S . <<END
{"availableReplicas":3,"conditions":[
 {"message":"Deployment has minimum availability.",
  "reason":"MinimumReplicasAvailable","status":"True","type":"Available"},
 {"message":"ReplicaSet \"$first\" has successfully progressed.",
  "reason":"NewReplicaSetAvailable","status":"True","type":"Progressing"}],
 "observedGeneration":1,"readyReplicas":3,"replicas":3,
 "terminatingReplicas":0,"updatedReplicas":3}
END
)" "... with the status of the real controller"

seen=$(wc -l <"$T/replicasets")
workload Deployment web two '{"replicas":3}' | apply
ok "another image" becomes deployments web \
	'[.status.updatedReplicas, .status.replicas, .status.observedGeneration]
	 | tojson' '[3,3,2]'
recorded replicasets
steps=$(tail -n "+$((seen + 1))" "$T/replicasets" |
	jq -r --arg first "$first" '.object | select(.spec)
		| "\(if .metadata.name == $first then "old" else "new" end) \(.spec.replicas)"' |
	awk '$2 != last[$1] || !($1 in last) { if (!($1 == "old" && $2 == 3)) print; last[$1] = $2 }')
is "$steps" "new 1
old 2
new 2
old 1
new 3
old 0" "... steps up and down, one above the wanted number at most"
is "$(events replicasets '$o.metadata | "\(.name == "'"$first"'")
	\(.annotations["deployment.kubernetes.io/revision"])"' |
	tr -s '\n\t' ' ' | grep -o '[a-z]* [0-9]' | sort -u)" "false 2
true 1" "... and the revisions count"

workload Deployment web one '{"replicas":2}' | apply
ok "back to the first image" becomes deployments web \
	'[.status.updatedReplicas, .status.replicas, .status.observedGeneration]
	 | tojson' '[2,2,3]'
recorded replicasets
is "$(events replicasets '$o.metadata.name' | sort -u | wc -l)" 2 \
	"... is the first ReplicaSet again"
is "$(now replicasets "$first" \
	'.metadata.annotations["deployment.kubernetes.io/revision"]')" 3 \
	"... as the third revision"

spec='{"replicas":2,"strategy":{"type":"Recreate"}}'
workload Deployment all one "$spec" | apply
ok "strategy Recreate" becomes deployments all \
	'[.status.availableReplicas, .status.observedGeneration] | tojson' '[2,1]'
workload Deployment all two "$spec" | apply
ok "... with another image" becomes deployments all \
	'[.status.updatedReplicas, .status.availableReplicas,
	  .status.observedGeneration] | tojson' '[2,2,2]'
recorded pods
is "$(events pods 'select($o.metadata.labels.app == "all")
	| select(.type != "MODIFIED")
	| "\(.type) \($o.spec.containers[0].image)"')" "ADDED one
ADDED one
DELETED one
DELETED one
ADDED two
ADDED two" "... takes all old pods away first"

stuck='{"replicas":2,"progressDeadlineSeconds":1,"template":{"metadata":{
	"labels":{"app":"stuck"},"annotations":{
	"playground.kpipe.dev/outcome":"Failed"}},
	"spec":{"containers":[{"name":"a","image":"b"}]}}}'
workload Deployment stuck one "$stuck" | apply
ok "a Deployment whose pods crash" becomes deployments stuck \
	'[.status.readyReplicas, .status.unavailableReplicas,
	  (.status.conditions[] | "\(.status) \(.reason)")] | tojson' \
	'[null,2,"False MinimumReplicasUnavailable","False ProgressDeadlineExceeded"]'

# --- a StatefulSet

spec='{"replicas":3,"serviceName":"db","volumeClaimTemplates":[{"metadata":
	{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],
	"resources":{"requests":{"storage":"1Gi"}}}}]}'
workload StatefulSet db one "$spec" | apply
ok "a StatefulSet" becomes statefulsets db \
	'[.status.availableReplicas, .status.updatedReplicas] | tojson' '[3,3]'
workload StatefulSet db two "$spec" | apply
ok "... takes another image" becomes statefulsets db '[.status.readyReplicas,
	.status.observedGeneration, .status.currentReplicas,
	.status.currentRevision == .status.updateRevision] | tojson' \
	'[3,2,3,true]'
workload StatefulSet db two "${spec/3/1}" | apply
ok "... and shrinks" becomes statefulsets db \
	'[.status.replicas, .status.observedGeneration] | tojson' '[1,3]'
recorded pods persistentvolumeclaims controllerrevisions
is "$(events pods 'select($o.metadata.labels.app == "db")
	| select(.type != "MODIFIED" or $o.status.phase == "Running")
	| "\(.type) \($o.metadata.name) \($o.spec.containers[0].image)"' |
	awk '$1 == "MODIFIED" { if (!(seen[$2 $3]++)) print "ready", $2, $3; next }
		{ print }')" "ADDED db-0 one
ready db-0 one
ADDED db-1 one
ready db-1 one
ADDED db-2 one
ready db-2 one
DELETED db-2 one
ADDED db-2 two
ready db-2 two
DELETED db-1 one
ADDED db-1 two
ready db-1 two
DELETED db-0 one
ADDED db-0 two
ready db-0 two
DELETED db-2 two
DELETED db-1 two" "... by ordinals, each when the last one is ready"
is "$(events persistentvolumeclaims '"\(.type) \($o.metadata.name)"' |
	grep -v MODIFIED)" "ADDED data-db-0
ADDED data-db-1
ADDED data-db-2" "... and keeps its claims"
is "$(events controllerrevisions '"\($o.revision)"' | sort -u)" "1
2" "... in two revisions"

# --- Jobs

job() { # NAME OUTCOME SPEC
	jq -cn --arg name "$1" --arg outcome "$2" --argjson spec "$3" '
		{apiVersion: "batch/v1", kind: "Job",
		 metadata: {name: $name, namespace: "default"},
		 spec: ({template: {
			metadata: {annotations: {
				"playground.kpipe.dev/outcome": $outcome}},
			spec: {restartPolicy: "Never",
				containers: [{name: "a", image: "b"}]}}}
			+ $spec)}'
}
conditions='[.status.conditions[]? | "\(.type) \(.reason)"] | join(", ")'

job good "Succeeded after 1s" '{"completions":3,"parallelism":2}' | apply
job bad Failed '{"backoffLimit":2}' | apply
ok "a Job is complete" becomes jobs good "$conditions" \
	"SuccessCriteriaMet CompletionsReached, Complete CompletionsReached"
is "$(now jobs good '[.status.succeeded, .status.active, .status.ready]
	| tojson')" "[3,null,0]" "... with as many pods as wanted"
recorded pods
is "$(events pods 'select($o.metadata.ownerReferences[0].name == "good")
	| "\($o.metadata.uid) \(if .type == "DELETED"
	    or $o.status.phase == "Succeeded" then 0 else 1 end)"' |
	awk '{ run += $2 - runs[$1]; runs[$1] = $2 }
		run > most { most = run }
		END { print most }')" 2 "... two at a time"
ok "a Job whose pods fail is given up" becomes jobs bad "$conditions" \
	"FailureTarget BackoffLimitExceeded, Failed BackoffLimitExceeded"
is "$(now jobs bad .status.failed)" 3 "... after as many as allowed"

# --- the end

is "$(besides_work "$T/controllers.log" "$T/playground.log" | grep -v ' ready$')" "" \
	"no complaints"
done_testing
