#!/bin/bash
# kpipe --record: an operator is recorded while it runs, is killed in the middle,
# and the recording replays to the same sets.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=processes.sh
. "${0%/*}/processes.sh"
# shellcheck source=kapi.sh
. "${0%/*}/kapi.sh"
# shellcheck source=recorded.sh
. "${0%/*}/recorded.sh"

copies
kapi_up
export KUBECONFIG=$T/kubeconfig
begin() {
	start kpipe -f "$T/watches.yaml" --record "$T/recording" -A "$@" \
		2>"$T/log"
	kpipe=$!
}
# recorded JQ: the number of lines for which it is true
recorded() {
	krecord cat "$T/recording" 2>/dev/null | jq -c "select($1)" | wc -l
}
has() {
	[ "$(recorded "$1")" -ge "$2" ]
}

deployment a 1
begin
ok "a set is recorded" wait_for 30 has '.record == "set"' 1
ok "... and the event of what it made" wait_for 30 has \
	'.type == "ADDED" and .object.kind == "Secret"' 1
ok "... the result of kapply" wait_for 30 has \
	'.record == "result" and .tool == "kapply" and .line.result == "created"' 1
ok "... the status" wait_for 30 has '.record == "status"' 1
ok "... the result of kstatus" wait_for 30 has \
	'.record == "result" and .tool == "kstatus"' 1
ok "... and the state" wait_for 30 has \
	'.record == "state" and .line.stages.krecord.ready' 1
deployment a 2
deployment b 1
ok "changes, too" wait_for 30 has '.record == "set"' 3
ok "... whose status is there" wait_for 30 has \
	'.record == "result" and .tool == "kstatus"' 3
is "$(krecord cat "$T/recording" 2>/dev/null |
	jq -r 'select(.record == null and .time == null)')" "" \
	"every event has its time"
is "$(krecord cat "$T/recording" 2>/dev/null | grep -c SECRET)" 0 \
	"no secret is in it"

### Killed

recorder=$(child "$kpipe" krecord)
kill -9 "$recorder"
ok "a recorder that is killed: everything starts again" wait_for 30 \
	grep -q "krecord (pid [0-9]*) was killed by SIGKILL" "$T/log"
begun_again() {
	has '.record == "segment"' 2
}
ok "... with another segment" wait_for 30 begun_again
deployment b 3
ok "... that goes on" wait_for 30 has \
	'.record == "set" and .line.reconcile.primary.name == "b"' 2
recorder=$(child "$kpipe" krecord)
kill -9 "$kpipe"
wait "$kpipe" 2>/dev/null
recorder_gone() {
	! kill -0 "$recorder"
}
wait_for 30 recorder_gone # it would write to the next recording
runs 0 "kpipe is killed: the recording is readable" krecord stat "$T/recording"
is "$(sed -n 's/^gaps *//p;s/^bad lines *//p' "$T/out" | xargs)" "0 0" \
	"... without a gap"

# sets: of each primary the last one, without what depends on the run
sets() {
	jq -sc 'map({(.reconcile.primary.name): [.items[] | .kind,
		.metadata.name, (.stringData.k // .data.k)]}) | add' | jq -cS .
}
krecord cat "$T/recording" 2>/dev/null >"$T/all"
jq -c 'select(.record == "set").line' "$T/all" |
	jq -c '.items |= map(del(.stringData, .data))' | sets >"$T/want"
ireconcile -f "$T/watches.yaml" -A --clock=input <"$T/all" 2>"$T/err" |
	jq -c '.items |= map(del(.stringData, .data))' | sets >"$T/got"
same "$T/got" "$T/want" "it replays to the same sets"
is "$(grep -v '^ireconcile: values that the input hides' "$T/err")" \
	"ireconcile: warning: gaps of the recording, in which events are missing: 1; what followed from these is not known" \
	"... with no message but those about hidden values and the killed recorder"

### In the right order of descriptors, with a leader

rm -rf "$T/recording"
begin --leader-elect --leader-election-id=x --leader-election-namespace=default
deployment c 1
ok "with a leader" wait_for 60 has '.record == "result" and .tool == "kstatus"' 1
told_to_end "$kpipe" "told to end"
runs 0 "... the recording is whole" krecord cat "$T/recording"
is "$(<"$T/err")" "" "... to its end"

### Stopped

# The operator goes on, with more than the pipes of the recorder hold.
rm -rf "$T/recording"
sed -i 's/stringData: {/&pad: "\\(.primary.metadata.annotations.pad | length)", /' \
	"$T/program.jq"
begin
deployment d 1
ok "a recorder" wait_for 30 has '.record == "result" and .tool == "kstatus"' 1
recorder=$(child "$kpipe" krecord)
kill -STOP "$recorder"
pad=$(head -c 200000 /dev/zero | tr '\0' x)
for i in {1..15}; do
	printf '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"s%s","namespace":"default","annotations":{"pad":"%s"}},"spec":{"replicas":%s,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}\n' \
		"$i" "$pad" "$i"
done | kapply -o none
all_made() {
	[ "$(kubectl get secrets -A -o name | grep -c '/s[0-9]')" -eq 15 ]
}
ok "... that is stopped: the operator works on" wait_for 60 all_made
kill -CONT "$recorder"
drained() {
	has '.record == "set" and .line.reconcile.primary.name == "s15"' 1
}
wait_for 30 drained
deployment e 1
ok "... and continued: there is a gap" wait_for 30 has \
	'.record == "gap" and .stream == "events"' 1
ok "... and then lines again" wait_for 30 has \
	'.type == "ADDED" and .object.metadata.name == "e"' 1
told_to_end "$kpipe" "... to its end"
runs 0 "... each line is whole" krecord stat "$T/recording"
is "$(sed -n 's/^bad lines *//p;s/^cut ends *//p' "$T/out" | xargs)" "0 0" \
	"... none is cut"
kapi_down

### Options

for args in "--record-size=1Mi:option --record-size needs --record" \
	"--record=$T/x --dry-run:options --dry-run and --record exclude each other"; do
	# shellcheck disable=SC2086
	refuses "${args#*:}" kpipe -f "$T/watches.yaml" ${args%%:*}
done
done_testing
