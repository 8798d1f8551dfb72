#!/bin/bash
# ireconcile: differences that stay although the item was applied. The object
# answers: it has the code that the apply was sent with.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

# A program without status: nothing but the object tells what kapply did.
write_program
cat >"$T/program.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap",
	metadata: {name: "a-0"}, data: {k: .primary.spec.k, l: "l"}}];
END
PATHS=$(paths_of "$(thing a 1 "" "$(spec 1 v)")")
data() { printf '"data":{"k":"%s","l":"%s"}' "$1" "$2"; }
# seen K L RV [CODE] [METADATA]: the ConfigMap as the server has it
seen() {
	object ConfigMap a-0 "$3" \
		"\"annotations\":{${4:+\"kpipe.dev/accepted\":\"$4\",}\"kpipe.dev/paths\":\"$PATHS\"},$(owner a)${5:+,$5}" \
		"$(data "$1" "$2")"
}
wanted=$(item ConfigMap a-0 a "$(data v l)")
# differs KEYS VERSION: why the item is in the line; VERSION repair
differs() {
	local list="" key why='"version":"'$2'"'

	[ "$2" != repair ] || why='"repair":true'
	for key in $1; do list="$list${list:+,}{\"path\":\".data.$key\"}"; done
	because a-0 "\"differs\":[$list],$why"
}
first() { line "$wanted" a 1 "$(known a-0 uid-a-0),$(differs "$@")"; }
again() {
	line "$(tried "$wanted")" a 1 "$(known a-0 uid-a-0),$(differs "$@")"
}
told() { # [STATUS]
	line "" a 1 "\"events\":[{\"message\":\"ConfigMap/ns/a-0: .data.k: the difference stays after it was applied and is tolerated\",\"reason\":\"DifferenceStays\",\"type\":\"Warning\"}]"
}
start() { # OBJECT: and the time begins
	initially "$(thing a 1 "" "$(spec 1 v)")" "$1"
}
# The code of the difference, as ireconcile sends it.
code_of() { # OBJECT
	{
		start "$1"
		tick 00:10
	} | ireconcile -f "$T/watches.yaml" --clock=input 2>/dev/null |
		jq -r '.items[0].metadata.annotations["kpipe.dev/accepted"] // empty'
}
differ() { [ "$1" = "$2" ] || echo yes; }
code=$(code_of "$(seen v2 l 3)")
is "${#code}" 32 "a request that is repeated has a code"
is "$(code_of "$(seen v2 l 9)")" "$code" "... the same of the same difference"
is "$(differ "$(code_of "$(seen v3 l 3)")" "$code")" yes \
	"... another of another value"
is "$(differ "$(code_of "$(seen v2 m 3)")" "$code")" yes \
	"... and of another field"

# As long as no apply succeeds, the object has no code: nothing is tolerated.
given start "$(seen v2 l 3)"
and tick 00:10
and tick 00:30
and event MODIFIED "$(seen v2 l 4 "" '"labels":{"a":"b"}')"
and tick 01:10
want first k 3
also again k 3
also again k 3
also again k 4
replay 0 "what fails is not tolerated"
says "" "... nor does the log say so"

# The apply succeeded, and the difference is still there.
given start "$(seen v2 l 3)"
and tick 00:10
and event MODIFIED "$(seen v2 l 4 "$code")"
and event MODIFIED "$(seen v2 l 5 "$code" '"labels":{"a":"b"}')"
and tick 10:09
want first k 3
also again k 3
also told
replay 0 "what was accepted and stays is tolerated, whatever else changes"
says "ireconcile: warning: thing.example.com ns/a: the difference stays after it was applied and is tolerated: ConfigMap/ns/a-0: .data.k" \
	"... which is logged once, and an Event"
tick 10:10 >>"$T/in"
again k repair >>"$T/want"
replay 0 "... tried again after ten minutes"
tick 20:10 >>"$T/in"
again k repair >>"$T/want"
replay 0 "... and after ten more"

# Drift beside it.
given start "$(seen v2 l 3)"
and tick 00:10
and event MODIFIED "$(seen v2 l 4 "$code")"
and event MODIFIED "$(seen v2 m 5 "$code")"
and event MODIFIED "$(seen v2 l 6 "$code")"
and tick 01:00
want first k 3
also again k 3
also told
also again "k l" repair
replay 0 "other drift is repaired at once, and the rest is tolerated again"

# Before it is tolerated, too.
given start "$(seen v2 l 3)"
and event MODIFIED "$(seen v2 m 4)" 2026-01-01T00:00:01Z
and event MODIFIED "$(seen v2 l 5)"
and event MODIFIED "$(seen v4 l 6)"
want first k 3
also first "k l" 4
also first k 6
replay 0 "... and before the deadline"

# Another instance, or this one after a restart.
given start "$(seen v2 l 4 "$code")"
and tick 00:30
told >"$T/want"
replay 0 "after a restart nothing is applied"

# Not if the code is of something else.
start "$(seen v3 l 4 "$code")" >"$T/in"
again k 4 >"$T/want"
replay 0 "a code of another difference counts for nothing"

# The request succeeded after all: the code would hide the next change.
given start "$(seen v2 l 3)"
and tick 00:10
and event MODIFIED "$(seen v l 4 "$code")"
and event MODIFIED "$(seen v2 l 5 "$code")"
and event MODIFIED "$(seen v l 6)"
code_differs='"differs":[{"path":".metadata.annotations[\"kpipe.dev/accepted\"]"}],"repair":true'
want first k 3
also again k 3
also line "$wanted" a 1 "$(known a-0 uid-a-0),$(because a-0 "$code_differs")"
also first k repair
replay 0 "a code goes when everything agrees, and hides no drift"

