#!/bin/bash
# ktorture: what an operator does while it is not told of a change for long, or
# never.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

# plays FOLDER SCENARIO FAULT WHAT
plays() {
	runs 0 "$4: $3" ktorture -f "$1/watches.yaml" --seed=7 --scenario="$2" \
		--fault="$3"
	is "$(tail -n 1 "$T/out")" "Nothing is wrong." "... nothing is wrong"
	ok "... the fault took place" grep -q '^\*\*\*' "$T/out"
}

primaries=kwatch/watch/memcacheds.cache.example.com
for fault in "watch-lost:25000@$primaries!6" "watch-hang@$primaries!7"; do
	plays pipeline/memcached life "$fault" "a primary that is gone"
	ok "... the operator looks" grep -q "kapply GET .*/memcacheds/example: 404" \
		"$T/out"
done

# Its Pod has a finalizer of its own, which the operator drops.
fault=watch-hold:40000@kwatch/watch/pods!2
plays pipeline/at gone "$fault" "a Pod that is not seen when its At is deleted"
# Until the watch has ended, after minutes: then it goes, and its At.
plays pipeline/at gone "watch-hang@kwatch/watch/pods!2" "... or never"
done_testing
