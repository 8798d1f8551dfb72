#!/bin/bash
# ireconcile: the message of a failed apply, which kapply has written into the
# status, is `.error` of the program from then on.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

watches 'dependents: [{apiVersion: v1, kind: ConfigMap, manage: true}]'
exists='cannot apply ConfigMap ns/a: it exists'
quota='cannot apply ConfigMap ns/a: quota'

# program STATUS
program() {
	cat >"$T/program.jq" <<-END
	include "operator";
	def desired: [config_map("a"; {}; {k: "v"})];
	def status: $1;
	END
}
# written RV STATUS: it is observed
written() {
	event MODIFIED "$(thing t "$1" "" "\"status\":$2")"
}
# fails_with WHAT WANT: what onError is in each line of the output for $T/in
fails_with() {
	decided 0 "$1: exit code"
	is "$(jq -c .reconcile.onError "$T/out")" "$2" "$1"
}
reason='if .error == null then "Waiting" elif .error | test("exists")
	then "Exists" else "Other" end'

program "{reason: ($reason), message: .error}"
initially "$(thing t 1)" >"$T/in"
fails_with "before an apply the message is not known" \
	'{"message":"${error}","reason":"Other"}'
written 2 "{\"reason\":\"Other\",\"message\":\"$exists\"}" >>"$T/in"
fails_with "the program sees it as soon as it was written" \
	'{"message":"${error}","reason":"Other"}
{"message":"${error}","reason":"Exists"}'
written 3 "{\"reason\":\"Exists\",\"message\":\"$exists\"}" >>"$T/in"
fails_with "... and nothing more is to be written then" \
	'{"message":"${error}","reason":"Other"}
{"message":"${error}","reason":"Exists"}'
written 4 "{\"reason\":\"Exists\",\"message\":\"$quota\"}" >>"$T/in"
fails_with "another message" \
	'{"message":"${error}","reason":"Other"}
{"message":"${error}","reason":"Exists"}
{"message":"${error}","reason":"Other"}'
written 5 "{\"reason\":\"Other\",\"message\":\"$quota\"}" >>"$T/in"
fails_with "... is settled, too" \
	'{"message":"${error}","reason":"Other"}
{"message":"${error}","reason":"Exists"}
{"message":"${error}","reason":"Other"}'

# It is forgotten with what has failed.
member=$(jq -c '.items[0] | .metadata += {uid: "uid-a", resourceVersion: "9"}' \
	"$T/out" | head -1)
given initially "$(thing t 1)"
and written 2 "{\"reason\":\"Other\",\"message\":\"$exists\"}"
and written 3 "{\"reason\":\"Exists\",\"message\":\"$exists\"}"
and event ADDED "$member"
and event DELETED "$member"
decided 0 "the object comes and goes: exit code"
is "$(jq -c '[.items[].kind, .reconcile.onError.reason]' "$T/out" |
	sed -n '1,2p;$p')" '["ConfigMap","Other"]
["ConfigMap","Exists"]
["ConfigMap","Other"]' "... the message of another failure is not assumed"

# Parts of it, and texts around it
program '{short: (.error // "" | .[:13]), length: (.error | length),
	message: "no: \(.error)!"}'
given initially "$(thing t 1)"
and written 2 "{\"short\":\"$exists\",\"length\":8,\"message\":\"no: $exists!\"}"
fails_with "a part of it is not replaced by another message" \
	'{"length":8,"message":"no: ${error}!","short":"${error}"}
{"length":38,"message":"no: ${error}!","short":"cannot apply "}'

# A program that only passes it on has no more lines than before.
program '{phase: (if .error then "Failed" else "Busy" end), reason: .error,
	list: [{message: .error}]}'
given initially "$(thing t 1)"
and written 2 "{\"phase\":\"Failed\",\"reason\":\"$exists\",\"list\":[{\"message\":\"$exists\"}]}"
and written 3 "{\"phase\":\"Failed\",\"reason\":\"$quota\",\"list\":[{\"message\":\"$quota\"}]}"
fails_with "a program that does not look into it" \
	'{"list":[{"message":"${error}"}],"phase":"Failed","reason":"${error}"}'

# A word is not a message: it could stand anywhere in the status.
program '{message: (.error // "Busy"), all: "Busy", n: (.error | length)}'
given initially "$(thing t 1)"
and written 2 '{"message":"Busy","all":"Busy","n":8}'
fails_with "a word in its place" '{"all":"Busy","message":"${error}","n":8}'
done_testing
