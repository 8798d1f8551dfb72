#!/bin/bash
# kpipe when the kernel kills a stage because memory is out. The cgroup is a
# folder, in a mount namespace.
# check-all: mounts
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=kpipe.sh
. "${0%/*}/kpipe.sh"

unshare -rm true 2>"$T/err" || skip_all "no user namespaces: $(<"$T/err")"

# inside COMMAND...: with $D/cgroup as its cgroup, $D/last as termination log.
inside() {
	exec unshare -rm bash -c 'd=$1
		shift
		touch "$d/null" "$d/last"
		mount --bind /dev/null "$d/null"
		mount --rbind "$d/cgroup" /sys/fs/cgroup
		mount -t tmpfs none /dev
		touch /dev/null /dev/termination-log
		mount --bind "$d/null" /dev/null
		mount --bind "$d/last" /dev/termination-log
		exec "$@"' - "$D" "$@"
}

# limited LIMIT [OPTION]...
limited() {
	mkdir "$D/cgroup"
	echo "$1" >"$D/cgroup/memory.max"
	echo "oom_kill 7" >"$D/cgroup/memory.events"
	shift
	start inside kpipe -f "$T/watches.yaml" --report-fd=9 "$@" \
		9>"$D/ready" >"$D/stdout" 2>"$D/stderr"
	kpipe=$!
}

# limited_with_http FILE N: fresh, with kpipe-http; N stands in FILE
limited_with_http() {
	BESIDE="kpipe-http"
	fresh
	ln -sf "$BIN/kpipe-http" "$D/kpipe-http"
	echo "$2" >"$D/$1"
	limited $((64 << 20)) --health-probe-bind-address 127.0.0.1:0 \
		--metrics-bind-address 127.0.0.1:0
}

# Numbers that differ from run to run.
memory() {
	said | sed -E 's/had at most [0-9]+ MiB/had at most N MiB/' | grep "$@"
}

told_once() {
	! [ -s "$D/ireconcile.lines" ]
}

### One kill

fresh
echo 1 >"$D/kapply.oom"
export POD_NAME=operator-0 POD_NAMESPACE=ops POD_UID=6d3f
limited $((64 << 20))
ok "a stage is killed for memory: the pipeline starts again" \
	wait_for 30 starts_of kapply 2
is "$(memory -e error -e warning)" "kpipe: error: kapply (pid N) was killed for memory: it had at most N MiB, all processes together may have 64 MiB
kpipe: warning: starting the pipeline again" "... and it is logged, with the peak and the limit"
wait_for 30 test -s "$D/ireconcile.lines"
is "$(jq -c '(.reconcile | .primary, .manager, (.events[] | .type, .reason)), .items' \
	"$D/ireconcile.lines")" \
	'{"apiVersion":"v1","kind":"Pod","namespace":"ops","name":"operator-0","uid":"6d3f"}
"kpipe-thing.example.com"
"Warning"
"OutOfMemory"
[]' "... kapply is to record an Event about the pod"
ok "... the peak is one" grep -Eq 'at most [1-9][0-9]? MiB' "$D/stderr"
kill -9 "$(pid_of kstatus)"
ok "another kill -9 is not for memory" \
	wait_for 30 logged 'kstatus (pid [0-9]*) was killed by SIGKILL'
wait_for 30 starts_of kapply 3
ok "... nor recorded: the Event is recorded once" \
	wait_for 30 told_once
stops "... SIGTERM ends it"
is "$(<"$D/last")" "" "no last words"

### A worker of a stage

limited_with_http ireconcile.worker 2
address() {
	sed -n "s/^kpipe-http: $1 at //p" "$D/stderr"
}
ask() {
	curl -sS -m 20 "http://$(address "$1")$2" 2>&1
}
has() {
	ask "$1" "$2" | grep -qF -- "$3"
}
why="a worker of ireconcile was killed for memory; it had at most 40 MiB, all processes together may have 64 MiB"
ok "a worker is killed for memory: not ready, and why" wait_for 30 \
	has probes /readyz "[-]kpipe failed: $why"
