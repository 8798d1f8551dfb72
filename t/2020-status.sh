#!/bin/bash
# ireconcile: statuses, failures, events, once and if_exists.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

write_program
spec1=$(spec 1 v)
failed() {
	printf '"status":{"busy":true,"error":"%s","pods":[]}' "$1"
}

# kapply wrote our onError: that agrees while something is outstanding ...
there "$(thing a 1 "" "$spec1,$(failed "the reason")")" >"$T/in"
line "$(configmap a-0 a v)" a 1 "$(known a-0 null),$(on_error)" >"$T/want"
replay 0 "an observed onError agrees"

# ... and not when nothing is.
event ADDED "$(observed a-0 a v 7)" >>"$T/in"
begin v1 Pod >"$T/p"
end v1 Pod >>"$T/p"
cat "$T/in" "$T/p" >"$T/x" && mv "$T/x" "$T/in"
line "" a 1 "$(status false)" >"$T/want"
replay 0 "an observed onError goes when nothing is outstanding"

# The status is owned whole: members that the program does not give are removed.
there "$(observed a-0 a v 7)" \
	"$(thing a 1 "" "$spec1"',"status":{"busy":false,"old":1}')" >"$T/in"
replay 0 "a field of the status that is dropped"

# A program that fails for one primary: it gets a status and no items; the
# others go on.
sed -i 's/^def desired: /&if .primary.spec.k == "bad" then error("no \\(.primary.spec.k) things") else . end | /' \
	"$T/program.jq"
there "$(thing a 1 "" "$(spec 1 bad)")" "$(thing b 1 "" "$(spec 1 v)")" \
	"$(observed a-0 a v 7)" >"$T/in"
want line "" a 1 '"status":{"busy":false,"error":"no bad things","pods":[]}'
also creates b 1
replay 1 "a program that fails for one primary"
says "ireconcile: error: thing.example.com ns/a: no bad things" "... names it"

# desired COMMENT JQ MESSAGE: `desired` gives something that is not usable.
desired() {
	cp "$T/program.jq" "$T/saved.jq"
	printf 'def desired: %s;\ndef status: {e: .error};\n' "$2" \
		>"$T/program.jq"
	thing a 1 "" "$spec1" >"$T/in"
	line "" a 1 "\"status\":{\"e\":\"${3//\"/\\\"}\"}" >"$T/want"
	replay 1 "$1"
	is "$(<"$T/err")" "ireconcile: error: thing.example.com ns/a: $3" \
		"... is logged"
	mv "$T/saved.jq" "$T/program.jq"
}
cm='{apiVersion:"v1",kind:"ConfigMap",metadata:{name:"x"}}'
desired "a kind without a managed entry" \
	'[{apiVersion:"apps/v1",kind:"Deployment",metadata:{name:"x"}}]' \
	"Deployment of apps/v1 is not a dependent with manage: true; write \"- {apiVersion: apps/v1, kind: Deployment, manage: true}\" into dependents of the entry at $T/watches.yaml:1"
desired "... because of its group" \
	'[{apiVersion:"apps/v1",kind:"ConfigMap",metadata:{name:"x"}}]' \
	"ConfigMap of apps/v1 is not a dependent with manage: true; the one at $T/watches.yaml:6 is of v1"
desired "... because of a letter" \
	'[{apiVersion:"v1",kind:"Configmap",metadata:{name:"x"}}]' \
	"Configmap of v1 is not a dependent with manage: true; did you mean ConfigMap, as at $T/watches.yaml:6?"
desired "... because it is the primary" '[.primary]' \
	"Thing of example.com/v1 is not a dependent with manage: true; it is the kind of the primaries"
desired "a kind that is only observed" \
	'[{apiVersion:"v1",kind:"Pod",metadata:{name:"x"}}]' \
	"Pod of v1 is not a dependent with manage: true; write \"manage: true\" at $T/watches.yaml:7"
desired "an item in another namespace, without finalizer" \
	"[$cm | .metadata.namespace = \"other\"]" \
	"ConfigMap/other/x cannot have this owner, so it has to be cleaned up; write \"finalizer: example.com/cleanup\" into the entry at $T/watches.yaml:1"
desired "the same item twice, once with its namespace" \
	"[$cm, ($cm | .metadata.namespace = \"ns\")]" \
	'ConfigMap/ns/x is desired twice'
desired "a number that would lose digits" \
	"[$cm | .spec = {k: 9007199254740993}]" \
	'ConfigMap/ns/x: .spec.k is an integer beyond 2^53: digits would be lost'

