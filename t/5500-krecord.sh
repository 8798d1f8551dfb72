#!/bin/bash
# krecord: writing, rotation, the state at the start of a segment, cut ends,
# disks that are full; cutting, redacting and counting.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=ireconcile.sh
. t/ireconcile.sh

# generate COUNT [FIRST]: events of ten ConfigMaps that do not compress well.
generate() {
	awk -v n="$1" -v first="${2:-0}" 'BEGIN {
	srand(first + 1)
	for (i = first; i < first + n; i++) {
		s = ""
		for (j = 0; j < 60; j++)
			s = s sprintf("%08x", int(rand() * 4294967295))
		printf "{\"type\":\"MODIFIED\",\"time\":\"2026-01-01T00:%02d:" \
			"%02d.000000Z\",\"object\":{\"apiVersion\":\"v1\"," \
			"\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c%d\"," \
			"\"namespace\":\"ns\",\"resourceVersion\":\"%d\"}," \
			"\"data\":{\"k\":\"%s\"}}}\n", int(i / 60) % 60, i % 60,
			i % 10, i + 1, s
	}
	}'
}
mark() {
	printf '{"type":"BOOKMARK","time":"2026-01-01T00:00:00.000000Z","object":{"apiVersion":"v1","kind":"%s","metadata":{"annotations":{"%s":"true"}}}}\n' "$@"
}
begin_kind() {
	mark "$1" kpipe.dev/initial-events-begin
}
end_kind() {
	mark "$1" k8s.io/initial-events-end
}
# figure NAME: of krecord stat, in $T/out
figure() {
	sed -n "s/^$1 *//p" "$T/out"
}
# last_state: the newest version of each object, from events
last_state() {
	jq -ncS 'reduce (inputs |
		select(.type != "BOOKMARK" and .record == null).object.metadata)
		as $o ({}; .[$o.name] = $o.resourceVersion)'
}

### Writing

{
	begin_kind ConfigMap
	generate 20
	end_kind ConfigMap
} >"$T/events"
echo '{"apiVersion":"v1","kind":"List","items":[],"reconcile":{"primary":{"apiVersion":"example.com/v1","kind":"Thing","namespace":"ns","name":"a"},"manager":"m"}}' >"$T/sets"
echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns","name":"c1"},"result":"created"}' >"$T/results"
echo '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"namespace":"ns","name":"a"},"status":{"ok":true}}' >"$T/statuses"
echo '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"namespace":"ns","name":"a"},"result":"written"}' >"$T/written"
echo '{"tool":"kpipe","phase":"running","stages":{}}' >"$T/states"
echo '{"primary":"Thing.example.com/ns/a","object":"ConfigMap/ns/c1","part":"item","change":"differs","differs":[{"path":".x","before":"1","after":"2"}]}' >"$T/shadow"
runs 0 "all streams" krecord write "$T/all" --events-fd=4 --sets-fd=5 \
	--statuses-fd=6 --results-fd=7 --kstatus-results-fd=8 --states-fd=9 \
	--shadow-fd=10 4<"$T/events" 5<"$T/sets" 6<"$T/statuses" \
	7<"$T/results" 8<"$T/written" 9<"$T/states" 10<"$T/shadow"
zstd -qdc "$T/all/00000001.jsonl.zst" >"$T/lines"
is "$(head -n 1 "$T/lines" | jq -c '[.record, .version, .sequence]')" \
	'["segment",1,1]' "... the first line"
is "$(jq -r '.record // empty' "$T/lines" | sort | uniq -c | xargs)" \
	"2 result 1 segment 1 set 1 shadow 1 state 1 status" "... every kind of line"
is "$(jq -c 'select(.record == null)' "$T/lines" | cksum)" \
	"$(jq -c . "$T/events" | cksum)" "... events as they are"
is "$(jq -c 'select(.record == "result") | [.tool, .line.result]' "$T/lines" |
	sort | xargs)" "[kapply,created] [kstatus,written]" \
	"... results, with the tool"
is "$(jq -c 'select(.record == "set").line' "$T/lines")" \
	"$(jq -c . "$T/sets")" "... a set"
is "$(jq -c 'select(.record == "shadow").line' "$T/lines")" \
	"$(<"$T/shadow")" "... what another program decides"
runs 0 "stat" krecord stat "$T/all"
is "$(figure events) $(figure sets) $(figure results) $(figure statuses) $(figure states) $(figure shadow)" \
	"22 1 2 1 1 1" "... counts lines"
