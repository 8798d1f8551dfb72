#!/bin/bash
# kview without a browser: what is in the page, and nothing that ends its data
# early; lines for a terminal; secrets; recordings that are not whole.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

# data PAGE: its lines of JSON
data() {
	sed '1,/<script id="data"/d; /^<\/script>/,$d' "$1"
}

# rows PAGE FILTER: of the rows, [time, line, sort, key, text, details]
rows() {
	data "$1" | jq -rcs '
	    (map(select(type == "object" and has("kind")) | {key: "\(.track)",
		value: "\(.kind)/\(.namespace)/\(.name)"}) | from_entries) as $key |
	    .[] | arrays | .[3] |= $key["\(.)"] | '"$2"
}

# event TYPE KIND NAME VERSION MEMBERS: a line of kwatch; $TIME, if set
TIME=
event() {
	printf '{"type":"%s"%s,"object":{"apiVersion":"v1","kind":"%s","metadata":{"namespace":"ns","name":"%s","uid":"u-%s","resourceVersion":"%s"}%s}}\n' \
		"$1" "${TIME:+,\"time\":\"$TIME\"}" "$2" "$3" "$3" "$4" "${5:+,$5}"
}

page=$T/page.html
t/view/incident >"$T/incident.jsonl"

# ---- the page ----

runs 0 "a page" kview "$T/incident.jsonl"
is "$(<"$T/err")" "" "... without a word"
cp "$T/out" "$page"
is "$(head -n 1 "$page")" "<!doctype html>" "... is HTML"
is "$(grep -oE '(src|href|url|import)[=(]["'\'']?(https?:)?//[^ ]*' "$page")" "" \
	"... asks the network for nothing"
ok "... and may not" grep -q "default-src 'none'" "$page"
is "$(grep -cE '\{\{[a-z]+\}\}' "$page")" 0 "... has all its parts"
is "$(sed -n 's,<title>\(.*\)</title>,\1,p' "$page")" incident.jsonl "... a title"
is "$(rows "$page" '.[2]' | sort | uniq -c | awk '{ print $2 "=" $1 }' | xargs)" \
	"appeared=8 decision=15 failure=6 gap=1 gone=5 leader=3 phase=3 present=21 restart=1 spec=8 status=17 write=8" \
	"... each sort of row"
is "$(rows "$page" 'select(.[2] == "spec") | "\(.[3]) \(.[4])"' | head -n 2)" \
	"Deployment.apps/shop/cart .spec.replicas 3 -> 5 (+2)
Deployment.apps/shop/cart .spec.replicas 5 -> 3 (+2)" "... what changed"
is "$(rows "$page" 'select(.[2] == "spec") | .[5]' | head -n 1)" \
	'{"version":"122","manager":"kubectl-scale","fields":[[".spec.replicas","3","5"],[".status.replicas","3","5"],[".status.conditions[type=Available].status","\"True\"","\"False\""]]}' \
	"... each field, before and after"
is "$(rows "$page" 'select(.[2] == "decision") |
	[.[3], .[5].items[0], .[5].because.events[0].manager] | join(" ")' |
	head -n 1)" \
	"Memcached.cache.example.com/shop/cart Deployment.apps/shop/cart kubectl-scale" \
	"... why something was decided"
is "$(rows "$page" 'select(.[2] == "failure") | .[4]' | head -n 1)" \
	'failed: deployments.apps "billing" is forbidden: exceeded quota: compute, requested: replicas=6, used: 3, limited: 6' \
	"... why a write failed"
is "$(rows "$page" 'select(.[2] == "restart" or .[2] == "leader") | .[4]')" \
	"leads
does not lead any more
kapply was started again (start 2)
leads" "... the pipeline"
is "$(data "$page" | jq -c 'objects | select(has("parent")) | [.track, .parent]' |
	head -n 3 | xargs)" "[2,1] [3,2] [4,2]" "... what belongs to what"
is "$(data "$page" | jq -s 'map(objects | select(has("object"))) |
	map(.object.metadata.name) | sort | .[0:3] | join(" ")' -r)" \
	"billing billing billing-0" "... whole objects, in their last version"
is "$(data "$page" | tail -n 1 | jq -c .end)" \
	'{"lines":103,"bad":0,"objectsLeftOut":0,"cut":false,"timed":true}' \
	"... the end"
is "$(rows "$page" '.[0]' | head -n 1)" 1795791840100000 "... times in microseconds"

