#!/bin/bash
# The experimental operator on an API server, with the rights of its
# rbac.yaml and no others: in all namespaces, then in one.
# servers: kapi real
# check-all: more of the pipelines
. "${0%/*}/lib.sh"
. "${0%/*}/operator.sh"

group=experiments.vapourware.com
experimentals=/apis/$group/v1alpha1/namespaces
operator_cluster experimental
ok "the rights for all namespaces" operator_rights cluster
export WATCH_NAMESPACE=
operator

# experimental NAME SPEC [NAMESPACE]
experimental() {
	jq -cn --arg name "$1" --argjson spec "$2" --arg ns "${3:-default}" \
		--arg version "$group/v1alpha1" '{apiVersion: $version,
		kind: "Experimental", metadata: {name: $name, namespace: $ns},
		spec: $spec}'
}
object() {
	api "$experimentals/${2:-default}/experimentals/$1"
}
# size NAME N
size() {
	kubectl patch experimental "$1" --type=merge \
		-p "{\"spec\":{\"numberOfReplicas\":$2}}" >/dev/null
}
# pods NAME: all of its pods, in one line
pods() {
	api "/api/v1/namespaces/default/pods?labelSelector=app%3D$1" |
		jq -r '[.items[].metadata.name] | sort | join(" ")'
}
# none_ends: no pod is on its way out but the one that hangs. One that is, takes
# its index, and its deletion may be asked for once more.
hangs=
none_ends() {
	api /api/v1/namespaces/default/pods | jq -e --arg hangs "$hangs" \
		'all(.items[].metadata; .deletionTimestamp == null or .name == $hangs)'
}
# settled NAME POD...: it is Ready, its status names exactly these, and none ends
settled() {
	local name=$1

	shift
	none_ends && is_ready "$experimentals/default/experimentals/$name" &&
		[ "$(object "$name" | jq -r '.status | "\(.numberOfReplicas) "
		+ (.podNames | join(" "))')" = "$# $*" ]
}
# becomes NAME WHAT INDEX...
becomes() {
	local name=$1 what=$2

	shift 2
	ok "$what" wait_for 30 settled "$name" "${@/#/$name-}"
}
# writes: the pods that the operator created and deleted since audit_mark,
# sorted by name. A line may request something again before it is observed: that
# changes nothing, as it is the same apply, or a deletion under way.
writes() {
	audit_writes user1 | sed 's, default/, ,' | awk '$3 == "pods" &&
		($2 == "patch" ? $5 == 201 : $5 == 200 && !seen[$4]++) {
			print $2, $4, $5
		}' | sort
}

# ---- from nothing to Ready ----

kubectl apply -f "$folder/example.yaml" >/dev/null
ok "the example is there for kubectl wait" kubectl wait --timeout=240s \
	--for=condition=Ready experimental/example
becomes example "... with its pods" 0 1 2
uid=$(kubectl get experimental example -o jsonpath='{.metadata.uid}')
is "$(api /api/v1/namespaces/default/pods/example-0 | jq -c '[
	.metadata.ownerReferences, .metadata.labels,
	(.spec.containers | map([.name, .image, .command]))]')" \
	"$(jq -cn --arg uid "$uid" --arg version "$group/v1alpha1" '[[{
	apiVersion: $version, kind: "Experimental", name: "example", uid: $uid,
	controller: true}], {app: "example", version: "v0.1"},
	[["busybox", "busybox", ["sleep", "3600"]]]]')" \
	"a pod: owner, labels, container"
is "$(kubectl get experimental example --no-headers | awk '{print $1, $2, $3, $4}')" \
	"example 3 3 True" "what kubectl get shows"
is "$(object example | jq -c '.status | [keys, .persistentVolumesUsed]')" \
	'[["conditions","numberOfReplicas","observedGeneration","persistentVolumesUsed","podNames","reported"],[]]' \
	"the status"

# ---- up and down: what is needed, and nothing else ----