is "$(figure objects)" "ConfigMap 10" "... objects"
is "$(figure from)" 2026-01-01T00:00:00.000000Z "... and times"
runs 0 "cat" krecord cat "$T/all"
same "$T/out" "$T/lines" "... prints all lines"
runs 0 "... also of standard input" krecord cat <"$T/all/00000001.jsonl.zst"
same "$T/out" "$T/lines" "... the same"

### Rotation

{
	begin_kind ConfigMap
	generate 10
	end_kind ConfigMap
	generate 2400 10
} >"$T/long"
mkdir "$T/d"
echo mine >"$T/d/note"
echo mine >"$T/d/1.jsonl.zst"
ln -s "$T/d/note" "$T/d/00000000.jsonl.zst"
runs 0 "many events" krecord write "$T/d" --size=1Mi --events-fd=0 <"$T/long"
segments=("$T"/d/000*[1-9].jsonl.zst)
ok "... several segments" [ "${#segments[@]}" -ge 3 ]
for s in "${segments[@]}"; do
	zstd -qdc "$s" >"$T/segment"
	is "$(head -n 1 "$T/segment" | jq -r .record)" segment \
		"${s##*/}: its header"
	is "$(last_state <"$T/segment" | jq length)" 10 "... and all objects"
done
# Any tail gives the same objects at its end as all events.
last_state <"$T/long" >"$T/want"
for ((i = 0; i < ${#segments[@]}; i++)); do
	krecord cat "${segments[@]:i}" | last_state >"$T/got"
	same "$T/got" "$T/want" "from segment $((i + 1)) on: the same state"
done
is "$(krecord cat "${segments[@]}" | jq -r 'select(.record == "gap")')" "" \
	"no gap"
runs 0 "another process" krecord write "$T/d" --size=1Mi --events-fd=0 \
	<"$T/long"
runs 0 "... and another one" krecord write "$T/d" --size=1Mi --events-fd=0 \
	<"$T/long"
used=$(du -cb "$T"/d/0*[1-9].jsonl.zst | tail -n 1 | cut -f1)
ok "the oldest segments are removed ($used bytes)" \
	[ "$used" -le $((1024 * 1024)) ]
ok "... the first one is gone" [ ! -e "${segments[0]}" ]
is "$(cat "$T/d/note" "$T/d/1.jsonl.zst")" "mine
mine" "... other files are left alone"
ok "... and links" [ -L "$T/d/00000000.jsonl.zst" ]

### The sets of every tail

# replay_tail SEGMENT...: the sets that ireconcile prints
replay_tail() {
	zstd -qdc "$@" |
		ireconcile -f "$T/watches.yaml" --clock=input 2>"$T/err"
}
write_program
{
	begin_all
	end_all
} | sed 's/"type":"BOOKMARK",/&"time":"2026-01-01T00:00:00Z",/' >"$T/in"
# Things whose ConfigMaps are never there: a set each, for ever.
for i in {1..60}; do
	event ADDED "$(thing "t$((i % 20))" "$i" "" "$(spec 1 "$(head -c 4096 /dev/urandom | base64 -w0)")")" \
		2026-01-01T00:00:00Z
done >>"$T/in"
runs 0 "things" krecord write "$T/things" --size=1Mi --events-fd=0 <"$T/in"
segments=("$T"/things/*.zst)
ok "... two segments" [ "${#segments[@]}" -ge 2 ]
last_sets() {
	jq -sc 'reduce .[] as $s ({};
		.[$s.reconcile.primary.name] = $s.items) | to_entries | sort'
}
replay_tail "${segments[@]}" | last_sets >"$T/want"
is "$(jq length "$T/want")" 20 "the sets of all"
for ((i = 1; i < ${#segments[@]}; i++)); do
	replay_tail "${segments[@]:i}" | last_sets >"$T/got"
	same "$T/got" "$T/want" "from segment $((i + 1)) on: the same sets"
done

### Cut ends

size=$(stat -c %s "$T/all/00000001.jsonl.zst")
bad=
IFS= read -rd "" lines <"$T/lines"
for ((n = 1; n < size; n += 97)); do
	head -c "$n" "$T/all/00000001.jsonl.zst" >"$T/cut.zst"
	krecord cat "$T/cut.zst" >"$T/out" 2>"$T/err" || bad+=" $n"
	IFS= read -rd "" got <"$T/out"
	[[ $got = "${lines:0:${#got}}" && ($got = *$'\n' || ! $got) ]] || bad+=" $n"
	[[ $(<"$T/err") = *"the end is missing"*": it is being written, or its writer was killed" ]] || bad+=" $n"
done
is "$bad" "" "cut at many bytes of $size: whole lines, with a warning"
{
	cat "$T/events"
	generate 3 100
} >"$T/more"
mkfifo "$T/fifo"
exec 7<>"$T/fifo"
start krecord write "$T/killed" --events-fd=6 6<"$T/fifo" 7>&-
cat "$T/more" >&7
flushed() {
	[ "$(krecord cat "$T/killed" 2>/dev/null | wc -l)" -eq 26 ]
}
ok "lines are readable while it runs" wait_for 20 flushed
kill_now "${started[-1]}"
exec 7>&-
runs 0 "after SIGKILL" krecord stat "$T/killed"
is "$(figure events) $(figure "cut ends")" "25 1" "... nothing of that is lost"
runs 0 "the next process" krecord write "$T/killed" --events-fd=0 <"$T/more"
runs 0 "... goes on behind it" krecord stat "$T/killed"
is "$(figure segments) $(figure events) $(figure "cut ends")" "2 50 1" \
	"... a cut end in the middle"
cat "$T"/killed/*.zst >"$T/joined.zst"
runs 0 "joined to one file" krecord stat "$T/joined.zst"
is "$(figure segments) $(figure events)" "2 50" "... the same"
### What cannot be read

echo '{"record":"segment","version":2,"time":"2026-01-01T00:00:00Z"}' >"$T/v2"
refuses "$T/v2:1: a recording of version 2; this program reads version 1" \
	krecord cat "$T/v2"
{
	cat "$T/events"
	echo nonsense
} >"$T/bad"
runs 1 "a bad line" krecord cat "$T/bad"
is "$(<"$T/err")" \
	"krecord: error: $T/bad:23: unexpected byte at byte 2" "... is named"
is "$(grep -vc '"gap"' "$T/out")" 22 "... and the others are printed"
is "$(sed -n '/"gap"/=' "$T/out")" 23 "... and where it was is a gap"
{
	sed -n 2p "$T/events"
	echo nonsense
	sed -n 3p "$T/events"
	printf '{"type":'
} >"$T/torn"
while IFS='|' read -r option code what; do
	# shellcheck disable=SC2086
	runs "$code" "bad in between, without an end: $what" \
		krecord $option "$T/torn"
	is "$(grep -c "torn:2: unexpected byte" "$T/err") $(
		grep -c 'the end is missing' "$T/err")" "1 1" "... each is told once"
	is "$(grep -c '"record":"gap","time":".*","stream":"all"' "$T/out")" 2 \
		"... and is a gap"
done <<'END'
cat|1|cat
redact|1|redact
cut|1|cut
cut --from=2000-01-01T00:00:00Z|1|cut from before
cut --from=2026-01-01T00:00:01Z|1|cut from later
cut --object=ConfigMap/ns/c1|1|cut an object
END
head -n 1 "$T/torn" >"$T/half"
tail -c 8 "$T/torn" >>"$T/half"
runs 0 "only an end that is missing" krecord cat "$T/half"
is "$(sed 1d "$T/out")" \
	'{"record":"gap","time":"2026-01-01T00:00:00.000000Z","stream":"all"}' \
	"... is a gap as well, at the time of the last line"
runs 0 "... which can be read" krecord stat "$T/out"

### A disk that is full

# 160 KiB: the first segment fits, not much more.
full() {
	(
		ulimit -f 100
		krecord write "$T/full" --size=8Mi --events-fd=0
	)
}
runs 0 "a limit of the size of files" full <"$T/long"
is "$(grep -c 'lines are lost' "$T/err")" 1 "... is logged once"
ok "... by its name" grep -q "krecord: error: $T/full: cannot write: File too large" \
	"$T/err"
runs 0 "... and all that was written is readable" krecord stat "$T/full"
ok "... much" [ "$(figure events)" -gt 50 ]
mkfifo "$T/fifo2"
exec 8<>"$T/fifo2"
start krecord write "$T/lock/later" --events-fd=6 6<"$T/fifo2" \
	2>"$T/log" 8>&-
cat "$T/events" >&8
ok "a directory that cannot be made" wait_for 20 grep -q \
	"error: $T/lock/later: cannot make $T/lock/later: No such file" "$T/log"
mkdir "$T/lock"
ok "... is made later" wait_for 20 grep -q "later: it can be written again" "$T/log"
cat "$T/sets" >&8
generate 1 >&8
exec 8>&-
comes_to_two() {
	krecord cat "$T/lock/later" 2>/dev/null |
		jq -r '.record // .type' | tail -n 1 | grep -qx MODIFIED
}
ok "... and then lines are recorded" wait_for 20 comes_to_two
is "$(krecord cat "$T/lock/later" 2>/dev/null |
	jq -r 'select(.record == "gap").stream' | sort -u)" "all" "... behind a gap"

### Other hands

# recorder DIR: krecord in the background; events go to descriptor 8. Others
# may have the pipe open as well: it ends by TERM.
recorder() {
	rm -f "$T/fifo3"
	mkfifo "$T/fifo3"
	exec 8<>"$T/fifo3"
	start krecord write "$1" --size=1Mi --events-fd=6 6<"$T/fifo3" \
		2>"$T/log" 8>&-
	recorder=${started[-1]}
}
stop_recorder() {
	kill "$recorder"
	wait "$recorder"
	exec 8>&-
}
# has DIR EVENTS: at least so many lines are events
has() {
	[ "$(krecord cat "$1" 2>/dev/null | grep -c '^{"type"')" -ge "$2" ]
}
recorder "$T/swept"
cat "$T/events" >&8
wait_for 20 has "$T/swept" 22
rm -r "$T/swept"
generate 2 20 >&8
ok "a directory that is removed is made again" wait_for 20 has "$T/swept" 12
{
	cat "$T/events"
	generate 2 20
} | last_state >"$T/want"
krecord cat "$T/swept" | last_state >"$T/got"
same "$T/got" "$T/want" "... with the state"
is "$(krecord cat "$T/swept" | jq -r 'select(.record) | .record' | xargs)" \
	"segment gap" "... and a gap"
is "$(<"$T/log")" "krecord: error: $T/swept: the last segment was removed: lines are lost until it can be written again
krecord: $T/swept: it can be written again" "... which is logged"
runs 0 "another process writes there, too" krecord write "$T/swept" \
	--events-fd=0 <"$T/events"
cp "$T/log" "$T/before"
cat "$T/long" >&8
# To the last one: what is in the pipe when it is told to end is not read.
has_all() {
	krecord cat "$T/swept" 2>/dev/null | grep -q '"resourceVersion":"2410"'
}
ok "... the first one goes on" wait_for 60 has_all
stop_recorder
same "$T/log" "$T/before" "... and loses nothing"
ok "... in numbers that are free" [ -e "$T/swept/00000004.jsonl.zst" ]
last_state <"$T/long" >"$T/want"
krecord cat "$T/swept" 2>/dev/null | last_state >"$T/got"
same "$T/got" "$T/want" "... up to the same end"

mkdir "$T/used"
: >"$T/used/99999999.jsonl.zst"
recorder "$T/used"
ok "the last number is used" wait_for 20 grep -q "error: $T/used: 99999999.jsonl.zst has the last number there is: move the segments to another directory" \
	"$T/log"
rm "$T/used/99999999.jsonl.zst"
ok "... and free again" wait_for 20 grep -q "used: it can be written again" "$T/log"
ok "... the first is taken" [ -e "$T/used/00000001.jsonl.zst" ]
stop_recorder
printf '{"record":"segment","version":1,"time":"\302\233","tool":"x\342\200\256","programs":{"A\302\233":"b"}}\n{"type":"ADDED","object":{"apiVersion":"v1","kind":"K\302\233","metadata":{"name":"a"}}}\n' >"$T/odd"
krecord stat "$T/odd" >"$T/out"
is "$(grep -aoE '\\u[0-9a-f]{4}' "$T/out" | tr '\n' ' ')" \
	'\u009b \u009b \u009b \u202e \u009b ' "invisible characters are made visible"

### Secrets

cat >"$T/watches2.yaml" <<'EOT'
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
  redact: [spec.password, status.token, "spec.a<b"]
  dependents:
  - {apiVersion: v1, kind: Secret}
EOT
[ -e "$T/program.jq" ] || echo 'def desired: [];' >"$T/program.jq"
{
	echo '{"type":"ADDED","time":"2026-01-01T00:00:00.000000Z","object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"ns"},"data":{"k":"SECRET1"}}}'
	echo '{"type":"ADDED","object":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","namespace":"ns"},"spec":{"password":"SECRET2","shown":"SHOWN"}}}'
	echo '{"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s","namespace":"ns","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"SECRET3"}}}}'
	# The same in escapes that JSON allows; and a key that the API server escapes.
	echo '{"type":"ADDED","object":{"apiVersion":"v1","k\u0069nd":"S\u0065cret","metadata":{"name":"s","namespace":"ns"},"d\u0061ta":{"k":"SECRETD"}}}'
	echo '{"type":"ADDED","object":{"apiVersion":"example.com\/v1","kind":"Thin\u0067","metadata":{"name":"a"},"spec":{"pass\u0077ord":"SECRETE","a\u003cb":"SECRETF"}}}'
	echo '{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","annotations":{"kubectl.kubernetes.io\/last\u002dapplied-configuration":"SECRETG"}}}}'
} >"$T/events"
echo '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"ns"},"stringData":{"k":"SECRET4"}}],"reconcile":{"primary":{"apiVersion":"example.com/v1","kind":"Thing","namespace":"ns","name":"a"},"status":{"token":"SECRET5","n":"SHOWN"},"onError":{"token":"SECRET6"},"because":{"items":{"Thing.example.com/ns/b":{"differs":[{"path":".spec.password","observed":"SECRET7","wanted":"SECRET8"}]},"Thing.example.com/ns/c":{"differs":[{"path":".x","observed":"\"SECRET9\""}]},"ConfigMap/ns/c":{"differs":[{"path":".x","observed":"SHOWN"}]}}}}}' >"$T/sets"
echo '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"status":{"token":"SECRETA"}}' >"$T/statuses"
echo '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"result":"failed","message":"SECRETB","because":"SECRETC"}' >"$T/results"
{
	echo '{"primary":"Thing.example.com/ns/a","object":"Thing.example.com/ns/a","part":"status","change":"differs","differs":[{"path":".status.token","before":"\"SECRETD\"","after":"\"SECRETE\""}]}'
	echo '{"primary":"Thing.example.com/ns/a","object":"Deployment.apps/ns/a","part":"item","change":"differs","differs":[{"path":".x","after":"SHOWN"}]}'
} >"$T/shadow"
escaped='{"apiVersion":"v1","kind":"List","it\u0065ms":[{"apiVersion":"v1","kind":"Secre\u0074","string\u0044ata":{"k":"SECRETH"}}],"reconcile":{"primary":{"apiVersion":"example.com\/v1","kind":"T\u0068ing","name":"a"},"st\u0061tus":{"token":"SECRETI"},"b\u0065cause":{"items":{"T\u0068ing.example.com/ns/b":{"differs":[{"path":".x","\u006fbserved":"SECRETJ"}]}}}}}'
echo "$escaped" >>"$T/sets"
runs 0 "secrets" krecord write "$T/hidden" -f "$T/watches2.yaml" \
	--events-fd=4 --sets-fd=5 --statuses-fd=6 --results-fd=7 --shadow-fd=8 \
	4<"$T/events" 5<"$T/sets" 6<"$T/statuses" 7<"$T/results" 8<"$T/shadow"
zstd -qdc "$T/hidden/00000001.jsonl.zst" >"$T/lines"
program="program.jq $(cat "$T"/*.jq | sha256sum | cut -c -16)"
is "$(head -n 1 "$T/lines" | jq -c .programs)" \
	"{\"Thing.example.com\":\"$program\"}" "the version of the program"
is "$(krecord stat "$T/hidden" | sed -n 's/^programs *//p')" \
	"Thing.example.com: $program" "... which stat tells"
is "$(grep -o 'SECRET.' "$T/lines")" "" "... are hidden"
is "$(grep -o SHOWN "$T/lines" | wc -l)" 4 "... and nothing else"
is "$(jq -s length "$T/lines")" 13 "... all lines are whole"
{
	cat "$T/events"
	jq -c '{record: "set", time: "2026-01-01T00:00:00Z", line: .}' "$T/sets"
	jq -c '{record: "shadow", time: "2026-01-01T00:00:00Z", line: .}' "$T/shadow"
} >"$T/open"
runs 0 "redact" krecord redact -f "$T/watches2.yaml" "$T/open"
is "$(grep -o 'SECRET.' "$T/out")" "" "... hides them afterwards"
is "$(wc -l <"$T/out")" 10 "... in every line"

# Lists, with kinds of their own in the items and without; and another record.
{
	echo '{"type":"ADDED","object":{"apiVersion":"v1","kind":"SecretList","metadata":{"annotations":{"a":"last-applied-configuration"}},"items":[{"metadata":{"name":"s","namespace":"ns"},"data":{"k":"SECRET1"}}]}}'
	echo '{"type":"ADDED","object":{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":{"k":"SECRET2"}},{"apiVersion":"v1","kind":"SecretList","items":[{"data":{"k":"SECRET3"}}]},{"kind":"Pod","spec":"SHOWN"}]}}'
	echo '{"type":"ADDED","object":{"apiVersion":"example.com/v1","kind":"ThingList","items":[{"spec":{"password":"SECRET4"}}]}}'
	echo '{"record":"later","time":"2026-01-01T00:00:00Z","line":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"k":"SECRET5"}}}'
} >"$T/lists"
runs 1 "redact of lists, and of a record line that is not known" \
	krecord redact -f "$T/watches2.yaml" "$T/lists"
is "$(grep -o 'SECRET.' "$T/out")" "" "... hides what is in them"
is "$(jq -s length "$T/out") $(grep -c SHOWN "$T/out")" "3 1" \
	"... and nothing else"
is "$(<"$T/err")" "krecord: error: $T/lists:4: a record line of a kind that is not known here: it may have values of Secrets, and is left out" \
	"... leaves the line out, and says so"

# Secrets in other objects, as in a template, and their text in one.
secret='{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"k":"SECRET1"},"stringData":{"k":"SECRET2"}}'
text=$(jq -c tojson <<<"$secret")
{
	echo '{"type":"ADDED","time":"2026-01-01T00:00:00.000000Z","object":{"apiVersion":"example.com/v1","kind":"Other","metadata":{"name":"a","namespace":"ns","annotations":{"x":'"$text"',"y":"SHOWN"}},"spec":{"template":'"$secret"',"objects":[{"kind":"List","items":['"$secret"']},"SHOWN"]},"status":{"last":'"$secret"'}}}'
	echo '{"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"ns"},"data":{"j":'"$text"',"y":"kind: Secret\nstringData: {k: SECRET3}\n","z":"SHOWN"}}}'
} >"$T/events2"
echo '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"example.com/v1","kind":"Other","metadata":{"name":"a"},"spec":{"t":'"$secret"',"n":"SHOWN"}}],"reconcile":{"primary":{"apiVersion":"example.com/v1","kind":"Thing","namespace":"ns","name":"a"},"status":{"t":['"$secret"',"SHOWN"]},"onError":{"t":'"$secret"'},"because":{"items":{"Other.example.com/ns/a":{"differs":[{"path":".spec","observed":'"$text"',"wanted":"SHOWN"}]}}}}}' >"$T/sets2"
echo '{"apiVersion":"example.com/v1","kind":"Other","metadata":{"name":"a"},"status":{"t":'"$secret"',"n":"SHOWN"}}' >"$T/statuses2"
echo '{"apiVersion":"example.com/v1","kind":"Other","metadata":{"name":"a"},"result":"failed","message":'"$text"',"because":"SHOWN"}' >"$T/results2"
runs 0 "Secrets in other objects" krecord write "$T/inside" --events-fd=4 \
	--sets-fd=5 --statuses-fd=6 --results-fd=7 \
	4<"$T/events2" 5<"$T/sets2" 6<"$T/statuses2" 7<"$T/results2"
zstd -qdc "$T/inside/00000001.jsonl.zst" >"$T/lines"
is "$(grep -o 'SECRET.' "$T/lines")" "" "... are hidden"
is "$(grep -o SHOWN "$T/lines" | wc -l)" 8 "... and nothing else"
is "$(jq -s length "$T/lines")" 6 "... all lines are whole"
{
	cat "$T/events2"
	jq -c '{record: "set", time: "2026-01-01T00:00:00Z", line: .}' "$T/sets2"
} >"$T/open2"
runs 0 "redact of them" krecord redact "$T/open2"
is "$(grep -o 'SECRET.' "$T/out")" "" "... hides them, too"

# Without hidden fields of watches.yaml most lines are recorded as they are.
{
	grep -v Thin "$T/events"
	echo '{"type":"ADDED"}'
	echo '{"typ":"ADDED","object":{}}'
	echo '{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":"SHOWN"}}'
} >"$T/few"
grep '"stringData"' "$T/sets" >"$T/few-sets"
runs 0 "without watches.yaml" krecord write "$T/unnamed" \
	--events-fd=4 --sets-fd=5 4<"$T/few" 5<"$T/few-sets"
zstd -qdc "$T/unnamed/00000001.jsonl.zst" >"$T/lines"
is "$(grep -oE 'SECRET[1-4DG]' "$T/lines")" "" "Secrets and applied copies are hidden"
is "$(jq -r '.object.kind // .record // .' "$T/lines" | sort | tr '\n' ' ')" \
	"ConfigMap Pod Pod Secret Secret segment set " "... lines that are not events are left out"
ok "... and the others as they came" grep -qxF "$(tail -n 1 "$T/few")" "$T/lines"

### Cutting

at() {
	printf '2026-01-01T00:%s.000000Z' "$1"
}
{
	begin_kind ConfigMap
	generate 10
	end_kind ConfigMap
	generate 300 10
} >"$T/events"
krecord write "$T/whole" --events-fd=0 <"$T/events"
runs 0 "a tail" krecord cut --from "$(at 03:00)" "$T/events"
is "$(jq -r '.object.metadata.annotations // empty | keys[]' "$T/out" | xargs)" \
	"kpipe.dev/initial-events-begin k8s.io/initial-events-end" \
	"... with bookmarks"
is "$(jq -r 'select(.type == "ADDED") | .object.metadata.resourceVersion' "$T/out" | xargs)" \
	"171 172 173 174 175 176 177 178 179 180" "... and the state at that time"
is "$(jq -r 'select(.type == "MODIFIED") | .object.metadata.resourceVersion' "$T/out" | head -n 1)" \
	181 "... and then the lines"
last_state <"$T/out" >"$T/got"
last_state <"$T/events" >"$T/want"
same "$T/got" "$T/want" "... up to the same end"
{
	begin_kind ConfigMap
	mark ConfigMap kpipe.dev/listed-namespaces | sed 's/"true"/"old"/'
	begin_kind ConfigMap
	generate 10
	mark ConfigMap kpipe.dev/listed-namespaces | sed 's/"true"/"ns"/'
	mark ConfigMap kpipe.dev/listed-namespaces | sed 's/"true"/"a,b"/'
	generate 300 10
} >"$T/part"
runs 0 "a tail of what is not listed everywhere" \
	krecord cut --from "$(at 03:00)" "$T/part"
is "$(jq -r '.object.metadata | .annotations // .name | tostring' "$T/out" |
	sed -n '1p;11,13p')" '{"kpipe.dev/initial-events-begin":"true"}
c9
{"kpipe.dev/listed-namespaces":"ns,a,b"}
c0' "... says where it is, behind the objects"
for lost in true false; do
	{
		begin_kind ConfigMap
		mark ConfigMap kpipe.dev/absent
		end_kind ConfigMap
		$lost || begin_kind ConfigMap
		$lost || end_kind ConfigMap
		generate 300
	} >"$T/part"
	krecord cut --from "$(at 03:00)" "$T/part" >"$T/out"
	is "$(jq -r 'select(.type == "BOOKMARK").object.metadata.annotations | keys[]' "$T/out" | xargs)" \
		"kpipe.dev/initial-events-begin $($lost && echo "kpipe.dev/absent ")k8s.io/initial-events-end" \
		"a kind that is absent, until it begins: $lost"
done
runs 0 "a piece" krecord cut --from="$(at 01:00)" --to="$(at 02:00)" "$T/events"
is "$(jq -r 'select(.type == "MODIFIED").time' "$T/out" | sed -n '1p;$p' | xargs)" \
	"$(at 01:00) $(at 02:00)" "... has its ends"
runs 0 "before the start" krecord cut --from=2000-01-01T00:00:00Z "$T/whole"
is "$(grep -c MODIFIED "$T/out")" 310 "... everything"
runs 100 "a bad time" krecord cut --from=yesterday "$T/events"
runs 100 "a state from standard input" krecord cut --from "$(at 01:00)" \
	<"$T/events"
{
	cat "$T/events"
	echo '{"type":"ADDED","object":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","namespace":"ns"}}}'
	echo '{"type":"ADDED","object":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"b","namespace":"ns"}}}'
	echo '{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns","ownerReferences":[{"apiVersion":"example.com/v1","kind":"Thing","name":"a"}]}}}'
	echo '{"record":"set","time":"2026-01-01T00:10:00Z","line":{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c3","namespace":"ns"}}],"reconcile":{"primary":{"apiVersion":"example.com/v1","kind":"Thing","namespace":"ns","name":"a"}}}}'
	echo '{"record":"set","time":"2026-01-01T00:10:00Z","line":{"apiVersion":"v1","kind":"List","items":[],"reconcile":{"primary":{"apiVersion":"example.com/v1","kind":"Thing","namespace":"ns","name":"b"}}}}'
	echo '{"record":"result","time":"2026-01-01T00:10:00Z","tool":"kapply","line":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c3","namespace":"ns"},"result":"created"}}'
	echo '{"record":"result","time":"2026-01-01T00:10:00Z","tool":"kapply","line":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c4","namespace":"ns"},"result":"created"}}'
	echo '{"record":"status","time":"2026-01-01T00:10:00Z","line":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","namespace":"ns"}}}'
} >"$T/mixed"
for object in Thing.example.com/ns/a Thing/ns/a ConfigMap/ns/c3; do
	runs 0 "--object $object" krecord cut --object "$object" "$T/mixed"
	is "$(jq -r '(.object // .line.reconcile.primary // .line) |
		select(.kind != "ConfigMap" or .metadata.name) |
		"\(.kind)/\(.metadata.name // .name)"' "$T/out" | sort | uniq -c | xargs)" \
		"32 ConfigMap/c3 $([ "$object" = ConfigMap/ns/c3 ] || echo '1 Pod/p ')3 Thing/a" \
		"... what concerns it"
	is "$(grep -c BOOKMARK "$T/out")" 2 "... and bookmarks"
done
for name in a b; do
	echo '{"record":"shadow","time":"2026-01-01T00:10:00Z","line":{"primary":"Thing.example.com/ns/NAME","object":"ConfigMap/ns/NAME","part":"item","change":"only-after"}}' |
		sed "s/NAME/$name/g"
done >>"$T/mixed"
runs 0 "differences of --shadow" krecord cut --object Thing/ns/a "$T/mixed"
is "$(jq -r 'select(.record == "shadow").line.object' "$T/out")" ConfigMap/ns/a \
	"... those of the object"
runs 0 "a kind in any case" krecord cut --object thing/ns/a "$T/mixed"
is "$(jq -r 'select(.record == "shadow").line.object' "$T/out")" ConfigMap/ns/a \
	"... is the same"
runs 1 "an object that is not there" krecord cut --object Pod/ns/q "$T/mixed"
ok "... is said" grep -q "Pod/ns/q is not in the recording" "$T/err"

### Memory

# More than the 32 MiB that may be mapped
for i in {1..22}; do
	cat "$T/long"
done >"$T/huge"
limited() {
	(
		ulimit -v 32768
		krecord "$@"
	)
}
if [ "$BIN" = "${BIN%sanitize/bin}" ]; then
	size=$(stat -c %s "$T/huge")
	runs 0 "$size bytes in 32 MiB of memory: write" \
		limited write "$T/memory" --size=256Mi --events-fd=0 <"$T/huge"
	runs 0 "... cut" limited cut --from "$(at 59:00)" \
		--object ConfigMap/ns/c1 "$T/memory"
	runs 0 "... stat" limited stat "$T/memory"
fi

### Options

while IFS='|' read -r args want; do
	# shellcheck disable=SC2086
	refuses "$want" krecord $args
done <<EOT
|which command? write, cut, redact, stat, cat or spans
mend|unknown command "mend": write, cut, redact, stat, cat or spans
write|krecord write needs one directory, or --live-fd
write $T/x|there is nothing to record: see the options --events-fd, --sets-fd, --statuses-fd and --results-fd
write $T/x --events-fd=77|the descriptor 77 of events is not open
write $T/note --size=1 --events-fd=0|option --size: 1 is not a size of at least 1Mi, like 64Mi
write $T/v2 --events-fd=0|$T/v2 is not a directory
cat --to=x|option --to belongs to krecord cut
cut --from=2026-01-02T00:00:00Z --to=2026-01-01T00:00:00Z /dev/null|option --from: 2026-01-02T00:00:00Z is later than --to, 2026-01-01T00:00:00Z
cut --object=x /dev/null|option --object: x is not KIND/NAMESPACE/NAME or KIND/NAME
cat $T/nothing|cannot read $T/nothing: No such file or directory
EOT

# A state keeps the mark of an object of which a line has only the identity.
runs 0 "an object that was too large" krecord cut \
	--from=2026-01-01T00:00:01.5Z t/cases/5600/large.jsonl
is "$(jq -r '"\(.type) \(.tooLarge)"' "$T/out")" "ADDED 17000000
MODIFIED null" "... is so in the state, too"
done_testing
