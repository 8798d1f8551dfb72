#!/bin/bash
# kapply and a server that refuses, breaks off or hesitates; and races with
# other clients.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapply.sh
. "${0%/*}/kapply.sh"
STATUS='"status":{"phase":"Available"},"onError":{"phase":"Failed","reason":"${error}"}'
known='"known":{"ConfigMap/default/a":"u2"}'

# apply_until COMMAND...: a second longer than until that succeeds
apply_until() {
	kapply --server "$url" --timeout=1s < <(in_until "$@")
}

# --- a transient error is tried again, and not reported
for answer in 500 503 504 close cut html; do
	given "passes-$answer"
	runs 0 "an answer: $answer" apply
	is "$(sent) $(<"$T/out")" "PATCH a,PATCH a,PATCH a $(wrote '{"phase":"Available"}')" "... is tried again"
done

# --- Retry-After
given retry-after
begin=$(date +%s%N)
runs 0 "429 with Retry-After" apply
ms=$((($(date +%s%N) - begin) / 1000000))
ok "... waits that long ($ms ms)" test "$ms" -ge 2000

# --- a transient error that lasts too long counts as failed; later the request
# succeeds
given lasts
runs 0 "a failure that lasts" apply --fail-after=200ms
is "$(<"$T/out")" "$(wrote '{"phase":"Failed","reason":"cannot apply ConfigMap default/a: ServiceUnavailable"}')
$(wrote '{"phase":"Available"}')" "... is told in between"
given lasts-longer
runs 1 "a failure that lasts longer than --timeout" apply_until requested 2
is "$(<"$T/out")" "$(wrote '{"phase":"Failed","reason":"cannot apply ConfigMap default/a: ServiceUnavailable"}')" \
	"... is told at the end"
is "$(<"$T/err")" "kapply: error: thing.example.com default/t: cannot apply ConfigMap default/a: ServiceUnavailable" "... and logged once"

# --- no answer has come when the time is over
serve "{\"PATCH $CMS/a\":[{\"code\":200,\"body\":{},\"wait\":\"$T/never\"}]}"
set_line "$(cm a 1)" "$known,$STATUS" >"$T/in"
runs 1 "a request in flight at the end of --timeout" apply_until requested 1
is "$(<"$T/out")" "$(wrote '{"phase":"Failed","reason":"cannot apply ConfigMap default/a: not done within the time of --timeout"}')" \
	"... counts as failed"

# --- a permanent error is reported at once, and not tried again before the end
for code in 400 413 415 405 500; do
	given "refused-$code"
	runs 1 "refused: $code" apply
	is "$(sent)" "PATCH x" "... is not tried again"
done

# --- a result names the place of its object
metadata() {
	jq -c '[.metadata, .result]' "$T/out" | sort
}
given no-namespace
runs 1 "objects without a namespace" apply -o result
is "$(metadata)" '[{"name":"c"},"failed"]
[{"namespace":"default","name":"a"},"created"]
[{"namespace":"there","name":"b"},"configured"]' \
	"... get the one they are applied to, if their kind is known"
given no-namespace-here
runs 1 "... also -n, and" apply -o result -n here
is "$(metadata)" '[{"namespace":"here","name":"a"},"failed"]' \
	"... when they fail"

# --- races of uids
given known-gone
runs 0 "a known object that is gone" apply
is "$(requests)$(cat "$T/out" "$T/err")" "PATCH a" "... is dropped"
is "$(jq -c .metadata <(sed 's/^[^{]*//' "$T/requests"))" '{"name":"a","namespace":"default","uid":"u2"}' "... its uid was sent"
given ours-gone-again
runs 0 "there, ours, gone again" apply -o result
is "$(sent) $(jq -r .result "$T/out")" "PATCH a,GET a,PATCH a,PATCH a created" "... is created in the end"
is "$(sed -n 's/^PATCH [^{]*//p' "$T/requests" | jq -c '[.metadata.uid, .metadata.resourceVersion]')" \
'[null,"1"]
["u3",null]
[null,"1"]' "... by uid, or only where nothing is"
given ours-leaving
runs 0 "ours, and on its way out" apply
is "$(sent)$(cat "$T/out" "$T/err")" "PATCH a,GET a" "... is waited for"
given other-primary
runs 1 "of another primary" apply
is "$(<"$T/err")" "kapply: error: thing.example.com default/t: cannot apply ConfigMap default/a: it exists and is not part of Thing.example.com default/t but of Thing t" \
	"... is left alone, and both are named"

