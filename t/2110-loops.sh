#!/bin/bash
# ireconcile: another client changes repaired objects back.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

write_program
sed -i '/^def status/,$d' "$T/program.jq"
# fight MINUTE:SECOND RV: the item is changed, and repaired half a second later
fight() {
	event MODIFIED "$(observed a-0 a other "1$2")" "2026-01-01T00:$1Z"
	event MODIFIED "$(observed a-0 a v "2$2")" "2026-01-01T00:$1.5Z"
}
repair() { # [REST]
	line "$(configmap a-0 a v)" a 1 \
		"$(known a-0 uid-a-0)${1:+,$1},$(because a-0 "$repaired")"
}
# repairs N [M]: so many, and M of a loop
repairs() {
	local i

	for ((i = 0; i < $1; i++)); do repair; done
	for ((i = 0; i < ${2:-0}; i++)); do repair "$loops"; done
}
loops='"loops":{"ConfigMap/ns/a-0":".data.k"}'
found='ireconcile: warning: thing.example.com ns/a: ConfigMap/ns/a-0: .data.k is changed by somebody else each time it was repaired'
over='ireconcile: thing.example.com ns/a: ConfigMap/ns/a-0: .data.k is not changed back any more'

# Five times in ten minutes are a loop: logged once, held back.
given initially "$(thing a 1 "" "$(spec 1 v)")" "$(observed a-0 a v 2)"
for i in 10 11 12 13 14 15 16; do and fight 00:$i $i; done
and event MODIFIED "$(observed a-0 a other 300)" 2026-01-01T00:00:17Z
and tick 00:23.999
repairs 4 1 >"$T/want"
replay 0 "a loop is held back"
says "$found" "... and said once"
tick 00:24 >>"$T/in"
repair "$loops" >>"$T/want"
replay 0 "... 10 s after the last repair it is tried again"
fight 00:25 400 >>"$T/in"
tick 00:43.999 >>"$T/in"
replay 0 "... then 20 s later"

# If it is not changed back, the loop is over: the next change counts as the
# first.
and tick 00:44
for i in 45 46 47 48; do and fight 00:$i $i; done
repairs 4 >>"$T/want"
replay 0 "a loop that is over is forgotten"
says "$found"$'\n'"$over" "... and that is said, too"

# Another manager that comes once a minute comes again before the loop is over.
given initially "$(thing a 1 "" "$(spec 1 v)")" "$(observed a-0 a v 2)"
for i in 1 2 3 4 5 6 7; do and fight "0$i:00" $i; done
and tick 09:59
repairs 4 3 >"$T/want"
replay 0 "a slow loop"
says "$found"$'\n'"$over" "... is found and ends once"
# For as long as it lasts, it is one.
given initially "$(thing a 1 "" "$(spec 1 v)")" "$(observed a-0 a v 2)"
for i in 02 04 06 08 10 12 14; do and fight "$i:00" $i; done
and event MODIFIED "$(observed a-0 a other 300)" 2026-01-01T00:14:30Z
repairs 4 3 >"$T/want"
replay 0 "one that lasts longer than ten minutes is held back"
# Four times are not a loop, nor are five in more than ten minutes.
given initially "$(thing a 1 "" "$(spec 1 v)")" "$(observed a-0 a v 2)"
for i in 10 13 16 19 22 25 28; do and fight "$i:00" $i; done
repairs 7 >"$T/want"
replay 0 "a change now and then is not a loop"

# The program sees loops; a status with conditions gets one for them, into which
# kapply writes the other manager's name.
cat >>"$T/program.jq" <<'END'
def status: {loops: [.loops[] | .item + .path],
	conditions: [{type: "Ready", status: "\(.outstanding == [])",
		observedGeneration: .primary.metadata.generation}]};
