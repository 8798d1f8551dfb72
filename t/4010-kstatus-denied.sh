#!/bin/bash
# kstatus without a right: it is not ready, says why, and is ready again when it
# has the right.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=writes.sh
. "${0%/*}/writes.sh"

mkfifo "$T/pipe"
status_pipe() {
	exec kstatus --server "$url" --timeout=60s --report-fd 5 \
		<"$T/pipe" 2>"$T/err" 5>"$T/report"
}
run_kstatus() {
	: >"$T/report"
	start status_pipe
	writer=$!
	exec 7>"$T/pipe"
}
# unready_is LINES...: these are all reports of it
unready_is() {
	local want

	want=$(printf '{"tool":"kstatus","unready":{%s}}\n' "$@")
	wait_for 20 test_unready "$want" || {
		grep unready "$T/report" | quote
		return 1
	}
}
test_unready() {
	[ "$(grep unready "$T/report")" = "$1" ]
}
# line NAME N: its status
line() {
	wrote "{\"n\":$2}" | sed "s/\"t\"/\"$1\"/"
	echo
}
may_not=$(failure 403 Forbidden 'things.example.com \"t\" is forbidden: User \"jo\" cannot patch resource \"things/status\" in API group \"example.com\" in the namespace \"default\"')
reason='"Thing.example.com":"User \"jo\" cannot patch resource \"things/status\" in API group \"example.com\" in the namespace \"default\""'

serve "{\"PATCH $THINGS/t/status\":[$may_not,$may_not],\"PATCH $THINGS/u/status\":[$may_not,$(failure 404 NotFound 'things \"u\" not found' ',"details":{"name":"u","kind":"things"}')]}"
run_kstatus
line t 1 >&7
line u 1 >&7
ok "a right is missing: not ready, once for both objects" unready_is "$reason"
line v 1 >&7
ok "... others go on" wait_for 5 grep -q "PATCH $THINGS/v/" "$T/requests"
# Another status is tried at once; it is denied again.
line t 2 >&7
ok "... until one was written, and the other is gone" unready_is "$reason" ''
exec 7>&-
wait "$writer"
is "$? $(grep -v /events "$T/requests" | sed 's,/status.*,,;s,.*/,,' | sort | uniq -c |
	tr -s ' \n' ' ')" "0  3 t 2 u 1 v " "... and not by a line that is denied, too"

serve "{\"PATCH $THINGS/t/status\":[$(failure 403 Forbidden 'admission webhook \"w\" denied the request: no')]}"
run_kstatus
line t 1 >&7
wait_for 20 requested 2
exec 7>&-
wait "$writer"
is "$? $(grep -c unready "$T/report")" "0 0" "a webhook does not count"
done_testing
