#!/bin/bash
# The prune limit: too many deletions for primaries that are not deleted.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapply.sh
. "${0%/*}/kapply.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
clock_begin

member() { # NAME OWNER: the answers to GETs of that ConfigMap
	local it='{"code":200,"body":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"'"$1"'","namespace":"default","uid":"u-'"$1"'","ownerReferences":[{"apiVersion":"example.com/v1","kind":"Thing","name":"'"$2"'","controller":true,"uid":"u1"}]}}}'

	printf '"GET %s/%s":[%s,%s,%s]' "$CMS" "$1" "$it" "$it" "$it"
}
# deletes [NAME...]: the member `delete` of a line
deletes() {
	local list=

	list=$(printf ',{"apiVersion":"v1","kind":"ConfigMap","namespace":"default","name":"%s"}' "$@")
	printf '"delete":[%s]' "${list:1}"
}
members=$(for n in "a t" "b t" "c t" "d t" "e u" "f v" "g u" "h t"; do
	# shellcheck disable=SC2086
	printf '%s,' "$(member $n)"
done)
unready() {
	grep -c unready "$T/report"
}
# Two of the four pass, no matter which.
some() {
	sed 's,default/[a-d]:,default/SOME:,'
}
limited() { # LIMIT
	begin --timeout=5s --report-fd 5 --prune-limit "$1" -o none
}
said() { # LINES EVENTS
	[ "$(besides_work "$T/err" | wc -l)" -eq "$1" ] &&
		[ "$(grep -c '^POST [^ ]*events ' "$T/requests")" -eq "$2" ]
}
deleted() { # N
	[ "$(requests | grep -c DELETE)" -ge "$1" ]
}
onerror='"onError":{"reason":"${error}"}'
own='held back: more than 2 deletions within a minute, most of them for this primary (--prune-limit)'

# One primary has too many: only it is held back, and it is named.
serve "{${members%,}}"
limited 2
# because TYPE: the member of a line that only that event made
because() {
	printf '"because":{"events":[{"type":"%s","apiVersion":"v1","kind":"Node","name":"n","manager":"kubectl-edit"}]}' "$1"
}
set_line '' "$(deletes a b c d),$onerror,$(because MODIFIED)" >&7
ok "too many for one primary" wait_for 5 said 3 1
wait_for 5 deleted 2 # by other connections than the Event
is "$(requests | grep -c DELETE)" 2 "two deletions pass, then no more"
is "$(besides_work "$T/err" | some)" "kapply: error: thing.example.com default/t: more than 2 deletions within a minute, most of them for this primary: no more of its deletions until its set no longer requests them; fix the program or its input, or, if they are intended, start again with a higher --prune-limit
kapply: error: thing.example.com default/t: cannot delete ConfigMap default/SOME: $own
kapply: error: thing.example.com default/t: cannot delete ConfigMap default/SOME: $own" \
	"the log names it, and says what to do"
is "$(sed -n 's/^POST [^ ]*events //p' "$T/requests" |
	jq -r '[.reason, .involvedObject.name, .message] | join(" ")' | some)" \
	"PruneBrake t cannot delete ConfigMap default/SOME: $own (after MODIFIED Node n by kubectl-edit)" \
	"so does an Event, with the event that led to it"
set_line '' "$(deletes e)" u >&7
ok "another primary goes on" wait_for 5 grep -q "DELETE.*/e " "$T/requests"
set_line "$(cm x 1)" "$(deletes a b c d h)" >&7
ok "so does what else there is for this" \
	wait_for 5 grep -q "PATCH.*/x " "$T/requests"
ok "... one deletion more is held back as well" \
	wait_for 5 grep -q "cannot delete ConfigMap default/h: held" "$T/err"
is "$(requests | grep -c DELETE)" 3 "... and no deletion of its own"
set_line '' "$(deletes a b c d),\"deleting\":true" >&7
ok "when it is deleted itself, its deletions are not prunes" \
	wait_for 5 grep -q "^kapply: thing.example.com default/t: no deletion is held back any more" "$T/err"
