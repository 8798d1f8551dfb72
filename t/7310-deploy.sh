#!/bin/bash
# make deploy and make undeploy: what they install, upgrade and remove, and what
# they leave alone.
# servers: real
TEST_SECONDS=3600
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start

mk() {
	make -s --no-print-directory "$@"
}

# said TEXT: standard error has it
said() {
	grep -qF -- "$1" "$T/err"
}

# all: every object that an installation could leave behind
all() {
	kubectl get namespaces,crds,clusterroles,clusterrolebindings -o name |
		sort
}
all >"$T/before"
image=registry.example.com/op:1

# --- what is missing
runs 2 "no such pipeline" mk deploy PIPELINE=none IMG=$image
ok "... is named" said "PIPELINE=NAME must be a folder"
runs 2 "an image that is not one" mk deploy PIPELINE=at IMG=No
ok "... is named" said '"No" is not an image'
runs 2 "a time that is not one" mk deploy PIPELINE=at IMG=$image WAIT=2m
ok "... is named" said 'WAIT is "2m"; it is a number of seconds'
runs 2 "no kubectl" mk deploy PIPELINE=at IMG=$image KUBECTL=nokubectl
ok "... is named" said "there is no nokubectl"
runs 2 "no cluster" mk deploy PIPELINE=at IMG=$image KUBECONFIG="$T/none"
ok "... is named" said "no cluster answers: "
runs 2 "... to remove it from" mk undeploy PIPELINE=at KUBECONFIG="$T/none"
ok "... is named" said "no cluster answers: "
runs 2 "no right" mk deploy PIPELINE=at IMG=$image \
	KUBECONFIG="$(config user1)"
ok "... is named" said "does not let you create and patch: ClusterRole"
is "$(all | diff "$T/before" -)" "" "nothing was changed"

# --- operators, and away
for name in iotservice memcached; do
	ns=$name-operator-system
	deployment=deployment/$name-operator-controller-manager
	runs 0 "$name: deploy" mk deploy PIPELINE="$name" IMG=$image
	is "$(<"$T/err")" "" "... without a word of warning"
	is "$(kubectl get "$deployment" -n "$ns" -o \
		'jsonpath={.spec.replicas} {.spec.template.spec.containers[*].image}')" \
		"2 $image" "... its Deployment"
	pods() {
		[ "$(kubectl get pods -n "$ns" -o name | wc -l)" = 2 ]
	}
	ok "... its Pods are admitted" wait_for 30 pods
	tokens() {
		[ "$(kubectl get secrets -n "$ns" -o \
			'jsonpath={.items[*].data.token}' | wc -w)" = 5 ]
	}
	ok "... each stage has a token" wait_for 30 tokens
	generation=$(kubectl get "$deployment" -n "$ns" \
		-o 'jsonpath={.metadata.generation}')
	runs 0 "... again" mk deploy PIPELINE="$name" IMG=$image
	is "$(kubectl get "$deployment" -n "$ns" \
		-o 'jsonpath={.metadata.generation}')" "$generation" \
		"... changes nothing"
	# What it has made when it runs.
	crd=$(kgen describe -f "pipeline/$name" | jq -r '.crds[0].spec
		| "\(.names.kind).\(.group)" | ascii_downcase')
	kubectl apply -n "$ns" -f - >/dev/null <<-END
		apiVersion: coordination.k8s.io/v1
		kind: Lease
		metadata: {name: $crd}
		---
		apiVersion: v1
		kind: Secret
		metadata: {name: kpipe-marks-$crd}
	END
	runs 2 "... WAIT=1, without a node" mk deploy PIPELINE="$name" \
		IMG=$image WAIT=1
	ok "... says that it does not run" said "it does not run after 1 s"
	runs 0 "... undeploy" mk undeploy PIPELINE="$name"
	is "$(<"$T/err")" "" "... without a word of warning"
	is "$(all | diff "$T/before" -)" "" "... leaves nothing"
done
runs 0 "... undeploy again" mk undeploy PIPELINE="$name"

# --- what users have made
ns=at-operator-system
mk deploy PIPELINE=at IMG=$image >/dev/null 2>&1
kubectl apply -n $ns -f pipeline/at/example.yaml >/dev/null
kubectl create configmap mine -n $ns >/dev/null
all >"$T/with"
runs 2 "undeploy with an object" mk undeploy PIPELINE=at
ok "... names it" said "	ats.at.example.com $ns example"
is "$(all | diff "$T/with" -)" "" "... and removes nothing"
ok "... not even the Deployment" kubectl get deployment -n $ns \
	at-operator-controller-manager
runs 2 "CONFIRM=maybe" mk undeploy PIPELINE=at CONFIRM=maybe
ok "... is refused" said 'CONFIRM is "maybe"'
runs 0 "CONFIRM=keep" mk undeploy PIPELINE=at CONFIRM=keep
ok "... keeps the object" kubectl get at example -n $ns
ok "... says so" grep -q "objects exist, so their CRD stays" "$T/out"
is "$(kubectl get deployments,serviceaccounts,roles -n $ns -o name |
	grep -v /default)" "" "... and removes the operator"

