#!/bin/bash
# ireconcile --against: what another watches file and its programs would decide,
# for the same observed state.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

# ---- a small operator, before and after ----

# watches FILE PROGRAM [LINE]...: its dependents get these lines, too
watches() {
	printf '%s\n' '- group: e.com' '  version: v1' '  kind: T' \
		"  program: $2" '  finalizer: e.com/f' '  dependents:' \
		'  - {apiVersion: v1, kind: ConfigMap, manage: true}' \
		'  - {apiVersion: apps/v1, kind: Deployment, manage: true}' \
		"${@:3}" >"$T/$1"
}
watches old.yaml old.jq
watches new.yaml new.jq
cat >"$T/old.jq" <<'END'
include "operator";
def desired: [config_map("c"; {}; {v: .primary.spec.v}),
  deployment("d"; {app: "d"}; {replicas: .primary.spec.n, containers:
    [{name: "main", image: "i", resources: {limits: {cpu: "1"}}}]})];
def status: {phase: "Old", error: .error};
END

# object NAME [SPEC]: a primary
object() {
	jq -cn '{apiVersion: "e.com/v1", kind: "T", metadata: {name: $n,
		namespace: "d", uid: $n, resourceVersion: "1"}, spec: $s}' \
		--arg n "$1" --argjson s "${2:-$spec}"
}
spec='{"n":3,"v":"geheim"}'
object t >"$T/in"

# change SED-EXPRESSION...: makes the new program of the old one
change() {
	sed "$@" "$T/old.jq" >"$T/new.jq"
}

# against CODE WHAT [OPTION]...: with the file in
against() {
	runs "$1" "$2" timeout 60 ireconcile -f "$T/old.yaml" \
		--against "$T/new.yaml" --clock=input "${@:3}" <"$T/in"
}

# told: in short, "PART OBJECT CHANGE PATH=BEFORE>AFTER"
told() {
	jq -r '[.part // "", .object // .primary, .change, ((.differs // [])[]
		| "\(.path)=\(.before // "")>\(.after // "")")] | join(" ")' \
		"$T/out"
}

change ''
against 0 "the same program: exit 0"
is "$(<"$T/out")" "" "... prints nothing"
says "ireconcile: primaries compared: 1, of which differed: 0" \
	"... and says how many were compared"
echo '{"record":"gap","stream":"all"}' >>"$T/in"
against 2 "... with a gap in the input: exit 2"
says "ireconcile: warning: gaps of the recording, in which events are missing: 1; what followed from these is not known
ireconcile: primaries compared: 1, of which differed: 0" "... and says so"
object t >"$T/in"

change 's/replicas: .primary.spec.n/replicas: 5/'
against 1 "another value: exit 1"
is "$(<"$T/out")" '{"primary":"T.e.com/d/t","uid":"t","object":"Deployment.apps/d/d","part":"item","change":"differs","differs":[{"path":".spec.replicas","before":"3","after":"5"}]}' \
	"... is a line with the field"
says "ireconcile: primaries compared: 1, of which differed: 1" "... and counts"
cp "$T/out" "$T/first"
against 1 "the same again" -o json
same "$T/out" "$T/first" "... is the same, byte for byte"
against 1 "as text" --output=text
is "$(<"$T/out")" "T.e.com d/t
  Deployment.apps d/d
    .spec.replicas: 3 -> 5" "... reads like a diff"

change 's/cpu: "1"/cpu: "1000m"/'
against 0 "the same amount in other words"
is "$(<"$T/out")" "" "... does not differ"

change 's/{name: "main"/{name: "side", image: "s"}, &/; s/image: "i"/image: "j"/'
against 1 "another container, and another image"
is "$(told)" 'item Deployment.apps/d/d differs .spec.template.spec.containers[name=main].image="i">"j" .spec.template.spec.containers[name=side]=>{"image":"s","name":"side"}' \
	"... are found by their names, and no mark is told"

change 's/config_map("c"/config_map("e"/'
against 1 "an item that only one of them has"
is "$(told)" "item ConfigMap/d/c only-before
item ConfigMap/d/e only-after" "... is a line for each"
against 1 "... as text" -o text
is "$(sed -n '2,$p' "$T/out")" "- ConfigMap d/c
+ ConfigMap d/e" "... has a sign"

change 's/{v: .primary.spec.v}/{v: "anders", w: .primary.spec.v}/'
against 1 "a ConfigMap"
is "$(told)" "item ConfigMap/d/c differs .data.v=> .data.w=>" \
	"... has paths and no values"
