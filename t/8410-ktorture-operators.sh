#!/bin/bash
# ktorture plays operators of pipeline/: a few schedules of all scenarios, and
# every one ends well. SEED=N repeats a run; COUNT=N: so many; OPERATORS: those.
# check-all: long faults
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
: "${SEED:=1}" "${COUNT:=60}" "${OPERATORS:=memcached}"

for name in $OPERATORS; do
	runs 0 "$name" ktorture -f "pipeline/$name/watches.yaml" --seed="$SEED" \
		--schedules="$COUNT" || quote <"$T/out"
	is "$(tail -n 1 "$T/out" | sed 's/, in.*;/;/')" \
		"$COUNT schedules, 0 failed; seed $SEED" "... all of them"
done
done_testing
