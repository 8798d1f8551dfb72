#!/bin/bash
# kwatch on the wire: how it gets the initial state and recovers from faults.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kwatch.sh
. "${0%/*}/kwatch.sh"

ask='allowWatchBookmarks=true'
initial="initial /api/v1/pods?watch=1&$ask&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
exact() { # NAME VERSION: the request
	echo "exact /api/v1/namespaces/s/pods?limit=1&resourceVersion=$2&resourceVersionMatch=Exact&fieldSelector=metadata.name%3D$1"
}

# A watch-list, then live events; a bookmark is not printed.
serve '{"pods": {
	"initial": [{"lines": ['"$(ev ADDED a 1 3), $(mark 3), $(ev ADDED b 2 4)"',
		'"$(mark 5 end), $(ev MODIFIED a 1 6), $(ev DELETED b 2 7)"',
		'"$(mark 9)"']}],
	"watch": [{"lines": ['"$(ev ADDED c 3 10)"'], "end": "hang"}]}}'
watch pods -A
lines 7
seen "begin Pod
ADDED a 1 3
ADDED b 2 4
end Pod
MODIFIED a 1 6
DELETED b 2 7
ADDED c 3 10" "a watch-list and what follows"
requests "$initial
$(exact b 6)
list /api/v1/pods?limit=1&resourceVersion=9&resourceVersionMatch=NotOlderThan
watch /api/v1/pods?watch=1&$ask&resourceVersion=9" \
	"... and goes on from the bookmark, if the server has not gone back"
is "$(<"$T/err")" "" "... without a word"
is "$(sed -n 2p "$T/out")" "$(ev ADDED a 1 3)" "a frame passes as it is"

# A server without watch-lists: pages, then a watch from the list's version.
items() {
	local item first=1

	printf '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%s","continue":"%s"},"items":[' "$1" "$2"
	shift 2
	for item; do
		[ -n "$first" ] || printf ,
		first=
		# shellcheck disable=SC2086
		pod $item | sed 's/"apiVersion":"v1","kind":"Pod",//'
	done
	printf ']}'
}
serve '{"pods": {
	"initial": [{"code": 422, "body": '"$(status 422 Invalid forbidden)"'}],
	"list": [{"body": '"$(items 20 more "a 1 3" "b 2 4")"'},
		{"body": '"$(items 20 "" "c 3 5")"'}],
	"watch": [{"lines": ['"$(ev DELETED b 2 21)"'], "end": "hang"}]}}'
watch pods -n s -l x=y
lines 6
seen "begin Pod
ADDED a 1 3
ADDED b 2 4
ADDED c 3 5
end Pod
DELETED b 2 21" "two pages and a watch where there is no watch-list"
requests "initial /api/v1/namespaces/s/pods?watch=1&$ask&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&labelSelector=x%3Dy
list /api/v1/namespaces/s/pods?limit=500&labelSelector=x%3Dy
list /api/v1/namespaces/s/pods?limit=500&continue=more&labelSelector=x%3Dy
watch /api/v1/namespaces/s/pods?watch=1&$ask&resourceVersion=20&labelSelector=x%3Dy" \
	"... with the selector in each request"
is "$(sed -n 2p "$T/out")" "$(ev ADDED a 1 3)" "items are given their type"

# 410 in the stream: it lists again, and only differences are printed.
serve '{"pods": {
	"initial": [{"lines": ['"$(ev ADDED same 1 1), $(ev ADDED gone 2 2)"',
		'"$(ev ADDED other 3 3), $(ev ADDED newer 4 4), $(mark 5 end)"',
		{"type":"ERROR","object":'"$(status 410 Expired "too old resource version: 5 (900)")"'}]},
		{"lines": ['"$(ev ADDED same 1 1), $(ev ADDED other 33 6)"',
		'"$(ev ADDED newer 4 7), $(ev ADDED fresh 5 8), $(mark 9 end)"'],
		"end": "hang"}]}}'
watch pods -A
lines 11
seen "begin Pod
ADDED same 1 1
ADDED gone 2 2
ADDED other 3 3
ADDED newer 4 4
end Pod
DELETED other 3 - synthetic
ADDED other 33 6
MODIFIED newer 4 7
ADDED fresh 5 8
DELETED gone 2 - synthetic" "after a 410 the differences"
requests "$initial
$initial" "... by one more watch-list"
is "$(<"$T/err")" "" "... which is nothing to complain of"
is "$(tail -n 1 "$T/out")" \
	'{"type":"DELETED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"gone","namespace":"s","uid":"2","annotations":{"kpipe.dev/synthetic":"true"}}}}' \
	"a made-up DELETED says so"