is "$(cat "$T/out" "$T/err" | grep -cE 'geheim|anders')" 0 "... nowhere"
against 1 "... as text" -o text
is "$(sed -n '2,$p' "$T/out")" "  ConfigMap d/c
    .data.v differs
    .data.w differs" "... says just that"

change 's/image: "i"/image: .primary.spec.v/
	s/replicas: .primary.spec.n/replicas: 4/'
for file in old new; do
	watches "$file.yaml" "$file.jq" '  related:' \
		'  - {apiVersion: v1, kind: Secret}'
done
against 1 "an entry that watches Secrets"
is "$(told)" 'item Deployment.apps/d/d differs .spec.replicas=3>4 .spec.template.spec.containers[name=main].image=>' \
	"... tells no text, wherever it is"
watches old.yaml old.jq
watches new.yaml new.jq

change 's/"Old"/"New"/'
against 1 "a status"
is "$(told)" 'status T.e.com/d/t differs .status.phase="Old">"New"' \
	"... is an object of its own"
against 1 "... as text" -o text
is "$(<"$T/out")" 'T.e.com d/t
  status
    .status.phase: "Old" -> "New"' "... is named"

change 's/config_map("c"; {}; {v: .primary.spec.v})/once(&)/'
against 1 "an item that is created once"
is "$(told)" "item ConfigMap/d/c differs .reconcile.once=>" \
	"... is another way to write it"

change '$s/$/\ndef events: [{type: "Normal", reason: "R", message: "m"}];/'
against 1 "an event"
is "$(told)" 'reconcile T.e.com/d/t differs .events=>[{"message":"m","reason":"R","type":"Normal"}]' \
	"... is in the rest of the line"

# ---- members that are there ----

given object t
and jq -cn '{apiVersion: "v1", kind: "ConfigMap", metadata: {name: $n,
	namespace: "d", uid: $n, resourceVersion: "2", ownerReferences: [
	{apiVersion: "e.com/v1", kind: "T", name: "t", uid: "t",
	controller: true}]}}' --arg n c
change 's/config_map("c"/config_map("e"/'
against 1 "a member that is there and is not desired any more"
is "$(told)" "item ConfigMap/d/c only-before
item ConfigMap/d/e only-after
delete ConfigMap/d/c only-after" "... would be deleted"
against 1 "... as text" -o text
is "$(tail -n 1 "$T/out")" "+ delete ConfigMap d/c" "... says so"
object t >"$T/in"

# ---- failures ----

change 's/^def desired: /&error("kaputt") | /'
against 1 "a program that fails: exit 1"
is "$(told)" 'failure T.e.com/d/t differs .error=>"kaputt"
status T.e.com/d/t differs .status.error=null>"kaputt"' \
	"... says why, and no item is missed"
cp "$T/new.jq" "$T/broken.jq"
watches broken.yaml broken.jq
runs 2 "both fail: exit 2" ireconcile -f "$T/broken.yaml" \
	--against "$T/new.yaml" --clock=input <"$T/in"
is "$(<"$T/out")" '{"primary":"T.e.com/d/t","uid":"t","object":"T.e.com/d/t","part":"failure","change":"not-compared","message":"kaputt"}' \
	"... nothing is known about it"
says "ireconcile: warning: primaries that were not compared, because both programs fail: 1
ireconcile: primaries compared: 0, of which differed: 0" \
	"... and a warning counts them"

# The memory ends sooner than the time, but with a sanitizer, which has no limit.
grow='"x" | until(false; . + .)'
! nm -D "$BIN/ireconcile" | grep -q __asan_init || grow='def f: f; f'
change "s/^def desired: /def f: f; def desired: \
	if .primary.metadata.name == \"t\" then f else $grow end | /"
given object t
and object u
against 1 "a program without an end"
is "$(jq -r 'select(.part == "failure") | .object
	+ " " + (.differs[0].after | test("more than .* and was stopped") | tostring)' \
	"$T/out")" "T.e.com/d/t true
T.e.com/d/u true" "... fails for each primary, and all are compared"
change '1s/$/\nsyntax error here/'
against 100 "a program with an error: exit 100"
ok "... names file and line" grep -q "$T/new.jq:2" "$T/err"
runs 100 "no such file" ireconcile -f "$T/old.yaml" \
	--against "$T/none.yaml" <"$T/in"
