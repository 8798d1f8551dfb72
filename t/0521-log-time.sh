#!/bin/bash
# --log-time and -v: each line of a log begins with the time; kpipe hands it on.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
time='20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z'
before=$(date -u +%FT%T)
runs 100 "a message" kwatch --once --log-time 'a b'
ok "... begins with the time" grep -qE "^$time kwatch: fatal: " "$T/err"
now=$(cut -c 1-19 "$T/err")
ok "... of now" test ! "$now" \< "$before"
ok "... and not later" test ! "$(date -u +%FT%T)" \< "$now"
runs 100 "without it" kwatch --once 'a b'
ok "... none" grep -q '^kwatch: fatal: ' "$T/err"
runs 100 "-v" kwatch --once -v 'a b'
ok "... with the time" grep -qE "^$time kwatch: fatal: " "$T/err"
runs 100 "in JSON" kwatch --once --log-time --log-format=json 'a b'
is "$(jq -c keys "$T/err")" '["level","logger","msg","ts"]' "... it is there as ever"

kapi_up
export KUBECONFIG=$T/kubeconfig
own_kubectl
kubectl apply -f pipeline/memcached/crd.yaml >"$T/out"
start kpipe -f pipeline/memcached/watches.yaml -n default --log-time \
	2>"$T/kpipe.err"
ok "an operator" wait_for 30 grep -q ' kpipe: ready$' "$T/kpipe.err"
kubectl apply -f pipeline/memcached/example.yaml >"$T/out"
ok "... writes" wait_for 30 grep -q ' kstatus: .*Ready False' "$T/kpipe.err"
is "$(grep -vE "^$time k(pipe|watch|apply|status): " "$T/kpipe.err")" "" \
	"... each line of each stage has a time"
done_testing
