#!/bin/bash
# kapply: an object that is not a member is deleted only as it was seen, and never
# a member of another primary. Fields of one are written by a field manager of
# the primary's own, never created, taken without force, held with it, and given
# back. Against a scripted server.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapply.sh
. "${0%/*}/kapply.sh"

# live [JQ]: an answer about ConfigMap a
live() {
	cm a 1 | jq -c '.metadata += {uid: "u8", resourceVersion: "3"} | '"${1:-.}"' |
		{code: 200, body: .}'
}
# body N: of request N
body() {
	sed -n "$1s/^[^{]*//p" "$T/requests"
}

# ---- deleted ----

# doomed [NAMESPACE]: in a line
doomed() {
	set_line '' '"delete":[{"apiVersion":"v1","kind":"ConfigMap","namespace":"'"${1:-default}"'","name":"a","uid":"u8","resourceVersion":"3","foreign":true}]'
}
doomed >"$T/in"
serve "{\"GET $CMS/a\":[$(live)]}"
runs 0 "one as it was seen" apply -v
is "$(sent)" "GET a,DELETE a" "... is deleted"
is "$(body 2 | jq -c .preconditions)" \
	'{"uid":"u8","resourceVersion":"3"}' "... this version alone"
is "$(grep -c 'deleted ConfigMap default/a, which was not a member' "$T/err")" 1 \
	"... and logged"
serve "{\"GET $CMS/a\":[$(live)]}"
runs 0 "a dry run" apply --dry-run=server -o result
is "$(jq -r .result "$T/out")" deleted "... tells it"
is "$(body 2 | jq -c .dryRun)" '["All"]' \
	"... and keeps it"

serve "{\"GET $CMS/a\":[$(live '.metadata.resourceVersion = "4"')]}"
runs 0 "another version" apply
is "$(sent)" "GET a" "... is left for the next line"
serve "{\"GET $CMS/a\":[$(live '.metadata.uid = "u9"')]}"
runs 0 "another object of that name" apply
is "$(sent)" "GET a" "... stays"
serve "{\"GET $CMS/a\":[$(live)],\"DELETE $CMS/a\":[$(failure 409 Conflict changed)]}"
runs 0 "one that is changed meanwhile" apply
is "$(<"$T/err")" "" "... is not a failure"
is "$(sent)" "GET a,DELETE a" "... nor tried again"

# refused WHAT MESSAGE JQ
refused() {
	serve "{\"GET $CMS/a\":[$(live "$3")]}"
	runs 1 "$1" apply
	is "$(sent)" "GET a" "... is not deleted"
	is "$(<"$T/err")" \
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
is "$(sent)" "GET a" "... is not deleted"

doomed | sed 's/,"resourceVersion":"3","foreign"/,"foreign"/' >"$T/in"
runs 1 "one without a version" apply
is "$(<"$T/err")" \
	"kapply: error: line 1: reconcile.delete[0] is foreign: it needs uid and resourceVersion" \
	"... is refused"

# The prune limit counts it, also for a primary that is being deleted.
doomed | sed 's/"delete":\[\({[^}]*}\)/"delete":[\1,\1/; s/"name":"a"/"name":"b"/
	s/"manager"/"deleting":true,&/' >"$T/in"
serve "{\"GET $CMS/a\":[$(live)],\"GET $CMS/b\":[$(live '.metadata.name = "b"')]}"
runs 1 "more than the prune limit allows" apply --prune-limit=1
is "$(grep -c ^DELETE <<<"$(requests)")" 1 "... are held back"

# ---- patched ----

digest=$(printf %s Thing.example.com/default/t | sha256sum)
manager=kpipe-thing.example.com-${digest:0:16}
mark=kpipe.dev/patch-${digest:0:32}
# query: of the last request for the object
query() {
	grep '/a?' "$T/requests.query" | tail -n 1 | sed 's/.*?//' |
		tr '&' '\n' | sort | paste -sd' '
}
# patched HOW
patched() {
	set_line "$(cm a 1)" \
		'"known":{"ConfigMap/default/a":"u8"},"patch":{"ConfigMap/default/a":"'"$1"'"}'
}
patched take >"$T/in"
serve "{\"PATCH $CMS/a\":[$(live)]}"
runs 0 "fields that are taken" apply -o result
is "$(query)" "fieldManager=$manager" \
	"... by a manager of the primary's own, without force"
is "$(body 1 | jq -c .metadata.uid)" '"u8"' "... of this object alone"
is "$(jq -r .result "$T/out")" configured "... and that is told"
patched hold >"$T/in"
serve "{\"PATCH $CMS/a\":[$(live)]}"
runs 0 "fields that are held" apply -v
is "$(query)" "fieldManager=$manager force=true" "... with force"
is "$(grep -c 'configured ConfigMap default/a' "$T/err")" 1 "... and logged"
serve "{\"PATCH $CMS/a\":[$(live)]}"
runs 0 "a dry run" apply --dry-run=server
is "$(query)" "dryRun=All fieldManager=$manager force=true" "... keeps nothing"
serve "{\"PATCH $CMS/a\":[$(live)]}"
runs 0 "another field manager" apply --field-manager=m
is "$(query)" "fieldManager=m-${digest:0:16} force=true" "... has its suffix, too"

# ---- conflicts, and what is gone ----

patched take >"$T/in"
serve "{\"PATCH $CMS/a\":[$(failure 409 Conflict "Apply failed with 1 conflict: conflict with \\\"kubectl\\\" using v1: .data.k" \
	',"details":{"causes":[{"reason":"FieldManagerConflict","message":"conflict with \"kubectl\" using v1","field":".data.k"}]}')]}"