ok "... is named" grep -q "$T/none.yaml" "$T/err"
echo '- {group: e.com, kind: T, colour: red}' >"$T/bad.yaml"
runs 100 "a bad file" ireconcile -f "$T/old.yaml" \
	--against "$T/bad.yaml" <"$T/in"
ok "... is named, with its line" grep -q "$T/bad.yaml:1: .*colour" "$T/err"
change ''

# ---- options ----

for option in --all --input-of=T/d/t --gate-fd=0 --lines-fd=0 \
	--marks-key-fd=0 --tap-fd=1; do
	against 100 "$option is refused" "$option"
	is "$(<"$T/err")" "ireconcile: fatal: option --against excludes --all, --input-of, and each *-fd but --report-fd" "... with a message"
done
runs 100 "-o alone" ireconcile -f "$T/old.yaml" -o text <"$T/in"
says "ireconcile: fatal: option --output needs --against" "... is refused"

# ---- reports ----

change 's/replicas: .primary.spec.n/replicas: 5/'
given object t
and object u '{"n":5,"v":"x"}'
and object w
against 1 "with --report-fd" --report-fd=7 7>"$T/reports"
is "$(head -n 1 "$T/reports")" "" "... a newline says that it is ready"
is "$(tail -n +2 "$T/reports" | jq -c '.metrics // empty')" \
	'{"kpipe_shadow_differences{controller=\"t.e.com\"}":2,"kpipe_shadow_failures{controller=\"t.e.com\"}":0,"kpipe_shadow_compared_total{controller=\"t.e.com\"}":3}' \
	"... and how many of how many differ"
object t >"$T/in"

# ---- the input ----

given object t
and echo '{"type":"ADDED","object":7}'
against 1 "a bad line"
is "$(head -n 1 "$T/err")" \
	"ireconcile: error: line 2: an event without object" "... has its number"

# frames begin|end: of all kinds of old.yaml
frames() {
	"$1" e.com/v1 T
	"$1" v1 ConfigMap
	"$1" apps/v1 Deployment
}

# change_of TYPE SECOND NAME [SPEC]
change_of() {
	event "$1" "$(object "$3" "${4:-$spec}")" "2026-01-01T00:00:0$2.000000Z"
}

change 's/replicas: .primary.spec.n/replicas: ([.primary.spec.n, 3] | min)/'
given frames begin
and change_of ADDED 1 t
and frames end
and change_of MODIFIED 2 t '{"n": 4, "v": "x"}'
and change_of MODIFIED 3 t '{"n": 4, "v": "y"}'
and change_of MODIFIED 4 t '{"n": 5, "v": "y"}'
and change_of MODIFIED 5 t '{"n": 2, "v": "y"}'
and change_of MODIFIED 6 t '{"n": 6, "v": "y"}'
and change_of DELETED 7 t '{"n": 6, "v": "y"}'
and change_of ADDED 8 t
against 1 "a life"
is "$(jq -r '[.time[17:19], .part // "", .change, .differs[]?.before]
	| join(" ")' "$T/out")" "02 item differs 4
04 item differs 5
05 item agrees
06 item differs 6
07  gone" "... is told when it differs, differs otherwise, agrees, and is gone"
cp "$T/out" "$T/first"
against 1 "... twice"
same "$T/out" "$T/first" "... gives the same bytes"
against 1 "... as text" -o text
is "$(sed -n '7,$p' "$T/out")" "T.e.com d/t, 2026-01-01T00:00:05.000000Z
  Deployment.apps d/d agrees again
T.e.com d/t, 2026-01-01T00:00:06.000000Z
  Deployment.apps d/d
    .spec.replicas: 6 -> 3
T.e.com d/t, 2026-01-01T00:00:07.000000Z
  is gone" "... with the times"
object t '{"n": 4}' | jq -c '.metadata.annotations = {"kpipe.dev/paused": "true"}' \
	>"$T/paused"
runs 1 "a primary that is paused" ireconcile -f "$T/old.yaml" \
	--against "$T/new.yaml" --clock=input <"$T/paused"
is "$(told)" 'item Deployment.apps/d/d differs .spec.replicas=4>3' \
	"... is compared: the release will meet it"
head -n 5 "$T/in" >"$T/cut" && mv "$T/cut" "$T/in"
against 2 "an input that is cut short"
says "ireconcile: error: the input ends before it is complete: ConfigMap, Deployment.apps
ireconcile: warning: no primary of t.e.com was compared: nothing is decided about those of the input
ireconcile: primaries compared: 0, of which differed: 0" "... is logged once"

