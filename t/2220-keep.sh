#!/bin/bash
# ireconcile: keep(OBJECT), a member that is neither changed nor pruned, nor
# created; with the example of doc/program.md.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

write_program
cat >"$T/program.jq" <<'END'
include "operator";
def map($n): {apiVersion: "v1", kind: "ConfigMap", metadata: {name: $n}};
def desired: [.primary.spec.keep[]? | keep(map(.))]
	+ [.primary.spec.make[]? | map(.) | .data = {k: "v"}];
def status: {n: (.outstanding | length), error: .error};
END
wants() { # KEEP MAKE
	printf '"spec":{"keep":%s,"make":%s}' "$1" "$2"
}
state='"status":{"error":null,"n":0}'

# What is there is another one's idea of it, or on its way out.
initially "$(thing a 1 "" "$(wants '["x","y","gone"]' '[]'),$state")" \
	"$(object ConfigMap x 2 "$(owner a)" '"data":{"k":"other"}')" \
	"$(object ConfigMap y 3 "$(owner a),\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"")" >"$T/in"
silent 0 "members are left as they are, and what is not there is not created"
event MODIFIED "$(object ConfigMap x 4 "$(owner a)" '"data":{"k":"more"}')" \
	>>"$T/in"
replay 0 "... whatever others do to them"
event MODIFIED "$(object ConfigMap x 5 '"labels":{"a":"b"}')" >>"$T/in"
replay 0 "... and when they are no longer members"
line "" a 1 "$state" >"$T/want"
replay 0 "... they are in no whole set either" --all

# Of other members nothing has changed.
initially "$(thing a 1 "" "$(wants '["x"]' '[]'),$state")" \
	"$(object ConfigMap x 2 "$(owner a)")" \
	"$(object ConfigMap z 3 "$(owner a)")" >"$T/in"
line "" a 1 '"delete":[{"apiVersion":"v1","kind":"ConfigMap","namespace":"ns","name":"z","uid":"uid-z"}],"status":{"error":null,"n":1},"onError":{"error":"${error}","n":1}' \
	>"$T/want"
replay 0 "another member is pruned"

# Created, and kept from then on: the request of it is done.
sed -i '/def status/d' "$T/program.jq"
given initially "$(thing a 1 "" "$(wants '[]' '["x"]')")"
and event ADDED "$(object ConfigMap x 2 "$(owner a)")"
and event MODIFIED "$(thing a 3 "" "$(wants '["x"]' '[]')")"
line "$(item ConfigMap x a '"data":{"k":"v"}')" a 1 "$(known x null)" \
	>"$T/want"
replay 0 "what was created and is kept now is not asked for again"

# Neither the primary, nor what cannot be a member.
cat >"$T/program.jq" <<'END'
include "operator";
def desired: [keep({apiVersion: "v1", kind: "Service", metadata: {name: "x"}})];
def status: {error: .error};
END
thing a 1 >"$T/in"
line "" a 1 '"status":{"error":"Service of v1 is not a dependent with manage: true; write \"- {apiVersion: v1, kind: Service, manage: true}\" into dependents of the entry at '"$T"'/watches.yaml:1"}' \
	>"$T/want"
replay 1 "a kind that is not managed is an error"

# The example.
example() { # LANGUAGE WORD: the page's block of that name
	sed -n '/^```'"$1 $2"'$/,/^```$/{/^```/!p}' doc/program.md
}
example jq keep >"$T/program.jq"
watches 'desiredReads: [owned]' \
	'dependents: [{apiVersion: batch/v1, kind: Job, manage: true}]'
job() { # N: as the server has it
	printf '{"apiVersion":"batch/v1","kind":"Job",%s,"spec":{"parallelism":1,"completions":1}}' \
		"$(meta "a-$1" "1$1" "$(owner a),\"creationTimestamp\":\"2026-01-01T00:00:0$1Z\"")"
}
run() { # N [STATUS]
	event MODIFIED "$(thing a "$1" "" "\"spec\":{\"run\":$1,\"image\":\"i\"}${2:+,\"status\":$2}")" \
		"2026-01-01T00:00:0$1Z"
}
{
	end batch/v1 Job
	run 1
	end example.com/v1 Thing
	for n in 1 2 3 4; do
		event ADDED "$(job "$n")" "2026-01-01T00:00:0$n.5Z"
		[ "$n" = 4 ] || run $((n + 1))
	done
} >"$T/in"
decided 0 "the example of doc/program.md"
jq -c '[.items[].metadata.name] +
	[.reconcile | .delete // [] | .[].name | "-" + .]
	+ [.reconcile.status.jobs | length]' "$T/out" >"$T/got"
cat >"$T/want" <<'END'
["a-1",0]
[1]
["a-2",1]
[2]
["a-3",2]
[3]
["a-4",3]
["-a-1",4]
END
same "$T/got" "$T/want" "... a Job each, which is not touched, and three stay"
done_testing
