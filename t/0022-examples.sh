#!/bin/bash
# The examples of the manual pages of the tools of an operator, as they are
# typed, in their order. Those that go on by themselves are ended when they have
# said what is expected.
# servers: kapi real: kubectl diff
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck source=sets.sh
. "${0%/*}/sets.sh"
cluster_start
real_jq # jq is part of the examples
mkdir "$T/work" "$T/examples" "$T/done"

# examples_of TOOL: examples/TOOL.1 and so on
examples_of() {
	awk -v file="$T/examples/$1." '
	/^\.Sh / { inside = $2 == "EXAMPLES" }
	inside && /^\.Bd / { out = file (++n); next }
	/^\.Ed/ { out = "" }
	out != "" { gsub(/\\e/, "\\"); print >out }
	' "cmd/$1/$1.1"
}
for tool in kwatch ireconcile kapply kstatus kelect kpipe; do
	examples_of "$tool"
done

# typed EXAMPLE: in the reader's folder, to its end
typed() {
	local file=$T/examples/$1

	runs 0 "$1: $(head -n 1 "$file" | cut -c -60)" timeout 300 \
		bash -e -o pipefail -c 'cd "$1"; . "$2"' - "$T/work" "$file"
	mv "$file" "$T/done"
}

# goes_on EXAMPLE COMMAND...: until that succeeds; its output is in $T/out
goes_on() {
	local example=$1 file=$T/examples/$1 pid

	shift
	(cd "$T/work" && exec bash -c ". '$file'") >"$T/out" 2>"$T/err" &
	pid=$!
	started+=("$pid")
	ok "$example: $(head -n 1 "$file" | cut -c -60)" wait_for 20 "$@" ||
		quote <"$T/err"
	{
		kill_tree "$pid"
		wait "$pid"
	} 2>/dev/null
	mv "$file" "$T/done"
}

# ---- what the examples find ----

# define [KUBECTL-ARGUMENT...]: the kind
define() {
	things_start "$@"
	wait_for 20 kubectl get things.example.com -A "$@"
}
define
for namespace in shop web ops a b; do
	kubectl create namespace "$namespace" >/dev/null
	wait_for 20 kubectl get serviceaccount default -n "$namespace"
done
cd "$T/work" || exit 1
# thing NAME NAMESPACE
thing() {
	echo '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{
		"name":"'"$1"'","namespace":"'"$2"'"}}'
}
{
	thing t default
	thing a default
} | kapply
cat >watches.yaml <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: reconcile.jq
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
END
cat >reconcile.jq <<'END'
include "operator";
def desired: [config_map(.primary.metadata.name; {}; {k: "v"})];
END
kubectl create configmap one --from-literal=k=v --dry-run=client -o json |
	jq -c . >objects.json
kubectl create configmap two --from-literal=k=v --dry-run=client -o json |
	jq -c . >>objects.json
cat >deployment.yaml <<'END'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1"}]}
END
cat >service.yaml <<'END'
apiVersion: v1
kind: Service
metadata: {name: web, namespace: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
END
kubectl create -f - >/dev/null <<'END'
apiVersion: v1
kind: Pod
metadata: {name: one, namespace: web}
spec: {containers: [{name: a, image: "a:1"}, {name: b, image: "b:2"}]}
END
kubectl create -n web -f - >/dev/null <<'END'
apiVersion: v1
kind: Pod
metadata: {name: two}
spec: {containers: [{name: a, image: "a:1"}]}
END
kubectl create configmap page -n shop --from-literal=k=v >/dev/null
printf '#!/bin/sh\necho saved\n' >backup.sh
chmod +x backup.sh
cd "$ROOT" || exit 1

# ---- kapply ----

# results: of the last one, as many at once are applied
results() {
	jq -r '"\(.kind) \(.metadata.name) \(.result)"' "$T/out" | sort
}
typed kapply.1
is "$(results)" "ConfigMap one created
ConfigMap two created
Deployment web created
Service web created" "... says what became of each"
typed kapply.2
is "$(results)" "ConfigMap one configured
ConfigMap two configured" "... the same, with a label"
sed -i 1d "$T/work/objects.json"
mv "$T/done/kapply.2" "$T/examples"
typed kapply.2
is "$(results)" "ConfigMap one deleted
ConfigMap two unchanged" "... what is no longer in the file is deleted"
# Another cluster, with the namespaces
start kapi --kubeconfig-out "$T/work/other.yaml" 2>>"$T/kapi.log"
wait_for 20 test -s "$T/work/other.yaml"
sed -i 's/: kapi$/: other/' "$T/work/other.yaml"
for namespace in shop a b; do
	kubectl --kubeconfig "$T/work/other.yaml" create namespace "$namespace" \
		>/dev/null
done
KUBECONFIG=$KUBECONFIG:$T/work/other.yaml typed kapply.3
is "$(kubectl --kubeconfig "$T/work/other.yaml" get configmap -n shop page \
	-o jsonpath='{.data.k}')" v "... objects are copied"
cat >"$T/work/job.yaml" <<'END'
apiVersion: batch/v1
kind: Job
metadata: {generateName: run-}
spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}}}
END
typed kapply.4
is "$(grep -c '^run-' "$T/out")" 1 "... the Job is there"

