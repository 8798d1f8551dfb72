#!/bin/bash
# The page of kview, in a browser, as one reads it: time without events is folded,
# a status is told in words, a group of marks shows its gravest, a link leads to a
# moment, keys and texts do without the picture.
# check-all: browsers
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=recorded.sh
. "${0%/*}/recorded.sh"
browser_needed

# page SCENE: $T/SCENE.html
page() {
	t/view/scene "$1" | kview >"$T/$1.html"
}
close_page() {
	gives '!errors' '[]' "... no error, no request"
	exec 8>&-
}
# text_of CSS: of each such element
text_of() {
	echo "[...document.querySelectorAll('$1')].map((e) => e.textContent)"
}
# width FROM TO: how much of the picture is between two times after the start, in
# seconds
width() {
	echo "((at) => (at($2) - at($1)) / (kview.axis.at(kview.view.to) - kview.axis.at(kview.view.from)))((s) => kview.axis.at(kview.model.first + s * 1000))"
}

# ---- objects in several namespaces ----

# part NAMESPACE: made for the Thing ns/same
part() {
	echo '{"record":"set","time":"2026-11-27T00:00:02.000000Z","line":{"kind":"List","items":[{"apiVersion":"v1","kind":"Part","metadata":{"namespace":"'"$1"'","name":"same"}}],"reconcile":{"primary":{"apiVersion":"e.com/v1","kind":"Thing","namespace":"ns","name":"same"}}}}'
	echo '{"type":"ADDED","time":"2026-11-27T00:00:03.000000Z","object":{"apiVersion":"v1","kind":"Part","metadata":{"namespace":"'"$1"'","name":"same"}}}'
}
{
	echo '{"type":"ADDED","time":"2026-11-27T00:00:01.000000Z","object":{"apiVersion":"e.com/v1","kind":"Thing","metadata":{"namespace":"ns","name":"same"}}}'
	part ns
	part other
} | kview >"$T/several.html"
browse "$T/several.html"
gives 'kview.view.lines.filter((l) => l.depth > 0).map((l) => l.track.short)' \
	'["same","other/same"]' "a line below one of another namespace has its own"
close_page

# ---- a fold ----

# Two seconds, an hour, two seconds.
for at in 00:00:00 00:00:01 00:00:02 01:00:02 01:00:04; do
	printf '{"type":"ADDED","time":"2026-11-27T%s.000000Z","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a%s"}}}\n' \
		"$at" "${at//:/}"
done | kview >"$T/hour.html"
browse "$T/hour.html"
gives "[$(width 0 2) > 0.3, $(width 2 3602) < 0.1, $(width 3602 3604) > 0.3]" \
	'[true,true,true]' "an hour without events is folded"
gives 'kview.axis.among(kview.view.from, kview.view.to).map((f) => (f.to - f.from) / 1000)' \
	'[3600]' "... one fold"
x=$(js 'Math.round(document.getElementById("picture").getBoundingClientRect().left + [...Array(1280).keys()].find((x) => !kview.picture.isLabel(x) && kview.axis.foldAt(kview.picture.time(x))) + 20)')
y=$(js 'document.getElementById("picture").getBoundingClientRect().top + 10')
js "!click $x $y" >/dev/null
gives 'document.getElementById("tip").textContent' \
	'"60 min 0 s without an event are folded here"' "... that says its length"
js 'window.span = kview.view.to - kview.view.from, kview.view.zoom(0.2, kview.model.first + 1000)' >/dev/null
gives '[kview.view.to - kview.view.from < 1500, kview.view.from > kview.model.first, kview.view.to < kview.model.first + 2000]' \
	'[true,true,true]' "zoom works beside it"
js 'kview.view.zoom(0.1, kview.model.first + 1800000), kview.view.pan(0)' >/dev/null
key 0
gives 'Math.abs(kview.view.to - kview.view.from - window.span) < 1' true "... and all is shown again"
js 'kview.view.show(kview.model.first + 60000, kview.model.first + 120000)' >/dev/null
gives '[kview.view.from, kview.view.to].map((t) => Math.round((t - kview.model.first) / 1000)).join()' \
	'"60,120"' "... and in it, where nothing is"
gives 'kview.view.set({search: "a0"}), kview.axis.among(-Infinity, Infinity).length' 1 \
	"a filter folds what it leaves"
gives 'kview.view.set({search: "a01"}), kview.axis.among(-Infinity, Infinity).length' 0 \
	"... and nothing that it does not"
close_page

browse "$T/hour.html" 600x600
gives '[kview.axis.among(kview.view.from, kview.view.to).length, kview.stats.folds]' '[1,1]' \
	"a fold that is narrower than its length says it as well"