ok "... it is logged" logged "kpipe: error: $why"
ok "... each is counted" wait_for 30 has metrics /metrics \
	'kpipe_stage_oom_kills_total{stage="ireconcile"} 2'
ok "... the running stage is given the Event" \
	wait_for 30 test -s "$D/ireconcile.lines"
is "$(jq -r '.reconcile.events[].message' "$D/ireconcile.lines")" "$why" \
	"... which says the same"
is "$(grep -c ' start$' "$D/log")" 4 "... and nothing is started again"
kill -9 "$(pid_of kstatus)"
ok "another kill -9 is still not for memory" \
	wait_for 30 logged 'kstatus (pid [0-9]*) was killed by SIGKILL'
wait_for 30 starts_of kapply 2
ok "... nor is the worker's Event recorded again" wait_for 30 told_once
stops "... SIGTERM ends it"
BESIDE=
unset POD_NAME POD_NAMESPACE POD_UID

### Again and again

# The fourth has it wait for 4 s, which is time enough to ask.
limited_with_http kwatch.oom 4
ok "four kills in a row: not ready while it waits, and why" wait_for 30 \
	has probes /readyz 'the pipeline is waiting: kwatch was killed for memory'
wait_for 30 logged 'kpipe: ready'
ok "... nor when it runs again" wait_for 30 has probes /readyz \
	'[-]kpipe failed: kwatch was killed for memory, 4 in a row; it had at most'
only_reason() {
	[ "$(ask probes /readyz | grep -c failed:)" = 1 ]
}
ok "... which is the only reason" wait_for 30 only_reason
ok "... counted" wait_for 30 has metrics /metrics \
	'kpipe_stage_oom_kills_total{stage="kwatch"} 4'
ok "... of that stage only" has metrics /metrics \
	'kpipe_stage_oom_kills_total{stage="kapply"} 0'
stops "... SIGTERM ends it"
BESIDE=

fresh
echo 9 >"$D/ireconcile.oom"
printf '%02000d' 0 >"$D/last" # of a run before
limited $((64 << 20))
ends 100 "five kills right after the start: 100"
is "$(memory fatal)" \
	"kpipe: fatal: ireconcile was killed for memory, 5 in a row; it had at most N MiB, all processes together may have 64 MiB; each time less than 60 s after the start: the limit is too low, raise it (resources.limits.memory of the container)" \
	"... says why"
is "kpipe: fatal: $(<"$D/last")" "$(grep fatal: "$D/stderr")" \
	"... also to the termination log"
is "$(grep -c '^ireconcile .* start' "$D/log")" 5 "... and does not start again"
ok "... no stage is left" none_left

fresh
echo 5 >"$D/kwatch.oom"
limited max
ok "without a limit of its own it goes on" \
	wait_for 90 starts_of kwatch 6
ok "... and says that" logged \
	'this container has no limit: its pod or node is full'
stops "... until it is told to end"

### A limit that is too low

fresh
limited $((8 << 20))
ends 100 "a limit that is too low for any pipeline: 100"
is "$(cat "$D/stderr" "$D/log")" \
	"kpipe: fatal: the memory limit of 8 MiB is below the 10 MiB that these tools need without any object: raise it (resources.limits.memory of the container)" \
	"... says so, and starts no stage"
is "kpipe: fatal: $(<"$D/last")" "$(<"$D/stderr")" \
	"... also to the termination log"
BESIDE="kelect kpipe-http"
fresh
limited $((13 << 20)) --leader-elect --health-probe-bind-address :0
ends 100 "more tools need more"
ok "... says how much" logged 'below the 14 MiB'
BESIDE="krecord kview"
fresh
limited $((13 << 20)) --view-bind-address 127.0.0.1:0 \
	--otlp-endpoint http://127.0.0.1:1
ends 100 "those that listen to krecord, too"
ok "... says how much" logged 'below the 16 MiB'
BESIDE=

done_testing