size example 0
becomes example "none"
audit_mark
size example 5
becomes example "five" 0 1 2 3 4
is "$(writes)" "patch example-0 201
patch example-1 201
patch example-2 201
patch example-3 201
patch example-4 201" "... five creations"
audit_mark
size example 2
becomes example "two" 0 1
is "$(writes)" "delete example-2 200
delete example-3 200
delete example-4 200" "... three deletions"
audit_mark
size example 4
becomes example "four" 0 1 2 3
is "$(writes)" "patch example-2 201
patch example-3 201" "... two creations"
size example 0
size example 5
size example 2
size example 4
# Which indices they have depends on how far their ends were seen.
four() {
	none_ends && is_ready "$experimentals/default/experimentals/example" &&
		[ "$(object example | jq -c '.status
			| [.numberOfReplicas, (.podNames | length)]')" = "[4,4]" ] &&
		[ "$(pods example | wc -w)" -eq 4 ]
}
ok "changed four times at once: four" wait_for 30 four
size example 0
becomes example "none"
size example 4
becomes example "four, the lowest" 0 1 2 3

# ---- pods that end, and that hang ----

# Its end is two events. After the first one alone the operator takes the next
# index.
audit_mark
kubectl delete pod example-1 >/dev/null
replaced() {
	settled example example-0 example-1 example-2 example-3 ||
		settled example example-0 example-2 example-3 example-4
}
ok "a pod deleted: replaced" wait_for 30 replaced
is "$(writes | sed 's/[14] 201/N 201/')" "patch example-N 201" "... by one"
size example 0
becomes example "none"
size example 4
becomes example "four again" 0 1 2 3
for phase in Failed Succeeded; do
	audit_mark
	kubectl patch pod example-2 --subresource=status --type=merge \
		-p "{\"status\":{\"phase\":\"$phase\"}}" >/dev/null
	becomes example "a pod that has $phase: replaced" 0 1 3 4
	is "$(writes)" "delete example-2 200
patch example-4 201" "... and taken away"
	size example 3
	becomes example "... down: the youngest goes" 0 1 3
	size example 4
	becomes example "... up: the lowest free index" 0 1 2 3
done
kubectl patch pod example-3 -p '{"metadata":{"finalizers":["example.com/hangs"]}}' \
	>/dev/null
audit_mark
hangs=example-3
kubectl delete pod example-3 --wait=false >/dev/null
becomes example "a pod that is terminating: replaced under another name" 0 1 2 4
is "$(pods example)" "example-0 example-1 example-2 example-3 example-4" \
	"... while it hangs"
is "$(object example | jq -c '.status.numberOfReplicas')" 4 "... and does not count"
size example 2
becomes example "scaling while it hangs: down" 0 1
size example 3
becomes example "... and up" 0 1 2
kubectl patch pod example-3 -p '{"metadata":{"finalizers":null}}' >/dev/null
three() {
	[ "$(pods example)" = "example-0 example-1 example-2" ]
}
ok "it is gone" wait_for 20 three
is "$(writes)" "delete example-2 200
delete example-4 200
patch example-2 201
patch example-4 201" "... and nothing was made or taken for nothing"

# ---- which pod is deleted first ----

# A container of example-0, the oldest pod, crashes: it is not ready.
kubectl annotate pod example-0 playground.kpipe.dev/outcome=Failed >/dev/null
not_ready() {
	[ "$(object example | jq -r '.status.conditions[0].status')" = False ]
}
ok "a pod that is not ready: neither is the Experimental" wait_for 20 not_ready
is "$(object example | jq -r .status.numberOfReplicas)" 3 "... the pod counts"
size example 2
becomes example "... down: it goes first" 1 2

# ---- drift ----

kubectl set image pod/example-1 busybox=other >/dev/null
image_back() {
	[ "$(api /api/v1/namespaces/default/pods/example-1 |
		jq -r '.spec.containers[0].image')" = busybox ]
}
ok "the image changed by hand: repaired" wait_for 20 image_back
kubectl label pod example-1 app- >/dev/null
labelled() {
	[ "$(pods example)" = "example-1 example-2" ]
}
ok "a label taken away: repaired" wait_for 20 labelled

# ---- a pod of that name that is not ours ----

kubectl run taken-0 --image=x >/dev/null
experimental taken '{"number_of_replicas": 2, "is_public": true}' |
	kubectl apply -f - >/dev/null
becomes taken "a name that is taken: the next one; and the other spelling" 1 2
is "$(api /api/v1/namespaces/default/pods/taken-0 |
	jq -c '[.spec.containers[0].image, .metadata.ownerReferences]')" \
	'["x",null]' "... and that pod is untouched"