# A connection that breaks within a frame: it goes on from the last version, and
# no event comes twice.
serve '{"pods": {
	"initial": [{"lines": ['"$(ev ADDED a 1 1), $(mark 2 end)"',
		'"$(ev MODIFIED a 1 3)"', "{\"type\":\"MODI"], "end": "cut"}],
	"watch": [{"lines": ['"$(ev MODIFIED a 1 4)"'], "end": "hang"}]}}'
watch pods -A
lines 5
seen "begin Pod
ADDED a 1 1
end Pod
MODIFIED a 1 3
MODIFIED a 1 4" "half a frame is forgotten"
requests "$initial
$(exact a 3)
list /api/v1/pods?limit=1&resourceVersion=3&resourceVersionMatch=NotOlderThan
watch /api/v1/pods?watch=1&$ask&resourceVersion=3" \
	"... and the watch goes on from the last whole one"

# The server goes back: its stream had just begun, then it is not well.
future='{"kind":"Status","apiVersion":"v1","status":"Failure","message":"Too large resource version: 9, current: 5","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}]},"code":504}'
serve '{"pods": {
	"initial": [{"lines": ['"$(ev ADDED a 1 9), $(mark 9 end)"']},
		{"lines": ['"$(ev ADDED a 1 4), $(mark 5 end)"'], "end": "hang"}],
	"list": [{"body": {"metadata":{"resourceVersion":"9"},"items":[]}},
		{"code": 504, "body": '"$future"'}],
	"watch": [{"code": 503, "body": '"$(status 503 ServiceUnavailable "not yet")"'}]}}'
watch pods -A
lines 4
seen "begin Pod
ADDED a 1 9
end Pod
MODIFIED a 1 4" "a server that goes back, as after a restore of etcd: what it has now"
is "$(grep back "$T/err")" \
	"kwatch: warning: the server has gone back, as after a restore of etcd: listing all again: Too large resource version: 9, current: 5" \
	"... is said"
requests "$initial
$(exact a 9)
list /api/v1/pods?limit=1&resourceVersion=9&resourceVersionMatch=NotOlderThan
watch /api/v1/pods?watch=1&$ask&resourceVersion=9
$(exact a 9)
list /api/v1/pods?limit=1&resourceVersion=9&resourceVersionMatch=NotOlderThan
$initial" "... it is asked after each end that may be one"
serve '{"pods": {
	"initial": [{"lines": ['"$(ev ADDED a 1 9), $(mark 9 end)"']},
		{"lines": ['"$(ev ADDED a 1 4), $(mark 5 end)"'], "end": "hang"}],
	"list": [{"code": 403, "body": '"$(status 403 Forbidden "not yet")"'},
		{"code": 504, "body": '"$future"'}]}}'
watch pods -A
lines 4
seen "begin Pod
ADDED a 1 9
end Pod
MODIFIED a 1 4" "... and asked again, when the server does not know the rules yet"
requests "$initial
$(exact a 9)
list /api/v1/pods?limit=1&resourceVersion=9&resourceVersionMatch=NotOlderThan
list /api/v1/pods?limit=1&resourceVersion=9&resourceVersionMatch=NotOlderThan
$initial" "... before it watches"

# The server was restored, and has passed the version that is known: the last
# object that was seen is not as it was then.
then_was() { # VERSION [POD]: the answer
	printf '{"body": {"metadata":{"resourceVersion":"%s"},"items":[%s]}}' "$@"
}
back="kwatch: warning: the server has gone back, as after a restore of etcd: listing all again: pods had another version"
again='{"lines": ['"$(ev ADDED a 1 4), $(mark 30 end)"'], "end": "hang"}'
# goes_back WHAT HISTORY ANSWERS SEEN VERSION: of the last change
goes_back() {
	serve '{"pods": {"initial": [{"lines": ['"$2"']}, '"$again"'],
		"exact": ['"$3"']}}'
	watch pods -A
	lines 6
	seen "$4" "$1"
	is "$(<"$T/err")" "$back $5" "... is said"
}
# goes_on WHAT HISTORY ANSWERS SEEN QUESTIONS VERSION: from which it is watched
goes_on() {
	serve '{"pods": {"initial": [{"lines": ['"$2"']}], "exact": ['"$3"'],
		"watch": [{"lines": [], "end": "hang"}]}}'
	watch pods -A
	lines "$(($(wc -l <<<"$5") + 2))" requests
	requests "$initial
$5
watch /api/v1/pods?watch=1&$ask&resourceVersion=$6" "$1"
	seen "$4" "... and lists nothing"
}
written="$(ev ADDED a 1 4), $(ev ADDED b 2 7), $(mark 8 end), $(mark 9)"
for was in "" "$(pod b 3 7)" "$(pod b 2 8)"; do
	goes_back "a server that was restored and has passed the version: it lists again" \
		"$written" "$(then_was 9 "$was")" "begin Pod