# once and if_exists.
cat >"$T/program.jq" <<'END'
include "operator";
def cm($n): {apiVersion: "v1", kind: "ConfigMap", metadata: {name: $n}, data: {k: "v"}};
def desired: [once(cm("a-0")), if_exists(cm("a-1"))];
END
thing a 1 >"$T/in"
line "$(configmap a-0 a v)" a 1 "$(known a-0 null),\"once\":[\"ConfigMap/ns/a-0\"]" \
	>"$T/want"
replay 0 "once is marked, what does not exist is left alone"
given thing a 1
and observed a-0 a w 2
and observed a-1 a w 2
line "$(configmap a-0 a v),$(configmap a-1 a v)" a 1 \
	"$(known a-0 uid-a-0 a-1 uid-a-1),$(because a-0 2 |
		sed 's/:\({"differs.*\)}}$/:\1,"ConfigMap\/ns\/a-1":\1}}/')" >"$T/want"
replay 0 "... when they exist, both are kept as desired"

# A condition that is not observed yet keeps its time.
cat >"$T/program.jq" <<'END'
def desired: [];
def status: {conditions: [{type: "Ready", lastTransitionTime: (.now | todate), status: .primary.spec.k}]};
END
given initially
and event ADDED "$(thing a 1 "" "$(spec 1 True)")" 2026-01-01T00:00:01Z
and event MODIFIED "$(thing a 2 "" "$(spec 1 True)")" 2026-01-01T00:00:02Z
and event MODIFIED "$(thing a 3 "" "$(spec 1 False)")" 2026-01-01T00:00:03Z
ready() {
	printf '"status":{"conditions":[{"lastTransitionTime":"2026-01-01T00:00:0%sZ","status":"%s","type":"Ready"}]}' "$1" "$2"
}
want line "" a 1 "$(ready 1 True)"
also line "" a 3 "$(ready 3 False)"
replay 0 "the time of a condition says nothing new"

# An Event is printed once, unless its content changes ...
cat >"$T/program.jq" <<'END'
def desired: [];
def status: {};
def events: [.primary.spec.e // empty | {type: "Normal", reason: "Said", message: .}];
END
say() { printf '"spec":{"e":"%s"}' "$1"; }
said() { printf '"events":[{"message":"%s","reason":"Said","type":"Normal"}]' "$1"; }
given event ADDED "$(thing a 1 "" "$(say one)")"
and initially "$(thing a 1 "" "$(say one)")"
and event MODIFIED "$(thing a 2 "" "$(say one)")"
and event MODIFIED "$(thing a 3 "" "$(say two)")"
want line "" a 1 "$(said one)"
also line "" a 3 "$(said two)"
replay 0 "events are sent once"

# ... also on a line that is printed for another reason.
sed -i 's/^def status: .*/def status: {k: .primary.spec.k};/' "$T/program.jq"
given initially
and event ADDED "$(thing a 1 "" '"spec":{"e":"one","k":1}')"
and event MODIFIED "$(thing a 2 "" '"spec":{"e":"one","k":2}')"
want line "" a 1 "\"status\":{\"k\":1},$(said one)"
also line "" a 2 '"status":{"k":2}'
replay 0 "... not again with another status"

# manageStatus: false and another limit.
sed 's/  program:/  manageStatus: false\n  maxConcurrentReconciles: 3\n&/' \
	"$T/watches.yaml" >"$T/w" && mv "$T/w" "$T/watches.yaml"
cat >"$T/program.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "a-0"}, data: {k: "v"}}];
def status: {x: 1};
END
thing a 1 >"$T/in"
line "$(configmap a-0 a v)" a 1 "$(known a-0 null)" |
	sed 's/}}$/,"maxConcurrentReconciles":3}}/' >"$T/want"
replay 0 "manageStatus and maxConcurrentReconciles"

# A guarded status is valid for the version that was read: with every new
# version it is requested again, at once, until it is observed.
sed 's/  manageStatus: false/  guardStatus: true/; /maxConcurrent/d' \
	"$T/watches.yaml" >"$T/w" && mv "$T/w" "$T/watches.yaml"
cat >"$T/program.jq" <<'END'
def desired: [];
def status: {x: 1};
END
given initially "$(thing a 1)"
and event MODIFIED "$(thing a 2 '"annotations":{"x":"1"}')"
and event MODIFIED "$(thing a 3 "" '"status":{"x":1}')"
and event MODIFIED "$(thing a 4 '"annotations":{"x":"2"}' '"status":{"x":1}')"
for rv in 1 2; do
	line "" a $rv '"status":{"x":1},"guardStatus":true'
done >"$T/want"
replay 0 "a guarded status"
sed 's/guardStatus: true/guardStatus: perhaps/' "$T/watches.yaml" >"$T/w" &&
	mv "$T/w" "$T/watches.yaml"
runs 100 "guardStatus that is neither true nor false" \
	ireconcile -f "$T/watches.yaml" </dev/null
says "ireconcile: fatal: $T/watches.yaml:$(
	grep -n perhaps "$T/watches.yaml" | cut -d: -f1): guardStatus must be true or false, not \"perhaps\"" \
	"... is named"