kubectl label pod taken-1 version- >/dev/null
kubectl patch pod taken-1 --type=json -p \
	'[{"op": "remove", "path": "/metadata/ownerReferences"}]' >/dev/null
becomes taken "a pod that is not ours any more: replaced" 2 3

# ---- the report ----

# told NAME EVENT...: these and no others, each once
told() {
	[ "$(api /api/v1/namespaces/default/events | jq -r --arg name "$1" '
		.items[] | select(.involvedObject.name == $name
			and .type == "Normal")
		| "\(.count // 1) \(.reason): \(.message)"' | sort)" = \
		"$(printf '1 %s\n' "${@:2}" | sort)" ]
}
experimental plain '{"is_public": true}' | kubectl apply -f - >/dev/null
becomes plain "no number at all: one pod" 0
created='Created: isPublic is true, numberOfReplicas is 1'
ok "... an Event tells how it was created" wait_for 20 told plain "$created"
kubectl patch experimental plain --type=merge \
	-p '{"spec":{"is_public":null,"number_of_replicas":2}}' >/dev/null
becomes plain "changed, in the other spelling" 0 1
ok "... an Event tells what has changed" wait_for 20 told plain "$created" \
	'Changed: isPublic from true to not given, numberOfReplicas from 1 to 2'
is "$(kubectl get experimental plain taken --no-headers | awk '{print $1, $2, $3, $4}')" \
	"plain 2 2 True
taken 2 2 True" "kubectl get shows the wanted number in either spelling"

# ---- volumes ----

# A pod with our owner reference that was created while no operator ran: the
# operator creates none with a volume.
operator_stop
kubectl apply -f - >/dev/null <<'END'
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
  volumeName: pv-7
END
experimental stored '{"numberOfReplicas": 1}' | kubectl apply -f - >/dev/null
object stored | jq '{apiVersion: "v1", kind: "Pod", metadata: {name: "stored-0",
	labels: {app: "stored", version: "v0.1"}, ownerReferences: [{
	apiVersion, kind, name: .metadata.name, uid: .metadata.uid,
	controller: true}]}, spec: {containers: [{name: "busybox",
	image: "busybox", command: ["sleep", "3600"]}], volumes: [{name: "v",
	persistentVolumeClaim: {claimName: "data"}}]}}' |
	kubectl create -f - >/dev/null
operator
becomes stored "a pod that is ours: it counts" 0
uses_volume() {
	[ "$(object stored | jq -c .status.persistentVolumesUsed)" = '["pv-7"]' ]
}
ok "the volume that its pod's claim is bound to" wait_for 20 uses_volume

# ---- refused by the API server, or by the program ----

refused() {
	kubectl apply -f - 2>"$T/refused" >/dev/null && return 1
	grep -qF "$1" "$T/refused" && return
	quote <"$T/refused"
	return 1
}
ok "a negative number" refused 'should be greater than or equal to 0' \
	< <(experimental bad '{"numberOfReplicas": -1}')
ok "... in the other spelling" refused 'should be greater than or equal to 0' \
	< <(experimental bad '{"number_of_replicas": -1}')
ok "a number that is text" refused 'must be of type integer' \
	< <(experimental bad '{"numberOfReplicas": "3"}')
ok "isPublic that is text" refused 'must be of type boolean' \
	< <(experimental bad '{"numberOfReplicas": 3, "isPublic": "yes"}')
ok "a name that is too long for a label" refused 'may not be' \
	< <(experimental "$(printf 'a%.0s' {1..64})" '{"numberOfReplicas": 1}')
kubectl patch experimental taken --type=merge \
	-p '{"spec":{"numberOfReplicas":5}}' >/dev/null
