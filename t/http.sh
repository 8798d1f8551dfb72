# shellcheck shell=bash
# What tests of kpipe-http share: one server, fed with lines, asked by curl.
#
#	. "${0%/*}/lib.sh"
#	. "${0%/*}/http.sh"
#	http_up OPTION...	# its pid is in $http
#	tell running		# a state line; or any line
#	get /readyz [CURL-OPTION...]	# the body; status and type in $T/http.code
#	http_down 0 WHAT	# the end of its input

# The addresses of the last http_up: HOST:PORT in $probes and $metrics.
http_up() {
	rm -f "$T/lines"
	: >"$T/http.err" # do not find the addresses of the former one
	mkfifo "$T/lines"
	start http_run "$@"
	http=$!
	exec 8>"$T/lines"
	wait_for 10 grep -q ' at .*:' "$T/http.err" || quote <"$T/http.err"
	# Where there are two, the probes come last.
	case $* in
	*--health*--metrics* | *--metrics*--health*)
		wait_for 10 grep -q 'probes.* at' "$T/http.err"
		;;
	esac
	probes=$(sed -n 's/.*probes.* at //p' "$T/http.err")
	metrics=$(sed -n 's/.*metrics at //p' "$T/http.err")
}

http_down() {
	exec 8>&-
	wait "$http"
	is "$?" "$1" "$2"
}

# Opens the pipe in the process itself: that waits for the other end.
http_run() {
	trap - EXIT
	exec kpipe-http "$@" <"$T/lines" 2>"$T/http.err"
}

# things_operator [OPTION]...: kpipe with $T/watches.yaml, which leads and serves
# both; its pid is in $kpipe
things_operator() {
	start kpipe -f "$T/watches.yaml" -A --metrics-bind-address 127.0.0.1:0 \
		--leader-elect --leader-election-id things \
		--leader-election-namespace default \
		--health-probe-bind-address 127.0.0.1:0 "$@" 2>"$T/http.err"
	# shellcheck disable=SC2034 # of the test
	kpipe=$!
	wait_for 20 grep -q 'probes.* at' "$T/http.err"
	probes=$(sed -n 's/.*probes.* at //p' "$T/http.err")
	metrics=$(sed -n 's/.*metrics at //p' "$T/http.err")
	ok "an operator is ready" wait_for 20 is_ready
}

is_ready() {
	[ "$(get /readyz)" = ok ]
}

# state PHASE [JQ-FILTER]: a state line of four stages, changed by the filter.
state() {
	jq -nc --arg phase "$1" '{tool: "kpipe", phase: $phase, stages: (
		["kwatch", "ireconcile", "kapply", "kstatus"]
		| map({key: ., value: {running: true, ready: true, starts: 1}})
		| from_entries)} | '"${2:-.}"
}

# tell LINE...: writes lines to the pipe. A later request sees their effect:
# they are in the pipe before it is in the socket.
tell() {
	printf '%s\n' "$@" >&8
}

# get PATH [CURL-OPTION...]
get() {
	local path=$1 address=$probes

	shift
	[ "$path" != /metrics ] || address=$metrics
	: >"$T/answer"
	curl -sS -m 20 -o "$T/answer" -w '%{http_code} %{content_type}\n' "$@" \
		"${scheme:-http}://$address$path" >"$T/http.code" 2>"$T/curl.err" ||
		echo "curl: $(<"$T/curl.err")"
	cat "$T/answer"
}

http_code() {
	cut -d' ' -f1 "$T/http.code"
}
