# shellcheck shell=bash disable=SC2034,SC2154
# Each call of a tool fails in turn (stub/fail.c). After t/lib.sh:
#
#	attempt() { runs the tool once, by $tool, which sets $code, $T/out, $T/err }
#	right() { whether that is what a run without a fault gives, if code is 0 }
#	below NAME CALL:ERROR[:ever]...
#
# Each fault is first counted, then each of the calls fails that it could be,
# once or, with "ever", like all behind it. After each the tool has done its work,
# or has ended with a code of its manual and a message that names the cause.
# What may pass (transient, below) it has survived. $turn is the number of the
# attempt, and $again has those that ended with a message.
#
# In `make check` one fault in three (or in $few), at the first call and a few that are far
# between, always the same. BELOW=all: all, at the first 40 calls ($first)
# and then at some that SEED moves, 15 % between them ($growth).

. "${BASH_SOURCE[0]%/*}/preload.sh"
preload fail
case ${BELOW:-few} in
all) below_first=${first:-40} below_growth=${growth:-15} below_one_in=1 SEED=${SEED:-$RANDOM} ;;
*) below_first=1 below_growth=3000 below_one_in=${few:-3} SEED=${SEED:-1} ;;
esac
note "SEED=$SEED"
turn=0 again=() below_turn=$SEED

# What a tool survives if it happens once.
transient=" EINTR EAGAIN ECONNRESET ECONNREFUSED ETIMEDOUT ENETUNREACH ECONNABORTED "
# What a message says of each.
declare -A cause=([ENOMEM]="[Mm]emory|allocate" [ENFILE]="Too many open files"
	[EMFILE]="Too many open files|descriptor" [EPIPE]="Broken pipe|reader"
	[ENOSPC]="No space left" [EIO]="Input/output error"
	[EAGAIN]="Resource temporarily unavailable"
	[ECONNRESET]="reset|connect|Recv failure|Send failure"
	[ECONNREFUSED]="refused|connect" [ETIMEDOUT]="timed out|connect"
	[ENETUNREACH]="unreachable|connect" [ENOBUFS]="No buffer space|connect"
	[EADDRNOTAVAIL]="Cannot assign|connect"
	[ECONNABORTED]=abort)

# below_fault CALL ERROR NUMBER [ever]: what stands before a tool, in $tool
below_fault() {
	printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >"$T/page"
	tool=("${preloaded[@]}" "FAIL_CALL=$1" "FAIL_ERROR=$2" "FAIL_AT=$3"
		"FAIL_PAGE=$T/page" ${4:+FAIL_EVER=1} ${below_in:+"FAIL_IN=$below_in"})
	turn=$((turn + 1))
}

# What the page says: calls so far, and those that failed
below_page() {
	read -r calls failures < <(od -An -v -tu8 -w16 "$T/page")
}

# whole FILE: it ends with a line
whole() {
	[ ! -s "$1" ] || [ -z "$(tail -c 1 "$1")" ]
}

# below_judge ERROR [ever]: prints what is wrong
below_judge() {
	case $code in
	0)
		right || echo "0, but the result is wrong"
		;;
	1 | 100 | 111)
		if [ -z "${2:-}" ] && [ "$call" != fork ] &&
			[[ $transient == *" $1 "* ]]; then
			echo "$code for what has passed: $(tail -n 1 "$T/err")"
		elif ! grep -Eq "${cause[$1]}" "$T/err"; then
			echo "$code, without the cause: $(tail -n 1 "$T/err")"
		fi
		;;
	137) echo "hangs: $(tail -n 1 "$T/err")" ;;
	*) echo "$code: $(tail -n 1 "$T/err")" ;;
	esac
	whole "$T/out" || echo "$code and half a line"
	whole "$T/err" || echo "$code and half a message"
}

# below NAME FAULT...
below() {
	local name=$1 fault call error ever calls failures all n wrong said

	shift
	for fault; do
		((below_turn++ % below_one_in == 0)) || continue
		IFS=: read -r call error ever <<<"$fault"
		below_fault "$call" "$error" 0
		attempt
		below_page
		all=$calls wrong='' n=0
		if [ "$code" -ne 0 ] || ! right; then
			tap 1 "$name: works without a fault"
			quote <"$T/err"
			continue
		fi
		while below_next; do
			below_fault "$call" "$error" "$n" "$ever"
			attempt
			below_page
			[ "$failures" -gt 0 ] || continue
			said=$(below_judge "$error" "$ever")
			[ "$code" -eq 0 ] || again+=("$turn")
			[ -z "$said" ] || wrong+="$n: $said"$'\n'
		done
		is "$wrong" "" "$name: ${ever:+ever }$error of $all calls: $call"
	done
}

# The next n up to $all, or 1
below_next() {
	n=$((n < below_first ? n + 1
		: n + 1 + n * below_growth / 100 + SEED % (n / 4 + 1)))
	[ "$n" -le "$all" ]
}

# limited COMMAND...: for an attempt: 137 if it hangs
limited() {
	timeout -s KILL "$(patience 60)" "$@"
}