mk deploy PIPELINE=at IMG=registry.example.com/op:2 >/dev/null 2>&1
is "$(kubectl get deployment -n $ns at-operator-controller-manager -o \
	'jsonpath={.spec.template.spec.containers[0].image}')" \
	"registry.example.com/op:2" "deployed again, with another image"
runs 0 "CONFIRM=delete" mk undeploy PIPELINE=at CONFIRM=delete
ok "... deletes the object and its CRD" gone crd ats.at.example.com
ok "... but no other object" kubectl get configmap mine -n $ns
ok "... which is named" grep -q "	configmap/mine" "$T/out"
kubectl delete namespace $ns >/dev/null
is "$(all | diff "$T/before" -)" "" "no more is left"

# --- an object that nobody cleans up after
mk deploy PIPELINE=at IMG=$image >/dev/null 2>&1
kubectl apply -n $ns -f pipeline/at/example.yaml >/dev/null
kubectl patch at example -n $ns --type=merge \
	-p '{"metadata":{"finalizers":["at.example.com/pod"]}}' >/dev/null
runs 2 "CONFIRM=delete while no operator runs" mk undeploy PIPELINE=at \
	CONFIRM=delete TIMEOUT=1s
ok "... says what holds it" said "the operator drops their finalizers"
ok "... and leaves the operator" kubectl get deployment -n $ns \
	at-operator-controller-manager
kubectl patch at example -n $ns --type=merge \
	-p '{"metadata":{"finalizers":null}}' >/dev/null
wait_for 30 gone at example -n $ns
runs 0 "... until it is gone" mk undeploy PIPELINE=at

# --- objects that are in no namespace
kgen new fleet -o "$T/fleet" --group example.com --kind Fleet \
	--cluster-scoped >/dev/null 2>&1
runs 0 "a kind of the cluster" env IMG=$image deploy/deploy "$T/fleet"
kubectl apply -f "$T/fleet/example.yaml" >/dev/null
runs 1 "... undeploy with an object" deploy/undeploy "$T/fleet"
runs 0 "... CONFIRM=delete" env CONFIRM=delete deploy/undeploy "$T/fleet"
is "$(all | diff "$T/before" -)" "" "... leaves nothing"
# --- an image that cannot be pulled: a Pod of it has what a kubelet says
mk deploy PIPELINE=at IMG=$image >/dev/null 2>&1
kubectl apply -n $ns -f - >/dev/null <<END
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pulls",
  "labels": {"app.kubernetes.io/name": "at-operator"}},
 "spec": {"securityContext": {"runAsNonRoot": true, "runAsUser": 65532,
   "seccompProfile": {"type": "RuntimeDefault"}},
  "containers": [{"name": "kpipe", "image": "$image", "securityContext":
   {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}}}]}}
END
kubectl patch pod pulls -n $ns --subresource=status --type=merge -p '{"status":
	{"containerStatuses": [{"name": "kpipe", "image": "'$image'",
	"imageID": "", "ready": false, "restartCount": 0, "state": {"waiting":
	{"reason": "ImagePullBackOff", "message": "not found"}}}]}}' >/dev/null
