# shellcheck shell=bash
# A Prometheus that scrapes what a test serves. After t/lib.sh:
#
#	prometheus_needed	# else the test is skipped
#	cat >"$T/prometheus.yml"
#	prometheus_up [OPTION]...	# its pid is in $prometheus
#	prometheus_api query --data-urlencode query=up	# the answer
#	prometheus_down

prometheus_needed() {
	command -v prometheus >/dev/null || skip_all "there is no prometheus"
}

# It keeps no descriptor of the test, such as the pipe to what it scrapes.
prometheus_up() {
	start prometheus --config.file="$T/prometheus.yml" \
		--storage.tsdb.path="$T/prometheus" "$@" \
		--web.listen-address=127.0.0.1:0 2>"$T/prometheus.err" 8>&-
	prometheus=$!
	wait_for 30 prometheus_listens || quote <"$T/prometheus.err"
}

prometheus_listens() {
	prometheus_address=$(sed -n \
		's/.*Listening on.*\(127\.0\.0\.1:[0-9]*\).*/\1/p' \
		"$T/prometheus.err")
	[ -n "$prometheus_address" ]
}

prometheus_api() {
	local path=$1

	shift
	curl -sSG -m 20 "http://$prometheus_address/api/v1/$path" "$@"
}

prometheus_down() {
	kill "$prometheus"
	wait "$prometheus"
}

# prometheus_value PROMQL: of the first series
prometheus_value() {
	prometheus_api query --data-urlencode "query=$1" |
		jq -r '.data.result[0].value[1]'
}

# says PROMQL VALUE: for this moment. When a scrape has failed, because it took
# too long, there is no value until the next one.
says() {
	[ "$(prometheus_value "$1")" = "$2" ]
}
