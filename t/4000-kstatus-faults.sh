#!/bin/bash
# kstatus and a server that refuses, breaks off or hesitates.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=writes.sh
. "${0%/*}/writes.sh"
# shellcheck source=clock/lib.sh
. "${0%/*}/clock/lib.sh"
clock_begin

write() {
	clock run 1m kstatus --server "$url" --timeout=10s "$@" <"$T/in"
}
# sent: the sizes in the statuses that arrived
sent() {
	grep -v /events "$T/requests" | sed 's/^[^{]*//' | jq -c .status.n
}

P=$THINGS/t/status
for end in '"code":500,"body":{"kind":"Status","reason":"InternalError"}' \
	'"code":429,"headers":{"Retry-After":"1"}' '"end":"close"' \
	'"code":200,"end":"cut"' '"code":504'; do
	serve "{\"PATCH $P\":[{$end}]}"
	wrote '{"n":1}' >"$T/in"
	runs 0 "an answer {$end}" write
	is "$(sent) $(<"$T/err")" "1
1 " "... is tried again, silently"
done

# Of the statuses that come during a request or a delay, the newest is written.
fail=$(failure 503 ServiceUnavailable "not now")
serve "{\"PATCH $P\":[$fail]}"
{ wrote '{"n":1}'; echo; wrote '{"n":2}'; echo; wrote '{"n":3}'; } >"$T/in"
runs 0 "lines behind one that fails" write
is "$(sent | tail -n 1)" 3 "... the newest is written in the end"
is "$(head -n 1 "$T/requests" | sed 's/^[^{]*//' | jq -c 'del(.status)')" \
	'{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","namespace":"default","uid":"u1"}}' "... identity and uid are sent, nothing else"

for gone in "$(failure 404 NotFound 'things \"t\" not found' ',"details":{"name":"t","kind":"things"}')" \
	"$(failure 409 Conflict 'uid mismatch')" \
	"$(failure 422 Invalid 'field is immutable' ',"details":{"causes":[{"field":"metadata.uid"}]}')"; do
	serve "{\"PATCH $P\":[$gone]}"
	wrote '{"n":1}' >"$T/in"
	runs 0 "gone: ${gone:8:3}" write
	is "$(sent)$(<"$T/err")" 1 "... is dropped quietly"
done

# Another object got the status: it is taken back.
serve "{\"PATCH $P\":[{\"body\":{\"metadata\":{\"uid\":\"u2\"}}}]}"
runs 0 "what went to a successor" write
is "$(sent)" "1
null" "... is taken back"

refused=$(failure 422 Invalid 'size: Invalid value: 4' ',"details":{"causes":[{"field":"status.size"}]}')
serve "{\"PATCH $P\":[$refused]}"
runs 1 "a status that validation refuses" write
is "$(sent) $(<"$T/err")" "1 kstatus: error: cannot write the status of Thing.example.com default/t: size: Invalid value: 4" \
	"... is told, and not tried again before the end"
serve "{\"PATCH $P\":[$fail,$fail,$fail,$fail,$fail,$fail,$fail,$fail,$fail,$fail]}"
runs 1 "a failure that lasts" write --timeout=1s
is "$(<"$T/err")" "kstatus: error: cannot write the status of Thing.example.com default/t: not done within the time of --timeout" \
	"... is told at the end"

# No right: the primary is named, and others go on.
serve "{\"PATCH $P\":[$(failure 403 Forbidden 'things.example.com \"t\" is forbidden: User \"jo\" cannot patch resource \"things/status\" in API group \"example.com\" in the namespace \"default\"')]}"
{ wrote '{"n":1}'; echo; wrote '{"n":2}' | sed 's/"t"/"o"/'; } >"$T/in"
runs 1 "403" write
is "$(<"$T/err")" 'kstatus: error: cannot write the status of Thing.example.com default/t: things.example.com "t" is forbidden: User "jo" cannot patch resource "things/status" in API group "example.com" in the namespace "default"' \
	"... names user, verb, resource and object"
is "$(sent | sort)" "1
2" "... is not tried again, others go on"
serve "{\"PATCH $P\":[$(failure 401 Unauthorized Unauthorized)]}"
wrote '{"n":1}' >"$T/in"
runs 1 "401" write
is "$(<"$T/err")" "kstatus: error: cannot write the status of Thing.example.com default/t: Unauthorized" "... is said"

