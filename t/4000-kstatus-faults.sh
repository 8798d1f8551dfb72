#!/bin/bash
# kstatus and a server that refuses, breaks off and hesitates.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=writes.sh
. "${0%/*}/writes.sh"

write() {
	kstatus --server "$url" --timeout=10s "$@" <"$T/in"
}
# sent: the sizes that arrived
sent() {
	sed 's/^[^{]*//' "$T/requests" | jq -c .status.n
}

P=$THINGS/t/status
for end in '"code":500,"body":{"kind":"Status","reason":"InternalError"}' \
	'"code":429,"headers":{"Retry-After":"1"}' '"end":"close"' \
	'"code":200,"end":"cut"' '"code":504'; do
	serve "{\"PATCH $P\":[{$end}]}"
	wrote '{"n":1}' >"$T/in"
	runs 0 "an answer {$end}" write
	is "$(sent) $(cat "$T/err")" "1
1 " "... is tried again, silently"
done

# The newest of those that came while a request was under way, or waits.
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
	is "$(sent)$(cat "$T/err")" 1 "... is dropped quietly"
done

# Another object got it: taken back.
serve "{\"PATCH $P\":[{\"body\":{\"metadata\":{\"uid\":\"u2\"}}}]}"
runs 0 "what went to a successor" write
is "$(sent)" "1
null" "... is taken back"

refused=$(failure 422 Invalid 'size: Invalid value: 4' ',"details":{"causes":[{"field":"status.size"}]}')
serve "{\"PATCH $P\":[$refused]}"
runs 1 "a status that validation refuses" write
is "$(sent) $(cat "$T/err")" "1 kstatus: error: cannot write the status of Thing.example.com default/t: size: Invalid value: 4" \
	"... is told, and not tried again before the end"
serve "{\"PATCH $P\":[$fail,$fail,$fail,$fail,$fail,$fail,$fail,$fail,$fail,$fail]}"
runs 1 "a failure that lasts" write --timeout=1s
is "$(cat "$T/err")" "kstatus: error: cannot write the status of Thing.example.com default/t: not done within the time of --timeout" \
	"... is told at the end"
runs 100 "an operand" kstatus x
is "$(cat "$T/err")" 'kstatus: fatal: unexpected operand "x": lines come on standard input' "... is refused"
done_testing