runs 2 "an image that cannot be pulled" mk deploy PIPELINE=at IMG=$image WAIT=60
ok "... is named" said "the image $image cannot be pulled."
ok "... with the reason" said "	ImagePullBackOff: not found"
ok "... and what to do" said "Was it pushed, with this name and tag"
kubectl delete pod pulls -n $ns --grace-period=0 --force >/dev/null 2>&1
runs 0 "it is removed" mk undeploy PIPELINE=at

# --- two installations
for place in kube-one two; do
	runs 0 "in $place" mk deploy PIPELINE=memcached IMG=$image \
		NAMESPACE=$place SCOPE=cluster
done
kubectl apply -n two -f pipeline/memcached/example.yaml >/dev/null
runs 0 "one is removed" mk undeploy PIPELINE=memcached NAMESPACE=kube-one \
	SCOPE=cluster
ok "... but not a namespace of Kubernetes" kubectl get namespace kube-one
kubectl delete namespace kube-one >/dev/null
ok "... the other one has its rights" kubectl get \
	clusterrole/memcached-kapply clusterrolebinding/memcached-kapply.two
ok "... and its objects" kubectl get memcached example -n two
runs 0 "the other one" mk undeploy PIPELINE=memcached NAMESPACE=two \
	SCOPE=cluster CONFIRM=delete
is "$(all | diff "$T/before" -)" "" "nothing is left"

# --- what cannot be seen is not removed
cat >"$T/blind" <<'END'
#!/bin/bash
case " $* " in
*" $BLIND "*) echo "the server is away" >&2; exit 1 ;;
*) exec kubectl "$@" ;;
esac
END
chmod +x "$T/blind"
mk deploy PIPELINE=at IMG=$image >/dev/null 2>&1
kubectl apply -n $ns -f pipeline/at/example.yaml >/dev/null
kubectl get deployments,roles,secrets,ats -n $ns -o name >"$T/there"
for blind in deployments crd "ats.at.example.com -A"; do
	runs 2 "undeploy without $blind" env "BLIND=$blind" make -s \
		--no-print-directory undeploy PIPELINE=at KUBECTL="$T/blind"
	ok "... says so" said "cannot be seen whether there are ${blind%%.*}"
	is "$(kubectl get deployments,roles,secrets,ats -n $ns -o name |
		diff "$T/there" -)" "" "... and removes nothing"
done
kubectl delete at example -n $ns >/dev/null
runs 2 "undeploy without a list of kinds" env BLIND=api-resources make -s \
	--no-print-directory undeploy PIPELINE=at KUBECTL="$T/blind"
ok "... says so" said "the namespace $ns stays"
ok "... it does" kubectl get namespace $ns
# A CRD of others is removed between the two questions.
cat >"$T/late" <<'END'
#!/bin/bash
kubectl "$@" || exit
[ "$1" != api-resources ] || ! mkdir "$0.once" 2>/dev/null ||
	echo gones.gone.example.com
END
chmod +x "$T/late"
runs 0 "undeploy beside another one" mk undeploy PIPELINE=at KUBECTL="$T/late"
ok "... one kind was gone" [ -d "$T/late.once" ]
is "$(all | diff "$T/before" -)" "" "nothing is left"

# --- another scope, and a namespace that YAML takes for a number
runs 0 "all namespaces" mk deploy PIPELINE=memcached IMG=$image \
	NAMESPACE=123 SCOPE=cluster
runs 0 "only its own" mk deploy PIPELINE=memcached IMG=$image \
	NAMESPACE=123 SCOPE=namespace
is "$(kubectl get clusterrolebindings -o name | grep 'memcached.*\.123')" \
	clusterrolebinding.rbac.authorization.k8s.io/memcached-http.123 \
	"... has no rights in others any more"
ok "... but in that one" kubectl get rolebinding memcached-kapply -n 123
runs 0 "all again" mk deploy PIPELINE=memcached IMG=$image \
	NAMESPACE=123 SCOPE=cluster
runs 0 "undeploy needs no SCOPE" mk undeploy PIPELINE=memcached NAMESPACE=123
is "$(all | diff "$T/before" -)" "" "... and leaves nothing"
done_testing
