#!/bin/bash
# The page of kview in a browser, from a file: it draws, filters, shows what
# changed and why, by mouse and by keys; a table says the same; a hundred
# thousand events cost what is in sight.
# check-all: browsers
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=recorded.sh
. "${0%/*}/recorded.sh"
browser_needed

t/view/incident >"$T/incident.jsonl"
kview "$T/incident.jsonl" >"$T/page.html"
browse "$T/page.html"

# ---- what is drawn ----

# has_picture ID: whether that canvas has more than a few colours
has_picture() {
	echo "new Set(new Uint32Array(document.getElementById('$1').getContext('2d').getImageData(0, 0, 1000, 40).data.buffer)).size > 3"
}
gives 'kview.model.count' 96 "a page from a file"
gives "$(has_picture picture)" true "... draws"
gives "$(has_picture overview)" true "... its overview, too"
gives '[kview.stats.marks > 30, kview.stats.lines > 8]' '[true,true]' \
	"... marks on lines"
gives 'document.getElementById("summary").textContent' \
	'"96 events  ·  29 objects  ·  6 failures  ·  49.1 s"' "... sums it up"
gives '[...document.querySelectorAll("#legend button")].map((b) => b.textContent).join()' \
	'"There at start,Created,Spec changed,Status changed,Deleted,Decision,Write,Failure,Leadership,Restart,Pipeline,Gap"' \
	"... has a legend of what is there"
line='(l) => (l.kind || l.label || kview.model.key(l.track)) + (l.kind ? "" : ":" + l.depth)'
gives "kview.view.lines.slice(0, 5).map($line).join(' ')" \
	'"//:0 Memcached.cache.example.com Memcached.cache.example.com/billing/billing:0 Deployment.apps/billing/billing:1 3 more: Pod:2"' \
	"... the pipeline, primaries, what is below them, but what nothing happened to"
gives "kview.view.lines.slice(-2).map($line).join(' ')" \
	'"Pod/shop/session-5:2 1 more: ConfigMap:0"' "... objects of no primary last"
js 'window.quiet = kview.view.lines.length' >/dev/null
key q
gives "[kview.view.lines.length > window.quiet, document.getElementById('quiet').checked, location.hash, kview.view.lines.slice(-2).map($line).join(' ')]" \
	'[true,true,"#quiet=1","ConfigMap ConfigMap/shop/settings:0"]' "key q: they are there"
key q
gives 'kview.view.lines.length === window.quiet' true "... and are not"

# ---- the filter ----

gives '!open failures=1' '"done"' "the address"
gives '[kview.view.rows.length, document.querySelectorAll("tbody tr").length, document.querySelector("tbody .what").textContent]' \
	'[6,6,"Failure"]' "... only failures"
gives 'document.getElementById("range").textContent' '"1 to 6 of 6"' "... how many"
js '!open filter=cart&kind=Pod' >/dev/null
gives '[kview.view.rows.length, location.hash]' '[7,"#filter=cart&kind=Pod"]' \
	"... a text and a kind"
gives '["search", "kind"].map((id) => document.getElementById(id).value)' \
	'["cart","Pod"]' "... stand in their fields"
js '!open' >/dev/null
key f
gives '[kview.view.rows.length, document.getElementById("failures").checked]' \
	'[6,true]' "key f: only failures"
key f /
gives 'document.activeElement.id' '"search"' "key /: the search"
key q u o t a
gives '[kview.view.rows.length, location.hash]' '[6,"#filter=quota"]' "... finds texts"
key f f
gives '[kview.view.rows.length, document.getElementById("range").textContent]' \
	'[0,"nothing matches"]' "... keys are letters there"
js '!open' >/dev/null
gives 'document.querySelector("#legend button[data-sort=\"9\"]").click()' null \
	"a click in the legend"
gives '[kview.view.rows.length, document.querySelector("#legend button[data-sort=\"9\"]").getAttribute("aria-pressed")]' \
	'[90,"false"]' "... hides that sort"
js '!open namespace=billing' >/dev/null
gives 'kview.view.lines.filter((l) => l.track).every((l) => l.track.namespace === "billing")' \
	true "a namespace"

# ---- the mouse: zoom, lines, a mark ----

js '!open' >/dev/null
gives 'window.span = kview.view.to - kview.view.from, window.lines = kview.view.lines.length, 1' 1 \
	"the whole"
js '!wheel 700 300 -300' >/dev/null
gives 'kview.view.to - kview.view.from < window.span * 0.9' true "the wheel zooms"
js '!drag 600 300 500 300' >/dev/null
gives '[kview.view.from > kview.model.first, kview.view.selected]' '[true,-1]' \
	"... a drag moves"
key 0
gives 'Math.abs(kview.view.to - kview.view.from - window.span) < 1' true "key 0: all"
key + ArrowRight
gives '[kview.view.to - kview.view.from < window.span * 0.7, kview.view.from > kview.model.first]' \
	'[true,true]' "keys + and right"