kview <"$T/incident.jsonl" >"$T/again.html"
is "$(rows "$T/again.html" '.[2]' | wc -l)" 96 "standard input"
zstd -q "$T/incident.jsonl" -o "$T/incident.jsonl.zst"
kview "$T/incident.jsonl.zst" >"$T/again.html"
is "$(rows "$T/again.html" '.[2]' | wc -l)" 96 "... a compressed file"
kview "$T/incident.jsonl" "$T/incident.jsonl" >"$T/again.html"
is "$(data "$T/again.html" | jq -c 'objects | select(has("source")).line' | xargs)" \
	"1 104" "two files: where the second begins"

# The second segment begins with the state at its start.
mkdir "$T/segments"
zstd -q "$T/incident.jsonl" -o "$T/segments/00000001.jsonl.zst"
{
	echo '{"record":"segment","version":1,"time":"2026-11-27T15:05:00Z","sequence":2,"tool":"kpipe"}'
	grep BOOKMARK "$T/incident.jsonl" | grep ConfigMap | grep begin
	grep '"kind":"ConfigMap"' "$T/incident.jsonl" | grep MODIFIED |
		sed s/MODIFIED/ADDED/
	grep BOOKMARK "$T/incident.jsonl" | grep ConfigMap | grep end
	grep '"record":"gap"' "$T/incident.jsonl"
} | zstd -q >"$T/segments/00000002.jsonl.zst"
runs 0 "a directory of segments" kview "$T/segments"
is "$(rows "$T/out" '.[2]' | wc -l)" 97 "... the state again makes no rows"
is "$(data "$T/out" | jq -r 'objects | select(has("source")).source' |
	sed 's,.*/,,' | xargs)" "00000001.jsonl.zst 00000002.jsonl.zst" \
	"... each is named"

# ---- text is text ----

TIME=2026-11-27T10:00:00Z
evil='</script><script>alert(1)</script><!-- <b>'
{
	event ADDED ConfigMap 'a<b>' 1 '"data":{"k":"'"$evil"'"}'
	event MODIFIED ConfigMap 'a<b>' 2 '"data":{"k":"</SCRIPT >"}'
} | sed "s,\"resourceVersion\",\"annotations\":{\"x\":\"$evil\"}\,&," >"$T/a<i>&.jsonl"
runs 0 "an object with markup in it" kview "$T/a<i>&.jsonl"
cp "$T/out" "$page"
is "$(grep -ciE '<script' "$page") $(grep -ciE '</script' "$page")" "2 2" \
	"... ends no script and begins no other"
is "$(grep -c 'alert(1)</' "$page") $(data "$page" | grep -c '<')" "0 0" \
	"... has no < in the data"
is "$(data "$page" | jq -r 'objects | select(has("object")) |
	.object.metadata.annotations.x')" "$evil" "... which are all there"
is "$(rows "$page" '.[3]' | tail -n 1)" "ConfigMap/ns/a<b>" "... as is the name"
is "$(sed -n 's,<title>\(.*\)</title>,\1,p' "$page")" \
	"a&lt;i>&amp;.jsonl" "... the name of the file, too"

# ---- what is not told ----

