#!/bin/bash
# The memcached operator, and a server that goes back: etcd is restored from a
# backup while the operator runs.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=operator.sh
. "${0%/*}/operator.sh"

memcacheds=/apis/cache.example.com/v1alpha1/namespaces/default/memcacheds
deployments=/apis/apps/v1/namespaces/default/deployments
operator_cluster memcached
operator_rights cluster
export WATCH_NAMESPACE=
operator

memcached() {
	kubectl apply -f - >/dev/null <<-END
		{"apiVersion":"cache.example.com/v1alpha1","kind":"Memcached",
		"metadata":{"name":"$1","namespace":"default"},"spec":{"size":$2}}
	END
}
replicas_are() {
	[ "$(api "$deployments/$1" | jq .spec.replicas)" = "$2" ]
}
size() {
	api "$memcacheds/$1" | jq .spec.size
}

memcached a 3
memcached b 1
ok "two instances" wait_for 60 replicas_are a 3
wait_for 60 replicas_are b 1
server_save "$T/backup"
ok "the operator goes on after a restart without a loss" eval '
	memcached b 2; wait_for 90 replicas_are b 2'
is "$(grep "gone back" "$T/operator.log")" "" "... and does not say that it went back"
# More writes than the restored server has by the time kwatch asks: its versions
# must not have passed those that kwatch saw, which are of what comes then.
for i in {1..400}; do
	echo "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"other-$i\",\"namespace\":\"default\"}}"
done | kapply 2>"$T/err" || quote <"$T/err"
memcached a 9
memcached lost 1
wait_for 60 replicas_are a 9
wait_for 60 replicas_are lost 1

server_restore "$T/backup"
ok "kwatch notices that the server went back" wait_for 90 grep -q \
	"the server has gone back.*: listing all again" "$T/operator.log"
is "$(size a)" 3 "the primary is as it was"
kubectl scale deployment a --replicas=5 >/dev/null
ok "drift is repaired to what the server says now" wait_for 60 replicas_are a 3
memcached b 6
ok "a change is seen" wait_for 60 replicas_are b 6
ok "what was created after the backup does not come back" \
	api_gone "$deployments/lost"
is "$(size a)$(api "$deployments/a" | jq .spec.replicas)" 33 \
	"nothing of the lost time was written"
kill -TERM "$operator"
done_testing