key 0
# canvas_y N: the middle of the line N on the screen
top=$(js 'document.getElementById("picture").getBoundingClientRect().top')
canvas_y() {
	awk -v top="$top" -v n="$1" 'BEGIN { print int(top + 30 + n * 24 + 12) }'
}
js "!click 60 $(canvas_y 4)" >/dev/null
gives "kview.view.lines.slice(4, 6).map($line).join(' ')" \
	'"3 more: Pod:2 Pod/billing/billing-0:2"' "a click on N more opens it"
js "!click 60 $(canvas_y 4)" >/dev/null
gives 'kview.view.lines.length === window.lines' true "... and closes it"
js "!click 40 $(canvas_y 1)" >/dev/null
gives 'kview.view.lines.length < window.lines' true "a click on a kind closes it"
js "!click 40 $(canvas_y 1)" >/dev/null
gives 'kview.view.lines.length === window.lines' true "... and opens it"
failure='[...kview.view.rows].find((i) => kview.model.isFailure(i))'
x=$(js "Math.round(((t) => 300 + (t - kview.view.from) / (kview.view.to - kview.view.from) * (document.getElementById('picture').clientWidth - 300))(kview.model.time[$failure]))")
js "!click $x $(canvas_y 3)" >/dev/null
gives 'document.querySelector("#details .badge")?.textContent' '"Failure"' \
	"a click on a mark opens its details"
gives 'document.querySelector("#details .message").textContent.includes("exceeded quota")' \
	true "... with the message"
key Escape
gives 'document.getElementById("details").hidden' true "Escape closes them"

# ---- the details ----

js 'kview.view.select([...kview.view.rows].find((i) => kview.model.text[i].startsWith(".spec.replicas 3 -> 5")))' >/dev/null
gives '[...document.querySelectorAll("#details .path th")].map((e) => e.textContent).join()' \
	'".spec.replicas,.status.replicas,.status.conditions[type=Available].status"' \
	"each field that changed"
gives '[...document.querySelectorAll("#details .fields code")].map((e) => e.textContent).join()' \
	'"3,5,3,5,\"True\",\"False\""' "... before and after"
gives '[...document.querySelectorAll("#details dd")].map((e) => e.textContent).filter((t) => /cart$|kubectl/.test(t)).join()' \
	'"Deployment.apps shop/cart,kubectl-scale"' "... of which object, and its writer"
gives 'document.querySelector("#details pre").textContent.includes("\"replicas\": 3")' \
	true "... and the whole object"
js '[...document.querySelectorAll("#details button")].find((b) => b.textContent.startsWith("After")).click()' >/dev/null
gives 'document.querySelector("#details .badge").textContent' '"Write"' \
	"... the next one of the object"
gives 'document.querySelector("#details .link").textContent' \
	'"Deployment shop/cart"' "... which names its cause"
js 'document.querySelector("#details .link").click()' >/dev/null
gives 'document.querySelector("#details .badge").textContent' '"Spec changed"' \
	"... and leads there"
js 'kview.view.select([...kview.view.rows].find((i) => kview.model.text[i].startsWith("1 item; Deployment.apps/shop/cart")))' >/dev/null
gives '[...document.querySelectorAll("#details h3")].map((e) => e.textContent).join()' \
	'"Because of,Items that differ,Items"' "why something was decided"
gives '[...document.querySelectorAll("#details .fields code")].map((e) => e.textContent).join()' \
	'"5,3"' "... observed and wanted"
gives 'document.querySelector("#details li").textContent' \
	'"modified Deployment shop/cart by kubectl-scale"' "... the event, and its writer"

# ---- the table, by keys alone ----

js '!open' >/dev/null
gives 'document.querySelector("tbody tr[tabindex=\"0\"]").focus()' null "the table"
gives 'document.querySelectorAll("tbody tr[tabindex=\"0\"]").length' 1 \
	"... has one row in the order of focus"
row='document.activeElement.getAttribute("aria-rowindex")'
key ArrowDown ArrowDown
gives "$row" '"4"' "... down"
key End
gives "$row" '"97"' "... to its end"
key ArrowDown ArrowUp
gives "$row" '"96"' "... not beyond, and up"
key Home Enter
gives '[kview.view.selected, document.activeElement.id, document.getElementById("details").hidden]' \
	'[95,"details",false]' "Enter: its details, the newest first"
gives 'document.querySelector("tbody tr[aria-current=\"true\"]").getAttribute("aria-rowindex")' \
	'"2"' "... and it is current"
key p p n
gives 'kview.view.selected' 94 "n and p: the next, the one before"
gives '[document.querySelector("table").getAttribute("aria-rowcount"), document.querySelectorAll("#rows thead th[scope=col]").length, document.querySelector("caption") !== null]' \
	'["97",4,true]' "it is a table with heads and a caption"
