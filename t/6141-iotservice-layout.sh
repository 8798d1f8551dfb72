#!/bin/bash
# IoTService: an instance that the first operator keeps in the IoTService's own
# namespace is not started a second time.
# servers: kapi real
# check-all: more of the pipelines
. "${0%/*}/lib.sh"
. "${0%/*}/iot.sh"

iot_cluster
iot_namespace dev
# What that operator left of the instance "old": here the volume of its broker.
kc apply -f - >/dev/null <<'END'
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: messaging-volume-messaging-old-0
  namespace: dev
  labels: {instance: old, component: messaging}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
END
kc get pvc -n dev messaging-volume-messaging-old-0 -o 'jsonpath={.metadata.uid}' \
	>"$T/uid"
iot_create dev old
iot_create dev new
for label in '' instance; do
	export IOTSERVICE_ADOPT_LABEL=$label
	iot_operator dev
	ok "adopt \"$label\": another instance is Available" \
		wait_for 60 iot_is dev new Available
	ok "... the one that is there is Failed" wait_for 30 iot_is dev old Failed
	is "$(kc get iotservice -n dev old -o 'jsonpath={.status.reason}')" \
		"objects with instance=old exist in dev, the claim messaging-volume-messaging-old-0 for one: the instance is there already, and is not started a second time with empty volumes. Move its data, then delete them there" \
		"... and says what is there, and what to do"
	is "$(kc get namespace dev-old --ignore-not-found -o name)" "" \
		"... nothing is created"
	iot_stop "$operator"
done
same <(kc get pvc -n dev messaging-volume-messaging-old-0 \
	-o 'jsonpath={.metadata.uid}') "$T/uid" "its volume is left alone"

iot_operator dev
kc patch pvc -n dev messaging-volume-messaging-old-0 --type=merge \
	-p '{"metadata":{"finalizers":null}}' >/dev/null
kc delete pvc -n dev messaging-volume-messaging-old-0 --wait=false >/dev/null
ok "when it is moved away the instance starts" \
	wait_for 60 iot_is dev old Available
iot_stop "$operator"
done_testing
