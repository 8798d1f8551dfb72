#!/bin/bash
# A value that is a secret is looked for in everything that an operator and its
# tools print, write and record: as it is, and in base64. It is the password of
# a primary (`redact:`), in a Secret that is read, in its annotations, in those
# that are made of both, in a dependent with `redact:`, and in what the server
# refuses.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
kapi_up --journal "$T/journal"
export KUBECONFIG=$T/kubeconfig
own_kubectl
mkdir "$T/operator"
schema() {
	cat <<END
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: $2.example.com}
spec:
  group: example.com
  names: {kind: $1, plural: $2}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {
          ref: {type: string}, password: {type: string${3-}}}},
          status: {type: object, properties: {secret: {type: string${3-}}},
            x-kubernetes-preserve-unknown-fields: true}}
END
}
{
	schema Thing things
	schema Part parts ', pattern: "^[A-Za-z0-9]*$"'
} >"$T/operator/crd.yaml"
cat >"$T/operator/watches.yaml" <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
  redact: [spec.password, status.secret]
  dependents:
  - {apiVersion: v1, kind: Secret, manage: true}
  - {apiVersion: example.com/v1, kind: Part, manage: true, redact: [spec.password, status.secret]}
  related:
  - {apiVersion: v1, kind: Secret, map: {field: spec.ref}}
- group: example.com
  version: v1
  kind: Part
  program: part.jq
  redact: [spec.password, status.secret]
END
cat >"$T/operator/program.jq" <<'END'
def password: .primary.spec.password;
def source: .related.Secret[0].data.password // "" | @base64d;
def secret($name): {apiVersion: "v1", kind: "Secret", metadata: {name: $name}};
def desired: [
  secret("made") + {stringData: {url: "https://u:\(password)@h",
    ".dockerconfigjson": {auth: ("u:\(source)" | @base64)} | tojson}},
  {apiVersion: "example.com/v1", kind: "Part", metadata: {name: "p"},
    spec: {password: password}}
];
def status: {secret: password, outstanding, error, phase:
  (if .error then "Failed" elif .outstanding == [] then "Ready"
   else "Pending" end)};
END
cat >"$T/operator/part.jq" <<'END'
def desired: [];
# Not all of them fit the schema.
def status: {secret: (.primary.spec.password + if (.primary.spec.password
  | endswith("Status")) then "!" else "" end)};
END
sed 's#"https://#"http://#' "$T/operator/program.jq" >"$T/operator/next.jq"
sed 's/program: program.jq/program: next.jq/' "$T/operator/watches.yaml" \
	>"$T/operator/next.yaml"
# source VALUE: the Secret that is read
source_() {
	jq -nc --arg v "$1" '($v | @base64) as $b | {apiVersion: "v1",
		kind: "Secret", metadata: {name: "source", namespace: "default",
		annotations: {"example.com/note": "it is \($v)",
			"kapp.k14s.io/original": ({kind: "Secret",
				data: {password: $b}} | tojson)}},
		data: {password: $b}}' | kubectl apply -f - >>"$T/kubectl"
}
thing() {
	jq -nc --arg v "$1" '{apiVersion: "example.com/v1", kind: "Thing",
		metadata: {name: "t", namespace: "default",
			annotations: {"example.com/was": "password=\($v)"}},
		spec: {ref: "source", password: $v}}' |
		kubectl apply -f - >>"$T/kubectl"
}
kubectl apply -f "$T/operator/crd.yaml" >"$T/kubectl"
source_ canaryInSource
log=$T/log
start kpipe -f "$T/operator/watches.yaml" -n default -v \
	--metrics-bind-address=127.0.0.1:0 --view-bind-address=127.0.0.1:0 \
	--shadow="$T/operator/next.yaml" --record "$T/recording" \
	>"$T/standard" 2>"$log"
kpipe=$!
ok "it starts" wait_for 30 grep -q 'kpipe: ready$' "$log"
ok "... with its shadow" wait_for 60 grep -q 'shadow.*ready\|shadow: ' "$log" ||
	tail -n 5 "$log"
made() {
	kubectl get secret made -o json 2>>"$T/kubectl" | jq -r '.data.url
		| @base64d' | grep -qF "$1"
}
phase() {
	kubectl wait thing/t --timeout=60s --for=jsonpath='{.status.phase}'="$1"
}
thing canaryInPrimary
ok "a Secret is made of it" wait_for 30 made canaryInPrimary
ok "... and the primary is ready" wait_for 30 phase Ready

# Drift, rotation, a loop.
part() {
	kubectl patch part p --type=merge --field-manager=other \
		-p "{\"spec\":{\"password\":\"$1\"}}" >>"$T/kubectl"
	wait_for 30 kubectl wait part/p --timeout=60s \
		--for=jsonpath='{.spec.password}'="$2"
}
for i in 1 2 3 4 5 6 7; do
	part "canaryDrift$i" canaryInPrimary
done
ok "a loop is told" wait_for 30 grep -q 'spec.password is changed back' "$log"
kubectl patch secret made --type=merge --field-manager=other \
	-p "{\"data\":{\"url\":\"$(printf canaryDriftToo | base64 -w0)\"}}" \
	>>"$T/kubectl"
