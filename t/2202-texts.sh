#!/bin/bash
# A value that is not a text where the server takes only texts: the item and the
# field are named, and the value is not.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=ireconcile.sh
. t/ireconcile.sh

cd "$T" || exit 1
cat >watches.yaml <<'END'
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true}
  - {apiVersion: v1, kind: Secret, manage: true}
  - {apiVersion: v1, kind: Service, manage: true}
END
thing a 1 >in

# gives ITEM ERROR WHAT
gives() {
	printf 'def desired: [%s];\ndef status: {error};\n' "$1" >program.jq
	ireconcile -f watches.yaml <in >out 2>err
	is "$(jq -r '.reconcile.status.error' out)" "$2" "$3"
}
item() {
	printf '{apiVersion: "v1", kind: "%s", metadata: {name: "c"}} | ' "$1"
}

gives "$(item ConfigMap) .data.port = 8080" \
	"ConfigMap/ns/c: .data.port is a number, and has to be a text: tostring makes one" \
	"a number in data"
gives "$(item Secret) .stringData[\"a.b\"] = true" \
	'Secret/ns/c: .stringData["a.b"] is true or false, and has to be a text: tostring makes one' \
	"true in stringData"
gives "$(item ConfigMap) .binaryData.x = [1]" \
	"ConfigMap/ns/c: .binaryData.x is an array, and has to be a text: tojson or to_yaml make one" \
	"an array in binaryData"
gives "$(item Service) .metadata.labels.n = 1" \
	"Service/ns/c: .metadata.labels.n is a number, and has to be a text: tostring makes one" \
	"a number in labels, of any kind"
gives "$(item Service) .metadata.annotations.n = {}" \
	"Service/ns/c: .metadata.annotations.n is an object, and has to be a text: tojson or to_yaml make one" \
	"an object in annotations"
gives "$(item Service) .data.port = 8080" null "data of other kinds may be"
gives "$(item ConfigMap) .data = {port: \"8080\", none: null}" null \
	"a text is taken"
done_testing
