#!/bin/bash
# Each call of the filters fails in turn (below.sh): of what needs no server.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=below.sh
. "${0%/*}/below.sh"

memcached=pipeline/memcached
head -n 12 $memcached/t/life.jsonl >"$T/life"
primary=$(jq -r 'select(.object.kind == "Memcached" and .object.metadata.name)
	| "Memcached \(.object.metadata | .namespace + "/" + .name)"' \
	"$T/life" | head -n 1)
echo secret >"$T/key"

# The filter is in $filter; it prints what it printed at first.
attempt() {
	# shellcheck disable=SC2086
	limited "${tool[@]}" $filter <"$T/life" >"$T/out" 2>"$T/err"
	code=$?
}
# Without a key each run has digests of its own.
masked() {
	sed -E 's/redacted-[0-9a-f]{30}/redacted/g' "$1"
}
right() {
	cmp -s <(masked "$T/out") <(masked "$T/want")
}

# filter NAME COMMAND FAULT...
filter() {
	filter=$2
	# shellcheck disable=SC2086
	$filter <"$T/life" >"$T/want" 2>"$T/err" || quote <"$T/err"
	[ -s "$T/want" ] || [[ $2 == *--against* ]] ||
		flaw "$1 prints nothing"
	below "$1" "${@:3}"
}

files="memory:ENOMEM memory:ENOMEM:ever map:ENOMEM
	read:EINTR read:EIO write:EINTR write:ENOSPC open:EMFILE open:ENFILE:ever"
loops="$files epoll:ENOMEM wait:EINTR pipe:EMFILE pipe:EMFILE:ever"
# shellcheck disable=SC2086
{
	filter ireconcile "ireconcile -f $memcached/watches.yaml --clock=input" \
		$loops fork:EAGAIN fork:EAGAIN:ever
	filter "ireconcile --against" "ireconcile -f $memcached/watches.yaml
		--against=$memcached/watches.yaml --clock=input" $files
	filter kwhy "kwhy $primary" $files
	filter "kgen rights" "kgen rights -f $memcached" $files
	filter "krecord redact" "krecord redact -f $memcached/watches.yaml" $files
	filter "krecord stat" "krecord stat" $files
	filter kview kview $files
}
done_testing
