#!/bin/bash
# kpipe --leader-elect with stages that do nothing: what kelect and the others
# get, and which ends when. With the real stages: 5200.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
BESIDE="kelect kpipe-http"
# shellcheck source=kpipe.sh
. "${0%/*}/kpipe.sh"

# a_line: something flowed through all stages
a_line() {
	test -s "$D/received"
}

# ended: the stages that ended without a signal, in this order
ended() {
	sed -n 's/ [0-9]* end//p' "$D/log" | tr '\n' ' '
}

# inode PID FD: of a descriptor
inode() {
	readlink "/proc/$1/fd/$2"
}

### A standby

fresh
begin --leader-elect --kubeconfig=/k
ok "a standby is ready" wait_for 30 ready
is "$(<"$D/kelect.args")" "--report-fd=3
--log-level=info
--log-format=text
--kubeconfig=/k
--lease=thing.example.com
--gate-fd=4
--fence-fd=5
--page-fd=6" "arguments of kelect; the lease is named after the first kind"
is "$(grep "fd=[4-6]" "$D/ireconcile.args")" "--gate-fd=4
--marks-key-fd=5
--lines-fd=6" "ireconcile has a gate"
is "$(variables KPIPE_FENCE '*')" "KPIPE_FENCE=4,5
KPIPE_FENCE=4,5" "two have a fence"
is "$(grep -l KPIPE_FENCE "$D"/*.env | sed 's,.*/,,' | tr '\n' ' ')" \
	"kapply.env kstatus.env " "... those that write"
for stage in kwatch:'' ireconcile:' 4 5 6' kapply:' 4 5 6' kstatus:' 4 5' \
	kelect:' 4 5 6'; do
	is "$(fds "${stage%:*}")" "0 1 2 3${stage#*:}" \
		"descriptors of ${stage%:*}"
done
kelect=$(pid_of kelect) kapply=$(pid_of kapply)
is "$(inode "$kapply" 4)" "$(inode "$kelect" 5)" "the fence is one pipe"
is "$(inode "$kapply" 5)" "$(inode "$kelect" 6)" "... and the page one page"
fence=$(inode "$kelect" 5)
is "$(find "/proc/$kpipe/fd" -type l -printf '%l\n' | grep -cxF "$fence")" 0 \
	"kpipe keeps neither end"
ok "nothing flows" sh -c "sleep 0.3; ! test -s $D/received"
kill -TERM "$kpipe"
ends 0 "SIGTERM: 0"
# The others may see the end of their input before the signal.
is "$(ended | grep -o '[^ ]* $')" "kelect " "... kelect gives up, as the last"
is "$(said)" "kpipe: ready
kpipe: told to end" "... there is nothing to drain"
ok "... no stage is left" none_left

fresh
export OPERATOR_NAME=my-operator
begin --leader-elect
wait_for 30 ready
ok "OPERATOR_NAME names the lease" \
	grep -qx -e --lease=my-operator "$D/kelect.args"
kill -TERM "$kpipe"
ends 0 "... and ends"
fresh
begin --leader-elect --leader-election-id=a --leader-election-namespace=b \
	--leader-elect-for-life --leader-elect-lease-duration=15s \
	--leader-elect-renew-deadline=10s --leader-elect-retry-period=0.5s
wait_for 30 ready
is "$(sed -n '4,$p' "$D/kelect.args")" "--lease=a
--namespace=b
--for-life
--lease-duration=15000ms
--renew-deadline=10000ms
--retry-period=500ms
--gate-fd=4
--fence-fd=5
--page-fd=6" "what the options say"
kill -TERM "$kpipe"
ends 0 "... and ends"
unset OPERATOR_NAME

### A leader

fresh
touch "$D/kelect.lead"
begin --leader-elect
ok "a leader's line flows through all stages" wait_for 30 a_line
wait_for 30 ready
kill -TERM "$kpipe"
ends 0 "SIGTERM: 0"
is "$(ended)" "ireconcile kapply kstatus kelect " \
	"... kelect ends when all others have"
