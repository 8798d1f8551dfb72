#!/bin/bash
# The CEL rules of the definitions in pipeline/: what they refuse, in which
# words, and what they let pass. kapi evaluates none.
# servers: real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
cluster_start

for name in at cronjob iotservice; do
	kubectl apply -f "pipeline/$name/crd.yaml" >/dev/null
	# It fails on a CRD that has no conditions yet.
	wait_for 20 kubectl wait --for=condition=Established \
		-f "pipeline/$name/crd.yaml"
	ok "$name: its example is accepted" \
		kubectl create -f "pipeline/$name/example.yaml"
done

# change RESOURCE MERGE-PATCH [KUBECTL-ARGUMENT...]: of the example
change() {
	kubectl patch "$1" example --type=merge -p "$2" "${@:3}"
}
# refused WHAT MESSAGE ARGUMENT...: as change has them
refused() {
	runs 1 "$1" change "${@:3}"
	is "$(sed 's/.* is invalid: //' "$T/err")" "$2" "... is refused so"
}
status() {
	change "$1" "{\"status\": $2}" --subresource=status
}

# ---- at ----

ok "at: DONE" status at \
	'{"phase": "DONE", "startTime": "2028-02-29T12:00:00Z"}'
ok "... again, with more" status at '{"phase": "DONE", "observedGeneration": 1}'
refused "DONE is final" "status: Invalid value: DONE is final" \
	at '{"status": {"phase": "PENDING"}}' --subresource=status
refused "... for no phase, too" "status: Invalid value: DONE is final" \
	at '{"status": {"phase": null}}' --subresource=status
for time in null '"2028-02-29T12:00:01Z"'; do
	refused "startTime becomes $time" \
		"status: Invalid value: startTime is final" \
		at "{\"status\": {\"startTime\": $time}}" --subresource=status
done

# ---- cronjob ----

cronjobs=cronjobs.batch.tutorial.kubebuilder.io
last() {
	status "$cronjobs" "{\"lastScheduleTime\": $1}"
}
ok "cronjob: a time" last '"2026-01-02T00:00:00Z"'
ok "... a later one" last '"2026-01-03T00:00:00Z"'
for time in null '"2026-01-02T00:00:00Z"'; do
	refused "lastScheduleTime becomes $time" \
		"status: Invalid value: lastScheduleTime does not go back" \
		"$cronjobs" "{\"status\": {\"lastScheduleTime\": $time}}" \
		--subresource=status
done

# ---- iotservice ----

refused "iotservice: a claim's size" \
	"spec: Invalid value: mms.persistent_volume_claim_size cannot change; unset it is 10Gi" \
	iot '{"spec": {"mms": {"persistent_volume_claim_size": "11Gi"}}}'
refused "... and that of the other" \
	"spec: Invalid value: gateway.mqtt.persistent_volume_claim_size cannot change; unset it is 20Gi" \
	iot '{"spec": {"gateway": {"mqtt": {"persistent_volume_claim_size": "21Gi"}}}}'
ok "... may be spelled another way" change iot \
	'{"spec": {"mms": {"persistent_volume_claim_size": "10240Mi"}}}'
# sized SIZE: another example, whose claims have it
sized() {
	sed "s/name: example\$/name: sized/
		s/\\(persistent_volume_claim_size\\): null/\\1: $1/" \
		pipeline/iotservice/example.yaml | kubectl create -f -
}
for size in 0Gi large; do
	runs 1 "claims of $size" sized "$size"
	ok "... are refused so" \
		grep -qF "must be a size above zero, like 10Gi" "$T/err"
done
refused "ports of a component that are the same" \
	"spec.haproxy: Invalid value: the ports must differ" \
	iot '{"spec": {"haproxy": {"container_port_http": "81", "container_port_https": "81"}}}'
done_testing
