#!/bin/bash
# ireconcile passes over the lines of a recording that are not events.
. "${0%/*}/lib.sh"
. t/ireconcile.sh

write_program
due=$(creates a 1)
record() {
	printf '{"record":"%s","time":"2026-01-01T00:%sZ"%s}\n' "$@"
}
{
	initially
	event ADDED "$(thing a 1 "" "$(spec 1 v)")" 2026-01-01T00:00:00Z
} >"$T/events"
given record segment 00:00 ',"version":1,"sequence":1,"tool":"kpipe"'
and head -n 2 "$T/events"
and record result 00:00 ',"tool":"kapply","line":{}'
and record state 00:00 ',"line":{"phase":"running"}'
and tail -n +3 "$T/events"
and record set 00:00 ",\"line\":$due"
and record gap 00:00 ',"stream":"events"'
and record later 00:00 ',"kind":"PodList","items":[]'
and record status 00:09.9 ',"line":{"kind":"Thing"}'
echo "$due" >"$T/want"
replay 0 "record lines among events"
says "ireconcile: warning: gaps of the recording, in which events are missing: 1; what followed from these is not known" \
	"... and says nothing of them, but for the gap"
record state 00:10 '' >>"$T/in"
echo "$due" >>"$T/want"
replay 0 "their time counts"

runs 0 "--input-of of a recording" ireconcile -f "$T/watches.yaml" \
	--clock=input --input-of=Thing/ns/a <"$T/in"
is "$(jq -r .primary.metadata.name "$T/out")" a "... finds the primary"

# ---- a recording of another version ----

# refused WHAT OPTION...: what is before such a line counts no more
refused() {
	runs 100 "$1: another version is refused" ireconcile \
		-f "$T/watches.yaml" --clock=input "${@:2}" <"$T/other"
	is "$(<"$T/err")" "ireconcile: fatal: line $number: $why" \
		"... says so, and nothing else"
}
number=$(($(wc -l <"$T/in") + 1))
why="a recording of version 9; this program reads version 1"
{
	cat "$T/in"
	record segment 00:10 ',"version":9,"sequence":2'
	event MODIFIED "$(thing a 2 "" "$(spec 1 w)")" 2026-01-01T00:00:11Z
} >"$T/other"
refused "a replay"
is "$(grep -c '"w"' "$T/out")" 0 "... nothing is decided of what follows"
refused "a test" --must-answer
refused "a comparison" --against "$T/watches.yaml"
refused "an input" --input-of=Thing/ns/a
is "$(<"$T/out")" "" "... is not printed"
why="a segment without a version: it is not a recording of kpipe, or it was damaged"
{
	cat "$T/in"
	record segment 00:10 ''
} | head -c -1 >"$T/other"
refused "no version, at the end without a newline"
refused "... compared" --against "$T/watches.yaml"
done_testing
