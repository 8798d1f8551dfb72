#!/bin/bash
# Suites with envtest on kapi and on etcd and kube-apiserver: how long each
# takes, with the start and the end of its servers, and the most memory (PSS)
# that the servers have. The servers take turns; of each figure the least. A suite
# of several packages: their sum, and the most memory of any.
#
# usage: t/bench/envtest.sh [SUITE...]	ROUNDS=3
#
# Prints the table of doc/kapi.md. A test that fails is named: a suite that ends
# early is not quick.
set -eu
cd "$(dirname "$0")/../.."

rounds=${ROUNDS:-3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
declare -A assets
assets[real]=$(t/cluster/build)
assets[kapi]=$(PATH=$PWD/bin:$PATH XDG_CACHE_HOME=$folder kapi --envtest)
t/clients/suites/build "$@" >/dev/null
for ((round = 1; round <= rounds; round++)); do
	for server in kapi real; do
		t/clients/suites/run "${assets[$server]}" "$folder/$server.$round" "$@" |
			sed "s/^[^\t]/$server &/" | tee -a "$folder/results" >&2
	done
done
load=$(cut -d' ' -f1 /proc/loadavg)
echo "| suite | kapi | memory | kube-apiserver and etcd | memory |"
echo "|---|---|---|---|---|"
awk '!/^\t/ {
		key = $1 " " $3
		if (!($3 in of)) {
			of[$3] = $2
			if (!($2 in seen)) { seen[$2] = 1; order[++n] = $2 }
		}
		if (!(key in s) || $7 < s[key]) s[key] = $7
		if (!(key in m) || $8 < m[key]) m[key] = $8
		if (!(key in p) || $4 > p[key]) { p[key] = $4; f[key] = $5 }
	}
	function cell(server, suite,    key, package, s_all, p_all, f_all, m_most) {
		for (package in of) {
			if (of[package] != suite)
				continue
			key = server " " package
			s_all += s[key]
			p_all += p[key]
			f_all += f[key]
			if (m[key] > m_most) m_most = m[key]
		}
		return s_all " s, " p_all " of " p_all + f_all " | " m_most " MB"
	}
	END {
		for (i = 1; i <= n; i++)
			printf "| %s | %s | %s |\n", order[i],
				cell("kapi", order[i]), cell("real", order[i])
	}' "$folder/results"
echo
echo "$rounds rounds; $(nproc) cores,$(sed -n \
	's/^model name.*://p' /proc/cpuinfo | head -n 1); load at the end: $load"
