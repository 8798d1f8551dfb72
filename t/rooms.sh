# shellcheck shell=bash
# What tests of namespaceSelector share, after lib.sh and kapi.sh.

rooms_up() { # [OPTION]...: kapi with the kind Thing, and a watches.yaml
	kapi_up "$@"
	ask POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Thing","plural":"things"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}' >/dev/null
	cat >"$T/watches.yaml" <<-'END'
	- group: example.com
	  version: v1
	  kind: Thing
	  program: program.jq
	  namespaceSelector: {matchLabels: {team: a}}
	  dependents:
	  - {apiVersion: v1, kind: ConfigMap, manage: true}
	END
	echo 'def desired: [];' >"$T/program.jq"
}

# namespace NAME [TEAM]; team NAME TEAM: the label is set, or removed by null
namespace() {
	ask POST /api/v1/namespaces "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"$1\"${2:+,\"labels\":{\"team\":\"$2\"\}}}}" >/dev/null
}
team() {
	ask PATCH "/api/v1/namespaces/$1" "{\"metadata\":{\"labels\":{\"team\":$2}}}" \
		application/merge-patch+json >/dev/null
}
# put NAMESPACE NAME: a Thing and a ConfigMap
put() {
	ask POST "/apis/example.com/v1/namespaces/$1/things" "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"$2\"}}" >/dev/null
	ask POST "/api/v1/namespaces/$1/configmaps" "$(config_map "$2")" >/dev/null
}
short() {
	jq -r 'select(.object.metadata.name != "kube-root-ca.crt") |
		"\(.type) \(.object.kind) \(.object.metadata | [.namespace, .name // (.annotations | keys[0])] | map(. // empty) | join("/"))"' "$@" |
		sed 's/BOOKMARK \(.*\) .*-events-\(.*\)/\2 \1/'
}
# seen COUNT TEXT: this line was printed COUNT times
seen() { [ "$(short "$T/out" | grep -cxF -- "$2")" -ge "$1" ]; }
watching() {
	: >"$T/out"
	start kwatch --kubeconfig "$T/kubeconfig" -f "$T/watches.yaml" "$@" \
		>"$T/out" 2>"$T/err"
	# shellcheck disable=SC2034 # for the tests
	kwatch=$!
}
before() { # TEXT TEXT...: the lines come in this order
	local got

	got=$(short "$T/out" | grep -xF -e "$(printf '%s\n' "$@")" | tail -n $#)
	is "$got" "$(printf '%s\n' "$@")" "... ${what:-in this order}"
}
