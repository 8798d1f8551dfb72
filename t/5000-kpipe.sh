#!/bin/bash
# kpipe: start, readiness, end and restarts, with stages that do nothing.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

# shellcheck source=kpipe.sh
. "${0%/*}/kpipe.sh"

### From start to end

fresh
export THING_IMAGE=example.com/thing KUBECONFIG=/secret AWS_SECRET=x
exec 8</dev/null
begin --kubeconfig=/k --context c -n ns --log-level=debug \
	--take-over-instance=a --take-over-instance=b
ok "ready" wait_for 30 ready
ok "a line flows through all stages" wait_for 30 test -s "$D/received"
is "$(<"$D/received")" '{"hello":"world"}' "... unchanged"
is "$(<"$D/kwatch.args")" "--report-fd=3
--log-level=debug
--log-format=text
--filename=$T/watches.yaml
--namespace=ns
--kubeconfig=/k
--context=c
--timestamps
--managers" "arguments of kwatch"
is "$(<"$D/ireconcile.args")" "--report-fd=3
--log-level=debug
--log-format=text
--filename=$T/watches.yaml
--namespace=ns
--marks-key-fd=4
--lines-fd=5
--take-over-instance=a
--take-over-instance=b
--sandbox=auto" "arguments of ireconcile: nothing about the API"
is "$(<"$D/kapply.args")" "--report-fd=3
--log-level=debug
--log-format=text
--kubeconfig=/k
--context=c
--marks-key-fd=4
--timeout=6s
--output=status" "arguments of kapply"
is "$(<"$D/kstatus.args")" "--report-fd=3
--log-level=debug
--log-format=text
--kubeconfig=/k
--context=c
--output=none
--timeout=3s" "arguments of kstatus"
is "$(variables 'THING_IMAGE|KUBECONFIG|AWS_SECRET' ireconcile)" \
	"THING_IMAGE=example.com/thing" \
	"ireconcile sees only the variables that the watches file names"
is "$(variables 'KUBECONFIG|AWS_SECRET' kwatch)" \
	"AWS_SECRET=x
KUBECONFIG=/secret" "the others see all"
unset THING_IMAGE KUBECONFIG AWS_SECRET
for stage in kwatch:'' ireconcile:' 4 5' kapply:' 4' kstatus:''; do
	is "$(fds "${stage%:*}")" "0 1 2 3${stage#*:}" \
		"descriptors of ${stage%:*}: none of ours, none of the caller's"
done
exec 8<&-
stops "SIGTERM: 0"
is "$(sed -n 's/ [0-9]* end//p' "$D/log" | tr '\n' ' ')" \
	"ireconcile kapply kstatus " "the end flows through the stages"
ok "no stage is left" none_left
is "$(od -c "$D/ready")" "$(printf '\n' | od -c)" "one newline when ready"
is "$(<"$D/stdout")" "" "nothing on stdout"

fresh
up
kill -INT "$kpipe"
ends 0 "SIGINT: 0"
is "$(said)" "kpipe: ready
kpipe: told to end: draining" "what it says from start to end"

fresh
touch "$D/kapply.lazy"
begin
wait_for 30 starts 1
ok "not ready while one stage is not" \
	sh -c "sleep 0.3; ! test -s $D/ready"
stops "SIGTERM before it is ready: 0"
ok "... no stage is left" none_left

fresh
touch "$D/kapply.deaf" "$D/kstatus.deaf"
up
before=$SECONDS
stops "SIGTERM with stages that do not end: 0"
took=$((SECONDS - before))
ok "... after 10 s ($took s)" test "$took" -ge 9
is "$(said | sed 1,2d)" \
	"kpipe: warning: kapply (pid N) did not end in 10 s: killed
kpipe: warning: kstatus (pid N) did not end in 10 s: killed" "... says so"
ok "... no stage is left" none_left

fresh
touch "$D/kapply.deaf"
up
kill -TERM "$kpipe"
wait_for 30 logged draining
stops "a second SIGTERM: 0"
is "$(said | grep 'did not end')" "" "... no stage is waited for"
ok "... no stage is left" none_left

fresh
kpipe -f "$T/watches.yaml" <&- >&- 2>"$D/stderr" &
kpipe=$!
started+=("$kpipe")
ok "starts with stdin and stdout closed" wait_for 30 logged ready
stops