given owned-fields
runs 1 "a known object, and another manager owns its fields" apply
is "$(requests) $(jq -c .status.phase "$T/out")" 'PATCH a "Failed"' \
	"... is there: a failure"

# --- at most once: an object that exists by now is not compared
given once
runs 0 "to be created once, and known" apply
is "$(requests)$(<"$T/out")" "$(wrote '{"phase":"Available"}')" \
	"... is done"

# --- the primary itself is never an item
given itself
runs 1 "an item that is the primary itself" apply
is "$(requests)$(<"$T/out")" \
	"$(wrote '{"phase":"Failed","reason":"Thing.example.com/default/t refused: it is the primary itself"}')" \
	"... is neither applied nor deleted"

# --- a filter refused an item: nothing of a later phase is written, even if all
# else succeeds
given filter-refused
runs 1 "an item that a filter refused" apply
is "$(requests) $(<"$T/out")" "PATCH b $(wrote '{"phase":"Failed","reason":"ConfigMap/default/a refused: no"}')" \
	"... holds up what comes after it, and is a failure of the primary"

# --- a delete that failed needs its proof again
given delete-raced
runs 1 "a delete, and meanwhile it belongs to another primary" apply
is "$(sent)" "GET a,DELETE a,GET a" "... is not sent again"

# --- a delete is told by the request that may have done it, and by no other
given delete-lost
runs 0 "a delete whose answer breaks off, and then it is leaving" apply -o result
is "$(jq -r .result "$T/out")" deleted "... counts as deleted"
is "$(sent)" "GET a,DELETE a,GET a" "... and is not sent again"
for gone in late leaving; do
	given delete-$gone
	runs 0 "a delete of what another client deleted: $gone" apply -o result
	is "$(jq -r .result "$T/out")" unchanged "... changed nothing"
done

# --- deletes with always wait until no item is left to try; a line that is out
# of date deletes nothing, as a newer one decides
given always-passing
runs 1 "an item fails for good, another in passing" apply -o result
is "$(requests | tail -n 3 | paste -sd,)" "PATCH b,GET d,DELETE d" \
	"... which is tried again before anything is deleted"
given always-stale
runs 1 "an item fails, another is out of date" apply -o result
is "$(requests | sort | paste -sd,)" "PATCH a,PATCH b" "... nothing is deleted"

# --- finalizers: the test in the patch fails, so it tries again with the new
# list
given finalizer-raced
runs 0 "a finalizer, and another client was faster" apply
is "$(sent)" "GET t,PATCH t,GET t,PATCH t,PATCH a" "... is added to what is there then"
is "$(sed -n 's/^PATCH [^ ]*things[^ ]* //p' "$T/requests" | tail -n 1)" \
	'[{"op":"test","path":"/metadata/uid","value":"u1"},{"op":"test","path":"/metadata/resourceVersion","value":"6"},{"op":"add","path":"/metadata/finalizers","value":["a/b","c/d","e/f"]}]' "... tested on uid and version"

# --- the newest line counts
go=$T/go
serve "{\"PATCH $CMS/a\":[{\"code\":200,\"body\":{},\"wait\":\"$go\"}]}"
begin
set_line "$(cm a 1),$(cm b 1)" '"known":{"ConfigMap/default/a":"u2","ConfigMap/default/b":"u3"},"status":{"n":1}' >&7
wait_for 5 requested 2
set_line "$(cm c 1)" '"known":{"ConfigMap/default/c":"u4"},"status":{"n":2}' >&7
set_line "$(cm a 1),$(cm b 1),$(cm d 1)" '"known":{"ConfigMap/default/a":"u2","ConfigMap/default/b":"u3","ConfigMap/default/d":"u5"},"status":{"n":3}' >&7
set_line "" '' other >&7
wait_for 5 taken 7
exec 7>&-
sleep 0.2 # time in which nothing may come
requested_before=$(requests | sort | paste -sd,)
touch "$go"
wait "$applier"
is "$? $(besides_work "$T/err")" "0 " "lines while one is at work"
is "$requested_before" "PATCH a,PATCH b" "... wait for its requests"
is "$(requests | sort | paste -sd,)" "PATCH a,PATCH b,PATCH d" "... the newest is applied, without what was accepted just now"
is "$(<"$T/out")" "$(wrote '{"n":3}')" "... and one status is passed on"

