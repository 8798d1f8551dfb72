# shellcheck shell=bash
# What tests of kapi share: one server, asked by curl.
#
#	. "${0%/*}/lib.sh"
#	. "${0%/*}/kapi.sh"
#	kapi_up --journal "$T/journal"	# its URL is in $url, its pid in $kapi
#	ask GET /version		# the body; the status is in $T/code
#	kapi_down

kapi_up() {
	local config

	[ ! -e "$T/kubeconfig" ] || rm "$T/kubeconfig"
	start kapi --kubeconfig-out "$T/kubeconfig" "$@" 2>"$T/kapi.err"
	kapi=$!
	wait_for 10 test -s "$T/kubeconfig" || cat "$T/kapi.err"
	config=$(<"$T/kubeconfig")
	[[ $config =~ server:\ *([^[:space:]]+) ]]
	url=${BASH_REMATCH[1]-}
	[[ $config =~ certificate-authority-data:\ *([^[:space:]]*) ]]
	base64 -d <<<"${BASH_REMATCH[1]-}" >"$T/ca.pem"
}

# kapi_down [WHAT]: sends SIGTERM: kapi saves and ends with 0.
kapi_down() {
	kill "$kapi"
	wait "$kapi"
	is "$?" 0 "${1:-kapi ends}"
}

# ask METHOD PATH [BODY [TYPE [CURL-OPTION...]]]: prints the answer's body, on
# one line if it is JSON.
ask() {
	local method=$1 path=$2 body=${3-} type=${4:-application/json}

	shift $(($# < 4 ? $# : 4))
	: >"$T/answer"
	curl -sS --max-time 20 -A test --cacert "$T/ca.pem" -X "$method" -o "$T/answer" \
		-D "$T/headers" -w '%{http_code}\n' \
		${body:+-H "Content-Type: $type" --data-binary "$body"} "$@" \
		"$url$path" >"$T/code" 2>"$T/curl.err" ||
		echo "curl: $(sed 's/^curl: //' "$T/curl.err")"
	[ /dev/stdout -ef /dev/null ] || jq -c . "$T/answer" 2>/dev/null ||
		cat "$T/answer"
}

code() {
	echo "$(<"$T/code")"
}

# config_map NAME [VALUE]
config_map() {
	echo "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":\
{\"name\":\"$1\"},\"data\":{\"k\":\"${2:-v}\"}}"
}
