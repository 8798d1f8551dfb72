#!/bin/bash
# A value that is not a text where the server takes only texts: the item and the
# field are named, and the value is not.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

cd "$T" || exit 1
watches dependents: '- {apiVersion: v1, kind: ConfigMap, manage: true}' \
	'- {apiVersion: v1, kind: Secret, manage: true}' \
	'- {apiVersion: v1, kind: Service, manage: true}'
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
gives "$(item ConfigMap) .data = \"hunter2\"" \
	"ConfigMap/ns/c: .data is a text, and has to be an object of texts" \
	"data that is a text"
gives "$(item Secret) .data = [1]" \
	"Secret/ns/c: .data is an array, and has to be an object of texts" \
	"... an array"
gives "$(item Secret) .stringData = 1" \
	"Secret/ns/c: .stringData is a number, and has to be an object of texts" \
	"stringData that is a number"
gives "$(item ConfigMap) .binaryData = true" \
	"ConfigMap/ns/c: .binaryData is true or false, and has to be an object of texts" \
	"binaryData that is true"
gives "$(item Service) .metadata.labels = \"hunter2\"" \
	"Service/ns/c: .metadata.labels is a text, and has to be an object of texts" \
	"labels that are a text"
gives "$(item Service) .metadata.annotations = []" \
	"Service/ns/c: .metadata.annotations is an array, and has to be an object of texts" \
	"annotations that are an array"
gives "$(item Secret) .data = {a: \"aGk=\", b: \"plain text\"}" \
	"Secret/ns/c: .data.b is not base64: @base64 makes it of a text, or write the text into .stringData" \
	"a plain text in data of a Secret"
gives "$(item Secret) .data.a = \"aGk\"" \
	"Secret/ns/c: .data.a is not base64: @base64 makes it of a text, or write the text into .stringData" \
	"... base64 without its padding"
gives "$(item ConfigMap) .binaryData.a = \"plain text\"" \
	"ConfigMap/ns/c: .binaryData.a is not base64: @base64 makes it of a text, or write the text into .data" \
	"a plain text in binaryData"
gives "$(item Secret) .data = {a: \"aG\\nk=\\r\\n\", b: \"\", c: null}
		| .stringData.d = \"plain text\"" \
	null "base64 in lines is taken, nothing, null, and a text in stringData"
gives "$(item ConfigMap) .data = null | .binaryData.a = (\"hi\" | @base64)" \
	null "data that is null, and base64 in binaryData"
gives "$(item Service) .data.port = 8080" null "data of other kinds may be"
gives "$(item ConfigMap) .data = {port: \"8080\", none: null}" null \
	"a text is taken"
done_testing
