#!/bin/bash
# kpipe --metrics-secure on an API server: ServiceAccounts with and without
# the right to read the metrics, and a Prometheus that has it.
# servers: kapi real
# check-all: needs prometheus
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=http.sh
. "${0%/*}/http.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=prometheus.sh
. "${0%/*}/prometheus.sh"
prometheus_needed
export KAPI_OPTIONS=--authorization-mode=RBAC
# shellcheck disable=SC2119
cluster_start

scheme=https
# scrape TOKEN: status, and the first line of the answer
scrape() {
	get /metrics -k -H "Authorization: Bearer $1" | head -n 1
	cut -d' ' -f1 "$T/http.code"
}
# scraped TOKEN CODE
scraped() {
	[ "$(scrape "$1" | tail -n 1)" = "$2" ]
}

# The roles of doc/monitoring.md, unchanged.
sed -n '/^## Who may read/,/^## Events/p' doc/monitoring.md |
	sed -n '/^```yaml/,/^```/p' | grep -v '^```' >"$T/roles.yaml"
kubectl create namespace monitoring >/dev/null
for account in prometheus stranger; do
	kubectl create serviceaccount "$account" -n monitoring >/dev/null
done
reader=$(kubectl create token prometheus -n monitoring)
stranger=$(kubectl create token stranger -n monitoring)

# ---- kpipe-http, which may not send reviews yet ----

http_up --metrics-bind-address 127.0.0.1:0 --metrics-secure \
	--kubeconfig "$(config user1)"
is "$(scrape "$reader")" "Authentication failed
500" "the operator may not ask"
ok "... and says what it lacks" grep -q 'TokenReview: tokenreviews.authentication.k8s.io is forbidden: User "user1" cannot create' \
	"$T/http.err" || quote <"$T/http.err"
ok "the roles of doc/monitoring.md" kubectl apply -f "$T/roles.yaml"
kubectl create clusterrolebinding metrics-auth --clusterrole=metrics-auth \
	--user=user1 >/dev/null
kubectl create clusterrolebinding metrics-reader \
	--clusterrole=metrics-reader \
	--serviceaccount=monitoring:prometheus >/dev/null
ok "... let it ask" wait_for 20 scraped "$reader" 200
is "$(scrape "$stranger")" "Authorization denied for user system:serviceaccount:monitoring:stranger
403" "an account without the right"
is "$(scrape "$reader.x")" "Unauthorized
401" "an invalid token"
is "$(scrape "$(kubectl create token prometheus -n monitoring \
	--audience=elsewhere)")" "Unauthorized
401" "a token for another audience"
audit_mark
is "$(scrape "$stranger" | tail -n 1) $(scrape "$reader" | tail -n 1)" \
	"403 200" "... once more"
is "$(audit_writes user1)" "" "... from memory"
http_down 0 "it ends"

# ---- a pipeline ----

kubectl apply -f pipeline/memcached/crd.yaml >/dev/null
start kpipe -f pipeline/memcached/watches.yaml -n default \
	--metrics-bind-address 127.0.0.1:0 --metrics-secure \
	--health-probe-bind-address 127.0.0.1:0 \
	--view-bind-address 0.0.0.0:0 2>"$T/http.err"
kpipe=$!
wait_for 20 grep -q 'probes.* at' "$T/http.err"
probes=$(sed -n 's/.*probes.* at //p' "$T/http.err")
metrics=$(sed -n 's/.*metrics at //p' "$T/http.err")
is_ready() {
	[ "$(scheme=http get /readyz)" = ok ]
}
ok "a pipeline is ready" wait_for 20 is_ready ||
	note "$(scheme=http get /readyz)"

# The page, for who has the role of doc/operating.md.
wait_for 20 grep -q 'the page is at' "$T/http.err"
page=$(sed -n 's/.*the page is at //p' "$T/http.err")
# looks TOKEN CODE: as a browser sends it
looks() {
	[ "$(curl -sk -m 20 -o "$T/page" -w '%{http_code}' -u "any:$1" \
		"${page/0.0.0.0/127.0.0.1}")" = "$2" ]
}
sed -n '/^## A page, live/,$p' doc/operating.md |
	sed -n '/^```yaml/,/^```/p' | grep -v '^```' | kubectl apply -f - >/dev/null
kubectl create clusterrolebinding viewer --clusterrole=view-reader \
	--serviceaccount=monitoring:prometheus >/dev/null
ok "the page, for who has the right to get /view" wait_for 20 looks "$reader" 200
ok "... it is the page" grep -q '^{"live":true}$' "$T/page"
ok "... not for an account without it" looks "$stranger" 403

printf '%s' "$reader" >"$T/reader"
printf '%s' "$stranger" >"$T/stranger"
for job in reader stranger; do
	cat <<END
- job_name: $job
  scheme: https
  tls_config: {insecure_skip_verify: true}
  authorization: {credentials_file: $T/$job}
  static_configs: [{targets: ["$metrics"]}]
END
done >"$T/jobs"
{
	echo 'global: {scrape_interval: 1s, scrape_timeout: 1s}'
	echo 'scrape_configs:'
	cat "$T/jobs"
} >"$T/prometheus.yml"
prometheus_up
kubectl apply -n default -f pipeline/memcached/example.yaml >/dev/null
ok "Prometheus scrapes it with its token" wait_for 30 says 'up{job="reader"}' 1
ok "... and sees the Deployment that was made" wait_for 30 says \
	'kpipe_applied_total{job="reader",result="created"}' 1
ok "... by an operator that is ready" wait_for 10 says \
	'kpipe_ready{job="reader"}' 1
# A scrape that takes longer than a second leaves no value.
ok "... without errors" wait_for 10 says \
	'sum(controller_runtime_reconcile_errors_total{job="reader"})' 0
ok "... another one gets nothing" wait_for 10 says 'up{job="stranger"}' 0
prometheus_down
kill "$kpipe"
wait "$kpipe"
is "$?" 0 "kpipe ends"
is "$(grep -cF -e "$reader" -e "$stranger" "$T/http.err")" 0 \
	"no token in the log"

done_testing
