#!/bin/bash
# ireconcile passes over the lines of a recording that are not events.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=ireconcile.sh
. t/ireconcile.sh

write_program
due=$(line "$(configmap a-0 a v)" a 1 \
	"$(known a-0 null),$(status true),$(on_error)")
record() {
	printf '{"record":"%s","time":"2026-01-01T00:%sZ"%s}\n' "$@"
}
{
	begin_all
	end_all
	event ADDED "$(thing a 1 "" "$(spec 1 v)")" 2026-01-01T00:00:00Z
} >"$T/events"
{
	record segment 00:00 ',"version":1,"sequence":1,"tool":"kpipe"'
	head -n 2 "$T/events"
	record result 00:00 ',"tool":"kapply","line":{}'
	record state 00:00 ',"line":{"phase":"running"}'
	tail -n +3 "$T/events"
	record set 00:00 ",\"line\":$due"
	record gap 00:00 ',"stream":"events"'
	record later 00:00 ',"kind":"PodList","items":[]'
	record status 00:09.9 ',"line":{"kind":"Thing"}'
} >"$T/in"
echo "$due" >"$T/want"
replay 0 "record lines among events"
is "$(cat "$T/err")" "" "... and says nothing of them"
record state 00:10 '' >>"$T/in"
echo "$due" >>"$T/want"
replay 0 "their time counts"

runs 0 "--input-of of a recording" ireconcile -f "$T/watches.yaml" \
	--clock=input --input-of=Thing/ns/a <"$T/in"
is "$(jq -r .primary.metadata.name "$T/out")" a "... finds the primary"
done_testing