applied='"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"hunter0"}'
{
	event ADDED Secret s 1 '"data":{"old":"hunter1"},"stringData":{"a":"hunter2"}'
	event MODIFIED Secret s 2 '"data":{"old":"hunter3","new":"hunter4"}'
	event MODIFIED Secret s 3
	event DELETED Secret s 3 '"data":{"old":"hunter3"}'
	event ADDED Secret t 4 '"data":{"old":"hunter5"}'
	event ADDED ConfigMap c 5
	event MODIFIED ConfigMap c 6 | sed "s,\"uid\",$applied\,&,"
	echo '{"record":"set","time":"'"$TIME"'","line":{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"ns","name":"s"},"data":{"k":"hunter6"}}],"reconcile":{"primary":{"apiVersion":"v1","kind":"Thing","namespace":"ns","name":"p"},"because":{"items":{"Secret/ns/s":{"differs":[{"path":".data.k","observed":"hunter7","wanted":"hunter8"}]}}}}}}'
	echo '{"record":"set","time":"'"$TIME"'","line":{"apiVersion":"v1","kind":"List","items":[],"reconcile":{"primary":{"apiVersion":"v1","kind":"Thing","namespace":"ns","name":"p"},"because":{"Secret/ns/s":{"path":".data.k","observed":"hunter7","wanted":"hunter8","repair":true}}}}}'
} >"$T/secrets.jsonl"
runs 0 "Secrets" kview "$T/secrets.jsonl"
cp "$T/out" "$page"
is "$(grep -o 'hunter.' "$page")" "" "... have no values in the page"
is "$(rows "$page" 'select(.[3] == "Secret/ns/s" and .[2] == "spec") | .[5].fields')" '[[".data.old",true,true],[".data.new",null,true],[".stringData.a",true,null]]
[[".data.old",true,null],[".data.new",true,null]]' "... only which of them changed"
is "$(data "$page" | jq -c 'objects | select(.object.kind == "Secret").object.data')" \
	'null
{"old":"(not shown)"}' "... nor in whole objects"
ok "... other text is there" grep -q '"repair":true' "$page"
kview --term "$T/secrets.jsonl" >"$T/out"
is "$(grep -o 'hunter.' "$T/out")" "" "... and none in lines"
sed 's/Secret/S\\u0065cret/g; s/ata":/\\u0061ta":/g; s/last-/l\\u0061st-/g' \
	"$T/secrets.jsonl" >"$T/escaped.jsonl"
kview "$T/escaped.jsonl" >"$T/out"
is "$(grep -c 'S.u0065' "$T/escaped.jsonl") $(grep -o 'hunter.' "$T/out")" "7 " \
	"... however kinds and keys are spelled"

# ---- kinds that are announced again, and others that have no row ----

# frame NAME KIND
frame() {
	echo '{"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"'"$2"'","metadata":{"annotations":{"'"$1"'":"true"}}}}'
}
begin() {
	frame kpipe.dev/initial-events-begin "$1"
}
end() {
	frame k8s.io/initial-events-end "$1"
}
TIME=
{
	begin Pod
	event ADDED Pod a 1
	event ADDED Pod b 2 '"spec":{"n":1}'
	end Pod
	event ADDED Pod c 3
	begin Pod
	event ADDED Pod b 4 '"spec":{"n":2}'
	event ADDED Pod c 3
	end Pod
	event MODIFIED Pod c 5
	event ADDED Pod c 6 | sed s/u-c/u-other/
	echo '{"type":"ERROR","object":{"apiVersion":"v1","kind":"Status","message":"too old"}}'
	echo '{"record":"new","x":1}'
	echo '{"record":"state","line":{"tool":"kapply","counters":{}}}'
} >"$T/twice.jsonl"
runs 0 "kinds that are announced twice" kview --term "$T/twice.jsonl"
is "$(<"$T/out")" "line 2 present   Pod/ns/a: was there
line 3 present   Pod/ns/b: was there
line 5 appeared  Pod/ns/c: created
line 6 restart   pipeline: kwatch began again
line 7 spec      Pod/ns/b: .spec.n 1 -> 2
line 9 gone      Pod/ns/a: not listed any more
line 10 meta      Pod/ns/c: nothing that is shown
line 11 gone      Pod/ns/c: deleted (another object has the name now)
line 11 appeared  Pod/ns/c: created
line 12 failure   pipeline: watch: too old" "... only what is new makes a row"
kview "$T/twice.jsonl" >"$page"
is "$(data "$page" | tail -n 1 | jq .end.timed) $(rows "$page" '.[0:2]' |
	head -n 1)" "false [null,2]" "... lines without a time have none"

# ---- lines ----

kview --term "$T/incident.jsonl" >"$T/out"
is "$(sed -n '22,24p' "$T/out")" \
	"2026-11-27T15:04:00.500000Z phase     pipeline: running
2026-11-27T15:04:01.500000Z leader    pipeline: leads
2026-11-27T15:04:06.200000Z spec      Deployment.apps/shop/cart: .spec.replicas 3 -> 5 (+2)" \
	"--term: a line for each"
runs 0 "--object" kview --term --object=Deployment/shop/cart "$T/incident.jsonl"
is "$(awk '{ print $3 }' "$T/out" | sort -u | xargs)" \
	"Deployment.apps/shop/cart: Pod/shop/cart-0: Pod/shop/cart-1: Pod/shop/cart-2: Pod/shop/cart-3: Pod/shop/cart-4: pipeline:" \
	"... it, what is below it, and the pipeline"
runs 0 "... in a page" \
	kview --object=Memcached.cache.example.com/shop/cart "$T/incident.jsonl"