END
# conditions READY LOOP [MANAGER]: as members of a Thing
conditions() {
	printf '"status":{"conditions":[{"observedGeneration":3,"status":"%s","type":"Ready"}' "$1"
	# shellcheck disable=SC2016
	[ -z "$2" ] ||
		printf ',{"lastTransitionTime":"2026-01-01T00:00:14Z","message":"ConfigMap ns/a-0: .data.k is changed back by %s","observedGeneration":3,"reason":"ChangedBack","status":"True","type":"RepairLoop"}' \
			"${3:-\${manager\}}"
	printf '],"loops":[%s]}' "$2"
}
generation='"generation":3'
thing3() { # RV STATUS
	thing a "$1" "$generation" "$(spec 1 v),$2"
}
line3() {
	line "$@" | sed 's/"resourceVersion":"[^"]*"/&,"generation":3/'
}
looping='"ConfigMap/ns/a-0.data.k"'
given initially "$(thing3 1 "$(conditions true "")")" "$(observed a-0 a v 2)"
for i in 10 11 12 13; do and fight 00:$i $i; done
and event MODIFIED "$(observed a-0 a other 114)" "2026-01-01T00:00:14Z"
item=$(configmap a-0 a v)
known=$(known a-0 uid-a-0)
once() { # the two statuses of a repair: while, and after it
	line3 "$item" a 1 "$known,$(conditions false "" | tee "$T/x"),\"onError\":$(sed 's/"status"://' "$T/x"),$(because a-0 "$repaired")"
	line3 "" a 1
}
{
	for _ in 1 2 3 4; do once; done
	line3 "$item" a 1 "$known,$(conditions false "$looping" | tee "$T/x"),\"onError\":$(sed 's/"status"://' "$T/x"),$loops,$(because a-0 "$repaired")"
} >"$T/want"
replay 0 "the condition comes with the repair that is one too many"
and event MODIFIED "$(thing3 3 "$(conditions false "$looping" kubectl-edit)")"
and event MODIFIED "$(observed a-0 a v 214)"
line3 "" a 3 "$(conditions true "$looping" kubectl-edit)" >>"$T/want"
replay 0 "what kapply filled in agrees"
event MODIFIED "$(thing3 4 "$(conditions true "$looping" kubectl-edit)")" >>"$T/in"
replay 0 "... and is left alone"
tick 00:23.9 >>"$T/in"
replay 0 "... while it may go on"
tick 00:24 >>"$T/in"
line3 "" a 4 "$(conditions true "")" >>"$T/want"
replay 0 "... and goes when it is over"

# It has observedGeneration only where the other conditions have it: a schema
# without that field would refuse the whole status.
sed '/observedGeneration/d; s/== \[\])",$/== [])"}]};/' "$T/program.jq" >"$T/x"
mv "$T/x" "$T/program.jq"
sed 's/"observedGeneration":3,//g' "$T/in" |
	ireconcile -f "$T/watches.yaml" --clock=input 2>/dev/null |
	jq -r '.reconcile.status.conditions[1] // empty | keys_unsorted[]' |
	sort -u >"$T/members"
is "$(xargs <"$T/members")" "lastTransitionTime message reason status type" \
	"no generation where the program's conditions have none"

# Two at once: the condition names one, the line both.
sed -i 's/\[.loops.*$/(.loops | length),/' "$T/program.jq"
given initially "$(thing a 1 "" "$(spec 2 v)")" "$(observed a-0 a v 2)" \
	"$(observed a-1 a v 2)"
for i in 10 11 12 13 14; do
	and event MODIFIED "$(observed a-0 a w 1$i)" "2026-01-01T00:00:${i}Z"
	and event MODIFIED "$(observed a-1 a w 1$i)"
	and event MODIFIED "$(observed a-0 a v 2$i)"
	and event MODIFIED "$(observed a-1 a v 2$i)"
done
ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" 2>/dev/null |
	tail -n 1 >"$T/last"
is "$(jq -c '.reconcile | .loops, .status.loops, [.status.conditions[1].message]' "$T/last")" \
	'{"ConfigMap/ns/a-0":".data.k"}
2
["ConfigMap ns/a-0: .data.k is changed back by ${manager}; and 1 more"]' \
	"two loops"

# A value that the server stores in another way is not a loop: "" is left out.
cat >"$T/program.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap",
	metadata: {name: "\(.primary.metadata.name)-0"},
	data: {k: "v"}, env: [{name: "EMPTY", value: ""}]}];
END
thing a 1 "" "$(spec 1 v)" | ireconcile -f "$T/watches.yaml" |
	jq -c '.items[0] | .metadata += {uid: "u", resourceVersion: "2"}
		| del(.env[0].value)' >"$T/object"
