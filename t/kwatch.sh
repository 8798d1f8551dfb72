# shellcheck shell=bash
# What the tests of kwatch against a scripted server share.
#
#	. "${0%/*}/lib.sh"
#	. "${0%/*}/kwatch.sh"
#	serve '{"pods": {"initial": [...]}}'	# t/server/fake-api says how
#	watch pods -A; lines 4			# until stdout has 4 lines
#	seen "ADDED a
#	..." "what is seen"; requests "..." "what was asked for"

server=

# pod NAME UID VERSION: one object
pod() {
	printf '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s","namespace":"s","uid":"%s","resourceVersion":"%s"}}' "$@"
}

# ev TYPE NAME UID VERSION: one frame
ev() {
	printf '{"type":"%s","object":%s}' "$1" "$(pod "$2" "$3" "$4")"
}

# mark VERSION [end]: a bookmark, or the one that ends the initial state
mark() {
	printf '{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"%s"%s}}}' \
		"$1" "${2:+,\"annotations\":{\"k8s.io/initial-events-end\":\"true\"\}}"
}

# status CODE REASON MESSAGE: a Status object
status() {
	printf '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"%s","reason":"%s","code":%s}' "$3" "$2" "$1"
}

# serve SCRIPT [PORT]: the server begins again with it, or a new one if that is
# gone; its address is in $url
serve() {
	: >"$T/port"
	printf '%s' "$1" >"$T/script"
	if is_child "$server"; then
		kill -HUP "$server"
	else
		start t/server/fake-api "$T/script" "$T/port" "$T/requests" \
			${2:+"$2"}
		server=$!
		disown "$server"
	fi
	wait_for 10 test -s "$T/port" || exit 1
	url=http://127.0.0.1:$(<"$T/port")
}

# watch ARGUMENT...: kwatch in the background, until `seen`
watch() {
	: >"$T/out"
	: >"$T/err"
	start kwatch --server "$url" "$@" >"$T/out" 2>"$T/err"
	watcher=$!
}

has_lines() {
	local got

	mapfile -t got <"$T/$2"
	[ ${#got[@]} -ge "$1" ]
}

# lines N [err]: waits for so many
lines() {
	wait_for 20 has_lines "$1" "${2:-out}"
}

# Lines as "TYPE NAME UID VERSION", bookmarks as begin, absent and end.
short() {
	jq -r '.object.metadata as $m | $m.annotations as $a |
		if .type == "BOOKMARK" then
			if $a["kpipe.dev/initial-events-begin"] then "begin"
			elif $a["kpipe.dev/absent"] then "absent"
			else "end" end + " " + .object.kind
		else "\(.type) \($m.name) \($m.uid) \($m.resourceVersion // "-")" +
			if $a["kpipe.dev/synthetic"] then " synthetic" else "" end
		end'
}

# stop CODE: ends the watch, which exits so
stop() {
	local got

	kill "$watcher" 2>/dev/null
	wait "$watcher"
	got=$?
	[ "$got" = "$1" ] || flaw "kwatch exited $got, not $1"
}

# seen TEXT WHAT: ends the watch and compares its output
seen() {
	stop 0
	is "$(short <"$T/out")" "$1" "$2"
}

# requests TEXT WHAT: compares the requests, in order
requests() {
	is "$(<"$T/requests")" "$1" "$2"
}