is "$(rows "$T/out" '.[3] | select(. != "//")' | sort -u | wc -l)" 7 "... the same"
runs 1 "... of another group" \
	kview --term --object=Deployment.extensions/shop/cart "$T/incident.jsonl"
is "$(<"$T/err")" \
	"kview: warning: nothing of Deployment.extensions/shop/cart is in the recording" \
	"... is nothing"
printf '{"type":"ERROR","object":{"kind":"Status","message":"a\\u001b[31m\\nb"}}\n' >"$T/escape"
is "$(kview --term "$T/escape")" "line 1 failure   pipeline: watch: a?[31m?b" \
	"what a terminal would obey is replaced"

# colors [VARIABLE=VALUE]: whether lines have them on a terminal
colors() {
	timeout 60 script -qec "env $* kview --term '$T/escape'" /dev/null </dev/null |
		grep -c $'\033\[31mfailure'
}
is "$(colors X=1) $(colors NO_COLOR=1)" "1 0" \
	"colours on a terminal, and not with NO_COLOR"

# ---- why ----

# set_line BECAUSE: a decision about ns/p
set_line() {
	echo '{"record":"set","time":"2026-11-27T10:00:00Z","line":{"apiVersion":"v1","kind":"List","items":[],"reconcile":{"primary":{"apiVersion":"v1","kind":"Thing","namespace":"ns","name":"p"},"status":{},"because":'"$1"'}}}'
}
{
	echo '{"record":"segment","version":1,"programs":{"Thing":"p.jq 01"}}'
	set_line '{"events":[{"timer":"a deadline"}]}'
	set_line '{}'
	set_line '{"items":{"Pod/ns/a":{"gone":true}}}'
	set_line '{"items":{"Pod/ns/a":{"differs":[{"path":".spec.n","observed":"1","wanted":"2"}],"repair":true}}}'
	echo '{"record":"status","time":"2026-11-27T10:00:00Z","line":{"apiVersion":"v1","kind":"Thing","metadata":{"namespace":"ns","name":"p"},"status":{"phase":"Ready"}}}'
	echo '{"record":"result","time":"2026-11-27T10:00:00Z","tool":"kstatus","line":{"apiVersion":"v1","kind":"Thing","metadata":{"namespace":"ns","name":"p"},"result":"dropped"}}'
	echo '{"record":"result","time":"2026-11-27T10:00:00Z","tool":"kapply","line":{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ns","name":"a"},"result":"created","primary":"Thing/ns/p"}}'
} >"$T/why.jsonl"
is "$(kview --term "$T/why.jsonl" | cut -c 29-)" \
	"decision  Thing/ns/p: status; because of a timer: a deadline
decision  Thing/ns/p: status; by what was there at the start
decision  Thing/ns/p: status; Pod/ns/a is gone; by what was there at the start
decision  Thing/ns/p: status; Pod/ns/a .spec.n 1, wanted 2; by what was there at the start
decision  Thing/ns/p: status to write: phase Ready
unchanged Thing/ns/p: dropped
write     Pod/ns/a: created" "why something is decided"
kview "$T/why.jsonl" >"$T/why.html"
ok "... by which version of the program" grep -q '"program":"p.jq 01"' "$T/why.html"
is "$(kview --term --object=Thing/ns/p "$T/why.jsonl" | tail -n 1 | cut -c 39-)" \
	"Pod/ns/a: created" "a result names its primary"

# ---- the story of the operator ----

# told SCENE SORT [FIELD]: those rows of a scene, in the words of a terminal
told() {
	t/view/scene "$1" | kview --term | cut -c 29- | grep "^$2 " | cut -d : -f 2-
}
is "$(told restarts restart)" \
	" the operator started: kpipe 0.1.0, Memcached.cache.example.com by reconcile.jq 3f7a9c01d2e4b586
 the operator restarted here: kpipe 0.1.0, Memcached.cache.example.com by reconcile.jq b0417fe29a6c3d55; before it was kpipe 0.1.0, Memcached.cache.example.com by reconcile.jq 3f7a9c01d2e4b586
 kapply was started again (start 2)" "restarts, and the version of the program"
is "$(told restarts leader)" " leads
 does not lead any more
 leads
 does not lead any more
 leads" "... leaders"
