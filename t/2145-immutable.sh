#!/bin/bash
# ireconcile: fields that the API server accepts only at creation (immutable):
# if the object exists, its own values of these are desired.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

watches 'dependents: [{apiVersion: apps/v1, kind: StatefulSet, manage: true}]'
cat >"$T/program.jq" <<'END'
include "operator";
def desired: [statefulset("s"; {a: "b"}; {
    replicas: .primary.spec.n,
    containers: [],
    volumeClaimTemplates: [claim("c"; .primary.spec.size)]
  }) | immutable(.spec.volumeClaimTemplates, .spec.podManagementPolicy)];
def status: {outstanding: (.outstanding | length)};
END

wants() { # SPEC RV
	event ADDED "$(thing t "$2" "\"generation\":$2" "\"spec\":$1")" \
		"2026-01-01T00:00:0$2Z"
}

# seen TIME TYPE FILTER: the item of $T/line as the server has it
seen() {
	jq -c --arg time "2026-01-01T00:00:0$1Z" --arg type "$2" \
		'{type: $type, time: $time, object: (.items[0]
		| .metadata += {uid: "s1", resourceVersion: $time}
		| .spec.podManagementPolicy = "OrderedReady"
		| .spec.volumeClaimTemplates[]? |= (.spec.volumeMode = "Filesystem"
			| .metadata.creationTimestamp = null
			| .status = {phase: "Pending"})
		| '"${3:-.}"')}' "$T/line"
}

# lines: replicas and claims in the lines for the events on stdin
lines() {
	ireconcile -f "$T/watches.yaml" --clock=input --sandbox=off \
		>"$T/lines" 2>"$T/err"
	cat "$T/err"
	jq -c '.items[] | [.spec.replicas, .spec.podManagementPolicy,
		(.spec.volumeClaimTemplates // [] | map([.metadata.labels,
		.spec.resources.requests.storage, .spec.volumeMode]))]' "$T/lines"
}

old='.spec.volumeClaimTemplates[0] |= (.metadata.labels = {x: "y"}
	| .spec.resources.requests.storage = "2Gi")'
is "$({ end_all; wants '{"n": 1, "size": "1Gi"}' 1; } | lines)" \
	'[1,null,[[null,"1Gi",null]]]' "a new one is as the program says"
head -n 1 "$T/lines" >"$T/line"
is "$({ end_all; wants '{"n": 1, "size": "1Gi"}' 1; seen 2 ADDED; } | lines)" \
	'[1,null,[[null,"1Gi",null]]]' "... and agrees when it is there"
is "$({ end_all; seen 0 ADDED; wants '{"n": 1, "size": "1024Mi"}' 1; } | lines)" \
	"" "... in other words, too"

# An object that exists with other values keeps these; all else is as desired.
is "$({ end_all; seen 0 ADDED "$old"; wants '{"n": 1, "size": "1Gi"}' 1; } | lines)" \
	'[1,null,[[{"x":"y"},"2Gi","Filesystem"]]]' "another value stays"
head -n 1 "$T/lines" >"$T/kept"
cp "$T/line" "$T/first"
cp "$T/kept" "$T/line"
is "$({ end_all; seen 0 ADDED; wants '{"n": 1, "size": "1Gi"}' 1; } | lines)" "" \
	"... then it agrees"
is "$({ end_all; seen 0 ADDED; wants '{"n": 1, "size": "1Gi"}' 1
	wants '{"n": 2, "size": "1Gi"}' 2; } | lines)" \
	'[2,null,[[{"x":"y"},"2Gi","Filesystem"]]]' "... and follows a change of the rest"
is "$({ end_all; seen 0 ADDED; wants '{"n": 1, "size": "1Gi"}' 1
	seen 2 DELETED; } | lines)" \
	'[1,null,[[null,"1Gi",null]]]' "created again it is as the program says"
is "$({ end_all; wants '{"n": 1, "size": "1Gi"}' 1
	seen 2 ADDED "del(.spec.volumeClaimTemplates)"; } | lines | tail -n 1)" \
	'[1,null,[]]' "what it has not stays away"
is "$({ end_all; wants '{"n": 1, "size": "1Gi"}' 1; seen 2 ADDED; } |
	ireconcile -f "$T/watches.yaml" --clock=input |
	jq .reconcile.status.outstanding)" "1
0" "nothing is outstanding of it"
done_testing
