# shellcheck shell=bash disable=SC2034
# What measurements on an API server share: SERVER is kapi or real.
#
#	. "${0%/*}/../bench.sh"
#	bench_cluster		# user1 may do everything
#	ats_cluster		# the same, with the kind of pipeline/at
#	percentile 50 <numbers

TEST_SECONDS=3600
# shellcheck source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
SERVER=${SERVER:-real}
# shellcheck source=cluster/lib.sh
. t/cluster/lib.sh
# shellcheck source=processes.sh
. t/processes.sh
finished=1 # no TAP

bench_cluster() {
	cluster_start
	with_rights && kubectl create clusterrolebinding user1 --user=user1 \
		--clusterrole=cluster-admin >/dev/null
}

ats=/apis/at.example.com/v1alpha1/namespaces/default/ats
ats_cluster() {
	bench_cluster
	kubectl apply -f pipeline/at/crd.yaml >/dev/null 2>&1
	wait_for 20 api "$ats" >/dev/null || exit 1
}

# ats_have_status COUNT: whether so many Ats have one
ats_have_status() {
	[ "$(api "$ats" | jq '[.items[] | select(.status)] | length')" -ge "$1" ]
}

# percentile N: of the numbers on stdin; "-" of none
percentile() {
	sort -n | awk -v p="$1" '{ v[NR] = $1 }
		END { i = int(NR * p / 100 + 0.999)
			if (NR) printf "%.1f", v[i ? i : 1]; else printf "-" }'
}