is "$(told restarts shadow)" \
	' another release differs: item Deployment.apps/shop/cart .spec.template.spec.containers[name=memcached].image "memcached:1.4.36" -> "memcached:1.6.0"' \
	"... another release beside it"
echo '{"record":"shadow","line":{"primary":"Thing/ns/p","change":"gone"}}' |
	kview --term >"$T/out"
is "$(cut -d : -f 2- "$T/out")" \
	" another release is not compared any more: the primary is gone" \
	"... without a primary"
is "$(told fresh status | tail -n 1)$(told fresh decision | tail -n 1)" \
	" phase Processing -> Available, Ready False -> True, nodes +cart-2 and 2 more status to write: phase Processing -> Available, Ready False -> True, nodes +cart-2 and 2 more" \
	"a status in words, also one that is decided"
is "$(t/view/scene fresh | kwhy Memcached shop/cart | grep -o 'phase.*cart-2' | tail -n 1)" \
	"phase Processing -> Available, Ready False -> True, nodes +cart-2" \
	"... in those of kwhy"
is "$(
	kview --term <<'EOT' | tail -n 1 | cut -d : -f 2-
{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"status":{"n":1,"others":1}}}
{"record":"status","line":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"status":{"n":2}}}
EOT
)" " status to write: n 1 -> 2" "... what others have added to it stays"
is "$(told deletion meta)" " is to be deleted (+1)" "a deletion that waits"

# ---- bad input ----

runs 0 "an empty recording" kview /dev/null
is "$(<"$T/err")" "kview: warning: the recording is empty" "... is said"
for option in begin end; do
	jq -cn --arg a "$option" '{type: "BOOKMARK", object: {apiVersion: "v1",
		kind: "ConfigMap", metadata: {annotations: {({
			begin: "kpipe.dev/initial-events-begin",
			end: "k8s.io/initial-events-end"}[$a]): "true"}}}}' \
		>>"$T/framed"
	kview --term "$T/framed" 2>>"$T/framed.err"
done
is "$(<"$T/framed.err")" "kview: warning: the recording ends before all objects of ConfigMap are listed: others may be there" \
	"one that only begins says so, and not when it is complete"
is "$(data "$T/out" | tail -n 1 | jq .end.lines)" 0 "... by the page as well"

head -c -30 "$T/incident.jsonl" >"$T/cut.jsonl"
runs 0 "a recording that was cut" kview "$T/cut.jsonl"
is "$(data "$T/out" | tail -n 1 | jq -c '.end | [.cut, .bad]')" "[true,0]" \
	"... is shown as far as it goes"
ok "... and said" grep -q "^kview: warning: $T/cut.jsonl: the end is missing" "$T/err"
is "$(rows "$T/out" 'select(.[2] == "gap" or .[2] == "bad") | "\(.[2]) \(.[1])"' |
	xargs)" "gap 74 gap 103" "... as a gap"

{
	head -n 20 "$T/incident.jsonl"
	echo '{"no'
	echo '[1]'
	tail -n +21 "$T/incident.jsonl"
} >"$T/bad.jsonl"
runs 1 "lines that are not JSON" kview "$T/bad.jsonl"
is "$(grep -c "^kview: warning: $T/bad.jsonl:2[12]: " "$T/err")" 2 "... are named"
is "$(rows "$T/out" 'select(.[2] == "bad") | .[1]' | xargs)" "21 22" \
	"... and in the page"
is "$(rows "$T/out" .[2] | wc -l)" 98 "... with all others"

{
	cat "$T/incident.jsonl"
	echo '{"record":"segment","version":2,"time":"2026-11-27T15:05:00Z","sequence":2}'
} >"$T/version.jsonl"
runs 100 "a version that is not known" kview "$T/version.jsonl"
ok "... is named with its file" \
	grep -q "^kview: fatal: $T/version.jsonl:104: .*version" "$T/err"
is "$(rows "$T/out" .[2] | wc -l) $(data "$T/out" | tail -n 1 |
	jq '.end.failure | contains("version")')" "96 true" \
	"... the page has what came before, and says so"
ok "... and its end" grep -q "^</html>" "$T/out"

zstd -q --long=24 <"$T/incident.jsonl" >"$T/window.zst"
runs 100 "a window that is too large" kview --term "$T/window.zst"
ok "... is said" grep -q "window.zst: compressed with a window of more than 8 MiB" \
	"$T/err"
