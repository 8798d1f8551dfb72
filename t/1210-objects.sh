#!/bin/bash
# kwatch --objects prints objects, and nothing else.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kwatch.sh
. "${0%/*}/kwatch.sh"

printed() {
	[ "$(wc -l <"$T/out")" -ge "$1" ]
}

# a is changed, b goes, c comes and is replaced by another c.
serve '{"pods": {
	"initial": [{"lines": ['"$(ev ADDED a 1 3), $(ev ADDED b 2 4)"',
		'"$(mark 5 end), $(ev MODIFIED a 1 6), $(ev DELETED b 2 7)"',
		'"$(ev ADDED c 3 8), $(ev DELETED c 3 9), $(ev ADDED c 4 10)"'],
		"end": "hang"}]}}'
watch --objects -A pods
ok "it prints" wait_for 20 printed 5
stop 0
is "$(<"$T/out")" "$(pod a 1 3)
$(pod b 2 4)
$(pod a 1 6)
$(pod c 3 8)
$(pod c 4 10)" "each object as it is, and again when it has changed"

list='{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":'
serve '{"pods": {"list": [{"body": '"${list}[$(pod a 1 3)]}"'}]}}'
runs 0 "--once" kwatch --server "$url" --once --objects -A pods
is "$(cat "$T/out" "$T/err")" "$(pod a 1 3)" "... no bookmarks"
serve '{"pods": {"list": [{"body": '"${list}[]}"'}]}}'
runs 0 "nothing" kwatch --server "$url" --once --objects -A pods
is "$(<"$T/out")" "" "... is nothing"

# An object that went while kwatch was away leaves no line.
serve '{"pods": {"initial": [{"lines": ['"$(ev ADDED a 1 3), $(mark 5 end)"',
		{"type":"ERROR","object":'"$(status 410 Expired old)"'}]},
	{"lines": ['"$(ev ADDED b 2 6), $(mark 7 end)"'], "end": "hang"}]}}'
watch --objects -A pods
ok "after a relist" wait_for 20 printed 2
stop 0
is "$(<"$T/out")" "$(pod a 1 3)
$(pod b 2 6)" "... a deletion that was missed leaves no line"
done_testing