ok "... and are done" wait_for 5 deleted 5
is "$(unready)" 0 "it was ready all the time"
end
is "$(grep -c '^[A-Z]* [^ ]*events' "$T/requests")" 1 "one Event was all"

# Many primaries with one each: all are held back.
text='held back: more than 3 deletions for primaries that stay within a minute (--prune-limit)'
serve "{${members%,}}"
limited 3
set_line '' "$(deletes a)" >&7
set_line '' "$(deletes e)" u >&7
set_line '' "$(deletes f)" v >&7
ok "three deletions pass" wait_for 5 deleted 3
set_line '' "$(deletes b),$onerror" >&7
wait_for 5 grep -q '"prune"' "$T/report"
ok "then no more" wait_for 5 said 2 1
is "$(grep unready "$T/report")" \
	'{"tool":"kapply","unready":{"prune":"too many deletions within a minute: the rest is held back"}}' \
	"not ready, and why"
set_line '' "$(deletes g)" u >&7
ok "... also for another primary" wait_for 5 said 3 2
is "$(requests | grep -c DELETE) $(requests | grep -c ' g$')" "3 0" \
	"... which is not even looked at"
is "$(besides_work "$T/err")" "kapply: error: more than 3 deletions within a minute for primaries that stay: no more of them until the sets no longer request them; fix the program or its input, or, if they are intended, start again with a higher --prune-limit
kapply: error: thing.example.com default/t: cannot delete ConfigMap default/b: $text
kapply: error: thing.example.com default/u: cannot delete ConfigMap default/g: $text" \
	"the log says what to do"
is "$(sed -n 's/^POST [^ ]*events //p' "$T/requests" |
	jq -r '[.reason, .involvedObject.name, .message] | join(" ")')" \
	"PruneBrake t cannot delete ConfigMap default/b: $text
PruneBrake u cannot delete ConfigMap default/g: $text" \
	"one Event for each primary"

set_line '' "$(deletes c),\"deleting\":true" w >&7
set_line "$(cm x 1)" '' x >&7
ok "all else goes on" wait_for 5 grep -q "PATCH.*/x " "$T/requests"

# The new line of t no longer requests them, that of u still does.
set_line '' '' >&7
set_line '' "$(deletes e g)" u >&7
ok "held until no set requests what was held back" \
	wait_for 5 grep -q "default/e:" "$T/err"
is "$(unready) $(requests | grep -c DELETE)" "1 3" "... not ready so long"
# u is deleted itself: its deletions are no longer prunes.
set_line '' "$(deletes e g),\"deleting\":true" u >&7
ok "then it is ready again" wait_for 5 grep -q "unready\":{}" "$T/report"
ok "... a primary that goes takes its own along" \
	wait_for 5 grep -q "DELETE.*/g " "$T/requests"
is "$(grep -c '^kapply: no deletion is held back any more$' "$T/err")" 1 \
	"... the log says so"
set_line '' "$(deletes h)" >&7
end
is "$? $(requests | grep -c ' h$')" "1 1" \
	"another one in the same minute is held back again"

# onError; a dry run deletes nothing, so it holds nothing back; no limit.
set_line '' "$(deletes a b c),$onerror" >"$T/in"
apply() {
	clock run 2m kapply --server "$url" --timeout=60s "$@" <"$T/in"
}
serve "{${members%,}}"
runs 1 "held back at the end of the input" apply --prune-limit=2
is "$(some <"$T/out")" "$(wrote "{\"reason\":\"cannot delete ConfigMap default/SOME: $own\"}")" \
	"... is a failure of the primary"
serve "{${members%,}}"
runs 0 "a dry run has no limit" apply --prune-limit=2 --dry-run=server
serve "{${members%,}}"
runs 0 "0: no limit" apply --prune-limit=0
is "$(requests | grep -c DELETE)" 3 "... all are deleted"
runs 100 "a limit out of range" kapply --prune-limit=100001
is "$(<"$T/err")" "kapply: fatal: option --prune-limit: from 0 to 100000" \
	"... is refused"
done_testing
