#!/bin/bash
# ireconcile: a primary that was deleted while its finalizer was being set: the
# finalizer kept nothing, and what it had is cleaned up all the same.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

entry() { # [MEMBER]: of the entry
	watches 'finalizer: example.com/x' "${1:-namespaces: []}" dependents: \
		'- {apiVersion: v1, kind: ConfigMap, manage: true, namespaces: []}'
}
desires='def desired: [{apiVersion: "v1", kind: "ConfigMap",
	metadata: {name: "c", namespace: "far"}}];
	def status: {n: 1};'
echo "$desires" >"$T/program.jq"
entry
PATHS=$(paths_of "$(thing a 1)")
member() { # RV
	where=far object ConfigMap c "$1" \
		"$(marks ConfigMap/far/c "" "\"kpipe.dev/paths\":\"$PATHS\"")"
}
has='"finalizers":["example.com/x"]'
a() { # RV [METADATA]: of version 3 with another status than the program's
	thing a "$1" "${2:-$has}" "\"status\":{\"n\":$((1 + ($1 == 3)))}"
}
complete() {
	tick 00:00
	initially
}
# gives WHAT WANT [LOG]: of $T/in; each line as its version of the primary, what
# it deletes, whether it is a deletion, and its finalizers and status
gives() {
	decide
	is "$(jq -c '[.reconcile | .primary.resourceVersion,
		(.delete // [] | map(.name) | join(" ")), .deleting,
		.finalizers, .status]' "$T/out")" "$2" "$1"
	is "$(<"$T/err")" "${3-$torn}" "... what is logged"
}
torn='ireconcile: warning: thing.example.com ns/a: deleted while its finalizer was being set, which kept nothing: what it had is cleaned up'

# The usual end of a line, by now without the primary.
given complete
and event ADDED "$(a 1)"
and event ADDED "$(member 2)"
and event DELETED "$(a 3)" 2026-01-01T00:00:01Z
creates='["1","",null,null,null]'
deletes='["3","c",true,null,null]'
gives "its members are deleted" "$creates
$deletes"
and event DELETED "$(member 4)"
and tick 00:30
and tick 20:00
gives "... and then it is over: no finalizer is removed" "$creates
$deletes"
and event ADDED "$(member 5)"
and tick 30:00
gives "... so a later one of its marks is an orphan" "$creates
$deletes" "$torn
ireconcile: warning: thing.example.com ns/a: ConfigMap/far/c is an orphan: it belongs to this object, which does not exist"

# A member that was under way when the primary was deleted.
given complete
and event ADDED "$(a 1)"
and event DELETED "$(a 3)" 2026-01-01T00:00:01Z
and event ADDED "$(member 2)" 2026-01-01T00:00:09Z
gives "a member that is observed later" "$creates
[\"3\",\"\",true,null,null]
$deletes"
event DELETED "$(a 3)" 2026-01-01T00:00:10Z >>"$T/in"
gives "... the same event again" "$creates
[\"3\",\"\",true,null,null]
$deletes"

# kwatch lists all primaries again meanwhile: it is in no list.
given complete
and event ADDED "$(a 1)"
and event DELETED "$(a 3)" 2026-01-01T00:00:01Z
and tick 00:02
and begin example.com/v1 Thing
and end example.com/v1 Thing
and event ADDED "$(member 2)" 2026-01-01T00:00:09Z
and event DELETED "$(member 4)"
and tick 20:00
gives "a new list of primaries" "$creates
[\"3\",\"\",true,null,null]
$deletes"

# With finalize, which sees the last object.
echo "$desires
	def finalize: {items: [], delete: .owned.ConfigMap,
	done: (.owned.ConfigMap == [] and .primary.metadata.deletionTimestamp != null)};" \
	>"$T/program.jq"
given complete
and event ADDED "$(a 1)"
and event ADDED "$(member 2)"
and event DELETED "$(a 3)" 2026-01-01T00:00:01Z
and event DELETED "$(member 4)"
and tick 20:00
gives "finalize says what is deleted" "$creates
$deletes"
echo "$desires" >"$T/program.jq"

# Never seen before: kwatch has merged the events.
given complete
and event ADDED "$(member 2)"
and event DELETED "$(a 3)" 2026-01-01T00:00:01Z
gives "one that was not seen before" "$deletes"

# Another one of its name ends it.
given complete
and event ADDED "$(a 1)"
and event DELETED "$(a 3)" 2026-01-01T00:00:01Z
and event ADDED "$(a 5 | sed 's/uid-a/uid-b/')"
gives "another one of its name" "$creates
[\"3\",\"\",true,null,null]
[\"5\",\"\",null,null,null]"

# ---- what is not torn ----

whole() { # DELETED-OBJECT
	complete
	event ADDED "$(a 1)"
	event ADDED "$(member 2)"
	event DELETED "$1" 2026-01-01T00:00:01Z
}
whole "$(a 3 '"generation":1')" >"$T/in"
gives "without the finalizer" "$creates" ""
whole "$(a 3 "$has,$dying")" >"$T/in"
gives "with a deletionTimestamp" "$creates" ""
whole "$(a 3 | sed 's/"finalizers":[^]]*\]/"annotations":{"kpipe.dev\/synthetic":"true"}/')" \
	>"$T/in"
gives "an event that kwatch made up" "$creates" ""
entry 'selector: {matchLabels: {team: a}}'
leaves="selector \"team=a\" does not select it any more, and it has the finalizer example.com/x: what was made for it stays, and a deletion waits for that; label it so that it is selected, or remove the finalizer when all is cleaned up"
leaves_="ireconcile: warning: thing.example.com ns/a: $leaves"
whole "$(a 3 "$has,\"labels\":{\"team\":\"a\"}")" |
	sed 's/"finalizers":\["example.com\/x"\]}/"finalizers":["example.com\/x"],"labels":{"team":"a"}}/' >"$T/in"
gives "one that is not selected any more" "$creates" "$leaves_"
sed 's/"finalizers":[^]]*\],*//g' "$T/in" >"$T/in2" && mv "$T/in2" "$T/in"
gives "... without our finalizer" '["1","",null,{"add":["example.com/x"]},null]' ""
whole "$(a 3 "$has,\"labels\":{\"team\":\"a\"}")" |
	sed '/"ADDED".*"Thing"/s/"finalizers":\[[^]]*\]/"labels":{"team":"a"}/' >"$T/in"
gives "... with one that was set just before" \
	'["1","",null,{"add":["example.com/x"]},null]' "$leaves_"
selected="$has,\"labels\":{\"team\":\"a\"}"
# goes OBJECT DELETED: a primary that is selected, and its end
goes() {
	complete
	event ADDED "$(member 2)"
	event ADDED "$1"
	tick 00:01
	event DELETED "$2" 2026-01-01T00:00:02Z
}
removes='["1","c",true,null,null]
["1","",null,null,null]'
goes "$(a 1 "$selected,$dying")" "$(a 3 "$selected,$dying")" >"$T/in"
gives "one that is being deleted, and has a member" "$removes" \
	"${leaves_/a: sel/a: gone, or sel}"
goes "$(a 1 "$selected,$dying")" "$(a 3 "$selected,$dying")" |
	grep -v '"name":"c"' >"$T/in"
gives "one whose finalizer was removed" \
	'["1","",true,{"remove":["example.com/x"]},null]' ""

done_testing
