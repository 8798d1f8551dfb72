#!/bin/bash
# An operator, each of whose stages has its own
# ServiceAccount with the role from rbac.yaml: it works; no stage can do the
# work of another, or knows its token.
# servers: kapi real
# check-all: the real kubectl
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
KAPI_OPTIONS=--authorization-mode=RBAC
cluster_start
[ "$SERVER" = real ] || kapi_kubectl

account=system:serviceaccount:ops:memcached
stages=(kwatch kapply kstatus kelect http)
kubectl create namespace ops >/dev/null
kubectl apply -f pipeline/memcached/crd.yaml >/dev/null
rbac() {
	kubectl apply -n ops -f pipeline/memcached/rbac.yaml \
		-l "kpipe.dev/scope=$1" >/dev/null
}
for part in accounts cluster leader metrics; do
	ok "rbac.yaml: $part" rbac $part
done
for stage in kwatch kapply kstatus http; do
	kubectl create clusterrolebinding "memcached-$stage" \
		"--clusterrole=memcached-$stage" \
		"--serviceaccount=ops:memcached-$stage" >/dev/null
done
kubectl create rolebinding memcached-kelect -n ops --role=memcached-kelect \
	--serviceaccount=ops:memcached-kelect >/dev/null
for stage in "${stages[@]}"; do
	kubectl create token "memcached-$stage" -n ops | tr -d '\n' \
		>"$T/$stage.token"
done
kubectl create serviceaccount reader -n ops >/dev/null
kubectl create clusterrole reader --verb=get --non-resource-url=/metrics \
	>/dev/null
kubectl create clusterrolebinding reader --clusterrole=reader \
	--serviceaccount=ops:reader >/dev/null
wait_for 20 kubectl get memcacheds -A
wait_for 20 has_right "$account-http" create tokenreviews
wait_for 20 has_right "$account-kelect" create leases -n ops

# --- the whole operator
operator() {
	exec env -u KUBECONFIG HOME="$T" kpipe -f pipeline/memcached/watches.yaml \
		--server "$CLUSTER_SERVER" \
		--certificate-authority "$CLUSTER/certificates/apiserver.crt" \
		--kwatch-token-file "$T/kwatch.token" \
		--kapply-token-file "$T/kapply.token" \
		--kstatus-token-file "$T/kstatus.token" \
		--kelect-token-file "$T/kelect.token" \
		--http-token-file "$T/http.token" \
		--leader-elect --leader-election-namespace=ops \
		--metrics-bind-address=127.0.0.1:0 --metrics-secure \
		--report-fd=9 9>"$T/ready" 2>"$T/kpipe.err"
}
audit_mark
start operator
kpipe=$!
ok "it is ready" wait_for 30 test -s "$T/ready" || quote <"$T/kpipe.err"
kubectl apply -f pipeline/memcached/example.yaml >/dev/null
name=$(kubectl get memcacheds -A -o 'jsonpath={.items[0].metadata.name}')
wait_for 30 kubectl get deployment "$name"
ok "kwatch sees, kapply writes" kubectl get deployment "$name"
kubectl run node -l "app=memcached,memcached_cr=$name" --image=x >/dev/null
has_status() {
	kubectl get memcached "$name" -o 'jsonpath={.status.nodes}' |
		grep -qw node
}
ok "kstatus writes the status" wait_for 30 has_status || quote <"$T/kpipe.err"
ok "kelect leads" kubectl get lease -n ops -o name
reader=$(kubectl create token reader -n ops)
address=$(sed -n 's/.*metrics at //p' "$T/kpipe.err")
scrape() {
	curl -sk -m 20 -o /dev/null -w '%{http_code}' \
		-H "Authorization: Bearer $1" "https://$address/metrics"
}
is "$(scrape "$reader") $(scrape "$(<"$T/http.token")") $(scrape x)" \
	"200 403 401" "kpipe-http asks who may read the metrics"
renewed() {
	audit_writes "$account-kelect" >"$T/kelect.writes"
	grep -q ' update leases ' "$T/kelect.writes" &&
		grep -q ' create events ' "$T/kelect.writes"
}
ok "... goes on to, and says so in an Event" wait_for 30 renewed
is "$(audit_writes "${stages[@]/#/$account-}" |
	sed "s/^$account-//" | awk '{ print $1, $2, $3 }' | sort -u)" \
	"http create subjectaccessreviews
http create tokenreviews
kapply patch deployments
kelect create events
kelect create leases
kelect update leases
kstatus patch memcacheds/status" "each wrote what is its own" ||
	audit_writes "${stages[@]/#/$account-}" | quote
