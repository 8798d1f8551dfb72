#!/bin/bash
# kapply by itself on an API server: plain objects and Lists, the result of
# each, what the server refuses. Bad lines: t/3000-kapply-faults.sh.
# servers: kapi real
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=cluster/lib.sh
. "${0%/*}/cluster/lib.sh"
# shellcheck disable=SC2119
export KAPI_OPTIONS=--authorization-mode=RBAC
cluster_start

# plain ARGUMENT...: kapply on $T/in; results without the parts that never
# differ
plain() {
	kapply -o result --timeout=60s "$@" <"$T/in"
}
results() {
	jq -r '[.kind, .metadata.namespace // "", .metadata.name, .result]
		+ [.message // empty] | join(" ")' "$T/out" | sort
}
cm() {
	printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s"},"data":{"k":"%s"}}\n' "$@"
}

# --- results
cat >"$T/in" <<'EOF'
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"early","namespace":"n1"}}
{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n1"}}
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"late","namespace":"n1"}}
EOF
runs 0 "a Namespace and what is in it, before and behind it" plain
is "$(results)" "ConfigMap n1 early created
ConfigMap n1 late created
Namespace  n1 created" "... all are created"
{ cm a 1; cm b 1; } >"$T/in"
runs 0 "objects" plain
is "$(results)" "ConfigMap default a created
ConfigMap default b created" "... are created"
{ cm a 2; cm b 1; } >"$T/in"
runs 0 "once more, one of them changed" plain
is "$(results)" "ConfigMap default a configured
ConfigMap default b unchanged" "... the results say which"
{ cm a 3; cm a 4; cm a 5; } >"$T/in"
runs 0 "the same object three times" plain
is "$(results)$(kubectl get cm a -o jsonpath='{.data.k}')" "ConfigMap default a configured
ConfigMap default a configured
ConfigMap default a configured5" "... is applied three times, in order"
kubectl get cm a b -o json >"$T/in"
runs 0 "a List, as kubectl prints it" plain
is "$(results)" "ConfigMap default a unchanged
ConfigMap default b unchanged" "... is read, item by item"
cm c 1 >"$T/in"
runs 0 "a dry run" plain --dry-run=server
is "$(results)" "ConfigMap default c created" "... says what would be"
runs 1 "... and makes nothing" kubectl get cm c
runs 0 "another namespace" plain -n n1
runs 0 "... has it" kubectl get cm c -n n1
runs 0 "no output" plain -o none
is "$(cat "$T/out" "$T/err")" "" "... prints nothing"

# --- a CRD and its first object
cat >"$T/in" <<'EOF'
{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Thing","plural":"things","singular":"thing"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"size":{"type":"integer","maximum":3}}}}}]}}
{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t"},"size":1}
EOF
runs 0 "a CRD and an object of it" kapply -o result <"$T/in"
is "$(results)" "CustomResourceDefinition  things.example.com created
Thing default t created" "... which waits until it is served"

# --- failures and their messages
fails() {
	runs 1 "$1" plain "${@:3}"
	is "$(results)" "$2" "... with the reason"
}
# fails_late WHAT RESULT TEXT: the same of what is tried again until the end of
# --timeout, here a second after the log has the text
fails_late() {
	runs 1 "$1" kapply -v -o result --timeout=1s < <(cat "$T/in"
		comes "$(patience 60)" grep -qF "$3" "$T/err")
	is "$(results)" "$2" "... with the reason"
}
echo '{"apiVersion":"v1","kind":"Nothing","metadata":{"name":"x"}}' >"$T/in"
fails "an unknown kind" 'Nothing  x failed no matches for kind "Nothing" in version "v1"'
is "$(<"$T/err")" 'kapply: error: cannot apply Nothing x: no matches for kind "Nothing" in version "v1"' \
	"... which the log has, too"
echo '{"apiVersion":"v1","kind":"Service","metadata":{"name":"x"},"spec":{"prts":[]}}' >"$T/in"
fails "a field that the schema lacks" 'Service default x failed failed to create typed patch object (/x; /v1, Kind=Service): .spec.prts: field not declared in schema'
echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"dta":{"k":"secret"}}' >"$T/in"
fails "... of a ConfigMap" 'ConfigMap default x failed failed to create typed patch object (/x; /v1, Kind=ConfigMap): .dta: field not declared in schema'
echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"k":["secret"]}}' >"$T/in"
fails "a value of the wrong type in a ConfigMap" 'ConfigMap default x failed failed to create typed patch object (/x; /v1, Kind=ConfigMap): .data.k: expected string'
echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":"secret"}' >"$T/in"
fails "... the whole data" 'ConfigMap default x failed failed to create typed patch object (/x; /v1, Kind=ConfigMap): .data: expected map'
echo '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"},"data":"secret","immutable":"secret"}' >"$T/in"
runs 1 "... two of a Secret" plain
is "$(results | sed 's/immutable: expected boolean/data: expected map/')" \
	'Secret default x failed failed to create typed patch object (/x; /v1, Kind=Secret): errors: .data: expected map, ...' \
	"... with the first, which is not always the same"
