#!/bin/bash
# krecord write --live-fd: the recording as it goes on. It begins with the
# state, begins again on a signal, and waits for no reader.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

# mark ANNOTATION, event TYPE NAME VERSION [DATA]: lines of kwatch
mark() {
	printf '{"type":"BOOKMARK","time":"2026-01-01T00:00:00.000000Z","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{"%s":"true"}}}}\n' "$1"
}
event() {
	printf '{"type":"%s","time":"2026-01-01T00:00:01.000000Z","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns","name":"%s","resourceVersion":"%s"},"data":{"k":"%s"}}}\n' "$1" "$2" "$3" "${4-}"
}
# told FILE: what its lines are, in short
told() {
	grep . "$1" | jq -r '.record // (.type + " " + (.object.metadata |
		.name // (.annotations | keys[0] | sub(".*/"; ""))) + " " +
		(.object.metadata.resourceVersion // "")) | sub(" $"; "")'
}
has_told() {
	told "$1" | grep -qx "$2"
}
# begin [OPTION]...: events by descriptor 5, states by 6, results in $T/live
begin() {
	rm -f "$T/events" "$T/states"
	mkfifo "$T/events" "$T/states"
	exec 5<>"$T/events" 6<>"$T/states"
	start krecord write --live-fd=1 --events-fd=4 --states-fd=7 "$@" \
		4<"$T/events" 7<"$T/states" 5>&- 6>&- >"$T/live" 2>"$T/err"
	krecord=$!
}
end() {
	exec 5>&- 6>&-
	wait "$krecord"
}

### Without a directory

cd "$T" || exit 1
begin
{
	mark kpipe.dev/initial-events-begin
	event ADDED a 1
	event ADDED b 2
	mark k8s.io/initial-events-end
	event DELETED a 3
	event MODIFIED b 4
} >&5
ok "lines come at once" wait_for 10 has_told "$T/live" "MODIFIED b 4"
is "$(told "$T/live" | xargs)" \
	"segment BOOKMARK initial-events-begin ADDED a 1 ADDED b 2 BOOKMARK initial-events-end DELETED a 3 MODIFIED b 4" \
	"... as in a segment"
echo '{"tool":"kpipe","phase":"running","stages":{}}' >&6
ok "a state" wait_for 10 has_told "$T/live" state
kill -USR1 "$krecord"
# again LAST: it began another time, and has come to that line of its state
again() {
	[ "$(told "$T/live" | grep -cx segment)" -eq 2 ] &&
		[ "$(told "$T/live" | tail -n 1)" = "$1" ]
}
ok "a signal: it begins again" wait_for 10 again state
is "$(told "$T/live" | tail -n 5 | xargs)" \
	"segment BOOKMARK initial-events-begin ADDED b 4 BOOKMARK initial-events-end state" \
	"... with the state: what there is, and of the pipeline"
is "$(grep -c '^$' "$T/live")" 2 "... each time behind a newline"
end
is "$?" 0 "it ends with its input"
is "$(<"$T/err")" "" "... without a word"
is "$(find . -name '*.zst')" "" "... nothing was written to disk"
cd "$ROOT" || exit 1

### With one

begin "$T/recording"
event ADDED a 1 >&5
ok "with a directory: live" wait_for 10 has_told "$T/live" "ADDED a 1"
end
runs 0 "... and recorded" krecord cat "$T/recording"
is "$(told "$T/out" | xargs)" "segment ADDED a 1" "... the same"

### Secrets

begin
sed 's/ConfigMap/Secret/' < <(event ADDED s 1 aGlkZGVu) >&5
ok "a Secret" wait_for 10 has_told "$T/live" "ADDED s 1"
is "$(grep -c aGlkZGVu "$T/live")" 0 "... without its value"
kill -USR1 "$krecord"
ok "... a second time" wait_for 10 again "ADDED s 1"
is "$(grep -c aGlkZGVu "$T/live")" 0 "... also in the state"
end

### A reader that does not read

mkfifo "$T/pipe"
exec 8<>"$T/pipe"
rm -f "$T/events"
mkfifo "$T/events"
exec 5<>"$T/events"
start krecord write --live-fd=1 --events-fd=4 4<"$T/events" 5>&- \
	>"$T/pipe" 2>"$T/err"
krecord=$!
data=$(head -c 20000 /dev/zero | tr '\0' x)
{
	mark kpipe.dev/initial-events-begin
	mark k8s.io/initial-events-end
	for ((i = 1; i <= 1000; i++)); do
		event MODIFIED "c$((i % 3))" "$i" "$data"
	done
	event MODIFIED last 2000
} >&5
wait_for 30 taken 5 # the reader comes too late then
start cat "$T/pipe" 5>&- >"$T/live"
has_state() {
	told "$T/live" | sed '1,/gap/d' | grep -qx "BOOKMARK initial-events-end"
}
ok "20 MB for a reader that is late: the state comes" wait_for 30 has_state
has_told "$T/live" gap
tap $? "... behind a gap, for what was lost"
told "$T/live" >"$T/told"
ok "... less than all" test "$(grep -c MODIFIED "$T/told")" -lt 700
is "$(sed '1,/gap/d; /BOOKMARK initial-events-end/q' "$T/told" | sort | xargs)" \
	"ADDED c0 999 ADDED c1 1000 ADDED c2 998 ADDED last 2000 BOOKMARK initial-events-begin BOOKMARK initial-events-end" \
	"... behind it the state"
exec 5>&- 8>&-
wait "$krecord"
is "$?" 0 "... and it ends"

### Refusals

refuses "option --live-fd: descriptor 99 is not open" krecord write \
	--live-fd=99 --events-fd=0
refuses "krecord write needs one directory, or --live-fd" krecord write \
	--events-fd=0
refuses "option --size needs a directory" krecord write --live-fd=1 --size=2Mi
refuses "option --live-fd belongs to krecord write" krecord cat --live-fd=1
unread 0 "a reader that is gone" krecord write --live-fd=1 --events-fd=0 </dev/null

done_testing