# The generation tells that others wrote after the apply.
given start "$(seen v2 l 3 "" '"generation":4')"
and tick 00:10
and event MODIFIED "$(seen v2 l 4 "$code" '"generation":6')"
want first k 3
also again k 3
also first k repair
replay 0 "what was changed back by others is not tolerated"
sed 's/"generation":6/"generation":5/' "$T/in" >"$T/in2"
mv "$T/in2" "$T/in"
want first k 3
also again k 3
also told
replay 0 "... one change is the apply's own"

# Back and forth is a loop.
given start "$(seen v2 l 3)"
and tick 00:10
and event MODIFIED "$(seen v2 l 4 "$code")"
for i in 11 12 13 14 15; do
	and event MODIFIED "$(seen v2 m "1$i" "$code")" \
		"2026-01-01T00:00:${i}Z"
	and event MODIFIED "$(seen v2 l "2$i" "$code")"
done
and event MODIFIED "$(seen v2 m 300 "$code")"
decide
is "$(grep -c '"items":\[{' "$T/out")" 7 "drift beside it may be a loop"
is "$(grep -c 'is changed by somebody else each time it was repaired' "$T/err")" \
	1 "... which is held back"
given start "$(seen v2 l 3)"
for i in 1 2 3 4 5 6 7 8; do
	and event MODIFIED "$(seen "v$i" l "1$i")" "2026-01-01T00:00:0${i}Z"
done
decide
is "$(grep -c '"items":\[{' "$T/out")" 6 \
	"so is a value that is another after each apply"

# "Reconcile now" tries it again.
given initially "$(thing a 1 '"annotations":{}' "$(spec 1 v)")" \
	"$(seen v2 l 4 "$code")"
and event MODIFIED "$(thing a 2 '"annotations":{"reconcile.fluxcd.io/requestedAt":"now"}' "$(spec 1 v)")"
want told
also line "$(tried "$wanted")" a 2 "$(known a-0 uid-a-0),$(differs k repair)"
replay 0 "a request of a user tries it again"

# The status is ready beside it, and stays so while it is tried again.
cat >>"$T/program.jq" <<'END'
def status: {left: (.outstanding | length)};
END
given initially "$(thing a 1 "" "$(spec 1 v)"',"status":{"left":0}')" \
	"$(seen v2 l 4 "$code")"
and tick 10:00
and event MODIFIED "$(seen v2 m 5 "$code")"
ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" 2>/dev/null |
	jq -c '[(.items | length), .reconcile.status]' >"$T/got"
printf '%s\n' '[0,null]' '[1,null]' '[1,{"left":1}]' >"$T/want"
same "$T/got" "$T/want" \
	"a status sees nothing outstanding, unless something else differs"

# With a key no other client can make a code.
head -c 32 /dev/urandom | base64 -w0 >"$T/key"
given start "$(seen v2 l 3)"
and tick 00:10
with_key=$(ireconcile -f "$T/watches.yaml" --clock=input --marks-key-fd 3 \
	<"$T/in" 3<"$T/key" 2>/dev/null | tail -n 1 |
	jq -r '.items[0].metadata.annotations["kpipe.dev/accepted"]')
is "${#with_key}" 32 "there is a code with a key"
is "$(differ "$with_key" "$code")" yes "... which depends on it"

# A list of a custom resource to which others add.
watches dependents: '- {apiVersion: example.com/v1, kind: Part, manage: true}'
cat >"$T/program.jq" <<'END'
def desired: [{apiVersion: "example.com/v1", kind: "Part",
	metadata: {name: "p"}, spec: {list: [{name: "a", v: 1}, {name: "b"}]}}];
END
PATHS=$(paths_of "$(thing a 1 "" "$(spec 1 v)")")
part() { # RV LIST [CODE]
	printf '{"apiVersion":"example.com/v1","kind":"Part",%s,"spec":{"list":[%s]}}' \
		"$(meta p "$1" "\"annotations\":{${3:+\"kpipe.dev/accepted\":\"$3\",}\"kpipe.dev/paths\":\"$PATHS\"},$(owner a)")" "$2"
}
ours='{"name":"a","v":1},{"name":"b"}'
theirs='{"name":"x","v":7}'
code=$({
	start "$(part 3 "$theirs,$ours")"
	tick 00:10
} | ireconcile -f "$T/watches.yaml" --clock=input 2>/dev/null |
	jq -r '.items[0].metadata.annotations["kpipe.dev/accepted"] // empty')
count() { # LIST...: how many lines have an item
	local rv=4 list

	{
		start "$(part 3 "$theirs,$ours" "$code")"
		for list; do
			event MODIFIED "$(part $((rv++)) "$list" "$code")"
		done
	} | ireconcile -f "$T/watches.yaml" --clock=input 2>/dev/null |
		jq -s 'map(select(.items != [])) | length'
}
is "$(count)" 0 "a list to which others add is tolerated"
is "$(count "$ours,$theirs" "$theirs,$ours,$theirs" '{"name":"x"},'"$ours")" \
	0 "... whatever they add"
is "$(count "$theirs,{\"name\":\"b\"}")" 1 \
	"... unless an element of ours is missing"
is "$(count "$theirs,{\"name\":\"a\",\"v\":2},{\"name\":\"b\"}")" 1 \
	"... or is another"
done_testing