mkdir "$T/fifo"
mkfifo "$T/fifo/00000001.jsonl.zst"
runs 100 "a FIFO as a segment is not waited for" timeout 60 kview --term "$T/fifo"
is "$(grep -c "fifo/00000001.jsonl.zst is not a file: move it" "$T/err")" 1 \
	"... but named"

runs 100 "no such file" kview "$T/nowhere"
ok "... is named" grep -q "^kview: fatal: .*$T/nowhere" "$T/err"
is "$(<"$T/out")" "" "... without a page"
for object in "" Pod Pod/a Pod/a/; do
	runs 100 "--object=$object" kview --object="$object" "$T/incident.jsonl"
	is "$(<"$T/err")" "kview: fatal: --object=$object: write KIND/NAMESPACE/NAME, as Deployment.apps/default/web, or Namespace//web" \
		"... says how"
done
runs 111 "a full disk" bash -c "kview '$T/incident.jsonl' >/dev/full"
is "$(<"$T/err")" \
	"kview: fatal: cannot write to standard output: No space left on device" \
	"... is said"
is "$(timeout 60 script -qec "kview '$T/incident.jsonl'" /dev/null </dev/null | tr -d '\r')" \
	"kview: fatal: standard output is a terminal: write the page to a file, or use --term" \
	"no page on a terminal"

# ---- size ----

# Each is the parent of the one before.
seq 60000 | awk '{ printf("{\"record\":\"set\",\"line\":{\"items\":[{\"kind\":\"A\",\"metadata\":{\"name\":\"%d\"}}],\"reconcile\":{\"primary\":{\"kind\":\"A\",\"name\":\"%d\"}}}}\n", $1, $1 + 1) }' >"$T/chain.jsonl"
runs 0 "very many objects, one below the other" \
	sh -c 'ulimit -s 1024; kview "$1"' sh "$T/chain.jsonl"
stages() { # STARTS
	seq 300 | awk -v n="$1" '{ printf("%s\"s%d\":{\"starts\":%d}", NR > 1 ? "," : "", $1, n) }'
}
for starts in 1 2; do
	printf '{"record":"state","line":{"phase":"running","stages":{%s}}}\n' \
		"$(stages $starts)"
done >"$T/stages.jsonl"
runs 0 "very many stages" kview --term "$T/stages.jsonl"
is "$(grep -c 'started again' "$T/out")" 256 "... not all are told"

runs 0 "an object that was too large" kview --term t/cases/5600/large.jsonl
is "$(cut -d : -f 4- "$T/out")" " created
 too large to be read
 .spec.replicas 1 -> 2" "... nothing is said to be gone from it"

t/view/many 20000 2000 >"$T/many.jsonl"
runs 0 "20,000 events" kview "$T/many.jsonl"
is "$(($(stat -c %s "$T/out") * 3 < $(stat -c %s "$T/many.jsonl")))" 1 \
	"... a page of less than a third of them"


# --- who led to a decision: the manager of the item that differs, not of what
# came first; of several all, and nobody if one is not known
decision() { # EVENTS [MEMBERS]
	printf '{"record":"set","line":{"items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"ns"}}],"reconcile":{"primary":{"apiVersion":"example.com/v1","kind":"Thing","namespace":"ns","name":"a","uid":"u"},"because":{"events":[%s],"items":{"ConfigMap/ns/c":{"differs":[{"path":".data.k"}]}}%s}}}}\n' \
		"$1" "${2:-}" | kview --term | sed 's/.*because //'
}
by() { # NAME [MANAGER]
	printf '{"type":"MODIFIED","apiVersion":"v1","kind":"ConfigMap","namespace":"ns","name":"%s"%s}' \
		"$1" "${2:+,\"manager\":\"$2\"}"
}
is "$(decision "$(by other x),$(by c y),$(by other z)")" \
	"MODIFIED ConfigMap ns/c by y" "a decision is by who changed the item"
is "$(decision "$(by c y),$(by c z),$(by c y)")" \
	"MODIFIED ConfigMap ns/c by y or z" "... or by one of several"
is "$(decision "$(by c y),$(by c)")" "MODIFIED ConfigMap ns/c" \
	"... or by nobody, if one is not known"
is "$(decision "$(by c y)" ',"moreEvents":1')" "MODIFIED ConfigMap ns/c" \
	"... or there were more"
is "$(decision "$(by other x),$(by third z)")" \
	"MODIFIED ConfigMap ns/other by x" "... else by the first event"
done_testing
