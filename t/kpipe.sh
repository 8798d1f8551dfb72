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
directories=0
fresh() {
	local all=$T/stages.${BESIDE// /.} stage

	[ -d "$all" ] || {
		mkdir "$all"
		for stage in $STAGES $BESIDE; do
			cp t/stub/stage "$all/$stage"
		done
		: >"$all/log"
		mkfifo "$all/never"
	}
	directories=$((directories + 1))
	D=$T/d.$directories
	cp -r "$all" "$D"
	export KPIPE_LIBEXEC=$D
}

# variables 'NAME|...' STAGE: NAME=VALUE of those in its environment, or in that of
# each ('*')
variables() {
	# shellcheck disable=SC2086
	sed -nE "s/^export ($1)=['\"](.*)['\"]\$/\1=\2/p" "$D"/$2.env
}

# fds STAGE: its descriptors
fds() {
	# shellcheck disable=SC2046
	echo $(<"$D/$1.fds")
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
		starts_of "$stage" "$1" || return
	done
}

# starts_of STAGE N: that one. Another that is killed with it may not have
# written its line.
starts_of() {
	local name what n=0

	while read -r name _ what; do
		[ "$name $what" != "$1 start" ] || n=$((n + 1))
	done <"$D/log"
	[ "$n" -ge "$2" ]
}

# pid_of NAME: the pid of the newest one.
pid_of() {
	local name pid what newest=

	while read -r name pid what; do
		[ "$name $what" != "$1 start" ] || newest=$pid
	done <"$D/log"
	echo "$newest"
}

gone() {
	! kill -0 "$1" 2>/dev/null
}

none_left() {
	local pid what

	while read -r _ pid what; do
		[ "$what" != start ] || gone "$pid" || return
	done <"$D/log"
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
