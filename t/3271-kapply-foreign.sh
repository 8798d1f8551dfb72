#!/bin/bash
# kapply: an object that is not a member is deleted only as it was seen, and never
# a member of another primary. Against a scripted server.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=writes.sh
. "${0%/*}/writes.sh"

apply() {
	kapply --server "$url" --timeout=20s "$@" <"$T/in"
}
# live [JQ]: the answer to a read of ConfigMap a
live() {
	cm a 1 | jq -c '.metadata += {uid: "u8", resourceVersion: "3"} | '"${1:-.}"' |
		{code: 200, body: .}'
}
# doomed [NAMESPACE]: in a line
doomed() {
	set_line '' '"delete":[{"apiVersion":"v1","kind":"ConfigMap","namespace":"'"${1:-default}"'","name":"a","uid":"u8","resourceVersion":"3","foreign":true}]'
}
doomed >"$T/in"
serve "{\"GET $CMS/a\":[$(live)]}"
runs 0 "one as it was seen" apply -v
is "$(requests)" "GET a
DELETE a" "... is deleted"
is "$(sed -n '2s/^[^{]*//p' "$T/requests" | jq -c .preconditions)" \
	'{"uid":"u8","resourceVersion":"3"}' "... this version alone"
is "$(grep -c 'deleted ConfigMap default/a, which was not a member' "$T/err")" 1 \
	"... and logged"
serve "{\"GET $CMS/a\":[$(live)]}"
runs 0 "a dry run" apply --dry-run=server -o result
is "$(jq -r .result "$T/out")" deleted "... tells it"
is "$(sed -n '2s/^[^{]*//p' "$T/requests" | jq -c .dryRun)" '["All"]' \
	"... and keeps it"

serve "{\"GET $CMS/a\":[$(live '.metadata.resourceVersion = "4"')]}"
runs 0 "another version" apply
is "$(requests)" "GET a" "... is left for the next line"
serve "{\"GET $CMS/a\":[$(live '.metadata.uid = "u9"')]}"
runs 0 "another object of that name" apply
is "$(requests)" "GET a" "... stays"
serve "{\"GET $CMS/a\":[$(live)],\"DELETE $CMS/a\":[$(failure 409 Conflict changed)]}"
runs 0 "one that is changed meanwhile" apply
is "$(cat "$T/err")" "" "... is not a failure"
is "$(requests)" "GET a
DELETE a" "... nor tried again"

# refused WHAT MESSAGE JQ
refused() {
	serve "{\"GET $CMS/a\":[$(live "$3")]}"
	runs 1 "$1" apply
	is "$(requests)" "GET a" "... is not deleted"
	is "$(cat "$T/err")" \
		"kapply: error: thing.example.com default/t: cannot delete ConfigMap default/a: $2" \
		"... and that is said"
}
refused "a member of another primary" "it is part of Thing b" \
	'.metadata += {annotations: {"kpipe.dev/paths": "x"},
	ownerReferences: [{apiVersion: "example.com/v1", kind: "Thing",
	name: "b", uid: "u2", controller: true}]}'
refused "a member by marks" "it is part of Thing.example.com/x/b" \
	'.metadata.annotations = {"kpipe.dev/paths": "x",
	"kpipe.dev/member": "Thing.example.com/x/b ConfigMap/default/a"}'
doomed kube-system >"$T/in"
serve "{\"GET /api/v1/namespaces/kube-system/configmaps/a\":[$(live '.metadata.namespace = "kube-system"')]}"
runs 1 "what is Kubernetes' own" apply
is "$(requests)" "GET a" "... is not deleted"

doomed | sed 's/,"resourceVersion":"3","foreign"/,"foreign"/' >"$T/in"
runs 1 "one without a version" apply
is "$(cat "$T/err")" \
	"kapply: error: line 1: reconcile.delete[0] is foreign: it needs uid and resourceVersion" \
	"... is refused"

# The brake counts it, also for a primary that is being deleted.
doomed | sed 's/"delete":\[\({[^}]*}\)/"delete":[\1,\1/; s/"name":"a"/"name":"b"/
	s/"manager"/"deleting":true,&/' >"$T/in"
serve "{\"GET $CMS/a\":[$(live)],\"GET $CMS/b\":[$(live '.metadata.name = "b"')]}"
runs 1 "more than the brake allows" apply --prune-limit=1
is "$(grep -c ^DELETE <<<"$(requests)")" 1 "... are held back"
done_testing
