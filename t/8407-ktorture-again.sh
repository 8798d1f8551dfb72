#!/bin/bash
# ktorture: what a user does again behind a fault, so that the end is the same.
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL

# plays WHAT OPERATOR SCENARIO FAULT
plays() {
	runs 0 "$1" ktorture -f "pipeline/$2/watches.yaml" --seed=1 \
		--scenario="$3" --fault="$4"
	ok "... it happened" grep -qx -e "\*\*\* $4" "$T/out"
}

plays "a server that is restored while steps are at once behind another" \
	cronjob rush 'restore-after@kapply/delete/jobs.batch/default/example-1767225720'
plays "... and that has Secrets" iotservice life \
	'restore-after@kapply/patch/services/default-example/gateway-mqtt-example'
plays "a primary that is being deleted is deleted once more" at life \
	'delete@kapply/patch/ats.at.example.com/default/example#2'
done_testing
