#!/bin/bash
# Schedules that have shown a bug, of an operator, a tool or the judgement:
# nothing is wrong now (doc/torture.md, "The five operators").
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL

while read -r operator scenario fault; do
	runs 0 "$operator: $scenario, $fault" \
		ktorture -f "pipeline/$operator/watches.yaml" --seed=1 \
		--scenario="$scenario" --fault="$fault"
	ok "... it happened" grep -qx -e "\*\*\* $fault" "$T/out"
done <<'END'
at life watch-lost:25000@kwatch/watch/pods!2
at life watch-away:25000@kwatch/watch/pods!2
at life disown@kapply/patch/pods/default/example#2
at again restore@kapply/patch/pods/default/example
at lose-0 restore@kapply/patch/pods/default/example
cronjob life suspend:600-after@kwatch/watch/jobs.batch
memcached again starve:kstatus@kapply/patch/deployments.apps/default/example
at two delete-after@kapply/patch/ats.at.example.com/default/example
at soon restore@kapply/patch/ats.at.example.com/default/a#2
cronjob change-6 delete-after@kapply/patch/jobs.batch/default/example-1767225720
cronjob change-1 jump:-3600@kstatus/patch/cronjobs.batch.tutorial.kubebuilder.io:status/default/example#4
iotservice status 404-while:40000@kapply/get/secrets/default/kpipe-marks-iotservice.cp.iot.sap#3
memcached status usurp-after@kapply/patch/deployments.apps/default/example
memcached t/torture/fight.scenario watch-twice@kwatch/watch/pods!1
cronjob t/torture/restored.scenario restore-after@kstatus/patch/cronjobs.batch.tutorial.kubebuilder.io:status/default/example#9
memcached invalid delay:20000@kapply/patch/deployments.apps/default/example#2
END
done_testing
