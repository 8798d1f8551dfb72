# shellcheck shell=bash
# What the processes of an operator use, as Linux counts it in /proc.
#
#	. "${0%/*}/processes.sh"
#	kpipe=$!			# of `start kpipe ...`
#	cpu_by_stage "$kpipe"		# "kwatch 12.3" and so on, in ms

# below PID: it and all its descendants
below() {
	local child children

	echo "$1"
	read -ra children <"/proc/$1/task/$1/children"
	for child in "${children[@]}"; do
		below "$child"
	done
}

# child PID NAME: the pids of its children of that name
child() {
	local name pid

	for pid in $(<"/proc/$1/task/$1/children"); do
		read -r name <"/proc/$pid/comm"
		[ "$name" != "$2" ] || echo "$pid"
	done 2>/dev/null
}

# stages KPIPE: "PID NAME" of each process, NAME being that of its stage: a
# process that ireconcile has forked is ireconcile.
stages() {
	local child children pid

	echo "$1 kpipe"
	read -ra children <"/proc/$1/task/$1/children"
	for child in "${children[@]}"; do
		for pid in $(below "$child"); do
			echo "$pid $(<"/proc/$child/comm")"
		done
	done
}

# cpu_of PID: CPU time of its threads so far, and of its children that have
# ended, in ms. That of threads is exact, that of children in steps of 10 ms.
cpu_of() {
	{
		cat "/proc/$1/task/"*/schedstat
		sed 's/.*)//' "/proc/$1/stat"
	} | awk -v tick="$(getconf CLK_TCK)" 'NF == 3 { ms += $1 / 1e6; next }
		{ ms += ($14 + $15) * 1000 / tick } END { printf "%.3f\n", ms }'
}

# cpu_by_stage KPIPE: "NAME MS" of each stage, in the order of their names
cpu_by_stage() {
	local pid name

	stages "$1" | while read -r pid name; do
		echo "$name $(cpu_of "$pid")"
	done | awk '{ ms[$1] += $2 }
		END { for (name in ms) printf "%s %.3f\n", name, ms[name] }' | sort
}

# memory_of PID...: "PRIVATE PSS" of all of them together, in MiB
memory_of() {
	local pid

	for pid in "$@"; do
		cat "/proc/$pid/smaps_rollup"
	done | awk '/^Private_/ { private += $2 } /^Pss:/ { pss += $2 }
		END { printf "%.1f %.1f\n", private / 1024, pss / 1024 }'
}

# switches_of PID: how often its threads have slept, and how often another
# process took their place
switches_of() {
	cat "/proc/$1/task/"*/status | awk '
		$1 == "voluntary_ctxt_switches:" { slept += $2 }
		$1 == "nonvoluntary_ctxt_switches:" { forced += $2 }
		END { print slept, forced }'
}
