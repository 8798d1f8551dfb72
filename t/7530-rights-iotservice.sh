#!/bin/bash
# The rights that kgen gives the IoTService operator: with all of them nothing is
# refused, and each is used; without one, a tool names it. (Of kinds alike only
# one is tried; those of kelect and kpipe-http are tried with memcached.)
# servers: kapi real
# check-all: more of the pipelines
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=rights.sh
. "${0%/*}/rights.sh"

# rights_prepare NAMESPACE
rights_prepare() {
	kubectl create secret docker-registry image-pull-secret -n "$1" \
		--docker-server=registry.example.com --docker-username=u \
		--docker-password=p >/dev/null
}
rights_cluster iotservice
rights_sweep '(.stage == "kstatus")
	or (.stage == "kwatch" and (.rule.resources[0]
	| . == "iotservices" or . == "secrets" or . == "networkpolicies"))
	or (.stage == "kapply" and (.rule.resources[0]
	| . == "iotservices" or . == "namespaces" or . == "statefulsets"))'

done_testing