# A signal at any moment of the start. (Before main, a signal just ends a
# process.)
bad=
for i in 0 1 2 3 4 5 6 7 8 9; do
	fresh
	begin
	end_after "0.0$i"
	wait "$kpipe"
	code=$?
	[ $code = 143 ] && [ ! -s "$D/log" ] && code=0
	[ $code = 0 ] || bad="$bad $i:$code"
	none_left || bad="$bad $i:left"
done
is "$bad" "" "SIGTERM at any moment of the start: 0, and no stage is left"

fresh
start bash -c 'ulimit -n 15; exec kpipe -f "$1" 2>"$2/stderr"' - \
	"$T/watches.yaml" "$D"
kpipe=$!
ok "no descriptors: waits" wait_for 30 logged 'again in 1'
# The stages that did start log it, too, if they have the time.
is "$(said | grep '^kpipe: ' | head -n 4)" \
	"kpipe: error: cannot make a pipe: Too many open files
kpipe: warning: starting the pipeline again
kpipe: error: cannot make a pipe: Too many open files
kpipe: warning: starting the pipeline again in N s" "... and says so"
ok "... what was started is gone" wait_for 30 none_left
wait_for 30 logged 'again in 2'
# It waits, or begins again, which takes more for a moment.
descriptors() {
	find "/proc/$kpipe/fd" -type l | wc -l
}
before=$(for _ in {1..20}; do
	descriptors
	sleep 0.05
done | sort -n | head -n 1)
no_more() {
	[ "$(descriptors)" -le "$before" ]
}
wait_for 30 logged 'again in 4'
ok "... and no descriptor leaks" wait_for 30 no_more
stops

### Crashes

for stage in $STAGES; do
	fresh
	up
	wait_for 30 test -s "$D/received"
	old=$(pid_of kwatch)
	kill -9 "$(pid_of "$stage")"
	ok "kill -9 of $stage: all start again" wait_for 30 starts 2
	ok "... the old ones are gone" gone "$old"
	wait_for 30 readies 2
	stops
	is "$(said)" "kpipe: ready
kpipe: error: $stage (pid N) was killed by SIGKILL
kpipe: warning: starting the pipeline again
kpipe: ready
kpipe: told to end: draining" "... it says who died, and of what"
	ok "... no stage is left" none_left
done

for code in 0 1 101 111; do
	fresh
	echo $code >"$D/ireconcile.once"
	begin
	ok "a stage that ends with $code: all start again" wait_for 30 ready
	stops
	case $code in
	0) want="ireconcile ended with exit code 0 without being told to" ;;
	*) want="ireconcile (pid N) ended with exit code $code" ;;
	esac
	is "$(said | grep error | grep -v SIGPIPE)" "kpipe: error: $want" \
		"... it says why"
done

for stage in $STAGES; do
	fresh
	echo 100 >"$D/$stage.exit"
	begin
	ends 100 "$stage says that another run would not help: 100"
	# the stage before it may have met the closed pipe already
	is "$(said | grep -v -e 'kpipe: ready' -e SIGPIPE)" \
		"kpipe: error: $stage (pid N) ended with exit code 100" \
		"... and it names the stage"
	ok "... no stage is left" none_left
done

fresh
echo 111 >"$D/kstatus.exit"
begin
ok "crashes again and again: waits" wait_for 30 logged 'again in 2'
is "$(said | grep -v SIGPIPE | head -n 6)" \
	"kpipe: error: kstatus (pid N) ended with exit code 111
kpipe: warning: starting the pipeline again
kpipe: error: kstatus (pid N) ended with exit code 111
kpipe: warning: starting the pipeline again in N s
kpipe: error: kstatus (pid N) ended with exit code 111
kpipe: warning: starting the pipeline again in N s" "... longer each time"
stops "SIGTERM while it waits: 0"
is "$(grep -c '^kstatus .* start' "$D/log")" \
	"$(said | grep -c 'kstatus (pid N) ended')" "... and nothing starts any more"

fresh
touch "$D/kwatch.child"
up
child=$(<"$D/child")
kill -9 "$(pid_of kwatch)"
wait_for 30 readies 2
ok "what a dead stage has started is killed, too" wait_for 30 gone "$child"
child=$(<"$D/child")
stops "... also when it ends"
ok "... no child is left" wait_for 30 gone "$child"

fresh
up
{
	kill -9 "$kpipe"
	wait "$kpipe"
} 2>/dev/null
ok "kill -9 of kpipe ends all stages" wait_for 5 none_left

### Process 1 of a container

