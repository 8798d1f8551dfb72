#!/bin/bash
# The page of kview, live, in a browser: it changes when an object does, follows
# now, says what is, bounds what it keeps, and connects again.
# check-all: browsers
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=recorded.sh
. "${0%/*}/recorded.sh"
browser_needed
# becomes LINE WANT WHAT: the same, in the end
says() {
	[ "$(js "$1")" = "$2" ]
}
becomes() {
	comes "$(patience 30)" says "$1" "$2"
	gives "$@"
}
now() {
	date -u +%Y-%m-%dT%H:%M:%S.%6NZ
}
# event TYPE KIND NAME VERSION PHASE READY: a line of kwatch, of this moment
event() {
	printf '{"type":"%s","time":"%s","object":{"apiVersion":"example.com/v1","kind":"%s","metadata":{"namespace":"ns","name":"%s","uid":"u-%s","resourceVersion":"%s"},"spec":{"size":%s},"status":{"phase":"%s","conditions":[{"type":"Ready","status":"%s"}]}}}\n' \
		"$1" "$(now)" "$2" "$3" "$3" "$4" "$4" "$5" "$6" >&5
}
# record KIND LINE [MEMBERS]: a record line
record() {
	printf '{"record":"%s","time":"%s"%s,"line":%s}\n' "$1" "$(now)" "${3-}" "$2" >&5
}
state() {
	record state '{"tool":"kpipe","phase":"running","leader":'"$1"',"stages":{"kwatch":{"running":true,"ready":true,"starts":1},"kapply":{"running":true,"ready":true,"starts":'"$2"'}}}'
}
text() {
	echo "document.getElementById('$1').textContent"
}
cells() {
	echo "[...document.querySelectorAll('#primaries tbody tr')].map((r) => [...r.cells].map((c) => c.textContent).join('|')).join(';')"
}

serve 127.0.0.1:0
browse "$page" 1280x900

### It changes

becomes "$(text connection)" '"Live"' "a page without events: it is live"
shown='["wait", "primaries", "tools"].map((id) => document.getElementById(id).checkVisibility()).join()'
gives "$shown" '"true,false,false"' "... and says that there are none yet"
event ADDED Thing a 1 Pending False
becomes 'kview.model.count' 1 "an object is created: it is there"
becomes "$shown" '"false,true,true"' "... with the cards"
becomes 'kview.view.lines.map((l) => l.kind || l.track.name).join()' \
	'"Thing.example.com,a"' "... as a line"
event MODIFIED Thing a 2 Pending False
becomes 'document.querySelector("tbody .text")?.textContent' \
	'".spec.size 1 -> 2"' "an object changes: the page does"
gives 'kview.stats.marks > 0' true "... and the picture"
becomes "$(text kinds)" '"Thing1"' "how many there are of a kind"
gives 'document.querySelectorAll("#legend button").length' 2 \
	"the legend has what came"

### What is

state false 1
becomes "$(text connection)" '"Live: running, standby"' "the state, in short"
state true 2
becomes "$(text stages)" \
	'"kwatchrunningkapplyrunning, start 2"' \
	"the stages"
record set '{"kind":"List","items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns","name":"c"}}],"reconcile":{"primary":{"apiVersion":"example.com/v1","kind":"Thing","namespace":"ns","name":"a"},"because":{"items":{"ConfigMap/ns/c":{"differs":[{"path":".data.k","observed":"\"1\"","wanted":"\"2\""}]}},"events":[{"type":"MODIFIED","apiVersion":"example.com/v1","kind":"Thing","namespace":"ns","name":"a","resourceVersion":"2"}]}}}'
becomes "$(cells)" '"ns/a|Pending|False|waits|"' \
	"a decision: its primary, in the queue"
becomes 'document.querySelector("#decisions li")?.textContent.slice(9)' \
	'"ns/a ConfigMap c .data.k \"1\", wanted \"2\""' \
	"... and what it differs in"
becomes '[...document.querySelectorAll("#rates dd")].map((e) => e.textContent).join()' \
	'"0,0,1,1"' "... the rates"
record result '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns","name":"c"},"result":"configured","primary":"Thing.example.com/ns/a"}' ',"tool":"kapply"'
event MODIFIED Thing a 3 Running True
becomes "$(cells)" '"ns/a|Running|True||"' "written: out of the queue, and ready"
becomes '[...document.querySelectorAll("#rates dd")].map((e) => e.textContent).join()' \
	'"1,0,1,0"' "... a write"
