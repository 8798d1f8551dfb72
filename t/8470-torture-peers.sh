#!/bin/bash
# t/torture/peers: its verdicts can fail. An operator in Python does the job, or
# has a flaw for each verdict. Faults occur, the command that shows a play again
# does so, and tables are made of records.
# check-all: long faults
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=stay.sh
. "${0%/*}/stay.sh"

peers=t/torture/peers cases=t/cases/8470
export PYTHONDONTWRITEBYTECODE=1

# peer NAME: an argument
peer() {
	echo "--peer=$1=exec $cases/operator $1"
}

# plays ARGUMENT...: short ones; their records are in $T/records
plays() {
	rm -f "$T/records"
	"$peers" --pause 100 --quiet 1 --grace 2 --hot 100 --at-once 12 \
		--out "$T/records" "$@"
}

# told PEER: its verdicts
told() {
	jq -r --arg peer "$1" 'select(.peer == $peer) | .verdicts[] |
		"\(.invariant): \(.object) \(.text)"' "$T/records" |
		sed -E 's/[0-9]+ requests in/N requests in/
			s/after [0-9]+ s$/after N s/' | sort -u
}

# ---- a right operator has no verdict, whatever happens ----

runs 0 "a right operator is without a verdict, under a fault of each family" \
	plays "$(peer right)" --scenario two --clean 1 --each 1 --seed 3
is "$(<"$T/out")" "$(wc -l <"$T/records") plays, 0 failed, seed 3" "... says so"
is "$(jq -r 'select(.fault).fault.family' "$T/records" | sort | xargs)" \
	"cut delayed denied frozen kill reads refused restart restore stop unknown" \
	"... of those that it has requests for"
# What it asks depends on when it looks.
ok "... of which some occurred, beside those at a step" \
	jq -es 'map(select(.fault.plan and .hit)) | length > 1' "$T/records"
runs 0 "... nor if Deployments of the wanted names were there" \
	plays "$(peer right)" --scenario foreign --clean 1 --each 0

# ---- each flaw has its verdict ----

flaws=()
for flaw in idle blind again foreign noisy hot deaf; do
	flaws+=("$(peer "$flaw")")
done
runs 1 "operators with flaws fail" plays "${flaws[@]}" --scenario two \
	--scenario foreign --clean 1 --each 0 --patience 3

# verdict PEER TEXT WHAT
verdict() {
	ok "... $3" grep -qxF "$2" <(told "$1")
}

verdict idle "end: Deployment default/b is missing" "one that does nothing"
verdict idle "end: Memcached default/b status.nodes is [], not ['b-1']" \
	"... and writes no status"
verdict blind "end: Deployment default/b has 9 replicas, not 4" \
	"one that does not follow the spec"
verdict again "twice: Deployment default/b was made 2 times, 1 were asked for" \
	"one that replaces its Deployment"
verdict foreign \
	"foreign: Deployment default/a of another client was changed" \
	"one that takes a Deployment of another client"
verdict noisy "silence: deployments other/a is still written after N s" \
	"one that never stops writing"
verdict hot "requests:  N requests in 10 s" "one that asks without a pause"
verdict deaf "ended:  did not end within 2 s of SIGTERM" \
	"one that does not end"

# ---- a fault, and the command that shows it again ----

refused='{"plan": [{"verb": "create", "resource": "deployments",
	"namespace": "other", "code": 500}]}'
runs 1 "an operator that does not try again fails when a request is refused" \
	plays "$(peer once)" --scenario two --clean 1 --patience 3 \
	--fault "$refused"
is "$(jq -c '[.fault != null, .hit, (.verdicts | length)]' "$T/records")" \
	"[false,true,0]
[true,true,1]" "... and not without the fault"
again=$(sed -n '2s/^  //p' "$T/out")
runs 1 "... the printed command shows it again" bash -c "$again --pause 100 \
	--quiet 1 --clean 1 --patience 3 --times 2"
is "$(grep -c '^FAILED end: Deployment other/a is missing$' "$T/out")" 2 \
	"... as often as one likes"
plays "$(peer blind)" --scenario two --clean 1 --patience 3 \
	--fault '{"do": "kill", "step": 2}' >"$T/out" 2>"$T/err"
is "$(jq -c '[.fault != null, .verdicts != []]' "$T/records")" "[false,true]
[true,false]" "a fault is not blamed for what happens without it as well"
runs 0 "an operator that ends is started again" plays "$(peer mortal)" \
	--scenario two --clean 1 --fault '{"plan": [
	{"verb": "list", "resource": "pods", "nth": 3, "fault": "cut"}]}'
is "$(jq -c 'select(.fault).ended' "$T/records")" "[1]" "... and that is told"

# ---- interrupted ----

mkdir "$T/tmp"
start env TMPDIR="$T/tmp" "$peers" "$(peer right)" --scenario life 2>"$T/err"
runner=$!
wait_for 30 compgen -G "$T/tmp/*/play-1/operator.log"
kill "$runner"
wait "$runner"
is "$?" 130 "interrupted, it ends at once"
is "$(ls "$T/tmp")" "" "... and leaves no file"
is "$(pgrep -fc "$T/tmp/")" 0 "... and no process"

# ---- the table ----

runs 0 "a table is made of records" stay "$peers" --table "$cases/records.jsonl"
same "$T/out" "$cases/table.md" "... by family, and the worst of each verdict"

# ---- what is refused ----

# refused MESSAGE ARGUMENT...
refused() {
	runs 100 "refused: ${*:2}" stay "$peers" "${@:2}"
	is "$(<"$T/err")" "t/torture/peers: $1" "... says why"
}

refused "argument --peer: no operator 'java'; there are ours, oursselect, go, \
go10, goselect, rust, rust10, rustcompare, kopf, or NAME=COMMAND" --peer java
refused "argument --fault: not JSON: Expecting value: line 1 column 1 (char 0)" \
	--fault x
refused "argument --fault: want {\"plan\": [lines of kapi's plan]} or \
{\"do\": ..., \"step\": N}" --fault '{}'
refused "argument --fault: member \"do\": want one of restart, restore, kill, \
stop" --fault '{"do": "wait"}'
refused "argument --fault: member \"step\": want a number" \
	--fault '{"do": "kill"}'
refused "--fault: want one --peer and one --scenario" \
	--fault '{"do": "kill", "step": 1}'
refused "argument --at-once: not a number above 0: '0'" --at-once 0
refused "argument --each: not a number: '-1'" --each=-1
refused "$T/none: No such file or directory" --table "$T/none"
echo '{"peer": "a"}' >"$T/torn"
refused "$T/torn: not records of plays: KeyError('title')" --table "$T/torn"

done_testing