ADDED a 1 4
ADDED b 2 7
end Pod
MODIFIED a 1 4
DELETED b 2 - synthetic" 7
	requests "$initial
$(exact b 9)
$initial" "... for one request more"
done
goes_on "a server with the same history: the watch goes on, after one request" \
	"$written" "$(then_was 9 "$(pod b 2 7)")" "begin Pod
ADDED a 1 4
ADDED b 2 7
end Pod" "$(exact b 9)" 9
is "$(<"$T/err")" "" "... without a word"

# The last change is a deletion.
deleted="$(ev ADDED a 1 4), $(mark 8 end), $(ev ADDED b 2 9), $(ev DELETED b 2 11)"
expired='{"code": 410, "body": '"$(status 410 Expired compacted)"'}'
for answers in "$(then_was 10)" \
	"$(then_was 10 "$(pod b 2 9)"), $(then_was 11 "$(pod b 2 9)")" \
	"$expired, $(then_was 11 "$(pod b 2 9)")"; do
	goes_back "a deletion that the server does not know" "$deleted" "$answers" \
		"begin Pod
ADDED a 1 4
end Pod
ADDED b 2 9
DELETED b 2 11
MODIFIED a 1 4" 11
done
for answers in "$(then_was 10 "$(pod b 2 9)"), $(then_was 11)" \
	"$expired, $(then_was 11)"; do
	goes_on "a deletion that it knows" "$deleted" "$answers" "begin Pod
ADDED a 1 4
end Pod
ADDED b 2 9
DELETED b 2 11" "$(exact b 10)
$(exact b 11)" 11
done

# The version is too old to be listed: what is there now is compared.
serve '{"pods": {"initial": [{"lines": ['"$written"']}, '"$again"'],
	"exact": ['"$expired"']}}'
watch pods -A
lines 5
seen "begin Pod
ADDED a 1 4
ADDED b 2 7
end Pod
DELETED b 2 - synthetic" "away for longer than the server remembers: it compares"
is "$(<"$T/err")" "" "... and does not say that the server went back"

# Frames in small pieces, and several in one.
serve '{"pods": {"initial": [{"lines": ["{\"type\":", "~",
	"\"ADDED\",\"object\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"meta",
	"~", "data\":{\"name\":\"a\",\"namespace\":\"s\",\"uid\":\"1\",",
	"\"resourceVersion\":\"1\"}}}\n'"$(mark 2 end | sed 's/"/\\"/g')"'\n'"$(ev ADDED b 1 3 | sed 's/"/\\"/g')"'\n"], "end": "hang"}]}}'
watch pods -A
lines 4
seen "begin Pod
ADDED a 1 1
end Pod
ADDED b 1 3" "frames are cut at newlines, not at pieces"

# A relist that breaks deletes nothing; the next one decides.
serve '{"pods": {
	"initial": [{"lines": ['"$(ev ADDED a 1 1), $(ev ADDED b 2 2), $(mark 3 end)"',
		{"type":"ERROR","object":'"$(status 410 Expired old)"'}]},
		{"lines": ['"$(ev ADDED a 1 1)"'], "end": "cut"},
		{"lines": ['"$(ev ADDED b 2 2), $(mark 8 end)"'], "end": "hang"}]}}'
watch pods -A
lines 5
seen "begin Pod
ADDED a 1 1
ADDED b 2 2
end Pod
DELETED a 1 - synthetic" "a listing that breaks deletes nothing"

# The continue token expires: it lists all in one piece.
serve '{"pods": {"list": [{"body": '"$(items 20 more "a 1 3")"'},
	{"code": 410, "body": '"$(status 410 Expired "continue expired")"'},
	{"body": '"$(items 30 "" "a 1 3" "b 2 25")"'}]}}'
runs 0 "--once ends after the list" kwatch --once --server "$url" po -A
is "$(short <"$T/out")" "begin Pod
ADDED a 1 3
ADDED b 2 25
end Pod" "an expired page: the list begins again"
requests "list /api/v1/pods?limit=500
list /api/v1/pods?limit=500&continue=more
list /api/v1/pods?" "... without pages"

# A server that repeats a token must not be asked for ever.
serve '{"pods": {"list": [{"body": '"$(items 20 more "a 1 3")"'},
	{"body": '"$(items 20 more "b 2 4")"'},
	{"body": '"$(items 30 "" "a 1 3" "c 3 25")"'}]}}'