# --- an empty line cancels
given empty-line
runs 0 "an empty line cancels what failed" apply
is "$(<"$T/out")" "" "... without a word"

# --- no more in flight than allowed; bounded reading
many=$(for i in {1..40}; do printf '"PATCH %s/m%s":[{"code":200,"body":{},"wait":"%s"}],' "$CMS" "$i" "$T/go2"; done)
# limited COUNT LIMIT WHAT MEMBERS [ARGUMENT...]: of so many primaries so many
# requests are in flight
limited() {
	rm -f "$T/go2"
	serve "{${many%,}}"
	begin -o result "${@:5}"
	for ((i = 1; i <= $1; i++)); do
		set_line "$(cm "m$i" 1)" "$4\"known\":{\"ConfigMap/default/m$i\":\"u\"}" "t$i"
	done >&7
	wait_for 5 requested "$2"
	sleep 0.2 # time in which nothing may come
	is "$(wc -l <"$T/requests")" "$2" "$3 is kept"
	touch "$T/go2"
	end
	is "$? $(wc -l <"$T/out")" "0 $1" "... all are applied in the end"
}
limited 40 4 --max-in-flight "" --max-in-flight=4
limited 6 2 maxConcurrentReconciles '"maxConcurrentReconciles":2,' # keys of one kind

# --- reports
serve '{}'
set_line "$(cm a 1)" "$known,$STATUS" >"$T/in"
# shellcheck disable=SC2016
runs 0 "--report-fd" bash -c 'kapply --server "$1" --report-fd 3 <"$2" 3>"$3"' \
	- "$url" "$T/in" "$T/report"
is "$(grep -v '"metrics"' "$T/report")" '
{"tool":"kapply","counters":{"lines":1,"bad_lines":0,"requests":1,"created":0,"applied":1,"unchanged":0,"deleted":0,"failures":0,"stale":0,"status_lines":1,"events":0,"keys":0,"in_flight":0}}' \
	"... a newline when ready, then counters"

# --- no right to write: it is named, and other writes go on
given forbidden
runs 1 "403" apply
is "$(requests | sort | paste -sd,)" "PATCH a,PATCH b" "... is not tried again, others go on"
is "$(besides_work "$T/err")" 'kapply: error: thing.example.com default/t: cannot apply ConfigMap default/a: configmaps "a" is forbidden: User "jo" cannot patch resource "configmaps" in API group "" in the namespace "default"' \
	"... names user, verb, resource and object"
is "$(jq -r .status.reason "$T/out")" 'cannot apply ConfigMap default/a: configmaps "a" is forbidden: User "jo" cannot patch resource "configmaps" in API group "" in the namespace "default"' \
	"... in the status, too"
given unauthorized
runs 1 "401" apply -o result
is "$(<"$T/err")" "kapply: error: cannot apply ConfigMap default/a: Unauthorized" "... is said"