two_numbers='numberOfReplicas is 5 and number_of_replicas is 2: only one may be given'
says() {
	[ "$(object taken | jq -r '.status.conditions[0]
		| "\(.status) \(.reason) \(.message)"')" = "False Failed $two_numbers" ]
}
ok "both spellings, different: the condition says so" wait_for 20 says
is "$(object taken | jq -c .status.podNames)" '["taken-2","taken-3"]' \
	"... and the pods stay"
kubectl patch experimental taken --type=merge \
	-p '{"spec":{"number_of_replicas":null}}' >/dev/null
becomes taken "one of them taken away: goes on" 2 3 4 5 6

# ---- kill -9 of each stage, while the number changes ----

n=4
complaints >"$T/said"
for victim in kwatch ireconcile kapply kstatus kapply ireconcile; do
	n=$((7 - n))
	size example "$n"
	strike "$victim"
	indices=(1 2 0 3)
	mapfile -t indices < <(printf '%s\n' "${indices[@]:0:n}" | sort)
	becomes example "$victim killed: $n all the same" "${indices[@]}"
	# A new kpipe has no back-off because of earlier crashes.
	operator_stop
	mv "$T/operator.log" "$T/struck.log"
	operator
done

# ---- 50 at once ----

audit_mark
for i in $(seq 50); do
	experimental "many-$i" '{"numberOfReplicas": 2}'
done | kubectl apply -f - >/dev/null
all_ready() {
	[ "$(api "$experimentals/default/experimentals" | jq '[.items[]
		| select(.metadata.name | startswith("many-"))
		| select(any(.status.conditions[]?; .status == "True"))
		| select(.status.numberOfReplicas == 2)] | length')" = 50 ]
}
ok "50 at once: all Ready, two pods each" wait_for 60 all_ready
is "$(audit_created user1 | awk '$1 > 1')" "" "... nothing created twice"
is "$(writes | grep -c '^patch many-.*201')" 100 "... 100 pods created"
is "$(writes | grep -v '^patch many-.*201')" "" "... and nothing else"
silent 3 "converged: no write in 3 s"

# ---- deletion ----

audit_mark
kubectl delete experimental example >/dev/null
is "$(audit 'select(.user.username == "user1" and .responseStatus.code == 403)
	| tostring')" "" "the rights are enough"
ok "the operator ends with 0" operator_stop
is "$(cat "$T/said"; complaints)" \
	"ireconcile: error: experimental.$group default/taken: $two_numbers" \
	"no other complaints"

# ---- one namespace, with the Role there ----

no_rights cluster
kubectl create namespace ops >/dev/null
kubectl create namespace other >/dev/null
ok "the rights in one namespace" operator_rights namespace ops
for namespace in ops other; do
	experimental one '{"numberOfReplicas": 2}' $namespace |
		kubectl apply -f - >/dev/null
done
rm "$T/operator.log"
export WATCH_NAMESPACE=ops EXPERIMENTAL_IMAGE=box:9
operator
ok "WATCH_NAMESPACE=ops: the one there is Ready" wait_for 30 \
	is_ready "$experimentals/ops/experimentals/one"
is "$(kubectl get pods -A -o json | jq -r '.items[]
	| select(.metadata.labels.app == "one") | [.metadata.namespace,
	.spec.containers[0].image] | join(" ")')" "ops box:9
ops box:9" "... with the image of EXPERIMENTAL_IMAGE; and none in another namespace"
is "$(object one other | jq -c .status)" null "... nor a status"
ok "the operator ends with 0" operator_stop
experimental_is() {
	kubectl get experimental -n ops "$1" >/dev/null 2>&1 ||
		experimental "$1" '{"numberOfReplicas": 1}' ops |
		kubectl apply -f - >/dev/null
	is_ready "$experimentals/ops/experimentals/$1"
}
operator_leads ops "an Experimental is Ready" experimental_is
is "$(audit 'select(.user.username == "user1" and .responseStatus.code == 403)
	| tostring')" "" "the rights are enough"
is "$(complaints)" "" "no complaints"

# The collector of the real control plane looks for new kinds every 30 s.
none_left() {
	[ -z "$(pods example)" ]
}
ok "the one deleted before: its pods went with it" wait_for 40 none_left
is "$(writes | grep example-)" "" "... and the operator had nothing to do for that"
done_testing
