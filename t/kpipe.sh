# shellcheck shell=bash
# What tests of kpipe with stages that do nothing (stub/stage) share. After
# t/lib.sh:
#
#	fresh			# stages in a new directory, $D
#	touch "$D/kapply.deaf"	# one of them behaves so
#	begin --leader-elect	# kpipe, its pid in $kpipe
#	up --leader-elect	# the same, and it is ready
#	stops			# told to, kpipe ends with 0
#	ends 100 "..."		# kpipe ends with 100

STAGES="kwatch ireconcile kapply kstatus"
BESIDE=${BESIDE:-} # other tools that kpipe may start
cat >"$T/watches.yaml" <<'EOF'
- group: example.com
  version: v1
  kind: Thing
  program: program.jq
  operator: {image: "${THING_IMAGE}"}
EOF
echo 'def desired: []; def status: {};' >"$T/program.jq"

# fresh: a new directory of stages, $D.
fresh() {
	local stage

	D=$(mktemp -d "$T/d.XXXXXX")
	for stage in $STAGES $BESIDE; do
		cp t/stub/stage "$D/$stage"
	done
	: >"$D/log"
	export KPIPE_LIBEXEC=$D
}

# begin [OPTION]...: kpipe in the background, its pid in $kpipe.
begin() {
	start kpipe -f "$T/watches.yaml" --report-fd=9 "$@" \
		9>"$D/ready" >"$D/stdout" 2>"$D/stderr"
	kpipe=$!
}

up() {
	begin "$@"
	wait_for 30 ready
}

# begun: kpipe runs, not the shell that becomes it, which may forget a signal.
begun() {
	[ "$(readlink "/proc/$kpipe/exe")" = "$BIN/kpipe" ] || gone "$kpipe"
}

# end_after SECONDS: SIGTERM, so long after kpipe has begun.
end_after() {
	wait_for 30 begun
	sleep "$1"
	kill -TERM "$kpipe"
}

ready() {
	[ -s "$D/ready" ]
}

# starts N: whether all stages were started N times.
starts() {
	local stage

	for stage in $STAGES; do
		[ "$(grep -c "^$stage .* start" "$D/log")" -ge "$1" ] || return
	done
}

# starts_of STAGE N: that one. Another that is killed with it may not have
# written its line.
starts_of() {
	[ "$(grep -c "^$1 .* start" "$D/log")" -ge "$2" ]
}

# pid_of NAME: the pid of the newest one.
pid_of() {
	sed -n "s/^$1 \([0-9]*\) start/\1/p" "$D/log" | tail -n 1
}

gone() {
	! kill -0 "$1" 2>/dev/null
}

none_left() {
	local pid

	sed -n 's/^.* \([0-9]*\) start/\1/p' "$D/log" | while read -r pid; do
		gone "$pid" || return
	done
}

# ends CODE WHAT: kpipe ends with this code.
ends() {
	local got

	wait_for 30 gone "$kpipe" || kill -9 "$kpipe"
	wait "$kpipe" 2>/dev/null
	got=$?
	is "$got" "$1" "$2"
}

# stops [WHAT]: kpipe, which is told to end, with 0.
stops() {
	kill -TERM "$kpipe"
	ends 0 "${1:-... and ends}"
}

# logged PATTERN
logged() {
	grep -q -- "$1" "$D/stderr"
}

# readies N: it was ready so often, and has said so.
readies() {
	[ "$(grep -c 'kpipe: ready$' "$D/stderr")" -ge "$1" ]
}

# pid numbers and times differ from run to run. A stage beside one that ends may
# meet the closed pipe before it is killed.
said() {
	besides_work "$D/stderr" | sed -e 's/(pid [0-9]*)/(pid N)/' \
		-e 's/in [0-9.]* s$/in N s/'
}