given initially "$(thing a 1 "" "$(spec 1 v)")" "$(<"$T/object")"
for i in 3 4 5 6 7 8 9; do
	and event MODIFIED "$(sed "s/\"resourceVersion\":\"2\"/\"resourceVersion\":\"$i\"/" "$T/object")"
done
silent 0 "an empty text that the server left out is not a loop"

# Each field is counted alone: repairs of several are not a loop.
cat >"$T/program.jq" <<'END'
def desired: [{apiVersion: "v1", kind: "ConfigMap",
	metadata: {name: "\(.primary.metadata.name)-0"},
	data: ([range(20) | {key: "k\(.)", value: "v"}] | from_entries)}];
END
thing a 1 "" "$(spec 1 v)" | ireconcile -f "$T/watches.yaml" |
	jq -c '.items[0] | .metadata += {uid: "u", resourceVersion: "2"}' \
		>"$T/object"
rv=2
seen() { # TIME: the object, at which field $field is w, or all are v
	local version='"resourceVersion":"' object

	object=$(<"$T/object")
	rv=$((rv + 1))
	object=${object/"${version}2"/"$version$rv"}
	event MODIFIED "${object/"\"k$field\":\"v"/"\"k$field\":\"$2"}" "$1"
}
# rounds COUNT FIELD...: each is changed so often, one after another, and repaired
rounds() {
	local n=$1 at=0

	shift
	initially "$(thing a 1 "" "$(spec 1 v)")" "$(<"$T/object")"
	while [ $((n -= 1)) -ge 0 ]; do
		for field; do
			at=$((at + 1))
			seen "2026-01-01T00:0$((at / 60)):$((at % 60 / 10))$((at % 10)).0Z" w
			seen "2026-01-01T00:0$((at / 60)):$((at % 60 / 10))$((at % 10)).5Z" v
		done
	done
}
# told: the paths of loops that the log names; and how many lines there are
told() {
	ireconcile -f "$T/watches.yaml" --clock=input <"$T/in" 2>"$T/err" >"$T/out"
	echo "$(wc -l <"$T/out")$(sed -n 's/.*-0: \(.*\) is changed by.*/ \1/p' "$T/err")"
}
rounds 4 1 2 3 4 5 >"$T/in"
is "$(told)" 20 "repairs of other fields are not a loop"
rounds 5 1 2 3 | head -n -6 >"$T/in"
is "$(told)" "12" "... up to the one that is too many of a field"
rounds 5 3 1 2 | head -n -4 >"$T/in"
is "$(told)" "13 .data.k3" "... which is named, and no other"
# shellcheck disable=SC2046
rounds 1 1 $(seq 4 18) 1 1 1 1 2 1 >"$T/in"
is "$(told)" "20 .data.k1" "... whatever was changed in between"
# shellcheck disable=SC2046
rounds 2 $(seq 0 19) >"$T/in"
is "$(told)" "31 .data.k19" "one that changes ever more fields is held back, too"

# Another manager that is so fast that no evaluation sees the repaired object.
write_program
sed -i '/^def status/,$d' "$T/program.jq"
mkfifo "$T/pipe"
start bash -c "exec ireconcile -f '$T/watches.yaml' <'$T/pipe' >'$T/out' 2>'$T/err'"
exec 9>"$T/pipe"
initially "$(thing a 1 "" "$(spec 1 v)")" "$(observed a-0 a other 2)" >&9
lines() {
	mapfile -t lines <"$T/out"
	[ ${#lines[@]} -eq "$1" ]
}
for i in 1 2 3 4 5; do
	wait_for 10 lines $i || break
	{
		event MODIFIED "$(observed a-0 a v "1$i")"
		event MODIFIED "$(observed a-0 a other "2$i")"
	} >"$T/both"
	cat "$T/both" >&9
done
ok "changed back at once: repaired each time" wait_for 10 lines 6
exec 9>&-
hide_paths "$T/out" >"$T/got"
{
	repair | sed 's/"repair":true/"version":"2"/' # it was not seen as desired before
	repairs 4 1
} >"$T/want"
same "$T/got" "$T/want" "... and found"

done_testing