is "$(audit 'select(.user.username | startswith("'"$account"'"))
	| select(.responseStatus.code == 403) | .requestURI')" "" \
	"... and was refused nothing"

# --- all rights of each, except what every account may do (ask for its rights)
may() {
	kubectl auth can-i --list --no-headers "--as=$account-$1" \
		"--as-group=system:serviceaccounts" \
		"--as-group=system:authenticated" -n "${2:-default}" |
		grep -v -e '^ *\[/' -e '^selfsubject' |
		sed 's/  *\[\] *\[\] */ /;s/  */ /g;s/ $//' | sort
}
is "$(may kwatch)" "deployments.apps [list watch]
memcacheds.cache.example.com [list watch]
pods [list watch]" "kwatch can only read"
is "$(may kapply)" "deployments.apps [get create patch delete]
events [create patch]
memcacheds.cache.example.com [get]" \
	"kapply: what the operator makes, Events, and a look at primaries"
is "$(may kstatus)" "events [create patch]
memcacheds.cache.example.com/status [patch]" \
	"kstatus: the status, and Events about one that is refused"
is "$(may kelect ops)" "events [create]
leases.coordination.k8s.io [] [memcached.cache.example.com] [get update]
leases.coordination.k8s.io [create]" "kelect: its lease and Events, here"
is "$(may kelect)" "" "... and nowhere else"
is "$(may http)" "subjectaccessreviews.authorization.k8s.io [create]
tokenreviews.authentication.k8s.io [create]" "kpipe-http can only review"

# tries STAGE VERB PATH [BODY]: the answer to a request with the stage's token
tries() {
	curl -s -m 20 -o /dev/null -w '%{http_code}' -X "$2" \
		--cacert "$CLUSTER/certificates/apiserver.crt" \
		-H "Authorization: Bearer $(<"$T/$1.token")" \
		-H 'Content-Type: application/json' ${4:+-d "$4"} \
		"$CLUSTER_SERVER$3"
}
things=/apis/cache.example.com/v1alpha1/namespaces/default/memcacheds
pod='{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"x"}]}}'
is "$(tries kwatch GET $things)" 200 "kwatch's token reads"
is "$(tries kwatch DELETE "$things/$name") $(tries kwatch PATCH "$things/$name/status" '{}') $(tries kwatch POST /api/v1/namespaces/default/pods "$pod")" \
	"403 403 403" "... and writes nothing"
is "$(tries http GET /api/v1/secrets) $(tries http GET $things) $(tries http POST /api/v1/namespaces/default/pods "$pod") $(tries http POST "/api/v1/namespaces/ops/serviceaccounts/memcached-kapply/token" '{}')" \
	"403 403 403 403" "kpipe-http's token reads and writes nothing, and gets no other"

# --- what each knows, also in its memory, read as root
cat >"$T/look" <<'END'
import re, sys
pid, tokens = sys.argv[1], sys.argv[2:]
text = open("/proc/%s/environ" % pid, "rb").read()
text += open("/proc/%s/cmdline" % pid, "rb").read()
with open("/proc/%s/mem" % pid, "rb", 0) as mem:
    for line in open("/proc/%s/maps" % pid):
        m = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
        if m and "[v" not in line:
            at, end = int(m[1], 16), int(m[2], 16)
            try:
                mem.seek(at)
                text += mem.read(end - at)
            except OSError:
                pass
print(*[t.split("/")[-1] for t in tokens
        if open(t, "rb").read().split(b".")[2] in text])
END
pids=$(<"/proc/$kpipe/task/$kpipe/children")
is "$(for pid in $kpipe $pids; do
	echo "$(<"/proc/$pid/comm"): $(python3 "$T/look" "$pid" "$T"/*.token)"
done | sed 's/ $//' | sort)" "ireconcile:
kapply: kapply.token
kelect: kelect.token
kpipe-http: http.token
kpipe:
kstatus: kstatus.token
kwatch: kwatch.token" "each knows its own token"
is "$(for pid in $kpipe $pids; do
	find "/proc/$pid/fd" -lname '*.token'
done)" "" "... and has no file of one open"

kill "$kpipe"
wait "$kpipe"
is $? 0 "it ends"

# --- the Deployment of doc/security.md, unchanged
sed -n '/^## Credentials/,/^## Programs/p' doc/security.md |
	sed -n '/^```yaml/,/^```/p' | grep -v '^```' >"$T/deployment.yaml"
runs 0 "the Deployment of doc/security.md" kubectl apply -n ops \
	--dry-run=server --validate=strict -f "$T/deployment.yaml"
is "$(grep -c 'created (server dry run)' "$T/out")" 4 "... is whole"
done_testing
