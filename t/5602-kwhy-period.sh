#!/bin/bash
# kwhy: a part of the story, by time and by content; statuses as differences.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

# thing TIME VERSION SPEC STATUS: an event
thing() {
	printf '{"type":"MODIFIED","time":"%s","object":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"namespace":"n","name":"t","uid":"u","resourceVersion":"%s","labels":{"v":"%s"}},"spec":%s,"status":%s}}\n' \
		"$1" "$2" "$2" "$3" "$4"
}
# A story from one day to the next, of .spec.a
n=0
for time in 26T22:00 26T23:59 27T00:00 27T08:00 27T08:59 27T09:00; do
	thing "2026-11-${time}:00.5Z" "$((++n))" "{\"a\":$n}" '{}'
done >"$T/days"
# told WHAT WANT [OPTION]...: which values of .spec.a are told
told() {
	kwhy thing n/t --spec "${@:3}" "$T/days" >"$T/out" 2>"$T/err"
	is "$(sed -n 's/.*-> //p; s/.*It was seen$/1/p' "$T/out" | xargs)" "$2" \
		"$1"
}
told "all" "1 2 3 4 5 6"
is "$(grep ^2026 "$T/out" | xargs)" "2026-11-26 2026-11-27" \
	"a day stands before its first line"
told "a whole time" "4 5 6" --from=2026-11-27T08:00:00Z
told "... of another zone" "5 6" --from=2026-11-27T09:30:00+01:00
told "... a period" "2 3" --from=2026-11-26T23:00:00Z --to=2026-11-27T07:00:00Z
told "a time of the last day" "5 6" --from=08:59
told "... of the day before, for it is not on the last one" "2 3 4 5 6" \
	--from=23:59
told "... with seconds" "5" --from=08:00:01 --to=09:00:00
told "... with a part of them" "6" --from=09:00:00.5
told "... over midnight" "2 3" --from=23:00 --to=00:01
told "the end alone" "1 2 3 4" --to=08:30
told "... later than the recording" "1 2 3 4 5 6" --to=09:30
told "before the end" "4 5 6" --since=1h
told "... as --from" "5 6" --from=-59m59s
told "... a period" "4" --from=-2h --to=-30m
told "... the end alone" "1 2 3 4" --to -30m
told "... more than there is" "1 2 3 4 5 6" --since=100h
told "a time and one before the end" "4 5" --from=08:00 --to=-10s
kwhy thing n/t --spec --since=1h <"$T/days" >"$T/one" 2>"$T/err"
kwhy thing n/t --spec --since=1h "$T/days" >"$T/two"
same "$T/one" "$T/two" "standard input"

# What is kept until the end is known is bounded by the period.
thing TIME VERSION '{"a":VERSION}' '{}' | awk '{ for (i = 1; i <= 3000; i++) {
	line = $0; gsub("VERSION", i, line)
	sub("TIME", sprintf("2026-11-27T00:00:%05.2fZ", i / 100), line)
	print line } }' >"$T/days"
told "of many sentences the last" "2981 2982 2983 2984 2985 2986 2987 2988 2989 2990 2991 2992 2993 2994 2995 2996 2997 2998 2999 3000" \
	--since=199ms
kwhy thing n/t --to=-1s "$T/days" >"$T/out"
ok "... or all but the last" test "$(wc -l <"$T/out")" -gt 2900

runs 1 "a period with remarks alone" kwhy deploy default/example \
	--from=15:10:30 --to=15:11:30 t/cases/5600/incident.jsonl
is "$(<"$T/out")" "" "... is not told"

# nothing WHAT CODE WANT [OPTION]...
nothing() {
	thing 2026-11-27T08:00:00Z 1 '{"a":1}' '{}' >"$T/days"
	thing 2026-11-27T09:00:00Z 2 '{"a":1}' '{"s":1}' >>"$T/days"
	runs "$2" "$1" kwhy thing n/t "${@:4}" "$T/days"
	is "$(<"$T/out")$(<"$T/err")" "kwhy: $3" "... is said"
}
nothing "a time after the end" 100 "fatal: the recording has nothing of that time: it is from 2026-11-27T08:00:00.000000Z to 2026-11-27T09:00:00.000000Z" \
	--from=10:00
nothing "a time before the start" 100 "fatal: the recording has nothing of that time: it is from 2026-11-27T08:00:00.000000Z to 2026-11-27T09:00:00.000000Z" \
	--to=07:00
nothing "a time without a sentence" 1 "error: nothing of thing n/t is told: it has 2 sentences, of other times" \
	--from=08:10 --to=08:50
nothing "nothing of the spec" 1 "error: nothing of thing n/t is told: it has 1 sentence, of other times" \
	--spec --since=10m
nothing "not a time" 100 'fatal: option --from needs a time such as 2026-01-02T03:04:05Z, 03:04 of the last day of the recording, or -15m before its end, not "yesterday"' \
	--from=yesterday
nothing "not a time of a day" 100 'fatal: option --to needs a time such as 2026-01-02T03:04:05Z, 03:04 of the last day of the recording, or -15m before its end, not "25:00"' \
	--to=25:00
nothing "both" 100 "fatal: options --since and --from exclude each other" \
	--since=1h --from=08:00
nothing "the wrong order" 100 "fatal: option --from: 2026-11-28T00:00:00Z is later than --to, 2026-11-27T00:00:00Z" \
	--from=2026-11-28T00:00:00Z --to=2026-11-27T00:00:00Z