if unshare -Urpf --mount-proc true 2>"$T/err"; then
	fresh
	touch "$D/kwatch.orphan"
	start unshare -Urpf --mount-proc --kill-child \
		kpipe -f "$T/watches.yaml" --report-fd=9 \
		9>"$D/ready" 2>"$D/stderr"
	outer=$!
	ok "ready as process 1" wait_for 30 ready
	kpipe=$(pgrep -P "$outer")
	children() {
		# shellcheck disable=SC2046
		ps -o stat= -p $(pgrep -P "$kpipe" | tr '\n' ',')1
	}
	only_stages() {
		[ "$(pgrep -c -P "$kpipe")" = 4 ] && ! children | grep -q Z
	}
	ok "orphans are reaped" wait_for 30 only_stages
	kill -TERM "$kpipe"
	kpipe=$outer
	ends 0 "SIGTERM ends process 1 with 0"
else
	note "no user namespaces here: $(<"$T/err")"
	[ -n "${KPIPE_NO_SKIP:-}" ] && tap 1 "must not be skipped: process 1"
fi

### Dry run

fresh
rm "$D/kstatus"
runs 0 "--dry-run ends without a signal" kpipe -f "$T/watches.yaml" --dry-run
is "$(<"$T/out")" '{"hello":"world"}' "... what kapply says is on stdout"
is "$(<"$T/err")" "" "... and nothing went wrong"
ok "... kwatch reads once" grep -qx -- --once "$D/kwatch.args"
is "$(tail -n 2 "$D/kapply.args")" "--dry-run=server
--output=result" "... kapply changes nothing"
for code in 1 100 101 111; do
	echo $code >"$D/kapply.exit"
	runs $code "... ends with $code as kapply does" \
		kpipe -f "$T/watches.yaml" --dry-run
done

### A recorder

BESIDE=krecord fresh
begin --record "$T/recording" --record-size=2Mi
ok "a recorder" wait_for 30 ready
is "$(grep -v log- "$D/krecord.args")" "--report-fd=3
write
--filename=$T/watches.yaml
--size=2Mi
--events-fd=4
--sets-fd=5
--statuses-fd=6
--results-fd=7
--kstatus-results-fd=8
--states-fd=9
--shadow-fd=10
--
$T/recording" "... its arguments"
ok "... kwatch says when" grep -qx -- --timestamps "$D/kwatch.args"
ok "... ireconcile has a tap" grep -qx -- --tap-fd=6 "$D/ireconcile.args"
is "$(grep -e tap -e results "$D/kapply.args")" "--tap-fd=5
--results-fd=6" "... kapply"
is "$(grep -e tap -e results "$D/kstatus.args")" "--tap-fd=4
--results-fd=5" "... and kstatus"
stops "... ends with the others"

### The Secret with the key of the marks

cat >"$T/two.yaml" <<'END'
- group: example.com
  version: v1
  kind: First
  program: program.jq
  marks: false
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true, retain: true}
- group: example.com
  version: v1
  kind: Second
  program: program.jq
  finalizer: example.com/x
END
fresh
runs 0 "an entry with marks, behind one that only retains" \
	kpipe -f "$T/two.yaml" --dry-run
is "$(grep marks-key-secret "$D/kapply.args")" \
	--marks-key-secret=kpipe-marks-second.example.com \
	"... names the Secret, as it would without the other"
sed -i '/finalizer/d' "$T/two.yaml"
runs 0 "the one that retains alone" kpipe -f "$T/two.yaml" --dry-run
is "$(grep marks-key-secret "$D/kapply.args")" \
	--marks-key-secret=kpipe-marks-first.example.com "... has a key"
sed -i 's/, retain: true//; s/  marks: false/  scope: Cluster/' "$T/two.yaml"
runs 0 "one with cluster-scoped primaries" kpipe -f "$T/two.yaml" --dry-run
is "$(grep marks-key-secret "$D/kapply.args")" \
	--marks-key-secret=kpipe-marks-first.example.com "... has a key"
cat >>"$T/two.yaml" <<'END'
  dependents:
  - {apiVersion: v1, kind: ConfigMap, manage: true, retain: true}
END
runs 0 "... beside one that retains" kpipe -f "$T/two.yaml" --dry-run
is "$(grep marks-key-secret "$D/kapply.args")" \
	--marks-key-secret=kpipe-marks-second.example.com \
	"... names the Secret, as it would without the first one"
sed -i 's/, manage: true//; s/, retain: true//' "$T/two.yaml"
runs 0 "without managed kinds" kpipe -f "$T/two.yaml" --dry-run
is "$(grep -c marks-key-secret "$D/kapply.args")" 0 "... there is none"

done_testing
