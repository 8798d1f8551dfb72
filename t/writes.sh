# shellcheck shell=bash disable=SC2034
# What the tests of kapply and kstatus against a scripted server share.
#
#	. "${0%/*}/lib.sh"
#	. "${0%/*}/writes.sh"
#	serve '{"PATCH /api/...": [{"code": 429}]}'	# t/server/fake-writes
#	set_line ITEMS RECONCILE; cm NAME VALUE		# pieces of lines
#	requests					# METHOD NAME of each
#	kapply --timeout=1s < <(in_until requested 2)	# ... of which two came

server=

# serve SCRIPT: a new server; its address is in $url
serve() {
	rm -f "$T/port"
	printf '%s' "$1" >"$T/script"
	if [ -n "$server" ] && is_child "$server"; then
		kill -HUP "$server"
		kill -CONT "$server"
	else
		start t/server/fake-writes "$T/script" "$T/port" "$T/requests"
		server=$!
		disown "$server"
	fi
	wait_for 10 test -s "$T/port" || exit 1
	: >"$T/requests"
	url=http://127.0.0.1:$(cat "$T/port")
}

# given NAME: a server that answers as the first line of t/cases/NNNN/NAME.jsonl
# says, where NNNN is the number of the test; the other lines go to $T/in.
given() {
	local number=${0##*/}
	local file=t/cases/${number%%-*}/$1.jsonl

	serve "$(head -n 1 "$file")"
	tail -n +2 "$file" >"$T/in"
}

# requests: METHOD and last part of the path, in the order of arrival. Events
# come beside them, at any time.
requests() {
	sed -E '/\/events/d;s,^([A-Z]+) [^ ]*/([^/ ]+)( .*)?$,\1 \2,' "$T/requests"
}

# requested N: whether at least so many have arrived
requested() {
	[ "$(grep -vc /events "$T/requests")" -ge "$1" ]
}

# in_until COMMAND...: the lines of $T/in, which end when that succeeds, for with
# their end the time of --timeout begins
in_until() {
	cat "$T/in"
	comes "$(patience 60)" "$@"
}

CMS=/api/v1/namespaces/default/configmaps
THINGS=/apis/example.com/v1/namespaces/default/things

# cm NAME VALUE: a ConfigMap of the primary
cm() {
	printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s","namespace":"default"},"data":{"k":"%s"}}' "$@"
}

# set_line ITEMS [MEMBERS]: a line of the Thing t
set_line() {
	printf '{"apiVersion":"v1","kind":"List","items":[%s],"reconcile":{"primary":{"apiVersion":"example.com/v1","kind":"Thing","namespace":"default","name":"%s","uid":"u1","resourceVersion":"5"},"manager":"kpipe-thing.example.com"%s}}\n' \
		"$1" "${3:-t}" "${2:+,$2}"
}

# failure CODE REASON MESSAGE [MORE]: an answer
failure() {
	printf '{"code":%s,"body":{"kind":"Status","status":"Failure","code":%s,"reason":"%s","message":"%s"%s}}' \
		"$1" "$1" "$2" "$3" "${4:-}"
}

# wrote PHASE: the status line of the Thing t
wrote() {
	printf '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"namespace":"default","name":"t","uid":"u1"},"status":%s}' "$1"
}
