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

# WHAT~KIND~CHANGE~ERROR: of an item of this kind; without an error it is taken
while IFS='~' read -r what kind change error; do
	printf 'def desired: [{apiVersion: "v1", kind: "%s", metadata: {name: "c"}} | %s];\n' \
		"$kind" "$change" >program.jq
	echo 'def status: {error};' >>program.jq
	ireconcile -f watches.yaml <in >out 2>err
	is "$(jq -r '.reconcile.status.error' out)" \
		"${error:+$kind/ns/c: }${error:-null}" "$what"
done <<'END'
a number in data~ConfigMap~.data.port = 8080~.data.port is a number, and has to be a text: tostring makes one
true in stringData~Secret~.stringData["a.b"] = true~.stringData["a.b"] is true or false, and has to be a text: tostring makes one
an array in binaryData~ConfigMap~.binaryData.x = [1]~.binaryData.x is an array, and has to be a text: tojson or to_yaml make one
a number in labels, of any kind~Service~.metadata.labels.n = 1~.metadata.labels.n is a number, and has to be a text: tostring makes one
an object in annotations~Service~.metadata.annotations.n = {}~.metadata.annotations.n is an object, and has to be a text: tojson or to_yaml make one
data that is a text~ConfigMap~.data = "hunter2"~.data is a text, and has to be an object of texts
... an array~Secret~.data = [1]~.data is an array, and has to be an object of texts
stringData that is a number~Secret~.stringData = 1~.stringData is a number, and has to be an object of texts
binaryData that is true~ConfigMap~.binaryData = true~.binaryData is true or false, and has to be an object of texts
labels that are a text~Service~.metadata.labels = "hunter2"~.metadata.labels is a text, and has to be an object of texts
annotations that are an array~Service~.metadata.annotations = []~.metadata.annotations is an array, and has to be an object of texts
a plain text in data of a Secret~Secret~.data = {a: "aGk=", b: "plain text"}~.data.b is not base64: @base64 makes it of a text, or write the text into .stringData
... base64 without its padding~Secret~.data.a = "aGk"~.data.a is not base64: @base64 makes it of a text, or write the text into .stringData
a plain text in binaryData~ConfigMap~.binaryData.a = "plain text"~.binaryData.a is not base64: @base64 makes it of a text, or write the text into .data
base64 in lines is taken, nothing, null, and a text in stringData~Secret~.data = {a: "aG\nk=\r\n", b: "", c: null} | .stringData.d = "plain text"~
data that is null, and base64 in binaryData~ConfigMap~.data = null | .binaryData.a = ("hi" | @base64)~
data of other kinds may be~Service~.data.port = 8080~
a text is taken~ConfigMap~.data = {port: "8080", none: null}~
END
done_testing