echo '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"},"data":{"k":"my secret"}}' >"$T/in"
fails "a Secret whose data is not base64" 'Secret default x failed failed to convert new object (/x; /v1, Kind=Secret) to proper version: unable to convert unstructured object to /v1, Kind=Secret: error decoding from json: illegal base64 data'
echo '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t"},"size":4}' >"$T/in"
fails "a value that validation refuses" 'Thing default t failed Thing.example.com "t" is invalid: size: Invalid value: 4: size in body should be less than or equal to 3'
deployment() {
	cat <<EOF
{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"app":"$1"}},"template":{"metadata":{"labels":{"app":"$1"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}
EOF
}
deployment one | kapply -o none
deployment two >"$T/in"
fails "an immutable field" 'Deployment default d failed Deployment.apps "d" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"two"}}: field is immutable; delete the object to have it made as it is here'
echo '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","namespace":"nowhere"}}' >"$T/in"
fails_late "a namespace that is not there" 'Pod nowhere x failed namespaces "nowhere" not found' 'not found'
cm x "$(head -c 1200000 /dev/zero | tr '\0' x)" >"$T/in"
fails "an object that is too large" 'ConfigMap default x failed Invalid: [] (FieldValueTooLong: may not be more than 1048576 bytes)'
jq -cn '{apiVersion: "v1", kind: "Pod", metadata: {name: "x", annotations: {a: ("x" * 4000000)}}}' >"$T/in"
runs 1 "a request that is too large" plain
is "$(results | cut -c 1-45)" 'Pod default x failed Request entity too large' "... with the reason"
kubectl patch cm b --field-manager=other --type=merge -p '{"data":{"k":"theirs"}}' >/dev/null
kubectl patch deployment d --field-manager=other --type=merge -p '{"spec":{"replicas":5}}' >/dev/null
deployment one | jq -c '.spec.replicas = 2' >"$T/in"
fails "a field of another manager" 'Deployment default d failed Apply failed with 1 conflict: conflict with "other" using apps/v1: .spec.replicas; we are "kpipe"; --force-conflicts takes the fields over'
runs 0 "... by force" plain --force-conflicts
is "$(results) $(kubectl get deployment d -o jsonpath='{.spec.replicas}')" "Deployment default d configured 2" "... it is ours"
echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","namespace":"n1"}}' >"$T/in"
fails "another namespace than that of -n" 'ConfigMap n1 x failed the namespace from the provided object "n1" does not match the namespace "n2"' -n n2

# --- a user without the right
cm x 1 >"$T/in"
runs 1 "a user without rights" kapply -o result --kubeconfig "$(config user1)" <"$T/in"
is "$(<"$T/err")" 'kapply: error: cannot apply ConfigMap x: configmaps "x" is forbidden: User "user1" cannot patch resource "configmaps" in API group "" in the namespace "default"' \
	"... is told verb and resource"

# --- a terminating namespace
kubectl create namespace going >/dev/null
kubectl patch namespace going --type=merge -p '{"metadata":{"finalizers":["example.com/stay"]}}' >/dev/null
kubectl delete namespace going --wait=false >/dev/null
echo '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","namespace":"going"},"spec":{"containers":[{"name":"c","image":"i"}]}}' >"$T/in"
fails_late "a terminating namespace" 'Pod going x failed pods "x" is forbidden: unable to create new content in namespace going because it is being terminated' 'being terminated'
done_testing