runs 0 "--once, of pages without end" timeout 300 kwatch --once --server "$url" po -A
is "$(short <"$T/out")" "begin Pod
ADDED a 1 3
ADDED c 3 25
end Pod" "the list begins again"
requests "list /api/v1/pods?limit=500
list /api/v1/pods?limit=500&continue=more
list /api/v1/pods?" "... without pages"
ok "... and logs it" grep -q 'the pages of the list have no end' "$T/err"

# An ERROR of 500 as the first event: this server has no watch-lists.
serve '{"pods": {
	"initial": [{"lines": [{"type":"ERROR","object":'"$(status 500 InternalError x)"'}]}],
	"list": [{"body": '"$(items 20 "" "a 1 3")"'}],
	"watch": [{"lines": [], "end": "hang"}]}}'
watch pods -A
lines 3
seen "begin Pod
ADDED a 1 3
end Pod" "a watch-list that fails at once: LIST and WATCH"

# Text that is not a frame: it lists again.
serve '{"pods": {
	"initial": [{"lines": ['"$(ev ADDED a 1 1), $(mark 2 end)"', "oops\n"]},
		{"lines": ['"$(ev ADDED a 1 3), $(mark 4 end)"'], "end": "hang"}]}}'
watch pods -A
lines 4
lines 2 err # with the end of the list, which is another piece
seen "begin Pod
ADDED a 1 1
end Pod
MODIFIED a 1 3" "a line that is not a frame: it lists and compares"
is "$(<"$T/err")" \
	"kwatch: warning: cannot watch pods: a line that is not an event came
kwatch: watching pods now" "... and said"

# A name that JSON escapes: a role may have such a name.
serve '{"pods": {
	"initial": [{"lines": ["'"$(ev ADDED 'a\u003cb' 1 1 |
		sed 's/[\"]/\\&/g')\n"'", '"$(mark 2 end)"',
		{"type":"ERROR","object":'"$(status 410 Expired old)"'}]},
		{"lines": ['"$(mark 4 end)"'], "end": "hang"}]}}'
watch pods -A
lines 4
seen "begin Pod
ADDED a<b 1 1
end Pod
DELETED a<b 1 - synthetic" "a name with an escape in a made-up DELETED"

# A server without versions: what was missed is found by listing again.
bare='{"metadata":{"name":"a","namespace":"s","uid":"1"}}'
serve '{"pods": {
	"initial": [{"code": 422, "body": '"$(status 422 Invalid forbidden)"'}],
	"list": [{"body": {"metadata":{},"items":['"$bare"']}},
		{"body": {"metadata":{},"items":[]}}],
	"watch": [{"lines": [{"type":"ADDED","object":'"$bare"'}]},
		{"lines": [], "end": "hang"}]}}'
watch pods -A
lines 5
lines 5 requests
seen "begin Pod
ADDED a 1 -
end Pod
MODIFIED a 1 -
DELETED a 1 - synthetic" "a server without versions"
requests "initial /api/v1/pods?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan
list /api/v1/pods?limit=500
watch /api/v1/pods?watch=1&allowWatchBookmarks=true&resourceVersion=
list /api/v1/pods?limit=500
watch /api/v1/pods?watch=1&allowWatchBookmarks=true&resourceVersion=" \
	"... is listed again"

# Expired at once, again and again: it does not ask as fast as the server
# answers.
serve '{"pods": {
	"initial": [{"code": 422, "body": '"$(status 422 Invalid forbidden)"'}],
	"list": [{"body": '"$(items 20 "" "a 1 3")"'}],
	"watch": [{"lines": [
		{"type":"ERROR","object":'"$(status 410 Expired old)"'}]}]}}'
has_watches() {
	[ "$(grep -c ^watch "$T/requests")" -ge "$1" ]
}
begun=$(date +%s%N)
watch pods -A
wait_for 20 has_watches 3
took=$((($(date +%s%N) - begun) / 1000000))
seen "begin Pod
ADDED a 1 3
end Pod" "a version that always expires"
ok "... is asked for with pauses" [ "$took" -ge 700 ]

# A page that is larger than an answer may be: it asks for smaller ones.
serve '{"pods": {"list": [{"body": '"$(items 20 "" "a 1 3")"', "pad": 68000000},
	{"body": '"$(items 20 "" "a 1 3")"'}]}}'
runs 0 "a page of 68 MB" kwatch --once --server "$url" po -A
is "$(short <"$T/out")" "begin Pod
ADDED a 1 3
end Pod" "... comes again"
requests "list /api/v1/pods?limit=500
list /api/v1/pods?limit=125" "... in smaller pages"
is "$(<"$T/err")" "" "... without a word"

done_testing
