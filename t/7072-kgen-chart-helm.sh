#!/bin/bash
# kgen new --from-chart: the objects of helm template itself, for the chart whose
# objects 7071 has saved: those are Helm's.
# check-all: Helm needs Go
# shellcheck source=lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=helm/lib.sh
. "${0%/*}/helm/lib.sh"
helm_start

runs 0 "the objects of Helm" t/chart/compare --save "$T" t/chart/web t/chart/web/ci
quote <"$T/out"
is "$(grep -c ^ok "$T/out")" 6 "... all are equal"
for set in t/chart/web.out/*.json; do
	same "$set" "$T/${set##*/}" "${set##*/} is saved as Helm makes it"
done
done_testing