# ---- a program that ran into a limit is left alone for a while ----

change "s/^def desired: /&if .primary.spec.n == 4 then $grow else . end | /"
{
	frames begin
	frames end
	change_of ADDED 1 t '{"n": 4, "v": "x"}'
	change_of MODIFIED 2 t '{"n": 3, "v": "x"}'
	change_of ADDED 1 u | sed 's/00:00:01/00:02:00/'
} >"$T/in"
against 1 "a limit, and another state a second later"
is "$(jq -r 'select(.part == "failure") | .time[14:19] + " " + .change' \
	"$T/out")" "00:01 differs
00:11 agrees" "... is decided about when the back-off is over"

# ---- timers: both decide at the same times ----

cp "$T/old.jq" "$T/kept.jq"
echo 'def requeue: 10;' >>"$T/old.jq"
change 's/replicas: .primary.spec.n/replicas: (.now | todate[14:16] | tonumber)/
	s/^def requeue: 10/def requeue: 30/'
for file in old new; do
	sed -i 's/^  finalizer/  desiredReads: [now]\n&/' "$T/$file.yaml"
done
{
	change_of ADDED 1 t '{"n": 0, "v": "x"}'
	change_of ADDED 1 u '{"n": 0, "v": "x"}' |
		sed 's/00:00:01/00:02:05/'
} >"$T/in"
{
	begin e.com/v1 T
	end e.com/v1 T
	frames begin
	frames end
	cat "$T/in"
} >"$T/framed" && mv "$T/framed" "$T/in"
against 1 "a timer"
is "$(jq -r 'select(.primary == "T.e.com/d/t") | .time[14:19] + " "
	+ .differs[0].after' "$T/out")" "01:01 1
02:01 2" "... between two lines counts at its time"
mv "$T/kept.jq" "$T/old.jq"
watches old.yaml old.jq
watches new.yaml new.jq

# ---- names that no API server takes ----

change 's/"Old"/"New"/'
{
	object x/y
	object y | jq -c '.metadata.namespace = "d/x"'
} >"$T/in"
against 1 "two primaries with one label"
is "$(told)" 'status T.e.com/d/x/y differs .status.phase="Old">"New"
status T.e.com/d/x/y differs .status.phase="Old">"New"' "... are both compared"

# ---- files with other kinds ----

change ''
printf '%s\n' '- group: e.com' '  version: v1' '  kind: U' \
	'  program: new.jq' '  dependents:' \
	'  - {apiVersion: v1, kind: ConfigMap, manage: true}' \
	'  - {apiVersion: apps/v1, kind: Deployment, manage: true}' \
	>>"$T/new.yaml"
object t >"$T/in"
against 2 "an entry that only the new file has"
is "$(sed -n 1,2p "$T/err")" "ireconcile: warning: $T/new.yaml:9: u.e.com is not in $T/old.yaml: there is nothing to compare it with
ireconcile: warning: the input does not have these kinds, which only the file of --against reads: decisions are made as if there were no objects of them: U.e.com" \
	"... is named"
{
	object t
	object u | sed 's/"kind":"T"/"kind":"U"/'
} >"$T/in"
against 1 "... and a primary of it"
is "$(told)" "primary U.e.com/d/u only-after" "... is one that only one has"
watches new.yaml new.jq '  - {apiVersion: v1, kind: Service, manage: true}'
change 's/^def desired: \[/&service("s"; {app: "d"}; {ports: [{port: 1}]}), /'
given frames begin
and change_of ADDED 1 t
and frames end
against 1 "a kind that the input does not have"
is "$(head -n 1 "$T/err" | sed 's/.*: //')" Service "... is named"
is "$(told)" "item Service/d/s only-after" "... and decided about as absent"

# ---- live ----

mkfifo "$T/live"
timeout 300 ireconcile -f "$T/old.yaml" --against "$T/new.yaml" -o json \
	<"$T/live" >"$T/live.out" 2>"$T/live.err" &
pid=$!
started+=("$pid")
exec 7>"$T/live"
cat "$T/in" >&7
ok "a live stream is compared before it ends" wait_for 10 \
	grep -q 'Service/d/s' "$T/live.out"
change_of ADDED 3 later | jq -c 'del(.time)' >&7
ok "... and what comes later" wait_for 10 \
	grep -q 'T.e.com/d/later' "$T/live.out"