# A refused status does not hold up another one.
mkfifo "$T/pipe" "$T/go"
write_pipe() {
	kstatus --server "$url" <"$T/pipe" 2>"$T/err"
}
refusal=$(failure 422 Invalid bad)
serve "{\"PATCH $P\":[${refusal%\}},\"wait\":\"$T/go\"}]}"
: >"$T/err"
start write_pipe
writer=$!
exec 7>"$T/pipe"
{ wrote '{"n":1}'; echo; } >&7
wait_for 5 requested 1
{ wrote '{"n":2}'; echo; } >&7
wait_for 5 taken 7
exec 7>&-
: >"$T/go"
wait "$writer"
is "$? $(sent)$(<"$T/err")" "0 1
2" "refused while another one waits: that is sent at once"
serve "{\"PATCH $P\":[$refusal]}"
: >"$T/err"
start write_pipe
writer=$!
exec 7>"$T/pipe"
{ wrote '{"n":1}'; echo; } >&7
wait_for 5 grep -q bad "$T/err"
# At once, so that they are read together.
printf '%s\n' "$(wrote '{"n":1}')" "$(wrote '{"n":2}')" >"$T/both"
cat "$T/both" >&7
exec 7>&-
wait "$writer"
is "$? $(sent)" "0 1
2" "another one after a refusal is sent at once"

# Refused again while another status waits: a transient fault of that one counts
# as its first, and is not logged.
serve "{\"PATCH $P\":[$refusal,${refusal%\}},\"wait\":\"$T/go\"},$fail]}"
: >"$T/err"
start write_pipe
writer=$!
exec 7>"$T/pipe"
{ wrote '{"n":1}'; echo; } >&7
wait_for 5 grep -q bad "$T/err"
clock pass 30s
wait_for 5 requested 2
{ wrote '{"n":2}'; echo; } >&7
wait_for 5 taken 7
exec 7>&-
: >"$T/go"
wait "$writer"
is "$? $(sent | xargs) $(<"$T/err")" "0 1 1 2 2 kstatus: error: cannot \
write the status of Thing.example.com default/t: bad" \
	"a fault of another one is not the refusal of the last one"

# Bad lines: each is reported with its number, the rest is written.
serve '{}'
{
	wrote '{"n":1}'
	echo
	echo '{"apiVersion":"v1","kind":"Pod","metadata"'
	echo 'no JSON at all'
	printf '{"apiVersion":"v1","kind":"Pod","x":"\377"}\n'
	printf '{"apiVersion":"v1"\0}\n'
	printf '%0.s[' {1..10000}
	echo
	printf '{"apiVersion":"v1","x":"'
	head -c 17000000 /dev/zero | tr '\0' x
	echo '"}'
	echo '{"apiVersion":"v1","kind":"List","items":[7]}'
	echo '{"apiVersion":"v1","metadata":{"name":"c"}}'
	echo '{"kind":"Pod","metadata":{"name":"c"}}'
	echo '{"apiVersion":"v1","kind":"Pod","metadata":{}}'
	echo '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"c"},"status":7}'
	wrote '{"n":2}' | sed 's/"t"/"o"/'
	echo
	printf '{"apiVersion":"v1"'
} >"$T/in"
runs 1 "bad lines between good ones" write
is "$(<"$T/err")" "kstatus: error: line 2: text is cut short at byte 43
kstatus: error: line 3: unexpected byte at byte 2
kstatus: error: line 4: invalid UTF-8 at byte 38
kstatus: error: line 5: NUL byte at byte 19
kstatus: error: line 6: nested deeper than 256 levels at byte 257
kstatus: error: line 7: longer than 16 MiB
kstatus: error: line 8: it is not an object
kstatus: error: line 9: it has no kind
kstatus: error: line 10: it has no apiVersion
kstatus: error: line 11: it has no metadata.name
kstatus: error: line 12: it has no status, or one that is not an object
kstatus: error: line 14: text is cut short at byte 19" "... each is named by its number"
is "$(sent | sort)" "1
2" "... the rest is written"

# No server.
wrote '{"n":1}' >"$T/in"
runs 1 "no server" kstatus --server http://127.0.0.1:1 --timeout=3s <"$T/in"
is "$(<"$T/err")" "kstatus: warning: cannot read what http://127.0.0.1:1 serves: cannot connect to http://127.0.0.1:1: Connection refused; trying again
kstatus: error: cannot write the status of Thing.example.com default/t: not done within the time of --timeout" \
	"... said once, and what was not done"

# Without a reader of its reports kstatus goes on: nothing else is lost.
serve '{}'
write_and_report() {
	write --report-fd=3 3>&1
}
unread 0 "a reader of reports that goes away is not missed" write_and_report
is "$(<"$T/err")$(sent)" 1 "... nor mentioned"

runs 100 "an operand" kstatus x
is "$(<"$T/err")" 'kstatus: fatal: unexpected operand "x": lines come on standard input' "... is refused"
done_testing