is "$(said)" "kpipe: ready
kpipe: told to end: draining" "... says so"

fresh
touch "$D/kelect.lead" "$D/kelect.deaf"
begin --leader-elect
wait_for 30 a_line
before=$SECONDS
kill -TERM "$kpipe"
ends 0 "SIGTERM with a kelect that does not end: 0"
took=$((SECONDS - before))
ok "... after 5 s ($took s)" test "$took" -ge 4
is "$(said | grep kelect)" \
	"kpipe: warning: kelect (pid N) did not end in 5 s: killed" "... says so"
ok "... no stage is left" none_left

fresh
touch "$D/kelect.lead" "$D/kelect.deaf"
begin --leader-elect
wait_for 30 a_line
kill -TERM "$kpipe"
wait_for 30 eval '[ "$(ended)" = "ireconcile kapply kstatus " ]'
kill -TERM "$kpipe"
ends 0 "a second SIGTERM: 0"
is "$(said | grep kelect)" "" "... kelect is not waited for"

# A signal at any moment of the start. (Before main, a signal just ends a
# process.)
bad=
for i in 0 1 2 3 4 5 6 7 8 9; do
	fresh
	touch "$D/kelect.lead"
	begin --leader-elect --metrics-bind-address=:0
	end_after "0.0$i"
	wait "$kpipe"
	code=$?
	[ $code = 143 ] && [ ! -s "$D/log" ] && code=0
	[ $code = 0 ] || bad="$bad $i:$code"
	none_left || bad="$bad $i:left"
done
is "$bad" "" "SIGTERM at any moment of the start: 0, and no stage is left"

### Ends

for stage in $STAGES; do
	fresh
	touch "$D/kelect.lead"
	begin --leader-elect
	wait_for 30 a_line
	wait_for 30 ready
	old=$(pid_of kelect)
	kill -9 "$(pid_of "$stage")"
	ok "kill -9 of $stage: all start again" \
		wait_for 30 eval 'starts 2 && [ "$(pid_of kelect)" != '"$old"' ]'
	ok "... kelect gave up before" test "$(sed -n \
		"/^kelect $old end/=" "$D/log")" -lt "$(sed -n \
		'/^kwatch .* start/=' "$D/log" | tail -n 1)"
	wait_for 30 readies 2
	is "$(said)" "kpipe: ready
kpipe: error: $stage (pid N) was killed by SIGKILL
kpipe: warning: starting the pipeline again
kpipe: ready" "... it says who died, and of what"
	kill -TERM "$kpipe"
	ends 0 "... and end"
	ok "... no stage is left" none_left
done

fresh
touch "$D/kelect.lead"
begin --leader-elect
wait_for 30 a_line
wait_for 30 ready
kill -9 "$(pid_of kelect)"
ok "kill -9 of kelect: all start again" wait_for 30 starts 2
wait_for 30 readies 2
is "$(said)" "kpipe: ready
kpipe: error: kelect (pid N) was killed by SIGKILL
kpipe: warning: starting the pipeline again in N s
kpipe: ready" "... it says who died, and of what"
for i in 3 4 5; do
	wait_for 30 eval "starts $((i - 1)) && [ -n \"\$(pid_of kelect)\" ]"
	wait_for 30 readies $((i - 1))
	kill -9 "$(pid_of kelect)"
	wait_for 30 starts $i
done
wait_for 30 readies 5
# The delays that it logs: no quick loop, and no growing delay.
is "$(sed -n 's/.* again in \([0-9]*\)\.[0-9] s$/\1/p' "$D/stderr" | xargs)" \
	"1 1 1 1" "... again and again: each time after 1 s"
freeze "$(pid_of kelect)"
kill -9 "$(pid_of kapply)"
ok "a kelect that is stopped is killed" wait_for 30 logged 'kelect .* killed$'
ok "... and all start again" wait_for 30 starts 6
is "$(said | sed -n 14,16p)" "kpipe: error: kapply (pid N) was killed by SIGKILL
kpipe: warning: kelect (pid N) did not end in 5 s: killed
kpipe: warning: starting the pipeline again in N s" \
	"... not at once, for it was the leader"