close_page
# ... and then a few seconds, which are long beside the rest.
for at in 00:00:00 00:00:01 00:00:02 01:00:02 01:00:04 01:00:12; do
	printf '{"type":"ADDED","time":"2026-11-27T%s.000000Z","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a%s"}}}\n' \
		"$at" "${at//:/}"
done | kview >"$T/seconds.html"
browse "$T/seconds.html"
gives 'kview.axis.among(kview.view.from, kview.view.to).map((f) => (f.to - f.from) / 1000)' \
	'[3600,8]' "seconds are long beside what is left of an hour"
close_page

# ---- words, groups, what is out of the way ----

page fresh
browse "$T/fresh.html"
gives "$(text_of 'tbody .text')[0]" \
	'"phase Processing -> Available, Ready False -> True, nodes +cart-2 and 2 more"' \
	"the newest event is first, a status in words"
gives "$(text_of 'tbody .text').filter((t) => /[{}]/.test(t)).length" 0 \
	"... and no JSON in any row"
gives 'kview.view.lines.map((l) => l.kind || l.track.name).join()' \
	'",Memcached.cache.example.com,cart,cart,cart-0,cart-1,cart-2"' \
	"a ReplicaSet that was not recorded has no line"
close_page
browse "$T/fresh.html" 900x900
gives '((w, range, n) => { while (w.nextNode()) for (let i = -1; (i = w.currentNode.data.indexOf("->", i + 1)) >= 0;) { range.setStart(w.currentNode, i); range.setEnd(w.currentNode, i + 2); n[range.getClientRects().length - 1]++; } return [n[0] > 10, n[1]]; })(document.createTreeWalker(document.querySelector("tbody"), NodeFilter.SHOW_TEXT), document.createRange(), [0, 0])' \
	'[true,0]' "900 pixels: no arrow is broken at the end of a line"
close_page

t/view/incident | kview >"$T/incident.html"
browse "$T/incident.html"
# marks NAME: the sort and number of each mark on the line of a track
marks() {
	echo "((y) => [...new Set([...Array(1280).keys()].map((x) => kview.picture.isLabel(x) ? null : kview.picture.markAt(x, y)))].filter(Boolean).map((m) => kview.model.SORTS[kview.model.sort[m.best]].name + ' ' + (m.to - m.from)).join())(30 + 12 - document.getElementById('scroller').scrollTop + 24 * kview.view.lines.findIndex((l) => l.track && kview.model.key(l.track) === '$1'))"
}
js 'document.getElementById("scroller").scrollTop = 0' >/dev/null
gives "$(marks Deployment.apps/shop/cart)" '"present 1,spec 3"' \
	"of a write and changes, that of the spec stands for all"
js 'kview.view.show(kview.model.first, kview.model.first + 600000)' >/dev/null
gives "$(marks Deployment.apps/billing/billing).split(',')[1].split(' ')[0]" \
	'"failure"' "... and a failure for anything"
gives 'kview.view.lines.at(-1).label' '"1 more: ConfigMap"' \
	"what no primary names is behind a line"
js 'kview.view.select([...kview.view.rows].find((i) => kview.model.tracks[kview.model.track[i]].name === "settings"))' >/dev/null
gives 'kview.view.lines.at(-1).track.name' '"settings"' "... until it is selected"

# ---- a link to a moment ----

js '!open filter=cart' >/dev/null
js 'kview.view.show(kview.model.first + 6100, kview.model.first + 7100), kview.view.select([...kview.view.rows].find((i) => kview.model.text[i].startsWith(".spec.replicas 3 -> 5")))' >/dev/null
gives 'location.hash' \
	'"#filter=cart&at=2026-11-27T15:04:06.200000Z&object=Deployment.apps/shop/cart&span=1"' \
	"the address has time, object, filter and range"
link=$(js 'location.hash.slice(1)')
js "!open ${link//\"/}" >/dev/null
gives '[kview.model.text[kview.view.selected], document.getElementById("search").value, document.getElementById("details").hidden, Math.round(kview.axis.at(kview.view.to) - kview.axis.at(kview.view.from))].join()' \
	'".spec.replicas 3 -> 5 (+2),cart,false,1000"' "... and opens there"
js '!open at=2026-11-27T15:04:06.900000Z' >/dev/null
gives 'kview.model.text[kview.view.selected]' '".spec.replicas 5 -> 3 (+2)"' \
	"a time alone"