# --- a refusal of a set is in the status of its primary only
for refusal in 'not-declared;failed to create typed patch object (default/x; /v1, Kind=Service): .spec.prts: field not declared in schema' \
	'immutable;Service "x" is invalid: spec.clusterIP: Invalid value: "1": field is immutable' \
	'too-large;Request entity too large: limit is 3145728'; do
	given "${refusal%%;*}"
	message=${refusal#*;}
	[[ $message != *immutable ]] ||
		message+='; `immutable` in the program leaves such a field as it is, or delete the object to have it made again'
	runs 1 "${refusal%%;*}" apply
	is "$(besides_work "$T/err")" "kapply: error: thing.example.com default/t: cannot apply Thing.example.com default/x: $message" "... is named"
	is "$(jq -r '.metadata.name + ": " + .status.reason' "$T/out")" "t: cannot apply Thing.example.com default/x: $message" "... in the status of its primary"
	is "$(requests | sort | paste -sd,)" "PATCH b,PATCH x" "... and another primary goes on"
done
given nobody-serves
runs 1 "a kind that is not served" apply
is "$(jq -r .status.reason "$T/out")" \
	'cannot apply Nothing default/x: no matches for kind "Nothing" in version "v1"' "... is named in the status"

# --- a terminating namespace may come back: the primary waits
given terminating
runs 1 "a terminating namespace" apply_until requested 2
is "$(<"$T/err")" "kapply: error: thing.example.com default/t: cannot apply ConfigMap default/a: configmaps \"a\" is forbidden: unable to create new content in namespace default because it is being terminated" "... is told at the end"
ok "... it was tried more than once" test "$(requests | wc -l)" -gt 1

# --- of a plain object with the subresource status, an apply has no status
serve '{}'
cat >"$T/in" <<END
{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x"},"spec":{"status":1},"status":{"n":1}}
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"status":{"n":1}}
END
runs 0 "objects with a status" apply
is "$(sed -nE 's/^PATCH [^ ]* //p' "$T/requests" | jq -c '[.kind, .spec, .status]' | sort)" \
	'["ConfigMap",null,{"n":1}]
["Thing",{"status":1},null]' "... it is sent of a kind without that subresource alone"

# --- bad lines: each is reported with its number, the rest is applied
# lines GOOD: bad lines between two good ones, GOOD makes one of a name
lines() {
	"$1" a
	echo '{"apiVersion":"v1","kind":"ConfigMap","metadata"'
	echo 'no JSON at all'
	printf '{"apiVersion":"v1","kind":"ConfigMap","x":"\377"}\n'
	printf '{"apiVersion":"v1"\0}\n'
	printf '%0.s[' {1..10000}
	echo
	printf '{"apiVersion":"v1","kind":"ConfigMap","x":'
	printf '%0.s[' {1..10000}
	printf '%0.s]' {1..10000}
	echo '}'
	printf '{"apiVersion":"v1","x":"'
	head -c 17000000 /dev/zero | tr '\0' x
	echo '"}'
	set_line '' '"known":7'
	"$1" b
	printf '{"apiVersion":"v1"'
}
plain_cm() {
	cm "$1" 1
	echo
}
serve '{}'
lines plain_cm >"$T/in"
runs 1 "bad lines between good ones" apply -o none
is "$(<"$T/err")" "kapply: error: line 2: text is cut short at byte 49
kapply: error: line 3: unexpected byte at byte 2
kapply: error: line 4: invalid UTF-8 at byte 44
kapply: error: line 5: NUL byte at byte 19
kapply: error: line 6: nested deeper than 256 levels at byte 257
kapply: error: line 7: nested deeper than 256 levels at byte 298
kapply: error: line 8: longer than 16 MiB
kapply: error: line 9: reconcile.known is not an object
kapply: error: line 11: text is cut short at byte 19" "... each is named by its number"
is "$(requests | grep PATCH | sort | paste -sd,)" "PATCH a,PATCH b" "... the rest is applied"

# --- the reader ends
for i in {1..50}; do plain_cm "m$i"; done >"$T/in"
unread 111 "a reader that goes away ends kapply" apply -o result
is "$(<"$T/err")" "kapply: fatal: the reader of standard output is gone" \
	"... which says why"

# --- no server
cm a 1 >"$T/in"
runs 1 "no server" kapply --server http://127.0.0.1:1 --timeout=1s \
	< <(in_until grep -q 'trying again' "$T/err")
is "$(<"$T/out")" "" "... nothing on stdout"
is "$(<"$T/err")" "kapply: warning: cannot read what http://127.0.0.1:1 serves: cannot connect to http://127.0.0.1:1: Connection refused; trying again
kapply: error: http://127.0.0.1:1 could not be reached in time
kapply: error: cannot apply ConfigMap default/a: not done within the time of --timeout" \
	"... said once, and what was not done"
done_testing