wait_for 30 readies 6
kill -9 "$(pid_of kapply)"
ok "what fails after that" wait_for 30 starts 7
is "$(said | sed -n 18,19p)" "kpipe: error: kapply (pid N) was killed by SIGKILL
kpipe: warning: starting the pipeline again" \
	"... is another matter: the first time, at once"
kill -TERM "$kpipe"
ends 0 "... and end"
ok "... no stage is left" none_left

fresh
echo 111 >"$D/kelect.once"
begin --leader-elect
ok "kelect ends with 111: all start again" wait_for 30 ready
kill -TERM "$kpipe"
ends 0 "... and end"
is "$(said | grep error)" "kpipe: error: kelect (pid N) ended with exit code 111" \
	"... it says why"
fresh
echo 100 >"$D/kelect.exit"
begin --leader-elect
ends 100 "kelect says that another run would not help: 100"
is "$(said)" "kpipe: error: kelect (pid N) ended with exit code 100" \
	"... names it"

fresh
touch "$D/kelect.lazy"
begin --leader-elect
wait_for 30 starts 1
ok "not ready while kelect is not" sh -c "sleep 0.3; ! test -s $D/ready"
{
	kill -9 "$kpipe"
	wait "$kpipe"
} 2>/dev/null
ok "kill -9 of kpipe ends all, kelect too" wait_for 5 none_left

### kelect runs kpipe

# fenced FILE: kpipe with a fence; its writing end is descriptor 8 of this
# shell
fresh
mkfifo "$T/fence"
exec 7<>"$T/fence"
exec 8>"$T/fence"
head -c 4096 /dev/zero | tr '\0' '\377' >"$T/page" # for ever
exec 6<"$T/page"
(
	exec 4<"$T/fence" 5<"$T/page" 6<&- 7<&- 8>&-
	export KPIPE_FENCE=4,5
	exec kpipe -f "$T/watches.yaml" --report-fd=9 9>"$D/ready" 2>"$D/stderr"
) &
kpipe=$!
started+=("$kpipe")
exec 6<&-
ok "with a fence it runs" wait_for 30 ready
is "$(grep -l KPIPE_FENCE "$D"/*.env | sed 's,.*/,,' | tr '\n' ' ')" \
	"kapply.env kstatus.env " "... handed on to those that write"
is "$(inode "$(pid_of kapply)" 4) $(inode "$(pid_of kstatus)" 5)" \
	"$T/fence $T/page" "... the same"
for stage in kwatch:'' ireconcile:' 4 5' kapply:' 4 5 6'; do
	is "$(fds "${stage%:*}")" "0 1 2 3${stage#*:}" \
		"... descriptors of ${stage%:*}"
done
exec 7<&- 8>&-
ends 111 "the fence is closed: 111"
ok "... and says so" logged 'kpipe: error: .*kelect'
ok "... no stage is left" none_left

# The variable of a kelect that does not know the new name.
fresh
exec 7<>"$T/fence"
exec 8>"$T/fence"
exec 6<"$T/page"
(
	exec 4<"$T/fence" 5<"$T/page" 6<&- 7<&- 8>&-
	export KPIPE_LEASH=4,5
	exec kpipe -f "$T/watches.yaml" --report-fd=9 9>"$D/ready" 2>"$D/stderr"
) &
kpipe=$!
started+=("$kpipe")
exec 6<&-
ok "by the old name of the variable it runs" wait_for 30 ready
is "$(grep -l KPIPE_FENCE "$D"/*.env | sed 's,.*/,,' | tr '\n' ' ')" \
	"kapply.env kstatus.env " "... and hands on the new one"
is "$(grep -l KPIPE_LEASH "$D"/*.env)" "" "... alone"
exec 7<&- 8>&-
ends 111 "... until the fence is closed"

done_testing
