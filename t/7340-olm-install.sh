#!/bin/bash
# What the Operator Lifecycle Manager would make of each bundle (t/olm/objects
# says what that is), on the real server: the server accepts it, and the one
# account of the operator has the rights that all its stages need.
# servers: real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=makedeploy.sh
. "${0%/*}/makedeploy.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=deployed.sh
. "${0%/*}/deployed.sh"
cluster_start
make_deploy

# install OPERATOR NAMESPACE [TARGETS]
install_bundle() {
	t/olm/objects "$T/deploy/$1/bundle" "${@:2}" >"$T/objects.json" || return
	kubectl apply --server-side --validate=strict -f "$T/objects.json"
}

# begin OPERATOR NAMESPACE: it runs as installed; $operator is its pid
begin() {
	(
		trap - EXIT
		deployed "$1" "$2" kpipe 2>"$T/operator.log"
	) &
	operator=$!
	started+=("$operator")
}
# ends WHAT: without having been refused anything
ends() {
	kill -TERM "$operator"
	wait "$operator"
	is "$? $(grep -c forbidden "$T/operator.log")" "0 0" \
		"$1: it ends, and nothing was forbidden" ||
		quote <"$T/operator.log"
}
example() {
	wait_for 30 kubectl apply -n "$2" -f "pipeline/$1/example.yaml" \
		>/dev/null
}
has() {
	wait_for 60 kubectl get -n "$1" "${@:3}" >"$T/get.out" 2>&1
	tap $? "$2" || quote <"$T/operator.log"
}

for operator in "${operators[@]}"; do
	kubectl create namespace "$operator" >/dev/null
	runs 0 "$operator: the server accepts it" \
		install_bundle "$operator" "$operator" "$operator"
	ok "... also its namespace, its group" kubectl apply --server-side \
		-f "$T/deploy/$operator/bundle/install/namespace.yaml"
done

# --- the operator's own namespace
begin memcached memcached
example memcached memcached
has memcached "own namespace: it works" deployment/example
ends "own namespace"

# --- another one, and two
kubectl create namespace one >/dev/null
kubectl create namespace two >/dev/null
runs 0 "for two namespaces" install_bundle memcached memcached one,two
begin memcached memcached
example memcached one
example memcached two
has one "it works in one" deployment/example
has two "it works in the other one" deployment/example
ends "two namespaces"

# --- all
runs 0 "for all namespaces" install_bundle memcached memcached ""
begin memcached memcached
kubectl create namespace three >/dev/null
example memcached three
has three "it works in a new one" deployment/example
ends "all namespaces"

# --- IoTService: instances in its own namespace, and rights in all
begin iotservice iotservice
kubectl create secret docker-registry image-pull-secret -n iotservice \
	--docker-server=x --docker-username=x --docker-password=x >/dev/null
example iotservice iotservice
has iotservice-example "IoTService works" configmap/iotservice-example
ends IoTService

# --- why no stage has its own account: OLM makes objects first
kubectl apply -f - >/dev/null <<'YAML'
apiVersion: v1
kind: Secret
metadata:
  name: early
  annotations: {kubernetes.io/service-account.name: late}
type: kubernetes.io/service-account-token
YAML
wait_for 30 gone secret early
tap $? "a token that is there before its account is deleted"
done_testing