sed 's/"time":"[^"]*",//' "$T/days" >"$T/timeless"
runs 100 "a recording without times" kwhy thing n/t --since=1h "$T/timeless"
is "$(<"$T/err")" "kwhy: fatal: no line of the recording has a time: kwatch --timestamps writes it" \
	"... is said"

# --- content
condition() { # STATUS REASON TIME
	printf '"conditions":[{"type":"Ready","status":"%s","reason":"%s","lastTransitionTime":"%s"}]' "$@"
}
set() { # SECOND MEMBERS
	printf '{"record":"set","time":"2026-11-27T08:00:%sZ","line":{"items":[],"reconcile":{"primary":{"apiVersion":"example.com/v1","kind":"Thing","namespace":"n","name":"t"},%s,"because":{"events":[{"timer":"requeue"}]}}}}\n' "$@"
}
record() { # KIND SECOND MEMBERS
	printf '{"record":"%s","time":"2026-11-27T08:00:%sZ","tool":"kstatus","line":{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"namespace":"n","name":"t"},%s}}\n' "$@"
}
old="\"phase\":\"Processing\",\"replicas\":2,$(condition False Waits 1)"
new="\"phase\":\"Available\",\"replicas\":3,$(condition True Done 2)"
{
	thing 2026-11-27T08:00:00Z 1 '{"a":1}' "{$old}"
	set 01 "\"status\":{$new}"
	record status 02 "\"status\":{$new}"
	record result 03 '"result":"written"'
	thing 2026-11-27T08:00:04Z 2 '{"a":2}' "{$new}"
	thing 2026-11-27T08:00:05Z 2 '{"a":2}' "{$new}"
	set 06 "\"status\":{${new/Available/Degraded}}"
	record status 07 "\"status\":{${new/Available/Failed}}"
	record result 08 '"result":"failed","message":"no"'
	set 09 '"delete":[{"apiVersion":"v1","kind":"Pod","namespace":"n","name":"p"}]'
} >"$T/life"
story() { # WHAT [OPTION]...: its story is standard input
	cat >"$T/want"
	kwhy thing n/t "${@:2}" "$T/life" >"$T/out" 2>"$T/err"
	sed -i '/^2026-11-27$/d; s/^08:00:\(..\).000  /\1 /' "$T/out"
	same "$T/out" "$T/want" "$1"
}
differs="phase Processing -> Available, Ready False -> True, replicas 2 -> 3, Ready reason Waits -> Done"
story "statuses are differences; what was decided is not told again" <<END
00 It was seen; status phase Processing, Ready False, replicas 2, Ready reason Waits
01 It was decided: status $differs, because its time had come (requeue)
04 It was seen to change: .metadata.labels.v "1" -> "2"; .spec.a 1 -> 2; status $differs
06 It was decided: status phase Available -> Degraded, because its time had come (requeue)
07 A status was sent: phase Degraded -> Failed
08 kstatus: failed: no
09 It was decided: to be deleted: Pod n/p, because its time had come (requeue)
END
story "only the spec" --spec <<'END'
00 It was seen
04 It was seen to change: .spec.a 1 -> 2
09 It was decided: to be deleted: Pod n/p, because its time had come (requeue)
END
story "only changes" --changes <<END
00 It was seen; status phase Processing, Ready False, replicas 2, Ready reason Waits
04 It was seen to change: .metadata.labels.v "1" -> "2"; .spec.a 1 -> 2; status $differs
END
story "both" --spec --changes --since=6s <<'END'
04 It was seen to change: .spec.a 1 -> 2
END
ok "the long form tells what was sent as well" eval \
	'kwhy --long thing n/t "$T/life" | grep -q "2  *A status was sent: as before\.$\|A status was sent: as before\."'

# --- a status that others write to as well
{
	thing 2026-11-27T08:00:00Z 1 '{"a":1}' '{"phase":"A","theirs":1}'
	set 01 '"status":{"phase":"B"}'
	set 02 '"status":{"ours":1}'
} >"$T/life"
story "only what is decided differs from what others wrote" <<'END'
00 It was seen; status phase A, theirs 1
01 It was decided: status phase A -> B, because its time had come (requeue)
02 It was decided: status phase B -> nothing, ours 1, because its time had come (requeue)
END

# --- deletion
thing 2026-11-27T08:00:00Z 1 '{"a":1}' '{}' >"$T/goes"
thing 2026-11-27T08:00:01Z 1 '{"a":1}' '{}' | sed '
	s/"uid"/"deletionTimestamp":"2026-11-27T08:00:01Z",&/; s/n":"1"/n":"2"/' \
	>>"$T/goes"
is "$(kwhy thing n/t --spec --changes "$T/goes" | tail -n 1)" \
	"08:00:01.000  Its deletion was requested" "a deletion is told with the spec"

# --- without a recording
script -qec "kwhy thing n/t" /dev/null <"$T/life" >"$T/out" 2>&1
ok "a terminal is not read" grep -q "which recording? Name it behind the object: kpipe --record DIR writes one, and kwatch -f watches.yaml --timestamps shows" \
	"$T/out"
runs 1 "an empty recording" kwhy thing n/t /dev/null
ok "... is said to be" grep -q "it is empty (kpipe --record DIR writes one" \
	"$T/err"
done_testing