# ---- kwatch ----

typed kwatch.1
is "$(grep -v web "$T/out")" "a:1
b:2" "... each once"
# On a terminal jq prints each line at once.
sed -i 's/jq /jq --unbuffered /' "$T/examples/kwatch.2"
added() {
	sed -n '/^ADDED/{/web-/!p;}' "$T/out" | sort
}
added_three() { # of two kinds, in any order
	[ "$(added | wc -l)" -ge 3 ]
}
goes_on kwatch.2 added_three
is "$(added)" "ADDED Deployment web
ADDED Pod one
ADDED Pod two" "... and nothing else"
recorded() {
	[ "$(jq -r 'select(.object.kind == "Thing" and .type == "ADDED")
		| .time' "$T/work/incident.jsonl" | wc -l)" -eq 2 ]
}
goes_on kwatch.3 recorded

# ---- ireconcile ----

goes_on ireconcile.1 recorded
typed ireconcile.2
is "$(jq -r .primary.metadata.name "$T/out")" a "... the one that is named"
if with_kubectl; then
	goes_on ireconcile.3 grep -q '^+kind: ConfigMap$' "$T/out"
else
	mv "$T/examples/ireconcile.3" "$T/done"
fi

mkdir "$T/work/new"
cp "$T/work/watches.yaml" "$T/work/reconcile.jq" "$T/work/new"
typed ireconcile.4
is "$(<"$T/out")" "" "... the same program decides the same"

# ---- kstatus, kelect, kpipe ----

typed kstatus.1
is "$(kubectl get thing t -o jsonpath='{.status.phase}')" Available \
	"... is its status"
typed kelect.2
is "$(<"$T/out")" saved "... runs"
typed kelect.3
is "$(<"$T/out")" saved "... again"
not_there() {
	! "$@"
}
made() {
	kubectl get configmap t a -n default
}
goes_on kelect.1 made
typed kpipe.2
is "$(<"$T/out")" "" "... nothing: all is as desired"
kubectl delete configmap t >/dev/null
mv "$T/done/kpipe.2" "$T/examples"
typed kpipe.2
is "$(jq -r '"\(.kind) \(.metadata.name) \(.result)"' "$T/out")" \
	"ConfigMap t created" "... what would be done"
typed kpipe.3
is "$(jq -r '"\(.kind) \(.metadata.name) \(.result)"' "$T/out" | sort)" \
	"ConfigMap a configured
ConfigMap t created" "... and the other one would get the name"
goes_on kpipe.1 made
define --kubeconfig "$T/work/other.yaml"
for namespace in a b shop; do
	thing "in-$namespace" "$namespace"
done | kapply --kubeconfig "$T/work/other.yaml"
made_there() {
	kubectl --kubeconfig "$T/work/other.yaml" get configmap -n a in-a &&
		kubectl --kubeconfig "$T/work/other.yaml" get configmap -n b in-b
}
goes_on kpipe.4 made_there
ok "... and nothing in other namespaces" not_there kubectl \
	--kubeconfig "$T/work/other.yaml" get configmap -n shop in-shop
sed -i 's/=:808[01]/=127.0.0.1:0/g' "$T/examples/kpipe.5"
leads() {
	[ "$(grep -c 'kpipe-http: .* at 127.0.0.1:\|kelect: became leader\|: ready' \
		"$T/err")" -eq 4 ]
}
goes_on kpipe.5 leads
is "$(ls "$T/examples")" "" "no example is left out"
done_testing
