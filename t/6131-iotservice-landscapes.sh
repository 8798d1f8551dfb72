#!/bin/bash
# IoTService: whatever options and variables an operator is started with, it
# leaves the instances of another landscape alone.
# servers: kapi real
# check-all: more of the pipelines
. "${0%/*}/lib.sh"
. "${0%/*}/iot.sh"

iot_cluster
iot_namespace dev
iot_namespace prod
iot_operator prod
iot_create prod example
ok "prod's instance is Available" wait_for 60 iot_is prod example Available
# Its own operator is away, so that nothing repairs what another one does.
iot_stop "$operator"

# other: everything of prod, with its versions
other() {
	kc get iotservice -n prod -o json |
		jq -S '.items[] | [.metadata, .status]'
	kc get namespace prod-example -o json |
		jq -S '[.metadata.uid, .metadata.deletionTimestamp]'
	kc get -n prod-example -o json \
		deployments,statefulsets,services,configmaps,secrets |
		jq -S '[.items[].metadata | {name, uid, deletionTimestamp,
			managedFields: [.managedFields[]? | .manager]}]'
}
other >"$T/before"
unharmed() {
	other >"$T/after"
	same "$T/after" "$T/before" "... prod's instance is as it was"
}

# refused WHAT MESSAGE COMMAND...
refused() {
	runs 100 "$1: exit 100" "${@:3}" --kubeconfig="$CLUSTER/user1.kubeconfig"
	ok "... and says why" grep -qF "$2" "$T/err"
	unharmed
}
beyond="$iot/watches.yaml:8: namespaces is [dev], and no option goes beyond it, but option"
export OPERATOR_NAME=dev
for tool in kpipe 'kwatch --once'; do
	# shellcheck disable=SC2086
	{
		refused "$tool --namespace=" "$beyond --namespace names all" \
			$tool -f "$iot/watches.yaml" --namespace=
		refused "$tool -A" "$beyond --all-namespaces names all" \
			$tool -f "$iot/watches.yaml" -A
		refused "$tool -n prod" "$beyond --namespace names \"prod\"" \
			$tool -f "$iot/watches.yaml" -n prod
		refused "$tool -n dev,prod" "$beyond --namespace names \"prod\"" \
			$tool -f "$iot/watches.yaml" -n dev,prod
	}
done
refused "kpipe -A with a variable" "$beyond --all-namespaces names all" \
	env WATCH_NAMESPACE= kpipe -f "$iot/watches.yaml" -A
refused "kpipe --dry-run -A" "$beyond --all-namespaces names all" \
	kpipe -f "$iot/watches.yaml" --dry-run -A
# A shadow has a ceiling of its own. (-n is not for iotservice's scope.)
for of in live shadow; do
	cp -R "$iot" "$T/$of"
	sed -i /requireScope/d "$T/$of/watches.yaml"
done
sed -i 's/^  namespaces:.*/  namespaces: [prod]/' "$T/shadow/watches.yaml"
refused "a shadow with another ceiling" \
	"$T/shadow/watches.yaml:8: namespaces is [prod], and no option goes beyond it" \
	kpipe -f "$T/live/watches.yaml" -n dev --shadow "$T/shadow/watches.yaml"
runs 100 "ireconcile -A" ireconcile -f "$iot/watches.yaml" -A </dev/null
ok "... and says why" grep -qF "$beyond --all-namespaces names all" "$T/err"
for name in ' ' 'dev, prod' 'Dev'; do
	runs 100 "OPERATOR_NAME is '$name'" env OPERATOR_NAME="$name" \
		kpipe -f "$iot/watches.yaml" \
		--kubeconfig="$CLUSTER/user1.kubeconfig"
done
unharmed

# ---- a stream of all namespaces, written by hand ----

# Everything that the operator reads, of every landscape: twice, the second time
# while prod's instance is being deleted with our finalizer.
everything() {
	sed 's/^  namespaces:.*/  namespaces: []/' "$iot/watches.yaml" \
		>"$T/live/watches.yaml"
	kwatch --once -f "$T/live/watches.yaml" --timestamps \
		--kubeconfig="$CLUSTER/user1.kubeconfig"
}
by_hand() {
	everything >"$T/all.jsonl"
	runs 0 "$1" ireconcile -f "$iot/watches.yaml" <"$T/all.jsonl"
	is "$(<"$T/out")" "" "... nothing is decided for prod's instance"
	is "$(grep -c 'iotservice.cp.iot.sap prod/[a-z]*: not served, as any other one outside of the namespaces \[dev\]' \
		"$T/err")" 1 "... the log names it, once"
}
iot_create prod second '.metadata.finalizers = null'
other >"$T/before"
by_hand "everything, by hand"
kc delete iotservice -n prod example --wait=false >/dev/null
by_hand "... and it is being deleted"
is "$(kc get iotservice -n prod example -o jsonpath='{.metadata.finalizers[0]}')" \
	com.sap.iotservices/namespace-dropper "its finalizer holds it"

# dev's operator serves dev.
iot_create dev example
iot_operator dev
ok "dev's instance is Available" wait_for 60 iot_is dev example Available
is "$(kc get iotservice -n prod example -o jsonpath='{.metadata.finalizers[0]}')" \
	com.sap.iotservices/namespace-dropper "prod's is left to its operator"
is "$(kc get iotservice -n prod second -o jsonpath='{.status}{.metadata.finalizers}')" \
	"" "... and so is the one that was never served"
iot_stop "$operator"
done_testing
