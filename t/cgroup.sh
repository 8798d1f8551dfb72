# shellcheck shell=bash
# A memory cgroup of its own for kpipe. After t/lib.sh:
#
#	cgroup_up			# or skips the test
#	cgroup_run 16M -f watches.yaml	# kpipe; its pid in $kpipe, its log
#					# in $T/kpipe.err
#	cgroup_empty			# whether all its processes are gone
#	cgroup_mib now|peak

cgroup_up() {
	if grep -q '^[0-9]*:memory:' /proc/self/cgroup; then # version 1
		cgroup=/sys/fs/cgroup/memory/kpipe-test-$$
		limit=memory.limit_in_bytes no_limit=-1
	else
		cgroup=/sys/fs/cgroup/kpipe-test-$$
		limit=memory.max no_limit=max
	fi
	mkdir "$cgroup" 2>"$T/err" || skip_all "no cgroup: $(<"$T/err")"
	[ -e "$cgroup/$limit" ] || {
		rmdir "$cgroup"
		skip_all "no memory controller"
	}
	trap 'cgroup_down; cleanup' EXIT
}

cgroup_down() {
	local pid

	while read -r pid; do
		kill -9 "$pid"
	done <"$cgroup/cgroup.procs"
	comes 10 rmdir "$cgroup"
}

# cgroup_run LIMIT|max [OPTION]...
cgroup_run() {
	: >"$T/kpipe.err"
	echo "${1/max/$no_limit}" >"$cgroup/$limit"
	shift
	# A new peak.
	[ ! -e "$cgroup/memory.force_empty" ] ||
		echo 0 >"$cgroup/memory.force_empty"
	[ ! -e "$cgroup/memory.max_usage_in_bytes" ] ||
		echo 0 >"$cgroup/memory.max_usage_in_bytes"
	start bash -c 'echo "$BASHPID" >"$1/cgroup.procs"
		err=$2
		shift 2
		exec kpipe "$@" 2>"$err"' - "$cgroup" "$T/kpipe.err" "$@"
	# shellcheck disable=SC2034 # of the test
	kpipe=$!
}

cgroup_empty() {
	[ -z "$(<"$cgroup/cgroup.procs")" ]
}

cgroup_mib() {
	local file

	case $1 in
	now) file=memory.usage_in_bytes ;;
	*) file=memory.max_usage_in_bytes ;;
	esac
	[ -e "$cgroup/$file" ] || { # version 2
		file=memory.current
		[ "$1" = now ] || file=memory.peak
	}
	echo $((($(<"$cgroup/$file") + 1048575) >> 20))
}