is "$(grep -c time "$T/live.out")" 0 "... without a time"
exec 7>&-
wait "$pid"
is $? 1 "... until its end: exit 1"

watches old.yaml old.jq
watches new.yaml new.jq
sed -i 's/^  finalizer/  desiredReads: [now]\n&/' "$T/new.yaml"
change 's/replicas: .primary.spec.n/replicas: (3 + (.now | floor) % 2)/'
echo 'def requeue: 0.2;' >>"$T/new.jq"
mkfifo "$T/clock"
timeout 300 ireconcile -f "$T/old.yaml" --against "$T/new.yaml" -o json \
	<"$T/clock" >"$T/clock.out" 2>"$T/clock.err" &
pid=$!
started+=("$pid")
exec 7>"$T/clock"
cat "$T/in" >&7
ok "a live stream: a timer shows a difference" wait_for 20 \
	grep -q '"differs"' "$T/clock.out"
ok "... and its end, without an event" wait_for 20 \
	grep -q '"agrees"' "$T/clock.out"
exec 7>&-
wait "$pid"

# ---- many items of one primary ----

watches old.yaml old.jq
watches new.yaml new.jq
cp "$T/old.jq" "$T/kept.jq"
cat >"$T/old.jq" <<'END'
include "operator";
def desired: .primary.spec as $s
  | [range($s.n) | once(config_map("c\(.)"; {}; {v: "1"}))];
END
change 's/v: "1"/v: "2"/'
# cost N: milliseconds of processor time for so many
cost() {
	object t "{\"n\":$1}" >"$T/in"
	TIMEFORMAT='%U %S'
	{ time timeout 600 ireconcile -f "$T/old.yaml" --against "$T/new.yaml" \
		--clock=input <"$T/in" >"$T/out" 2>"$T/err"; } 2>&1 |
		awk '{ print int(($1 + $2) * 1000) }'
}
few=$(cost 500)
many=$(cost 5000)
is "$(wc -l <"$T/out")" 5000 "5000 items that differ"
ok "... take time by their number, not by its square" \
	test "$many" -lt $((few * 15 + 500)) || echo "# $few ms, then $many ms"
mv "$T/kept.jq" "$T/old.jq"

# ---- real operators ----

unset MEMCACHED_IMAGE
export OPERATOR_NAME=dev
for operator in memcached iotservice; do
	folder=pipeline/$operator
	for file in instances life; do
		# One has a name that is too long, and fails for ever.
		code=0
		[ "$operator $file" != "iotservice instances" ] || code=2
		runs "$code" "$operator, $file: nothing differs from itself" \
			ireconcile -f "$folder/watches.yaml" \
			--against "$folder/watches.yaml" --clock=input \
			<"$folder/t/$file.jsonl"
		is "$(jq -r 'select(.part != "failure")' "$T/out")" "" \
			"... not a line, but about what fails"
		ok "... of some" grep -q 'compared: [1-9]' "$T/err"
	done
done
cp pipeline/memcached/{watches.yaml,reconcile.jq} "$T"
sed -i 's/-m=64/-m=128/' "$T/reconcile.jq"
runs 1 "memcached with more memory: exit 1" ireconcile \
	-f pipeline/memcached/watches.yaml --against "$T/watches.yaml" \
	--clock=input <pipeline/memcached/t/instances.jsonl
is "$(jq -r 'select(.part == "item") | .object + " " + .differs[].path' \
	"$T/out" | sort -u | sed 's/.*\///')" \
	"foreign .spec.template.spec.containers[name=memcached].command[1]
new .spec.template.spec.containers[name=memcached].command[1]
ready .spec.template.spec.containers[name=memcached].command[1]
scaled .spec.template.spec.containers[name=memcached].command[1]
zero .spec.template.spec.containers[name=memcached].command[1]" \
	"... is that argument, of each"

# page LANGUAGE: the lines of that example in the page
page() {
	sed -n '/^```'"$1"'$/,/^```$/{/^```/d;p;}' doc/recording.md
}
ok "the page has such a line" test -n "$(page json)"
ok "... and it is right" grep -qxF "$(page json)" "$T/out"
runs 1 "... as text" ireconcile \
	-f pipeline/memcached/watches.yaml --against "$T/watches.yaml" \
	--clock=input -o text <pipeline/memcached/t/instances.jsonl
is "$(sed -n '/default.ready/,/ default.scaled, /p' "$T/out" | sed '$d')" \
	"$(page text)" "... is the page's"

done_testing