js '!open at=2026-11-27T15:04:21Z&object=Deployment.apps/shop/cart' >/dev/null
gives 'kview.model.text[kview.view.selected]' '".spec.replicas 5 -> 3 (+2)"' \
	"a time between events of an object: the nearest of it"
js '!open at=2026-11-27T15:04:06Z&object=Deployment.apps/shop/other' >/dev/null
gives 'document.getElementById("notes").textContent' \
	'"The link names Deployment.apps/shop/other, of which nothing is here."' \
	"an object that is not there: it says so"
js '!open at=yesterday' >/dev/null
gives '[kview.view.selected, document.getElementById("notes").textContent].join()' \
	'"-1,The link names that time, of which nothing is here."' "... no time"
js '!open select=40' >/dev/null
gives 'kview.view.selected' 40 "a link of before"
js '!open' >/dev/null
key c
gives '/^The link is/.test(document.getElementById("told").textContent)' true \
	"key c: the link is copied, or said where it is"

# ---- what is selected, in the picture ----

js '!open' >/dev/null
js 'document.getElementById("scroller").scrollTop = 0, kview.view.select([...kview.view.rows].find((i) => kview.model.text[i].includes("set by kubectl-scale")))' >/dev/null
# A pixel is of the colour of what is selected: blue rather than red.
blue='((p, y) => ((m) => p.getContext("2d").getImageData(m.right + 3, y, 1, 1).data)([...Array(1280).keys()].map((x) => kview.picture.isLabel(x) ? null : kview.picture.markAt(x, y)).find((m) => m && m.to - m.from === 3)))(document.getElementById("picture"), 42 + 24 * kview.view.lines.findIndex((l) => l.track && kview.model.key(l.track) === "Deployment.apps/shop/cart"))'
gives "((d) => d[2] - d[0] > 60)($blue)" true "a group that is selected has a ring around all of it"
js 'kview.view.select(-1)' >/dev/null
gives "((d) => d[2] - d[0] > 60)($blue)" false "... and otherwise none"
gives '((p) => { p.width = 0; kview.draw(); const first = p.toDataURL(); kview.draw(); return first === p.toDataURL(); })(document.getElementById("picture"))' \
	true "a new picture is as the next one"

# ---- without the picture ----

js '!open' >/dev/null
js 'document.getElementById("scroller").focus()' >/dev/null
key p
gives 'document.getElementById("told").textContent' \
	'"Decision: Memcached billing/billing, nothing is outstanding; because MODIFIED Memcached.cache.example.com billing/billing by kubectl"' \
	"what is selected is told"
gives '["picture", "scroller"].map((id) => getComputedStyle(document.getElementById(id)).outlineStyle).join()' \
	'"solid,none"' "... and the focus is seen, around the picture"
key ArrowDown
gives 'kview.model.tracks[kview.model.track[kview.view.selected]].kind' \
	'"Deployment.apps"' "down: an event of the next object"
key ArrowUp ArrowUp
gives 'kview.model.key(kview.model.tracks[kview.model.track[kview.view.selected]])' \
	'"//"' "... and up, to the pipeline"
key Enter
gives 'document.activeElement.id' '"details"' "Enter: its details"
gives 'document.getElementById("told").getAttribute("aria-live")' '"polite"' \
	"... in a live region"
key +
key End
gives '[kview.view.range, kview.view.to > kview.model.last]' '["latest",true]' \
	"End: what happened last"

# ---- narrow ----

exec 8>&-
browse "$T/incident.html" 900x900
js 'kview.view.select([...kview.view.rows].at(-1))' >/dev/null
gives '[document.documentElement.scrollWidth, [...document.querySelectorAll("tbody td, thead th")].filter((e) => e.scrollWidth > e.clientWidth).length, document.getElementById("rows").clientWidth]' \
	'[900,0,900]' "900 pixels: nothing is cut, the table has the whole width"
close_page

# ---- the story of the operator ----

page restarts
browse "$T/restarts.html"
gives "$(text_of 'tr.sort-restart .text').map((t) => t.split(':')[0]).join()" \
	'"kapply was started again (start 2),the operator restarted here,the operator started"' \
	"restarts"
gives "$(text_of 'tr.sort-restart .text')[1].split('; ')[1]" \
	'"before it was kpipe 0.1.0, Memcached.cache.example.com by reconcile.jq 3f7a9c01d2e4b586"' \
	"... and the release before"
gives "$(text_of 'tr.sort-leader .text').join()" \
	'"leads,does not lead any more,leads,does not lead any more,leads"' "leaders"
gives "$(text_of 'tr.sort-shadow .text')[0].split(':')[0]" \
	'"another release differs"' "another release"
close_page

done_testing
