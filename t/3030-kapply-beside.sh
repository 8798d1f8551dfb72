#!/bin/bash
# kapply: Events that hang or are refused block nothing else; a namespace that
# comes later in the input; many objects of one name.
# check-all: long faults
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kapply.sh
. "${0%/*}/kapply.sh"
EVENTS=/api/v1/namespaces/default/events

event() {
	printf '"events":[{"type":"Normal","reason":"Said","message":"%s"}]' "$1"
}
posts() {
	grep -c "^POST $EVENTS " "$T/requests"
}
posted() {
	[ "$(posts)" -eq "$1" ]
}

# --- the server never answers the first Event
serve "{\"POST $EVENTS\":[{\"code\":201,\"wait\":\"$T/go\"}]}"
begin
for i in {1..1200}; do
	set_line "$(cm a "$i")" "$(event "$i"),\"status\":{\"n\":$i}"
done >&7
wait_for 20 grep -q '"n":1200' "$T/out"
is "$(posts)" 1 "an Event that hangs holds up no object and no status"
exec 7>&-
touch "$T/go"
wait "$applier"
is "$? $(posts) $(grep -c "^PATCH $EVENTS/" "$T/requests")" "0 10 15" "then the others are recorded, within the limits"

# --- refused: logged once, not tried again
denied=$(failure 403 Forbidden "events is forbidden: no")
serve "{\"POST $EVENTS\":[$denied,$denied]}"
{
	set_line "$(cm a 1)" "$(event one)"
	set_line "$(cm a 2)" "$(event two)"
	set_line "$(cm a 3)" "$(event three)"
} >"$T/in"
runs 0 "an Event that is refused fails nothing" apply
is "$(posts) $(besides_work "$T/err")" \
	"3 kapply: warning: an Event was refused: events is forbidden: no" \
	"... is not tried again, and said once"

# --- no answer: tried again, later
serve "{\"POST $EVENTS\":[{\"end\":\"close\"}]}"
set_line "$(cm a 1)" "$(event one)" >"$T/in"
runs 0 "an Event without an answer" apply
is "$(posts) $(besides_work "$T/err")" "2 " "... is sent again"

# --- its Namespace comes later in the input
missing=$(failure 404 NotFound 'namespaces \"n\" not found' ',"details":{"name":"n","kind":"namespaces"}')
there=/api/v1/namespaces/n/configmaps/a
serve "{\"PATCH $there\":[$missing,$missing,$missing]}"
echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"n"}}' >"$T/in"
runs 0 "a namespace that is there a little later" apply
is "$(requests | grep -c PATCH) $(<"$T/err")" "4 " "... is waited for"
serve "{\"PATCH $there\":[$(for i in {1..40}; do echo "$missing,"; done)$missing]}"
runs 1 "a namespace that never comes" apply
is "$(<"$T/err")" \
	'kapply: error: cannot apply ConfigMap n/a: namespaces "n" not found' \
	"... is a failure"
ok "... before --fail-after ($(requests | wc -l) tries)" \
	test "$(requests | wc -l)" -le 7
serve "{\"PATCH $there\":[$missing]}"
runs 1 "in a dry run it cannot come" apply --dry-run=server
is "$(sent)" "PATCH a" "... and is not waited for"

# --- objects of one name while the first hangs: not all of the input is read
rm -f "$T/go"
serve "{\"PATCH $CMS/a\":[{\"code\":200,\"wait\":\"$T/go\"}]}"
start piped -o none --max-in-flight=2 --report-fd=5
applier=$!
big=$(head -c 50000 /dev/zero | tr '\0' x)
write_many() {
	exec 7>"$T/pipe"
	for i in {1..100}; do
		cm a "$i$big"
		echo
		echo "$i" >"$T/written"
	done >&7
	exec 7>&-
}
start write_many
writer=$!
# The writer sleeps, in the same line as 20 looks before: the pipe is full.
blocked() {
	local n

	n=$(<"$T/written")
	for ((i = 0; i < 20; i++)); do
		[ "$(cut -d' ' -f3 "/proc/$writer/stat")" = S ] &&
			[ "$n" = "$(<"$T/written")" ] || return
		sleep 0.02
	done
}
wait_for 10 test -s "$T/written"
wait_for 10 blocked
ok "the writer waits ($(<"$T/written") of 100 written)" \
	test "$(<"$T/written")" -lt 40
touch "$T/go"
wait "$writer"
wait "$applier"
is "$? $(requests | wc -l)" "0 100" "then all are applied, one after the other"
is "$(tail -n 1 "$T/requests" | jq -rR 'capture("(?<j>{.*)").j | fromjson | .data.k[0:4]')" 100x \
	"... the last one last"
done_testing