runs 1 "a field of another manager" apply
is "$(requests | sort -u | paste -sd,)" "GET a,PATCH a" "... is not forced"
is "$(grep -c "cannot apply ConfigMap default/a: .*data.k.*conflict with \"kubectl\".*we are \"$manager\"" "$T/err")" 1 \
	"... field and managers are named"
# conflict MANAGER OBJECT: two tries, each of which reads the object
conflict() {
	serve "{\"PATCH $CMS/a\":[$(failure 409 Conflict "Apply failed" \
		',"details":{"causes":[{"reason":"FieldManagerConflict","message":"conflict with \"'"$1"'\"","field":".data.k"}]}')],
		\"GET $CMS/a\":[$2]}"
	runs 1 "a conflict with $1" apply
}
hex=0123456789abcdef
marks() {
	live '.metadata.annotations = {
		"kpipe.dev/patch-'"$hex$hex"'": "Other.example.com/x/o d p",
		"kpipe.dev/patch-'"${hex//0/f}$hex"'": "Other.example.com/x/p d p",
		"'"$mark"'": "Thing.example.com/default/t d p"}'
}
conflict "kpipe-x-$hex" "$(marks)"
is "$(grep -c "conflict with \"kpipe-x-$hex\"); held by Other.example.com/x/o; we are \"$manager\"\$" "$T/err")" 1 \
	"... names the primary that holds the field" || quote <"$T/err"
conflict "kubectl" "$(marks)"
is "$(grep -c "held by" "$T/err")" 0 "... and none, if it is not of one"
conflict "kpipe-x-$hex" "$(failure 403 Forbidden "configmaps \\\"a\\\" is forbidden: User \\\"u\\\" cannot get resource \\\"configmaps\\\" in API group \\\"\\\" in the namespace \\\"default\\\"")"
is "$(grep -c 'cannot look at it: configmaps "a" is forbidden: User "u" cannot get resource "configmaps"' "$T/err")" 1 \
	"... a right that is missing is named" || quote <"$T/err"
serve "{\"PATCH $CMS/a\":[$(failure 409 Conflict 'uid mismatch')]}"
runs 0 "an object that is gone" apply
is "$(sent)" "PATCH a" "... is left for the next line"
is "$(<"$T/err")" "" "... without an error"

# ---- changed back again and again ----

# owned MANAGER: it has the label team
owned() {
	local fields='{fieldsV1: {"f:metadata": {"f:labels": {"f:team": {}}}}}'

	live '.metadata += {labels: {team: "a"}, annotations: {"'"$mark"'": "x"},
		managedFields: [{manager: "'"$1"'"} + '"$fields"']}'
}
set_line '' '"loops":{"ConfigMap/default/a":".metadata.labels.team"},"status":{"by":"${manager}"}' >"$T/in"
serve "{\"GET $CMS/a\":[$(owned "$manager")]}"
runs 0 "what is right again" apply -o status
is "$(jq -r .status.by "$T/out" | grep -c "$manager")" 0 \
	"... was not changed back by the primary's own manager"
serve "{\"GET $CMS/a\":[$(owned kubectl-label)]}"
runs 0 "what another manager has" apply -o status
is "$(jq -r .status.by "$T/out")" kubectl-label "... was"

# ---- given back ----

set_line '' '"release":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"default","name":"a","uid":"u8"}}]' >"$T/in"
serve "{\"PATCH $CMS/a\":[$(live)]}"
runs 0 "what is given back" apply -v
is "$(query)" "fieldManager=$manager force=true" "... is applied by that manager"
is "$(body 1 | jq -cS .)" \
	'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default","uid":"u8"}}' \
	"... without any field"
is "$(grep -c 'configured ConfigMap default/a, fields were given back' "$T/err")" 1 \
	"... and logged"
serve "{\"PATCH $CMS/a\":[$(live '.metadata.annotations = {"'"$mark"'": "x", "b": "c"}'),$(live)]}"
runs 0 "a mark that others have written, too" apply
is "$(body 2 | jq -cS .)" \
	"{\"metadata\":{\"annotations\":{\"$mark\":null},\"resourceVersion\":\"3\",\"uid\":\"u8\"}}" \
	"... is removed as it was seen"
serve "{\"PATCH $CMS/a\":[$(failure 403 Forbidden denied)]}"
runs 1 "one that cannot be given back" apply
is "$(grep -c 'cannot give back fields of ConfigMap default/a' "$T/err")" 1 \
	"... is told"

# ---- bad lines ----

# bad MESSAGE MEMBERS
bad() {
	set_line "$(cm a 1)" "$2" >"$T/in"
	serve '{}'
	runs 1 "$1" apply
	is "$(<"$T/err")" "kapply: error: line 1: $1" "... is refused"
	is "$(requests)" "" "... without a request"
}
bad 'items[0] is patched: it needs a uid' '"patch":{"ConfigMap/default/a":"take"}'
bad 'reconcile.patch["ConfigMap/default/a"] is neither take nor hold' \
	'"known":{"ConfigMap/default/a":"u8"},"patch":{"ConfigMap/default/a":true}'
bad 'reconcile.patch is not an object' '"patch":[]'
bad 'reconcile.release[0] is patched: it needs a uid' "\"release\":[$(cm b 1)]"
bad 'reconcile.release is not a list' '"release":{}'
done_testing
