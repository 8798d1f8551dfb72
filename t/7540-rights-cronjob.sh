#!/bin/bash
# The rights that kgen gives the cronjob operator: with all of them nothing is
# refused, and each is used; without one, a tool names it. (Those of kelect and
# kpipe-http are tried with memcached.)
# servers: kapi real
# check-all: more of the pipelines
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=rights.sh
. "${0%/*}/rights.sh"

# shellcheck disable=SC2034
rights_spec='.spec.schedule = "@every 1s" | .spec.concurrencyPolicy = "Forbid"'
rights_cluster cronjob
rights_sweep '.stage | . == "kwatch" or . == "kapply" or . == "kstatus"'

done_testing
