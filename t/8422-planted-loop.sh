#!/bin/bash
# A tool that never rests: time, which moves only while all rest, would stand for
# ever. The operator is killed then, and that is reported. Such a tool is made of
# a bug of t/torture/bugs, which t/torture/plant plants.
# check-all: long faults
TEST_SECONDS=900
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL

fault=stop:instance:60-after@kstatus/patch/memcacheds.cache.example.com:status/default/example#3
runs 0 "a fence without a time" t/torture/plant --seconds=20 --seed=7 \
	fence-has-no-time -- --scenario=pair --fault="$fault"
ok "... is found" grep -q '^found  *fence-has-no-time ' "$T/out"
runs 1 "... which has it still" env OPERATOR_NAME=default \
	build/planted/bin/ktorture -f pipeline/memcached/watches.yaml --seed=7 \
	--scenario=pair --fault="$fault"
ok "... as a loop" grep -q '^  requests: a hot loop: a process of it computes' \
	"$T/out"
done_testing
