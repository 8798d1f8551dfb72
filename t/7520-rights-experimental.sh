#!/bin/bash
# The rights that kgen gives the experimental operator: with all of them nothing is
# refused, and each is used; without one, a tool names it. (Those of kelect and
# kpipe-http are tried with memcached.)
# servers: kapi real
# check-all: more of the pipelines
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=rights.sh
. "${0%/*}/rights.sh"

rights_cluster experimental
rights_sweep '.stage | . == "kwatch" or . == "kapply" or . == "kstatus"'

done_testing
