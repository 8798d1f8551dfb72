#!/bin/bash
# The rights that kgen gives the memcached operator: with all of them nothing is
# refused, and each is used; without one, a tool names it.
# servers: kapi real
# check-all: more of the pipelines
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=rights.sh
. "${0%/*}/rights.sh"

rights_cluster memcached
rights_sweep true

done_testing
