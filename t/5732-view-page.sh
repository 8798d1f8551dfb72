#!/bin/bash
# The page of kview, live, as one reads it: it opens on what happened last and
# follows it, cards fit, newer rows wait while older ones are read, a link to a
# moment leads there, failures are told to readers of the screen.
# check-all: browsers
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=recorded.sh
. "${0%/*}/recorded.sh"
browser_needed

says() {
	[ "$(js "$1")" = "$2" ]
}
# becomes LINE WANT WHAT: the same, in the end
becomes() {
	comes "$(patience 30)" says "$1" "$2"
	gives "$@"
}
# scene NAME SECONDS: one that began so long ago, on a page of its own
scene() {
	t/view/scene "$1" "$(($(date +%s) - $2))" >"$T/scene"
	serve 127.0.0.1:0
	cat "$T/scene" >&5
}
end_scene() {
	gives '!errors' '[]' "... no error, no other request"
	exec 8>&- 5>&-
	{
		kill_now "$kview"
		wait "$kview"
	} 2>/dev/null
}
event() {
	printf '{"type":"%s","time":"%s","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"%s","uid":"%s"}}}\n' \
		"$1" "$(date -u +%Y-%m-%dT%H:%M:%S.%6NZ)" "$2" "$2" >&5
}

### A minute without an event

scene fresh 63
browse "$page" 1400x900
becomes 'kview.model.count' 28 "all is there"
gives '[kview.view.follow, kview.view.range]' '[true,"latest"]' "it follows what happened last"
gives 'kview.axis.among(kview.view.from, kview.view.to).length' 1 "the minute is folded"
gives '((at) => (at(kview.model.time.at(27)) - at(kview.model.first)) / (at(kview.view.to) - at(kview.view.from)) > 0.8)(kview.axis.at)' \
	true "... and what happened has the width"
becomes 'document.title' '"Memcached · live"' "the title names the kind"
# What a moment has passed since is at the right end again.
event ADDED late
becomes 'kview.model.text.at(-1) + kview.view.follow' '"createdtrue"' "an event comes"
becomes 'document.querySelector("#rows .object").textContent' '"ConfigMap shop/late"' \
	"... as the first row"
key q
becomes 'kview.picture.markAt(document.getElementById("picture").clientWidth - 40, 42 - document.getElementById("scroller").scrollTop + 24 * kview.view.lines.findIndex((l) => l.track?.name === "late"))?.best ?? (kview.axis.at(kview.view.to) - kview.axis.at(kview.model.time[28]) < 30000)' \
	true "... at the right end"
end_scene

### Cards

# unfit: texts of cards that are cut, or have more than a line
unfit='[...document.querySelectorAll(".cards :is(h2, dt, dd, td, th, li)")].filter((e) => e.offsetParent && (e.scrollWidth > e.clientWidth || e.offsetHeight > 26)).map((e) => e.textContent)'
for width in 900 1400; do
	scene fleet 45
	browse "$page" "${width}x900"
	becomes 'kview.model.count' 1733 "$width pixels: three hundred primaries"
	becomes 'document.querySelectorAll("#decisions li").length > 2' true "... cards are full"
	gives "$unfit" '[]' "... nothing is cut or has two lines"
	gives '[...document.querySelectorAll(".cards section")].filter((e) => e.scrollHeight > e.clientHeight || e.scrollWidth > e.clientWidth).length' \
		0 "... nor is beyond an edge"
	gives 'document.documentElement.scrollWidth' "$width" "... and all is in the window"
	gives 'document.querySelector(".cards").offsetHeight < 280' true "... most of it is left to the picture"
	becomes '[...document.querySelectorAll("#primaries button")].at(-1).textContent.replace(/\d+/, (n) => n > 290)' \
		'"and true more"' "... primaries without a decision count as well"
	gives 'document.querySelector("#primaries tbody .bad").textContent' '"False, Waiting"' \
		"... those that are not ready are first"
	[ "$width" = 1400 ] || { end_scene; continue; }
	js '[...document.querySelectorAll("#primaries button")].at(-1).click()' >/dev/null
	gives '[document.querySelectorAll("#primaries tbody tr").length > 30, [...document.querySelectorAll("#primaries button")].at(-1).textContent]' \
		'[true,"less"]' "and N more: all of them"
	gives 'kview.view.lines.at(-1).label' '"1 more: ConfigMap"' \
		"what no primary names is out of the way"
	becomes '((y) => y > 0 && y < document.getElementById("scroller").clientHeight)(30 + 24 * kview.view.lines.findIndex((l) => l.track?.name === "app-243") - document.getElementById("scroller").scrollTop)' \
		true "the line of the last event is in sight"
done

### Newer rows wait

becomes 'document.querySelector("#rows tbody tr").dataset.row' '"1732"' "the newest row is first"
key + ArrowLeft
gives 'kview.view.follow' false "moved: it does not follow"
event ADDED x
becomes 'document.getElementById("range").textContent' '"1 to 100 of 1733, 1 newer"' \
	"... newer rows wait"
gives 'document.querySelector("#rows tbody tr").dataset.row' '"1732"' "... and move nothing"
js 'document.getElementById("newest").click()' >/dev/null
becomes 'document.querySelector("#rows tbody tr").dataset.row' '"1733"' "... until they are asked for"
key l
js 'document.getElementById("older").click()' >/dev/null
event ADDED y
becomes 'document.getElementById("range").textContent' '"101 to 200 of 1734, 1 newer"' \
	"... nor while another page is read"

### A failure is told

printf '{"record":"result","time":"%s","tool":"kapply","line":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"x"},"result":"failed","message":"no"}}\n' \
	"$(date -u +%Y-%m-%dT%H:%M:%S.%6NZ)" >&5
becomes 'document.getElementById("told").textContent' \
	'"ConfigMap shop/x: failed: no"' "a failure is told"

### A link

js 'kview.view.select([...kview.view.rows].findLast((i) => kview.model.text[i] === "created" && kview.model.tracks[kview.model.track[i]].name === "x"))' >/dev/null
gives '/^#at=.*Z&object=ConfigMap\/shop\/x/.test(location.hash)' true \
	"what is selected is in the address"
link=$(js 'location.hash.slice(1)')
js "!open ${link//\"/}" >/dev/null
becomes 'kview.view.selected >= 0 && kview.model.tracks[kview.model.track[kview.view.selected]].name' \
	'"x"' "... which leads there"
gives 'document.getElementById("details").hidden' false "... with its details"
js '!open at=2001-01-01T00:00:00Z&object=Pod/shop/none' >/dev/null
becomes 'document.getElementById("notes").textContent' \
	'"The link names Pod/shop/none, of which nothing is here."' \
	"one that leads to nothing says so"
end_scene

done_testing