ok "drift of a Secret is repaired" wait_for 30 made canaryInPrimary
source_ canaryRotated
# Refused: a value that the schema does not take, then a status.
thing 'canary-refused!'
ok "a refusal is in the status" wait_for 60 phase Failed
thing canaryStatus
ok "a status is refused" wait_for 60 \
	grep -q 'kstatus: error: .*status of Part.example.com' "$log"

# ---- what there is to see ----

page() {
	curl -sS --max-time 20 "http://$(sed -n "s/.*$1 at //p" "$log" |
		sed 's,^http://,,;s,/.*,,' | head -n 1)/$2"
}
page 'kpipe-http: metrics' metrics >"$T/see.metrics"
page 'view' '' >"$T/see.page" 2>&1
kubectl get events -A -o json >"$T/see.events"
kubectl get things,parts -A -o json | jq '.items[].status | del(.secret)' \
	>"$T/see.status"
kill "$kpipe"
wait "$kpipe"
cp "$log" "$T/see.log"
cp "$T/standard" "$T/see.standard"
krecord cat "$T/recording" >"$T/see.recording"
krecord stat "$T/recording" >"$T/see.stat" 2>&1
krecord spans "$T/recording" >"$T/see.spans" 2>&1
# kapi does not know what a watches file hides.
jq -c 'select(.resource == "secrets")' "$T/journal" >"$T/see.journal"
ok "the recording has all that happened" grep -q '"loops"' \
	"$T/see.recording"
for object in Thing/default/t Part/default/p Secret/default/made \
	Secret/default/source; do
	krecord cut --object "$object" "$T/recording" >>"$T/see.cut" 2>&1
	kwhy "${object%%/*}" "${object#*/}" "$T/see.recording" \
		>>"$T/see.kwhy" 2>&1
done
kview "$T/see.recording" >"$T/see.kview" 2>&1
kview --term "$T/see.recording" >"$T/see.term" 2>&1

# Tools alone: to a file, with results, and what is compared.
for option in --objects --timestamps --managers --show-managed-fields; do
	kwatch --once -f "$T/operator/watches.yaml" -n default "$option" \
		>"$T/kwatch" 2>>"$T/see.kwatch"
	# The annotation of what is not hidden itself stays without --redact.
	cat "$T/kwatch" >>"$T/see.kwatch"
done
kwatch --once -n default --redact secrets things.example.com \
	>"$T/secrets" 2>&1
jq -c 'select(.object.kind == "Secret")' "$T/secrets" >"$T/see.secrets" 2>&1
number=0
kwatch --once -f "$T/operator/watches.yaml" -n default --timestamps \
	--show-secrets >"$T/clear" 2>"$T/see.clear"
for w in watches next; do
	ireconcile -f "$T/operator/$w.yaml" -v <"$T/clear" >"$T/sets" \
		2>>"$T/see.ireconcile"
done
for format in text json; do
	ireconcile -f "$T/operator/watches.yaml" -v -o "$format" \
		--against "$T/operator/next.yaml" <"$T/clear" >>"$T/see.against" 2>&1
done
kapply -v --dry-run=server -o result <"$T/sets" >"$T/see.dry" 2>&1
kapply -v -o result <"$T/sets" >"$T/see.results" 2>&1
kapply -v -o status <"$T/sets" 2>>"$T/see.results" | kstatus -v -o result \
	>>"$T/see.results" 2>&1
for tool in "kwhy thing default/t" "kwhy part default/p" \
	"kwhy secret default/made" "kview --term" kview "krecord spans" \
	"krecord redact -f $T/operator/watches.yaml" "krecord stat"; do
	number=$((number + 1))
	# shellcheck disable=SC2086
	$tool "$T/clear" >"$T/see.clear-$number" 2>&1
	# Without the watches file only Secrets are known to be confidential.
	case $tool in
	*thing* | *part* | kview* | *spans)
		grep -v 'hing\|art\|seen; status' "$T/see.clear-$number" >"$T/rest"
		mv "$T/rest" "$T/see.clear-$number"
		;;
	esac
done
for bad in '"type":"kubernetes.io/tls","stringData":{"tls.crt":"canaryTls"}' \
	'"data":{"k":"canary!!"}' '"data":{"k":["canaryList"]}' \
	'"stringData":"canaryString"' '"data":{"secret key":"YWFh"}' \
	'"dta":{"k":"canaryOther"}'; do
	printf '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"bad","namespace":"default"},%s}' \
		"$bad" >"$T/bad"
	kapply -v -o result <"$T/bad" >>"$T/see.bad" 2>&1
	head -c 100 "$T/bad" | kapply -o result >>"$T/see.bad" 2>&1
done

# In base64 it has one of three forms, by the bytes before it.
values='canary|Y2FuYXJ5|NhbmFye|jYW5hcn'
for file in "$T"/see.*; do
	name=${file##*/see.}
	is "$(LC_ALL=C grep -oE ".{0,60}($values).{0,60}" "$file" | head -n 5)" "" \
		"no value in $name"
done
for name in events kwhy log metrics page journal recording results stat status term; do
	ok "... there is something in $name" test -s "$T/see.$name"
done
done_testing