gives '[...document.querySelectorAll("button, input, select, [tabindex=\"0\"]")].filter((e) => !e.closest("[hidden]") && !(e.textContent.trim() || e.labels?.length || e.getAttribute("aria-label"))).length' \
	0 "all that has the focus has a name"

# ---- dark, and on paper ----

picture_is() {
	echo "[...document.getElementById('picture').getContext('2d').getImageData(3, document.getElementById('picture').height - 3, 1, 1).data].slice(0, 3).every((v) => v $1)"
}
gives "$(picture_is '> 200')" true "light"
js '!media prefers-color-scheme=dark' >/dev/null
gives "$(picture_is '< 60')" true "dark: the picture, too"
gives 'getComputedStyle(document.body).backgroundColor' '"rgb(20, 24, 29)"' \
	"... and the page"
js 'window.dispatchEvent(new Event("beforeprint"))' >/dev/null
gives "$(picture_is '> 200')" true "paper is light"
gives 'document.getElementById("scroller").clientHeight === Math.min(520, 38 + 24 * kview.view.lines.length)' \
	true "... the picture as tall as its lines, or half a page"
js 'window.dispatchEvent(new Event("afterprint"))' >/dev/null
gives 'document.getElementById("scroller").style.height' '""' "... which is of the paper alone"
ok "... it prints" test "$(js '!paper')" -gt 20000
gives "$(picture_is '< 60')" true "... and is dark after that"
js '!media media=print' >/dev/null
gives 'document.getElementById("overview").getBoundingClientRect().right' 1264 \
	"... the strip above the picture is as wide"
js '!media media=screen' >/dev/null
gives '!errors' '[]' "no error, no request, all the time"
exec 8>&-

# ---- texts of others ----

evil='<img src=x onerror=alert(1)></script><script>alert(2)</script>'
printf '{"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s","namespace":"<b>","annotations":{"a":"1"}}}}\n' "$evil" >"$T/evil"
printf '{"type":"MODIFIED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s","namespace":"<b>","annotations":{"a":"%s"}}}}\n' "$evil" "$evil" >>"$T/evil"
kview "$T/evil" >"$T/evil.html"
browse "$T/evil.html"
js 'kview.view.select(1)' >/dev/null
gives 'document.querySelector("tbody .object").textContent' \
	"\"ConfigMap <b>/$evil\"" "markup in a name is text"
gives 'document.querySelector("#details .after code").textContent' \
	"\"\\\"$evil\\\"\"" "... and in a value"
gives '[document.querySelectorAll("img").length, document.scripts.length]' '[0,2]' \
	"... nothing comes of it"
gives 'document.getElementById("notes").textContent.includes("no times")' true \
	"lines without times: a note"
gives '[...document.querySelectorAll("tbody .when")].map((e) => e.textContent)' \
	'["line 2","line 1"]' "... and their numbers"
gives '!errors' '[]' "... no error"
exec 8>&-

kview /dev/null >"$T/empty.html" 2>/dev/null
browse "$T/empty.html"
gives 'document.getElementById("notes").textContent' \
	'"This recording is empty: it has no lines."' "an empty one says so"
gives '!errors' '[]' "... no error"
exec 8>&-

# ---- many ----

t/view/many 100000 5000 | kview >"$T/many.html"
browse "$T/many.html"
gives 'kview.model.count' 100000 "a hundred thousand events"
gives '[kview.stats.lines < 40, kview.stats.marks < 40 * 80, document.querySelectorAll("tbody tr").length]' \
	'[true,true,100]' "... only what is in sight is drawn"
gives '[kview.view.lines.length < 1000, kview.view.from > kview.model.last - 120000, kview.view.lines.at(-1).label.split(" ").slice(1, 3).join(" ")]' \
	'[true,true,"more: Thing"]' "... it opens on what happened last"
key 0
gives 'kview.view.lines.length' 5001 "key 0: all lines"
frames='window.before = kview.stats.frames'
js "$frames" >/dev/null
js 'for (let i = 0; i < 200; i++) { kview.view.zoom(0.99); kview.view.pan(0.001); }' >/dev/null
gives 'kview.stats.frames - window.before <= 3' true "... many changes are one frame"
js '!open filter=o12&select=99999' >/dev/null
gives '[kview.view.rows.length > 1000, kview.view.lines.length < 400]' '[true,true]' \
	"... are filtered"
js '!open select=54321' >/dev/null
gives '[document.querySelector("tbody tr[aria-current=\"true\"]").dataset.row, document.getElementById("range").textContent]' \
	'["54321","45601 to 45700 of 100000"]' "... the table follows the selection"
js 'document.getElementById("scroller").scrollTop = 60000' >/dev/null
gives '[kview.stats.lines > 5, kview.stats.lines < 40]' '[true,true]' "... far down"
gives '!errors' '[]' "... no error"

done_testing
