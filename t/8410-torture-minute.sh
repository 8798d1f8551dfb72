#!/bin/bash
# ktorture: a minute of memcached's life under faults, with another seed each time. A
# failure ends with the command that repeats it; what it shows becomes a test.
# check-all: long faults
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"

seed=${SEED:-$RANDOM}
echo "# make torture OPERATOR=memcached SEED=$seed"
runs 0 "a minute with seed $seed" make -s torture OPERATOR=memcached \
	"SEED=$seed" SECONDS=60 ARGS=--scenario=life
cat "$T/out"
ok "... of many schedules" test "$(sed -n 's/ schedules, .*//p' "$T/out" |
	tail -n 1)" -gt 50
done_testing