shadow() {
	record shadow '{"primary":"Thing.example.com/ns/a","object":"ConfigMap/ns/c","part":"item","change":"'"$1"'","differs":[{"path":".data.k"}]}'
}
shadow differs
becomes "$(cells)" '"ns/a|Running|True||1"' "another release would differ"
shadow agrees
becomes "$(cells)" '"ns/a|Running|True||"' "... and agrees"
gives '[...document.querySelectorAll("[role=status]")].map((e) => e.id).join()' \
	'"connection"' "only the short summary is told to readers of the screen"

### It follows

follows='[kview.view.follow, document.getElementById("follow").getAttribute("aria-pressed")].join()'
gives "$follows" '"true,true"' "it follows now"
js 'window.to = kview.view.to' >/dev/null
becomes 'kview.view.to > window.to' true "... the right end moves"
key +
gives "$follows" '"true,true"' "... also zoomed"
key ArrowLeft
becomes "$follows" '"false,false"' "moved: it does not follow"
js 'window.to = kview.view.to' >/dev/null
event MODIFIED Thing a 4 Running True
becomes 'kview.model.text.at(-1)' '".spec.size 3 -> 4"' "... what comes is there"
gives 'kview.view.to === window.to' true "... and moves nothing"
key l
becomes "$follows" '"true,true"' "key l: it follows"
key l
becomes "$follows" '"false,false"' "... and does not"
js 'document.getElementById("follow").click()' >/dev/null
becomes "$follows" '"true,true"' "... the button as well"

record set '{"kind":"List","items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"far","name":"a"}}],"reconcile":{"primary":{"apiVersion":"example.com/v1","kind":"Thing","namespace":"ns","name":"a"},"because":{"items":{"ConfigMap/far/a":{"differs":[{"path":".data.k","observed":"\"1\"","wanted":"\"2\""}]}}}}}'
becomes 'document.querySelector("#decisions li")?.textContent.slice(9)' \
	'"ns/a ConfigMap far/a .data.k \"1\", wanted \"2\""' \
	"a decision about another namespace"

### Dark

js '!media prefers-color-scheme=dark' >/dev/null
gives 'getComputedStyle(document.querySelector(".cards section")).backgroundColor' \
	'"rgb(27, 32, 39)"' "dark: the panels, too"
js '!media prefers-color-scheme=light' >/dev/null
gives '!errors' '[]' "no error, no other request"

### In order

for name in a10 a2 Z; do
	event ADDED Thing "$name" 1 Running True
done
becomes 'kview.view.set({quiet: true}), kview.view.lines.filter((l) => l.track?.kind.startsWith("Thing")).map((l) => l.track.name).join()' \
	'"a,a2,a10,Z"' "objects that come later are in order, by number"
gives 'kview.view.set({quiet: false}), kview.view.follow' true "... and it follows"

### Many

t/view/many 100000 5000 >&5
event ADDED Thing b 1 Running True
# Each part within its time: how fast the machine is, says nothing of the page.
for n in 20000 40000 60000 80000 100000; do
	becomes "kviewLive.events > $n" true "a hundred thousand events: $n"
done
becomes 'kview.model.titleOf(kview.model.count - 1)' '"Thing ns/b"' \
	"... come, until the last one"
gives 'kview.model.count <= 100000' true "... are bounded"
gives 'kviewLive.batches < kviewLive.events / 10' true "... many in one frame"
js 'window.frames_ = kview.stats.frames' >/dev/null
event ADDED Thing d 1 Running True
becomes 'kview.model.titleOf(kview.model.count - 1)' '"Thing ns/d"' \
	"... the next one comes"
gives 'kview.stats.frames > window.frames_ && kview.stats.lines < 40' true \
	"... only what is in sight is drawn"

### The connection

js 'window.same = true' >/dev/null
exec 5>&-
{
	kill_now "$kview"
	wait "$kview"
} 2>/dev/null
becomes "$(text connection)" '"Connection lost, trying again"' \
	"the connection is lost: it says so"
serve "127.0.0.1:$port"
event ADDED Thing c 1 Running True
becomes "$(text connection)" '"Live"' "... it connects again"
becomes 'kview.model.count' 1 "... to what there is now"
gives '[window.same, kview.model.tracks.at(-1).name].join()' '"true,c"' \
	"... in the same page"
exec 5>&-
becomes "$(text connection)" '"The recording has ended"' "the end"
exec 8>&-

done_testing
