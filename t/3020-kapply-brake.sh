#!/bin/bash
# The prune brake: too many deletions for primaries that stay.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=writes.sh
. "${0%/*}/writes.sh"

member() { # NAME: the answer to a GET of that ConfigMap
	printf '"GET %s/%s":[%s]' "$CMS" "$1" \
		'{"code":200,"body":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"'"$1"'","uid":"u-'"$1"'","ownerReferences":[{"controller":true,"uid":"u1"}]}}}'
}
# deletes [NAME...]: the member `delete` of a line
deletes() {
	local list=

	list=$(printf ',{"apiVersion":"v1","kind":"ConfigMap","namespace":"default","name":"%s"}' "$@")
	printf '"delete":[%s]' "${list:1}"
}
members=$(for n in a b c d e f g h; do
	printf '%s,' "$(member $n)"
done)
mkfifo "$T/pipe"
apply_pipe() {
	kapply --server "$url" --timeout=5s --report-fd 5 --prune-limit 2 \
		-o none <"$T/pipe" 2>"$T/err" 5>"$T/report"
}
unready() {
	grep -c unready "$T/report"
}
# Two of the four pass, any two.
some() {
	sed 's,default/[a-d]:,default/SOME:,'
}
brake() {
	start apply_pipe
	applier=$!
	exec 7>"$T/pipe"
}
said() { # LINES EVENTS
	[ "$(wc -l <"$T/err")" -eq "$1" ] &&
		[ "$(grep -c '^POST [^ ]*events ' "$T/requests")" -eq "$2" ]
}
onerror='"onError":{"reason":"${error}"}'
text='held back: more than 2 deletions for primaries that stay within a minute (--prune-limit)'

serve "{${members%,}}"
brake
set_line '' "$(deletes a b c d),$onerror" >&7
wait_for 5 grep -q '"prune"' "$T/report"
wait_for 5 said 3 1
is "$(requests | grep -c DELETE)" 2 "two deletions pass, then no more"
is "$(grep unready "$T/report")" \
	'{"tool":"kapply","unready":{"prune":"too many deletions within a minute: the rest is held back"}}' \
	"not ready, and why"
set_line '' "$(deletes e)" u >&7
wait_for 5 said 4 2
is "$(requests | grep -c DELETE)" 2 "... also for another primary"
is "$(requests | grep -c ' e$')" 0 "... which is not even looked at"
is "$(some <"$T/err")" "kapply: error: more than 2 deletions within a minute for primaries that stay: no more of them until the sets do not ask for them; mend what decides, or, if they are meant, start again with a higher --prune-limit
kapply: error: thing.example.com default/t: cannot delete ConfigMap default/SOME: $text
kapply: error: thing.example.com default/t: cannot delete ConfigMap default/SOME: $text
kapply: error: thing.example.com default/u: cannot delete ConfigMap default/e: $text" \
	"the log says what to do"
is "$(sed -n 's/^POST [^ ]*events //p' "$T/requests" |
	jq -r '[.reason, .involvedObject.name, .message] | join(" ")' | some)" \
	"PruneBrake t cannot delete ConfigMap default/SOME: $text
PruneBrake u cannot delete ConfigMap default/e: $text" \
	"one Event for each primary"

set_line '' "$(deletes f),\"deleting\":true" v >&7
wait_for 5 grep -q "DELETE.*/f " "$T/requests"
set_line "$(cm x 1)" '' w >&7
wait_for 5 grep -q "PATCH.*/x " "$T/requests"
ok "a primary that goes, and all else, go on" true

# The line of t asks for them no more, that of u still does.
set_line '' '' >&7
set_line '' "$(deletes e g)" u >&7
wait_for 5 grep -q "default/g" "$T/err"
is "$(unready) $(requests | grep -c DELETE)" "1 3" \
	"held until nobody asks for what was held back"
# u is deleted itself: its deletions are no prune any more.
set_line '' "$(deletes e g),\"deleting\":true" u >&7
wait_for 5 grep -q "unready\":{}" "$T/report"
wait_for 5 grep -q "DELETE.*/g " "$T/requests"
ok "then it is ready again" true
is "$(tail -n 1 "$T/err")" "kapply: no deletion is held back any more" \
	"... the log says so"
set_line '' "$(deletes h)" >&7
exec 7>&-
wait "$applier"
is "$? $(requests | grep -c DELETE)" "1 5" \
	"a third one in the same minute is held back again"

# onError; a dry run deletes nothing, so it holds nothing back; no limit.
set_line '' "$(deletes a b c),$onerror" >"$T/in"
apply() {
	kapply --server "$url" --timeout=3s "$@" <"$T/in"
}
serve "{${members%,}}"
runs 1 "held back at the end of the input" apply --prune-limit=2
is "$(some <"$T/out")" "$(wrote "{\"reason\":\"cannot delete ConfigMap default/SOME: $text\"}")" \
	"... is a failure of the primary"
serve "{${members%,}}"
runs 0 "a dry run is not braked" apply --prune-limit=2 --dry-run=server
serve "{${members%,}}"
runs 0 "0: no limit" apply --prune-limit=0
is "$(requests | grep -c DELETE)" 3 "... all are deleted"
runs 100 "a limit out of range" kapply --prune-limit=100001
is "$(cat "$T/err")" "kapply: fatal: option --prune-limit: from 0 to 100000" \
	"... is refused"
done_testing