write_program

# A program's message about its input is escaped: it cannot move a cursor.
cat >"$T/program.jq" <<'END'
def desired: error(.primary.spec.e);
def status: {e: .error};
END
# shellcheck disable=SC1003
seen='a\x1b[31m\nb\u202e\u0085c é'
thing a 1 "" '"spec":{"e":"a\u001b[31m\nb\u202e\u0085c \u00e9"}' >"$T/in"
runs 1 "an error with what cannot be seen" \
	ireconcile -f "$T/watches.yaml" <"$T/in"
is "$(jq -r .reconcile.status.e "$T/out")" "$seen" "... in .error it is escaped"
says "ireconcile: error: thing.example.com ns/a: $seen" "... as in the log"

# A failure that no status tells is an Event, sent once.
cat >"$T/program.jq" <<'END'
def checked: if .primary.spec.e then error(.primary.spec.e) else . end;
def desired: checked | [];
def status: checked | {e: .error};
END
given initially
and event ADDED "$(thing a 1 "" '"spec":{"e":"no"}')"
and event MODIFIED "$(thing a 2 "" '"spec":{"e":null}')"
and event MODIFIED "$(thing a 3 "" '"spec":{"e":"other"}')"
and event MODIFIED "$(thing a 4 "" '"spec":{"e":"other"}')"
failed() {
	printf '"events":[{"message":"%s","reason":"FailedProgram","type":"Warning"}]' "$1"
}
want line "" a 1 "$(failed no)"
also line "" a 3 "$(failed other)"
replay 1 "a failure that the status fails to tell"
sed -i 's/^def status: .*/def status: if .error then null else {} end;/' \
	"$T/program.jq"
replay 1 "... or leaves out"

# Another function than desired fails: then, too, nothing is applied or pruned.
# failing FUNCTION BODY
failing() {
	cat >"$T/program.jq" <<-'END'
		def desired: [{apiVersion: "v1", kind: "ConfigMap",
			metadata: {name: "new"}, data: {k: "v"}}];
	END
	echo "$2" >>"$T/program.jq"
	there "$(observed old a v 7)" "$(thing a 1 "" "$spec1")" >"$T/in"
	line "" a 1 '"status":{"e":"no"}' >"$T/want"
	replay 1 "$1 fails: no items, no deletes, its status"
}
ok_status='def status: if .error then {e: .error} else {} end;'
failing status 'def status: if .error then {e: .error} else error("no") end;'
failing requeue "$ok_status def requeue: error(\"no\");"
failing events "$ok_status def events: error(\"no\");"

# A set that is longer than a line may be is an error of its primary.
cat >"$T/program.jq" <<'END'
def desired: .primary.metadata.name as $n
	| [range(if $n == "big" then 3 else 0 end)
	| {apiVersion: "v1", kind: "ConfigMap", metadata: {name: "\($n)-\(.)"},
	   data: {k: ("\"" * 3000000)}}];
def status: {ok: true} + if .error then {ok: false, error} else {} end;
END
there "$(thing big 1)" "$(thing c 1)" >"$T/in"
large='the desired set is longer than 16711680 bytes as one line'
want line "" big 1 "\"status\":{\"error\":\"$large\",\"ok\":false}"
also line "" c 1 '"status":{"ok":true}'
replay 1 "a set that is too large"
says "ireconcile: error: thing.example.com ns/big: $large" \
	"... is an error of its primary"
event MODIFIED "$(thing big 2 "" '"status":{"error":"'"$large"'","ok":false}')" \
	>>"$T/in"
line "" c 1 '"status":{"ok":true}' >"$T/want"
replay 1 "... whose status stays"

done_testing
